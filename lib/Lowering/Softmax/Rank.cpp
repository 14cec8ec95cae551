//===- Rank.cpp - Find the n-th largest score of each row -----------------===//
//
// Floats in order are integers in order once the bits of negative ones are
// turned round. The n-th greatest score is the greatest t with at least n
// scores >= t, and each pass over the keys finds four bits of it:
//
//   8 passes, of f64 16: base += step * how many of the fifteen t = float(base
//                 + i step) have at least n scores >= t; step /= 16
//   one pass:     how many scores are above t, how many equal it
//   if more are equal than are wanted, in the same way the key at which they
//   are enough: 8 passes over scores that equal t at keys <= base + i step
//
// The passes of a kind are turns of one loop, so that their code is there once.
// Scores are computed again in each pass. A NaN counts as above every number.
// Tests: test/Lowering/Softmax/rank.mlir
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelBlock.h"
#include "Kernel/KeyWalk.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;

namespace attnc::lowering {

static constexpr unsigned kKeyPasses = 8, kSteps = 15;
static constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {
class Rank {
public:
  Rank(OpBuilder &builder, KernelBlock &block, int64_t n)
      : builder(builder), block(block), loc(block.loc),
        wanted(static_cast<double>(n)), query(block.emitQuery(builder)),
        walk(builder, block), rowType(block.rowType()),
        placeType(rowType.withElementType(builder.getIndexType())),
        bits(block.accumulate.getIntOrFloatBitWidth()),
        highest(llvm::APFloat::getInf(
                    cast<FloatType>(block.accumulate).getFloatSemantics())
                    .bitcastToAPInt()
                    .getSExtValue()) {}

  RowRank run();

private:
  using Terms = llvm::function_ref<SmallVector<Value>(OpBuilder &, Value,
                                                      const KeyTile &)>;
  SmallVector<Value> count(unsigned number, Terms terms);
  Value one(OpBuilder &b, ValueRange inputs, Value k0,
            llvm::function_ref<Value(OpBuilder &, ValueRange)> condition);
  Value narrowScore(Value base, Value step);
  Value narrowKey(Value base, Value step, Value t, Value missing);
  Value advance(Value base, Value step, ValueRange counts, Value limit,
                arith::CmpFPredicate passes);
  Value narrow(Value base, unsigned passes,
               llvm::function_ref<Value(Value, Value)> pass);
  Value move(OpBuilder &b, Value base, Value distance);
  Value moved(Value base, Value distance);
  Value floatOf(Value base);
  Value searchKey(Value t, Value missing);
  Value lastKey();

  Value constant(OpBuilder &b, double value) {
    return emitReal(b, loc, block.accumulate, value);
  }
  Value place(OpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value row(Type element, ValueRange inputs,
            llvm::function_ref<Value(OpBuilder &, ValueRange)> body) {
    return emitMap(builder, loc, rowType.withElementType(element), inputs,
                   body);
  }
  Value compare(OpBuilder &b, arith::CmpFPredicate predicate, Value x,
                Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }

  OpBuilder &builder;
  KernelBlock &block;
  Location loc;
  double wanted;
  Value query;
  KeyWalk walk;
  tile::TileType rowType, placeType;
  unsigned bits;
  /// The place of inf in the order; that of -inf is -1 - highest.
  int64_t highest;
};
} // namespace

/// Row sums of what `terms` gives for each tile of scores.
SmallVector<Value> Rank::count(unsigned number, Terms terms) {
  Value zero = tile::SplatOp::create(builder, loc, rowType, 0.0);
  SmallVector<Value> inits(number, zero);
  return emitLoop(
      builder, block, walk, inits,
      [&](OpBuilder &b, const KeyTile &keys, ValueRange carried) {
        Value s = block.emitScores(b, query, keys);
        SmallVector<Value> results;
        for (auto [term, sum] : llvm::zip_equal(terms(b, s, keys), carried))
          results.push_back(tile::ReduceOp::create(
              b, loc, rowType, tile::ReduceKind::Add, term, "k", sum));
        return results;
      });
}

/// 1 for each pair where `condition` holds; with `k0` it also gets the key.
Value Rank::one(OpBuilder &b, ValueRange inputs, Value k0,
                llvm::function_ref<Value(OpBuilder &, ValueRange)> condition) {
  tile::TileType pairs =
      block.tileType({{"q", block.sizeQ}, {"k", block.sizeK}});
  SmallVector<std::pair<StringRef, Value>, 1> at;
  if (k0)
    at.push_back({"k", k0});
  return tile::MapOp::create(
      b, loc, pairs, inputs, at, [&](OpBuilder &b, Location, ValueRange x) {
        return arith::SelectOp::create(b, loc, condition(b, x), constant(b, 1),
                                       constant(b, 0))
            .getResult();
      });
}

/// The place at `distance` behind `base`, at most that of infinity.
Value Rank::move(OpBuilder &b, Value base, Value distance) {
  Value last = arith::SubIOp::create(b, loc, place(b, highest), distance);
  Value beyond =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, base, last);
  Value sum = arith::AddIOp::create(b, loc, base, distance);
  return arith::SelectOp::create(b, loc, beyond, place(b, highest), sum);
}

Value Rank::moved(Value base, Value distance) {
  return row(builder.getIndexType(), {base, distance},
             [&](OpBuilder &b, ValueRange x) { return move(b, x[0], x[1]); });
}

/// The float at a place of the order: places from 0 are bits, those below 0 are
/// bits of the size, counted down.
Value Rank::floatOf(Value base) {
  return row(block.accumulate, base, [&](OpBuilder &b, ValueRange x) {
    Value at = x[0];
    Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at,
                                        place(b, 0));
    Value down = arith::SubIOp::create(b, loc, place(b, -1), at);
    Value place = arith::SelectOp::create(b, loc, below, down, at);
    Value word = arith::IndexCastOp::create(b, loc, b.getI64Type(), place);
    if (bits < 64)
      word = arith::TruncIOp::create(b, loc, b.getIntegerType(bits), word);
    Value size = arith::BitcastOp::create(b, loc, block.accumulate, word);
    Value negative = arith::NegFOp::create(b, loc, size);
    return arith::SelectOp::create(b, loc, below, negative, size).getResult();
  });
}

