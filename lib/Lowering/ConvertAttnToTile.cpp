//===- ConvertAttnToTile.cpp - Scheduled kernels to tile programs ---------===//
//
//   func.func @f(%Q, %K, %V) -> %O {
//     %q = attn.view "b(hg)qd->bhgqd" %Q ...
//     %o, %lse = attn.kernel ins(%q, %k, %v) ... {schedule = ...}
//     %O = attn.view "bhgqe->b(hg)qe" %o
//     return %O }
// becomes
//   tile.program @f(%Q, %K, %V, %O, sizes...) target ... {
//     tile.grid (%b, %h, %g, %i) to (batch, kv_heads, group, blocks of q) {
//       load Q; loop over keys; store O } }
//
// The schedule is obeyed, nothing is decided here. This file checks that the
// function has that form and makes program and grid; the forms are in
// SoftmaxOnline.cpp and SoftmaxRows.cpp.
// Tests: test/Lowering/convert-attn-to-tile.mlir (and -invalid),
// test/Unit/Lowering/ConvertAttnToTileTest.cpp compares with the interpreter.
//
//===----------------------------------------------------------------------===//

#include "attnc/Lowering/Passes.h"

#include "KernelBlock.h"
#include "Signature.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace attnc::lowering {
#define GEN_PASS_DEF_CONVERTATTNTOTILE
#include "attnc/Lowering/Passes.h.inc"
} // namespace attnc::lowering

using namespace attnc;
using namespace attnc::lowering;

namespace {
/// The parts of a function that can be lowered.
struct Plan {
  attn::KernelOp kernel;
  Signature signature;
  /// Of q, k and v.
  BlockArgument arguments[3];
  TensorDigits operands[3];
  /// Of the function's results.
  std::vector<BlockOutput> outputs;
  /// Of the function's arguments, then of its results.
  SmallVector<tile::BufType> buffers;
};
} // namespace

/// A buffer that is only read element by element.
static tile::BufType tableType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  SmallVector<StringAttr> names;
  for (int64_t i = 0; i < type.getRank(); ++i)
    names.push_back(StringAttr::get(type.getContext(), "a" + Twine(i)));
  return tile::BufType::get(type.getContext(), names, type.getElementType());
}

/// The one kernel of a function that holds nothing else of weight.
static FailureOr<attn::KernelOp> findKernel(func::FuncOp function) {
  if (function.isDeclaration())
    return function.emitError("has no body to lower");
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
    } else if (!isa<attn::ViewOp, attn::SizeOp, func::ReturnOp>(op) &&
               !isa<arith::ArithDialect>(op.getDialect())) {
      return op.emitOpError("was not fused into an attn.kernel, and there is "
                            "no lowering of it alone yet; the remarks of "
                            "attn-fuse-kernel say why it was not fused");
    }
  }
  if (!kernel)
    return function.emitError("holds no attn.kernel to lower");
  return kernel;
}

