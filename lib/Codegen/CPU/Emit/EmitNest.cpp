//===- EmitNest.cpp - One loop nest from one item of the plan -------------===//
//
// A nest goes over its dim in granules: so many rows times the vectors of the
// window, all of whose elements are in registers at once. Reductions are
// carried through the loop in registers.
//
//   for row = 0 to n step R iter_args(maximum of each vector) {
//     R x W registers of the dot                           (EmitDot.cpp)
//     ops in order, on these registers
//     registers that others use -> slots
//   }
//
// A static extent that R does not divide ends with a smaller granule. What
// whole granules leave of a run-time extent is rounded up to granules of fewer
// rows: rows past the end hold what the last row gave until select_masked takes
// them out, and a reduction of tiles that are not masked goes row by row. If
// these granules have as many rows, the whole ones run the same code.
//
// Tests: test/Codegen/CPU/nests.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"
#include "Emit/RegionEmitter.h"
#include "Emit/StagedLoop.h"
#include "Stages/FixedPointWeights.h"

#include "attnc/Target/RegisterTile.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace attnc::cpu {

/// Rows of a register tile that is one vector wide, at most.
static constexpr int64_t kTallest = 16;

/// Maxima that a nest carries for each vector.
static constexpr int64_t kMaximumChains = 4;

/// Rows of a granule beside products of a matrix unit: a pair, unless it reads
/// tables.
static constexpr int64_t kPacedRows = 2;

/// Rows of a register tile of code that rarely runs.
static constexpr int64_t kColdRows = 4;

/// A nest with so many reads of tables is compiled for one vector only.
static constexpr int64_t kManyReads = 4;

/// Rows of a table with an entry per query and row that ReadTransposed.cpp
/// reads at once.
static constexpr int64_t kTransposedRows = 4;

/// Rows and vectors of the register tile of a dot. One whose rows are keys
/// makes scores, however the keys lie in memory: elementwise rows divide its
/// rows.
std::pair<int64_t, int64_t> Emitter::granuleOf(tile::DotOp dot) {
  if (featureFormOf(dot, plan) == FeatureForm::Across)
    return {featureVectors(plan.featureRows, traits()) * lanes(), 1};
  Space space = *spaceOf(cast<tile::TileType>(dot.getResult().getType()));
  bool score = space.dim && space.dim == "k";
  if (score && plan.featureRows)
    return {kKeysOfFew, 1};
  ArrayRef<int64_t> granule =
      score ? target.getScoreGranule() : target.getValueGranule();
  return {granule[0], granule[1]};
}

/// Whether a nest reduces rows past a run-time extent that no select_masked
/// has filled.
bool Emitter::needsExactCount(const Item &item) {
  if (!item.space.dim || !extents.contains(item.space.dim))
    return false;
  for (Operation *op : item.ops) {
    auto reduce = dyn_cast<tile::ReduceOp>(op);
    if (!reduce)
      continue;
    // Back through elementwise ops to a select_masked with this extent.
    SmallVector<Value> open{reduce.getInput()};
    bool masked = false;
    while (!open.empty() && !masked) {
      Operation *def = open.pop_back_val().getDefiningOp();
      if (auto select = dyn_cast_or_null<tile::SelectMaskedOp>(def))
        masked = bool(select.getValidOf(item.space.dim));
      else if (auto map = dyn_cast_or_null<tile::MapOp>(def))
        llvm::append_range(open, map.getInputs());
      else if (auto rescale = dyn_cast_or_null<tile::RescaleOp>(def))
        open.push_back(rescale.getValue());
    }
    if (!masked)
      return true;
  }
  return false;
}

/// Whether a nest outside of loops over keys reads many elements of tables,
/// such as the rotation of Q. Each read is a branch and a loop over lanes (or a
/// gather), so its granules have one vector, and one row unless rows are read
/// together.
bool Emitter::readsMuch(const Item &item) {
  int64_t reads = 0;
  for (Operation *op : item.ops)
    if (auto map = dyn_cast<tile::MapOp>(op))
      reads += llvm::range_size(map.getBody().getOps<tile::ReadOp>());
  return reads >= kManyReads &&
         !isa<tile::ForOp>(item.ops.front()->getParentOp());
}

/// Whether a nest reads tables at its queries and rows.
static bool readsPairs(const Item &item) {
  return llvm::any_of(item.ops, [&](Operation *op) {
    auto map = dyn_cast<tile::MapOp>(op);
    if (!map || map.getBody().getOps<tile::ReadOp>().empty())
      return false;
    auto dims = map.getAtDims().getAsValueRange<StringAttr>();
    return llvm::is_contained(dims, kLaneDim) &&
           llvm::is_contained(dims, item.space.dim.getValue());
  });
}

