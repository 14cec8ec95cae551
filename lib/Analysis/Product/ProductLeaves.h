//===- ProductLeaves.h - Find the leaves of a product tree ------*- C++ -*-===//

#ifndef ATTNC_LIB_ANALYSIS_PRODUCT_PRODUCTLEAVES_H
#define ATTNC_LIB_ANALYSIS_PRODUCT_PRODUCTLEAVES_H

#include "attnc/Analysis/Product/ProductTree.h"

namespace attnc {

/// c of a map that multiplies each element by a constant c, or converts it (1),
/// and does not round to a narrower type.
std::optional<double> getConstantFactor(attn::MapOp map);

/// The leaf without its axes.
ProductLeaf describeLeaf(mlir::Value value);

/// The normaliser whose weights these are, seen through views, or null.
attn::NormalizeOp normalizerOf(mlir::Value weights);

/// The axis that all readers of a product normalise over, through formulas of
/// the pair, if the weights are read by one product: then no score is stored.
std::optional<unsigned> findNormalizedAxis(mlir::Value scores);

} // namespace attnc

#endif // ATTNC_LIB_ANALYSIS_PRODUCT_PRODUCTLEAVES_H
