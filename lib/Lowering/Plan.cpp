//===- Plan.cpp - The parts of a function that can be lowered -------------===//
//
// All refusals of the lowering are here and in ViewIndices.cpp and
// Signature.cpp, before anything is built: a function is lowered whole or not
// touched.
// Tests: test/Lowering/convert-attn-to-tile-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

/// A buffer that is only read element by element.
static tile::BufType tableType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  SmallVector<StringAttr> names;
  for (int64_t i = 0; i < type.getRank(); ++i)
    names.push_back(StringAttr::get(type.getContext(), "a" + Twine(i)));
  return tile::BufType::get(type.getContext(), names, type.getElementType());
}

static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

/// An op that may stand beside the kernel.
static bool isHarmless(Operation &op) {
  if (isa<attn::ViewOp, attn::SizeOp, func::ReturnOp>(op))
    return true;
  return isa_and_present<arith::ArithDialect>(op.getDialect()) &&
         llvm::all_of(op.getOperandTypes(), isScalar) &&
         llvm::all_of(op.getResultTypes(), isScalar);
}

/// One block, whose arguments and results are tensors that a program can take.
static LogicalResult checkFunction(func::FuncOp function) {
  if (function.isDeclaration())
    return function.emitError("has no body to lower");
  if (!function.getBody().hasOneBlock())
    return function.emitError("has control flow, which cannot be lowered");
  for (TypeRange types : {TypeRange(function.getArgumentTypes()),
                          TypeRange(function.getResultTypes())})
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tile::BufType::isElement(tensor.getElementType()))
        return function.emitError()
               << "takes or returns " << type
               << ", which is no tensor that a tile program can hold";
    }
  return success();
}

/// The one kernel of a function that holds nothing else of weight.
static FailureOr<attn::KernelOp> findKernel(func::FuncOp function) {
  attn::KernelOp kernel;
  for (Operation &op : function.getBody().front()) {
    if (auto found = dyn_cast<attn::KernelOp>(op)) {
      if (kernel) {
        InFlightDiagnostic error = found.emitOpError(
            "is the second kernel of its function; only functions of one "
            "kernel can be lowered yet");
        error.attachNote(kernel.getLoc()) << "the first one";
        return failure();
      }
      kernel = found;
    } else if (!isHarmless(op)) {
      return op.emitOpError("was not fused into an attn.kernel, and there is "
                            "no lowering of it alone yet; the remarks of "
                            "attn-fuse-kernel say why it was not fused");
    }
  }
  if (!kernel)
    return function.emitError("holds no attn.kernel to lower");
  return kernel;
}

static int64_t lastExtent(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape().back();
}

/// Whether there is a lowering for what becomes of the scores.
static bool isKnown(attn::KernelOp kernel) {
  return kernel.getNorm() && kernel.getV();
}

/// Tile sizes, and what the form asks for.
static LogicalResult checkKernel(attn::KernelOp kernel) {
  std::optional<attn::ScheduleAttr> schedule = kernel.getSchedule();
  if (!schedule)
    return kernel.emitOpError("has no schedule; run attn-select-schedule");
  if (kernel.hasPair() || kernel.hasValue())
    return kernel.emitOpError("with a region 'pair' or 'value' cannot be "
                              "lowered yet");
  if (!isKnown(kernel))
    return kernel.emitOpError()
           << "with " << kernel.getNormalize() << " cannot be lowered yet";
  for (auto [operand, what] : {std::pair(kernel.getQ(), "features of q"),
                               {kernel.getV(), "features of v"}}) {
    int64_t size = lastExtent(operand);
    if (ShapedType::isDynamic(size) || size == 0)
      return kernel.emitOpError()
             << "the " << what << " must have a fixed size of at least 1 to be "
             << "lowered to tiles";
  }
  int64_t q = schedule->getQ(), k = schedule->getK();
  for (int64_t features :
       {lastExtent(kernel.getQ()), lastExtent(kernel.getV())})
    if (!tile::TileType::fits({q, k}) || !tile::TileType::fits({q, features}) ||
        !tile::TileType::fits({k, features}))
      return kernel.emitOpError()
             << "tiles of q = " << q << ", k = " << k << " and " << features
             << " features are too large; the limit is "
             << tile::TileType::kMaxElements << " elements";
  int64_t keys = cast<RankedTensorType>(kernel.getK().getType()).getDimSize(2);
  if (schedule->getForm() == attn::ScheduleForm::Rows &&
      (ShapedType::isDynamic(keys) || keys > schedule->getK()))
    return kernel.emitOpError()
           << "form rows needs a fixed kv_len of at most k = "
           << schedule->getK() << "; use form = online";
  for (Type type : kernel->getOperandTypes())
    if (cast<RankedTensorType>(type).getElementTypeBitWidth() >
        kernel.getAccumulateType().getIntOrFloatBitWidth())
      return kernel.emitOpError("has operands wider than its sums");
  return success();
}

