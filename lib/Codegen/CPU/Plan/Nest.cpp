//===- Nest.cpp - Group the ops of a block into loop nests ----------------===//
//
// The ops of a block are values without an order but that of their operands, so
// they are taken in the order that makes the fewest passes over scratch:
// scalars, loads and rows of lanes as soon as their operands are there, and
// then the first op over a larger space together with all later ones over the
// same space that can join it. In the flash loop this gives
//
//   (q, k)  dot, map, select_masked, reduce max        one nest
//   (q)     new maximum, factors
//   (q, k)  map exp2, reduce add                       one nest
//   (q, e)  rescale, dot                               one nest
//
// An op joins a nest unless it needs more than the same element of a tile that
// the nest makes: a reduction of it, or the whole of it as a dot's operand. A
// dot on the matrix unit reads and writes scratch, so nothing shares its loops
// but dots that add to its sums.
// Tests: test/Codegen/CPU/nests.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attnc::cpu {

std::optional<Space> spaceOf(tile::TileType type) {
  Space space;
  if (type.hasDim(tile::kDistanceDim)) {
    space = {true, {}, type.getNumElements(), true};
    return type.getRank() == 1 ? std::optional(space) : std::nullopt;
  }
  for (auto [name, size] : type.getDims()) {
    if (name == kLaneDim) {
      space.lanes = true;
      continue;
    }
    if (space.dim)
      return std::nullopt;
    space.dim = name;
    space.size = size;
  }
  return space;
}

Type Plan::storage(Type element) const {
  if (isa<FloatType>(element))
    return accumulator;
  return IntegerType::get(element.getContext(), element.isIndex() ? 64 : 8);
}

/// The tile whose dims are the places that an op of a nest visits; null when
/// the op is not for a nest.
static tile::TileType iterationTile(Operation *op) {
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return reduce.getInput().getType();
  if (isa<tile::MapOp, tile::SelectMaskedOp, tile::RescaleOp, tile::SkewOp,
          tile::DotOp>(op))
    return cast<tile::TileType>(op->getResult(0).getType());
  return {};
}

static bool hasTile(Operation *op) {
  auto isTile = [](Type type) { return isa<tile::TileType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTile) ||
         llvm::any_of(op->getResultTypes(), isTile);
}

namespace {
class Grouper {
public:
  Grouper(Block &block, Plan &plan) : block(block), plan(plan) {}
  LogicalResult run();

private:
  bool isReady(Operation *op) const;
  /// Whether `op` can be computed inside `nest` besides what is done already.
  bool joins(Operation *op, const Item &nest) const;
  void take(Item item);
  bool takeLightOps();
  bool waitsForDot(Operation *op) const;
  /// Whether the matrix unit computes `op`.
  bool isOnTiles(Operation *op) const {
    return plan.hasTiles && plan.pairDots.contains(op);
  }
  bool isContinued(Operation *op) const;
  SmallVector<Operation *> chainTo(Operation *op) const;
  Item makeNest(Operation *first) const;
  FailureOr<Item> makeItem(Operation *op) const;

  Block &block;
  Plan &plan;
  llvm::SetVector<Operation *> left;
};
} // namespace

/// The values that an op uses, in its regions too.
template <typename Fn> static bool allUsed(Operation *op, Fn fn) {
  return !op->walk([&](Operation *inner) {
              return llvm::all_of(inner->getOperands(), fn)
                         ? WalkResult::advance()
                         : WalkResult::interrupt();
            }).wasInterrupted();
}

/// Whether the next product of the matrix unit adds to the sums of `op`, which
/// nothing else reads: both are one item, so that sums stay in registers.
bool Grouper::isContinued(Operation *op) const {
  auto dot = dyn_cast<tile::DotOp>(op);
  if (!dot || !isOnTiles(op) || !dot->hasOneUse())
    return false;
  auto next = dyn_cast<tile::DotOp>(*dot->user_begin());
  return next && isOnTiles(next) && next->getBlock() == dot->getBlock() &&
         next.getAcc() == dot.getResult() && next.getSum() == dot.getSum();
}

