//===- MapPart.h - Extract a part of a map as a tensor ----------*- C++ -*-===//
//
// What a map makes of its inputs may be better made elsewhere: factors beside
// the weights, a row of the key before the product. These tell what a value of
// its region depends on and make it again.
// Tests: test/Fusion/factor-values.mlir, distribute-values.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_FUSION_KERNEL_MAPPART_H
#define ATTNC_LIB_FUSION_KERNEL_MAPPART_H

#include "Kernel/KernelMatch.h"

#include "attnc/Dialect/Attn/MapFormula.h"

namespace attnc::fusion {

/// The inputs of a map that `values` of its region are made of.
llvm::SmallVector<unsigned> inputsOf(attn::MapOp map,
                                     llvm::ArrayRef<mlir::Value> values);

/// The product of the weights of a normaliser, maybe times factors, and values
/// with one axis of their own, summed over the keys; all in the product's
/// letters.
struct WeightedSum {
  LetteredTensor weights, values;
  char over, feature;
};
std::optional<WeightedSum> findWeightedSum(attn::ContractOp product);

} // namespace attnc::fusion

#endif // ATTNC_LIB_FUSION_KERNEL_MAPPART_H
