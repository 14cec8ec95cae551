//===- AttnStorageVerify.cpp - Verifiers of storage ops -------------------===//
//
// Comments name the constraint of AttnStorage.td that a test of the same name
// in test/Dialect/Attn/storage-invalid.mlir violates.
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Attn/Attn.h"

using namespace mlir;
using namespace attnc::attn;

/// Axes `from` and later of `a` have the sizes of those of `b`, counted from
/// `other` on. An axis without a size agrees with any.
static LogicalResult verifyEqualAxes(Operation *op, Type a, unsigned from,
                                     Type b, unsigned other) {
  int64_t count = cast<RankedTensorType>(a).getRank() - from;
  for (int64_t i = 0; i < count; ++i) {
    Attribute left = axisSize(a, from + i), right = axisSize(b, other + i);
    if (left && right && left != right)
      return op->emitOpError() << "axis " << from + i << " of " << a
                               << " is not axis " << other + i << " of " << b;
  }
  return success();
}

static LogicalResult verifyRagged(Operation *op, RankedTensorType all,
                                  RankedTensorType each,
                                  RankedTensorType start) {
  if (each.getRank() != all.getRank() + 1 || all.getRank() == 0 ||
      each.getElementType() != all.getElementType()) // unpack_c1, pack_c1
    return op->emitOpError()
           << "needs one axis more for rows of each sequence than for rows of "
              "all, and one element type; got "
           << each << " and " << all;
  if (start.getRank() != 1) // unpack_c2, pack_c2
    return op->emitOpError()
           << "needs one axis of starts, got " << start.getRank();
  return verifyEqualAxes(op, each, 1, all, 0); // unpack_c3, pack_c3
}

LogicalResult UnpackOp::verify() {
  return verifyRagged(*this, cast<RankedTensorType>(getSource().getType()),
                      cast<RankedTensorType>(getType()),
                      cast<RankedTensorType>(getStart().getType()));
}

LogicalResult PackOp::verify() {
  return verifyRagged(*this, cast<RankedTensorType>(getType()),
                      cast<RankedTensorType>(getSource().getType()),
                      cast<RankedTensorType>(getStart().getType()));
}

LogicalResult PlaceOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  if (source.getRank() < 2) // place_c1
    return emitOpError() << "needs an axis of sequences and one of keys, got "
                         << source;
  int64_t axes = cast<RankedTensorType>(getStart().getType()).getRank();
  if (axes != 1) // place_c2
    return emitOpError() << "needs one axis of starts, got " << axes;
  return success();
}

LogicalResult PagesOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  auto table = cast<RankedTensorType>(getTable().getType());
  if (source.getRank() != result.getRank() || source.getRank() < 2 ||
      source.getElementType() != result.getElementType()) // pages_c1
    return emitOpError() << "needs as many axes of rows of sequences as of "
                            "pages, at least two, and one element type; got "
                         << result << " and " << source;
  if (table.getRank() != 2 || source.isDynamicDim(1) ||
      source.getDimSize(1) == 0) // pages_c2
    return emitOpError() << "needs a table of two axes and pages of a fixed "
                            "number of rows, got "
                         << table << " and " << source;
  return verifyEqualAxes(*this, result, 2, source, 2); // pages_c3
}
