//===- SideBlock.cpp - One block of an op outside kernels -----------------===//
//
// Tests: test/Lowering/Side/side-ops.mlir
//
//===----------------------------------------------------------------------===//

#include "Side/SideBlock.h"

#include "Formula/Formula.h"
#include "Formula/ReadElement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc::lowering {

static Type accumulateOf(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  return attn::accumulateType(types);
}

Value emitRounded(OpBuilder &builder, Location loc, Value x, Type element) {
  if (!isa<FloatType>(element) || x.getType() == element)
    return x;
  return arith::TruncFOp::create(builder, loc, element, x);
}

Value emitWidened(OpBuilder &builder, Location loc, Value x, Type element) {
  if (x.getType() == element)
    return x;
  return arith::ExtFOp::create(builder, loc, element, x);
}

SideBlock::SideBlock(Operation *op, Storage &storage)
    : op(op), storage(storage), block(attn::BlockAttr::of(op)),
      loc(op->getLoc()),
      builder(OpBuilder::atBlockEnd(&storage.program.getBody().front())),
      accumulate(accumulateOf(op)), made(op->getResults()) {}

void SideBlock::addAxes(StringRef letters, Value tensor) {
  for (auto [axis, letter] : llvm::enumerate(letters)) {
    Attribute size = attn::axisSize(tensor.getType(), axis);
    Attribute &known = sizes[letter];
    if (!known || isa<IntegerAttr>(size))
      known = size;
  }
}

char SideBlock::nameOf(char letter) const {
  if (letter == kNoLetter || block.getLanes() == StringRef(&letter, 1))
    return 'q';
  if (block.getRows() == StringRef(&letter, 1))
    return 'e';
  if (letter == (summed.size() == 1 ? summed[0] : stepped))
    return 'k';
  // No block goes along it, so it must not be called like a dim.
  size_t number = StringRef("deqk").find(letter);
  if (number == StringRef::npos)
    return letter;
  for (char name = 'z'; name > 'a'; --name)
    if (!StringRef("deqk").contains(name) && !sizes.contains(name) &&
        number-- == 0)
      return name;
  llvm_unreachable("an op has fewer letters than the alphabet");
}

LogicalResult SideBlock::addResult(Value result, StringRef letters,
                                   bool inLoop) {
  auto places = storage.destinations(
      result, letters, [&](char letter) { return nameOf(letter); },
      inLoop ? Storage::Copies::Nullable : Storage::Copies::AsNeeded);
  if (failed(places))
    return failure();
  // A loop does not branch: it stores to workspaces whether or not the outputs
  // are given that need them.
  if (inLoop)
    for (Destination &place : *places)
      place.wantedFor.clear();
  results[result] = std::move(*places);
  return success();
}

LogicalResult SideBlock::addInPlace(Value cache, StringRef letters) {
  auto place = storage.inPlace(op, cache, letters,
                               [&](char letter) { return nameOf(letter); });
  if (failed(place))
    return failure();
  results[op->getResult(0)] = {std::move(*place)};
  return success();
}

FailureOr<BlockBuffer> SideBlock::operand(Value operand, StringRef letters) {
  return storage.operand(op, operand, letters,
                         [&](char letter) { return nameOf(letter); });
}

Value SideBlock::sizeOf(OpBuilder &b, char letter) const {
  return storage.scope.sizeOf(b, loc, sizes.lookup(letter));
}

FailureOr<BlockBuffer> SideBlock::panels(Value operand, StringRef letters) {
  return storage.panels(op, operand, letters,
                        [&](char letter) { return nameOf(letter); });
}

std::optional<int64_t> SideBlock::fixedSize(char letter) const {
  auto number = dyn_cast_if_present<IntegerAttr>(sizes.lookup(letter));
  return number ? std::optional(number.getInt()) : std::nullopt;
}

int64_t SideBlock::rowsOfTile() const {
  std::optional<int64_t> fixed = fixedSize(block.getRows()[0]);
  int64_t most = block.getRowsOfBlock();
  return std::clamp<int64_t>(fixed.value_or(most), 1, most);
}

