//===- AttnDialect.cpp - Registration of the attn dialect -----------------===//
//
// The folder interface keeps constants inside the regions of our ops: a formula
// must be readable, movable and verifiable by itself. Without the inliner
// interface, -inline silently leaves every call to a function with our ops.
// Tests: test/Dialect/Attn/canonicalize.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Attn/AttnMove.h"

#include "mlir/Interfaces/FoldInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace attnc::attn;

#include "attnc/Dialect/Attn/AttnDialect.cpp.inc"

namespace {
struct AttnInliner final : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};

struct AttnFolder final : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *) const final { return true; }
};
} // namespace

void AttnDialect::initialize() {
  addInterfaces<AttnInliner, AttnFolder>();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "attnc/Dialect/Attn/AttnOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "attnc/Dialect/Attn/AttnMove.cpp.inc"
      >();
}

Operation *AttnDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
