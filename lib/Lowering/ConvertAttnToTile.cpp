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
// The schedule is obeyed, nothing is decided here. Plan.cpp checks that the
// function has that form; this file makes program and grid; the forms are in
// SoftmaxOnline.cpp and SoftmaxRows.cpp.
// Tests: test/Lowering/convert-attn-to-tile.mlir (and -invalid),
// test/Unit/Lowering/ConvertAttnToTileTest.cpp compares with the interpreter.
//
//===----------------------------------------------------------------------===//

#include "attnc/Lowering/Passes.h"

#include "KernelBlock.h"
#include "Plan.h"

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
