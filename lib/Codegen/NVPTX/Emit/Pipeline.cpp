//===- Pipeline.cpp - Tiles that are copied ahead -------------------------===//
//
// With `stages` buffers per tile of keys and values, full tiles are copied
// stages - 1 iterations before they are used:
//
//   copy tiles 0 to stages - 2
//   for n = 0 to full {
//     wait for the copies of tile n; barrier
//     copy tile n + stages - 1      // where tile n - 1 was
//     body
//   }
//
// With `overlap` the values of a tile are copied with the keys of the next one,
// and in the middle of the body (Overlap.cpp).
//
// Each iteration commits one group, be it empty, so that the number of groups
// that may be pending is fixed. Tests: test/Codegen/NVPTX/pipelined.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"

using namespace mlir;

namespace attnc::ptx {

using Predicate = arith::CmpIPredicate;

/// Adds the op of a value and, before it, those that it comes from.
static bool addScalars(tile::ForOp loop, Value value,
                       llvm::SetVector<Operation *> &ops) {
  if (value.getParentBlock() != &loop.getBody().front() ||
      value == loop.getKeyStart() || value == loop.getKeyCount())
    return true;
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ArithDialect>(op ? op->getDialect() : nullptr))
    return false;
  if (ops.contains(op))
    return true;
  for (Value operand : op->getOperands())
    if (!addScalars(loop, operand, ops))
      return false;
  ops.insert(op);
  return true;
}

std::optional<llvm::SetVector<Operation *>> findPlace(tile::ForOp loop,
                                                      tile::LoadOp load) {
  llvm::SetVector<Operation *> ops;
  for (Value operand : load->getOperands())
    if (!addScalars(loop, operand, ops))
      return std::nullopt;
  return ops;
}

/// For the keys that `scalars` has.
void Emitter::emitPlace(tile::ForOp loop, tile::LoadOp load) {
  auto place = findPlace(loop, load);
  for (Operation *op : *place)
    emitScalar(op);
}

/// Loads of shared memory that depend on the tile's keys alone, of loops whose
/// products run on tensor cores: others take longer than their copies.
SmallVector<tile::LoadOp> Emitter::findAhead(tile::ForOp loop) {
  SmallVector<tile::LoadOp> loads;
  if (layout.getTarget().getStages() < 2)
    return loads;
  for (Operation &op : loop.getBody().front()) {
    if (auto dot = dyn_cast<tile::DotOp>(op);
        dot && !usesTensorCores(dot, layout))
      return {};
    auto load = dyn_cast<tile::LoadOp>(op);
    if (load && !layout.isInRegisters(load) &&
        canCopyAsync(load, innerOf(load)) && findPlace(loop, load))
      loads.push_back(load);
  }
  return loads;
}

SmallVector<Value> Emitter::emitPipelined(tile::ForOp loop,
                                          ArrayRef<tile::LoadOp> loads,
                                          Value first, Value full,
                                          ValueRange carried) {
  int64_t stages = layout.getTarget().getStages(), step = loop.getStep();
  int64_t before = shared;
  SmallVector<SharedTile> buffers;
  for (tile::LoadOp load : loads) {
    SharedTile made = allocate(layout.makeShared(Value(load), innerOf(load)));
    shared += (stages - 1) * made.bytes();
    mostShared = std::max(mostShared, shared);
    buffers.push_back(made);
  }
  std::optional<LateProduct> outer = std::move(late);
  late = findLate(loop, loads);
  auto isLate = [&](tile::LoadOp load) {
    return late && load == late->columns;
  };
  auto bufferOf = [&](SharedTile made, Value number) {
    made.stage = b.mul(b.remainder(number, stages), made.bytes());
    return made;
  };
  auto copyLoads = [&](Value number, bool lateOnes) {
    Value isTile = b.logicalAnd(b.compare(Predicate::sge, number, 0),
                                b.compare(Predicate::slt, number, full));
    b.branch(isTile, [&] {
      IRMapping outer = scalars; // of the tile whose code this is in
      scalars.map(loop.getKeyStart(), b.add(first, b.mul(number, step)));
      scalars.map(loop.getKeyCount(), b.index(step));
      for (auto [load, made] : llvm::zip_equal(loads, buffers))
        if (isLate(load) == lateOnes) {
          emitPlace(loop, load);
          copy(load, bufferOf(made, number));
        }
      scalars = std::move(outer);
    });
  };
  auto copyTile = [&](Value number) {
    copyLoads(number, /*lateOnes=*/false);
    if (late)
      copyLoads(b.add(number, -1), /*lateOnes=*/true);
    b.intrinsic("cp.async.commit.group", {});
  };
  auto findCopies = [&](Value number) {
    for (auto [i, op] : llvm::enumerate(loads)) {
      tile::LoadOp load = op;
      Value own = isLate(load) ? b.add(number, -1) : number;
      tiles[load] = {load.getType(), {}, bufferOf(buffers[i], own), {}};
      ahead.insert(load);
    }
  };
  auto emitAt = [&](Value number, ValueRange inner) {
    b.intrinsic("cp.async.wait.group", b.i32(stages - 2));
    publish(buffers);
    Value next = b.add(number, stages - 1);
    if (late)
      late->copyNext = [&, next] { copyTile(next); };
    else
      copyTile(next);
    findCopies(number);
    return emitTile(loop, b.add(first, b.mul(number, step)), b.index(step),
                    b.boolean(false), inner);
  };
  b.barrier();
  for (int64_t number = 0; number + 1 < stages; ++number)
    copyTile(b.index(number));
  SmallVector<Value> results =
      late ? emitOverlapped(loop, full, carried, emitAt, findCopies)
           : b.loop(b.index(0), full, b.index(1), carried, emitAt);
  late = std::move(outer);
  for (tile::LoadOp load : loads)
    ahead.erase(load);
  shared = before;
  return results;
}

} // namespace attnc::ptx