void SideBlock::open(StringRef axes) {
  // Blocks may be stored to workspaces that were made after this object.
  builder.setInsertionPointToEnd(&storage.program.getBody().front());
  SmallVector<Value> extents;
  SmallVector<std::string> names;
  auto addBlocks = [&](char letter, int64_t size) {
    Value step = arith::ConstantIndexOp::create(builder, loc, size);
    extents.push_back(builder.createOrFold<arith::CeilDivSIOp>(
        loc, sizeOf(builder, letter), step));
  };
  auto isGridAxis = [&](char letter) {
    return fixedSize(letter) != 1 && nameOf(letter) != 'q' &&
           nameOf(letter) != 'e';
  };
  auto addLetters = [&](bool inner) {
    for (char letter : axes) {
      if (!isGridAxis(letter) || block.getInner().contains(letter) != inner)
        continue;
      extents.push_back(sizeOf(builder, letter));
      names.emplace_back(1, letter);
    }
  };
  addLetters(/*inner=*/false);
  bool splitsRows =
      !block.getRows().empty() && fixedSize(block.getRows()[0]) != rowsOfTile();
  if (splitsRows) {
    addBlocks(block.getRows()[0], rowsOfTile());
    names.push_back("j");
  }
  addLetters(/*inner=*/true);
  if (block.getLanes().empty())
    extents.push_back(arith::ConstantIndexOp::create(builder, loc, 1));
  else
    addBlocks(block.getLanes()[0], block.getQ());
  names.push_back("i");
  if (isCalled) {
    Value none = arith::ConstantIndexOp::create(builder, loc, 0);
    extents.front() =
        arith::SelectOp::create(builder, loc, isCalled, extents.front(), none);
  }
  SmallVector<StringRef> texts(names.begin(), names.end());
  auto grid = tile::GridOp::create(builder, loc, extents, texts);
  if (block.getTarget() != storage.program.getTarget())
    grid.setTargetAttr(block.getTarget());

  builder.setInsertionPointToStart(&grid.getBody().front());
  branchOnWanted(builder, loc, storage.wantedFor(made, {}));
  zero = arith::ConstantIndexOp::create(builder, loc, 0);
  auto places = grid.getBody().getArguments();
  size_t next = 0;
  auto placeLetters = [&](bool inner) {
    for (char letter : axes)
      if (isGridAxis(letter) && block.getInner().contains(letter) == inner)
        uniform[letter] = places[next++];
  };
  for (char letter : axes)
    if (nameOf(letter) != 'q' && nameOf(letter) != 'e')
      uniform[letter] = zero;
  placeLetters(/*inner=*/false);
  auto startBlock = [&](Value number, char letter, int64_t size, Value &start,
                        Value &count) {
    Value step = arith::ConstantIndexOp::create(builder, loc, size);
    start = arith::MulIOp::create(builder, loc, number, step);
    Value left =
        arith::SubIOp::create(builder, loc, sizeOf(builder, letter), start);
    count = arith::MinSIOp::create(builder, loc, left, step);
  };
  e0 = zero;
  ne = {}; // an earlier grid may have had several blocks of rows
  if (splitsRows)
    startBlock(places[next++], block.getRows()[0], rowsOfTile(), e0, ne);
  placeLetters(/*inner=*/true);
  q0 = zero;
  nq = arith::ConstantIndexOp::create(builder, loc, 1);
  if (!block.getLanes().empty())
    startBlock(places[next], block.getLanes()[0], block.getQ(), q0, nq);
  branchOnVisits();
}

tile::TileType SideBlock::tileType(StringRef dims, Type element) const {
  SmallVector<std::pair<StringRef, int64_t>> sizesOfDims;
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t size = dims[i] == 'q'   ? block.getQ()
                   : dims[i] == 'e' ? tileRows ? tileRows : rowsOfTile()
                                    : summedSize;
    sizesOfDims.emplace_back(dims.substr(i, 1), size);
  }
  return tile::TileType::get(loc.getContext(), sizesOfDims, element);
}

SmallVector<std::pair<StringRef, Value>> SideBlock::starts(tile::TileType type,
                                                           Value k0) const {
  SmallVector<std::pair<StringRef, Value>> named;
  for (StringAttr name : type.getNames())
    named.emplace_back(name.getValue(), name == "q"   ? q0
                                        : name == "e" ? e0
                                                      : k0);
  return named;
}

