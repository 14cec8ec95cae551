//===- InProduct.h - Ops computed in the blocks of a product ----*- C++ -*-===//
//
// What is done with an operand of a product of matrices can be done where the
// product loads it, if all of its blocks together load each element once:
//
//   %f = attn.map "qd->qd" (%Q) {phi}              the operand itself
//   %l = attn.contract "qd,d->q" (%f, %z)          its product with a vector
//   %n = attn.contract "qd,de->qe" (%f, %S)
//   %o = attn.map "qe,q->qe" (%n, %l) {division}   an epilogue
//
// Then %f is never stored, and %l only for readers other than epilogues. An op
// with the attribute `attn.in_product` has no attn.block: Schedule decides it,
// Lowering obeys. Epilogues are decided by their blocks (Epilogue.h).
// Tests: test/Schedule/Cpu/in-product.mlir, test/Lowering/Side/in-product.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_INPRODUCT_H
#define ATTNC_DIALECT_ATTN_INPRODUCT_H

#include "attnc/Dialect/Attn/Attn.h"

#include <string>

namespace attnc::attn {

/// Marks a map or a product with a vector that is computed in the blocks of a
/// product of matrices.
inline constexpr llvm::StringLiteral kInProduct = "attn.in_product";

/// The input of `map` that has its elements in the place of the result: that
/// has all of its letters, in any order, and is made of floats; or nothing.
std::optional<unsigned> findElements(MapOp map);

/// How a product with a vector, "qd,d->q", belongs to a product of matrices,
/// "qd,de->qe": they read one operand and sum it over the same axis.
struct Companion {
  ContractOp product;
  unsigned shared; // operand of `product` that both read
  /// Letters of the product of matrices.
  std::string vector, output;

  mlir::Value getVector() { return product->getOperand(1 - shared); }
  mlir::Value getResult() { return product.getResult(); }
};

/// `vectorProduct` as a companion of `matrixProduct`, which reads the shared
/// operand as `operand`; or nothing. Sizes and places of the ops are up to the
/// caller.
std::optional<Companion> matchCompanion(ContractOp vectorProduct,
                                        ContractOp matrixProduct,
                                        unsigned operand);

/// The map that `product` computes as it loads its operand, or null.
MapOp findPrologue(ContractOp product, unsigned operand);

/// The products with vectors that belong to `product`, and to no product of
/// matrices before it: the marked ones only, or whether marked or not.
llvm::SmallVector<Companion>
findCompanions(ContractOp product, unsigned operand, bool marked = true);

/// The last op in whose place a product can be lowered: the end of the maps
/// that may be its epilogues, or the product.
mlir::Operation *lastEpilogue(ContractOp product);

} // namespace attnc::attn

#endif // ATTNC_DIALECT_ATTN_INPRODUCT_H
