//===- StoreViews.cpp - Materialize operands behind views -----------------===//
//
// A kernel reads its operands in blocks of rows through the views of a layer,
// as long as a row of the kernel is a row of the memory behind them, or a piece
// of one. Views may cut axes otherwise: eight heads of four features, merged
// and cut into four of eight. Such an operand is stored once, element by
// element, in the order in which the kernel goes:
//
//   %v = attn.view "bhq(ad)->..." ...
//   %o = attn.kernel ins(%v, ...)
// becomes
//   %s = attn.map "bhgqd->bhgqd" (%v) {^bb0(%x): %x}
//   %o = attn.kernel ins(%s, ...)
//
// Rows of several heads (`row_axes = gq`) need heads that are evenly spaced; a
// view that cuts features behind the heads is stored for them as well.
//
// Other ops read element by element where their operands are no matrices, and
// results are stored apart and copied (lib/Lowering/Plan/Storage.cpp). Rows
// that a table finds stay if they are those of sequences, since the kernel
// needs the table; queries in pages are stored. Tests:
// test/Schedule/store-views.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Schedule/Passes.h"

#include "StoreViews.h"

#include "attnc/Analysis/Kernel/GroupedRows.h"
#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Dialect/Attn/AttnMove.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace attnc;

namespace attnc::schedule {
#define GEN_PASS_DEF_STOREVIEWS
#include "attnc/Schedule/Passes.h.inc"
} // namespace attnc::schedule

/// Whether a table says where rows are of which `tensor` is a view.
static bool isFoundByTable(Value tensor) {
  while (isa_and_present<attn::ViewOp, attn::SliceOp>(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  return isa_and_present<attn::UnpackOp, attn::PagesOp>(tensor.getDefiningOp());
}

/// Whether blocks of the axes `letters` are blocks of the memory behind views,
/// or rows that a table finds.
static bool canBeWalked(Value tensor, StringRef letters) {
  Value root;
  FailureOr<TensorDigits> digits =
      digitsOfOperand(tensor, letters, root, /*report=*/false);
  return succeeded(digits) && (isFoundByTable(tensor) || !findBlocked(*digits));
}

/// Whether the rows of all heads of a group have two strides.
static bool areRowsRegular(Value tensor) {
  Value root;
  FailureOr<TensorDigits> digits =
      digitsOfOperand(tensor, "bhgqd", root, /*report=*/false);
  return failed(digits) || mergeDigits(*digits);
}

static void storeOperand(attn::KernelOp kernel, OpOperand &operand,
                         StringRef letters) {
  Value tensor = operand.get();
  OpBuilder builder(kernel);
  auto stored = attn::MapOp::create(
      builder, tensor.getLoc(), cast<RankedTensorType>(tensor.getType()),
      (letters + "->" + letters).str(), tensor,
      [](OpBuilder &inner, Location loc, ValueRange x) {
        attn::YieldOp::create(inner, loc, x[0]);
      });
  operand.set(stored);
}

static void storeOperands(attn::KernelOp kernel) {
  for (auto [operand, lettered] :
       llvm::zip_equal(kernel->getOpOperands(), kernel.getLetteredOperands()))
    if (!canBeWalked(operand.get(), lettered.second))
      storeOperand(kernel, operand, lettered.second);
}

/// The operands that hold rows of queries.
static SmallVector<OpOperand *> listRows(attn::KernelOp kernel) {
  SmallVector<OpOperand *> rows{&kernel.getQMutable()};
  for (unsigned i = 0; i < kernel.getProducts().size(); i += 2)
    rows.push_back(&kernel.getProductsMutable()[i]);
  return rows;
}

bool attnc::schedule::hasScatteredRows(attn::KernelOp kernel) {
  return !llvm::all_of(listRows(kernel), [](OpOperand *operand) {
    return areRowsRegular(operand->get());
  });
}

void attnc::schedule::storeScatteredRows(attn::KernelOp kernel) {
  for (OpOperand *operand : listRows(kernel))
    if (!areRowsRegular(operand->get()))
      storeOperand(kernel, *operand, "bhgqd");
}

namespace {
struct StoreViews final : attnc::schedule::impl::StoreViewsBase<StoreViews> {
  void runOnOperation() override { getOperation().walk(storeOperands); }
};
} // namespace
