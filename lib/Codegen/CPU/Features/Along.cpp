//===- Along.cpp - Scores with features in the lanes ----------------------===//
//
// A few queries fill few lanes, and reading K and V one element at a time takes
// longer than memory does. With `mapping = features` a vector of K or V is
// loaded once and multiplied with R = `feature_rows` queries:
//
//   scores   sum[query][key] += Q[query][d ..] * K[key][d ..]    for all d
//            s[key][lane = query] = sum of the lanes of sum[query][key]
//   values   O[query][e ..] += broadcast(P[key][query]) * V[key][e ..]
//                                                            for all keys
//
// Queries are lanes before and after: the sums of a key's scores come out as
// one vector, and squares of O are transposed in registers, once per tile of
// keys. So everything but the products is the same in both mappings. Q is
// copied to scratch as rows, once per block.
//
// More than R queries take several passes over the same rows, as many as the
// block has queries.
//
// The copy of Q has the order in which rows of K are loaded (RowOrder.h). A
// dot-product unit takes pairs of features of both.
// Tests: test/Codegen/CPU/features.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Bf16Ops.h"
#include "Emit/Emitter.h"
#include "Features/RowOrder.h"

#include "attnc/Target/RegisterTile.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {

/// Whether the operand with the queries is the same for all tiles of keys.
static bool isFromOutside(tile::DotOp dot) {
  return isa<tile::ForOp>(dot->getParentOp()) &&
         queriesOf(dot).getParentBlock() != dot->getBlock();
}

/// Runs `pass` for each `feature_rows` queries that the block has.
SmallVector<Value> Emitter::forEachPass(
    ValueRange carried,
    llvm::function_ref<SmallVector<Value>(Value query, ValueRange)> pass) {
  Value end = queries ? queries : ops.index(lanes());
  return ops.loop(ops.index(0), end, plan.featureRows, carried, pass);
}

