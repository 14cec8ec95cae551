//===- ProductTree.h - Nested matrix products as one sum --------*- C++ -*-===//
//
// A product whose operands are products is one sum over many tensors, and the
// order in which they are multiplied is free:
//
//   %v = attn.contract "bkr,re->bke" (%U, %A)
//   %o = attn.contract "bqk,bke->bqe" (%p, %v)
// is the sum over k and r of p[b, q, k] * U[b, k, r] * A[r, e].
//
// Here a maximal tree of products is flattened into its leaves, and all axes
// get one set of names. Views that split, merge or permute axes, factors that
// are constants and conversions that lose nothing do not end a tree. What is
// not linear does, and so does what is needed elsewhere, rounds to a narrower
// type or leaves out places by a mask of its own.
//
// Tests: test/Graph/reassociate.mlir, reassociate-leaves.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_PRODUCT_PRODUCTTREE_H
#define ATTNC_ANALYSIS_PRODUCT_PRODUCTTREE_H

#include "attnc/Analysis/Cost/Residency.h"
#include "attnc/Dialect/Attn/Attn.h"

#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// An axis of a tensor: the letters that share it, the slowest first.
using ProductAxis = llvm::SmallVector<unsigned, 2>;
using ProductAxes = llvm::SmallVector<ProductAxis, 5>;
/// Letters of a tree as bits.
using LetterSet = uint64_t;

/// A tensor that a tree multiplies.
struct ProductLeaf {
  mlir::Value tensor;
  ProductAxes axes;
  /// What it is called in remarks.
  std::string name;
  /// Whether it is the same for all calls: a weight.
  Residency residency = Residency::None;
  /// Weights that only this tree reads are never written to memory; then
  /// `bound` are the letters that its first product has to sum over.
  bool isStored = true;
  LetterSet bound = 0;
  /// Its places that count, or null.
  mlir::Value mask;
  ProductAxes maskAxes;

  LetterSet letters() const;
  mlir::Type elementType() const {
    return mlir::getElementTypeOrSelf(tensor.getType());
  }
};

/// A product as written. Operands below the number of leaves are leaves, others
/// are earlier steps.
struct ProductStep {
  unsigned lhs, rhs;
  LetterSet result;
};

struct ProductTree {
  mutable attn::ContractOp root;
  std::vector<ProductLeaf> leaves;
  /// The order as written; the last is the root.
  llvm::SmallVector<ProductStep> written;
  /// Of each letter.
  llvm::SmallVector<mlir::Attribute> sizes;
  llvm::SmallVector<char> names;
  ProductAxes output;
  /// Product of the constants on the way.
  double scale = 1;
  /// Of what a new order has between leaves and root: never narrower than what
  /// was between them.
  mlir::Type elementType;
  /// Scores that only a normaliser reads are never written to memory; then
  /// `key` is the letter that it goes over.
  bool isStored = true;
  std::optional<unsigned> key;
  /// Letters of scores or weights by which rows of keys differ, or those of
  /// values, in whichever order: their queries are no rows of one block.
  LetterSet apart = 0;
  /// The ops that are parts of the tree, the root included.
  llvm::SmallVector<mlir::Operation *> ops;

  LetterSet outputLetters() const;
};

/// A product that stands for another one, which is about to be replaced.
struct ProductPlace {
  /// Whose readers the root's will be; null: the root's own.
  attn::ContractOp readers;
  /// Readers of parts of the tree that do not count, since they will go.
  llvm::ArrayRef<mlir::Operation *> ignored;
};

/// The tree that ends in `root`, or nothing if it has a mask that does not
/// belong to one of its leaves, or an axis without a name.
std::optional<ProductTree> flattenProducts(attn::ContractOp root,
                                           ProductPlace place = {});

/// Whether a value that a product reads is a product itself, seen through views
/// and constant factors, that may be multiplied in another order: nothing else
/// but `ignored` reads it, and nothing on the way rounds to a narrower type.
bool leadsToProduct(mlir::Value value,
                    llvm::ArrayRef<mlir::Operation *> ignored);

/// The fields of a function's argument in the interface of the module, or null.
mlir::DictionaryAttr interfaceFieldsOf(mlir::BlockArgument argument);

/// The type that holds every value of both.
mlir::Type widerType(mlir::Type a, mlir::Type b);

} // namespace attnc

#endif // ATTNC_ANALYSIS_PRODUCT_PRODUCTTREE_H
