//===- ConvertOnLoad.h - Read quantized operands ----------------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_QUANTIZED_CONVERTONLOAD_H
#define ATTNC_LIB_SCHEDULE_QUANTIZED_CONVERTONLOAD_H

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::schedule {

/// What a kernel does with the integers that it loads.
struct Conversion {
  /// Why no queries and keys are multiplied as integers if both are quantized;
  /// empty: they may be.
  llvm::StringRef whyNoIntegers;
  /// Converts keys and values tile by tile.
  bool asFloats = false;
};

/// Lets a kernel load operands that an attn.map dequantizes, 8-bit integers
/// times factors of the row, as integers. What a map of another form makes is
/// dequantized before the kernel; a remark gives the reason.
void convertOnLoad(attn::KernelOp kernel, Conversion how);

/// Whether a kernel loads the elements of an operand as 8-bit integers, be it
/// viewed (the rows of a group).
bool readsIntegers(mlir::Value operand);
/// The same of unsigned ones.
bool readsUnsigned(mlir::Value operand);

/// Whether the keys or values of a kernel are made of 8-bit integers.
bool isQuantized(attn::KernelOp kernel);

/// Whether convertOnLoad makes queries and keys of a product integers.
bool hasIntegerProduct(attn::KernelOp kernel);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_QUANTIZED_CONVERTONLOAD_H