/// `count` adjacent elements of a row, and zeros.
Value Emitter::loadFeatures(const Rows &from, Value pointer, int64_t count) {
  return convertRow(
      loadElements(ops, lanes(), memoryType(from.element), pointer, count),
      from.element, accumulator());
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Copies the queries of a dot to scratch as rows, with zeros at their ends.
void Emitter::copyQueryRows(tile::DotOp dot) {
  Value tile = queriesOf(dot);
  auto sum = StringAttr::get(dot.getContext(), dot.getSum());
  int64_t columns = *cast<tile::TileType>(tile.getType()).getDimSize(sum);
  Item along{ItemKind::Nest, {}, {true, sum, columns}};
  const Slot &slot = plan.queryRows.find(tile)->second;
  Type element = accumulator();
  unsigned bytes = memoryBytes(element);
  Value start = ops.address(scratch, ops.getI8Type(), ops.index(slot.offset));
  RowOrder order = rowOrderOf(dot, plan);
  /// A vector of each query: features of vector `v` from `column` on.
  auto rowsOfQueries = [&](Value column, int64_t count, int64_t v) {
    Granule granule(along, {ops.index(0), 1}, column, count);
    SmallVector<Value> square;
    for (int64_t i = 0; i < lanes(); ++i) {
      int64_t feature = featureAt(order, v, i, lanes(), count);
      square.push_back(feature < count
                           ? this->element(granule, tile, feature, 0)
                           : ops.zero(laneVector(element)));
    }
    return transpose(std::move(square));
  };
  auto store = [&](ArrayRef<Value> vectors, Value first) {
    for (auto [row, value] : llvm::enumerate(vectors)) {
      Value place = ops.add(first, int64_t(row) * slot.stride);
      ops.store(value, ops.address(start, element, place), bytes * lanes());
    }
  };
  auto copySquares = [&](Value column, int64_t count) {
    if (order == RowOrder::Pairs && count == 2 * lanes()) {
      SmallVector<Value> low = rowsOfQueries(column, count, 0),
                         high = rowsOfQueries(column, count, 1);
      for (auto [first, second] : llvm::zip_equal(low, high))
        first = joinPairs(ops, first, second);
      return store(low, column);
    }
    for (int64_t v = 0; v * lanes() < count; ++v)
      store(rowsOfQueries(column, count, v), ops.add(column, v * lanes()));
  };
  int64_t width = order == RowOrder::Plain ? lanes() : 2 * lanes();
  int64_t whole = columns / width * width;
  ops.loop(ops.index(0), ops.index(whole), width,
           [&](Value column) { copySquares(column, width); });
  if (whole < columns)
    copySquares(ops.index(whole), columns - whole);
}

/// Before a loop: the queries of its products.
void Emitter::copyQueryRowsOf(tile::ForOp loop) {
  llvm::SmallDenseSet<Value> copied;
  for (auto dot : loop.getBody().front().getOps<tile::DotOp>())
    if (featureFormOf(dot, plan) == FeatureForm::Along && isFromOutside(dot) &&
        copied.insert(queriesOf(dot)).second)
      copyQueryRows(dot);
}

/// In its nest: those that its own block computes.
void Emitter::copyOwnQueryRows(const Item &item) {
  for (Operation *op : item.ops)
    if (auto dot = dyn_cast<tile::DotOp>(op))
      if (featureFormOf(dot, plan) == FeatureForm::Along && !isFromOutside(dot))
        copyQueryRows(dot);
}

/// Lane i of the result is the sum of the lanes of vector i. Halves are added
/// in rounds, first within 128 bits, where shuffles are cheap.
Value Emitter::sumsOfLanes(SmallVector<Value> vectors) {
  int64_t n = lanes();
  int64_t group =
      std::min<int64_t>(n, 128 / accumulator().getIntOrFloatBitWidth());
  // Adjacent units within a span are added; those of two vectors are packed.
  auto fold = [&](int64_t unit, int64_t span) {
    SmallVector<int64_t> even, odd;
    for (int64_t base = 0; base < n; base += span)
      for (int64_t of : {int64_t(0), n})
        for (int64_t at = 0; at < span; at += 2 * unit)
          for (int64_t i = 0; i < unit; ++i) {
            even.push_back(of + base + at + i);
            odd.push_back(of + base + at + unit + i);
          }
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < vectors.size(); i += 2) {
      Value a = vectors[i], b = vectors[i + 1];
      next.push_back(arith::AddFOp::create(
          ops, ops.loc, vector::ShuffleOp::create(ops, ops.loc, a, b, even),
          vector::ShuffleOp::create(ops, ops.loc, a, b, odd)));
    }
    vectors = std::move(next);
  };
  for (int64_t width = group; width > 1; width /= 2)
    fold(1, group);
  for (int64_t groups = n / group; groups > 1; groups /= 2)
    fold(group, n);
  return vectors.front();
}

/// The scores of each key, repeated in all lanes, from the vectors whose lanes
/// add up to them, all queries of the first key first. Keys share the additions
/// of one vector.
SmallVector<Value> Emitter::scoresOfKeys(ArrayRef<Value> terms) {
  int64_t rows = plan.featureRows, n = lanes();
  SmallVector<Value> scores;
  for (int64_t done = 0; done < int64_t(terms.size()); done += n) {
    ArrayRef<Value> some = terms.drop_front(done).take_front(n);
    SmallVector<Value> vectors;
    for (int64_t lane = 0; lane < n; ++lane)
      vectors.push_back(some[lane % some.size()]);
    Value sums = sumsOfLanes(std::move(vectors));
    for (int64_t first = 0; first < int64_t(some.size()); first += rows) {
      SmallVector<int64_t> from;
      for (int64_t lane = 0; lane < n; ++lane)
        from.push_back(first + lane % rows);
      scores.push_back(
          int64_t(some.size()) == rows
              ? sums
              : vector::ShuffleOp::create(ops, ops.loc, sums, sums, from));
    }
  }
  return scores;
}

