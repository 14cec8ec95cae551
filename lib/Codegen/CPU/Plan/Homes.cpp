//===- Homes.cpp - Assign scratch slots to tiles --------------------------===//
//
// A tile that only its own nest uses lives in registers. Any other gets a slot:
// rows of queries stored contiguously, in the accumulator's type. The slots of
// a flash loop fit L1 because
//   - a tile takes over the slot of one that the nest reads for the last time,
//     element by element (weights overwrite the scores);
//   - the next value of a carried tile is written over the old one when nothing
//     reads the old one any more (O, l), else it is copied at the end (m);
//   - slots of tiles that are dead are used again.
// A loop body runs the ops without lanes first and the others once for each
// group of vectors (Loop.cpp), so what the ops without lanes leave lives as
// long as the whole body: their slots are neither taken from dead tiles nor
// given back. Tests: test/Codegen/CPU/slots.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Plan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc::cpu {

std::pair<StringAttr, StringAttr> rowAndColumn(tile::LoadOp load) {
  SmallVector<StringAttr, 2> dims;
  tile::TileType type = load.getResult().getType();
  for (StringAttr axis : load.getBuf().getType().getNames())
    if (type.hasDim(axis))
      dims.push_back(axis);
  return {dims[0], dims[1]};
}

bool isBlocked(tile::LoadOp load) {
  auto merged = tile::RenameOp::findMerged(load.getBuf());
  if (!merged || load.getTable())
    return false;
  auto names = load.getBuf().getType().getNames();
  int64_t last = int64_t(names.size()) - 1;
  tile::TileType type = load.getType();
  if (merged->group != kTileDepth || merged->heads != last || last < 2 ||
      type.getRank() != 2 || type.hasDim(kLaneDim) ||
      !type.hasDim(names[merged->rows]))
    return false;
  int64_t other = merged->rows == last - 1 ? last - 2 : last - 1;
  return type.hasDim(names[other]) &&
         load.getBuf().getType().getElementType().isBF16();
}

bool hasPaddedRows(tile::LoadOp load) {
  auto merged = tile::RenameOp::findMerged(load.getBuf());
  return isBlocked(load) && merged->rows + 1 == merged->heads;
}

bool isPanel(tile::LoadOp load) {
  auto merged = tile::RenameOp::findMerged(load.getBuf());
  if (!merged || load.getTable())
    return false;
  auto names = load.getBuf().getType().getNames();
  int64_t last = int64_t(names.size()) - 1;
  tile::TileType type = load.getType();
  return merged->group == 2 && merged->heads == last && last >= 2 &&
         merged->rows == last - 2 && names[last - 1] == kLaneDim &&
         type.getRank() == 2 && type.hasDim(kLaneDim) &&
         type.hasDim(names[merged->rows]) &&
         load.getBuf().getType().getElementType().isBF16();
}

namespace {
/// Slots of one block; nested blocks share the free list.
class HomePlanner {
public:
  explicit HomePlanner(Plan &plan) : plan(plan) {}
  LogicalResult run(Block &block);

private:
  struct Scope {
    Block *block;
    DenseMap<Value, size_t> lastUse; // index of the item
    DenseMap<Value, Slot> wanted;    // slots of carried values, by yielded one
  };
  void findLastUses(Scope &scope);
  void planNest(Scope &scope, size_t index);
  LogicalResult planLoop(Scope &scope, size_t index, LoopLikeOpInterface loop);
  LogicalResult planIf(Scope &scope, size_t index, scf::IfOp branch);
  bool takeOver(Scope &scope, size_t index, Value result);
  void release(Scope &scope, size_t index);
  bool isOwned(const Scope &scope, Value value) const;

  /// A tile without lanes in a loop body.
  bool livesInWholeBody(tile::TileType type) const {
    return inLoop && !type.hasDim(kLaneDim);
  }
  int64_t bytesOf(tile::TileType type, bool local) const;
  Slot allocate(tile::TileType type, bool local);
  Slot allocateLanes(tile::LoadOp load);
  Slot allocateCrossing(Value tile);

  Plan &plan;
  DenseSet<Value> released;
  std::vector<std::pair<int64_t, int64_t>> freeSlots; // bytes, offset
  bool inLoop = false;
};
} // namespace

static int64_t widthOf(const Plan &plan, bool local) {
  return plan.lanes * (local ? plan.groupWidth : plan.vectors);
}

/// Groups that have rows of their own in a slot.
static int64_t groupsOf(const Plan &plan, bool local) {
  return plan.hasGroups() && !local ? plan.vectors / plan.groupWidth : 1;
}

