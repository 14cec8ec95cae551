//===- AttnFold.cpp - Folds and canonical forms of the attn ops -----------===//
//
// Only what is right for every user of the IR: views that do nothing or meet,
// maps that do nothing, masks that allow everything, gates of 1, products that
// no formula reads, sizes that the interface fixes, indices that a clamp
// decides. What a stage decides lives in passes.
// Tests: test/Dialect/Attn/canonicalize.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Attn/Attn.h"

#include "attnc/Interface/Interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attnc::attn;

//===----------------------------------------------------------------------===//
// attn.view
//===----------------------------------------------------------------------===//

OpFoldResult ViewOp::fold(FoldAdaptor) {
  ViewLabels labels = getViewLabels();
  if (labels.input == labels.output && getSource().getType() == getType())
    return getSource();
  return {};
}

//===----------------------------------------------------------------------===//
// attn.contract, attn.normalize: a mask that allows everything
//===----------------------------------------------------------------------===//

static bool allowsEverything(Value mask) {
  auto op = mask ? mask.getDefiningOp<MaskOp>() : MaskOp();
  return op && op.getConstant() == true;
}

LogicalResult ContractOp::canonicalize(ContractOp op,
                                       PatternRewriter &rewriter) {
  if (!allowsEverything(op.getMask()))
    return rewriter.notifyMatchFailure(op, "no mask, or not constant true");
  rewriter.modifyOpInPlace(op, [&] {
    op.getMaskMutable().clear();
    op.removeMaskLabelsAttr();
  });
  return success();
}

LogicalResult NormalizeOp::canonicalize(NormalizeOp op,
                                        PatternRewriter &rewriter) {
  if (!allowsEverything(op.getMask()))
    return rewriter.notifyMatchFailure(op, "no mask, or not constant true");
  rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
  return success();
}

//===----------------------------------------------------------------------===//
// attn.map
//===----------------------------------------------------------------------===//

OpFoldResult MapOp::fold(FoldAdaptor) {
  if (getInputs().size() != 1 || getInputs()[0].getType() != getType())
    return {};
  Labels labels = getAxisLabels();
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  if (labels.inputs[0] != labels.output ||
      yield.getValue() != getBody().getArgument(0))
    return {};
  return getInputs()[0];
}

//===----------------------------------------------------------------------===//
// attn.kernel: gates of 1, products that no formula reads
//===----------------------------------------------------------------------===//

static bool dropGate(KernelOp kernel, PatternRewriter &rewriter) {
  if (!kernel.hasGate() ||
      !matchPattern(kernel.getGate().front().getTerminator()->getOperand(0),
                    m_OneFloat()))
    return false;
  rewriter.modifyOpInPlace(
      kernel, [&] { rewriter.eraseBlock(&kernel.getGate().front()); });
  return true;
}

/// Of a product the rows and keys, and the number in score and gate.
static bool dropProduct(KernelOp kernel, PatternRewriter &rewriter) {
  constexpr unsigned kFirst = 6; // x, b, h, g, q, k, then the y
  SmallVector<Block *, 2> formulas{&kernel.getScore().front()};
  if (kernel.hasGate())
    formulas.push_back(&kernel.getGate().front());
  if (kernel.hasSelect())
    formulas.push_back(&kernel.getSelect().front());
  SmallVector<KernelOp::Sum, 2> sums = kernel.getSums();
  unsigned row = sums.front().rows.size();
  for (unsigned i = 1; i < sums.size(); row += sums[i++].rows.size()) {
    unsigned place = kFirst + i - 1;
    if (sums[i].pair || llvm::any_of(formulas, [&](Block *formula) {
          return !formula->getArgument(place).use_empty();
        }))
      continue;
    rewriter.modifyOpInPlace(kernel, [&] {
      for (Block *formula : formulas)
        formula->eraseArgument(place);
      kernel.getProductsMutable().erase(2 * (row - 1), 2);
    });
    return true;
  }
  return false;
}

LogicalResult KernelOp::canonicalize(KernelOp op, PatternRewriter &rewriter) {
  if (dropGate(op, rewriter) || dropProduct(op, rewriter))
    return success();
  return rewriter.notifyMatchFailure(op, "all that it computes is used");
}

//===----------------------------------------------------------------------===//
// attn.size: a size that the interface fixes
//===----------------------------------------------------------------------===//

// The entry of the function in the module attribute `attnc.interface`. Read
// entry by entry: folding must not pay for, nor complain about, the rest.
static DictionaryAttr findEntry(Operation *op) {
  auto func = op->getParentOfType<func::FuncOp>();
  auto module = op->getParentOfType<ModuleOp>();
  if (!func || !module)
    return {};
  auto entries = module->getAttrOfType<ArrayAttr>(attnc::kInterfaceAttr);
  if (!entries)
    return {};
  for (auto entry : entries.getAsRange<Attribute>()) {
    auto fields = dyn_cast<DictionaryAttr>(entry);
    auto name = fields ? fields.getAs<StringAttr>("name") : StringAttr();
    if (name && name.getValue() == func.getName())
      return fields;
  }
  return {};
}

OpFoldResult SizeOp::fold(FoldAdaptor) {
  DictionaryAttr entry = findEntry(*this);
  auto sizes = entry ? entry.getAs<ArrayAttr>("sizes") : ArrayAttr();
  if (!sizes)
    return {};
  for (Attribute element : sizes) {
    auto size = dyn_cast<DictionaryAttr>(element);
    auto name = size ? size.getAs<StringAttr>("name") : StringAttr();
    if (!name || name.getValue() != getName())
      continue;
    auto value = size.getAs<StringAttr>("value");
    int64_t number;
    if (!value || value.getValue().getAsInteger(10, number))
      return {};
    return IntegerAttr::get(getType(), number);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// attn.read: constant indices outside a static axis
//===----------------------------------------------------------------------===//

LogicalResult ReadOp::canonicalize(ReadOp op, PatternRewriter &rewriter) {
  RankedTensorType type = op.getSource().getType();
  if (llvm::is_contained(type.getShape(), 0)) { // reads 0
    TypedAttr zero = cast<TypedAttr>(rewriter.getZeroAttr(op.getType()));
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, zero);
    return success();
  }
  for (auto [axis, index] : llvm::enumerate(op.getIndices())) {
    APInt value;
    if (type.isDynamicDim(axis) || !matchPattern(index, m_ConstantInt(&value)))
      continue;
    int64_t last = type.getDimSize(axis) - 1;
    int64_t clamped = std::clamp<int64_t>(value.getSExtValue(), 0, last);
    if (clamped == value.getSExtValue())
      continue;
    Value constant =
        arith::ConstantIndexOp::create(rewriter, op.getLoc(), clamped);
    rewriter.modifyOpInPlace(
        op, [&] { op.getIndicesMutable()[axis].set(constant); });
    return success();
  }
  return rewriter.notifyMatchFailure(op, "no constant index out of range");
}
