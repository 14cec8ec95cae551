//===- PushTerms.h - Turn terms of sums into products -----------*- C++ -*-===//
//
// A bias is a term of a sum that ends a chain of products:
//
//   %e = attn.contract "bkm,mn->bkn" (%Y, %W)
//   %k = attn.map "bkn,n->bkn" (%e, %bias) {x + bias}
//   %s = attn.contract "bqn,bkn->bqk" (%q, %k)
// But a product with a sum is a sum of products:
//   %t = attn.contract "bqn,n->bq" (%q, %bias)
//   %p = attn.contract "bqn,bkn->bqk" (%q, %e)
//   %s = attn.map "bqk,bq->bqk" (%p, %t) {p + t}
// and (%q, (%Y, %W)) may be taken in any order. The term of weights, which sum
// over keys that the bias does not have, is the sum of a row's weights times
// the bias, and the normaliser knows that sum.
//
// Tests: test/Graph/distribute-terms.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_GRAPH_DISTRIBUTE_PUSHTERMS_H
#define ATTNC_LIB_GRAPH_DISTRIBUTE_PUSHTERMS_H

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc::graph {

/// A map that adds a term, which lacks an axis, to a product, and the number of
/// products that it goes into, one after the other.
struct Sum {
  attn::MapOp map;
  size_t products;
};

/// Of a function, in its order.
llvm::SmallVector<Sum> findSums(mlir::func::FuncOp function);

/// Adds the map's terms behind the first so many products instead. Failure if
/// nothing is known of what a term becomes on the way; then dead ops may be
/// left.
llvm::LogicalResult pushTerms(attn::MapOp map, size_t products);

} // namespace attnc::graph

#endif // ATTNC_LIB_GRAPH_DISTRIBUTE_PUSHTERMS_H