/// Elements from one row of a slot to the next. Registers of the matrix unit
/// have 16 rows: at a multiple of four lines of cache from each other, many of
/// them would share few sets of L1, which then holds a part of a tile only.
static int64_t pitchOf(const Plan &plan, tile::TileType type, bool local) {
  constexpr int64_t manyLines = 4, lineBytes = 64;
  int64_t width = widthOf(plan, local) / groupsOf(plan, local);
  unsigned bits = plan.accumulator.getIntOrFloatBitWidth();
  bool isSpread = plan.hasTiles && type.getRank() == 2 &&
                  width * bits / 8 % (manyLines * lineBytes) == 0;
  return isSpread ? width + plan.lanes : width;
}

/// Rows of a slot, or columns of a copy, for `size` elements. The matrix unit
/// stores whole registers, and reads pairs of whole granules.
static int64_t rowsOf(const Plan &plan, tile::TileType type, int64_t size) {
  int64_t rows = size + plan.extraRows;
  bool isOfUnit = plan.hasTiles && type.hasDim(kLaneDim);
  return isOfUnit ? int64_t(llvm::alignTo(rows, kTileRows)) : rows;
}

/// Bytes of the copy of rows of K or V that the matrix unit reads: K row by
/// row, V transposed, both in whole registers.
static int64_t tileBytesOf(tile::LoadOp load) {
  int64_t bytes = 2;
  tile::TileType type = load.getResult().getType();
  for (auto [name, size] : type.getDims())
    bytes *= int64_t(llvm::alignTo(size, kTileDepth));
  return bytes;
}

int64_t HomePlanner::bytesOf(tile::TileType type, bool local) const {
  int64_t elements = 1; // of a group
  if (type.hasDim(tile::kDistanceDim))
    elements =
        plan.distanceLead() + llvm::alignTo(type.getNumElements(), plan.lanes);
  else
    for (auto [name, size] : type.getDims())
      elements *= name == kLaneDim ? pitchOf(plan, type, local)
                                   : rowsOf(plan, type, size);
  unsigned bits = plan.storage(type.getElementType()).getIntOrFloatBitWidth();
  int64_t groups = type.hasDim(kLaneDim) ? groupsOf(plan, local) : 1;
  return int64_t(llvm::alignTo(elements * bits / 8, 64)) * groups;
}

Slot HomePlanner::allocate(tile::TileType type, bool local) {
  int64_t bytes = bytesOf(type, local);
  Slot slot{plan.bytes, type.hasDim(kLaneDim) ? pitchOf(plan, type, local) : 1,
            /*group=*/0, local};
  if (plan.hasGroups() && type.hasDim(kLaneDim) && !local) {
    unsigned bits = plan.storage(type.getElementType()).getIntOrFloatBitWidth();
    slot.group = bytes * 8 / bits / groupsOf(plan, local);
  }
  auto free =
      llvm::find_if(freeSlots, [&](auto &f) { return f.first == bytes; });
  if (free != freeSlots.end() && !livesInWholeBody(type)) {
    slot.offset = free->second;
    freeSlots.erase(free);
  } else {
    plan.bytes += bytes;
  }
  return slot;
}

/// Whether only products of fmas read what a load copies, group by group.
static bool isReadByGroups(tile::LoadOp load, const Plan &plan) {
  return !plan.hasTiles && !plan.featureRows &&
         plan.groupWidth != plan.vectors &&
         !plan.pairTiles.contains(load.getResult()) &&
         load.getType().hasDim(kLaneDim) && load.getType().getRank() == 2 &&
         llvm::all_of(load->getUsers(), llvm::IsaPred<tile::DotOp>);
}

/// The slot of a load into lanes. Rows of a group that follow each other keep a
/// product within few pages, and its loads at strides that processors prefetch.
Slot HomePlanner::allocateLanes(tile::LoadOp load) {
  auto type = cast<tile::TileType>(load.getResult().getType());
  Slot slot = allocate(type, inLoop);
  if (slot.local || slot.group || !isReadByGroups(load, plan))
    return slot;
  slot.stride = plan.groupWidth * plan.lanes;
  slot.group = slot.stride * rowsOf(plan, type, spaceOf(type)->size);
  return slot;
}

