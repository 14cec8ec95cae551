//===- SlicedProducts.h - Slices of a product as products -------*- C++ -*-===//
//
// Keys and values are often pieces of one product, since their weights are
// stored as one:
//
//   %m = attn.contract "bkc,cn->bkn" (%C, %W)
//   %v = attn.slice "bkn" %m along "n" [512, 512]
// A piece along an axis that comes from one operand is a product with a piece
// of that operand, which is a view:
//   %w = attn.slice "cn" %W along "n" [512, 512]
//   %v = attn.contract "bkc,cn->bkn" (%C, %w)
// and may be taken in an order of its own. What stays as it was is one product
// again afterwards: it reads the other operand once.
//
// Tests: test/Graph/reassociate-slices.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_GRAPH_SLICES_SLICEDPRODUCTS_H
#define ATTNC_LIB_GRAPH_SLICES_SLICEDPRODUCTS_H

#include "attnc/Dialect/Attn/AttnMove.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc::graph {

/// All products of a function of which only pieces are read, taken apart. The
/// whole products live on, unread, until `settle`.
class SlicedProducts {
public:
  explicit SlicedProducts(mlir::func::FuncOp function);

  /// When all readers of `product` have their order: if the pieces that are
  /// still products are no less than the whole, they are read from it again.
  /// Otherwise the whole is erased, and the result is true.
  bool settle(attn::ContractOp product);

private:
  struct Piece {
    attn::SliceOp slice;
    int64_t number; // of the product that stands for it
    double share;   // of the work of the whole
  };

  void takeApart(attn::ContractOp product);
  attn::ContractOp findPart(int64_t number);

  mlir::func::FuncOp function;
  int64_t count = 0;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Piece, 2>> wholes;
};

/// Makes products of the pieces of a product of which nothing else is read, for
/// good. False if that is not so.
bool takeProductApart(attn::ContractOp product);

} // namespace attnc::graph

#endif // ATTNC_LIB_GRAPH_SLICES_SLICEDPRODUCTS_H
