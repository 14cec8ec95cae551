//===- LowerMap.cpp - Lower maps outside kernels --------------------------===//
//
//   %t = attn.map "kd->kd" (%K) {f}
// becomes
//   tile.grid ... { store (tile.map () at(q = d0, e = k0) { f(tile.read %K) })
//   }
//
// An epilogue is lowered with the product whose blocks it is computed in.
//
// Operands are read element by element: vectors run along the last axis, where
// elements follow each other.
// Tests: test/Lowering/Side/side-ops.mlir
//
//===----------------------------------------------------------------------===//

#include "Formula/ReadElement.h"
#include "Side/SideBlock.h"

#include "attnc/Dialect/Attn/Epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

LogicalResult lowerMap(attn::MapOp op, Storage &storage) {
  if (attn::BlockAttr::of(op).getForm() == attn::BlockForm::Epilogue) {
    std::optional<unsigned> host = attn::findHost(op);
    if (!host)
      return op.emitOpError("has form = epilogue, but no input is a product of "
                            "form dot without other users");
    Operation *made = op.getInputs()[*host].getDefiningOp();
    if (auto before = dyn_cast<attn::MapOp>(made))
      return lowerMap(before, storage);
    return lowerContract(cast<attn::ContractOp>(made), storage);
  }
  SideBlock block(op, storage);
  attn::Labels labels = op.getAxisLabels();
  for (auto [letters, input] : llvm::zip_equal(labels.inputs, op.getInputs())) {
    block.addAxes(letters, input);
    if (failed(checkElements(op, input, storage.scope)))
      return failure();
  }
  block.addAxes(labels.output, op.getResult());
  if (failed(block.addResult(op.getResult(), labels.output)))
    return failure();
  Type element =
      cast<RankedTensorType>(op.getResult().getType()).getElementType();
  Type computed = op.getBody().front().getTerminator()->getOperand(0).getType();
  // Tiles tell the type in which a grid computes: f64 is rounded as it is
  // stored.
  Type held = computed.isF64() ? computed : element;
  StringRef dims = block.block.getRows().empty() ? "q" : "qe";
  auto emitElement = [&](OpBuilder &b, ValueRange, const Places &places) {
    SmallVector<Value> arguments;
    for (auto [letters, input] : llvm::zip_equal(labels.inputs, op.getInputs()))
      arguments.push_back(block.read(b, input, letters, places));
    for (char letter : labels.output)
      arguments.push_back(places.lookup(letter));
    return emitRounded(b, block.loc, block.inlined(b, op.getBody(), arguments),
                       held);
  };
  block.forEachCase([&] {
    block.open(labels.output);
    Value tile = block.map(block.tileType(dims, held), {}, {}, emitElement);
    block.store(tile, op.getResult());
  });
  return success();
}

} // namespace attnc::lowering