/// base + step * how many of the counts pass, which they do in falling order.
Value Rank::advance(Value base, Value step, ValueRange counts, Value limit,
                    arith::CmpFPredicate passes) {
  SmallVector<Value> inputs(counts);
  inputs.append({base, step});
  if (limit)
    inputs.push_back(limit);
  return row(builder.getIndexType(), inputs, [&](OpBuilder &b, ValueRange x) {
    Value least = limit ? x.back() : constant(b, wanted);
    Value at = x[counts.size()], distance = x[counts.size() + 1];
    for (Value number : x.take_front(counts.size()))
      at = arith::SelectOp::create(b, loc, compare(b, passes, number, least),
                                   move(b, at, distance), at);
    return at;
  });
}

/// From `base` on in so many passes, the last of which goes by single places.
Value Rank::narrow(Value base, unsigned passes,
                   llvm::function_ref<Value(Value, Value)> pass) {
  Value step = row(builder.getIndexType(), base, [&](OpBuilder &b, ValueRange) {
    return place(b, INT64_C(1) << (4 * (passes - 1)));
  });
  return emitPasses(builder, loc, passes, {base, step}, [&](ValueRange x) {
    Value next =
        row(builder.getIndexType(), x[1], [&](OpBuilder &b, ValueRange x) {
          return arith::FloorDivSIOp::create(b, loc, x[0], place(b, kSteps + 1))
              .getResult();
        });
    return SmallVector<Value>{pass(x[0], x[1]), next};
  })[0];
}

Value Rank::narrowScore(Value base, Value step) {
  SmallVector<Value> thresholds;
  Value at = base;
  for (unsigned i = 0; i < kSteps; ++i) {
    at = moved(at, step);
    thresholds.push_back(floatOf(at));
  }
  SmallVector<Value> counts =
      count(kSteps, [&](OpBuilder &b, Value s, const KeyTile &) {
        SmallVector<Value> terms;
        for (Value t : thresholds)
          terms.push_back(one(b, {s, t}, {}, [&](OpBuilder &b, ValueRange x) {
            return compare(b, arith::CmpFPredicate::UGE, x[0], x[1]);
          }));
        return terms;
      });
  return advance(base, step, counts, {}, arith::CmpFPredicate::OGE);
}

