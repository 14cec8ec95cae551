//===- Assemble.h - Machine code of GPUs by NVIDIA's tools ------*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_COMPILE_ASSEMBLE_H
#define ATTNC_LIB_DRIVER_COMPILE_ASSEMBLE_H

#include "attnc/Target/Target.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Program.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// The path of ptxas: `requested`, which must exist, or the one in PATH, if
/// there is one.
llvm::Expected<std::optional<std::string>>
findAssembler(llvm::StringRef requested);

/// A tool of NVIDIA's that runs beside this process, in a folder of its own,
/// which goes with the run.
class ToolRun {
public:
  /// `arguments` have "@in" for a file with the bytes and "@out" for one that
  /// the tool writes. An error says why the tool did not start.
  static llvm::Expected<std::unique_ptr<ToolRun>>
  start(llvm::StringRef tool, llvm::StringRef bytes,
        std::vector<std::string> arguments);
  ~ToolRun();
  /// The file "@out" or, without that, the standard output. An error has the
  /// tool's message.
  llvm::Expected<std::string> finish();

private:
  std::string path(llvm::StringRef name) const;
  int wait(std::string &reason);

  std::string tool, folder, output;
  llvm::sys::ProcessInfo process; // 0 once it ended
};

/// Starts to make the cubin of `ptx` for a GPU.
llvm::Expected<std::unique_ptr<ToolRun>>
assemble(llvm::StringRef assembler, llvm::StringRef ptx, const Target &gpu);

/// The path of the first of nvdisasm and cuobjdump in PATH, if there is one.
std::optional<std::string> findDisassembler();

/// The instructions of a cubin.
llvm::Expected<std::string> disassemble(llvm::StringRef disassembler,
                                        llvm::StringRef cubin);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_COMPILE_ASSEMBLE_H
