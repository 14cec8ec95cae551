//===- KernelTiles.h - Which tiles a kernel computes ------------*- C++ -*-===//
//
// The mask is looked at for every pair of a query and a key, the regions
// `ranges` and `classify` for every block, as the loop of stage tile does. So
// what a kernel visits can be compared with what it needs.
// Tests: test/Tools/Run/run-mask.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_REFERENCE_KERNELTILES_H
#define ATTNC_REFERENCE_KERNELTILES_H

#include "attnc/Reference/Interpreter.h"

#include <array>
#include <string>

namespace attnc::reference {

/// A tile of the grid of `blockQ` rows by `blockK` keys that starts at row 0
/// and key 0. The kernel's own tiles start where segments start, so it may
/// visit a part of one only.
enum class TileUse : char {
  Skipped = '.',      // no pair is allowed, none is computed
  Free = '#',         // all pairs are allowed, computed without mask code
  Masked = '+',       // some pairs are allowed
  MaskedInVain = '=', // all are allowed, but some run the mask
  VisitedInVain = 'o' // none is allowed, but some are computed
};

/// One block of rows of the first batch and head.
struct BlockOfRows {
  int64_t begin, end;
  std::string uses; // one TileUse per tile of keys
  /// any_lo, all_lo, all_hi, any_hi of each segment that is not empty.
  std::vector<std::array<int64_t, 4>> segments;
};

/// One attn.kernel at these sizes and inputs. Counts are sums over all batches
/// and heads.
struct KernelTiles {
  int64_t queries = 0, keys = 0;
  int64_t blockQ = 0, blockK = 0;
  int64_t partial = 0; // keys of a tile that runs the mask, at most
  bool isRows = false; // all keys in one tile
  int64_t chunk = 0;   // of form chunked: what is counted are its pairs
  bool classifies = false;
  /// What is counted once stands for so many batches and heads.
  int64_t heads = 1, counted = 1;

  int64_t skipped = 0, free = 0, masked = 0;
  int64_t maskedInVain = 0, visitedInVain = 0;
  double allowedPairs = 0, computedPairs = 0, maskedPairs = 0;
  std::vector<BlockOfRows> blocks;

  int64_t all() const { return needed() + skipped + visitedInVain; }
  int64_t needed() const { return free + masked + maskedInVain; }
  int64_t visited() const { return needed() + visitedInVain; }
};

/// More pairs of a row and a key, over batches and heads that differ, are not
/// counted.
inline constexpr double maxCountedPairs = 0x1p32;

/// For each kernel of a function of stage scheduled, in order. Emits an error
/// at a kernel that would leave out an allowed pair or compute a masked one
/// without the mask, and at one with too many pairs.
mlir::FailureOr<std::vector<KernelTiles>>
countTiles(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> inputs,
           const Sizes &sizes);

} // namespace attnc::reference

#endif // ATTNC_REFERENCE_KERNELTILES_H
