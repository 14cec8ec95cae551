//===- TileVerify.cpp - The numbered constraints of the ops ---------------===//
//
// Names as in TileOps.td (load_c1, ...).
// Tests: test/Dialect/Tile/invalid.mlir, one function per constraint
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace attnc::tile {

//===----------------------------------------------------------------------===//
// Questions that several ops ask
//===----------------------------------------------------------------------===//

bool canHold(Type element, double value) {
  if (element.isInteger(1))
    return value == 0 || value == 1;
  if (element.isIndex())
    return std::abs(value) <= 9007199254740992.0 && value == std::trunc(value);
  return isa<FloatType>(element);
}

TypedAttr constantOf(Type element, double value) {
  if (!canHold(element, value))
    return {};
  if (!isa<FloatType>(element))
    return IntegerAttr::get(element, static_cast<int64_t>(value));
  return FloatAttr::get(element, value);
}

static TileType tileOf(Value value) { return cast<TileType>(value.getType()); }

/// The dims of `part` must be dims of `whole`, with its sizes.
static LogicalResult verifySubset(Operation *op, StringRef what, TileType part,
                                  TileType whole) {
  for (TileType::Dim dim : part.getDims()) {
    StringRef name = dim.first.getValue();
    std::optional<int64_t> size = whole.getDimSize(name);
    if (!size)
      return op->emitOpError() << what << " has dim '" << name << "', which "
                               << whole << " has not";
    if (*size != dim.second)
      return op->emitOpError() << what << " has " << name << ":" << dim.second
                               << ", expected " << name << ":" << *size;
  }
  return success();
}

/// `at(...)` and `valid(...)` name distinct dims of the tile.
static LogicalResult verifyNamed(Operation *op, StringRef what, ArrayAttr dims,
                                 OperandRange values, TileType tile) {
  if (dims.size() != values.size())
    return op->emitOpError() << what << " has " << dims.size() << " names for "
                             << values.size() << " values";
  SmallVector<StringRef> seen;
  for (StringAttr dim : dims.getAsRange<StringAttr>()) {
    if (!tile.hasDim(dim.getValue()))
      return op->emitOpError() << what << " names dim '" << dim.getValue()
                               << "', which " << tile << " has not";
    if (llvm::is_contained(seen, dim.getValue()))
      return op->emitOpError()
             << what << " names dim '" << dim.getValue() << "' twice";
    seen.push_back(dim.getValue());
  }
  return success();
}

/// Ops of a scalar region: arith, math and tile.read, on scalars, and where
/// `questions` are legal those about parts of tables.
static LogicalResult verifyScalarOps(Operation *op, Region &body,
                                     bool questions = false) {
  WalkResult result = body.walk([&](Operation *inner) {
    std::string problem;
    bool isOurs =
        isa<YieldOp, ReadOp>(inner) ||
        (questions && isa<TableMinOp, TableMaxOp, LowerBoundOp>(inner));
    if (!isOurs && !isa_and_present<arith::ArithDialect, math::MathDialect>(
                       inner->getDialect()))
      problem = ("has '" + inner->getName().getStringRef() +
                 "' in its region; only ops of arith and math and tile.read "
                 "are scalar ops")
                    .str();
    else if (llvm::any_of(inner->getOperandTypes(),
                          [](Type type) { return isa<TileType>(type); }))
      problem = "uses a tile from outside in its region; pass it as an operand";
    else
      return WalkResult::advance();
    InFlightDiagnostic diagnostic = op->emitOpError() << problem;
    diagnostic.attachNote(inner->getLoc()) << "it stands here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Arguments and yield of a scalar region.
static LogicalResult verifyScalars(Operation *op, Region &body,
                                   SmallVector<Type> expected,
                                   size_t numIndices, Type yielded) {
  Block &block = body.front();
  expected.append(numIndices, IndexType::get(op->getContext()));
  if (TypeRange(block.getArgumentTypes()) != TypeRange(expected))
    return op->emitOpError()
           << "region has arguments (" << block.getArgumentTypes()
           << "), expected (" << expected
           << "): one per operand's element, then an index per 'at' dim";
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getNumOperands() != 1 ||
      yield.getOperand(0).getType() != yielded)
    return op->emitOpError() << "region must yield one " << yielded << ", got ("
                             << block.getTerminator()->getOperandTypes() << ")";
  return verifyScalarOps(op, body);
}

static LogicalResult verifyScalarRegion(Operation *op, Region &body,
                                        ValueRange inputs, size_t numIndices,
                                        Type yielded) {
  SmallVector<Type> elements;
  for (Value input : inputs)
    elements.push_back(tileOf(input).getElementType());
  return verifyScalars(op, body, std::move(elements), numIndices, yielded);
}

static LogicalResult verifyYield(Operation *op, Block &block,
                                 TypeRange expected) {
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getOperandTypes() != expected)
    return op->emitOpError()
           << "yields (" << block.getTerminator()->getOperandTypes()
           << "), expected (" << expected << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

LogicalResult ProgramOp::verify() {
  bool sizes = false;
  for (BlockArgument argument : getBody().getArguments()) {
    Type type = argument.getType();
    sizes |= type.isIndex();
    if (sizes ? !type.isIndex() : !isa<BufType>(type)) // program_c1
      return emitOpError() << "argument " << argument.getArgNumber() << " is "
                           << type << "; buffers come first, then indices";
  }
  return getTarget().verifyHolder(*this); // program_c2
}

/// grid_c3
static LogicalResult verifyTarget(GridOp grid) {
  std::optional<TargetAttrInterface> own = grid.getTarget();
  if (!own)
    return success();
  auto program = grid->getParentOfType<ProgramOp>();
  if (program && own->getBackend() != program.getTarget().getBackend())
    return grid.emitOpError("has a target of backend '")
           << own->getBackend() << "' in a program of backend '"
           << program.getTarget().getBackend() << "'";
  return own->verifyHolder(grid);
}

LogicalResult GridOp::verify() {
  TypeRange types = getBody().front().getArgumentTypes();
  if (types.empty() || types.size() != getExtents().size() ||
      !llvm::all_of(types, [](Type type) { return type.isIndex(); })) // grid_c1
    return emitOpError() << "has " << getExtents().size()
                         << " extents for index arguments (" << types << ")";
  if (std::optional<uint64_t> axis = getDescending())
    if (*axis >= types.size()) // grid_c2
      return emitOpError() << "order names axis " << *axis << " of "
                           << types.size();
  return verifyTarget(*this);
}

LogicalResult ForOp::verifyRegions() {
  if (getBounds().size() % 4 != 0) // for_c1
    return emitOpError() << "has " << getBounds().size()
                         << " bounds, expected four per segment";
  int64_t step = getStep(), partialStep = getPartialStep();
  if (partialStep < 1 || step < partialStep) // for_c2
    return emitOpError() << "expected step >= partial_step >= 1, got step "
                         << step << " and partial_step " << partialStep;
  Builder builder(getContext());
  SmallVector<Type> expected{builder.getIndexType(), builder.getIndexType(),
                             builder.getI1Type()};
  llvm::append_range(expected, getInits().getTypes());
  Block &block = getBody().front();
  if (TypeRange(block.getArgumentTypes()) != TypeRange(expected)) // for_c3
    return emitOpError() << "body has arguments (" << block.getArgumentTypes()
                         << "), expected (" << expected << ")";
  if (!getWithin().empty() &&
      (getWithin().size() != 2 * getNumSegments() || hasClassify())) // for_c6
    return emitOpError("'within' has two bounds per segment, and only a loop "
                       "without 'classify' has it");
  if (!hasClassify())
    return success();                      // for_c4: LoopLikeOpInterface
  Block &classify = getClassify().front(); // for_c5
  Type index = builder.getIndexType();
  if (TypeRange(classify.getArgumentTypes()) != TypeRange({index, index}))
    return emitOpError() << "'classify' has arguments ("
                         << classify.getArgumentTypes()
                         << "), expected (index, index)";
  if (failed(verifyYield(*this, classify, index)))
    return failure();
  return verifyScalarOps(*this, getClassify(), /*questions=*/true);
}

LogicalResult PhaseOp::verifyRegions() {
  if (getName().empty()) // phase_c1
    return emitOpError("needs a name");
  if (getBody().getNumArguments() != 0) // phase_c2
    return emitOpError("body takes no arguments; values from outside are used "
                       "directly");
  return verifyYield(*this, getBody().front(), getResultTypes());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The constraints that load and store share (c1 to c4).
template <typename OpT>
static LogicalResult verifyAccess(OpT op, TileType tile) {
  BufType buf = op.getBuf().getType();
  if (op.getIndices().size() != buf.getRank()) // c1
    return op.emitOpError()
           << "has " << op.getIndices().size() << " indices for a buffer of "
           << buf.getRank() << " axes";
  for (StringAttr name : tile.getNames())
    if (!buf.hasAxis(name.getValue())) // c2
      return op.emitOpError() << "tile has dim '" << name.getValue()
                              << "', which is no axis of " << buf;
  bool isPlace = tile.getElementType().isIndex() && isa<StoreOp>(op) &&
                 buf.getElementType().isSignlessInteger() &&
                 !buf.getElementType().isInteger(1);
  bool isRows = isa<LoadOp>(op) && tile.getRank() == 2;
  bool isConverted = isRows && isa<FloatType>(tile.getElementType()) &&
                     buf.getElementType().isInteger(8);
  if (tile.getElementType() != buf.getElementType() && !isPlace &&
      !isConverted) // c3
    return op.emitOpError()
           << "tile has elements " << tile.getElementType() << ", the buffer "
           << buf.getElementType() << "; convert with tile.map";
  return verifyNamed(op, "valid", op.getValidDims(), op.getValid(), tile); // c4
}

LogicalResult WorkspaceOp::verify() {
  size_t axes = getType().getRank();
  if (getSizes().size() != axes) // workspace_c1
    return emitOpError() << "has " << getSizes().size() << " sizes for " << axes
                         << " axes";
  return success(); // workspace_c2: HasParent
}

LogicalResult RenameOp::verify() {
  BufType from = getBuf().getType(), to = getType();
  if (from.getRank() != to.getRank() ||
      from.getElementType() != to.getElementType()) // rename_c1
    return emitOpError() << "gives " << from << " the names of " << to
                         << ", which has other elements or axes";
  bool merges = getGroup() || getRows() || getHeads();
  bool areAxes =
      getRows() && to.hasAxis(*getRows()) &&
      (!getHeads() || (to.hasAxis(*getHeads()) && *getHeads() != *getRows()));
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  int64_t group = getGroup().value_or(0);
  if (merges && (!areAxes || group < 2 || group > most ||
                 findMerged(getBuf()))) // rename_c3
    return emitOpError() << "merges axes, which needs one or two axes of " << to
                         << ", 2 to " << most
                         << " heads, and a buffer without merged axes";
  auto isOfBlocks = [](Operation *user) {
    auto load = dyn_cast<LoadOp>(user);
    return isa<RenameOp, StoreOp>(user) || (load && !load.getTable());
  };
  if (findMerged(getResult()) &&
      !llvm::all_of(getOperation()->getUsers(), isOfBlocks)) // rename_c4
    return emitOpError("has merged axes, which only tile.load, without a table "
                       "of pages, tile.store and tile.rename can access");
  return success(); // rename_c2: HasParent
}

static bool isTable(BufType buf) {
  return isa<IntegerType>(buf.getElementType()) &&
         buf.getElementType().getIntOrFloatBitWidth() >= 32;
}

LogicalResult LoadOp::verify() {
  if (failed(verifyAccess(*this, getType())))
    return failure();
  if (!getTable() && !getPageRows())
    return success();
  BufType buf = getBuf().getType();
  auto table = getTable() ? cast<BufType>(getTable().getType()) : BufType();
  bool good = table && getPageRows().value_or(0) >= 1 &&
              getType().hasDim("k") && !getType().hasDim("p") &&
              buf.hasAxis("p") && isTable(table) &&
              getTableIndices().size() + 1 == table.getRank();
  if (!good) // load_c5
    return emitOpError()
           << "reads keys through a table of pages; that needs axes p and k of "
              "the buffer, a dim k of the tile, a step of at least 1, and a "
              "table of integers with one index less than axes";
  return success();
}

LogicalResult LocateOp::verify() {
  BufType start = getStart().getType();
  if (start.getRank() != 1 || !isTable(start)) // locate_c1
    return emitOpError() << "needs starts of i32 or i64 along one axis, got "
                         << start;
  if (getStep() < 1) // locate_c2
    return emitOpError() << "has the step " << getStep()
                         << ", expected at least 1";
  return success();
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getValue().getType());
}

LogicalResult ReadOp::verify() {
  BufType buf = getBuf().getType();
  if (getIndices().size() != buf.getRank()) // read_c1
    return emitOpError() << "has " << getIndices().size()
                         << " indices for a buffer of " << buf.getRank()
                         << " axes";
  Type element = buf.getElementType(), result = getType();
  bool fits = isa<FloatType>(element) ? isa<FloatType>(result)
              : element.isInteger(1)  ? result.isInteger(1)
                                      : result.isIndex();
  if (!fits) // read_c2
    return emitOpError() << "yields " << result << " for elements " << element
                         << "; integers are read as index, truth values as i1, "
                            "floats as f32 or f64";
  return success();
}

/// The constraints that the questions about tables share (c1, c2).
static LogicalResult verifyTable(Operation *op, BufType buf, size_t places,
                                 StringRef what, int64_t expected) {
  if (int64_t(places) != expected) // c1
    return op->emitOpError() << "has " << places << ' ' << what
                             << " for a buffer of " << buf.getRank() << " axes";
  if (isa<FloatType>(buf.getElementType())) // c2
    return op->emitOpError() << "asks about elements " << buf.getElementType()
                             << "; only integers and truth values are ordered "
                                "here";
  return success();
}

LogicalResult TableMinOp::verify() {
  BufType buf = getBuf().getType();
  return verifyTable(*this, buf, getFirst().size(), "first places",
                     buf.getRank());
}

LogicalResult TableMaxOp::verify() {
  BufType buf = getBuf().getType();
  return verifyTable(*this, buf, getFirst().size(), "first places",
                     buf.getRank());
}

LogicalResult LowerBoundOp::verify() {
  BufType buf = getBuf().getType();
  return verifyTable(*this, buf, getIndices().size(), "indices of a row",
                     int64_t(buf.getRank()) - 1);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

LogicalResult SplatOp::verify() {
  Type element = getType().getElementType();
  if (!canHold(element, getValue().convertToDouble())) // splat_c1
    return emitOpError() << "constant " << getValueAttr()
                         << " is no value of type " << element;
  return success();
}

LogicalResult DotOp::verify() {
  TileType lhs = getLhs().getType(), rhs = getRhs().getType();
  TileType result = getType();
  StringRef sum = getSum();
  std::optional<int64_t> size = lhs.getDimSize(sum);
  if (!size || rhs.getDimSize(sum) != size || result.hasDim(sum)) // dot_c1
    return emitOpError() << "sums over '" << sum
                         << "', which must be a dim of both operands with one "
                            "size and not of the result";
  unsigned needed = lhs.getRank() + rhs.getRank() - 2;
  for (TileType operand : {lhs, rhs})
    for (TileType::Dim dim : operand.getDims()) {
      StringRef name = dim.first.getValue();
      if (name != sum && result.getDimSize(name) != dim.second) // dot_c2
        return emitOpError() << "result " << result << " lacks dim " << name
                             << ":" << dim.second << " of " << operand;
      if (operand == lhs && name != sum && rhs.hasDim(name))
        --needed;
    }
  if (result.getRank() != needed) // dot_c2
    return emitOpError() << "result " << result
                         << " has a dim that no operand has";
  Type type = result.getElementType();
  if (!isa<Float32Type, Float64Type>(type)) // dot_c3
    return emitOpError() << "accumulates in " << type << ", expected f32 or "
                         << "f64";
  unsigned width = type.getIntOrFloatBitWidth();
  for (Value tile : getTiles()) { // dot_c3
    auto operand = cast<TileType>(tile.getType());
    auto element = dyn_cast<FloatType>(operand.getElementType());
    if (!element || element.getWidth() > width)
      return emitOpError() << "cannot sum products of "
                           << operand.getElementType() << " in "
                           << result.getElementType();
  }
  if (getAcc() && getAcc().getType() != result) // dot_c4
    return emitOpError() << "acc is " << getAcc().getType() << ", expected "
                         << result;
  for (Value tile : getOthers()) { // dot_c7
    auto other = cast<TileType>(tile.getType());
    if (llvm::none_of(ArrayRef{lhs, rhs}, [&](TileType operand) {
          return other.getDims() == operand.getDims();
        }))
      return emitOpError() << "takes elements of " << other
                           << ", which has the dims of no operand";
  }
  if (!getMask())
    return success();
  TileType mask = getMask().getType(); // dot_c5
  if (!mask.getElementType().isInteger(1))
    return emitOpError() << "mask must have elements i1, got " << mask;
  SmallVector<TileType::Dim> dims = result.getDims();
  dims.emplace_back(getSumAttr(), *size);
  return verifySubset(*this, "mask", mask,
                      TileType::get(dims, mask.getElementType()));
}

LogicalResult DotOp::verifyRegions() {
  TileType result = getType();
  if (!hasTerm()) // dot_c6
    return getAt().empty() && getOthers().empty()
               ? success()
               : emitOpError("has 'at' or 'and' without a term");
  SmallVector<TileType::Dim> dims = result.getDims();
  dims.emplace_back(getSumAttr(), *getLhs().getType().getDimSize(getSum()));
  TileType all = TileType::get(dims, result.getElementType());
  if (failed(verifyNamed(*this, "at", getAtDims(), getAt(), all)))
    return failure();
  Type element = result.getElementType();
  return verifyScalars(*this, getTerm(),
                       SmallVector<Type>(getTiles().size(), element),
                       getAt().size(), element);
}

LogicalResult MapOp::verifyRegions() {
  TileType type = getType();
  for (Value input : getInputs())
    if (failed(verifySubset(*this, "operand", tileOf(input), type))) // map_c1
      return failure();
  if (failed(verifyNamed(*this, "at", getAtDims(), getAt(), type))) // map_c2
    return failure();
  return verifyScalarRegion(*this, getBody(), getInputs(), getAt().size(),
                            type.getElementType()); // map_c3 to map_c5
}

LogicalResult SelectMaskedOp::verifyRegions() {
  TileType type = getType();
  for (Value input : getInputs()) // select_masked_c1
    if (failed(verifySubset(*this, "operand", tileOf(input), type)))
      return failure();
  if (failed(verifyNamed(*this, "at", getAtDims(), getAt(), type)) ||
      failed(verifyNamed(*this, "valid", getValidDims(), getValid(),
                         type))) // select_masked_c2
    return failure();
  if (failed(verifyScalarRegion(
          *this, getBody(), getInputs(), getAt().size(),
          IntegerType::get(getContext(), 1)))) // select_masked_c3 to c5
    return failure();
  if (!canHold(type.getElementType(),
               getFill().convertToDouble())) // select_masked_c6
    return emitOpError() << "fill " << getFillAttr() << " is no value of type "
                         << type.getElementType();
  if (getValue().getType() != type)
    return emitOpError() << "result is " << type << ", expected "
                         << getValue().getType();
  return success();
}

LogicalResult ReduceOp::verify() {
  TileType input = getInput().getType(), result = getType();
  if (!input.hasDim(getOver())) // reduce_c1
    return emitOpError() << "combines over '" << getOver() << "', which "
                         << input << " has not";
  if (failed(verifySubset(*this, "result", result, input)))
    return failure();
  if (result.hasDim(getOver()) || result.getRank() + 1 != input.getRank() ||
      result.getElementType() != input.getElementType() ||
      !isa<FloatType>(result.getElementType())) // reduce_c2
    return emitOpError() << "result must be a float tile with the dims of "
                         << input << " but '" << getOver() << "', got "
                         << result;
  if (getInit().getType() != result) // reduce_c3
    return emitOpError() << "init is " << getInit().getType() << ", expected "
                         << result;
  return success();
}

LogicalResult RescaleOp::verify() {
  TileType value = getValue().getType(), factor = getFactor().getType();
  if (failed(verifySubset(*this, "factor", factor, value))) // rescale_c1
    return failure();
  if (value.getElementType() != factor.getElementType() ||
      !isa<FloatType>(value.getElementType()) ||
      getType() != value) // rescale_c2
    return emitOpError() << "value and factor must have one float type, got "
                         << value << " and " << factor;
  return success();
}

LogicalResult SkewOp::verify() {
  TileType value = getValue().getType(), result = getType();
  std::optional<int64_t> plus = result.getDimSize(getPlus());
  std::optional<int64_t> minus = result.getDimSize(getMinus());
  if (!plus || !minus || getPlus() == getMinus() ||
      result.getRank() != 2) // skew_c1
    return emitOpError() << "result must have the dims '" << getPlus()
                         << "' and '" << getMinus() << "', got " << result;
  int64_t diagonals = *plus + *minus - 1;
  if (value.getRank() != 1 || value.getNumElements() != diagonals ||
      result.hasDim(value.getNames().front())) // skew_c2
    return emitOpError() << "expected a value with one other dim of "
                         << diagonals << " places, one per diagonal, got "
                         << value;
  if (value.getElementType() != result.getElementType()) // skew_c3
    return emitOpError() << "value and result must have one element type, got "
                         << value << " and " << result;
  return success();
}

LogicalResult AnyNanOp::verify() {
  TileType type = getValue().getType();
  if (!isa<FloatType>(type.getElementType())) // any_nan_c1
    return emitOpError() << "looks for NaN in elements "
                         << type.getElementType();
  return verifyNamed(*this, "valid", getValidDims(), getValid(),
                     type); // any_nan_c2
}

} // namespace attnc::tile
