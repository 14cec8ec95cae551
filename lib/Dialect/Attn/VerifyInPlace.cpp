//===- VerifyInPlace.cpp - Arguments that a function changes --------------===//
//
// attn.append yields a new value, but writes where the old one lies. That is
// right as long as nobody looks at the old value afterwards. A view does not
// look: whoever reads it does.
// Tests: test/Graph/verify-graph-append-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Attn/VerifyStage.h"

#include "attnc/Dialect/Attn/AttnMove.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::attn;

/// Ops that tell where elements are, or a formula, which their users read.
static bool isReadByUsers(Operation *op) {
  return isa<ViewOp, SliceOp, UnpackOp, PagesOp, PackOp, PlaceOp, MaskOp>(op);
}

/// Calls `read` for each use by which an op of the function's block reads
/// `value`, itself or through views.
static void forEachRead(Block &block, Value value,
                        function_ref<void(Operation *, OpOperand &)> read) {
  for (OpOperand &use : value.getUses()) {
    Operation *op = block.findAncestorOpInBlock(*use.getOwner());
    if (!isReadByUsers(op)) {
      read(op, use);
      continue;
    }
    for (Value result : op->getResults())
      forEachRead(block, result, read);
  }
}

/// stage_c8
static LogicalResult verifyUses(AppendOp append) {
  LogicalResult result = success();
  auto read = [&](Operation *op, OpOperand &use) {
    if (failed(result) || op->isBeforeInBlock(append) ||
        &use == &append.getCacheMutable())
      return;
    InFlightDiagnostic error = op->emitOpError();
    if (op == append)
      error << "adds rows of the cache itself, which it overwrites meanwhile";
    else
      error << "uses the value of a cache from before attn.append, which "
               "writes new rows in its place; use what attn.append yields, or "
               "move the op in front of it";
    error.attachNote(append.getLoc()) << "the rows are written here";
    result = failure();
  };
  forEachRead(*append->getBlock(), append.getCache(), read);
  return result;
}

/// The argument that a chain of appends changes, or null.
static BlockArgument argumentOf(Value cache) {
  while (auto append = cache.getDefiningOp<AppendOp>())
    cache = append.getCache();
  return dyn_cast<BlockArgument>(cache);
}

static std::optional<SizeExpr> sizeOf(const Interface &interface, Type tensor,
                                      unsigned axis) {
  Attribute size = axisSize(tensor, axis);
  std::string error;
  if (auto number = dyn_cast_if_present<IntegerAttr>(size))
    return SizeExpr::constant(number.getInt());
  auto text = dyn_cast_if_present<StringAttr>(size);
  auto expr = text ? SizeExpr::parse(text.getValue(), error) : std::nullopt;
  return expr ? std::optional(interface.resolve(*expr)) : std::nullopt;
}

/// Whether `high` is `limit`, or the least of it and something else.
static bool isAtMost(const SizeExpr &high, const SizeExpr &limit) {
  ArrayRef<SizeExpr::Step> steps = high.postfix(), wanted = limit.postfix();
  if (high == limit)
    return true;
  if (steps.back().op != SizeExpr::Op::Min || steps.size() < wanted.size() + 2)
    return false;
  // An operand of the last step: the first ones, or the last ones before it.
  return steps.take_front(wanted.size()) == wanted ||
         steps.drop_back().take_back(wanted.size()) == wanted;
}

namespace {
class InPlaceVerifier {
public:
  InPlaceVerifier(func::FuncOp func, const Interface &interface)
      : func(func), interface(interface) {
    for (const InterfaceTensor &tensor : interface.tensors)
      if (!tensor.isOutput())
        inputs.push_back(&tensor);
  }

  LogicalResult verify();

private:
  LogicalResult verifyAppend(AppendOp append);
  LogicalResult verifyBounds(AppendOp append);

  func::FuncOp func;
  const Interface &interface;
  SmallVector<const InterfaceTensor *> inputs;
};
} // namespace

/// stage_c9
LogicalResult InPlaceVerifier::verifyBounds(AppendOp append) {
  unsigned axis = append.getAxis();
  auto capacity = sizeOf(interface, append.getCache().getType(), axis);
  auto rows = sizeOf(interface, append.getRows().getType(), axis);
  if (!capacity || !rows)
    return append.emitOpError()
           << "axis '" << append.getAlong()
           << "' must have a size in the cache and in the rows, or no call "
              "can tell whether there is room";
  SizeExpr limit = *capacity - *rows;
  auto argument = dyn_cast<BlockArgument>(append.getAt());
  if (!argument)
    return append.emitOpError() << "must find its rows by an argument of the "
                                   "function, which each call checks";
  const InterfaceTensor &at = *inputs[argument.getArgNumber()];
  std::optional<int64_t> low =
      at.range ? interface.resolve(at.range->first).constantValue()
               : std::nullopt;
  if (low && *low >= 0 && isAtMost(interface.resolve(at.range->second), limit))
    return success();
  InFlightDiagnostic error = append.emitOpError();
  error << "needs values of '" << at.name << "' in 0 .. " << limit.str()
        << ", so that a call without room for the rows is refused; the "
           "interface ";
  if (at.range)
    return error << "has " << at.range->first.str() << " .. "
                 << at.range->second.str();
  return error << "gives no range";
}

LogicalResult InPlaceVerifier::verifyAppend(AppendOp append) {
  BlockArgument argument = argumentOf(append.getCache());
  if (!argument || !inputs[argument.getArgNumber()]->inout) { // stage_c7
    InFlightDiagnostic error = append.emitOpError();
    error << "writes in the place of its cache, which must be an argument that "
             "the interface declares inout";
    if (argument)
      error << "; '" << inputs[argument.getArgNumber()]->name << "' is not";
    return error;
  }
  if (failed(verifyUses(append)))
    return failure();
  return verifyBounds(append);
}

LogicalResult InPlaceVerifier::verify() {
  WalkResult walk = func.walk(
      [&](AppendOp append) { return WalkResult(verifyAppend(append)); });
  if (walk.wasInterrupted())
    return failure();
  Operation *terminator = func.getBody().front().getTerminator();
  unsigned number = terminator->getNumOperands();
  for (const InterfaceTensor *tensor : inputs)
    number -= tensor->inout;
  for (auto [index, tensor] : llvm::enumerate(inputs)) {
    if (!tensor->inout)
      continue;
    Value value = terminator->getOperand(number);
    BlockArgument argument = argumentOf(value);
    if (!argument || argument.getArgNumber() != index) // stage_c7
      return terminator->emitOpError()
             << "operand " << number << " must be the value of '"
             << tensor->name << "', which is inout: the argument, or what "
             << "attn.append has made of it";
    ++number;
  }
  return success();
}

LogicalResult attnc::attn::verifyInPlace(func::FuncOp func,
                                         const Interface &interface) {
  return InPlaceVerifier(func, interface).verify();
}
