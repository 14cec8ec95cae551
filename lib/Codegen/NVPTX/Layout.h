//===- Layout.h - Where the elements of tiles are ---------------*- C++ -*-===//
//
// One rule gives every tile of a grid its place, by its dims alone:
//
//   dims         place
//   q, x         registers: a thread has some rows and some columns
//   q            registers: a thread has some rows
//   x            registers: a thread has some columns; all rows have copies
//   r; x, y      shared memory
//
// Rows that a loop loads for its products alone are in shared memory, too: the
// next ones can be copied while these are multiplied. So are, with
// `shared_rows`, those that are loaded once and multiplied in each iteration.
//
// With `mapping = fragment` rows and columns of a thread are those that the
// accumulator of `mma.m16n8` gives to its lane (PTX ISA, "Matrix Fragments for
// mma.m16n8k16"): rows g and g + 8 of 16, columns 2t and 2t + 1 of 8, for lane
// 4g + t. The four lanes of a row are a quad. With `mapping = warpgroup` they
// are the same, since the accumulator of `wgmma.m64nN` gives each of four warps
// 16 rows. With `mapping = thread` a thread has one row and all columns. Tests:
// test/Codegen/NVPTX/convert-tile-to-nvvm.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_NVPTX_LAYOUT_H
#define ATTNC_LIB_CODEGEN_NVPTX_LAYOUT_H

#include "attnc/Dialect/Tile/Tile.h"

#include "llvm/Support/MathExtras.h"

#include <optional>
#include <vector>

namespace attnc::ptx {

/// The dim whose elements are distributed over warps.
inline constexpr llvm::StringLiteral kRowDim = "q";

/// Fragments have whole multiples of this many elements along every dim; the
/// elements past the size of a dim are never stored.
inline constexpr int64_t kFragment = 16;

/// A tile in shared memory, row-major. Rows are 16 bytes apart from a multiple
/// of 32, so that the eight rows that a phase of ldmatrix reads lie in
/// different banks. Rows that run along the sum of a product of tf32 are 32
/// bytes apart from a multiple of 64: half a warp reads 8 bytes of each of 16
/// places of four rows (Dot.cpp).
///
/// An operand of wgmma has the layout that its descriptor names (PTX ISA,
/// "Asynchronous Warpgroup Level Matrix Shared Memory Layout"): panels of all
/// rows and `swizzle` bytes of their columns, one after the other. In a panel
/// the bits of an address from 4 on are xored with those from 7 on.
struct SharedTile {
  int64_t offset = 0; // bytes from the start of shared memory
  mlir::Value stage;  // bytes in addition, of a tile with several buffers
  llvm::SmallVector<mlir::StringAttr>
      dims;                      // one or two, the last is contiguous
  int64_t rows = 1, columns = 1; // with padding, which holds zeros
  int64_t pitch = 1;             // elements from one row to the next
  int64_t swizzle = 0;           // bytes of a row of a panel; 0: no panels
  mlir::Type element;

  int64_t bytes() const;
  /// Bytes that the pattern of a swizzle begins at a multiple of, else 16.
  int64_t alignment() const { return swizzle ? 8 * swizzle : 16; }
  int64_t panelBytes() const { return rows * swizzle; }
};

class Layout {
public:
  Layout() = default;
  explicit Layout(tile::NvptxAttr target) : target(target) {}

  bool isFragment() const {
    return target.getMapping() != tile::NvptxMapping::Thread;
  }
  bool isWarpgroup() const {
    return target.getMapping() == tile::NvptxMapping::Warpgroup;
  }
  tile::NvptxAttr getTarget() const { return target; }

  /// Nothing if tiles of these dims have no place.
  static bool isSupported(tile::TileType type);
  static bool isInRegisters(tile::TileType type);
  bool isInRegisters(tile::LoadOp load) const;
  /// The dim besides rows, or null.
  static mlir::StringAttr columnOf(tile::TileType type);

  /// Registers of a thread, by row and by column; 1 without such a dim.
  int64_t rowSlots(tile::TileType type) const;
  int64_t columnSlots(tile::TileType type) const;
  int64_t slots(tile::TileType type) const {
    return rowSlots(type) * columnSlots(type);
  }
  /// Elements along a dim with their padding.
  int64_t padded(int64_t size) const {
    return isFragment() ? llvm::alignTo(size, kFragment) : size;
  }

  /// `inner` is the contiguous dim; null: the last one.
  SharedTile makeShared(tile::TileType type, mlir::StringAttr inner) const;
  /// The place of a value, in panels if a wgmma reads it.
  SharedTile makeShared(mlir::Value tile, mlir::StringAttr inner) const;
  /// Whether a wgmma reads the tile in shared memory.
  bool isInPanels(mlir::Value tile) const;
  /// Whether products read these rows, which no iteration of a loop computes
  /// anew, from shared memory each time (`shared_rows`).
  bool isSharedRows(mlir::Value tile) const;

private:
  tile::NvptxAttr target;
};

/// Whether the tensor cores compute a dot: f16 or bf16 operands, with `tf32`
/// f32 ones, sums in f32, products of rows with a tile in shared memory.
bool usesTensorCores(tile::DotOp dot, const Layout &layout);

/// Whether such a dot can be one of wgmma: at most 256 columns.
bool usesWarpgroups(tile::DotOp dot, const Layout &layout);

} // namespace attnc::ptx

#endif // ATTNC_LIB_CODEGEN_NVPTX_LAYOUT_H
