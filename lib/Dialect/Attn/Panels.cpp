//===- Panels.cpp - Weights stored as a matrix unit reads them ------------===//

#include "attnc/Dialect/Attn/Panels.h"

#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/Cases.h"

using namespace mlir;

namespace attnc::attn {

StringRef panelLabels(unsigned lanesAxis) {
  return lanesAxis ? "nplc->(pc)(nl)" : "nplc->(nl)(pc)";
}

ViewOp findPanelView(Value operand) {
  while (Operation *op = operand.getDefiningOp()) {
    if (isPanelView(op))
      return cast<ViewOp>(op);
    if (!isa<ViewOp, SliceOp>(op))
      break;
    operand = op->getOperand(0);
  }
  return {};
}

std::optional<Panels> panelsOf(ViewOp view) {
  auto type = cast<RankedTensorType>(view.getSource().getType());
  for (unsigned lanesAxis : {0U, 1U})
    if (view.getLabels() == panelLabels(lanesAxis) && type.hasStaticShape() &&
        type.getElementType().isBF16() && type.getDimSize(3) == kPanelPair)
      return Panels{lanesAxis, type.getDimSize(2)};
  return std::nullopt;
}

/// The products that read a matrix, through other views; false if something
/// else does.
static bool findReaders(Value matrix, SmallVectorImpl<ContractOp> &readers) {
  return llvm::all_of(matrix.getUsers(), [&](Operation *user) {
    if (isa<ViewOp, SliceOp>(user))
      return findReaders(user->getResult(0), readers);
    if (auto contract = dyn_cast<ContractOp>(user)) {
      readers.push_back(contract);
      return true;
    }
    return false;
  });
}

std::string findPanelsProblem(ViewOp view) {
  std::optional<Panels> panels = panelsOf(view);
  if (!panels || !isa<BlockArgument>(view.getSource()))
    return "it requires an argument in panels of pairs of bf16, and the labels "
           "'" +
           panelLabels(0).str() + "' or '" + panelLabels(1).str() + "'";
  SmallVector<ContractOp> readers;
  bool isRead = findReaders(view.getResult(), readers);
  if (!isRead || !llvm::all_of(readers, [&](ContractOp op) {
        BlockAttr block = BlockAttr::of(op);
        return block && block.getForm() == BlockForm::Dot &&
               block.getQ() == panels->width && !op->hasAttr(kCases);
      }))
    return "only products of form dot without cases, whose blocks have as many "
           "lanes as a panel, can read it";
  return {};
}

} // namespace attnc::attn
