//===- KernelBlock.h - One block of queries of a kernel ---------*- C++ -*-===//
//
// What the forms (SoftmaxOnline.cpp, SoftmaxRows.cpp) share: the values of a
// grid instance and the pieces of softmax attention on tiles.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_LOWERING_KERNEL_KERNELBLOCK_H
#define ATTNC_LIB_LOWERING_KERNEL_KERNELBLOCK_H

#include "Formula/Formula.h"
#include "Kernel/RaggedSequences.h"
#include "Plan/Storage.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Tile/Tile.h"

#include <optional>

namespace attnc::lowering {

class KeyWalk;

/// A result of the function: which result of the kernel it is, and where.
struct BlockOutput {
  BlockBuffer buffer;
  bool isLse = false;                          // one number per row
  llvm::SmallVector<mlir::Value, 1> wantedFor; // see Destination
  bool isPairs = false; // one number per pair of query and key
  bool isKey = false;   // the key of a rank
  bool isMax = false;   // the largest score, beside the sum
};

/// Values carried from tile to tile, one row per query: the accumulated values
/// o, the largest score m, and the sum of weights l (relative to m if there is
/// one). What the kernel does not need is null.
struct SoftmaxState {
  mlir::Value o, m, l;

  /// Those that are there, and the state of which they are the values.
  llvm::SmallVector<mlir::Value, 3> values() const;
  SoftmaxState withValues(mlir::ValueRange values) const;
};

/// A tile of keys.
struct KeyTile {
  mlir::Value k0, nk, partial;
};

class ChunkStates;

/// One instance of the grid.
class KernelBlock {
public:
  KernelBlock(attn::KernelOp kernel, const Scope &scope);

  attn::KernelOp kernel;
  const Scope &scope;
  mlir::Location loc;
  int64_t sizeQ, sizeK, sizeD, sizeE; // of tiles
  mlir::Type accumulate;
  bool hasValues, hasMax, hasSum; // what the state has: o, m, l
  bool hasPairs;                  // tiles of pairs are stored
  BlockBuffer q, k, v;
  /// Keys and values as `storePackedOperands` has stored them, by their terms
  /// (SplitOperands.h); empty: it has not.
  llvm::SmallVector<BlockBuffer, 2> storedKeys, storedValues;
  llvm::SmallVector<BlockBuffer, 0> products; // rows and keys in turn
  std::vector<BlockOutput> outputs;
  llvm::SmallVector<mlir::Value, 3> bhg;
  /// Heads whose queries are the rows: row q * group + g is query q of head g.
  int64_t group;
  mlir::Value q0, q1, rows, zero; // rows = q1 - q0; zero is the index 0
  mlir::Value kvLen;
  mlir::Value key;          // of a rank
  mlir::Value part0, part1; // the keys of this instance, if they are split
  /// A block that merges parts of one row: its features lie along dim q, and m
  /// and l are repeated along them.
  bool isOneRow = false;
  /// By table of starts, for the tables of ragged tensors.
  llvm::DenseMap<mlir::Value, Sequence> sequences;
  Formula score, mask;
  std::optional<Formula> init, gate, select;
  ChunkStates *states = nullptr; // of form chunked

  /// A tile type with elements of the accumulate type.
  tile::TileType
  tileType(std::initializer_list<std::pair<llvm::StringRef, int64_t>> dims);
  tile::TileType rowType() {
    return tileType({{"q", isOneRow ? sizeE : sizeQ}});
  }
  tile::TileType outType() {
    return isOneRow ? rowType() : tileType({{"q", sizeQ}, {"e", sizeE}});
  }
  /// The size of axis b, h, g or q (0 to 3) of the rows.
  mlir::Value sizeOfRows(mlir::OpBuilder &builder, unsigned axis);
  /// Where q, k and v lie and the results go.
  llvm::SmallVector<const BlockBuffer *> buffers() const;

  /// Indices into a buffer: b, h and g of this instance, `q0`, `key`, and the
  /// start of features.
  llvm::SmallVector<mlir::Value>
  indices(mlir::OpBuilder &builder, const BlockBuffer &buffer, mlir::Value key);

