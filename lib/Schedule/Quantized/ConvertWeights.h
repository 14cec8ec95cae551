//===- ConvertWeights.h - Read quantized weights of products ----*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_QUANTIZED_CONVERTWEIGHTS_H
#define ATTNC_LIB_SCHEDULE_QUANTIZED_CONVERTWEIGHTS_H

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc::schedule {

/// Whether a map of 8-bit integers makes an operand of the product.
bool hasQuantizedOperand(attn::ContractOp op);

/// Lets a product of form dot, with this block, load operands that an attn.map
/// dequantizes, 8-bit integers times factors that are not summed over, as
/// integers; the factors multiply the result. Others are dequantized before the
/// product; a remark gives the reason.
void convertWeights(attn::ContractOp op, attn::BlockAttr block);

/// Explains why other readers than products and kernels need dequantized
/// tensors.
void explainStored(mlir::func::FuncOp function);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_QUANTIZED_CONVERTWEIGHTS_H
