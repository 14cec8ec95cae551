//===- TileDialect.cpp - Registration, and the CPU's attribute ------------===//
//
// Tests: test/Dialect/Tile/ops.mlir, test/Dialect/Tile/invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "TileAssembly.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attnc::tile;

#include "attnc/Dialect/Tile/TileDialect.cpp.inc"

#include "attnc/Dialect/Tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "attnc/Dialect/Tile/TileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "attnc/Dialect/Tile/TileTypes.cpp.inc"

namespace {
/// Constants stay in the grid or the scalar region that uses them, so that each
/// can be read, and lowered, by itself.
struct KeepConstants final : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *region) const override {
    return isa<GridOp, MapOp, SelectMaskedOp>(region->getParentOp());
  }
};
} // namespace

void TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "attnc/Dialect/Tile/TileTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "attnc/Dialect/Tile/TileAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "attnc/Dialect/Tile/TileOps.cpp.inc"
      >();
  addInterfaces<KeepConstants>();
}

LogicalResult CpuAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              CpuIsa, CpuMapping, int64_t lanes,
                              ArrayRef<int64_t> scoreGranule,
                              ArrayRef<int64_t> valueGranule, int64_t unroll,
                              int64_t tail, bool, CpuPack, int64_t partial) {
  if (lanes < 1 || lanes > 64 || !llvm::isPowerOf2_64(lanes)) // cpu_c1
    return emitError() << "lanes must be a power of two from 1 to 64, got "
                       << lanes;
  auto isGranule = [](ArrayRef<int64_t> granule) {
    return granule.size() == 2 &&
           llvm::all_of(granule, [](int64_t n) { return n >= 1 && n <= 32; });
  };
  if (!isGranule(scoreGranule) || !isGranule(valueGranule)) // cpu_c2
    return emitError() << (isGranule(scoreGranule) ? "value" : "score")
                       << "_granule must have two entries of 1 to 32, "
                          "[rows, vectors of queries]";
  if (unroll < 1 || unroll > 64) // cpu_c3
    return emitError() << "unroll must be 1 to 64, got " << unroll;
  if (tail < 0 || tail % lanes != 0) // cpu_c4
    return emitError() << "tail must be 0 or a multiple of lanes (" << lanes
                       << "), got " << tail;
  if (partial < 1) // cpu_c5
    return emitError() << "partial must be at least 1, got " << partial;
  return success();
}