/// Whether these tables have elements of 16 bits, of which ReadTransposed.cpp
/// loads twice as many rows at once.
static bool readsPairsOf16Bits(const Item &item) {
  if (!readsPairs(item) || item.space.size % (2 * kTransposedRows) != 0)
    return false;
  return llvm::all_of(item.ops, [](Operation *op) {
    auto map = dyn_cast<tile::MapOp>(op);
    return !map || llvm::all_of(map.getBody().getOps<tile::ReadOp>(),
                                [](tile::ReadOp read) {
                                  return read.getBuf()
                                             .getType()
                                             .getElementType()
                                             .getIntOrFloatBitWidth() == 16;
                                });
  });
}

/// Whether the code of a nest for few queries differs: keys share a vector for
/// functions of many instructions, sums of values are transposed in part. With
/// other products it would be too much to have twice.
static bool differsForFew(const Item &item, const Plan &plan) {
  bool differs = false;
  for (Operation *op : item.ops) {
    if (auto dot = dyn_cast<tile::DotOp>(op)) {
      if (featureFormOf(dot, plan) != FeatureForm::Across)
        return false;
      differs = true;
    }
    op->walk([&](Operation *inner) { differs |= isLongFunction(inner); });
  }
  return differs;
}

static int64_t powerOfTwoBelow(int64_t n) {
  return n <= 1 ? 1 : int64_t(1) << llvm::Log2_64(n);
}

/// Rows of a granule of `item` for a window of so many vectors. A window that
/// is narrower than the register tile gets more rows, up to `most`, which keeps
/// the fma units busy, but no more than the tile has; elementwise rows divide
/// the dots' rows.
int64_t Emitter::granuleRows(const Item &item, int64_t vectors, int64_t most) {
  if (!item.space.dim || !item.space.lanes || needsExactCount(item))
    return 1;
  // Pairs of rows are stored at once.
  bool hasPairs = llvm::any_of(item.ops, [&](Operation *op) {
    return plan.pairTiles.contains(op->getResult(0));
  });
  auto rowsFor = [&](int64_t rows, int64_t width) {
    if (isCold)
      return powerOfTwoBelow(std::min({rows, most, kColdRows}));
    int64_t taken =
        vectors >= width
            ? rows
            : std::min(most, powerOfTwoBelow(rows * width / vectors));
    return std::min(taken, item.space.size);
  };
  for (Operation *op : item.ops)
    if (auto dot = dyn_cast<tile::DotOp>(op)) {
      if (dot.getMask())
        return 1;
      auto [rows, width] = granuleOf(dot);
      switch (featureFormOf(dot, plan)) {
      case FeatureForm::Along:
        return isCold ? hasPairs ? 2 : 1 : rows;
      case FeatureForm::Across: // transposes squares
        return isCold ? lanes() : rows;
      case FeatureForm::None:
        return rowsFor(rows, width);
      }
    }
  bool isLarge = readsMuch(item);
  if (isLarge)
    vectors = plan.groupWidth;
  ArrayRef<int64_t> score = target.getScoreGranule();
  int64_t dotRows = plan.featureRows ? kKeysOfFew : rowsFor(score[0], score[1]);
  int64_t rows = hasPairs && dotRows % 2 == 0 ? 2 : 1;
  while (!isCold && dotRows % (2 * rows) == 0 && 2 * rows * vectors <= 8)
    rows *= 2;
  if (isLarge && rows % kTransposedRows != 0)
    return hasPairs ? 2 : 1;
  return rows;
}

/// One vmaxps; a NaN in `value` does not enter.
static Value emitMaximum(Ops &ops, Value value, Value largest) {
  Value larger = arith::CmpFOp::create(ops, ops.loc, arith::CmpFPredicate::OGT,
                                       value, largest);
  return ops.select(larger, value, largest);
}

/// Values that a reduction carries for each chain.
static int64_t chainWidth(tile::ReduceOp reduce, const Window &window) {
  return reduce.getInput().getType().hasDim(kLaneDim) ? window.vectors : 1;
}

/// Chains of a reduction, each of every so many rows. A nest of scores from the
/// matrix unit does little else and would wait for the latency of a single
/// maximum per vector. More than one sum would change results.
static int64_t chainCount(const Item &item, tile::ReduceOp reduce,
                          const Plan &plan) {
  return reduce.getKind() == tile::ReduceKind::Max && plan.hasTiles &&
                 item.space.dim
             ? kMaximumChains
             : 1;
}

