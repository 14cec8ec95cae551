//===- Program.h - NVPTX-flavoured LLVM IR as code of the host ------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_PROGRAM_H
#define ATTNC_TOOLS_NVPTXEMULATOR_PROGRAM_H

#include "Assembly.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace attnc::nvptx {

/// Where the calls that the rewriting inserts end up.
constexpr const char *executeName = "nvptx_emulator_execute";
constexpr const char *accessName = "nvptx_emulator_access";
/// void(ptr): calls the kernel with the arguments in slots of 8 bytes.
constexpr const char *entryName = "nvptx_emulator_entry";

/// A call: of an operation or of inline assembly.
struct CallSite {
  /// More than inline assembly has instructions.
  static constexpr uint32_t maxSteps = 1 << 12;

  Operation operation;
  std::unique_ptr<Assembly> assembly;
};

struct Rewritten {
  std::vector<CallSite> callSites;
  /// The basic blocks, which calls and accesses name by their number.
  std::vector<std::string> places;
  uint64_t staticShared = 0; // bytes of shared globals
};

/// Makes the module executable on the host: each NVVM intrinsic and each inline
/// assembly becomes a call of `executeName`, a call of `accessName` precedes
/// each access to memory, and shared globals move to addresses from `shared`
/// on. Integers of shared addresses count from `shared`, as on the device.
/// Parameters of the kernel that are passed by value become pointers. An error
/// names inline assembly that is not emulated.
llvm::Expected<Rewritten> rewrite(llvm::Module &module, llvm::Function &kernel,
                                  uint64_t shared);

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_PROGRAM_H
