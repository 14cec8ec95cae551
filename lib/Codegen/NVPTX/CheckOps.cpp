//===- CheckOps.cpp - Reject ops that the emitter does not support --------===//
//
// The tile dialect allows more than the layouts of a GPU hold. Whatever has no
// place is refused here, before any code is generated, with what was found and
// what is possible. Tests: test/Codegen/NVPTX/convert-tile-to-nvvm-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "Layout.h"

#include "attnc/Target/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc::ptx {

/// More could not stay in the 255 registers of a thread, and each is code.
static constexpr int64_t kMostSlots = 512;

static LogicalResult checkTile(Operation *op, tile::TileType type,
                               const Layout &layout, const Target &target) {
  auto load = dyn_cast<tile::LoadOp>(op);
  bool isInRegisters =
      load ? layout.isInRegisters(load) : Layout::isInRegisters(type);
  if (!Layout::isSupported(type))
    return op->emitOpError("has the tile ")
           << type
           << "; the NVPTX code generator supports one or two dims, and "
           << tile::kDistanceDim << " alone";
  if (std::optional<int64_t> rows = type.getDimSize(kRowDim);
      rows && *rows > layout.getTarget().getBlockRows())
    return op->emitOpError("has a tile of ")
           << *rows << " rows, but a thread block has "
           << layout.getTarget().getBlockRows()
           << " (warps * rows of #tile.nvptx)";
  if (isInRegisters && layout.slots(type) > kMostSlots)
    return op->emitOpError("has the tile ")
           << type << ", which takes " << layout.slots(type)
           << " registers of each thread; supported are " << kMostSlots;
  // A tile has at most 2^24 elements, so nothing overflows; but its copy would
  // be unrolled before the sum of all tiles is known.
  if (!isInRegisters &&
      layout.makeShared(type, {}).bytes() > target.gpu.blockSharedBytes)
    return op->emitOpError("has the tile ")
           << type << ", which does not fit the " << target.gpu.blockSharedBytes
           << " bytes of shared memory of " << target.name;
  return success();
}

/// Tiles that a loop or a branch carries are in registers.
static LogicalResult checkCarried(Operation *op) {
  if (!isa<tile::ForOp, scf::ForOp, scf::IfOp>(op))
    return success();
  for (Type type : op->getResultTypes())
    if (auto tile = dyn_cast<tile::TileType>(type);
        tile && !Layout::isInRegisters(tile))
      return op->emitOpError("has the result ")
             << tile << ", which is not in registers; supported are tiles with "
             << "the dim " << kRowDim << " or with one dim";
  return success();
}

/// Regions of elementwise ops compute one scalar with each op.
static LogicalResult checkRegion(Operation *op) {
  if (!isa<tile::MapOp, tile::SelectMaskedOp, tile::DotOp>(op))
    return success();
  for (Region &region : op->getRegions())
    for (mlir::Block &block : region)
      for (Operation &inner : block.without_terminator())
        if (inner.getNumResults() != 1 || inner.getNumRegions())
          return inner.emitOpError(
              "is not supported in a region of elements; use ops with a scalar "
              "result");
  return success();
}

static LogicalResult checkOp(Operation *op, const Layout &layout,
                             const Target &target) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    if (Type element = load.getBuf().getType().getElementType();
        element != load.getType().getElementType())
      return load.emitOpError("converts elements ")
             << element << " to " << load.getType().getElementType()
             << ", which loads of GPUs do not";
  SmallVector<Value> values(op->getResults());
  for (Region &region : op->getRegions())
    for (mlir::Block &block : region)
      llvm::append_range(values, block.getArguments());
  for (Value value : values)
    if (auto type = dyn_cast<tile::TileType>(value.getType()))
      if (failed(checkTile(op, type, layout, target)))
        return failure();
  return success(succeeded(checkCarried(op)) && succeeded(checkRegion(op)));
}

LogicalResult checkProgram(tile::ProgramOp program, const Target &target) {
  if (!isa<tile::NvptxAttr>(program.getTarget()))
    return program.emitOpError("has the target ")
           << program.getTarget()
           << ", but the NVPTX code generator needs #tile.nvptx<...>";
  for (Operation &op : program.getBody().front()) {
    auto grid = dyn_cast<tile::GridOp>(op);
    if (!grid) {
      if (isa<tile::WorkspaceOp, tile::RenameOp>(op) ||
          (isa<arith::ArithDialect>(op.getDialect()) && !op.getNumRegions()))
        continue;
      return op.emitOpError("is not supported between the grids of a program; "
                            "only buffers and arithmetic on sizes are");
    }
    Layout layout(targetOf(grid));
    WalkResult result = grid.walk([&](Operation *inner) {
      return WalkResult(checkOp(inner, layout, target));
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

} // namespace attnc::ptx
