//===- Program.h - NVPTX-flavoured LLVM IR as code of the host ------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_PROGRAM_H
#define ATTNC_TOOLS_NVPTXEMULATOR_PROGRAM_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace attnc::nvptx {

/// Where the calls that the rewriting inserts end up.
constexpr const char *executeName = "nvptx_emulator_execute";
constexpr const char *accessName = "nvptx_emulator_access";
/// void(ptr): calls the kernel with the arguments in slots of 8 bytes.
constexpr const char *entryName = "nvptx_emulator_entry";

struct Rewritten {
  std::vector<std::string> operations; // the name at each call site
  uint64_t staticShared = 0;           // bytes of shared globals
};

/// Makes the module executable on the host: each NVVM intrinsic and each inline
/// assembly becomes a call of `executeName`, a call of `accessName` precedes
/// each access to memory, and shared globals move to addresses from `shared`
/// on. An error where memory is accessed in a way that is not checked.
llvm::Expected<Rewritten> rewrite(llvm::Module &module, llvm::Function &kernel,
                                  uint64_t shared);

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_PROGRAM_H
