//===- Plan.h - Loop nests and scratch of a grid body -----------*- C++ -*-===//
//
// What the emitter does is decided before anything is emitted, once per copy
// of a grid's body, so that all copies of a loop body (full tiles, partial
// tiles with fewer vectors) agree on where each tile is:
//
//   Nest.cpp   groups the ops of a block into items. One item of kind Nest is
//              one loop nest over a space (a row of lanes, or one dim times
//              lanes); a dot with the elementwise ops before and after it and
//              the reductions of its result is one nest.
//   Pairs.cpp  finds the products of bf16, or of 8-bit integers, that a
//              dot-product unit or a matrix unit computes. A matrix unit makes
//              whole tiles in memory, so each of its products is an item of its
//              own.
//   Stages.cpp divides the body of a loop with products of a matrix unit into
//              stages, so that products and other ops overlap.
//   SteadyMaximum.cpp finds the maximum that need not be known before weights.
//   Homes.cpp  gives each tile that is used by another item a slot in the
//              worker's scratch.
//
// Lanes are queries: the dim `q` is innermost in every slot.
// Tests: test/Codegen/CPU/nests.mlir, test/Codegen/CPU/slots.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_CPU_PLAN_PLAN_H
#define ATTNC_LIB_CODEGEN_CPU_PLAN_PLAN_H

#include "Plan/StagedBody.h"

#include "attnc/Target/Target.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <vector>

namespace attnc::cpu {

/// A register of the matrix unit has 16 rows of 64 bytes: 16 lanes of f32, or
/// 32 elements of bf16 along the summed dim (in operand B 16 lanes of pairs),
/// or 64 of 8-bit integers (16 lanes of quadruples).
inline constexpr int64_t kTileRows = 16, kTileDepth = 32, kTileRowBytes = 64;

/// Where a tile lies. Rows of lanes (or of single elements) follow each other;
/// `local` slots belong to a loop body and hold one group of vectors only. A
/// slot that alternates has copies for the tiles of consecutive turns. With
/// a matrix unit each group of vectors has rows of its own, which are short
/// enough to spread over the sets of L1; so has an operand of products of fmas.
struct Slot {
  int64_t offset = 0; // bytes from the start of scratch
  int64_t stride = 0; // elements from one row to the next
  int64_t group = 0;  // elements from one group to the next; 0: along rows
  bool local = false;
  int64_t alternate = 0; // bytes to the next copy; 0: there is none
  int64_t copies = 1;
};

/// A read of a table of which a loop uses few entries (SmallTables.cpp).
struct SmallTable {
  tile::ForOp loop;
  unsigned axis;  // of the entries
  int64_t offset; // of their copy in scratch
};
inline constexpr int64_t kSmallTable = 32;

/// Constant tiles have no slot.
struct Plan {
  int64_t lanes = 0;      // of one vector
  int64_t vectors = 0;    // of queries in the block
  int64_t groupWidth = 0; // vectors that a loop body handles at once
  int64_t bytes = 0;      // of scratch
  mlir::Type accumulator; // f32 or f64
  llvm::DenseMap<mlir::Block *, std::vector<Item>> items;
  llvm::DenseMap<mlir::Value, Slot> slots;
  llvm::DenseMap<mlir::Operation *, Slot> packs; // of ItemKind::Rows
  int64_t zero = 0;                              // offset of 64 bytes of zeros
  int64_t gatherOffsets = 0;                     // offset of an i64 per lane
  int64_t gatherElements = 0; // offset of an element per lane
  unsigned joinedAxes = 0;    // of grids: see JoinedGrids.h
  int64_t extraRows = 0; // a run-time number of rows is rounded up by these
  /// Queries of a register tile whose lanes are features; 0: lanes are queries.
  int64_t featureRows = 0;
  /// Operands that such a product reads row by row of queries, as copies.
  llvm::DenseMap<mlir::Value, Slot> queryRows;
  int64_t featureSums = 0; // offset of the sums of its register tile
  /// Loads of paged rows that only such products read: where scratch has the
  /// places of every kKeysOfFew rows, of the tile and the next (Pages.cpp).
  llvm::DenseMap<mlir::Operation *, int64_t> pageOffsets;