/// Which lanes are queries of the pass that starts at `query`.
Value Emitter::lanesOfPass(Value query) {
  SmallVector<int32_t> passes;
  for (int64_t lane = 0; lane < lanes(); ++lane)
    passes.push_back(int32_t(lane / plan.featureRows * plan.featureRows));
  Value first = ops.createOrFold<arith::TruncIOp>(ops.loc, ops.getI32Type(),
                                                  ops.toI64(query));
  return ops.compare(
      arith::CmpIPredicate::eq,
      arith::ConstantOp::create(ops, ops.loc, ops.getI32VectorAttr(passes)),
      ops.broadcast(first, lanes()));
}

/// For `feature_rows` queries from `firstQuery` on and one key per pointer: the
/// vectors whose lanes add up to the scores, all keys of the first query first.
SmallVector<Value> Emitter::productsOfKeys(tile::DotOp dot,
                                           ArrayRef<Value> pointers,
                                           Value firstQuery,
                                           const Granule &keysAt) {
  const Rows &from = rows.find(rowsOf(dot))->second;
  const Slot &slot = plan.queryRows.find(queriesOf(dot))->second;
  int64_t columns =
      *cast<tile::TileType>(queriesOf(dot).getType()).getDimSize(dot.getSum());
  int64_t n = lanes(), keys = pointers.size();
  RowOrder order = rowOrderOf(dot, plan);
  int64_t width = order == RowOrder::Plain ? n : 2 * n,
          whole = columns / width * width;
  int64_t unroll = isCold ? 1 : kFeatureSteps * n / width;
  int64_t turn = width * unroll, turns = whole / turn;
  Type element = accumulator();
  Value start = ops.address(scratch, ops.getI8Type(), ops.index(slot.offset));
  auto multiply = [&](Value column, ArrayRef<Value> loaded,
                      ValueRange carried) {
    SmallVector<Value> next(carried);
    Type type = loaded.front().getType();
    bool arePairs = type != laneVector(element);
    for (int64_t r = 0; r < plan.featureRows; ++r) {
      Value place =
          ops.add(ops.mul(ops.add(firstQuery, r), slot.stride), column);
      Value query = ops.load(type, ops.address(start, element, place),
                             memoryBytes(element) * n);
      for (int64_t key = 0; key < keys; ++key) {
        Value &sum = next[r * keys + key];
        sum = arePairs ? multiplyPairs(ops, sum, loaded[key], query)
                       : vector::FMAOp::create(ops, ops.loc, loaded[key], query,
                                               sum);
      }
    }
    return next;
  };
  auto addColumns = [&](Value column, int64_t count, ValueRange carried) {
    SmallVector<Value> first, second;
    for (Value pointer : pointers) {
      Value place = ops.address(pointer, memoryType(from.element), column);
      if (count <= n) {
        first.push_back(loadFeatures(from, place, count));
        continue;
      }
      Value loaded = loadPairs(ops, n, place);
      if (order == RowOrder::Pairs) {
        first.push_back(loaded);
        continue;
      }
      auto [low, high] = splitPairs(ops, loaded);
      first.push_back(low);
      second.push_back(high);
    }
    SmallVector<Value> next = multiply(column, first, carried);
    return second.empty() ? next : multiply(ops.add(column, n), second, next);
  };
  std::optional<Streams> streams = streamsOf(dot);
  int64_t groups = llvm::divideCeil(keysAt.item.space.size, keys);
  Value group = ops.floorDiv(keysAt.start, keys);
  auto addSteps = [&](Value column, int64_t steps, ValueRange carried) {
    SmallVector<Value> next(carried);
    for (int64_t i = 0; i < steps; ++i) {
      next = addColumns(ops.add(column, i * width), width, next);
      if (streams && steps == unroll)
        fetchStreams(*streams,
                     ops.add(ops.mul(group, turns), ops.floorDiv(column, turn)),
                     groups * turns, i, steps);
    }
    return next;
  };
  SmallVector<Value> sums(plan.featureRows * keys,
                          ops.zero(laneVector(element)));
  sums = ops.loop(ops.index(0), ops.index(turns * turn), turn, sums,
                  [&](Value column, ValueRange carried) {
                    if (!streams)
                      fetchNextRows(keysAt, dot, ops.floorDiv(column, turn),
                                    turns);
                    return addSteps(column, unroll, carried);
                  });
  if (!turns && streams)
    fetchStreams(*streams, group, groups, 0, 1);
  else if (!turns)
    fetchNextRows(keysAt, dot, {}, 1);
  sums =
      addSteps(ops.index(turns * turn), (whole - turns * turn) / width, sums);
  for (int64_t column = whole; column < columns; column += n)
    sums = addColumns(ops.index(column), std::min(n, columns - column), sums);
  return sums;
}