/// Buffers of q, k and v.
static LogicalResult planOperands(Plan &plan) {
  attn::KernelOp kernel = plan.kernel;
  for (unsigned i = 0; i < 3; ++i) {
    FailureOr<TensorDigits> digits =
        digitsOfOperand(kernel, kernel->getOperand(i),
                        attn::KernelOp::kLabels[i], plan.arguments[i]);
    if (failed(digits))
      return failure();
    plan.operands[i] = *digits;
    unsigned number = plan.arguments[i].getArgNumber();
    auto tensor = cast<RankedTensorType>(plan.arguments[i].getType());
    FailureOr<tile::BufType> type =
        bufferOf(kernel.getLoc(), *digits, tensor.getElementType());
    if (failed(type))
      return failure();
    for (unsigned j = 0; j < i; ++j)
      if (plan.arguments[j] == plan.arguments[i] &&
          plan.buffers[number] != *type)
        return kernel.emitOpError("reads one tensor as two of q, k and v, "
                                  "which cannot be lowered yet; pass it twice");
    plan.buffers[number] = *type;
  }
  return success();
}

/// Buffers of the function's results.
static LogicalResult planOutputs(func::FuncOp function, Plan &plan) {
  unsigned inputs = function.getNumArguments();
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    Value source = sourceOfViews(value);
    if (source.getDefiningOp() != plan.kernel)
      return terminator->emitOpError()
             << "result " << i << " is no view of a result of the kernel";
    bool isLse = source == plan.kernel.getLse();
    FailureOr<TensorDigits> digits = digitsOfResult(
        plan.kernel, value, attn::KernelOp::kLabels[isLse ? 4 : 3]);
    if (failed(digits))
      return failure();
    FailureOr<tile::BufType> type =
        bufferOf(plan.kernel.getLoc(), *digits,
                 cast<RankedTensorType>(value.getType()).getElementType());
    if (failed(type))
      return failure();
    plan.buffers.push_back(*type);
    plan.outputs.push_back(
        {{Value(), *digits}, isLse, plan.signature.nullable[inputs + i]});
  }
  return success();
}

/// Every size that the lowering needs has a value.
static LogicalResult checkSizes(func::FuncOp function, Plan &plan) {
  Scope scope;
  for (const std::string &size : plan.signature.sizes)
    scope.sizes[size] = Value();
  auto check = [&](Attribute size, const Twine &what) -> LogicalResult {
    if (scope.knows(size))
      return success();
    InFlightDiagnostic error = function.emitError();
    error << "the size of " << what << " is unknown: ";
    if (size)
      return error << size << " is no expression of sizes of the interface";
    return error << "the axis is dynamic and has no name in #attn.dims";
  };
  for (unsigned i = 0; i < 4; ++i)
    if (failed(check(attn::axisSize(plan.kernel.getQ().getType(), i),
                     "axis " + Twine(i) + " of q")))
      return failure();
  if (failed(
          check(attn::axisSize(plan.kernel.getK().getType(), 2), "the keys")))
    return failure();
  SmallVector<const TensorDigits *> tensors;
  for (const TensorDigits &digits : plan.operands)
    tensors.push_back(&digits);
  for (const BlockOutput &output : plan.outputs)
    tensors.push_back(&output.buffer.digits);
  for (const TensorDigits *digits : tensors)
    for (const AxisDigits &axis : *digits)
      for (const Digit &digit : ArrayRef(axis).drop_front())
        if (failed(check(digit.size, "letter '" + Twine(digit.letter) + "'")))
          return failure();
  WalkResult result = function.walk([&](attn::SizeOp size) {
    if (scope.sizes.contains(size.getName()))
      return WalkResult::advance();
    size.emitOpError() << "names no size of the interface: '" << size.getName()
                       << "'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Formulas read arguments only.
static LogicalResult checkReads(func::FuncOp function) {
  WalkResult result = function.walk([&](attn::ReadOp read) {
    auto argument = dyn_cast<BlockArgument>(read.getSource());
    if (argument && argument.getOwner() == &function.getBody().front())
      return WalkResult::advance();
    read.emitOpError("reads a tensor that is no argument of the function, "
                     "which cannot be lowered yet");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

FailureOr<Plan> planFunction(func::FuncOp function) {
  if (failed(checkFunction(function)))
    return failure();
  FailureOr<attn::KernelOp> kernel = findKernel(function);
  if (failed(kernel) || failed(checkKernel(*kernel)) ||
      failed(checkReads(function)))
    return failure();
  FailureOr<Signature> signature = signatureOf(function);
  if (failed(signature))
    return failure();
  Plan plan;
  plan.kernel = *kernel;
  plan.signature = *signature;
  for (Type type : function.getArgumentTypes())
    plan.buffers.push_back(tableType(type));
  if (failed(planOperands(plan)) || failed(planOutputs(function, plan)) ||
      failed(checkSizes(function, plan)))
    return failure();
  return plan;
}

} // namespace attnc::lowering
