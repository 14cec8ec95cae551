//===- TileRows.cpp - Rows of the tiles of a product's block --------------===//

#include "attnc/Dialect/Attn/TileRows.h"

#include "attnc/Dialect/Attn/NarrowSums.h"

using namespace mlir;

namespace attnc::attn {

std::optional<int64_t> tileRowsOf(ContractOp op) {
  auto rows = op->getAttrOfType<IntegerAttr>(kTileRows);
  return rows && rows.getValue().getSignificantBits() <= 64
             ? std::optional(rows.getValue().getSExtValue())
             : std::nullopt;
}

std::optional<int64_t> fixedSumOf(ContractOp op) {
  Labels labels = op.getAxisLabels();
  std::optional<int64_t> found;
  for (auto [axis, letter] : llvm::enumerate(labels.inputs[0])) {
    if (labels.output.contains(letter))
      continue;
    auto size = dyn_cast_if_present<IntegerAttr>(
        axisSize(op.getLhs().getType(), unsigned(axis)));
    if (found || !size || !labels.inputs[1].contains(letter))
      return std::nullopt;
    found = size.getInt();
  }
  return found;
}

std::string findTileRowsProblem(ContractOp op) {
  std::optional<int64_t> rows = tileRowsOf(op);
  if (!op->hasAttr(kTileRows))
    return {};
  BlockAttr block = BlockAttr::of(op);
  if (!rows || *rows < 1 || !block || block.getForm() != BlockForm::Dot)
    return "it must be a number of at least 1, of a block of form dot";
  if (*rows > block.getE())
    return "tiles have at most as many rows as the block, e";
  if (op.getMask() || op->hasAttr(kCompensated))
    return "a masked or compensated product adds up its steps";
  std::optional<int64_t> size = fixedSumOf(op);
  if (!size || *size < 2 || *size > block.getK())
    return "the sum must run over one axis, whose fixed size is at most k";
  return {};
}

} // namespace attnc::attn