/// Keys of so many bytes that are multiplied at once: as many as the latency of
/// multiply-adds needs, and more while they are few lines. Caches fetch ahead
/// best what is read in the order of memory.
static int64_t keysAtOnce(int64_t bytes, int64_t queries,
                          const CpuTraits &traits) {
  constexpr int64_t kBytes = 1024;
  int64_t keys = keysInFlight(queries, traits);
  while (2 * keys * bytes <= kBytes)
    keys *= 2;
  return std::min(keys, featureVectors(queries, traits));
}

void Emitter::emitAlongFeatures(Granule &granule, tile::DotOp dot) {
  const Rows &from = rows.find(rowsOf(dot))->second;
  Value extent = granule.inside ? Value()
                                : extentOf(granule.item.space.dim,
                                           granule.item.space.size);
  int64_t width = featureVectors(plan.featureRows, traits());
  int64_t columns =
      *cast<tile::TileType>(rowsOf(dot).getType()).getDimSize(dot.getSum());
  int64_t bits = memoryType(from.element).getIntOrFloatBitWidth();
  int64_t step = keysAtOnce(columns * bits / 8, plan.featureRows, traits());
  // The scores of a pass in its lanes, repeated in the lanes of others.
  auto sumsOfKeys = [&](ArrayRef<Value> pointers, Value query,
                        const Granule &part) {
    SmallVector<Value> scores, terms;
    for (int64_t first = 0; first < part.rows; first += step) {
      int64_t keys = std::min(step, part.rows - first);
      Granule few(part.item, part.window, ops.add(part.start, first), keys);
      SmallVector<Value> products =
          productsOfKeys(dot, pointers.slice(first, keys), query, few);
      for (int64_t key = 0; key < keys; ++key)
        for (int64_t r = 0; r < plan.featureRows; ++r)
          terms.push_back(products[r * keys + key]);
      bool isLast = first + keys == part.rows;
      if (isLast || int64_t(terms.size()) + step * plan.featureRows > lanes()) {
        llvm::append_range(scores, scoresOfKeys(terms));
        terms.clear();
      }
    }
    return scores;
  };
  SmallVector<Value> results;
  for (int64_t first = 0; first < granule.rows; first += width) {
    int64_t end = std::min(first + width, granule.rows);
    Granule part(granule.item, granule.window, ops.add(granule.start, first),
                 end - first);
    SmallVector<Value> pointers;
    for (int64_t row = first; row < end; ++row) {
      Value key = ops.add(granule.start, row);
      if (extent) // rows past the end are not read
        key = ops.min(key, ops.sub(extent, ops.index(1)));
      pointers.push_back(rowAddress(from, key));
    }
    SmallVector<Value> none(pointers.size(),
                            ops.zero(laneVector(accumulator())));
    SmallVector<Value> scores =
        forEachPass(none, [&](Value query, ValueRange others) {
          SmallVector<Value> sums = sumsOfKeys(pointers, query, part);
          Value isOwn = lanesOfPass(query);
          for (auto [sum, other] : llvm::zip_equal(sums, others))
            sum = ops.select(isOwn, sum, other);
          return sums;
        });
    llvm::append_range(results, scores);
  }
  if (dot.getAcc())
    for (auto [row, score] : llvm::enumerate(results))
      score = arith::AddFOp::create(ops, ops.loc, score,
                                    element(granule, dot.getAcc(), row, 0));
  granule.registers[dot.getResult()] = std::move(results);
}

} // namespace attnc::cpu
