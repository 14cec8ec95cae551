//===- ModelInstructions.h - Calls of instruction models --------*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_RUN_MODEL_MODELINSTRUCTIONS_H
#define ATTNC_LIB_DRIVER_RUN_MODEL_MODELINSTRUCTIONS_H

#include "Run/Model/InstructionModels.h"

#include "llvm/Support/Error.h"

#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace attnc {

/// Replaces the intrinsics of x86 in a module by calls of their models. An
/// error names the first intrinsic that has none.
llvm::Error modelInstructions(llvm::Module &kernels);

/// The symbol by which such a module calls a model, and those of all models,
/// separated by blanks.
std::string modelSymbol(llvm::StringRef intrinsic);
std::string modelSymbols();

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_MODEL_MODELINSTRUCTIONS_H
