//===- TensorShapes.h - Axes of tensors that meet -------------------------===//
//
// An axis is known by its size. Two axes are one if their sizes are written
// alike; where that finds no place, if they are equal at every call.
//
// Tests: test/Spec/Layers
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_TENSOR_TENSORSHAPES_H
#define ATTNC_LIB_SPEC_TENSOR_TENSORSHAPES_H

#include "attnc/Spec/Spec.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace attnc::spec {

using Axes = std::vector<ExprPtr>;

class TensorShapes {
public:
  explicit TensorShapes(const AttentionSpec &spec) : spec(spec) {}

  /// Whether two sizes are equal at every call.
  bool isSame(const ExprPtr &a, const ExprPtr &b) const;
  /// The number of a size that is fixed.
  std::optional<int64_t> number(const ExprPtr &size) const;
  /// whole / part, if that is a size at every call; null if not.
  ExprPtr quotient(const ExprPtr &whole, const ExprPtr &part) const;
  /// The product of two sizes: the name of a size, where there is one.
  ExprPtr product(const ExprPtr &a, const ExprPtr &b) const;
  /// Which axes of `large` those of `small` are, in order, as far right as they
  /// fit.
  std::optional<std::vector<unsigned>>
  embed(llvm::ArrayRef<ExprPtr> small, llvm::ArrayRef<ExprPtr> large) const;
  /// The axes that are this size: written alike, else equal at every call.
  std::vector<unsigned> placesOf(const ExprPtr &size,
                                 llvm::ArrayRef<ExprPtr> axes) const;
  /// The axes of both, each once: those that they share keep their order, and
  /// those of `a` stand before those of `b` in between.
  Axes merge(llvm::ArrayRef<ExprPtr> a, llvm::ArrayRef<ExprPtr> b) const;
  /// "[batch, query_len, 64]".
  std::string text(llvm::ArrayRef<ExprPtr> axes) const;

private:
  bool isSameName(const ExprPtr &a, const ExprPtr &b) const;
  bool isOne(const ExprPtr &a, const ExprPtr &b, bool byName) const {
    return byName ? isSameName(a, b) : isSame(a, b);
  }

  const AttentionSpec &spec;
};

/// n letters, from `first` on.
std::string lettersFrom(char first, size_t n);

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_TENSOR_TENSORSHAPES_H
