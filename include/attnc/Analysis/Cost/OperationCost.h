//===- OperationCost.h - Cost of elementwise operations ---------*- C++ -*-===//
//
// Vector instructions of a target for each operation of a formula: for the cost
// model, and for the account of what passes saved.
// Tests: test/Schedule/explain.mlir, test/Tools/accounting-saved.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_COST_OPERATIONCOST_H
#define ATTNC_ANALYSIS_COST_OPERATIONCOST_H

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Target/Target.h"

namespace attnc {

/// Of an op of a region, an addition being one. A read counts as a load; where
/// its entries lie apart it takes more.
double operationCost(mlir::Operation *op, const Target &target);

/// What turns a score into a weight and its share of the sums; without a norm
/// (null) it is added up or compared.
double weightCost(attn::NormAttr norm, const Target &target);

} // namespace attnc

#endif // ATTNC_ANALYSIS_COST_OPERATIONCOST_H