/// `op` after all products to whose sums it adds in this way.
SmallVector<Operation *> Grouper::chainTo(Operation *op) const {
  SmallVector<Operation *> chain{op};
  while (true) {
    Value sums = cast<tile::DotOp>(chain.back()).getAcc();
    Operation *before = sums ? sums.getDefiningOp() : nullptr;
    if (!before || !isContinued(before))
      break;
    chain.push_back(before);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

bool Grouper::isReady(Operation *op) const {
  if (isContinued(op))
    return false; // part of the item of another
  SmallVector<Operation *> ops{op};
  if (isOnTiles(op))
    ops = chainTo(op);
  return llvm::all_of(ops, [&](Operation *one) {
    return allUsed(one, [&](Value value) {
      Operation *def = value.getDefiningOp();
      return !def || !left.contains(def) || llvm::is_contained(ops, def);
    });
  });
}

bool Grouper::joins(Operation *op, const Item &nest) const {
  tile::TileType tile = iterationTile(op);
  if (!tile || spaceOf(tile) != nest.space || isOnTiles(op))
    return false;
  auto dot = dyn_cast<tile::DotOp>(op);
  return allUsed(op, [&](Value value) {
    Operation *def = value.getDefiningOp();
    if (!def || !left.contains(def))
      return true;
    if (!llvm::is_contained(nest.ops, def) || isa<tile::ReduceOp>(def))
      return false;
    return !dot || (value == dot.getAcc() && value != dot.getLhs() &&
                    value != dot.getRhs());
  });
}

void Grouper::take(Item item) {
  for (Operation *op : item.ops)
    left.remove(op);
  plan.items[&block].push_back(std::move(item));
}

Item Grouper::makeNest(Operation *first) const {
  Item nest{ItemKind::Nest, {first}, *spaceOf(iterationTile(first))};
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation *op : left) {
      if (llvm::is_contained(nest.ops, op) || !joins(op, nest))
        continue;
      nest.ops.push_back(op);
      changed = true;
    }
  }
  return nest;
}

FailureOr<Item> Grouper::makeItem(Operation *op) const {
  if (tile::TileType tile = iterationTile(op)) {
    if (!spaceOf(tile))
      return op->emitOpError("has the dims of ")
             << tile << ", but the CPU's loops have the dim " << kLaneDim
             << " and one other";
    if (isOnTiles(op))
      return Item{ItemKind::Tiles, chainTo(op), *spaceOf(tile)};
    return makeNest(op);
  }
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    tile::TileType type = load.getResult().getType();
    if (spaceOf(type))
      return Item{ItemKind::LaneLoad, {op}, *spaceOf(type)};
    return Item{ItemKind::Rows, {op}, {}};
  }
  if (isa<tile::StoreOp>(op))
    return Item{ItemKind::Store, {op}, {}};
  if (isa<tile::AnyNanOp>(op))
    return Item{ItemKind::AnyNan, {op}, {}};
  if (isa<tile::ForOp>(op))
    return Item{ItemKind::For, {op}, {}};
  if (isa<scf::IfOp>(op))
    return Item{ItemKind::If, {op}, {}};
  if (isa<scf::ForOp>(op))
    return Item{ItemKind::Passes, {op}, {}};
  if (!hasTile(op) && op->getNumRegions() == 0)
    return Item{ItemKind::Scalar, {op}, {}};
  return op->emitOpError("is not supported by the CPU code generator");
}

/// Takes what is small or needed by others: everything but stores, loops and
/// nests with a dim besides the lanes.
bool Grouper::takeLightOps() {
  bool taken = false;
  SmallVector<Operation *> order(left.begin(), left.end());
  for (Operation *op : order) {
    if (!left.contains(op) || !isReady(op))
      continue;
    tile::TileType tile = iterationTile(op);
    bool light =
        tile ? spaceOf(tile) && (!spaceOf(tile)->lanes || !spaceOf(tile)->dim)
             : isa<tile::LoadOp>(op) || !hasTile(op);
    if (!light || isa<tile::StoreOp, tile::ForOp, scf::IfOp, scf::ForOp>(op))
      continue;
    FailureOr<Item> item = makeItem(op);
    if (failed(item))
      return false;
    take(std::move(*item));
    taken = true;
  }
  return taken;
}

/// Whether `op` makes the accumulator of a dot that cannot be done yet: its
/// place is in the dot's nest.
bool Grouper::waitsForDot(Operation *op) const {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    auto dot = dyn_cast<tile::DotOp>(user);
    if (!dot || dot.getAcc() != op->getResult(0))
      return false;
    return llvm::any_of(dot->getOperands(), [&](Value value) {
      return value != dot.getAcc() && value.getDefiningOp() &&
             left.contains(value.getDefiningOp());
    });
  });
}

LogicalResult Grouper::run() {
  plan.items[&block].clear();
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>() || isa<tile::SplatOp>(op))
      continue;
    // All diagnostics come first, in program order.
    if (failed(makeItem(&op)))
      return failure();
    left.insert(&op);
  }
  while (!left.empty()) {
    if (takeLightOps())
      continue;
    auto *next = llvm::find_if(
        left, [&](Operation *op) { return isReady(op) && !waitsForDot(op); });
    if (next == left.end())
      next = llvm::find_if(left, [&](Operation *op) { return isReady(op); });
    FailureOr<Item> item = makeItem(*next);
    if (failed(item))
      return failure();
    take(std::move(*item));
  }
  return success();
}

LogicalResult planItems(Block &block, Plan &plan) {
  if (failed(Grouper(block, plan).run()))
    return failure();
  for (Operation &op : block) {
    if (!isa<tile::ForOp, scf::IfOp, scf::ForOp>(op))
      continue;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(planItems(inner, plan)))
          return failure();
  }
  return success();
}

} // namespace attnc::cpu
