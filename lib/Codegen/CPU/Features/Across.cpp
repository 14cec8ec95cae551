//===- Across.cpp - Values with features in the lanes ---------------------===//
//
// The second product of Along.cpp:
//
//   O[query][e ..] += broadcast(P[key][query]) * V[key][e ..]     for all keys
//
// A dot-product unit takes two keys at once: the rows of both are interleaved
// in registers, weights are stored as such pairs (StorePairs.cpp).
//
//   O[query][e ..] += broadcast(P[key .. key + 1][query]) *
//                     zip(V[key][e ..], V[key + 1][e ..])
//
// Sums are transposed in squares before and after, in the order of the vectors
// (RowOrder.h): of at most R queries only R lanes.
// Tests: test/Codegen/CPU/features.mlir, test/Codegen/CPU/Emit/few-sums.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Bf16Ops.h"
#include "Emit/Emitter.h"
#include "Features/RowOrder.h"

#include "attnc/Target/RegisterTile.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {

/// Adds weighted values to the sums of a register tile.
class ValueSums {
public:
  /// `columns` features from `first` on, for the queries from `firstQuery` on.
  ValueSums(Emitter &emitter, Granule &granule, tile::DotOp dot, Value first,
            int64_t columns, Value firstQuery)
      : emitter(emitter), ops(emitter.ops), granule(granule), dot(dot),
        from(emitter.rows.find(rowsOf(dot))->second), weights(queriesOf(dot)),
        type(cast<tile::TileType>(weights.getType())),
        order(rowOrderOf(dot, emitter.plan)), lanes(emitter.lanes()),
        memory(emitter.memoryType(from.element)), first(first),
        columns(columns), vectors(llvm::divideCeil(columns, lanes)),
        firstQuery(firstQuery) {}

  int64_t keysOfStep() const { return order == RowOrder::Zipped ? 2 : 1; }
  /// The sums and `keysOfStep` keys from `key` on. `isHalf`: there is no second
  /// key.
  SmallVector<Value> add(Value key, ValueRange sums, bool isHalf = false);

private:
  SmallVector<Value> addKey(Value key, ValueRange sums);
  SmallVector<Value> addPair(Value key, ValueRange sums, bool isHalf);
  SmallVector<Value> loadPairOfRows(Value key, bool isHalf);
  Value rowOf(Value key) {
    return ops.address(emitter.rowAddress(from, key), memory, first);
  }

  Emitter &emitter;
  Ops &ops;
  Granule &granule;
  tile::DotOp dot;
  const Rows &from;
  Value weights;
  tile::TileType type;
  RowOrder order;
  int64_t lanes;
  Type memory;
  Value first;
  int64_t columns, vectors;
  Value firstQuery;
};

SmallVector<Value> ValueSums::add(Value key, ValueRange sums, bool isHalf) {
  return order == RowOrder::Zipped ? addPair(key, sums, isHalf)
                                   : addKey(key, sums);
}

SmallVector<Value> ValueSums::addKey(Value key, ValueRange sums) {
  SmallVector<Value> next(sums), loaded;
  Value row = rowOf(key);
  for (int64_t v = 0; v < vectors; ++v) {
    Value place = ops.address(row, memory, ops.index(v * lanes));
    if (order == RowOrder::EvenOdd && (v + 2) * lanes <= columns) {
      llvm::append_range(loaded, splitPairs(ops, loadPairs(ops, lanes, place)));
      ++v;
    } else {
      loaded.push_back(emitter.loadFeatures(
          from, place, std::min(lanes, columns - v * lanes)));
    }
  }
  auto slot = emitter.plan.slots.find(weights);
  Type element = emitter.accumulator();
  Item along{ItemKind::Nest,
             {},
             {true, StringAttr::get(dot.getContext(), dot.getSum()),
              *type.getDimSize(dot.getSum())}};
  Granule at(along, granule.window, key);
  for (int64_t r = 0; r < emitter.plan.featureRows; ++r) {
    Value weight;
    if (slot == emitter.plan.slots.end()) { // a constant
      weight = emitter.element(at, weights, 0, 0);
    } else {
      Value place =
          emitter.slotAddress(slot->second, type, key, granule.window, 0);
      weight = ops.broadcast(
          ops.load(element, ops.address(place, element, ops.add(firstQuery, r)),
                   emitter.memoryBytes(element)),
          lanes);
    }
    for (int64_t v = 0; v < vectors; ++v) {
      Value &sum = next[r * vectors + v];
      sum = vector::FMAOp::create(ops, ops.loc, weight, loaded[v], sum);
    }
  }
  return next;
}

