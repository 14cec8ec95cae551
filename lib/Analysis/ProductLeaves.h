//===- ProductLeaves.h - Where a tree of products ends ----------*- C++ -*-===//

#ifndef ATTNC_LIB_ANALYSIS_PRODUCTLEAVES_H
#define ATTNC_LIB_ANALYSIS_PRODUCTLEAVES_H

#include "attnc/Analysis/ProductTree.h"

namespace attnc {

/// Whether a value that a product reads is a product itself, seen through views
/// and constant factors, that may be multiplied in another order: nothing else
/// but `ignored` reads it, and nothing on the way rounds to a narrower type.
bool leadsToProduct(mlir::Value value,
                    llvm::ArrayRef<mlir::Operation *> ignored);

/// c of a map that multiplies each element by a constant c, or converts it (1),
/// and does not round to a narrower type.
std::optional<double> getConstantFactor(attn::MapOp map);

/// The leaf without its axes.
ProductLeaf describeLeaf(mlir::Value value);

/// The axis that all readers of a product normalise over, through formulas of
/// the pair, if the weights are read by one product: then no score is stored.
std::optional<unsigned> findNormalizedAxis(mlir::Value scores);

} // namespace attnc

#endif // ATTNC_LIB_ANALYSIS_PRODUCTLEAVES_H
