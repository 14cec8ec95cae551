//===- EmitTiles.cpp - Products on a matrix unit --------------------------===//
//
// A product of a matrix unit (AMX) makes all sums of a window in scratch, block
// by block of up to 2 x 2 registers of 16 x 16 sums:
//
//   C[16 rows][16 queries] += A[16 rows][32 elements] * B[16 pairs][16 queries]
//
//   scores   rows are keys       A: rows of K     B: pairs of features of Q
//   values   rows are features   A: rows of V^T   B: pairs of keys of P
//
// With 8-bit integers a register has 64 of them along the sum, B holds
// quadruples, and sums are 32-bit integers, which their readers convert.
//
// The eight registers have fixed parts, so that no step waits for another's
// operands; A is used once for each pair of vectors and asks L1 not to keep it
// in favor of the sums (TILELOADDT1), or B where L1 holds A (usesStripes):
//
//   tmm0 tmm1   sums of the first row block with the first and second vector
//   tmm2 tmm3   sums of the second row block
//   tmm4 tmm5   A of the two row blocks
//   tmm6 tmm7   B of the two vectors
//
// Products that add to the same sums are one: a step has the instructions of
// all of them, and operands that two consecutive ones share are loaded once.
//
// All registers have their full shape. Operands are complete: PackTiles.cpp
// adds rows and columns of zeros. Tests: test/Codegen/CPU/tiles.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/TileProduct.h"
#include "Plan/ZeroSums.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"

#include <array>

using namespace mlir;