SmallVector<std::pair<StringRef, Value>> SideBlock::valid(tile::TileType type,
                                                          Value nk) const {
  SmallVector<std::pair<StringRef, Value>> named;
  for (StringAttr name : type.getNames())
    if (Value count = name == "q" ? nq : name == "e" ? ne : nk)
      named.emplace_back(name.getValue(), count);
  return named;
}

void SideBlock::splitPlace(OpBuilder &b, Value number, StringRef letters,
                           Places &places) const {
  if (letters.empty())
    return;
  Value rest = number;
  for (char letter : llvm::reverse(letters.drop_front())) {
    Value size = sizeOf(b, letter);
    Value quotient = b.createOrFold<arith::FloorDivSIOp>(loc, rest, size);
    Value whole = b.createOrFold<arith::MulIOp>(loc, quotient, size);
    places[letter] = b.createOrFold<arith::SubIOp>(loc, rest, whole);
    rest = quotient;
  }
  places[letters[0]] = rest;
}

/// The letters' values where the dims of a tile have these indices.
Places SideBlock::placesIn(OpBuilder &b, tile::TileType type,
                           ValueRange indices) const {
  Places places = uniform;
  if (!block.getLanes().empty())
    places[block.getLanes()[0]] = q0;
  for (auto [name, index] : llvm::zip_equal(type.getNames(), indices)) {
    if (name == "q") {
      if (!block.getLanes().empty())
        places[block.getLanes()[0]] = index;
    } else if (name == "e") {
      places[block.getRows()[0]] = index;
    } else if (stepped) {
      places[stepped] = index;
    } else {
      splitPlace(b, index, summed, places);
    }
  }
  return places;
}

Value SideBlock::map(
    tile::TileType type, ValueRange inputs, Value k0,
    llvm::function_ref<Value(OpBuilder &, ValueRange, const Places &)> body) {
  return tile::MapOp::create(
      builder, loc, type, inputs, starts(type, k0),
      [&](OpBuilder &b, Location, ValueRange arguments) {
        ValueRange places = arguments.drop_front(inputs.size());
        return body(b, arguments.take_front(inputs.size()),
                    placesIn(b, type, places));
      });
}

Value SideBlock::select(
    Value value, Value k0, Value nk, double fill,
    llvm::function_ref<Value(OpBuilder &, const Places &)> keep) {
  auto type = cast<tile::TileType>(value.getType());
  Value always =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  return tile::SelectMaskedOp::create(
      builder, loc, value, {}, starts(type, k0), {{"k", nk}}, always, fill,
      [&](OpBuilder &b, Location, ValueRange arguments) {
        return keep(b, placesIn(b, type, arguments));
      });
}

/// Where the block begins along an axis.
Value SideBlock::placeOf(char name, Value k0) const {
  if (name == 'q' || name == 'e' || name == 'k')
    return name == 'q' ? q0 : name == 'e' ? e0 : k0;
  for (auto [letter, value] : uniform)
    if (nameOf(letter) == name)
      return value;
  return zero;
}

SmallVector<Value> SideBlock::indices(const BlockBuffer &buffer, Value k0) {
  return indicesOf(builder, loc, storage.scope, buffer.digits,
                   [&](char name) { return placeOf(name, k0); });
}

SmallVector<Value> SideBlock::shifted(const BlockBuffer &buffer, Value k0) {
  return indicesOf(builder, loc, storage.scope, buffer.digits, [&](char name) {
    Value place = placeOf(name, k0);
    for (auto [letter, by] : shifts)
      if (nameOf(letter) == name)
        place = builder.createOrFold<arith::AddIOp>(loc, place, by);
    return place;
  });
}

Value SideBlock::load(const BlockBuffer &operand, StringRef dims, Value k0,
                      Value nk, Type converted) {
  auto buf = cast<tile::BufType>(operand.buf.getType());
  Type element = buf.getElementType();
  tile::TileType type = !element.isInteger(8) ? tileType(dims, element)
                        : converted           ? tileType(dims, converted)
                                              : tileType(dims);
  return tile::LoadOp::create(builder, loc, type, operand.buf,
                              indices(operand, k0), valid(type, nk));
}