  // With `unit = dot` or `matrix` (Pairs.cpp): products of bf16 by pairs of the
  // summed dim, and of 8-bit integers by pairs or quadruples.
  llvm::DenseSet<mlir::Operation *> pairDots;
  /// Tiles whose slots hold several rows per lane: `rowsPerLane`.
  llvm::DenseSet<mlir::Value> pairTiles;
  /// The unit of both tiles of such a product of integers.
  llvm::DenseMap<mlir::Value, const Unit *> integerTiles;
  /// Sums that a matrix unit leaves in their slots as integers.
  llvm::DenseSet<mlir::Value> integerSums;
  /// Loads of rows of V that are copied as pairs of rows.
  llvm::DenseMap<mlir::Operation *, Slot> pairRows;

  // With `unit = matrix`: all of `pairDots` are items of kind Tiles.
  bool hasTiles = false;
  int64_t tileShapes = 0; // offset of the operand of LDTILECFG
  /// Loops whose full tiles are pipelined.
  llvm::DenseMap<mlir::Operation *, StagedBody> staged;
  /// Reads of small tables.
  llvm::MapVector<mlir::Operation *, SmallTable> smallTables;
  /// Reads of terms that are copied: where scratch has the copy.
  llvm::DenseMap<mlir::Operation *, int64_t> termReads;
  /// Tiles that one stage makes for a later one, and the copies of those of
  /// them that have several.
  llvm::DenseSet<mlir::Value> crossing;
  llvm::DenseMap<mlir::Value, int64_t> alternating;
  /// Loads of rows of K and V that are copied for the unit, unless they are
  /// packed: K only where its rows cannot be read in place, V transposed.
  llvm::DenseMap<mlir::Operation *, Slot> tileRows;
  /// Loaded tiles whose only use stores their columns, in grids that pack an
  /// operand for the unit (CopyTransposed.cpp).
  llvm::DenseSet<mlir::Value> transposedCopies;

  /// Results of nests that are stored to memory as they are made, where
  /// the lanes of the whole block are contiguous there (DirectStores.cpp).
  llvm::DenseMap<mlir::Value, tile::StoreOp> direct;

  /// Loads into lanes that one product reads once, in place where the lanes are
  /// contiguous in memory (Streams.cpp).
  llvm::DenseSet<mlir::Operation *> streamed;

