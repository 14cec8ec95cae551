//===- KeyStorage.cpp - How keys and values are stored --------------------===//
//
// Tests: test/Schedule/Nvptx/select.test
//
//===----------------------------------------------------------------------===//

#include "Nvptx/KeyStorage.h"

#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Tile/TensorBox.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc::schedule::nvptx {

/// What the elements of a tensor are views of; null for an argument.
static Operation *findStorage(Value tensor) {
  while (auto view = tensor.getDefiningOp<attn::ViewOp>())
    tensor = view.getSource();
  return tensor.getDefiningOp();
}

bool readsThroughTable(Value tensor) {
  return isa_and_nonnull<attn::UnpackOp, attn::PagesOp>(findStorage(tensor));
}

/// Whether the last axis is stored as a part of one, with heads for example.
static bool isPartOfAxis(Value tensor) {
  size_t axis = cast<RankedTensorType>(tensor.getType()).getRank() - 1;
  while (auto view = tensor.getDefiningOp<attn::ViewOp>()) {
    attn::ViewLabels labels = view.getViewLabels();
    if (labels.output[axis].size() != 1)
      return false; // several axes of the storage: not contiguous
    char letter = labels.output[axis].front();
    const auto *group = llvm::find_if(
        labels.input, [&](StringRef group) { return group.contains(letter); });
    if (group->size() != 1)
      return true;
    axis = group - labels.input.begin();
    tensor = view.getSource();
  }
  return false;
}

std::string whyNoTensorMaps(attn::KernelOp kernel) {
  constexpr int64_t granule = 16; // of features in shared memory
  SmallVector<Value> tensors;
  for (attn::KernelOp::Sum &sum : kernel.getSums())
    llvm::append_range(tensors, llvm::make_second_range(sum.rows));
  if (kernel.getV())
    tensors.push_back(kernel.getV());
  for (Value tensor : tensors) {
    auto type = cast<RankedTensorType>(tensor.getType());
    Operation *storage = findStorage(tensor);
    int64_t axes = type.getRank(), columns = type.getShape().back();
    tile::TensorBox box{axes,
                        /*rows=*/1, // a tile may have as many as a box
                        columns,
                        int64_t(llvm::alignTo(columns, granule)),
                        isa_and_nonnull<attn::PagesOp>(storage),
                        isPartOfAxis(tensor)};
    if (std::string why = tile::whyNoBox(box); !why.empty())
      return why;
  }
  return {};
}

} // namespace attnc::schedule::nvptx
