//===- InstructionModels.h - Instructions as functions ----------*- C++ -*-===//
//
// What an instruction of a processor computes, in portable C++, so that code
// for a processor runs on machines without it. The models follow Intel's SDM
// (volume 2), whose operations are cited at each.
// Tests: test/Unit/Driver/InstructionModelsTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_RUN_MODEL_INSTRUCTIONMODELS_H
#define ATTNC_LIB_DRIVER_RUN_MODEL_INSTRUCTIONMODELS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace attnc {

/// Computes an instruction: `arguments` are the addresses of the operands of
/// its intrinsic, in order.
using InstructionFunction = void (*)(void *result,
                                     const void *const *arguments);

struct InstructionModel {
  /// LLVM's name, such as "llvm.x86.avx512bf16.dpbf16ps.512".
  llvm::StringLiteral intrinsic;
  InstructionFunction function;
};

llvm::ArrayRef<InstructionModel> getInstructionModels();

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_MODEL_INSTRUCTIONMODELS_H
