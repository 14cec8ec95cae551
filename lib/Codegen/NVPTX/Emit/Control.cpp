//===- Control.cpp - Loops over keys, branches and passes -----------------===//
//
// Tiles that are carried become the registers that hold them. A segment of a
// tile.for is a loop over its head and its rest, so that the code of full tiles
// and of partial tiles is there once:
//
//   for part = 0 to 2 {             // head; full tiles and tail
//     for each full tile { body without masks }
//     for each partial tile { body }
//   }
//
// With `classify` whether a piece is partial is known at run time only. Where
// products of values are late, all tiles are in one loop (Consumers.cpp).
// Tests: test/Codegen/NVPTX/convert-tile-to-nvvm.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"

#include "mlir/Transforms/RegionUtils.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attnc::ptx {

using Predicate = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Values of several registers
//===----------------------------------------------------------------------===//

SmallVector<Value> Emitter::flatten(ValueRange values) {
  SmallVector<Value> flat;
  for (Value value : values) {
    auto type = dyn_cast<tile::TileType>(value.getType());
    if (!type) {
      flat.push_back(lookup(value));
      continue;
    }
    Place place{type};
    for (place.row = 0; place.row < layout.rowSlots(type); ++place.row)
      for (place.column = 0; place.column < layout.columnSlots(type);
           ++place.column)
        flat.push_back(element(value, place));
  }
  return flat;
}

SmallVector<Type> Emitter::flatTypes(TypeRange types) {
  SmallVector<Type> flat;
  for (Type type : types) {
    auto tile = dyn_cast<tile::TileType>(type);
    flat.append(tile ? layout.slots(tile) : 1,
                tile ? tile.getElementType() : type);
  }
  return flat;
}

void Emitter::bind(ValueRange values, ValueRange flat) {
  for (Value value : values) {
    auto type = dyn_cast<tile::TileType>(value.getType());
    size_t count = type ? layout.slots(type) : 1;
    if (type)
      tiles[value] = {type, SmallVector<Value>(flat.take_front(count)), {}, {}};
    else
      scalars.map(value, flat.front());
    flat = flat.drop_front(count);
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Shared memory of a block is free again after it; what was stored there must
/// not be looked up by later code.
void Emitter::emitBlock(mlir::Block &block) {
  int64_t before = shared;
  size_t known = sharedCopies.size();
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      break;
    emitOp(&op);
    releaseAfter(&op);
  }
  shared = before;
  while (sharedCopies.size() > known)
    tiles[sharedCopies.pop_back_val()].shared.reset();
}

void Emitter::emitOp(Operation *op) {
  b.loc = op->getLoc();
  if (ahead.contains(op))
    return;
  if (role)
    return emitAsProducer(op);
  if (late && emitLate(op))
    return;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tile::ForOp loop) { emitFor(loop); })
      .Case([&](scf::ForOp loop) { emitPasses(loop); })
      .Case([&](scf::IfOp branch) { emitIf(branch); })
      .Case([&](tile::LoadOp load) { emitLoad(load); })
      .Case([&](tile::StoreOp store) { emitStore(store); })
      .Case([&](tile::DotOp dot) { emitDot(dot); })
      .Case([&](tile::MapOp map) { emitMap(map); })
      .Case([&](tile::SelectMaskedOp select) { emitSelect(select); })
      .Case([&](tile::SkewOp skew) { emitSkew(skew); })
      .Case([&](tile::ReduceOp reduce) { emitReduce(reduce); })
      .Case([&](tile::AnyNanOp test) { emitAnyNan(test); })
      .Case([&](tile::RescaleOp rescale) { emitRescale(rescale); })
      .Case([&](tile::SplatOp splat) {
        tiles[splat] = {
            splat.getType(), {}, {}, splat.getValue().convertToDouble()};
      })
      .Default([&](Operation *scalar) { emitScalar(scalar); });
}

void Emitter::emitIf(scf::IfOp branch) {
  auto emitRegion = [&](Region &region) -> SmallVector<Value> {
    if (region.empty())
      return {};
    mlir::Block &block = region.front();
    emitBlock(block);
    return flatten(block.getTerminator()->getOperands());
  };
  SmallVector<Value> results = b.choose(
      flatTypes(branch.getResultTypes()), lookup(branch.getCondition()),
      [&] { return emitRegion(branch.getThenRegion()); },
      [&] { return emitRegion(branch.getElseRegion()); });
  bind(branch.getResults(), results);
}