/// The rows of two keys, in pairs of their features.
SmallVector<Value> ValueSums::loadPairOfRows(Value key, bool isHalf) {
  Value row = rowOf(key), second = isHalf ? Value() : rowOf(ops.add(key, 1));
  SmallVector<Value> loaded;
  for (int64_t v = 0; v < vectors;) {
    bool isDouble = (v + 2) * lanes <= columns;
    int64_t count = isDouble ? 2 * lanes : std::min(lanes, columns - v * lanes);
    auto load = [&](Value at) {
      return at ? loadElements(ops, isDouble ? 2 * lanes : lanes, memory,
                               ops.address(at, memory, ops.index(v * lanes)),
                               count)
                : Value();
    };
    llvm::append_range(loaded,
                       zipRows(ops, lanes, count, load(row), load(second)));
    v += isDouble ? 2 : 1;
  }
  return loaded;
}

SmallVector<Value> ValueSums::addPair(Value key, ValueRange sums, bool isHalf) {
  SmallVector<Value> next(sums), loaded = loadPairOfRows(key, isHalf);
  Type i32 = ops.getI32Type();
  Value place =
      emitter.slotAddress(emitter.plan.slots.find(weights)->second, type,
                          ops.floorDiv(key, 2), granule.window, 0);
  for (int64_t r = 0; r < emitter.plan.featureRows; ++r) {
    Value pair =
        ops.load(i32, ops.address(place, i32, ops.add(firstQuery, r)), 4);
    if (isHalf) // the second weight may be anything
      pair =
          arith::AndIOp::create(ops, ops.loc, pair, ops.constant(i32, 0xffff));
    Value weight = ops.broadcast(pair, lanes);
    for (int64_t v = 0; v < vectors; ++v) {
      Value &sum = next[r * vectors + v];
      sum = multiplyPairs(ops, sum, loaded[v], weight);
    }
  }
  return next;
}

/// Adds the weighted values of all keys to `sums`: `columns` features from
/// `first` on, for the queries from `firstQuery` on.
SmallVector<Value> Emitter::addValues(Granule &granule, tile::DotOp dot,
                                      Value first, int64_t columns,
                                      Value firstQuery, ValueRange starts) {
  SmallVector<Value> sums(starts);
  ValueSums values(*this, granule, dot, first, columns, firstQuery);
  auto type = cast<tile::TileType>(queriesOf(dot).getType());
  auto sum = StringAttr::get(dot.getContext(), dot.getSum());
  int64_t size = *type.getDimSize(sum), step = values.keysOfStep();
  if (Value count = extentOf(sum, size)) {
    Value begin = beginOf(sum);
    Value whole = step == 1 ? count : ops.mul(ops.floorDiv(count, step), step);
    sums =
        ops.loop(begin, whole, step, sums, [&](Value key, ValueRange carried) {
          return values.add(key, carried);
        });
    if (step > 1)
      sums =
          ops.loop(whole, count, 1, sums, [&](Value key, ValueRange carried) {
            return values.add(key, carried, /*isHalf=*/true);
          });
    return sums;
  }
  int64_t whole = size / kFeatureSteps * kFeatureSteps;
  int64_t width = featureVectors(plan.featureRows, traits()) * lanes();
  int64_t parts = llvm::divideCeil(granule.item.space.size, width);
  std::optional<Streams> streams = streamsOf(dot);
  Value part = ops.mul(ops.floorDiv(first, width), whole / kFeatureSteps);
  sums = ops.loop(ops.index(0), ops.index(whole), kFeatureSteps, sums,
                  [&](Value key, ValueRange carried) {
                    SmallVector<Value> next(carried);
                    for (int64_t i = 0; i < kFeatureSteps; ++i) {
                      if (i % step == 0)
                        next = values.add(ops.add(key, i), next);
                      if (streams)
                        fetchStreams(
                            *streams,
                            ops.add(part, ops.floorDiv(key, kFeatureSteps)),
                            parts * (whole / kFeatureSteps), i, kFeatureSteps);
                    }
                    return next;
                  });
  for (int64_t key = whole; key < size; key += step)
    sums = values.add(ops.index(key), sums, /*isHalf=*/key + step > size);
  return sums;
}

/// The first `count` lanes of a square, joined in as many vectors: transposed,
/// they are the first rows of the transposed square.
static SmallVector<Value> joinLanes(Ops &ops, ArrayRef<Value> square,
                                    int64_t count) {
  int64_t n = square.size();
  SmallVector<Value> joined;
  for (int64_t first = 0; first < count; ++first) {
    SmallVector<Value> parts;
    for (int64_t i = first; i < n; i += count)
      parts.push_back(square[i]);
    for (int64_t length = count; parts.size() > 1; length *= 2) {
      SmallVector<int64_t> lanes(n, vector::ShuffleOp::kPoisonIndex);
      for (int64_t lane = 0; lane < length; ++lane) {
        lanes[lane] = lane;
        lanes[length + lane] = n + lane;
      }
      SmallVector<Value> next;
      for (size_t i = 0; i < parts.size(); i += 2)
        next.push_back(vector::ShuffleOp::create(ops, ops.loc, parts[i],
                                                 parts[i + 1], lanes));
      parts = std::move(next);
    }
    joined.push_back(parts[0]);
  }
  return joined;
}

