//===- ConvertAttnToTile.cpp - Lower kernels to tile programs -------------===//
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
// and so each op beside the kernels becomes a grid of its own. What one leaves
// for another is in a tile.workspace.
//
// The schedule is obeyed, nothing is decided here. Plan.cpp checks what can be
// lowered; KernelGrid.cpp makes the grid of a kernel, Lower*.cpp those of other
// ops.
// Tests: test/Lowering/convert-attn-to-tile.mlir (and -invalid),
// test/Unit/Lowering/ConvertAttnToTileTest.cpp compares with the interpreter.
//
//===----------------------------------------------------------------------===//

#include "attnc/Lowering/Passes.h"

#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Dialect/Attn/Epilogue.h"
#include "attnc/Dialect/Attn/InProduct.h"

#include "Kernel/KernelBlock.h"
#include "Plan/Plan.h"
#include "Side/SideBlock.h"

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

/// What the first op with decisions was decided for.
static tile::TargetAttrInterface targetOf(func::FuncOp function) {
  for (Operation &op : function.getBody().front()) {
    if (auto kernel = dyn_cast<attn::KernelOp>(op))
      return kernel.getSchedule()->getTarget();
    if (attn::BlockAttr block = attn::BlockAttr::of(&op))
      return block.getTarget();
  }
  llvm_unreachable("checked: there is something to compute");
}

/// How results are copied: like the first side op, or in vectors alone.
static attn::BlockAttr blockOfCopies(func::FuncOp function) {
  for (Operation &op : function.getBody().front())
    if (attn::BlockAttr block = attn::BlockAttr::of(&op))
      return block;
  tile::TargetAttrInterface target = targetOf(function);
  return attn::BlockAttr::get(function.getContext(), attn::BlockForm::Element,
                              "q", "", target.getGranule(), 1, target);
}

static LogicalResult lowerOp(Operation &op, Storage &storage) {
  if (auto kernel = dyn_cast<attn::KernelOp>(op))
    return lowerKernel(kernel, storage);
  if (op.getNumResults() == 1 && attn::findEpilogue(op.getResult(0)))
    return success(); // done with the last of its epilogues
  if (op.hasAttr(attn::kInProduct))
    return success(); // done with the product that it belongs to
  if (auto contract = dyn_cast<attn::ContractOp>(op))
    return lowerContract(contract, storage);
  if (auto map = dyn_cast<attn::MapOp>(op))
    return isRepeatForKernels(map) ? success() : lowerMap(map, storage);
  if (auto reduce = dyn_cast<attn::ReduceOp>(op))
    return lowerReduce(reduce, storage);
  if (auto normalize = dyn_cast<attn::NormalizeOp>(op))
    return lowerNormalize(normalize, storage);
  if (auto concat = dyn_cast<attn::ConcatOp>(op))
    return lowerConcat(concat, storage);
  if (auto append = dyn_cast<attn::AppendOp>(op))
    return lowerAppend(append, storage);
  if (auto scan = dyn_cast<attn::ScanOp>(op))
    return lowerScan(scan, storage);
  if (auto pack = dyn_cast<attn::PackOp>(op))
    return lowerPack(pack, blockOfCopies(op.getParentOfType<func::FuncOp>()),
                     storage);
  OpBuilder builder = OpBuilder::atBlockEnd(&storage.program.getBody().front());
  Scope &scope = storage.scope;
  if (auto size = dyn_cast<attn::SizeOp>(op))
    scope.values.map(size.getResult(), scope.sizes.lookup(size.getName()));
  else if (isa<arith::ArithDialect>(op.getDialect()))
    builder.clone(op, scope.values);
  return success();
}

/// The grids of a function, in the order of its ops.
static LogicalResult lowerOps(func::FuncOp function, Storage &storage) {
  if (failed(checkReads(function, storage.scope)))
    return failure();
  for (Operation &op : function.getBody().front())
    if (failed(lowerOp(op, storage)))
      return failure();
  Operation *terminator = function.getBody().front().getTerminator();
  for (unsigned number : storage.unstored())
    if (failed(lowerCopy(terminator->getOperand(number), number,
                         blockOfCopies(function), storage)))
      return failure();
  storage.settleNames();
  return success();
}

static LogicalResult lowerFunction(func::FuncOp function) {
  if (failed(checkForm(function)))
    return failure();
  FailureOr<Signature> signature = signatureOf(function);
  if (failed(signature) || failed(checkFunction(function, *signature)))
    return failure();
  Storage storage(function, *signature, targetOf(function));
  if (failed(lowerOps(function, storage))) {
    storage.program.erase(); // lowered whole or not touched
    return failure();
  }
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