  /// Rows of keys in a tile, from where they lie.
  mlir::Value emitKeys(mlir::OpBuilder &builder, const BlockBuffer &buffer,
                       tile::TileType type, const KeyTile &keys);
  /// Finds the sequences of ragged tensors; b of this instance is known.
  void emitSequences(mlir::OpBuilder &builder);
  /// The sequence of the rows `letter` (q or k) of a buffer, if it is ragged.
  const Sequence *sequenceOf(const BlockBuffer &buffer, char letter) const;
  /// The digit of a buffer that has ragged rows `letter`, or null: all such
  /// buffers have the same, and the others (workspaces) are as long as the rows
  /// of all sequences.
  const Digit *findRagged(char letter) const;
  /// The sequence to which the walk over `letter` keeps, if there is one.
  const Sequence *sequenceOf(char letter) const;

  /// What is computed once per block: uniform parts and rows of the formulas,
  /// rows of further products.
  void emitHead(mlir::OpBuilder &builder);
  /// The part of it that emitInitial needs.
  void emitInitHead(mlir::OpBuilder &builder);
  /// Q as tile.dot multiplies it: in its storage type, or, if that is the
  /// accumulate type and the scale a power of two, times the scale.
  mlir::Value emitQuery(mlir::OpBuilder &builder);
  /// The factor of sums over features, where Q does not have the scale. Q that
  /// is narrower than the accumulate type stays as stored: a matrix unit
  /// multiplies such elements, and products of f16 or bf16 are exact in f32. A
  /// scale that rounds queries would make equal scores differ.
  double sumScale();
  /// The factor of differences to the maximum. A scale that is the last step of
  /// a score and positive changes neither which key is largest nor that equal
  /// scores have equal weights, so that scores and m stay without it.
  double weightScale();
  /// Whether weights may err by a small part of the rounding to bf16 (or, if
  /// they have terms, to f16) of all that the kernel stores.
  bool hasRoughWeights();
  mlir::Value emitScaled(mlir::OpBuilder &builder, mlir::Value sums);
  /// o, m and l before the first key.
  SoftmaxState emitInitial(mlir::OpBuilder &builder);
  /// The same without a sink: the neutral element of merging states.
  SoftmaxState emitEmpty(mlir::OpBuilder &builder);
  /// Whether a score is a weight (or a term of a sum) itself: a masked one is
  /// 0.
  bool isIdentity();
  /// Scores of a tile of keys, masked ones -inf, or 0 if they are weights; and
  /// in `gates` the factors of the values, if it is given.
  mlir::Value emitScores(mlir::OpBuilder &builder, mlir::Value query,
                         const KeyTile &keys, mlir::Value *gates = nullptr);
  /// A sum over features for each pair, whose rows and keys are those from
  /// `first` on: 0 is q and k, `query`.
  mlir::Value emitSum(mlir::OpBuilder &builder, attn::KernelOp::Sum &sum,
                      unsigned first, mlir::Value query, const KeyTile &keys);
  mlir::Value emitContributions(mlir::OpBuilder &builder, mlir::Value p,
                                mlir::Value value, const KeyTile &keys,
                                mlir::Value acc, mlir::Value where);
  /// Whether a query may see a key, for products that leave the others out.
  mlir::Value emitAllowed(mlir::OpBuilder &builder, mlir::Value query,
                          const KeyTile &keys);
  /// m, or 0 in rows that have seen nothing: -inf - -inf never happens.
  mlir::Value emitShift(mlir::OpBuilder &builder, mlir::Value m);
  /// The weight of `x - shift`; `shift` is null where the kernel has no m.
  mlir::Value emitWeight(mlir::OpBuilder &builder, mlir::Value x,
                         mlir::Value shift);
  /// The element type of weights in the product with V.
  mlir::Type weightType();
  /// Weights as they multiply V, rounded as the kernel says, times `gates`
  /// unless these are null.
  mlir::Value emitProbabilities(mlir::OpBuilder &builder, mlir::Value weights,
                                mlir::Value gates);
  /// acc + P V over a tile of keys; acc and `where` may be null.
  mlir::Value emitValues(mlir::OpBuilder &builder, mlir::Value p,
                         const KeyTile &keys, mlir::Value acc,
                         mlir::Value where);
  /// `o` unless it holds a NaN, else what `redo` computes with masked products
  /// left out. A masked weight is 0, but 0 * NaN is NaN.
  mlir::Value
  emitNanRule(mlir::OpBuilder &builder, mlir::Value o,
              llvm::function_ref<mlir::Value(mlir::OpBuilder &)> redo);
  /// The weight of a key in the end: `weight` / l, or as it is.
  mlir::Value emitDivided(mlir::OpBuilder &builder, mlir::Value weight,
                          mlir::Value l);
  /// `pairs`, but 0 where the mask allows nothing.
  mlir::Value emitUnmasked(mlir::OpBuilder &builder, mlir::Value query,
                           mlir::Value pairs, const KeyTile &keys);
  /// Goes to where some output of pairs is wanted, as not all that the kernel
  /// computes may be.
  void branchOnPairs(mlir::OpBuilder &builder);
  /// Stores a tile of pairs in every output of them that is wanted.
  void emitPairs(mlir::OpBuilder &builder, mlir::Value pairs,
                 const KeyTile &keys);
  /// Stores what masked pairs hold at the keys that `walk` leaves out.
  void emitMaskedPairs(mlir::OpBuilder &builder, const KeyWalk &walk);
  /// Stores what stands at the keys of other sequences, where pairs lie among
  /// those of all.
  void emitOtherPairs(mlir::OpBuilder &builder);
  /// Divides, and stores every output of rows.
  void emitOutputs(mlir::OpBuilder &builder, const SoftmaxState &state);

private:
  mlir::Value emitRows(mlir::OpBuilder &builder, const BlockBuffer &buffer,
                       tile::TileType type);
  mlir::Value emitFormula(mlir::OpBuilder &builder, Formula &formula,
                          mlir::Location at, mlir::ValueRange products,
                          const KeyTile &keys);
  llvm::SmallVector<mlir::Value>
  emitSums(mlir::OpBuilder &builder, mlir::Value query, const KeyTile &keys);
  mlir::Value emitMasked(mlir::OpBuilder &builder, mlir::Value x,
                         mlir::Value selected, const KeyTile &keys,
                         double fill);
  mlir::Value emitSelected(mlir::OpBuilder &builder, mlir::ValueRange products,
                           const KeyTile &keys);
  mlir::Value emitInit(mlir::OpBuilder &builder);
  void emitStore(mlir::OpBuilder &builder, const BlockOutput &output,
                 const SoftmaxState &state);

  llvm::SmallVector<mlir::Value> productRows;   // tiles of queries
  llvm::SmallVector<mlir::Value, 2> queryTerms; // where keys have several
};

/// The forms of #attn.schedule: from Q to the state after all keys.
SoftmaxState emitOnline(mlir::OpBuilder &builder, KernelBlock &block);
SoftmaxState emitRows(mlir::OpBuilder &builder, KernelBlock &block);
/// The score of rank n of each row, and its key.
struct RowRank {
  mlir::Value score, key;
};
RowRank emitRank(mlir::OpBuilder &builder, KernelBlock &block, int64_t n);
/// The threshold of sparsemax of each row.
mlir::Value emitSimplex(mlir::OpBuilder &builder, KernelBlock &block);

/// The grid of a kernel. Emits an error when a tensor cannot be walked over in
/// blocks.
mlir::LogicalResult lowerKernel(attn::KernelOp kernel, Storage &storage);

/// A tile.map without indices.
mlir::Value emitMap(
    mlir::OpBuilder &builder, mlir::Location loc, tile::TileType type,
    mlir::ValueRange inputs,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)> body);

/// A float constant.
mlir::Value emitReal(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Type type, double value);

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_KERNEL_KERNELBLOCK_H