void Emitter::emitPasses(scf::ForOp loop) {
  SmallVector<Value> results =
      b.loop(lookup(loop.getLowerBound()), lookup(loop.getUpperBound()),
             lookup(loop.getStep()), flatten(loop.getInitArgs()),
             [&](Value induction, ValueRange carried) {
               scalars.map(loop.getInductionVar(), induction);
               bind(loop.getRegionIterArgs(), carried);
               emitBlock(*loop.getBody());
               return flatten(loop.getBody()->getTerminator()->getOperands());
             });
  bind(loop.getResults(), results);
}

//===----------------------------------------------------------------------===//
// tile.for
//===----------------------------------------------------------------------===//

SmallVector<Value> Emitter::emitTile(tile::ForOp loop, Value first, Value count,
                                     Value partial, ValueRange carried) {
  mlir::Block &body = loop.getBody().front();
  scalars.map(loop.getKeyStart(), first);
  scalars.map(loop.getKeyCount(), count);
  scalars.map(loop.getPartial(), partial);
  bind(body.getArguments().drop_front(tile::ForOp::kNumLoopArgs), carried);
  // Reads of tables run during the products of the tile.
  SmallVector<Operation *> early;
  for (auto map : body.getOps<tile::MapOp>()) {
    SetVector<Value> used(map->operand_begin(), map->operand_end());
    getUsedValuesDefinedAbove(map.getBody(), used);
    if (isOncePerWarp(map) && llvm::none_of(used, [&](Value value) {
          return value.getDefiningOp() && value.getParentBlock() == &body;
        }))
      early.push_back(map);
  }
  llvm::for_each(early, [&](Operation *map) { emitOp(map); });
  ahead.insert_range(early);
  emitBlock(body);
  for (Operation *map : early)
    ahead.erase(map);
  return flatten(body.getTerminator()->getOperands());
}

/// What `classify` says of the keys [first, end).
Value Emitter::emitClass(tile::ForOp loop, Value first, Value end) {
  return evaluate(loop.getClassify().front(), {first, end});
}

/// Partial tiles of [low, high), as `classify` tells of pieces of `step` keys.
SmallVector<Value> Emitter::emitPieces(tile::ForOp loop, Value low, Value high,
                                       ValueRange carried) {
  int64_t step = loop.getStep();
  SmallVector<Type> types(carried.getTypes());
  return b.loop(
      low, high, b.index(step), carried, [&](Value first, ValueRange values) {
        Value end = b.min(b.add(first, step), high);
        Value count = b.sub(end, first);
        Value found = emitClass(loop, first, end);
        Value isFull = b.logicalAnd(b.compare(Predicate::eq, found, 2),
                                    b.compare(Predicate::eq, count, step));
        return b.choose(
            types, b.compare(Predicate::ne, found, 0),
            [&] {
              return emitTile(loop, first, count, b.logicalNot(isFull), values);
            },
            [&] { return SmallVector<Value>(values); });
      });
}

/// Whether a tile is a number, so that none is partial.
static bool countsNumbers(tile::ForOp loop) {
  return loop.getStep() == 1 && !loop.hasClassify() &&
         loop.getPartial().use_empty();
}

static Part widen(Builder &b, const Part &part) {
  return {b.toIndex(part.first), b.toIndex(part.full), b.toIndex(part.low),
          b.toIndex(part.high)};
}

SmallVector<Value> Emitter::emitPart(tile::ForOp loop, const Part &narrow,
                                     ValueRange carried) {
  int64_t step = loop.getStep(), partialStep = loop.getPartialStep();
  SmallVector<tile::LoadOp> loads = findAhead(loop);
  SmallVector<Value> values;
  if (role) {
    producePart(loop, narrow);
    return {};
  }
  Part part = widen(b, narrow);
  if (stream)
    values = emitConsumed(loop, Part{part.first, part.full, {}, {}}, carried);
  else if (!loads.empty())
    values = emitPipelined(loop, loads, part.first, part.full, carried);
  else
    values =
        b.loop(b.index(0), part.full, b.index(1), carried,
               [&](Value number, ValueRange inner) {
                 return emitTile(loop, b.add(part.first, b.mul(number, step)),
                                 b.index(step), b.boolean(false), inner);
               });
  if (countsNumbers(loop))
    return values;
  if (loop.hasClassify())
    return emitPieces(loop, part.low, part.high, values);
  return b.loop(part.low, part.high, b.index(partialStep), values,
                [&](Value first, ValueRange inner) {
                  Value count =
                      b.min(b.sub(part.high, first), b.index(partialStep));
                  return emitTile(loop, first, count, b.boolean(true), inner);
                });
}