namespace attnc::cpu {

/// Numbers of registers.
static constexpr int64_t kSums = 0, kFirstA = 4, kFirstB = 6;

/// Steps of a product for all rows before the next ones: L1 holds operand B of
/// two vectors for so many beside the sums. The sums of longer products go
/// through scratch in between. 1024 x 768 x 2304: 24 steps at once take 1.98
/// ms, twice 12 steps 1.52.
static constexpr int64_t kPanelSteps = 16;

/// The sums of a block of at least so many steps are stored by the next block.
static constexpr int64_t kLongSteps = 8;

/// Rows of a nest next to products that are computed at once.
static constexpr int64_t kNestRows = 4;

static void callUnit(Ops &ops, StringRef name, ValueRange operands) {
  LLVM::CallIntrinsicOp::create(
      ops, ops.loc, ops.getStringAttr("llvm.x86." + name), operands);
}

static Value registerNumber(Ops &ops, int64_t number) {
  return ops.constant(ops.getI8Type(), double(number));
}

static void storeRegister(Ops &ops, int64_t number, TileProduct::Matrix to) {
  callUnit(ops, "tilestored64",
           {registerNumber(ops, number), to.pointer, to.stride});
}

/// Whether operand B is read in place (PackTiles.cpp).
static bool isInPanel(Value queries) {
  auto load = queries.getDefiningOp<tile::LoadOp>();
  return load && isPanel(load);
}

TileProduct::TileProduct(Emitter &emitter, ArrayRef<Operation *> dots,
                         Window window)
    : emitter(emitter), ops(emitter.ops),
      first(cast<tile::DotOp>(dots.front())),
      last(cast<tile::DotOp>(dots.back())), window(window), turn(emitter.turn) {
  auto sum = StringAttr::get(first.getContext(), first.getSum());
  for (Operation *op : dots) {
    auto dot = cast<tile::DotOp>(op);
    bool lhsOnLanes = dot.getLhs().getType().hasDim(kLaneDim);
    Value queries = lhsOnLanes ? dot.getLhs() : dot.getRhs(),
          loaded = lhsOnLanes ? dot.getRhs() : dot.getLhs();
    terms.push_back({queries, loaded, emitter.rows.find(loaded)->second});
  }
  Value queries = terms.front().queries;
  const Rows &from = terms.front().from;
  isTransposed = from.row == sum;
  Space space = *spaceOf(cast<tile::TileType>(last.getResult().getType()));
  free = space.dim;
  freeSize = space.size;
  rowBlocks = int64_t(llvm::divideCeil(freeSize, kTileRows));
  depth = emitter.plan.tileDepth(queries);
  part = ops.getIntegerType(8 * kTileRowBytes / depth);
  product = !emitter.plan.integerTiles.contains(queries) ? "tdpbf16ps"
            : from.element.isUnsignedInteger()           ? "tdpbusd"
                                                         : "tdpbssd";
  sumSize = *cast<tile::TileType>(queries.getType()).getDimSize(sum);
  KeyRange range{ops.index(0), ops.index(sumSize)};
  Value extent = emitter.extentOf(sum, sumSize);
  if (extent)
    range = {emitter.beginOf(sum), extent};
  llvm::SmallSetVector<Value, 2> operands;
  for (const Term &term : terms)
    operands.insert(term.queries);
  for (Value operand : operands)
    if (!isInPanel(operand) &&
        (extent || !operand.getDefiningOp<tile::LoadOp>()))
      emitter.completePairs(operand, range, window);
  firstStep = ops.floorDiv(range.begin, depth);
  endStep = ops.ceilDiv(range.end, depth);
  if (tile::ForOp loop = loopFromZero(first, emitter.plan, emitter.target))
    startsFromZero = ops.compare(arith::CmpIPredicate::eq,
                                 emitter.scalars.lookup(loop.getKeyStart()),
                                 emitter.scalars.lookup(loop.getSegment(0)[0]));
}

/// Operand A: 16 rows from `16 * row` on, `depth` elements from `depth * step`
/// on. The copy of V has one register after the other.
TileProduct::Matrix TileProduct::rowsAt(const Rows &from, Value row,
                                        Value step) {
  if (from.blockStride) {
    Value place = ops.add(ops.mul(step, from.blockStride),
                          ops.mul(row, kTileRows * kTileDepth));
    return {ops.address(from.pointer, part, place),
            ops.constant(ops.getI64Type(), kTileRowBytes)};
  }
  if (isTransposed) {
    Value number = ops.add(
        ops.mul(row, int64_t(llvm::divideCeil(sumSize, kTileDepth))), step);
    Value place = ops.mul(number, kTileRows * kTileDepth);
    return {ops.address(from.pointer, part, place),
            ops.constant(ops.getI64Type(), kTileRowBytes)};
  }
  Value first = ops.mul(row, kTileRows);
  Value pointer = from.pointer, stride = from.rowStride;
  if (from.copy) {
    Value isCopied =
        ops.compare(arith::CmpIPredicate::sge, first, from.firstCopied);
    pointer = ops.select(isCopied, from.copy, pointer);
    stride = ops.select(isCopied, from.copyStride, stride);
  }
  Value place = ops.add(ops.mul(first, stride), ops.mul(step, depth));
  return {ops.address(pointer, part, place),
          ops.toI64(ops.mul(stride, kTileRowBytes / depth))};
}

/// Operand B, or sums: the rows of a slot from `row` on.
TileProduct::Matrix TileProduct::slotAt(Value tile, Value row, int64_t vector) {
  const Slot &slot = emitter.plan.slots.find(tile)->second;
  auto type = cast<tile::TileType>(tile.getType());
  llvm::SaveAndRestore restore(emitter.turn, turn);
  return {emitter.slotAddress(slot, type, row, window, vector),
          ops.constant(ops.getI64Type(), double(4 * slot.stride))};
}

/// Operand B: the rows of a slot or of a panel.
TileProduct::Matrix TileProduct::pairsAt(Value queries, Value row,
                                         int64_t vector) {
  if (!isInPanel(queries))
    return slotAt(queries, row, vector);
  const Rows &from = emitter.rows.find(queries)->second;
  Value lane = ops.add(window.first, vector * emitter.lanes());
  Value place = ops.add(ops.mul(row, from.rowStride), ops.mul(lane, 2));
  return {ops.address(from.pointer, ops.getI16Type(), place),
          ops.toI64(ops.mul(from.rowStride, 2))};
}

void TileProduct::loadRegister(int64_t number, Matrix from, StringRef name) {
  callUnit(ops, name, {registerNumber(ops, number), from.pointer, from.stride});
}

/// One instruction of a step, and the loads of operands that are not in their
/// registers.
void TileProduct::emitInstruction(size_t term, Value row, Value step,
                                  Place place, int64_t vector) {
  auto [r, v] = place;
  const Term &here = terms[term];
  const Term *before = term ? &terms[term - 1] : nullptr;
  if (v == 0 && !(before && before->loaded == here.loaded))
    loadRegister(kFirstA + r, rowsAt(here.from, ops.add(row, r), step),
                 isInStripes ? "tileloadd64" : "tileloaddt164");
  if (r == 0 && !(before && before->queries == here.queries))
    loadRegister(kFirstB + v,
                 pairsAt(here.queries, ops.mul(step, kTileRows), vector + v),
                 isInStripes ? "tileloaddt164" : "tileloadd64");
  callUnit(ops, product,
           {registerNumber(ops, kSums + kBlock * r + v),
            registerNumber(ops, kFirstA + r),
            registerNumber(ops, kFirstB + v)});
}

/// The products of `depth` elements of the sum.
void TileProduct::emitStep(Value row, Value step, int64_t rows, int64_t vector,
                           int64_t vectors, size_t firstTerm) {
  for (size_t term = firstTerm; term < terms.size(); ++term)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        emitInstruction(term, row, step, {r, v}, vector);
}

/// Zeros, or what the product adds to.
void TileProduct::startSum(Value row, int64_t r, int64_t vector, int64_t v) {
  Value start = first.getAcc();
  int64_t number = kSums + kBlock * r + v;
  if (continues)
    return loadRegister(number, sumAt(row, r, vector, v), "tileloadd64");
  auto makeZero = [&] {
    callUnit(ops, "tilezero", registerNumber(ops, number));
  };
  auto loadStart = [&] {
    Value from = ops.mul(ops.add(row, r), kTileRows);
    loadRegister(number, slotAt(start, from, vector + v), "tileloadd64");
  };
  if (!start || start.getDefiningOp<tile::SplatOp>())
    makeZero();
  else if (startsFromZero)
    ops.branch(startsFromZero, makeZero, loadStart);
  else
    loadStart();
}

void TileProduct::storeSum(Value row, int64_t r, int64_t vector, int64_t v) {
  storeRegister(ops, kSums + kBlock * r + v, sumAt(row, r, vector, v));
}

TileProduct::Matrix TileProduct::sumAt(Value row, int64_t r, int64_t vector,
                                       int64_t v) {
  return slotAt(last.getResult(), ops.mul(ops.add(row, r), kTileRows),
                vector + v);
}

/// The sums of up to 2 x 2 registers.
void TileProduct::emitBlock(Value row, int64_t rows, int64_t vector,
                            int64_t vectors) {
  auto forEachSum = [&](auto fn) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        (this->*fn)(row, r, vector, v);
  };
  forEachSum(&TileProduct::startSum);
  auto step = [&](Value at) { emitStep(row, at, rows, vector, vectors); };
  std::optional<int64_t> low = constantOf(firstStep),
                         high = constantOf(endStep);
  if (low && high && (*high - *low) * int64_t(terms.size()) <= kMostUnrolled)
    for (int64_t at = *low; at < *high; ++at)
      step(ops.index(at));
  else
    ops.loop(firstStep, endStep, 1, step);
  forEachSum(&TileProduct::storeSum);
}

