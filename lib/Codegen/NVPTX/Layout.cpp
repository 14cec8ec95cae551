//===- Layout.cpp - Where the elements of tiles are -----------------------===//

#include "Layout.h"

#include "Builder.h"

using namespace mlir;

namespace attnc::ptx {

int64_t SharedTile::bytes() const {
  return llvm::alignTo(rows * pitch * Builder::bytesOf(element), 16);
}

bool Layout::isSupported(tile::TileType type) {
  return type.getRank() <= 2 &&
         (type.getRank() == 1 || !type.hasDim(tile::kDistanceDim));
}

bool Layout::isInRegisters(tile::TileType type) {
  return type.hasDim(kRowDim) ||
         (type.getRank() == 1 && !type.hasDim(tile::kDistanceDim));
}

bool Layout::isInRegisters(tile::LoadOp load) const {
  tile::TileType type = load.getType();
  if (!isInRegisters(type))
    return false;
  if (!isFragment() || isWarpgroup() || type.getRank() != 2)
    return true;
  if (!isa<tile::ForOp>(load->getParentOp()) && !isSharedRows(load))
    return true;
  return !llvm::all_of(load->getUsers(), [&](Operation *user) {
    auto dot = dyn_cast<tile::DotOp>(user);
    return dot && dot.getAcc() != load.getResult() && !dot.getMask();
  });
}

StringAttr Layout::columnOf(tile::TileType type) {
  for (StringAttr name : type.getNames())
    if (name != kRowDim)
      return name;
  return {};
}

int64_t Layout::rowSlots(tile::TileType type) const {
  return type.hasDim(kRowDim) && isFragment() ? target.getRows() / 8 : 1;
}

int64_t Layout::columnSlots(tile::TileType type) const {
  StringAttr column = columnOf(type);
  if (!column)
    return 1;
  int64_t size = padded(*type.getDimSize(column));
  return isFragment() ? size / 4 : size;
}

SharedTile Layout::makeShared(tile::TileType type, StringAttr inner) const {
  SharedTile shared;
  shared.element = type.getElementType();
  if (!inner)
    inner = type.getNames().back();
  for (StringAttr name : type.getNames())
    if (name != inner) {
      shared.dims.push_back(name);
      shared.rows = padded(*type.getDimSize(name));
    }
  shared.dims.push_back(inner);
  shared.columns = padded(*type.getDimSize(inner));
  shared.pitch = shared.columns;
  if (shared.dims.size() == 2)
    shared.pitch += std::max<int64_t>(1, 16 / Builder::bytesOf(shared.element));
  return shared;
}

/// Panels as wide as the columns are a multiple of.
static int64_t swizzleOf(int64_t columns, int64_t elementBytes) {
  int64_t bytes = columns * elementBytes;
  return bytes % 128 == 0 ? 128 : bytes % 64 == 0 ? 64 : 32;
}

/// Whether a dot reads the tile as it is, or after a mask, as the columns of a
/// wgmma. Tiles that have a mask in some iterations only keep their place.
static bool isColumns(Value tile, const Layout &layout) {
  return llvm::any_of(tile.getUsers(), [&](Operation *user) {
    if (auto select = dyn_cast<tile::SelectMaskedOp>(user))
      return select.getValue() == tile && isColumns(select, layout);
    auto dot = dyn_cast<tile::DotOp>(user);
    return dot && dot.getAcc() != tile && usesWarpgroups(dot, layout);
  });
}

/// Whether a mma of tf32 reads the tile, as it is or after a mask, and sums
/// along `inner`.
static bool isSummedAlong(Value tile, StringAttr inner, const Layout &layout) {
  return cast<tile::TileType>(tile.getType()).getElementType().isF32() &&
         llvm::any_of(tile.getUsers(), [&](Operation *user) {
           if (auto select = dyn_cast<tile::SelectMaskedOp>(user))
             return select.getValue() == tile &&
                    isSummedAlong(select, inner, layout);
           auto dot = dyn_cast<tile::DotOp>(user);
           return dot && dot.getAcc() != tile && dot.getSumAttr() == inner &&
                  usesTensorCores(dot, layout);
         });
}

bool Layout::isSharedRows(Value tile) const {
  Operation *op = tile.getDefiningOp();
  if (!target.getSharedRows() || !op || op->getParentOfType<tile::ForOp>() ||
      !cast<tile::TileType>(tile.getType()).hasDim(kRowDim))
    return false;
  return llvm::any_of(tile.getUsers(), [&](Operation *user) {
    auto dot = dyn_cast<tile::DotOp>(user);
    return dot && dot.getAcc() != tile &&
           (isWarpgroup() ? usesWarpgroups(dot, *this)
                          : usesTensorCores(dot, *this));
  });
}

bool Layout::isInPanels(Value tile) const {
  return cast<tile::TileType>(tile.getType()).hasDim(kRowDim)
             ? isWarpgroup() && isSharedRows(tile)
             : isColumns(tile, *this);
}

SharedTile Layout::makeShared(Value tile, StringAttr inner) const {
  SharedTile shared = makeShared(cast<tile::TileType>(tile.getType()), inner);
  if (isSummedAlong(tile, shared.dims.back(), *this))
    shared.pitch = shared.columns + 32 / Builder::bytesOf(shared.element);
  if (!isInPanels(tile))
    return shared;
  shared.pitch = shared.columns;
  shared.swizzle = swizzleOf(shared.columns, Builder::bytesOf(shared.element));
  return shared;
}

bool usesWarpgroups(tile::DotOp dot, const Layout &layout) {
  constexpr int64_t kMostColumns = 256;
  if (!layout.isWarpgroup() || !usesTensorCores(dot, layout))
    return false;
  StringAttr column = Layout::columnOf(dot.getResult().getType());
  return layout.padded(*dot.getResult().getType().getDimSize(column)) <=
         kMostColumns;
}

bool usesTensorCores(tile::DotOp dot, const Layout &layout) {
  tile::TileType lhs = dot.getLhs().getType(), rhs = dot.getRhs().getType();
  if (!lhs.hasDim(kRowDim))
    std::swap(lhs, rhs);
  Type element = lhs.getElementType();
  return layout.isFragment() && !dot.hasTerm() && !dot.getMask() &&
         (element.isF16() || element.isBF16() ||
          (element.isF32() && layout.getTarget().getTf32())) &&
         element == rhs.getElementType() &&
         dot.getResult().getType().getElementType().isF32() &&
         lhs.hasDim(kRowDim) && dot.getSum() != kRowDim && lhs.getRank() == 2 &&
         rhs.getRank() == 2 && !rhs.hasDim(kRowDim);
}

} // namespace attnc::ptx
