//===- TensorMaps.cpp - Tiles that the memory accelerator copies ----------===//
//
// With `loads = tma` one thread of a producer starts the copies of a tile, a
// box of the tensor for each panel, and the mbarrier counts their bytes:
//
//   wait until K is empty
//   if the first lane {
//     K becomes full after rows * columns * 2 bytes
//     for each panel: copy the box at (column, row, head, ...)
//   }
//
// A box ends where the tensor does: what it has beyond is filled with zeros.
// Rows between the last valid one and the end of the tensor, such as those of
// the next sequence, are copied, too. The consumers clear those of values, as a
// NaN in them would reach the sums of all rows. Tests:
// test/Codegen/NVPTX/tensor-maps.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"
#include "Launch/map.h"

#include "attnc/Dialect/Tile/TensorBox.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace attnc::ptx {

/// The map of a load's tensor, or nothing: tiles through a table, tiles that
/// are not in panels, and boxes that have no such form.
std::optional<TensorMap> Emitter::findMap(tile::LoadOp load) {
  StringAttr inner = innerOf(load);
  SharedTile made = layout.makeShared(Value(load), inner);
  Value buffer = load.getBuf();
  if (tile::RenameOp::findMerged(buffer)) // two strides of one axis
    return std::nullopt;
  while (auto rename = buffer.getDefiningOp<tile::RenameOp>())
    buffer = rename.getBuf();
  auto type = cast<tile::BufType>(buffer.getType());
  if (!made.swizzle || type.getElementType() != made.element)
    return std::nullopt;
  StringAttr outer = made.dims.front();
  if (*load.getType().getDimSize(outer) != made.rows ||
      llvm::any_of(load.getValidDims(),
                   [&](Attribute dim) { return dim != outer; }))
    return std::nullopt;
  ArrayRef<StringAttr> names = load.getBuf().getType().getNames();
  auto axisOf = [&](StringAttr name) {
    return unsigned(llvm::find(names, name) - names.begin());
  };
  int64_t columns = *load.getType().getDimSize(inner);
  std::optional<int64_t> end =
      constantOf(load.getIndices()[axisOf(inner)]); // padding is beyond it
  tile::TensorBox box{type.getRank(),        made.rows, columns, made.columns,
                      bool(load.getTable()), !end};
  if (!tile::whyNoBox(box).empty())
    return std::nullopt;
  if (end)
    *end += columns;
  TensorMap map{
      buffer, {axisOf(inner), axisOf(outer)}, end, made.rows, made.swizzle};
  for (unsigned axis = 0; axis < names.size(); ++axis)
    if (!llvm::is_contained(map.axes, axis))
      map.axes.push_back(axis);
  return map;
}

/// Whether there are loops whose tiles producers copy, and all of these have
/// maps, which the kernel may have.
bool Emitter::canUseMaps() {
  SmallVector<TensorMap> found;
  for (auto &[loop, made] : streams)
    for (const Ring &ring : made.rings) {
      std::optional<TensorMap> map = findMap(ring.load);
      if (!map)
        return false;
      if (!llvm::is_contained(found, *map))
        found.push_back(*map);
    }
  return addMapParameter && !found.empty() && found.size() <= ATTNC_MAX_MAPS;
}

void Emitter::addMaps() {
  for (auto &[loop, made] : streams)
    for (Ring &ring : made.rings) {
      TensorMap map = *findMap(ring.load);
      size_t number = llvm::find(maps, map) - maps.begin();
      if (number == maps.size()) {
        maps.push_back(map);
        mapParameters.push_back(addMapParameter());
      }
      ring.map = number;
    }
}

/// Starts the copies of a tile; their bytes complete the phase of its mbarrier.
void Emitter::copyPanels(const Ring &ring) {
  constexpr int64_t kNoMulticast = 0, kNoHint = 0;
  tile::LoadOp load = ring.load;
  const TensorMap &map = maps[*ring.map];
  SharedTile made = bufferOf(ring);
  Value full = barrierOf(ring, ring.full);
  b.intrinsic("mbarrier.arrive.expect.tx.scope.cta.space.cta", b.getI64Type(),
              {full, b.i32(made.bytes())});
  SmallVector<Value> at;
  for (unsigned axis : map.axes)
    at.push_back(b.toI32(lookup(load.getIndices()[axis])));
  Value first = at.front();
  int64_t width = made.swizzle / Builder::bytesOf(made.element);
  Value to = b.address(sharedPointer(made.offset), b.getI8Type(), made.stage);
  std::string name =
      "cp.async.bulk.tensor.g2s.tile." + std::to_string(at.size()) + "d";
  for (int64_t panel = 0; panel < made.columns / width; ++panel) {
    Value place =
        b.address(to, b.getI8Type(), b.index(panel * made.panelBytes()));
    at.front() = b.add(first, b.i32(panel * width));
    SmallVector<Value> arguments{
        LLVM::AddrSpaceCastOp::create(b, b.loc, b.pointer(Space::Cluster),
                                      place),
        full, mapParameters[*ring.map]};
    llvm::append_range(arguments, at);
    llvm::append_range(
        arguments, SmallVector<Value>{
                       b.zero(b.getI16Type()), b.zero(b.getI64Type()),
                       b.boolean(kNoMulticast), b.boolean(kNoHint), b.i32(0)});
    b.intrinsic(name, arguments);
  }
}

/// Clears the rows of a tile that a box has, but the load has not.
void Emitter::clearInvalidRows(const Ring &ring) {
  constexpr int64_t kUnit = 16;
  tile::LoadOp load = ring.load;
  SharedTile made = bufferOf(ring);
  StringAttr outer = made.dims.front();
  Value valid = load.getValidOf(outer);
  if (!valid)
    return;
  valid = b.max(lookup(valid), b.index(0));
  if (std::optional<int64_t> known = constantOf(valid);
      known && *known >= made.rows)
    return;
  ArrayRef<StringAttr> names = load.getBuf().getType().getNames();
  size_t axis = llvm::find(names, outer) - names.begin();
  Value extent = buffers[load.getBuf()].extents[axis];
  Value end =
      b.min(b.sub(extent, lookup(load.getIndices()[axis])), b.index(made.rows));
  b.branch(b.compare(Builder::Predicate::slt, valid, end), [&] {
    waitFull(ring);
    int64_t elements = kUnit / Builder::bytesOf(made.element);
    int64_t units = made.columns / elements;
    Value zeros = LLVM::ZeroOp::create(
        b, b.loc, VectorType::get({kUnit / 4}, b.getI32Type()));
    b.loop(b.add(b.mul(valid, units), thread), b.mul(end, units),
           b.index(threads), [&](Value number) {
             Value row = b.floorDiv(number, units);
             Value column = b.mul(b.remainder(number, units), elements);
             Value to = sharedAddress(made, [&](StringRef dim) {
               return dim == outer ? row : column;
             });
             LLVM::StoreOp::create(b, b.loc, zeros, to, kUnit);
           });
    publish(made);
  });
}

} // namespace attnc::ptx
