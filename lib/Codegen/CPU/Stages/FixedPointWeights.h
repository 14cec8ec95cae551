//===- FixedPointWeights.h - Weights as powers of two -----------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_STAGES_FIXEDPOINTWEIGHTS_H
#define ATTNC_LIB_CODEGEN_CPU_STAGES_FIXEDPOINTWEIGHTS_H

#include "Emit/Emitter.h"
#include "Stages/FractionTable.h"

namespace attnc::cpu {

/// Writes the weights of one tile next to products.
class FixedPointWeights {
public:
  using Plan = SteadyMaximum::FixedPoint;
  FixedPointWeights(Emitter &emitter, const Plan &plan, Window window);

  /// Whether it emits an op of the nest that has results for each score.
  bool makes(mlir::Operation *op) const {
    return op == plan.weights || op == plan.rounded || isTanh(op);
  }
  /// Emits such an op for a granule, or returns false. `numbers` is an OR of
  /// all numbers so far.
  bool emit(Granule &granule, mlir::Operation *op, Value &numbers);
  /// Adds the weights of the granule to the sum of each vector.
  void addWeights(mlir::MutableArrayRef<Value> sums);

  /// What `numbers` starts from, and the result of the nest.
  Value firstNumbers();
  void setNumbers(Value value) { numbers = value; }

  /// Lanes with a score that is not a number, or 129 powers of two above its
  /// maximum: weights of the tile are useless.
  Value hasUseless();
  /// Lanes whose maximum leaves no bits for fractions, or is infinite.
  Value isTooLarge(Value maximum);

private:
  /// Numbers in one power of two.
  static constexpr double kUnits = Plan::units;

  bool isTanh(mlir::Operation *op) const {
    return plan.tanh && op == plan.tanh->map;
  }
  void emitTanh(Granule &granule, Value &numbers);
  Value words(int64_t bits);
  Value numberOf(Granule &granule, int64_t row, int64_t vector);
  Value atLeast(Value number);
  SmallVector<Value> numbersOf(Granule &granule);
  Value weightsOf(Value low, Value high);
  void emitWeights(Granule &granule, Value &numbers);
  void storeWeights(const Granule &granule);

  Emitter &emitter;
  Ops &ops;
  const Plan &plan;
  SmallVector<Value> starts;  // of each vector: the number of a score of 0
  SmallVector<Value> factors; // of scores, by row and vector (RangedTanh.cpp)
  SmallVector<Value> pairs;   // weights of the granule, by pair and vector
  Value numbers;
};

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_STAGES_FIXEDPOINTWEIGHTS_H