/// The square of which joinLanes() makes these vectors; the other lanes repeat
/// the first ones.
static SmallVector<Value> splitLanes(Ops &ops, ArrayRef<Value> joined) {
  int64_t count = joined.size();
  int64_t n = cast<VectorType>(joined[0].getType()).getNumElements();
  SmallVector<Value> square;
  for (int64_t i = 0; i < n; ++i) {
    SmallVector<int64_t> from;
    for (int64_t lane = 0; lane < n; ++lane)
      from.push_back(i / count * count + lane % count);
    Value part = joined[i % count];
    square.push_back(vector::ShuffleOp::create(ops, ops.loc, part, part, from));
  }
  return square;
}

void Emitter::emitAcrossFeatures(Granule &granule, tile::DotOp dot) {
  int64_t n = lanes(), width = featureVectors(plan.featureRows, traits()) * n;
  Type element = accumulator();
  VectorType type = laneVector(element);
  unsigned alignment = memoryBytes(element) * n;
  Value start =
      ops.address(scratch, ops.getI8Type(), ops.index(plan.featureSums));
  auto addressOf = [&](Value query, int64_t v) {
    return ops.address(start, element, ops.add(ops.mul(query, width), v * n));
  };
  RowOrder order = rowOrderOf(dot, plan);
  SmallVector<Value> results(granule.rows);
  for (int64_t first = 0; first < granule.rows; first += width) {
    int64_t columns = std::min(width, granule.rows - first);
    int64_t vectors = llvm::divideCeil(columns, n);
    auto featureOf = [&](int64_t v, int64_t lane) {
      return featureAt(order, v, lane, n, columns);
    };
    auto squareBefore = [&](int64_t v) {
      SmallVector<Value> square(n, ops.zero(type));
      for (int64_t i = 0; i < n && dot.getAcc(); ++i)
        if (int64_t feature = featureOf(v, i); feature < columns)
          square[i] = this->element(granule, dot.getAcc(), first + feature, 0);
      return square;
    };
    auto setResults = [&](int64_t v, ArrayRef<Value> square) {
      for (auto [i, value] : llvm::enumerate(square))
        if (int64_t feature = featureOf(v, i); feature < columns)
          results[first + feature] = value;
    };
    if (isFew) { // one pass, whose sums stay in registers
      int64_t count = plan.featureRows;
      SmallVector<Value> sums(count * vectors);
      for (int64_t v = 0; v < vectors; ++v)
        for (auto [r, row] :
             llvm::enumerate(transpose(joinLanes(ops, squareBefore(v), count))))
          sums[r * vectors + v] = row;
      sums = addValues(granule, dot, ops.add(granule.start, first), columns,
                       ops.index(0), sums);
      for (int64_t v = 0; v < vectors; ++v) {
        SmallVector<Value> rows;
        for (int64_t r = 0; r < count; ++r)
          rows.push_back(sums[r * vectors + v]);
        setResults(v, splitLanes(ops, transpose(std::move(rows))));
      }
      continue;
    }
    for (int64_t v = 0; v < vectors; ++v)
      for (auto [query, sum] : llvm::enumerate(transpose(squareBefore(v))))
        ops.store(sum, addressOf(ops.index(int64_t(query)), v), alignment);
    forEachPass({}, [&](Value query, ValueRange) {
      SmallVector<Value> sums;
      for (int64_t r = 0; r < plan.featureRows; ++r)
        for (int64_t v = 0; v < vectors; ++v)
          sums.push_back(
              ops.load(type, addressOf(ops.add(query, r), v), alignment));
      sums = addValues(granule, dot, ops.add(granule.start, first), columns,
                       query, sums);
      for (auto [i, sum] : llvm::enumerate(sums)) {
        Value of = ops.add(query, int64_t(i) / vectors);
        ops.store(sum, addressOf(of, int64_t(i) % vectors), alignment);
      }
      return SmallVector<Value>();
    });
    for (int64_t v = 0; v < vectors; ++v) {
      SmallVector<Value> square;
      for (int64_t query = 0; query < n; ++query)
        square.push_back(
            ops.load(type, addressOf(ops.index(query), v), alignment));
      setResults(v, transpose(std::move(square)));
    }
  }
  granule.registers[dot.getResult()] = std::move(results);
}

} // namespace attnc::cpu