static int64_t carriedCount(const Item &item, tile::ReduceOp reduce,
                            const Window &window, const Plan &plan) {
  return chainCount(item, reduce, plan) * chainWidth(reduce, window);
}

void Emitter::emitReduce(Granule &granule, tile::ReduceOp reduce,
                         MutableArrayRef<Value> carried) {
  int64_t width = chainWidth(reduce, granule.window);
  int64_t chains = int64_t(carried.size()) / width;
  for (int64_t row = 0; row < granule.rows; ++row)
    for (int64_t v = 0; v < width; ++v) {
      Value &sum = carried[row % chains * width + v];
      Value value = element(granule, reduce.getInput(), row, v);
      sum = reduce.getKind() == tile::ReduceKind::Add
                ? arith::AddFOp::create(ops, ops.loc, sum, value).getResult()
                : emitMaximum(ops, value, sum);
    }
}

/// The weights of a nest beside products that are computed in fixed point.
static FixedPointWeights *fixedPointOf(const Pacer *pacer, const Item &item) {
  return pacer && pacer->item == &item ? pacer->fixedPoint : nullptr;
}

SmallVector<Value> Emitter::emitGranule(Granule &granule, ValueRange carried) {
  SmallVector<Value> next(carried);
  size_t place = 0;
  FixedPointWeights *fixedPoint = fixedPointOf(pacer, granule.item);
  for (Operation *op : granule.item.ops) {
    ops.loc = op->getLoc();
    if (fixedPoint && fixedPoint->emit(granule, op, next.back()))
      continue;
    Value result = op->getResult(0);
    Space space = granule.item.space;
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      int64_t count = carriedCount(granule.item, reduce, granule.window, plan);
      auto sums = MutableArrayRef(next).slice(place, count);
      if (fixedPoint)
        fixedPoint->addWeights(sums);
      else
        emitReduce(granule, reduce, sums);
      place += count;
      continue;
    }
    if (auto dot = dyn_cast<tile::DotOp>(op)) {
      emitDot(granule, dot);
    } else if (auto map = dyn_cast<tile::MapOp>(op)) {
      auto values = emitRegion(granule, map.getBody().front(), map.getInputs(),
                               space, map.getAtDims(), map.getAt());
      auto type = cast<tile::TileType>(result.getType());
      // A region that ends with a rounding has rounded its values.
      Value last = map.getBody().front().getTerminator()->getOperand(0);
      if (isa<FloatType>(type.getElementType()) &&
          !last.getDefiningOp<arith::TruncFOp>() && !isOnlyPaired(result, plan))
        for (Value &value : values)
          value = roundTo(value, type.getElementType());
      granule.registers[result] = std::move(values);
    } else if (auto select = dyn_cast<tile::SelectMaskedOp>(op)) {
      emitSelectMasked(granule, select);
    } else if (auto skew = dyn_cast<tile::SkewOp>(op)) {
      emitSkew(granule, skew);
    } else {
      auto rescale = cast<tile::RescaleOp>(op);
      SmallVector<Value> values;
      for (int64_t row = 0; row < granule.rows; ++row)
        for (int64_t v = 0; v < (space.lanes ? granule.window.vectors : 1); ++v)
          values.push_back(arith::MulFOp::create(
              ops, ops.loc, element(granule, rescale.getValue(), row, v),
              element(granule, rescale.getFactor(), row, v)));
      granule.registers[result] = std::move(values);
    }
  }
  for (Operation *op : granule.item.ops)
    if (!isa<tile::ReduceOp>(op) && !(fixedPoint && fixedPoint->makes(op)))
      storeResult(granule, op->getResult(0));
  return next;
}

/// Whether a nest only multiplies tiles in their slots by factors of queries.
static bool onlyRescales(const Item &item, const Plan &plan) {
  return llvm::all_of(item.ops, [&](Operation *op) {
    auto rescale = dyn_cast<tile::RescaleOp>(op);
    if (!rescale)
      return false;
    auto from = plan.slots.find(rescale.getValue()),
         to = plan.slots.find(rescale.getResult());
    return from != plan.slots.end() && to != plan.slots.end() &&
           from->second.offset == to->second.offset &&
           spaceOf(rescale.getFactor().getType())->dim == StringAttr();
  });
}

