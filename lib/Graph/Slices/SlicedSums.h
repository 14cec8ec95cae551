//===- SlicedSums.h - Slices of a product with a bias -----------*- C++ -*-===//
//
// Queries, keys and values are often pieces of one product with one bias:
//
//   %m = attn.contract "bkc,cn->bkn" (%C, %W)
//   %s = attn.map "bkn,n->bkn" (%m, %bias) {x + bias}
//   %v = attn.slice "bkn" %s along "n" [512, 512]
// Each piece is a product with pieces of weights and bias:
//   %w = attn.slice "cn" %W along "n" [512, 512]
//   %b = attn.slice "n" %bias along "n" [512, 512]
//   %p = attn.contract "bkc,cn->bkn" (%C, %w)
//   %v = attn.map "bkn,n->bkn" (%p, %b) {x + bias}
//
// Tests: test/Graph/distribute-terms-slices.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_GRAPH_SLICES_SLICEDSUMS_H
#define ATTNC_LIB_GRAPH_SLICES_SLICEDSUMS_H

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc::graph {

/// Takes all sums of a function apart of which only pieces are read, also
/// through a view that splits axes. What is read no more stays.
bool takeSumsApart(mlir::func::FuncOp function);

} // namespace attnc::graph

#endif // ATTNC_LIB_GRAPH_SLICES_SLICEDSUMS_H
