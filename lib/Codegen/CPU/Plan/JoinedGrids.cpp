//===- JoinedGrids.cpp - Find grids that run unit by unit -----------------===//
//
// A grid that packs the values of all heads, and one that reads them, have the
// axes (batch, head, ...) in common. A block of queries needs only what was
// packed for its head, so the object may run both grids head by head: what was
// packed is then still in the cache of the core that reads it (Abi/run.c).
//
//   grid (b, h, i, j)   stores P[b, h, ...]      joined in the axes b and h:
//   grid (b, h, i)      loads P[b, h, ...]       a unit is a head of a batch
//
// Grids are joined in axes of equal extents if, in each buffer that one of them
// stores and another accesses, all of them use the index of the axis at the
// same place. Then a unit touches nothing that another one stores.
// Tests: test/Codegen/CPU/Plan/joined-grids.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/JoinedGrids.h"

#include "attnc/Interface/Interface.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetOperations.h"

using namespace mlir;

namespace attnc::cpu {

/// One axis is the batch, of which a call may have only one. Joined in this one
/// alone, grids would wait for each other as before.
static constexpr unsigned kLeastAxes = 2;

/// ATTNC_MAX_JOINED of the entry (Abi/entry.h).
static constexpr size_t kMostGrids = 4;

namespace {
/// What the tasks of a grid do to a tensor or workspace.
struct Accesses {
  bool stores = false;
  /// For each axis of the grid, the axes of the buffer that have its index in
  /// all accesses.
  SmallVector<llvm::SmallDenseSet<unsigned, 4>> places;
};

using GridAccesses = llvm::MapVector<Value, Accesses>;

/// Finds the tensors and workspaces of a program's grids.
class AccessFinder {
public:
  explicit AccessFinder(tile::ProgramOp program);
  GridAccesses find(tile::GridOp grid) const;

private:
  Value rootOf(Value buf) const;

  /// An output that may be an input is the same tensor.
  DenseMap<Value, Value> sameTensor;
};
} // namespace

AccessFinder::AccessFinder(tile::ProgramOp program) {
  auto module = program->getParentOfType<ModuleOp>();
  auto list = module->getAttrOfType<ArrayAttr>(kInterfaceAttr);
  if (!list)
    return;
  auto arguments = program.getBody().getArguments();
  for (Attribute attr : list) {
    auto interface =
        Interface::fromAttr(attr, [&] { return program.emitError(); });
    // A case of a function has its arguments.
    if (failed(interface) ||
        program.getSymName().split('.').first != StringRef(interface->name))
      continue;
    for (auto [number, tensor] : llvm::enumerate(interface->tensors))
      if (auto same = tensor.mayBe.empty()
                          ? std::nullopt
                          : interface->tensorIndex(tensor.mayBe);
          same && number < arguments.size() && *same < arguments.size())
        sameTensor[arguments[number]] = arguments[*same];
  }
}

Value AccessFinder::rootOf(Value buf) const {
  while (auto rename = buf.getDefiningOp<tile::RenameOp>())
    buf = rename.getBuf();
  Value same = sameTensor.lookup(buf);
  return same ? same : buf;
}

/// The axes of a buffer at which an access to a tile of type `tile` has the
/// index `value` and no other one. Merged axes divide an index.
static llvm::SmallDenseSet<unsigned, 4>
placesOf(Value value, Value buf, ValueRange indices, tile::TileType tile) {
  llvm::SmallDenseSet<unsigned, 4> places;
  auto merged = tile::RenameOp::findMerged(buf);
  auto names = cast<tile::BufType>(buf.getType()).getNames();
  for (auto [axis, index] : llvm::enumerate(indices)) {
    bool isMerged = merged && (merged->rows == int64_t(axis) ||
                               merged->heads == int64_t(axis));
    bool hasOthers = tile.getDimSize(names[axis]).value_or(1) != 1;
    if (index == value && !isMerged && !hasOthers)
      places.insert(unsigned(axis));
  }
  return places;
}

GridAccesses AccessFinder::find(tile::GridOp grid) const {
  GridAccesses found;
  auto note = [&](Value buf, ValueRange indices, tile::TileType tile,
                  bool stores) {
    auto [entry, isNew] = found.try_emplace(rootOf(buf));
    Accesses &all = entry->second;
    all.stores |= stores;
    for (auto [axis, index] : llvm::enumerate(grid.getBody().getArguments())) {
      auto places = placesOf(index, buf, indices, tile);
      if (isNew)
        all.places.push_back(std::move(places));
      else
        llvm::set_intersect(all.places[axis], places);
    }
  };
  grid.walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!isa<tile::BufType>(operand.getType()))
        continue;
      auto load = dyn_cast<tile::LoadOp>(op);
      if (auto store = dyn_cast<tile::StoreOp>(op))
        note(operand, store.getIndices(), store.getValue().getType(),
             /*stores=*/true);
      else if (load && !load.getTable())
        note(operand, load.getIndices(), load.getType(), /*stores=*/false);
      else // at places that a table or an element gives
        note(operand, {}, {}, /*stores=*/false);
    }
  });
  return found;
}

/// Leading axes of equal extents, all before one that runs from its end.
static unsigned equalAxes(tile::GridOp a, tile::GridOp b) {
  unsigned count = 0;
  for (auto [left, right] : llvm::zip(a.getExtents(), b.getExtents())) {
    if (!isEqualConstantIntOrValue(left, right) || a.getDescending() == count ||
        b.getDescending() == count)
      break;
    ++count;
  }
  return count;
}

/// The leading axes in which two grids have units of their own.
static unsigned joinedAxes(const GridAccesses &a, const GridAccesses &b,
                           unsigned most) {
  for (auto &[buffer, other] : b) {
    auto found = a.find(buffer);
    if (found == a.end() || !(found->second.stores || other.stores))
      continue;
    unsigned axes = 0;
    auto isCommon = [&](unsigned axis) {
      return llvm::any_of(other.places[axis], [&](unsigned place) {
        return found->second.places[axis].contains(place);
      });
    };
    while (axes < most && isCommon(axes))
      ++axes;
    most = axes;
  }
  return most;
}

std::vector<unsigned> findJoinedGrids(tile::ProgramOp program) {
  AccessFinder finder(program);
  SmallVector<tile::GridOp> grids(program.getBody().getOps<tile::GridOp>());
  std::vector<GridAccesses> accesses;
  for (tile::GridOp grid : grids)
    accesses.push_back(finder.find(grid));
  std::vector<unsigned> joined(grids.size(), 0);
  size_t first = 0; // grid of those that are joined
  for (size_t number = 1; number < grids.size(); ++number) {
    unsigned axes = ~0u;
    for (size_t before = first; before < number; ++before)
      axes =
          std::min(axes, joinedAxes(accesses[before], accesses[number],
                                    equalAxes(grids[before], grids[number])));
    if (axes < kLeastAxes || number - first >= kMostGrids) {
      first = number;
      continue;
    }
    // All joined grids have the same units.
    if (first + 1 < number)
      axes = std::min(axes, joined[number - 1]);
    std::fill(joined.begin() + long(first) + 1,
              joined.begin() + long(number) + 1, axes);
  }
  return joined;
}

} // namespace attnc::cpu
