//===- MachineCode.h - LLVM's code generator --------------------*- C++ -*-===//
//
// Private to lib/Emit.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_EMIT_MACHINECODE_H
#define ATTNC_LIB_EMIT_MACHINECODE_H

#include "attnc/Emit/Object.h"

#include "llvm/Target/TargetMachine.h"

namespace attnc {

/// The code generator for a target. Not on several threads at once.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(const CodegenTarget &target);

/// Writes an object or assembly. The labels of the module's first function have
/// the number `firstNumber`.
llvm::Error writeMachineCode(llvm::Module &module, llvm::TargetMachine &machine,
                             llvm::CodeGenFileType type,
                             llvm::raw_pwrite_stream &out,
                             unsigned firstNumber = 0);

} // namespace attnc

#endif // ATTNC_LIB_EMIT_MACHINECODE_H