/// The sums of `rows` row blocks from `row` on that are complete but not
/// stored.
TileProduct::Pending TileProduct::pendingSums(Value row, int64_t rows,
                                              int64_t vector, int64_t vectors,
                                              Value isActive) {
  Pending pending;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v) {
      pending.numbers.push_back(kSums + kBlock * r + v);
      pending.places.push_back(sumAt(row, r, vector, v));
      pending.isActive.push_back(isActive);
    }
  return pending;
}

void storePending(Ops &ops, const TileProduct::Pending &pending, size_t begin,
                  size_t end) {
  for (size_t i = begin; i < std::min(end, pending.numbers.size()); ++i)
    ops.branch(pending.isActive[i], [&] {
      storeRegister(ops, pending.numbers[i], pending.places[i]);
    });
}

/// The block of the rows before `row`.
TileProduct::Before TileProduct::rowsBefore(Value row, int64_t vector,
                                            int64_t vectors, Value isActive,
                                            bool isLast) {
  Value first = ops.sub(row, ops.index(kBlock));
  return {first, kBlock, vector, vectors, isActive, isLast};
}

/// The sums of a block that are complete in registers but not stored.
TileProduct::Pending TileProduct::pendingOf(const Before &before) {
  return pendingSums(before.row, before.rows, before.vector, before.vectors,
                     before.isActive);
}