/// Tile sizes, and what the form asks for.
static LogicalResult checkKernel(attn::KernelOp kernel) {
  std::optional<attn::ScheduleAttr> schedule = kernel.getSchedule();
  if (!schedule)
    return kernel.emitOpError("has no schedule; run attn-select-schedule");
  for (auto [operand, what] : {std::pair(kernel.getQ(), "features of q"),
                               {kernel.getV(), "features of v"}}) {
    auto type = cast<RankedTensorType>(operand.getType());
    int64_t size = type.getShape().back();
    if (ShapedType::isDynamic(size) || size == 0)
      return kernel.emitOpError()
             << "the " << what << " must have a fixed size of at least 1 to be "
             << "lowered to tiles";
  }
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

static FailureOr<Plan> planFunction(func::FuncOp function) {
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

/// The program with its arguments, and the scope that maps the function's
/// values to them.
static tile::ProgramOp createProgram(func::FuncOp function, const Plan &plan,
                                     OpBuilder &builder, Scope &scope) {
  SmallVector<Type> types(plan.buffers.begin(), plan.buffers.end());
  types.append(plan.signature.sizes.size(), builder.getIndexType());
  SmallVector<StringRef> names(plan.signature.tensors.begin(),
                               plan.signature.tensors.end());
  names.append(plan.signature.sizes.begin(), plan.signature.sizes.end());
  auto program = tile::ProgramOp::create(
      builder, function.getLoc(), function.getName(),
      attn::KernelOp(plan.kernel).getSchedule()->getTarget(), types, names);
  ValueRange arguments = program.getBody().getArguments();
  for (BlockArgument argument : function.getArguments())
    scope.values.map(argument, arguments[argument.getArgNumber()]);
  for (auto [name, value] : llvm::zip_equal(
           plan.signature.sizes, arguments.drop_front(plan.buffers.size())))
    scope.sizes[name] = value;

  builder.setInsertionPointToEnd(&program.getBody().front());
  for (Operation &op : function.getBody().front())
    if (auto size = dyn_cast<attn::SizeOp>(op))
      scope.values.map(size.getResult(), scope.sizes.lookup(size.getName()));
    else if (isa<arith::ArithDialect>(op.getDialect()))
      builder.clone(op, scope.values);
  return program;
}

/// The grid over batch, KV heads, group members and blocks of queries; fills in
/// the block's places. A group of one has no axis.
static void createGrid(OpBuilder &builder, KernelBlock &block) {
  Location loc = block.loc;
  Type q = block.kernel.getQ().getType();
  auto extent = [&](unsigned axis) {
    return block.scope.sizeOf(builder, loc, attn::axisSize(q, axis));
  };
  Value queries = extent(3);
  Value step = arith::ConstantIndexOp::create(builder, loc, block.sizeQ);
  SmallVector<Value> extents{extent(0), extent(1)};
  SmallVector<StringRef> names{"b", "h"};
  bool grouped = cast<RankedTensorType>(q).getDimSize(2) != 1;
  if (grouped) {
    extents.push_back(extent(2));
    names.push_back("g");
  }
  extents.push_back(
      builder.createOrFold<arith::CeilDivSIOp>(loc, queries, step));
  names.push_back("i");
  auto grid = tile::GridOp::create(builder, loc, extents, names);
  if (block.kernel.hasRanges()) // later queries may see more keys
    grid.setDescending(extents.size() - 1);

  builder.setInsertionPointToStart(&grid.getBody().front());
  ValueRange places = grid.getBody().getArguments();
  block.zero = arith::ConstantIndexOp::create(builder, loc, 0);
  block.bhg = {places[0], places[1], grouped ? places[2] : block.zero};
  Value size = arith::ConstantIndexOp::create(builder, loc, block.sizeQ);
  block.q0 = arith::MulIOp::create(builder, loc, places.back(), size);
  Value left = arith::SubIOp::create(builder, loc, queries, block.q0);
  block.rows = arith::MinSIOp::create(builder, loc, left, size);
  block.q1 = arith::AddIOp::create(builder, loc, block.q0, block.rows);
  block.kvLen = block.scope.sizeOf(
      builder, loc, attn::axisSize(block.kernel.getK().getType(), 2));
}

static LogicalResult lowerFunction(func::FuncOp function) {
  FailureOr<Plan> plan = planFunction(function);
  if (failed(plan))
    return failure();
  OpBuilder builder(function);
  Scope scope;
  tile::ProgramOp program = createProgram(function, *plan, builder, scope);
  ValueRange buffers = program.getBody().getArguments();

  KernelBlock block(plan->kernel, scope);
  BlockBuffer *operands[] = {&block.q, &block.k, &block.v};
  for (unsigned i = 0; i < 3; ++i)
    *operands[i] = {buffers[plan->arguments[i].getArgNumber()],
                    plan->operands[i]};
  block.outputs = plan->outputs;
  for (auto [i, output] : llvm::enumerate(block.outputs))
    output.buffer.buf = buffers[function.getNumArguments() + i];

  createGrid(builder, block);
  block.emitHead(builder);
  bool rows = plan->kernel.getSchedule()->getForm() == attn::ScheduleForm::Rows;
  SoftmaxState state =
      rows ? emitRows(builder, block) : emitOnline(builder, block);
  block.emitOutputs(builder, state);
  function.erase();
  return success();
}

namespace {
struct ConvertAttnToTile final
    : attnc::lowering::impl::ConvertAttnToTileBase<ConvertAttnToTile> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (failed(lowerFunction(function)))
        return signalPassFailure();
  }
};
} // namespace