/// A bound of keys in 32 bits, as it is in a register for long. There are less
/// than 2^31 keys, so one that has more bits is beyond all of them.
Value Emitter::narrowBound(Value bound) {
  if (std::optional<int64_t> known = constantOf(bound))
    return b.i32(std::clamp<int64_t>(*known, INT32_MIN, INT32_MAX));
  if (auto wide = bound.getDefiningOp<arith::IndexCastOp>();
      wide && wide.getIn().getType().isInteger(32))
    return wide.getIn();
  return b.toI32(b.min(b.max(bound, b.index(INT32_MIN)), b.index(INT32_MAX)));
}

/// Whether two bounds are the same in every segment.
static bool alwaysEqual(tile::ForOp loop, unsigned one, unsigned other) {
  for (unsigned s = 0; s < loop.getNumSegments(); ++s) {
    Value left = loop.getSegment(s)[one], right = loop.getSegment(s)[other];
    std::optional<int64_t> fixed = constantOf(left);
    if (left != right && !(fixed && constantOf(right) == fixed))
      return false;
  }
  return true;
}

void Emitter::emitFor(tile::ForOp loop) {
  int64_t before = shared;
  Stream *outer = stream;
  enterStream(loop);
  int64_t step = loop.getStep();
  unsigned segments = loop.getNumSegments();
  bool isOfNumbers = countsNumbers(loop);
  bool hasFull = isOfNumbers || !alwaysEqual(loop, 1, 2);
  bool hasHead = hasFull && !isOfNumbers && !alwaysEqual(loop, 0, 1);
  bool isOneLoop = stream && !role && overlapsPartial(loop);
  SmallVector<Value> bounds = lookup(loop.getBounds());
  for (unsigned s = 0; s < segments && isOfNumbers; ++s) {
    bounds[4 * s + 1] = bounds[4 * s];
    bounds[4 * s + 2] = bounds[4 * s + 3];
  }
  if (layout.isFragment())
    for (Value &bound : bounds)
      bound = narrowBound(bound);
  Value zero = b.zero(bounds.front().getType());
  auto emitSegment = [&](Value number, Value isHead, ValueRange carried) {
    SmallVector<Value> chosen(bounds.begin(), bounds.begin() + 4);
    for (unsigned s = 1; s < segments; ++s) {
      Value isThis = b.compare(Predicate::eq, number, s);
      for (unsigned i = 0; i < 4; ++i)
        chosen[i] = b.select(isThis, bounds[4 * s + i], chosen[i]);
    }
    Value anyLow = chosen[0], anyHigh = chosen[3];
    Value allLow = b.min(b.max(chosen[1], anyLow), anyHigh);
    Value allHigh = b.min(b.max(chosen[2], allLow), anyHigh);
    Value full =
        hasFull ? b.max(b.floorDiv(b.sub(allHigh, allLow), step), zero) : zero;
    Value isAny = b.compare(Predicate::sgt, full, 0);
    Value tail = b.select(isAny, b.add(allLow, b.mul(full, step)), anyLow);
    Part rest{allLow, full, tail, anyHigh};
    Part head{allLow, zero, anyLow, b.select(isAny, allLow, anyLow)};
    if (isOneLoop)
      return emitConsumed(loop,
                          hasHead
                              ? ArrayRef<Part>{widen(b, head), widen(b, rest)}
                              : ArrayRef<Part>(widen(b, rest)),
                          carried);
    if (!isHead)
      return emitPart(loop, rest, carried);
    return emitPart(loop,
                    {allLow, b.select(isHead, zero, full),
                     b.select(isHead, anyLow, tail),
                     b.select(isHead, head.high, anyHigh)},
                    carried);
  };
  int64_t parts = hasHead && !isOneLoop ? 2 : 1;
  SmallVector<Value> results =
      b.loop(b.i32(0), b.i32(parts * int64_t(segments)), b.i32(1),
             role ? SmallVector<Value>() : flatten(loop.getInits()),
             [&](Value part, ValueRange carried) {
               Value number = b.floorDiv(part, parts), isHead;
               if (parts > 1)
                 isHead = b.compare(Predicate::eq, b.remainder(part, 2), 0);
               return emitSegment(number, isHead, carried);
             });
  shared = before;
  stream = outer;
  if (!role)
    bind(loop.getResults(), results);
}

} // namespace attnc::ptx