void Emitter::emitNest(const Item &item, Window window) {
  if (!isCold && item.space.lanes && item.space.dim &&
      onlyRescales(item, plan)) {
    Granule outside{item, window, {}};
    Value any = ops.boolean(false);
    for (Operation *op : item.ops)
      for (int64_t v = 0; v < window.vectors; ++v) {
        Value factor =
            element(outside, cast<tile::RescaleOp>(op).getFactor(), 0, v);
        Value changes =
            arith::CmpFOp::create(ops, ops.loc, arith::CmpFPredicate::UNE,
                                  factor, ops.constant(factor.getType(), 1));
        any = ops.logicalOr(any, ops.any(changes));
      }
    ops.branch(any, [&] { emitChunk(item, window); });
    return;
  }
  copyOwnQueryRows(item);
  findAhead(item);
  int64_t width = window.vectors;
  for (Operation *op : item.ops)
    if (auto dot = dyn_cast<tile::DotOp>(op))
      width = std::min(
          width, dot.getMask() || dot.hasTerm() ? 1 : granuleOf(dot).second);
  // The register tile is narrower than the window: one nest after the other.
  for (int64_t v = 0; v < window.vectors; v += width) {
    Window chunk{ops.add(window.first, v * lanes()),
                 std::min(width, window.vectors - v), window.local + v};
    emitChunk(item, chunk);
  }
}

void Emitter::emitChunk(const Item &item, Window window) {
  Granule outside{item, window, {}};
  SmallVector<Value> carried;
  for (Operation *op : item.ops)
    if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      for (int64_t c = 0; c < chainCount(item, reduce, plan); ++c)
        for (int64_t v = 0; v < chainWidth(reduce, window); ++v)
          carried.push_back(element(outside, reduce.getInit(), 0, v));
  FixedPointWeights *fixedPoint = fixedPointOf(pacer, item);
  if (fixedPoint)
    carried.push_back(fixedPoint->firstNumbers());
  RegionEmitter::copyTermReads(*this, item, window);
  auto granule = [&](Value start, int64_t rows, ValueRange values,
                     bool inside) {
    Granule part(item, window, start, rows);
    part.inside = inside;
    return emitGranule(part, values);
  };
  auto granules = [&](Value begin, Value end, int64_t rows, bool inside) {
    carried = ops.loop(begin, end, rows, carried,
                       [&](Value start, ValueRange values) {
                         return granule(start, rows, values, inside);
                       });
  };
  int64_t rows = granuleRows(item, window.vectors, kTallest);
  if (pacer && pacer->item == &item) // small, to lie between instructions
    rows =
        readsPairsOf16Bits(item)
            ? 2 * kTransposedRows
            : std::min(rows, readsPairs(item) ? kTransposedRows : kPacedRows);
  auto emitRows = [&] {
    if (Value extent = extentOf(item.space.dim, item.space.size)) {
      Value begin = beginOf(item.space.dim);
      int64_t least = granuleRows(item, window.vectors, plan.extraRows + 1);
      // Sums of formulas are 8 % slower if whole granules run the other code.
      bool hasWhole = rows > 1 && llvm::any_of(item.ops, [&](Operation *op) {
                        auto dot = dyn_cast<tile::DotOp>(op);
                        return dot && (rows > least || dot.hasTerm());
                      });
      if (hasWhole) {
        Value whole = ops.floorDiv(ops.sub(extent, begin), rows);
        Value end = ops.add(begin, ops.mul(whole, rows));
        granules(begin, end, rows, true);
        begin = end;
      }
      granules(begin, extent, least, false);
    } else {
      int64_t whole = item.space.size / rows * rows;
      if (pacer && pacer->item == &item)
        carried = emitPaced(ops, *pacer, whole / rows, rows, carried,
                            [&](Value start, ValueRange values) {
                              return granule(start, rows, values, true);
                            });
      else
        granules(ops.index(0), ops.index(whole), rows, true);
      if (int64_t left = item.space.size - whole)
        carried = granule(ops.index(whole), left, carried, true);
    }
  };
  if (!item.space.dim) {
    carried = granule({}, 1, carried, true);
  } else if (queries && !isCold && plan.featureRows &&
             2 * plan.featureRows <= lanes() && item.space.lanes &&
             differsForFew(item, plan)) {
    Value few = ops.compare(arith::CmpIPredicate::sle, queries,
                            ops.index(plan.featureRows));
    SmallVector<Value> inits = carried;
    auto emitFor = [&](bool areFew) {
      llvm::SaveAndRestore restore(isFew, areFew);
      carried = inits;
      emitRows();
      return carried;
    };
    carried = ops.chooseAll(
        ValueRange(inits).getTypes(), few, [&] { return emitFor(true); },
        [&] { return emitFor(false); });
  } else {
    emitRows();
  }
  if (fixedPoint)
    fixedPoint->setNumbers(carried.back());
  size_t place = 0;
  for (Operation *op : item.ops) {
    auto reduce = dyn_cast<tile::ReduceOp>(op);
    if (!reduce)
      continue;
    int64_t count = carriedCount(item, reduce, window, plan);
    int64_t width = chainWidth(reduce, window);
    auto values = ArrayRef(carried).slice(place, count);
    SmallVector<Value> sums(values.take_front(width));
    for (int64_t i = width; i < count; ++i)
      sums[i % width] = emitMaximum(ops, values[i], sums[i % width]);
    outside.registers[reduce.getResult()] = std::move(sums);
    storeResult(outside, reduce.getResult());
    place += count;
  }
}