  /// Whether the matrix unit computes tiles for one group of a block after the
  /// other, each in its own part of a slot.
  bool hasGroups() const { return hasTiles && groupWidth != vectors; }
  /// Places before the first distance in a slot: rows past the end of a tile
  /// of keys look there, for elements that nobody uses.
  int64_t distanceLead() const { return llvm::alignTo(extraRows, lanes); }
  /// Elements of a lane's 32 bits in a slot of `pairTiles`.
  int64_t rowsPerLane(mlir::Value tile) const;
  /// Those of a row of operand A of the matrix unit, or of 16 rows of B.
  int64_t tileDepth(mlir::Value tile) const {
    return kTileRows * rowsPerLane(tile);
  }
  /// Elements from one row to the next in the copy of rows of K or V.
  int64_t rowPitch(tile::LoadOp load) const;
  /// Storage of an element: accumulator, i64 for index, i8 for i1.
  mlir::Type storage(mlir::Type element) const;
};

/// The load of the operand of a product that has no lanes; null: no load.
tile::LoadOp loadedRows(tile::DotOp dot);

/// The first of consecutive products that add to each other's sums.
tile::DotOp firstOfSum(tile::DotOp dot);

/// What a map returns.
mlir::Value yieldedBy(tile::MapOp map);

/// Whether a map makes approximations of powers of two.
bool areRoughWeights(mlir::Value weights);

/// The dims of a tile of rows in memory order: the outer axis, then the inner.
std::pair<mlir::StringAttr, mlir::StringAttr> rowAndColumn(tile::LoadOp load);

/// Whether a load reads operand A of the matrix unit in place: rows in blocks
/// of `kTileDepth`, a column of which is contiguous, or padded rows.
bool isBlocked(tile::LoadOp load);
/// Whether these are rows of whole blocks of `kTileDepth` columns, the last of
/// which is completed by zeros.
bool hasPaddedRows(tile::LoadOp load);

/// How the lanes of a product run over the features of rows of K or V.
enum class FeatureForm {
  None,   // they do not
  Along,  // sums over the features of a row: scores of keys
  Across, // sums over rows: values
};
FeatureForm featureFormOf(tile::DotOp dot, const Plan &plan);

/// The unit of the level of `op`'s module, or else of any level with the
/// target's instructions, that multiplies elements of a type; null: none does.
const Unit *findPairUnit(mlir::Operation *op, tile::CpuAttr target,
                         DType operand);

/// Whether a unit for integers multiplies unsigned by signed ones only: its
/// instruction is VPDPBUSD.
inline bool mixesSigns(const Unit &unit) {
  return unit.kind == UnitKind::DotProduct && unit.depth == 4;
}

/// Finds the products that the dot-product unit or the matrix unit computes;
/// with `explains` a remark names others of bf16 tiles. The items of `block`
/// are planned, and with `unit = matrix` planned again.
mlir::LogicalResult planPairs(mlir::Block &block, Plan &plan,
                              tile::CpuAttr target, bool explains);

/// Whether all uses of a tile that an op of a nest makes are such products, or
/// stores of its pairs.
bool isOnlyPaired(mlir::Value tile, const Plan &plan);

/// Whether rows are read in the type in which they are stored: by products with
/// features in their lanes, which convert whole vectors, and those by pairs,
/// and nothing else.
bool keepsStorageType(tile::LoadOp load, const Plan &plan);

/// The type of the elements of rows in the copy that products read in scratch,
/// or in place if it is that of the tensor: the accumulator's type, unless the
/// rows keep theirs. Integers become floats, with `unit = dot` those of the
/// tile, or what a unit for integers multiplies, unsigned ones where it mixes
/// signs; further copies for a unit (pairRows, tileRows) convert them by
/// themselves.
mlir::Type rowTypeOf(tile::LoadOp load, const Plan &plan);

/// Groups the ops of `block` and of the blocks below it. Fails with a
/// diagnostic at an op that the CPU cannot do.
mlir::LogicalResult planItems(mlir::Block &block, Plan &plan);

/// Gives places to the rows of queries that such products read, and to sums.
void planFeatures(mlir::Block &block, Plan &plan, tile::CpuAttr target);

/// Finds the loads into lanes that a product reads once. Pairs are planned
/// later.
void planStreams(mlir::Block &block, Plan &plan, tile::CpuAttr target);

/// Finds the loops whose full tiles are pipelined; products are planned. With
/// `explains` a remark describes each such loop, or says why it is none.
void planStages(mlir::Block &block, Plan &plan, bool explains);

/// Finds the reads of tables of few entries.
void planSmallTables(mlir::Block &block, Plan &plan, tile::CpuAttr target);

/// The maximum of a loop whose stages are known; nothing if there is none that
/// usually stays.
std::optional<SteadyMaximum>
findSteadyMaximum(tile::ForOp loop, const StagedBody &stages, const Plan &plan);

/// Whether values may be added for two tiles at once; finds what rescales them.
std::optional<size_t>
findPairedValues(tile::ForOp loop, const StagedBody &stages, const Plan &plan);

/// With products of a matrix unit: finds the results that nests store directly.
void planDirectStores(Plan &plan);

/// Gives slots to the tiles of `block`, whose items are planned.
mlir::LogicalResult planHomes(mlir::Block &block, Plan &plan);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_PLAN_PLAN_H
