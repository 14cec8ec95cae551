//===- Assemble.h - Machine code of GPUs by NVIDIA's tools ------*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_COMPILE_ASSEMBLE_H
#define ATTNC_LIB_DRIVER_COMPILE_ASSEMBLE_H

#include "attnc/Target/Target.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace attnc {

/// The path of ptxas: `requested`, which must exist, or the one in PATH, if
/// there is one.
llvm::Expected<std::optional<std::string>>
findAssembler(llvm::StringRef requested);

/// The cubin of `ptx` for a GPU. An error has the assembler's message.
llvm::Expected<std::string> assemble(llvm::StringRef assembler,
                                     llvm::StringRef ptx, const Target &gpu);

/// The path of the first of nvdisasm and cuobjdump in PATH, if there is one.
std::optional<std::string> findDisassembler();

/// The instructions of a cubin.
llvm::Expected<std::string> disassemble(llvm::StringRef disassembler,
                                        llvm::StringRef cubin);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_COMPILE_ASSEMBLE_H
