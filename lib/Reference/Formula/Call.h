//===- Call.h - The tensors and sizes of one call ---------------*- C++ -*-===//

#ifndef ATTNC_LIB_REFERENCE_FORMULA_CALL_H
#define ATTNC_LIB_REFERENCE_FORMULA_CALL_H

#include "attnc/Reference/SpecEvaluator.h"

#include <optional>

namespace attnc::formula {

class Call {
public:
  Call(const spec::AttentionSpec &spec, Arrays given,
       const llvm::StringMap<int64_t> &sizes);

  const spec::AttentionSpec &spec;
  /// Those of AttentionSpec::inputs; what `let` makes is added one by one.
  std::vector<Array> inputs;
  /// Q, K and V as the call stores them, where they are arguments.
  std::optional<Array> arguments[3];

  /// The value of a size; one that differs from sequence to sequence is that
  /// of sequence b.
  int64_t size(unsigned index, int64_t b = 0) const;
  /// A formula of sizes.
  int64_t extent(const spec::Expr &e) const;
  llvm::SmallVector<int64_t> extents(llvm::ArrayRef<spec::ExprPtr> axes) const;
  /// Where the rows of sequence b begin among those of a ragged side, and how
  /// many it has.
  int64_t firstRow(const spec::Storage &storage, int64_t b) const;
  int64_t countRows(const spec::Storage &storage, int64_t b) const;

private:
  const llvm::StringMap<int64_t> &sizes;
};

} // namespace attnc::formula

#endif // ATTNC_LIB_REFERENCE_FORMULA_CALL_H
