//===- KeyStorage.cpp - How keys and values are stored --------------------===//
//
// Tests: test/Schedule/Nvptx/select.test
//
//===----------------------------------------------------------------------===//

#include "Nvptx/KeyStorage.h"

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

std::string whyNoTensorMaps(attn::KernelOp kernel) {
  for (Value tensor : {kernel.getK(), kernel.getV()}) {
    Operation *storage = tensor ? findStorage(tensor) : nullptr;
    if (isa_and_nonnull<attn::PagesOp>(storage))
      return "the rows of a tile are in several pages";
    if (isa_and_nonnull<attn::UnpackOp>(storage))
      return "tiles of ragged rows are not copied ahead";
  }
  return {};
}

} // namespace attnc::schedule::nvptx
