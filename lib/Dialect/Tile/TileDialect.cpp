//===- TileDialect.cpp - Registration of the tile dialect -----------------===//
//------------------===//
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
