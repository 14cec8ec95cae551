//===- RowFormulas.h - Vectors of formulas as tensors -----------*- C++ -*-===//
//
// A vector of a formula is a tensor with an axis for each index it depends on
// and one for its features; a product of two is a contraction. So the formula
//
//   v @ tanh(W @ Q + U @ K)
// is
//   %a = attn.contract "cd,bhgqd->bhgqc"(%W, %q)
//   %c = attn.contract "cd,bhkd->bhkc"(%U, %K)
//   %t = attn.map "bhgqd,bhkd->bhgqkd"(%a, %c) {tanh(%a + %c)}
//   %s = attn.contract "d,bhgqkd->bhgqk"(%v, %t)
//
// and what is left is a scalar formula in which %s is one of the operands.
// Nothing is decided here: that %t is never made is Fusion's business.
//
// Letters: b h g q k as in kernels, d features of a vector, c and d the axes of
// a matrix. Tests: test/Import/Rows/vectors.yaml, rows.yaml
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_IMPORT_TENSOR_ROWFORMULAS_H
#define ATTNC_LIB_IMPORT_TENSOR_ROWFORMULAS_H

#include "Formula/FormulaBuilder.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Interface/Interface.h"

#include "mlir/IR/BuiltinTypes.h"

#include <functional>
#include <string>

namespace attnc::import {

/// A tensor and the letters of its axes.
struct LetteredTensor {
  mlir::Value tensor;
  std::string letters;
};

/// What a formula has besides scalars: the nodes that are tensors.
struct FormulaLeaves {
  llvm::SmallVector<LetteredTensor> tensors;
  /// A node and the place of its tensor.
  llvm::SmallVector<std::pair<const spec::Expr *, unsigned>> nodes;
};

class RowFormulas {
public:
  /// Tensors are made at the builder's place. `arguments` are Q, K and V, null
  /// for those that are no argument; `real` is the accumulate type.
  RowFormulas(mlir::ImplicitLocOpBuilder &builder,
              const SourceLocations &locations, const spec::AttentionSpec &spec,
              const Interface &interface, llvm::ArrayRef<mlir::Value> arguments,
              mlir::ValueRange inputs, mlir::Type real);

  /// What a row is, where tensors say it.
  void setRow(spec::Row row, const LetteredTensor &tensor) {
    rows[unsigned(row)] = given[unsigned(row)] = tensor;
  }
  /// The vector as a tensor whose last letter is d.
  LetteredTensor vector(const spec::Expr &e);
  /// The products in a formula, and its vectors that are tensors by themselves.
  FormulaLeaves leavesOf(const spec::Expr &e);
  void addLeaves(const spec::Expr &e, FormulaLeaves &leaves);
  /// In a region with the indices b, h, g, q and maybe k: the formula, whose
  /// leaves have one element per row (or key) and are read.
  mlir::Value at(mlir::OpBuilder &builder, mlir::Location loc,
                 const spec::Expr &e, const FormulaLeaves &leaves,
                 mlir::ValueRange places);
  /// A map over `letters` that computes the formula of leaves and indices.
  mlir::Value map(llvm::StringRef letters, mlir::Type result,
                  const FormulaLeaves &leaves,
                  llvm::function_ref<mlir::Value(FormulaBuilder &)> formula);
  /// The same, where `formula` also gets the elements of the leaves' tensors.
  mlir::Value
  map(llvm::StringRef letters, mlir::Type result, const FormulaLeaves &leaves,
      llvm::function_ref<mlir::Value(FormulaBuilder &, mlir::ValueRange)>
          formula);
  /// A tensor type: sizes of the letters b h g q k, then those of features.
  mlir::RankedTensorType type(llvm::StringRef letters,
                              llvm::ArrayRef<spec::ExprPtr> features,
                              mlir::Type element);
  /// What tells which keys a row may see, for sum() and its like.
  void setMask(std::function<mlir::Value()> getMask) {
    mask = std::move(getMask);
  }
  /// Adds what zeroWhereNothing() needs to the leaves of a weight `e`; false if
  /// the weight is 0 by itself where the score is -inf.
  bool addGuard(const spec::Expr &e, FormulaLeaves &leaves);
  bool failed() const { return hasFailed; }

private:
  // RowFunctions.cpp
  LetteredTensor rowFunction(const spec::Expr &e);
  mlir::Value rowOperand(const spec::Expr &e, bool isTerm);
  LetteredTensor rowSum(const spec::Expr &e);
  LetteredTensor rowSoftmax(const spec::Expr &e);
  LetteredTensor rowTopK(const spec::Expr &e);
  LetteredTensor rowSparsemax(const spec::Expr &e);
  attn::ReduceOp reduce(attn::RowAttr kind, mlir::Value x);

  LetteredTensor row(spec::Row row);
  LetteredTensor argument(spec::Row row);
  LetteredTensor load(const spec::Expr &e);
  LetteredTensor read(const spec::Expr &e);
  LetteredTensor product(const spec::Expr &e);
  // StoredProducts.cpp
  /// The product of ragged or paged rows where they lie, or nothing.
  std::optional<LetteredTensor> storedProduct(const spec::Expr &e,
                                              const LetteredTensor &left,
                                              const LetteredTensor &right,
                                              llvm::StringRef result);
  LetteredTensor inFormulaOrder(mlir::Value tensor, llvm::StringRef found,
                                llvm::StringRef heads, llvm::StringRef made);
  LetteredTensor norm(const spec::Expr &e);
  LetteredTensor elementwise(const spec::Expr &e);
  LetteredTensor operand(const spec::Expr &e);
  bool isTensor(const spec::Expr &e);
  std::optional<std::string> axesOfLoad(const spec::Expr &e);
  void addLeaf(const spec::Expr &e, FormulaLeaves &leaves);
  void addLetters(const spec::Expr &e, std::string &letters);
  std::string inOrder(llvm::StringRef letters);
  mlir::Attribute size(const spec::Expr &size);
  mlir::Attribute sizeOf(char letter);
  mlir::Value refuse(const spec::Expr &e, const llvm::Twine &reason);

  mlir::ImplicitLocOpBuilder &b;
  const SourceLocations &locations;
  const spec::AttentionSpec &spec;
  const Interface &interface;
  llvm::SmallVector<mlir::Value, 3> arguments;
  mlir::ValueRange inputs;
  mlir::Type real;
  std::optional<LetteredTensor> rows[3], given[3]; // as defined, as passed
  bool isDefining[3] = {};
  llvm::DenseMap<const spec::Expr *, LetteredTensor> built;
  std::vector<const spec::Expr *> written; // those outside of definitions
  std::function<mlir::Value()> mask;
  bool hasFailed = false;
};

} // namespace attnc::import

#endif // ATTNC_LIB_IMPORT_TENSOR_ROWFORMULAS_H