Value SideBlock::loadPanel(const BlockBuffer &panels, unsigned lanesAxis,
                           Value k0) {
  SmallVector<Value> at = indices(panels, k0);
  Value width = arith::ConstantIndexOp::create(builder, loc, block.getQ());
  Value number =
      builder.createOrFold<arith::FloorDivSIOp>(loc, at[lanesAxis], width);
  Type element = cast<tile::BufType>(panels.buf.getType()).getElementType();
  return tile::LoadOp::create(builder, loc, tileType("qk", element), panels.buf,
                              {number, at[1 - lanesAxis], zero, zero},
                              tile::NamedValues());
}

Value SideBlock::read(OpBuilder &b, Value tensor, StringRef letters,
                      const Places &places, Type real) {
  SmallVector<Value> at;
  for (char letter : letters)
    at.push_back(places.lookup(letter));
  return emitRead(b, loc, tensor, at, attn::scalarType(tensor.getType(), real),
                  storage.scope);
}

Value SideBlock::inlined(OpBuilder &b, Region &region, ValueRange arguments) {
  IRMapping map;
  map.map(region.getArguments(), arguments);
  Value yielded = region.front().getTerminator()->getOperand(0);
  emitScalars(b, region.front(), yielded, storage.scope, map);
  return map.lookup(yielded);
}

SmallVector<Value> SideBlock::loop(
    Value count, int64_t step, ValueRange inits,
    llvm::function_ref<SmallVector<Value>(Value, Value, ValueRange)> body) {
  return emitLoop({zero, zero, count, count}, step,
                  block.getTarget().getPartialStep(step), inits, body);
}

SmallVector<Value> SideBlock::loopOverNumbers(
    Value count, ValueRange inits,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  return emitLoop({zero, zero, zero, count}, 1, 1, inits,
                  [&](Value number, Value, ValueRange carried) {
                    return body(number, carried);
                  });
}

void SideBlock::loopOverRows(int64_t rows, llvm::function_ref<void()> body) {
  Value first = e0, all = ne;
  Value count = all ? all
                    : arith::ConstantIndexOp::create(builder, loc, rowsOfTile())
                          .getResult();
  tileRows = rows;
  emitLoop({zero, zero, count, count}, rows, rows, {},
           [&](Value start, Value left, ValueRange) {
             e0 = builder.createOrFold<arith::AddIOp>(loc, first, start);
             ne = left;
             body();
             return SmallVector<Value>();
           });
  tileRows = 0;
  e0 = first;
  ne = all;
}

SmallVector<Value> SideBlock::emitLoop(
    ArrayRef<Value> bounds, int64_t step, int64_t partial, ValueRange inits,
    llvm::function_ref<SmallVector<Value>(Value, Value, ValueRange)> body) {
  auto loop = tile::ForOp::create(builder, loc, bounds, inits, step, partial);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&loop.getBody().front());
  SmallVector<Value> next =
      body(loop.getKeyStart(), loop.getKeyCount(), loop.getRegionIterArgs());
  tile::YieldOp::create(builder, loc, next);
  return SmallVector<Value>(loop.getResults());
}

Value SideBlock::rounded(Value tile, Type element) {
  auto type = cast<tile::TileType>(tile.getType());
  if (!isa<FloatType>(element) || element == type.getElementType())
    return tile;
  return tile::MapOp::create(builder, loc, type.withElementType(element), tile,
                             tile::NamedValues(),
                             [&](OpBuilder &b, Location, ValueRange x) {
                               return emitRounded(b, loc, x[0], element);
                             });
}

void SideBlock::store(Value value, Value result, Value k0, Value nk) {
  value = rounded(value, getElementTypeOrSelf(result.getType()));
  auto type = cast<tile::TileType>(value.getType());
  for (const Destination &place : results[result]) {
    OpBuilder::InsertionGuard guard(builder);
    branchOnWanted(builder, loc, place.wantedFor);
    tile::StoreOp::create(builder, loc, value, place.buffer.buf,
                          shifted(place.buffer, k0), valid(type, nk));
  }
}

} // namespace attnc::lowering
