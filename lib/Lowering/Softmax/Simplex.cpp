//===- Simplex.cpp - Find the threshold of sparsemax ----------------------===//
//
// The t with sum of max(s - t, 0) = 1 over the keys of a row. With u = s - max,
// t - max lies in [-1, 0), and the sum falls as t grows, so each pass over the
// keys finds in which sixteenth of the interval it lies:
//
//   one pass:   m = row max of s
//   six passes (f64: thirteen):
//               lo += width * how many of fifteen thresholds sum to >= 1
//   one pass:   t = m + (sum of u - 1) / count, over the u above lo
//
// The last is exact for all keys that lie more than 2^-24 (f64: 2^-52) from the
// threshold; the others weigh less than that. Scores are computed again in each
// pass. Tests: test/Lowering/Softmax/simplex.mlir
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelBlock.h"
#include "Kernel/KeyWalk.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

static constexpr unsigned kThresholds = 15;

namespace {
class Simplex {
public:
  Simplex(OpBuilder &builder, KernelBlock &block)
      : builder(builder), block(block), loc(block.loc),
        query(block.emitQuery(builder)), walk(builder, block) {}

  Value run();

private:
  Value rowMax();
  Value narrow(Value lo, Value width);
  Value finish(Value lo);
  /// Row sums over all keys of what `terms` gives for a tile of u.
  SmallVector<Value>
  sums(unsigned count,
       llvm::function_ref<SmallVector<Value>(OpBuilder &, Value)> terms);
  Value pairs(OpBuilder &b, ValueRange inputs,
              llvm::function_ref<Value(OpBuilder &, ValueRange)> body) {
    return emitMap(b, loc,
                   block.tileType({{"q", block.sizeQ}, {"k", block.sizeK}}),
                   inputs, body);
  }
  Value constant(OpBuilder &b, double value) {
    return emitReal(b, loc, block.accumulate, value);
  }

  OpBuilder &builder;
  KernelBlock &block;
  Location loc;
  Value query;
  KeyWalk walk;
  Value m, shift;
};
} // namespace

Value Simplex::rowMax() {
  Value none = tile::SplatOp::create(builder, loc, block.rowType(),
                                     -std::numeric_limits<double>::infinity());
  return emitLoop(builder, block, walk, none,
                  [&](OpBuilder &b, const KeyTile &keys, ValueRange carried) {
                    Value s = block.emitScores(b, query, keys);
                    return SmallVector<Value>{tile::ReduceOp::create(
                        b, loc, block.rowType(), tile::ReduceKind::Max, s, "k",
                        carried[0])};
                  })[0];
}

SmallVector<Value> Simplex::sums(
    unsigned count,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, Value)> terms) {
  Value zero = tile::SplatOp::create(builder, loc, block.rowType(), 0.0);
  SmallVector<Value> inits(count, zero);
  return emitLoop(
      builder, block, walk, inits,
      [&](OpBuilder &b, const KeyTile &keys, ValueRange carried) {
        Value s = block.emitScores(b, query, keys);
        Value u = pairs(b, {s, shift}, [&](OpBuilder &b, ValueRange x) {
          return arith::SubFOp::create(b, loc, x[0], x[1]).getResult();
        });
        SmallVector<Value> results;
        for (auto [term, sum] : llvm::zip_equal(terms(b, u), carried))
          results.push_back(tile::ReduceOp::create(
              b, loc, block.rowType(), tile::ReduceKind::Add, term, "k", sum));
        return results;
      });
}

/// The lower end of the part of [lo, lo + 16 width) in which t - max lies.
Value Simplex::narrow(Value lo, Value width) {
  SmallVector<Value> above = sums(kThresholds, [&](OpBuilder &b, Value u) {
    SmallVector<Value> terms;
    for (unsigned i = 1; i <= kThresholds; ++i)
      terms.push_back(pairs(b, {u, lo, width}, [&](OpBuilder &b, ValueRange x) {
        Value step = arith::MulFOp::create(b, loc, x[2], constant(b, i));
        Value t = arith::AddFOp::create(b, loc, x[1], step);
        Value d = arith::SubFOp::create(b, loc, x[0], t);
        return arith::MaximumFOp::create(b, loc, d, constant(b, 0)).getResult();
      }));
    return terms;
  });
  above.append({lo, width});
  return emitMap(
      builder, loc, block.rowType(), above, [&](OpBuilder &b, ValueRange x) {
        Value result = x[kThresholds];
        for (Value sum : x.take_front(kThresholds)) {
          Value is = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE,
                                           sum, constant(b, 1));
          Value step =
              arith::SelectOp::create(b, loc, is, x.back(), constant(b, 0));
          result = arith::AddFOp::create(b, loc, result, step);
        }
        return result;
      });
}

Value Simplex::finish(Value lo) {
  // Unordered: a NaN makes the sum one.
  auto isAbove = [&](OpBuilder &b, ValueRange x) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGT, x[0], x[1])
        .getResult();
  };
  SmallVector<Value> above = sums(2, [&](OpBuilder &b, Value u) {
    Value value = pairs(b, {u, lo}, [&](OpBuilder &b, ValueRange x) {
      return arith::SelectOp::create(b, loc, isAbove(b, x), x[0],
                                     constant(b, 0))
          .getResult();
    });
    Value one = pairs(b, {u, lo}, [&](OpBuilder &b, ValueRange x) {
      return arith::SelectOp::create(b, loc, isAbove(b, x), constant(b, 1),
                                     constant(b, 0))
          .getResult();
    });
    return SmallVector<Value>{value, one};
  });
  return emitMap(
      builder, loc, block.rowType(), {m, above[0], above[1]},
      [&](OpBuilder &b, ValueRange x) {
        Value excess = arith::SubFOp::create(b, loc, x[1], constant(b, 1));
        Value mean = arith::DivFOp::create(b, loc, excess, x[2]);
        Value t = arith::AddFOp::create(b, loc, x[0], mean);
        Value none = arith::CmpFOp::create(
            b, loc, arith::CmpFPredicate::OEQ, x[0],
            constant(b, -std::numeric_limits<double>::infinity()));
        return arith::SelectOp::create(b, loc, none, constant(b, 0), t)
            .getResult();
      });
}

Value Simplex::run() {
  m = rowMax();
  shift = block.emitShift(builder, m);
  Value lo = tile::SplatOp::create(builder, loc, block.rowType(), -1.0);
  constexpr double kPart = 1.0 / (kThresholds + 1);
  Value width = tile::SplatOp::create(builder, loc, block.rowType(), kPart);
  unsigned passes = block.accumulate.isF64() ? 13 : 6;
  lo = emitPasses(builder, loc, passes, {lo, width}, [&](ValueRange x) {
    Value next = emitMap(
        builder, loc, block.rowType(), x[1], [&](OpBuilder &b, ValueRange x) {
          return arith::MulFOp::create(b, loc, x[0], constant(b, kPart))
              .getResult();
        });
    return SmallVector<Value>{narrow(x[0], x[1]), next};
  })[0];
  return finish(lo);
}

Value emitSimplex(OpBuilder &builder, KernelBlock &block) {
  return Simplex(builder, block).run();
}

} // namespace attnc::lowering
