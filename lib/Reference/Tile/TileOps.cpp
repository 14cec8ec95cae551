//===- TileOps.cpp - Meaning of the ops on tiles --------------------------===//

#include "Attn/FunctionInterpreter.h"
#include "Tile/ProgramInterpreter.h"

#include <cmath>

using namespace mlir;

namespace attnc::reference {

template <typename Real>
Array<Real> &ProgramInterpreter<Real>::tile(Value value) {
  return tiles[value];
}

template <typename Real>
Array<Real> ProgramInterpreter<Real>::makeTile(Value value) {
  auto type = cast<tile::TileType>(value.getType());
  Tile result;
  for (auto [name, size] : type.getDims()) {
    result.names.push_back(name.str());
    result.shape.push_back(size);
  }
  result.isReal = isa<FloatType>(type.getElementType());
  result.resize();
  return result;
}

template <typename Real>
void ProgramInterpreter<Real>::define(Value result, Tile value) {
  Type element = cast<tile::TileType>(result.getType()).getElementType();
  for (Real &number : value.data.reals)
    number = arithmetic.round<Real>(number, element);
  tiles[result] = std::move(value);
}

template <typename Real>
Space ProgramInterpreter<Real>::spaceOf(const Tile &tile) {
  Space space;
  space.names = tile.names;
  space.extents = tile.shape;
  return space;
}

/// Calls `visit` for every element of `space` that lies below the valid
/// extents, or, with `others`, for every element that does not.
static void forEachValid(const Space &space, ArrayAttr dims,
                         ArrayRef<int64_t> valid, bool others,
                         function_ref<void(ArrayRef<int64_t>)> visit) {
  Space walk = space;
  walk.names.push_back("element");
  walk.extents.push_back(1);
  (void)forEachRow(walk, [&](ArrayRef<int64_t> index) {
    bool isValid = true;
    for (auto [dim, extent] : llvm::zip_equal(dims, valid))
      isValid &= index[space.find(cast<StringAttr>(dim).getValue())] < extent;
    if (isValid != others)
      visit(index.drop_back());
    return success();
  });
}

/// Where an element of the tile lies in the buffer, whose axes may be merged;
/// -1 outside of it, which a program must not reach.
template <typename Real>
static int64_t placeInBuffer(const Array<Real> &buffer,
                             std::optional<tile::RenameOp::Merged> merged,
                             ArrayRef<int64_t> starts, const Space &tile,
                             ArrayRef<int64_t> index) {
  SmallVector<int64_t> positions(starts);
  for (auto [axis, position] : llvm::enumerate(positions)) {
    int dim = tile.find(buffer.names[axis]);
    position += dim < 0 ? 0 : index[dim];
  }
  if (merged) {
    int64_t &row = positions[merged->rows];
    if (merged->heads >= 0)
      positions[merged->heads] += llvm::mod(row, merged->group);
    row = llvm::divideFloorSigned(row, merged->group);
  }
  int64_t offset = 0;
  for (auto [position, extent] : llvm::zip_equal(positions, buffer.shape)) {
    if (position < 0 || position >= extent)
      return -1;
    offset = offset * extent + position;
  }
  return offset;
}

template <typename Real>
int64_t ProgramInterpreter<Real>::placeOf(tile::LoadOp op, const Tile &buffer,
                                          ArrayRef<int64_t> starts,
                                          const Space &space,
                                          ArrayRef<int64_t> index) {
  if (!op.getTable())
    return placeInBuffer(buffer, tile::RenameOp::findMerged(op.getBuf()),
                         starts, space, index);
  auto names = op.getBuf().getType().getNames();
  auto axisOf = [&](StringRef name) {
    return llvm::find_if(names, [&](StringAttr n) { return n == name; }) -
           names.begin();
  };
  const Tile &table = this->buffer(op.getTable());
  SmallVector<int64_t> positions(starts);
  SmallVector<int64_t> within(index);
  int dim = space.find("k");
  int64_t key = starts[axisOf("k")] + index[dim];
  int64_t rows = *op.getPageRows(), entry = 0;
  SmallVector<int64_t> places;
  for (Value position : op.getTableIndices())
    places.push_back(integer(position));
  places.push_back(key / rows);
  for (auto [place, extent] : llvm::zip_equal(places, table.shape)) {
    if (extent == 0)
      return -2;
    entry = entry * extent + std::clamp<int64_t>(place, 0, extent - 1);
  }
  int64_t page = starts[axisOf("p")] + table.data.integers[entry];
  if (page < 0 || page >= buffer.shape[axisOf("p")])
    return -2;
  positions[axisOf("p")] = page;
  positions[axisOf("k")] = key % rows;
  within[dim] = 0;
  return placeInBuffer(buffer, std::nullopt, positions, space, within);
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::LocateOp op) {
  const std::vector<int64_t> &start = this->buffer(op.getStart()).data.integers;
  int64_t number = integer(op.getNumber()), step = op.getStep();
  int64_t sequence = 0, first = 0;
  for (size_t s = 0; s + 1 < start.size(); ++s) {
    int64_t begin = (start[s] - start[0]) / step + int64_t(s);
    if (begin <= number)
      sequence = s, first = begin;
  }
  scalars[op.getSequence()] = Column<Real>::integer(sequence);
  scalars[op.getBlock()] = Column<Real>::integer(number - first);
  return success();
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::LoadOp op) {
  Tile result = makeTile(op.getResult());
  const Tile &buffer = this->buffer(op.getBuf());
  SmallVector<int64_t> starts, valid;
  for (Value index : op.getIndices())
    starts.push_back(integer(index));
  for (Value extent : op.getValid())
    valid.push_back(integer(extent));
  Space space = spaceOf(result);
  SmallVector<int64_t> steps = stepsIn(result, space);
  bool isInside = true;
  forEachValid(space, op.getValidDims(), valid, false,
               [&](ArrayRef<int64_t> index) {
                 int64_t from = placeOf(op, buffer, starts, space, index);
                 int64_t to = offsetOf(steps, index);
                 isInside &= from != -1;
                 if (from < 0)
                   return;
                 if (!result.isReal)
                   result.data.integers[to] = buffer.data.integers[from];
                 else if (buffer.isReal)
                   result.data.reals[to] = buffer.data.reals[from];
                 else // converted on load
                   result.data.reals[to] = Real(buffer.data.integers[from]);
               });
  if (!isInside)
    return op.emitError("reads outside of the buffer");
  define(op.getResult(), std::move(result));
  return success();
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::StoreOp op) {
  if (!presence.lookup(renamed.lookup(op.getBuf())))
    return op.emitError("stores to an output that is not present");
  const Tile &value = tile(op.getValue());
  Tile &buffer = this->buffer(op.getBuf());
  SmallVector<int64_t> starts, valid;
  for (Value index : op.getIndices())
    starts.push_back(integer(index));
  for (Value extent : op.getValid())
    valid.push_back(integer(extent));
  Space space = spaceOf(value);
  SmallVector<int64_t> steps = stepsIn(value, space);
  auto merged = tile::RenameOp::findMerged(op.getBuf());
  bool isInside = true;
  forEachValid(
      space, op.getValidDims(), valid, false, [&](ArrayRef<int64_t> index) {
        int64_t to = placeInBuffer(buffer, merged, starts, space, index);
        int64_t from = offsetOf(steps, index);
        isInside &= to >= 0;
        if (to < 0)
          return;
        if (value.isReal)
          buffer.data.reals[to] = value.data.reals[from];
        else
          buffer.data.integers[to] = value.data.integers[from];
      });
  if (!isInside)
    return op.emitError("writes outside of the buffer");
  return success();
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::SplatOp op) {
  Tile result = makeTile(op.getResult());
  double value = op.getValue().convertToDouble();
  for (Real &element : result.data.reals)
    element = value;
  for (int64_t &element : result.data.integers)
    element = static_cast<int64_t>(value);
  define(op.getResult(), std::move(result));
  return success();
}

/// What the term yields at every place of the result and the summed dim.
template <typename Real>
LogicalResult
ProgramInterpreter<Real>::evaluateTerms(tile::DotOp op, const Space &space,
                                        std::vector<Real> &terms) {
  SmallVector<const Tile *> operands;
  for (Value operand : op.getTiles())
    operands.push_back(&tile(operand));
  SmallVector<unsigned> axes;
  SmallVector<int64_t> starts;
  for (auto [dim, start] : llvm::zip_equal(op.getAtDims(), op.getAt())) {
    axes.push_back(space.find(cast<StringAttr>(dim).getValue()));
    starts.push_back(integer(start));
  }
  terms.resize(space.size());
  RegionEvaluator<Real> run = evaluator();
  auto store = [&](int64_t place, const Column<Real> &column) {
    for (int64_t lane = 0; lane < space.rowLength(); ++lane)
      terms[place + lane] = column.realAt(lane);
  };
  return evaluateOver<Real>(space, op.getTerm().front(), operands, axes, starts,
                            run, store);
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::DotOp op) {
  Tile result = op.getAcc() ? tile(op.getAcc()) : makeTile(op.getResult());
  Tile order = makeTile(op.getResult());
  const Tile &lhs = tile(op.getLhs()), &rhs = tile(op.getRhs());
  Space space = spaceOf(order);
  space.names.push_back(op.getSum().str());
  for (auto [name, extent] : llvm::zip_equal(lhs.names, lhs.shape))
    if (name == op.getSum())
      space.extents.push_back(extent);
  Tile mask;
  if (op.getMask())
    mask = tile(op.getMask());
  auto left = stepsIn(lhs, space), right = stepsIn(rhs, space);
  auto out = stepsIn(result, space), where = stepsIn(mask, space);
  Type element =
      cast<tile::TileType>(op.getResult().getType()).getElementType();
  MultiplyAdd<Real> multiplyAdd(element, arithmetic);
  std::vector<Real> terms;
  if (op.hasTerm() && failed(evaluateTerms(op, space, terms)))
    return failure();
  int64_t place = 0;
  (void)forEachRow(space, [&](ArrayRef<int64_t> index) {
    int64_t a = offsetOf(left, index), b = offsetOf(right, index);
    int64_t m = offsetOf(where, index);
    Real &sum = result.data.reals[offsetOf(out, index)];
    for (int64_t i = 0; i < space.rowLength(); ++i, ++place)
      if (op.getMask() && !mask.data.integers[m + i * where.back()])
        continue;
      else if (op.hasTerm())
        sum = arithmetic.round<Real>(sum + terms[place], element);
      else
        sum = multiplyAdd(sum, lhs.data.reals[a + i * left.back()],
                          rhs.data.reals[b + i * right.back()]);
    return success();
  });
  define(op.getResult(), std::move(result));
  return success();
}

template <typename Real>
FailureOr<Array<Real>>
ProgramInterpreter<Real>::runRegion(Block &block, Value like, bool isReal,
                                    ValueRange inputs, ValueRange at,
                                    ArrayAttr dims) {
  Tile result = makeTile(like);
  result.isReal = isReal;
  result.data = {};
  result.resize();
  Space space = spaceOf(result);
  SmallVector<const Tile *> operands;
  for (Value input : inputs)
    operands.push_back(&tile(input));
  SmallVector<unsigned> axes;
  SmallVector<int64_t> starts;
  for (auto [dim, start] : llvm::zip_equal(dims, at)) {
    axes.push_back(space.find(cast<StringAttr>(dim).getValue()));
    starts.push_back(integer(start));
  }
  RegionEvaluator<Real> run = evaluator();
  auto store = [&](int64_t place, const Column<Real> &column) {
    for (int64_t lane = 0; lane < space.rowLength(); ++lane)
      if (isReal)
        result.data.reals[place + lane] = column.realAt(lane);
      else
        result.data.integers[place + lane] = column.integerAt(lane);
  };
  if (failed(
          evaluateOver<Real>(space, block, operands, axes, starts, run, store)))
    return failure();
  return result;
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::MapOp op) {
  auto type = cast<tile::TileType>(op.getResult().getType());
  auto result = runRegion(op.getBody().front(), op.getResult(),
                          isa<FloatType>(type.getElementType()), op.getInputs(),
                          op.getAt(), op.getAtDims());
  if (failed(result))
    return failure();
  define(op.getResult(), std::move(*result));
  return success();
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::SelectMaskedOp op) {
  Tile result = tile(op.getValue());
  if (integer(op.getPartial())) {
    auto keep = runRegion(op.getBody().front(), op.getValue(), false,
                          op.getInputs(), op.getAt(), op.getAtDims());
    if (failed(keep))
      return failure();
    double fill = op.getFill().convertToDouble();
    SmallVector<int64_t> valid;
    for (Value extent : op.getValid())
      valid.push_back(integer(extent));
    Tile order = makeTile(op.getValue());
    Space space = spaceOf(order);
    auto steps = stepsIn(result, space), places = stepsIn(*keep, space);
    auto replace = [&](ArrayRef<int64_t> index) {
      int64_t place = offsetOf(steps, index);
      if (result.isReal)
        result.data.reals[place] = fill;
      else
        result.data.integers[place] = static_cast<int64_t>(fill);
    };
    forEachValid(space, op.getValidDims(), valid, true, replace);
    forEachValid(space, op.getValidDims(), valid, false,
                 [&](ArrayRef<int64_t> index) {
                   if (!keep->data.integers[offsetOf(places, index)])
                     replace(index);
                 });
  }
  define(op.getResult(), std::move(result));
  return success();
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::ReduceOp op) {
  const Tile &input = tile(op.getInput());
  Tile result = tile(op.getInit());
  Space space = spaceOf(result);
  space.names.push_back(op.getOver().str());
  for (auto [name, extent] : llvm::zip_equal(input.names, input.shape))
    if (name == op.getOver())
      space.extents.push_back(extent);
  auto in = stepsIn(input, space), out = stepsIn(result, space);
  Type type = cast<tile::TileType>(op.getResult().getType()).getElementType();
  bool isMax = op.getKind() == tile::ReduceKind::Max;
  (void)forEachRow(space, [&](ArrayRef<int64_t> index) {
    int64_t base = offsetOf(in, index);
    Real &value = result.data.reals[offsetOf(out, index)];
    for (int64_t i = 0; i < space.rowLength(); ++i) {
      Real element = input.data.reals[base + i * in.back()];
      if (isMax)
        value = element > value ? element : value;
      else
        value = arithmetic.round<Real>(value + element, type);
    }
    return success();
  });
  define(op.getResult(), std::move(result));
  return success();
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::RescaleOp op) {
  Tile result = tile(op.getValue());
  const Tile &factor = tile(op.getFactor());
  Space space = spaceOf(result);
  auto steps = stepsIn(result, space), places = stepsIn(factor, space);
  forEachValid(space, ArrayAttr::get(op.getContext(), {}), {}, false,
               [&](ArrayRef<int64_t> index) {
                 result.data.reals[offsetOf(steps, index)] *=
                     factor.data.reals[offsetOf(places, index)];
               });
  define(op.getResult(), std::move(result));
  return success();
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::SkewOp op) {
  Tile result = makeTile(op.getResult());
  const Tile &value = tile(op.getValue());
  Space space = spaceOf(result);
  int plus = space.find(op.getPlus()), minus = space.find(op.getMinus());
  auto steps = stepsIn(result, space);
  forEachValid(space, ArrayAttr::get(op.getContext(), {}), {}, false,
               [&](ArrayRef<int64_t> index) {
                 int64_t to = offsetOf(steps, index);
                 int64_t from =
                     index[plus] - index[minus] + space.extents[minus] - 1;
                 if (result.isReal)
                   result.data.reals[to] = value.data.reals[from];
                 else
                   result.data.integers[to] = value.data.integers[from];
               });
  define(op.getResult(), std::move(result));
  return success();
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::AnyNanOp op) {
  const Tile &value = tile(op.getValue());
  Space space = spaceOf(value);
  auto steps = stepsIn(value, space);
  SmallVector<int64_t> valid;
  for (Value extent : op.getValid())
    valid.push_back(integer(extent));
  bool found = false;
  forEachValid(space, op.getValidDims(), valid, false,
               [&](ArrayRef<int64_t> index) {
                 found |= std::isnan(value.data.reals[offsetOf(steps, index)]);
               });
  scalars[op.getResult()] = Column<Real>::integer(found);
  return success();
}

#define ATTNC_INSTANTIATE(OP)                                                  \
  template LogicalResult ProgramInterpreter<double>::run(tile::OP);            \
  template LogicalResult ProgramInterpreter<long double>::run(tile::OP);
ATTNC_INSTANTIATE(LoadOp)
ATTNC_INSTANTIATE(LocateOp)
ATTNC_INSTANTIATE(StoreOp)
ATTNC_INSTANTIATE(SplatOp)
ATTNC_INSTANTIATE(DotOp)
ATTNC_INSTANTIATE(MapOp)
ATTNC_INSTANTIATE(SelectMaskedOp)
ATTNC_INSTANTIATE(ReduceOp)
ATTNC_INSTANTIATE(RescaleOp)
ATTNC_INSTANTIATE(SkewOp)
ATTNC_INSTANTIATE(AnyNanOp)

} // namespace attnc::reference
