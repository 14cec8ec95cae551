//===- Residency.h - Find values that all calls share -----------*- C++ -*-===//
//
// Weights are. What is made of weights alone is, too, and where the spec or the
// command line says that they stay, it may be made once:
// `NAME_pack_weights`.
//
// Tests: test/Graph/pack-weights.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_COST_RESIDENCY_H
#define ATTNC_ANALYSIS_COST_RESIDENCY_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace attnc {

/// The attribute of a function's argument that is the same for all calls, where
/// the module has no interface that says so.
inline constexpr llvm::StringLiteral kResidentAttr = "attnc.resident";

enum class Residency : uint8_t {
  /// It may differ from call to call.
  None,
  /// Made of inputs of fixed sizes: weights, by all that is known.
  Weights,
  /// The same, of a function with an entry in the interface, so that another
  /// function can be declared that makes it.
  Packable,
  /// The same, and the spec says of all of them that they are `resident`.
  Declared,
};

/// The least of all that `value` is made of.
Residency residencyOf(mlir::Value value);

/// Whether a function that packs weights may make it: declared, or `allowed`
/// by the command line.
inline bool isPacked(Residency residency, bool allowed) {
  return residency == Residency::Declared ||
         (allowed && residency == Residency::Packable);
}

/// Values that `op` reads, those of its regions included.
llvm::SmallVector<mlir::Value> readBy(mlir::Operation *op);

} // namespace attnc

#endif // ATTNC_ANALYSIS_COST_RESIDENCY_H