/// A block of a long sum. The sums of the block before are stored in its first
/// step, one by one before their registers are used again.
void TileProduct::emitDelayed(Value row, int64_t rows, int64_t vector,
                              int64_t vectors, const Before &before) {
  int64_t count = rows * vectors;
  Pending pending = pendingOf(before);
  for (int64_t i = 0; i < count; ++i) {
    int64_t r = i / vectors, v = i % vectors;
    storePending(ops, pending, i, i + 1 == count ? SIZE_MAX : i + 1);
    startSum(row, r, vector, v);
    emitInstruction(/*term=*/0, row, firstStep, {r, v}, vector);
  }
  emitStep(row, firstStep, rows, vector, vectors, /*firstTerm=*/1);
  fetchPanel(row, firstStep, vector);
  Value second = ops.add(firstStep, 1);
  ops.loop(second, endStep, 1, [&](Value step) {
    emitStep(row, step, rows, vector, vectors);
    fetchPanel(row, step, vector);
    if (nest && before.isLast)
      emitNestBeside(before, ops.sub(step, second));
  });
}

/// A few rows of the nest for sums that are stored.
void TileProduct::emitNestRows(Value first, int64_t vector, int64_t vectors) {
  Window part{ops.add(window.first, vector * emitter.lanes()), vectors,
              window.local + vector};
  Granule granule(*nest, part, first, kNestRows);
  granule.inside = true;
  emitter.emitGranule(granule, {});
}

/// The part of the nest for the block before which belongs to a step; `turn`
/// counts the steps.
void TileProduct::emitNestBeside(const Before &before, Value turn) {
  constexpr int64_t parts = kBlock * kTileRows / kNestRows;
  auto ofTurn = int64_t(llvm::divideCeil(parts, *countSteps() - 1));
  Value first = ops.mul(before.row, kTileRows);
  for (int64_t i = 0; i < ofTurn; ++i) {
    Value number = ops.add(ops.mul(turn, ofTurn), i);
    Value isPart =
        ops.compare(arith::CmpIPredicate::slt, number, ops.index(parts));
    ops.branch(ops.logicalAnd(before.isActive, isPart), [&] {
      emitNestRows(ops.add(first, ops.mul(number, kNestRows)), before.vector,
                   before.vectors);
    });
  }
}

/// Stores the last sums, and computes the nest for them.
void TileProduct::emitLast(const Before &before) {
  storePending(ops, pendingOf(before));
  if (!nest || !before.isLast)
    return;
  Value first = ops.mul(before.row, kTileRows);
  ops.loop(first, ops.add(first, before.rows * kTileRows), kNestRows,
           [&](Value at) { emitNestRows(at, before.vector, before.vectors); });
}

/// All rows from `begin` on, each block with the stores of the one before.
void TileProduct::emitDelayedColumns(Value begin, Value middle, Value end,
                                     int64_t vector, int64_t vectors) {
  auto sumsBefore = [&](Value row, Value isActive) {
    return rowsBefore(row, vector, vectors, isActive, isLastPanel);
  };
  Value isActive = ops.loop(
      begin, middle, kBlock, {ops.boolean(false)},
      [&](Value row, ValueRange active) -> SmallVector<Value> {
        emitDelayed(row, kBlock, vector, vectors, sumsBefore(row, active[0]));
        return {ops.boolean(true)};
      })[0];
  Before before = sumsBefore(middle, isActive);
  ops.branch(
      ops.compare(arith::CmpIPredicate::slt, middle, end),
      [&] {
        emitDelayed(middle, 1, vector, vectors, before);
        storePending(
            ops, pendingSums(middle, 1, vector, vectors, ops.boolean(true)));
      },
      [&] { emitLast(before); });
}

