//===- Launch.h - Running a kernel ----------------------------------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_LAUNCH_H
#define ATTNC_TOOLS_NVPTXEMULATOR_LAUNCH_H

#include "Machine/Machine.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace attnc::nvptx {

struct LaunchConfig {
  std::string kernel; // empty: the only one
  Dim3 grid = {1, 1, 1}, block = {32, 1, 1};
  uint64_t sharedBytes = 0; // dynamic
  unsigned seed = 0;
};

/// Compiles the module for the host and runs the kernel. `args` are its
/// arguments in slots of 8 bytes, `buffers` the memory that it may access.
/// Returns how often the operations that are counted ran. A fault of the kernel
/// ends the process.
llvm::Expected<std::map<std::string, uint64_t>>
launch(std::unique_ptr<llvm::LLVMContext> context,
       std::unique_ptr<llvm::Module> module, const LaunchConfig &config,
       std::vector<uint64_t> args, const std::vector<Buffer> &buffers);

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_LAUNCH_H