/// Turns of a pipeline write a copy while earlier tiles are read in the other,
/// or rows of earlier tiles behind it, so nothing else uses the slot.
Slot HomePlanner::allocateCrossing(Value tile) {
  auto type = cast<tile::TileType>(tile.getType());
  int64_t bytes = bytesOf(type, inLoop);
  if (plan.pairTiles.contains(tile)) { // several rows share one of the slot
    int64_t rows = rowsOf(plan, type, spaceOf(type)->size);
    int64_t registers = llvm::divideCeil(rows, plan.tileDepth(tile));
    bytes = registers * kTileRows * pitchOf(plan, type, inLoop) * 4;
  }
  Slot slot{plan.bytes, type.hasDim(kLaneDim) ? pitchOf(plan, type, inLoop) : 1,
            /*group=*/0, inLoop};
  auto copies = plan.alternating.find(tile);
  if (copies != plan.alternating.end()) {
    slot.alternate = bytes;
    slot.copies = copies->second;
  }
  plan.bytes += bytes * slot.copies;
  return slot;
}

bool HomePlanner::isOwned(const Scope &scope, Value value) const {
  return value.getDefiningOp() && value.getParentBlock() == scope.block &&
         plan.slots.contains(value) && !released.contains(value) &&
         !plan.crossing.contains(value);
}

void HomePlanner::findLastUses(Scope &scope) {
  auto &items = plan.items[scope.block];
  for (auto [index, item] : llvm::enumerate(items))
    for (Operation *op : item.ops)
      op->walk([&](Operation *inner) {
        for (Value value : inner->getOperands())
          scope.lastUse[value] = index;
      });
  if (scope.block->mightHaveTerminator())
    for (Value value : scope.block->getTerminator()->getOperands())
      scope.lastUse[value] = items.size();
}

static bool isWholeOperand(Operation *op, Value value) {
  auto dot = dyn_cast<tile::DotOp>(op);
  return dot &&
         (llvm::is_contained(dot.getTiles(), value) || value == dot.getMask());
}

/// Lets `result` have the slot of a tile that its nest reads last.
bool HomePlanner::takeOver(Scope &scope, size_t index, Value result) {
  Item &item = plan.items[scope.block][index];
  auto type = cast<tile::TileType>(result.getType());
  if (spaceOf(type) != item.space)
    return false;
  for (Operation *op : item.ops)
    for (Value value : op->getOperands()) {
      auto from = dyn_cast<tile::TileType>(value.getType());
      if (!from || !isOwned(scope, value) || scope.lastUse[value] != index ||
          spaceOf(from) != item.space ||
          plan.storage(from.getElementType()) !=
              plan.storage(type.getElementType()) ||
          llvm::any_of(item.ops,
                       [&](Operation *o) { return isWholeOperand(o, value); }))
        continue;
      Slot slot = plan.slots.lookup(value);
      plan.slots[result] = slot;
      released.insert(value);
      return true;
    }
  return false;
}

void HomePlanner::planNest(Scope &scope, size_t index) {
  Item &item = plan.items[scope.block][index];
  for (Operation *op : item.ops) {
    Value result = op->getResult(0);
    auto last = scope.lastUse.find(result);
    if (last == scope.lastUse.end() || last->second == index)
      continue; // a register is enough
    auto want = scope.wanted.find(result);
    if (want != scope.wanted.end()) {
      plan.slots[result] = want->second;
      released.insert(result); // belongs to the loop
      continue;
    }
    auto type = cast<tile::TileType>(result.getType());
    if (plan.crossing.contains(result))
      plan.slots[result] = allocateCrossing(result);
    else if (!takeOver(scope, index, result))
      plan.slots[result] = allocate(type, inLoop);
  }
}

void HomePlanner::release(Scope &scope, size_t index) {
  for (auto [value, last] : scope.lastUse) {
    if (last != index || !isOwned(scope, value) ||
        livesInWholeBody(cast<tile::TileType>(value.getType())))
      continue;
    released.insert(value);
    const Slot &slot = plan.slots[value];
    freeSlots.emplace_back(
        bytesOf(cast<tile::TileType>(value.getType()), slot.local),
        slot.offset);
  }
  // The map's order is not the program's.
  llvm::sort(freeSlots);
}

/// Whether the old value of a carried tile is dead when `next` is written.
static bool canReplace(Value carried, Value next, const Plan &plan, Block &body,
                       const DenseMap<Value, size_t> &lastUse) {
  auto items = plan.items.find(&body);
  for (auto [index, item] : llvm::enumerate(items->second)) {
    if ((item.kind != ItemKind::Nest && item.kind != ItemKind::Tiles) ||
        !llvm::is_contained(item.ops, next.getDefiningOp()))
      continue;
    auto last = lastUse.find(carried);
    if (last == lastUse.end() || last->second < index)
      return true;
    return last->second == index && llvm::none_of(item.ops, [&](Operation *op) {
             return isWholeOperand(op, carried);
           });
  }
  return false;
}

