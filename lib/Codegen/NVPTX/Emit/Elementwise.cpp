//===- Elementwise.cpp - Maps, masks, reductions and tests ----------------===//
//
// A reduction along the columns of registers combines those of a thread, then
// those of its quad by two shuffles. Any other one reads the tile in shared
// memory. Tests: test/Codegen/NVPTX/convert-tile-to-nvvm.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"
#include "Emit/RegionIntegers.h"

using namespace mlir;

namespace attnc::ptx {

using Predicate = arith::CmpIPredicate;

static constexpr int64_t kWarp = 32, kQuad = 4; // lanes

SmallVector<Value> Emitter::argumentsOf(ValueRange inputs, ArrayAttr dims,
                                        ValueRange at, const Place &place) {
  SmallVector<Value> arguments;
  for (Value input : inputs)
    arguments.push_back(element(input, place));
  for (auto [dim, start] : llvm::zip(dims.getAsRange<StringAttr>(), at))
    arguments.push_back(positionFrom(lookup(start), dim, place));
  return arguments;
}

/// Operands of a result in shared memory are read there.
static bool isShared(Value result) {
  return !Layout::isInRegisters(cast<tile::TileType>(result.getType()));
}

/// Whether a warp has each element of the map once, which its lanes read of
/// each other: a thread would read a table for a quarter of the columns, and
/// hold them in as many registers.
bool Emitter::isOncePerWarp(tile::MapOp map) {
  tile::TileType type = map.getType();
  if (!layout.isFragment() || type.getRank() != 1 || isShared(map) ||
      type.hasDim(kRowDim) || !map.getInputs().empty() || isWantedInShared(map))
    return false;
  mlir::Block &body = map.getBody().front();
  if (llvm::all_of(body, [](Operation &op) {
        return isa<arith::ArithDialect, tile::TileDialect>(op.getDialect()) &&
               !isa<tile::ReadOp>(op);
      }))
    return false;
  if (type.getElementType().isIndex()) {
    codegen::IndexRanges known = findRanges(body);
    auto range = known.of(body.getTerminator()->getOperand(0));
    if (!range || !range->within(31))
      return false;
  }
  return llvm::all_of(map->getUsers(), [&](Operation *user) {
    return isa<tile::MapOp, tile::SelectMaskedOp>(user) &&
           !isShared(user->getResult(0));
  });
}

/// Whether masks of partial tiles alone read the map, as this value says of a
/// tile.
static Value findOnlyPartial(tile::MapOp map) {
  Value partial;
  for (Operation *user : map->getUsers()) {
    auto select = dyn_cast<tile::SelectMaskedOp>(user);
    if (!select || (partial && select.getPartial() != partial))
      return {};
    partial = select.getPartial();
  }
  return partial;
}

/// The columns that this lane has of its warp's.
SmallVector<Value>
Emitter::computeOfWarp(tile::MapOp map,
                       llvm::function_ref<Value(const Place &)> compute) {
  tile::TileType type = map.getType();
  StringAttr dim = Layout::columnOf(type);
  SmallVector<Value> registers;
  for (int64_t first = 0; first < layout.padded(*type.getDimSize(dim));
       first += kWarp) {
    Place place{type};
    place.positions = {{dim, b.add(lane, first)}};
    Value value = compute(place);
    registers.push_back(value.getType().isIndex() ? b.toI32(value) : value);
  }
  return registers;
}

void Emitter::emitMap(tile::MapOp map) {
  if (isShared(map))
    for (Value input : map.getInputs())
      toShared(input);
  auto compute = [&](const Place &place) {
    return evaluate(
        map.getBody().front(),
        argumentsOf(map.getInputs(), map.getAtDims(), map.getAt(), place));
  };
  std::optional<Value> guard = findGuard(map);
  tile::TileType type = map.getType();
  bool isOfWarp = isOncePerWarp(map);
  if (isShared(map) || (!guard && !isOfWarp))
    return define(map, compute);
  SmallVector<Type> types = flatTypes(map.getType());
  if (isOfWarp)
    types.assign(llvm::divideCeil(types.size() * kQuad, kWarp),
                 type.getElementType().isIndex() ? b.getI32Type()
                                                 : type.getElementType());
  auto computeFilled = [&](std::optional<bool> isFilled) {
    std::optional<bool> before = std::exchange(isReadFilled, isFilled);
    SmallVector<Value> registers = isOfWarp ? computeOfWarp(map, compute)
                                            : computeRegisters(type, compute);
    isReadFilled = before;
    return registers;
  };
  auto computeAll = [&] {
    return guard ? b.choose(
                       types, *guard, [&] { return computeFilled(true); },
                       [&] { return computeFilled(false); })
                 : computeFilled(isReadFilled);
  };
  Value partial = isOfWarp ? findOnlyPartial(map) : Value();
  SmallVector<Value> made =
      partial ? b.choose(types, lookup(partial), computeAll,
                         [&] {
                           return llvm::map_to_vector(
                               types, [&](Type t) { return b.zero(t); });
                         })
              : computeAll();
  if (isOfWarp) {
    tiles[map] = {type, made, {}, {}, /*isOfWarp=*/true};
    return;
  }
  int64_t columns = layout.columnSlots(type);
  define(map, [&](const Place &place) {
    return made[place.row * columns + place.column];
  });
}

void Emitter::emitRescale(tile::RescaleOp rescale) {
  if (isShared(rescale)) {
    toShared(rescale.getValue());
    toShared(rescale.getFactor());
  }
  define(rescale, [&](const Place &place) -> Value {
    return arith::MulFOp::create(b, b.loc, element(rescale.getValue(), place),
                                 element(rescale.getFactor(), place));
  });
}

void Emitter::emitSelect(tile::SelectMaskedOp select) {
  Value partial = lookup(select.getPartial());
  Value operand = select.getValue();
  std::optional<int64_t> known = constantOf(partial);
  if (known == 0) {
    Tile alias = tiles[operand];
    if (!isShared(select))
      alias.shared.reset(); // a copy that the operand's block frees
    tiles[select] = std::move(alias);
    if (!isShared(select) && isWantedInShared(select))
      toShared(select);
    return;
  }
  tile::TileType type = select.getType();
  if (isShared(select)) {
    toShared(operand);
    for (Value input : select.getInputs())
      toShared(input);
  }
  auto masked = [&](const Place &place) -> Value {
    Value kept = evaluate(select.getBody().front(),
                          argumentsOf(select.getInputs(), select.getAtDims(),
                                      select.getAt(), place));
    if (Value isInside =
            isValid(place, select.getValidDims(), select.getValid()))
      kept = b.logicalAnd(isInside, kept);
    Value fill =
        b.constant(type.getElementType(), select.getFill().convertToDouble());
    return b.select(kept, element(operand, place), fill);
  };
  if (known || isShared(select))
    return define(select, [&](const Place &place) {
      return b.choose(
          type.getElementType(), partial,
          [&] { return SmallVector<Value>{masked(place)}; },
          [&] { return SmallVector<Value>{element(operand, place)}; })[0];
    });
  // One branch for all registers.
  SmallVector<Value> chosen = b.choose(
      flatTypes(type), partial, [&] { return computeRegisters(type, masked); },
      [&] { return flatten(operand); });
  int64_t columns = layout.columnSlots(type);
  define(select, [&](const Place &place) {
    return chosen[place.row * columns + place.column];
  });
}

void Emitter::emitSkew(tile::SkewOp skew) {
  SharedTile values = toShared(skew.getValue());
  int64_t last = *skew.getType().getDimSize(skew.getMinus()) - 1;
  bool isPadded = layout.padded(last + 1) != last + 1;
  define(skew, [&](const Place &place) {
    Value distance = b.sub(position(skew.getPlus(), place),
                           position(skew.getMinus(), place));
    Value at = b.add(distance, last);
    if (isPadded)
      at = b.max(at, b.index(0));
    return elementOf(values, [&](StringRef) { return at; });
  });
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

void Emitter::emitReduceInRegisters(tile::ReduceOp reduce) {
  bool isMax = reduce.getKind() == tile::ReduceKind::Max;
  tile::TileType type = reduce.getInput().getType();
  Type elementType = type.getElementType();
  int64_t size = *type.getDimSize(reduce.getOver());
  bool isPadded = layout.padded(size) != size;
  Value neutral = b.constant(
      elementType, isMax ? -std::numeric_limits<double>::infinity() : 0);
  define(reduce, [&](const Place &place) {
    Value sum;
    Place at{type, place.row};
    for (at.column = 0; at.column < layout.columnSlots(type); ++at.column) {
      Value value = element(reduce.getInput(), at);
      if (isPadded)
        value =
            b.select(b.compare(Predicate::slt, columnPosition(at.column), size),
                     value, neutral);
      sum = sum ? b.combine(isMax, sum, value) : value;
    }
    if (layout.isFragment())
      for (int64_t mask : {1, 2})
        sum = b.combine(isMax, sum, b.exchange(sum, mask));
    return b.combine(isMax, element(reduce.getInit(), place), sum);
  });
}

void Emitter::emitReduce(tile::ReduceOp reduce) {
  tile::TileType type = reduce.getInput().getType();
  if (type.hasDim(kRowDim) && reduce.getOver() != kRowDim)
    return emitReduceInRegisters(reduce);
  bool isMax = reduce.getKind() == tile::ReduceKind::Max;
  SharedTile input = toShared(reduce.getInput());
  if (isShared(reduce))
    toShared(reduce.getInit());
  Value size = b.index(*type.getDimSize(reduce.getOver()));
  define(reduce, [&](const Place &place) {
    return b.loop(
        b.index(0), size, b.index(1), element(reduce.getInit(), place),
        [&](Value number, ValueRange carried) {
          Value value = elementOf(input, [&](StringRef dim) {
            return dim == reduce.getOver() ? number : position(dim, place);
          });
          return SmallVector<Value>{b.combine(isMax, carried[0], value)};
        })[0];
  });
}

/// The warps write what they found to shared memory, so that all threads take
/// the same branch.
void Emitter::emitAnyNan(tile::AnyNanOp test) {
  Value tile = test.getValue();
  auto type = cast<tile::TileType>(tile.getType());
  auto isNan = [&](const Place &place) {
    Value value = element(tile, place);
    Value nan = arith::CmpFOp::create(b, b.loc, arith::CmpFPredicate::UNO,
                                      value, value);
    Value isInside = isValid(place, test.getValidDims(), test.getValid());
    return isInside ? b.logicalAnd(isInside, nan) : nan;
  };
  Value found = b.boolean(false);
  if (Layout::isInRegisters(type)) {
    Place place{type};
    for (place.row = 0; place.row < layout.rowSlots(type); ++place.row)
      for (place.column = 0; place.column < layout.columnSlots(type);
           ++place.column)
        found = b.logicalOr(found, isNan(place));
  } else {
    SharedTile held = toShared(tile);
    found = b.loop(thread, b.index(held.rows * held.columns), b.index(threads),
                   found, [&](Value number, ValueRange carried) {
                     Place place{type};
                     Value row = b.floorDiv(number, held.columns);
                     Value column = b.remainder(number, held.columns);
                     if (held.dims.size() == 2)
                       place.positions.push_back({held.dims.front(), row});
                     place.positions.push_back({held.dims.back(), column});
                     return SmallVector<Value>{
                         b.logicalOr(carried[0], isNan(place))};
                   })[0];
  }
  int64_t warps = layout.getTarget().getWarps();
  Type flag = b.getI1Type();
  Value inWarp = b.intrinsic("vote.any.sync", flag, {b.i32(-1), found});
  SharedTile flags;
  flags.columns = flags.pitch = warps;
  flags.element = flag;
  int64_t before = shared;
  flags = allocate(flags);
  b.barrier();
  Value pointer = sharedPointer(flags.offset);
  b.branch(b.compare(Predicate::eq, lane, 0), [&] {
    b.store(inWarp, flag, b.address(pointer, b.memoryType(flag), warp));
  });
  b.barrier();
  Value any = b.boolean(false);
  for (int64_t w = 0; w < warps; ++w)
    any = b.logicalOr(
        any, b.load(flag, b.address(pointer, b.memoryType(flag), b.index(w))));
  shared = before;
  scalars.map(test.getResult(), any);
}

} // namespace attnc::ptx
