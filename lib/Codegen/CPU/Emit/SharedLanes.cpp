//===- SharedLanes.cpp - Rows of few queries in one vector ----------------===//
//
// With four queries a vector of 16 lanes has room for the weights of four keys.
// A function of many instructions, such as exp2, is computed for all of them at
// once:
//
//   row 0: a0 a1 a2 a3 ..    row 1: b0 b1 b2 b3 ..    ...
//   shared: f(a0) f(a1) f(a2) f(a3) f(b0) .. f(d3)
//
// Tests: test/Codegen/CPU/features.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/SharedLanes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {

/// The first `length` lanes of `low` and then those of `high`, again and again.
static Value join(Ops &ops, Value low, Value high, int64_t length) {
  int64_t lanes = cast<VectorType>(low.getType()).getNumElements();
  SmallVector<int64_t> from;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t place = lane % (2 * length);
    from.push_back(place < length ? place : lanes + place - length);
  }
  return vector::ShuffleOp::create(ops, ops.loc, low, high, from);
}

SmallVector<Value> applyToShared(Ops &ops, ArrayRef<Value> rows,
                                 int64_t queries,
                                 llvm::function_ref<Value(Value)> apply) {
  int64_t lanes = cast<VectorType>(rows[0].getType()).getNumElements();
  int64_t room = lanes / queries;
  SmallVector<Value> results;
  while (!rows.empty()) {
    size_t count = std::min<size_t>(room, rows.size());
    count = size_t(1) << llvm::Log2_64(count);
    SmallVector<Value> parts(rows.take_front(count));
    for (int64_t length = queries; parts.size() > 1; length *= 2) {
      SmallVector<Value> joined;
      for (size_t i = 0; i < parts.size(); i += 2)
        joined.push_back(join(ops, parts[i], parts[i + 1], length));
      parts = std::move(joined);
    }
    Value shared = apply(parts[0]);
    for (int64_t row = 0; row < int64_t(count); ++row) {
      SmallVector<int64_t> own;
      for (int64_t lane = 0; lane < lanes; ++lane)
        own.push_back(row * queries + lane % queries);
      results.push_back(
          vector::ShuffleOp::create(ops, ops.loc, shared, shared, own));
    }
    rows = rows.drop_front(count);
  }
  return results;
}

} // namespace attnc::cpu