LogicalResult HomePlanner::planLoop(Scope &scope, size_t index,
                                    LoopLikeOpInterface loop) {
  for (auto [init, result, carried] : llvm::zip_equal(
           loop.getInits(), *loop.getLoopResults(), loop.getRegionIterArgs())) {
    auto type = dyn_cast<tile::TileType>(result.getType());
    if (!type)
      return loop->emitOpError("carries ")
             << result.getType() << ", but the CPU's loops carry tiles only";
    bool dies = isOwned(scope, init) && scope.lastUse[init] == index &&
                init.hasOneUse();
    Slot slot = dies ? plan.slots.lookup(init) : allocate(type, inLoop);
    if (dies)
      released.insert(init);
    plan.slots[result] = slot;
    plan.slots[carried] = slot;
  }
  bool outer = std::exchange(inLoop, inLoop || isa<tile::ForOp>(loop));
  LogicalResult done = run(loop.getLoopRegions().front()->front());
  inLoop = outer;
  return done;
}

LogicalResult HomePlanner::planIf(Scope &scope, size_t index,
                                  scf::IfOp branch) {
  for (auto [i, result] : llvm::enumerate(branch.getResults())) {
    auto type = dyn_cast<tile::TileType>(result.getType());
    if (!type)
      continue;
    bool found = false;
    for (Region &region : branch->getRegions()) {
      Value value = region.front().getTerminator()->getOperand(i);
      if (found || !isOwned(scope, value) || scope.lastUse[value] != index)
        continue;
      // Only the yield uses it inside the branches.
      unsigned uses = llvm::count_if(value.getUsers(), [&](Operation *user) {
        return branch->isProperAncestor(user);
      });
      if (uses != 1)
        continue;
      Slot slot = plan.slots.lookup(value);
      plan.slots[result] = slot;
      released.insert(value);
      found = true;
    }
    if (!found)
      plan.slots[result] = allocate(type, inLoop);
  }
  for (Region &region : branch->getRegions())
    for (Block &block : region)
      if (failed(run(block)))
        return failure();
  return success();
}

LogicalResult HomePlanner::run(Block &block) {
  Scope scope;
  scope.block = &block;
  findLastUses(scope);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(block.getParentOp()))
    for (auto [carried, next] : llvm::zip_equal(
             loop.getRegionIterArgs(), block.getTerminator()->getOperands())) {
      if (next.getParentBlock() == &block && next.getDefiningOp() &&
          llvm::count(block.getTerminator()->getOperands(), next) == 1 &&
          canReplace(carried, next, plan, block, scope.lastUse)) {
        scope.wanted[next] = plan.slots[carried];
        // What the matrix unit adds to, such as the rescaled output, is there
        // already.
        auto dot = next.getDefiningOp<tile::DotOp>();
        Value start = dot ? Value(firstOfSum(dot).getAcc()) : Value();
        if (plan.hasTiles && plan.pairDots.contains(dot) && start &&
            start.getParentBlock() == &block && start.getDefiningOp() &&
            start.hasOneUse() &&
            canReplace(carried, start, plan, block, scope.lastUse))
          scope.wanted[start] = plan.slots[carried];
      }
      if (isa<BlockArgument>(next) && next != carried &&
          next.getParentBlock() == &block)
        return loop->emitOpError(
            "yields one carried tile as another, which the "
            "CPU cannot do; copy it with tile.map");
    }
  for (size_t index = 0; index < plan.items[&block].size(); ++index) {
    Item item = plan.items[&block][index];
    Operation *op = item.ops.front();
    if (item.kind == ItemKind::Nest || item.kind == ItemKind::Tiles)
      planNest(scope, index);
    else if (item.kind == ItemKind::LaneLoad)
      plan.slots[op->getResult(0)] = allocateLanes(cast<tile::LoadOp>(op));
    else if (item.kind == ItemKind::Rows && isBlocked(cast<tile::LoadOp>(op))) {
      // Read in place.
    } else if (item.kind == ItemKind::Rows) {
      auto type = cast<tile::TileType>(op->getResult(0).getType());
      plan.packs[op] = allocate(type, inLoop);
      auto pairs = plan.pairRows.find(op);
      if (pairs != plan.pairRows.end())
        pairs->second = allocate(type, inLoop);
      auto tiles = plan.tileRows.find(op);
      if (tiles != plan.tileRows.end()) {
        tiles->second.offset = plan.bytes;
        plan.bytes += tileBytesOf(cast<tile::LoadOp>(op));
      }
    } else if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      if (failed(planLoop(scope, index, loop)))
        return failure();
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (failed(planIf(scope, index, branch)))
        return failure();
    }
    release(scope, index);
  }
  return success();
}

LogicalResult planHomes(Block &block, Plan &plan) {
  return HomePlanner(plan).run(block);
}

} // namespace attnc::cpu