/// All rows for one or two vectors of queries.
void TileProduct::emitColumns(int64_t vector, int64_t vectors) {
  Value begin = ops.index(0);
  Value end = ops.index(llvm::divideCeil(freeSize, kTileRows));
  Value extent = isTransposed ? Value() : emitter.extentOf(free, freeSize);
  if (extent) {
    begin = ops.floorDiv(emitter.beginOf(free), kTileRows);
    end = ops.ceilDiv(extent, kTileRows);
  }
  Value count = ops.floorDiv(ops.sub(end, begin), kBlock);
  Value middle = ops.add(begin, ops.mul(count, kBlock));
  if (countSteps().value_or(0) >= kLongSteps)
    return emitDelayedColumns(begin, middle, end, vector, vectors);
  ops.loop(begin, middle, kBlock,
           [&](Value row) { emitBlock(row, kBlock, vector, vectors); });
  ops.branch(ops.compare(arith::CmpIPredicate::slt, middle, end),
             [&] { emitBlock(middle, 1, vector, vectors); });
}

/// The steps of a product, if they are known.
std::optional<int64_t> TileProduct::countSteps() const {
  std::optional<int64_t> low = constantOf(firstStep),
                         high = constantOf(endStep);
  return low && high ? std::optional(*high - *low) : std::nullopt;
}

/// Calls a function for each panel: a few of all steps, which are then those of
/// this product.
void TileProduct::forEachPanel(llvm::function_ref<void()> emitPanel) {
  int64_t steps = countSteps().value_or(0);
  if (steps <= kPanelSteps)
    return emitPanel();
  int64_t first = *constantOf(firstStep), end = first + steps;
  int64_t panel = llvm::divideCeil(steps, llvm::divideCeil(steps, kPanelSteps));
  llvm::SaveAndRestore firstOfAll(firstStep), endOfAll(endStep);
  llvm::SaveAndRestore isLater(continues, false), isLast(isLastPanel, false);
  for (int64_t at = first; at < end; at += panel) {
    firstStep = ops.index(at);
    endStep = ops.index(std::min(at + panel, end));
    isLastPanel = at + panel >= end;
    emitPanel();
    continues = true;
  }
}

/// Whether L1 holds `bytes` of each row of a block, if the rows are contiguous,
/// and has ways left for the sums.
static bool fitsSets(int64_t rowBytes, int64_t bytes) {
  constexpr int64_t kLine = 64, kSets = 64, kMostWays = 8;
  std::array<int64_t, kSets> ways{};
  for (int64_t row = 0; row < kBlock * kTileRows; ++row)
    for (int64_t at = 0; at < bytes; at += kLine)
      if (++ways[size_t((row * rowBytes + at) / kLine % kSets)] > kMostWays)
        return false;
  return true;
}

/// Whether the rows of a block are multiplied with all vectors before the next
/// ones: L1 holds a panel of them, and the pairs of the vectors come from L2.
/// Rows of results that are stored one after the other are then longer, and the
/// sums between two panels few. 1024 x 768 x 2304: 0.92 of the time.
bool TileProduct::usesStripes() const {
  auto loop = dyn_cast<tile::ForOp>(first->getParentOp());
  int64_t steps = countSteps().value_or(0);
  if (!loop || loop.getNumResults() || isTransposed || terms.size() > 1 ||
      window.vectors < 2 * kBlock || window.vectors % kBlock ||
      rowBlocks % kBlock || steps < kLongSteps ||
      emitter.extentOf(free, freeSize))
    return false;
  int64_t panels = llvm::divideCeil(steps, kPanelSteps);
  return fitsSets(steps * kTileRowBytes,
                  llvm::divideCeil(steps, panels) * kTileRowBytes);
}

