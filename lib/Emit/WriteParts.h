//===- WriteParts.h - Machine code of parts on several threads --*- C++ -*-===//
//
// Private to lib/Emit.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_EMIT_WRITEPARTS_H
#define ATTNC_LIB_EMIT_WRITEPARTS_H

#include "attnc/Emit/Object.h"

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace attnc {

/// Whether `writeParts` can write the object of a module.
bool canWriteParts(const llvm::Module &module, llvm::ArrayRef<Part> parts);

/// Writes the object that writeMachineCode would write, byte for byte but for
/// names of local labels (RISC-V's .Lpcrel_hi0), with one thread per part, but
/// at most one per processor that this process may use. `module` has the
/// optimized functions of all parts, and the entry as assembly; it loses both.
/// `machine` is that of `target`.
llvm::Error writeParts(llvm::Module &module, llvm::ArrayRef<Part> parts,
                       const CodegenTarget &target,
                       llvm::TargetMachine &machine,
                       llvm::raw_pwrite_stream &out);

} // namespace attnc

#endif // ATTNC_LIB_EMIT_WRITEPARTS_H
