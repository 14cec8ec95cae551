//===- ReassociateRewrite.h - Rewrite products to a given order -*- C++ -*-===//

#ifndef ATTNC_LIB_GRAPH_REASSOCIATE_REASSOCIATEREWRITE_H
#define ATTNC_LIB_GRAPH_REASSOCIATE_REASSOCIATEREWRITE_H

#include "attnc/Analysis/Product/ProductOrder.h"

namespace attnc::graph {

/// Whether the tree has few enough axes to give each a letter.
bool canRewrite(const ProductTree &tree);

/// Replaces the tree's root by products in the order of `steps`, and erases
/// what nobody reads any more. Constants of the tree multiply the product that
/// is smallest at `sizes`. Returns what stands for the root now.
mlir::Value rewriteProducts(const ProductTree &tree,
                            llvm::ArrayRef<ProductStep> steps,
                            const LetterSizes &sizes);

} // namespace attnc::graph

#endif // ATTNC_LIB_GRAPH_REASSOCIATE_REASSOCIATEREWRITE_H
