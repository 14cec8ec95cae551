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
  for (Value tensor : {kernel.getK(), kernel.getV()})
    if (tensor && isa_and_nonnull<attn::PagesOp>(findStorage(tensor)))
      return "the rows of a tile are in several pages";
  return {};
}

} // namespace attnc::schedule::nvptx