/// As long as the keys up to a place hold less than what is missing.
Value Rank::narrowKey(Value base, Value step, Value t, Value missing) {
  SmallVector<Value> ends;
  for (unsigned i = 0; i < kSteps; ++i)
    ends.push_back(moved(i == 0 ? base : ends.back(), step));
  SmallVector<Value> counts =
      count(kSteps, [&](OpBuilder &b, Value s, const KeyTile &keys) {
        SmallVector<Value> terms;
        for (Value end : ends)
          terms.push_back(
              one(b, {s, t, end}, keys.k0, [&](OpBuilder &b, ValueRange x) {
                Value before = arith::CmpIOp::create(
                    b, loc, arith::CmpIPredicate::sle, x[3], x[2]);
                Value equal = compare(b, arith::CmpFPredicate::OEQ, x[0], x[1]);
                return arith::AndIOp::create(b, loc, equal, before).getResult();
              }));
        return terms;
      });
  return advance(base, step, counts, missing, arith::CmpFPredicate::OLT);
}

Value Rank::lastKey() {
  Value zero = tile::SplatOp::create(builder, loc, rowType, 0.0);
  return row(builder.getIndexType(), zero, [&](OpBuilder &b, ValueRange) {
    return arith::SubIOp::create(b, loc, block.kvLen, place(b, 1)).getResult();
  });
}

/// The key at which the scores that equal t are as many as are missing.
Value Rank::searchKey(Value t, Value missing) {
  Value base = row(builder.getIndexType(), t,
                   [&](OpBuilder &b, ValueRange) { return place(b, -1); });
  base = narrow(base, kKeyPasses, [&](Value base, Value step) {
    return narrowKey(base, step, t, missing);
  });
  return row(builder.getIndexType(), base, [&](OpBuilder &b, ValueRange x) {
    return arith::AddIOp::create(b, loc, x[0], place(b, 1)).getResult();
  });
}

RowRank Rank::run() {
  Value zero = tile::SplatOp::create(builder, loc, rowType, 0.0);
  Value base = row(builder.getIndexType(), zero, [&](OpBuilder &b, ValueRange) {
    return place(b, -1 - highest);
  });
  base = narrow(base, bits / 4, [&](Value base, Value step) {
    return narrowScore(base, step);
  });
  Value t = floatOf(base);
  SmallVector<Value> counts = count(3, [&](OpBuilder &b, Value s,
                                           const KeyTile &) {
    auto where = [&](arith::CmpFPredicate predicate) {
      return one(b, {s, t}, {}, [&](OpBuilder &b, ValueRange x) {
        return compare(b, predicate, x[0],
                       predicate == arith::CmpFPredicate::UNO ? x[0] : x[1]);
      });
    };
    return SmallVector<Value>{where(arith::CmpFPredicate::UGT),
                              where(arith::CmpFPredicate::OEQ),
                              where(arith::CmpFPredicate::UNO)};
  });
  Value missing =
      row(block.accumulate, counts[0], [&](OpBuilder &b, ValueRange x) {
        return arith::SubFOp::create(b, loc, constant(b, wanted), x[0])
            .getResult();
      });
  // NaN where a choice among equal scores is to be made; -inf needs none.
  Value tied =
      row(block.accumulate, {counts[1], missing, t},
          [&](OpBuilder &b, ValueRange x) {
            Value more = compare(b, arith::CmpFPredicate::OGT, x[0], x[1]);
            Value real = compare(b, arith::CmpFPredicate::OGT, x[2],
                                 constant(b, -kInfinity));
            return arith::SelectOp::create(
                       b, loc, arith::AndIOp::create(b, loc, more, real),
                       constant(b, std::nan("")), constant(b, 0))
                .getResult();
          });
  Value any = tile::AnyNanOp::create(builder, loc, tied, {{"q", block.rows}});
  auto branch = scf::IfOp::create(builder, loc, TypeRange{placeType}, any,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, searchKey(t, missing));
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, lastKey());
  }
  Value score =
      row(block.accumulate, {t, counts[2]}, [&](OpBuilder &b, ValueRange x) {
        Value isNan =
            compare(b, arith::CmpFPredicate::OGE, x[1], constant(b, wanted));
        return arith::SelectOp::create(b, loc, isNan, constant(b, std::nan("")),
                                       x[0])
            .getResult();
      });
  return {score, branch.getResult(0)};
}

RowRank emitRank(OpBuilder &builder, KernelBlock &block, int64_t n) {
  return Rank(builder, block, n).run();
}

} // namespace attnc::lowering
