//===- ChunkFactors.h - Factors of linear attention -------------*- C++ -*-===//
//
// A score that is a product of features, of factors of the query or of the key,
// and of decays D(q, k) = exp(u(q) + w(k)): what each of them is at a place.
// docs/stages/halide.md says what they are needed for.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_KERNEL_CHUNKFACTORS_H
#define ATTNC_LIB_CODEGEN_HALIDE_KERNEL_CHUNKFACTORS_H

#include "Formula.h"

#include "attnc/Analysis/Kernel/ScoreFactors.h"

namespace attnc::halide {

/// Where a factor is asked for: a row and a key of the tensors, and a feature
/// where each has factors of its own. Of 32 bits.
struct FactorPlace {
  Ex row, key, feature = {};
};

/// What the writer of a kernel knows of the arguments of its regions.
struct FactorArguments {
  Builder &b;
  Tensors &tensors;
  attn::KernelOp kernel;
  llvm::SmallVector<Ex> head; // b, h, g
  /// Element `number` of a region of `pairs`: rows of queries and keys in turn.
  std::function<mlir::FailureOr<Ex>(unsigned number, const FactorPlace &)>
      element;
};

/// The factors that the value of a region, `score` or of `pairs`, is the
/// product of.
class RegionFactors {
public:
  using Result = mlir::FailureOr<Ex>;
  /// The arguments of the region begin with elements of `rows` rows of queries
  /// and keys.
  RegionFactors(mlir::Region &region, unsigned rows,
                const ScoreFactors::Product &factors,
                const FactorArguments &arguments)
      : region(region), rows(rows), factors(factors), arguments(arguments),
        b(arguments.b) {}

  bool hasDecays() const { return !factors.decays.empty(); }
  bool hasKeyFactors() const { return hasDecays() || !factors.ofKey.empty(); }
  /// Of each decay, in their order, what `ratio` measures it by: its exponent
  /// at a place, or its value if it has none.
  mlir::FailureOr<llvm::SmallVector<Ex>> anchors(const FactorPlace &from);
  /// D at a place over D at another with the same key, whose `anchors` these
  /// are. NaN for more than 2^20: then that is a bad one to measure from.
  Result ratio(const FactorPlace &to, llvm::ArrayRef<Ex> anchors);
  Result ratio(const FactorPlace &to, const FactorPlace &from);
  /// The decays and the factors of the key. NaN for decays of more than 2^20.
  Result ofKey(const FactorPlace &at);
  /// `product` times the factors of the query.
  Result ofQuery(const FactorPlace &at, Ex product);

private:
  Result value(mlir::Value value, const FactorPlace &at);
  Result times(Ex product, const ScoreFactors::Factor &factor,
               const FactorPlace &at);
  Ex bounded(Ex decay);
  Ex one() { return b.real(1, accumulate()); }
  ScalarType accumulate() const;

  mlir::Region &region;
  unsigned rows;
  const ScoreFactors::Product &factors;
  const FactorArguments &arguments;
  Builder &b;
};

/// Values of the region `mask` at a row and a key.
mlir::FailureOr<Ex> maskValue(const FactorArguments &arguments,
                              mlir::Value value, Ex row, Ex key);

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_KERNEL_CHUNKFACTORS_H