/// Whether all integers that a nest over distances uses are near 0, so that
/// sums of them fit 32 bits; null: it uses distances only, which always do.
static Value areNearZero(Ops &ops, const Item &item, const IRMapping &scalars) {
  llvm::SetVector<Value> used;
  for (Operation *op : item.ops)
    if (auto map = dyn_cast<tile::MapOp>(op))
      for (Value value : outsideIntegers(map.getBody().front()))
        used.insert(value);
  if (used.empty())
    return {};
  for (Operation *op : item.ops)
    if (auto map = dyn_cast<tile::MapOp>(op))
      used.insert_range(map.getAt());
  constexpr int64_t limit = codegen::kNear / 2; // a tile has fewer distances
  Value near = ops.boolean(true);
  for (Value value : used)
    near = ops.logicalAnd(
        near, ops.compare(arith::CmpIPredicate::ult,
                          ops.add(ops.toIndex(scalars.lookup(value)), limit),
                          ops.index(2 * limit)));
  return near;
}

/// A nest over the distances of a tile. A tile of few keys has few of them: its
/// first ones belong to the keys that it lacks.
void Emitter::emitDistances(const Item &item) {
  Value low = ops.index(0);
  auto skew =
      dyn_cast<tile::SkewOp>(*item.ops.back()->getResult(0).user_begin());
  if (skew && item.ops.back()->hasOneUse()) {
    auto minus = StringAttr::get(skew.getContext(), skew.getMinus());
    int64_t size = *skew.getResult().getType().getDimSize(minus);
    if (Value extent = item.ops.size() == 1 ? extentOf(minus, size) : Value()) {
      Value unused = ops.sub(ops.index(size - plan.extraRows), extent);
      low = ops.mul(ops.floorDiv(ops.max(unused, low), lanes()), lanes());
    }
  }
  int64_t count = llvm::alignTo(item.space.size, lanes());
  auto emitAll = [&](bool fit) {
    llvm::SaveAndRestore restore(areNear, fit);
    ops.loop(low, ops.index(count), lanes(), [&](Value first) {
      Granule granule(item, {first, 1}, {});
      emitGranule(granule, {});
    });
  };
  Value near = areNearZero(ops, item, scalars);
  if (!near)
    return emitAll(false);
  ops.branch(near, [&] { emitAll(true); }, [&] { emitAll(false); });
}

/// A row of pairs has distances that follow each other, from that of the first
/// query on.
void Emitter::emitSkew(Granule &granule, tile::SkewOp skew) {
  tile::TileType type = skew.getValue().getType();
  const Slot &slot = plan.slots.find(skew.getValue())->second;
  int64_t keys = spaceOf(skew.getResult().getType())->size;
  unsigned bytes =
      plan.storage(type.getElementType()).getIntOrFloatBitWidth() / 8;
  Window window{firstRow(granule.window), granule.window.vectors};
  SmallVector<Value> values;
  for (int64_t row = 0; row < granule.rows; ++row)
    for (int64_t v = 0; v < window.vectors; ++v) {
      Window first = window;
      first.first =
          ops.add(ops.sub(window.first, granule.start), keys - 1 - row);
      values.push_back(
          loadLanes(slotAddress(slot, type, {}, first, v), type, bytes));
    }
  granule.registers[skew.getResult()] = std::move(values);
}

/// Copies a tile, or a constant, into a slot.
void Emitter::copyTile(Value from, const Slot &to, Window window) {
  auto type = cast<tile::TileType>(from.getType());
  Space space = *spaceOf(type);
  if (!space.lanes)
    window.vectors = 1;
  Item item{ItemKind::Nest, {}, space};
  auto copyRow = [&](Value row) {
    Granule granule(item, window, row);
    for (int64_t v = 0; v < window.vectors; ++v)
      storeSlot(element(granule, from, 0, v), to, type, row, window, v);
  };
  if (space.dim)
    ops.loop(ops.index(0), ops.index(space.size), 1, copyRow);
  else
    copyRow({});
}

} // namespace attnc::cpu
