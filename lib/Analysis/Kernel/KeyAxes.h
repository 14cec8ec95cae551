//===- KeyAxes.h - Find the axes along which key rows differ ----*- C++ -*-===//
//
// Query heads are rows of one block of a kernel where neither its keys nor its
// values differ from head to head (`row_axes = gq`). Keys are made in one
// tree of products, values in another, so what one of them may save by such
// blocks depends on the other. Here is what no order can change: an axis that
// stands in the same factor as the axis of keys.
//
// Tests: test/Graph/reassociate-heads.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_ANALYSIS_KERNEL_KEYAXES_H
#define ATTNC_LIB_ANALYSIS_KERNEL_KEYAXES_H

#include "attnc/Dialect/Attn/Attn.h"

#include <set>
#include <string>

namespace attnc {

/// Of each axis of a tensor the letters that it holds.
using AxisLetters = llvm::SmallVector<std::string>;

/// The axes of a normaliser's pairs, by its labels.
class KeyAxes {
public:
  explicit KeyAxes(attn::NormalizeOp norm);

  /// Letters by which rows of keys or values differ in every order.
  const std::set<char> &get() const { return found; }
  /// The letters of each axis of a product that scores are made of; empty for
  /// others.
  AxisLetters lettersOf(attn::ContractOp product) const;
  /// The letters of each axis of weights, seen through views.
  AxisLetters lettersOf(mlir::Value weights) const;

private:
  void addPairs(mlir::Value pairs, const AxisLetters &letters);
  void addKeys(mlir::Value keys, const AxisLetters &letters);
  bool hasKey(const AxisLetters &letters) const;

  attn::NormalizeOp norm;
  char key;
  std::set<char> found;
  llvm::DenseMap<mlir::Operation *, AxisLetters> products;
};

/// The normaliser that goes over what is made of a product, through views and
/// formulas of pairs, or null.
attn::NormalizeOp findNormalizer(mlir::Value pairs);

} // namespace attnc

#endif // ATTNC_LIB_ANALYSIS_KERNEL_KEYAXES_H