void TileProduct::emitStripes() {
  llvm::SaveAndRestore inStripes(isInStripes, true);
  int64_t lastVector = window.vectors - kBlock;
  auto lastOf = [&](Value row, Value isActive) {
    return rowsBefore(row, lastVector, kBlock, isActive, /*isLast=*/true);
  };
  Value end = ops.index(rowBlocks);
  Value isActive = ops.loop(
      ops.index(0), end, kBlock, {ops.boolean(false)},
      [&](Value row, ValueRange active) -> SmallVector<Value> {
        Before before = lastOf(row, active[0]);
        forEachPanel([&] {
          for (int64_t v = 0; v < window.vectors; v += kBlock) {
            emitDelayed(row, kBlock, v, kBlock, before);
            before = {row, kBlock, v, kBlock, ops.boolean(true), isLastPanel};
          }
        });
        return {ops.boolean(true)};
      })[0];
  emitLast(lastOf(end, isActive));
}

void TileProduct::emit() {
  if (usesStripes())
    return emitStripes();
  for (int64_t v = 0; v < window.vectors; v += kBlock)
    forEachPanel([&] { emitColumns(v, std::min(kBlock, window.vectors - v)); });
}

void Emitter::emitTiles(ArrayRef<Operation *> dots, Window window) {
  if (plan.slots.contains(dots.back()->getResult(0))) // else nobody reads it
    TileProduct(*this, dots, window).emit();
}

/// Whether rows of `nest` can run next to a product of full tiles: formulas of
/// its sums, for whole blocks of long sums.
static bool canRunBeside(const Item &nest, tile::DotOp dot, const Plan &plan) {
  tile::TileType type = dot.getResult().getType();
  auto sum = StringAttr::get(dot.getContext(), dot.getSum());
  Space space = *spaceOf(type);
  auto isFormula = [&](Operation *op) {
    return isa<tile::MapOp>(op) && !plan.pairTiles.contains(op->getResult(0));
  };
  int64_t size = *cast<tile::TileType>(dot.getLhs().getType()).getDimSize(sum);
  int64_t steps = llvm::divideCeil(size, plan.tileDepth(dot.getLhs()));
  int64_t panels = llvm::divideCeil(steps, kPanelSteps);
  int64_t last =
      steps - (panels - 1) * int64_t(llvm::divideCeil(steps, panels));
  return nest.kind == ItemKind::Nest && nest.space == space &&
         llvm::all_of(nest.ops, isFormula) &&
         isa<tile::ForOp>(dot->getParentOp()) &&
         dot->getParentOp()->getNumResults() == 0 && last >= kLongSteps &&
         space.size % (kBlock * kTileRows) == 0;
}

bool TileProduct::emitBoth(Emitter &emitter, const Item &item, const Item &next,
                           Window window) {
  if (item.kind != ItemKind::Tiles || emitter.isCold ||
      !emitter.extents.empty())
    return false;
  auto dot = cast<tile::DotOp>(item.ops.front());
  if (item.ops.size() != 1 || !emitter.plan.slots.contains(dot.getResult()) ||
      !canRunBeside(next, dot, emitter.plan))
    return false;
  TileProduct product(emitter, item.ops, window);
  product.nest = &next;
  product.emit();
  return true;
}

/// The operand of LDTILECFG (SDM volume 1, 18.1): palette 1, then from byte 16
/// on the bytes of a row of each register, from byte 48 on its rows.
void Emitter::configureTiles() {
  SmallVector<int8_t> shapes(64);
  shapes[0] = 1;
  for (int64_t number = 0; number < 8; ++number) {
    shapes[16 + 2 * number] = kTileRowBytes;
    shapes[48 + number] = kTileRows;
  }
  auto type = ops.vector(64, ops.getI8Type());
  Value bytes = arith::ConstantOp::create(
      ops, ops.loc, DenseElementsAttr::get(type, ArrayRef<int8_t>(shapes)));
  Value to = ops.address(scratch, ops.getI8Type(), ops.index(plan.tileShapes));
  ops.store(bytes, to, 64);
  callUnit(ops, "ldtilecfg", to);
}

void Emitter::releaseTiles() { callUnit(ops, "tilerelease", {}); }

} // namespace attnc::cpu
