//===- BlockCheck.h - All blocks and tiles against a mask -------*- C++ -*-===//
//
// The mask is evaluated once for every row and key, into a bitmap per row. What
// some rows of a block see, and what all see, is or and and of these; what a
// tile needs follows from the first key of either.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TEST_UNIT_ANALYSIS_BLOCKCHECK_H
#define ATTNC_TEST_UNIT_ANALYSIS_BLOCKCHECK_H

#include "MaskFixture.h"

namespace attnc {

/// What the analysis says of a mask.
struct MaskAnalysis {
  Condition mask;
  MaskRanges ranges;
  TileClass tile;
};

/// Whether what is said of a tile depends on the number of keys, or on tables,
/// which are others for each number.
bool dependsOnLength(const TileClass &tile);

/// What was counted over blocks of rows and tiles of keys.
struct TileCounts {
  int64_t needed = 0, visited = 0; // tiles
  int64_t full = 0, unmasked = 0;
  /// Keys of a block that segments alone visit, or mask, in vain.
  int64_t keysInVain = 0, keysMaskedInVain = 0;
};

/// Checks all blocks of rows and, if so wanted, all tiles of `keys` <= 64 keys,
/// and counts them. Fails fatally where the analysis is not sound.
void checkBlocks(const MaskAnalysis &analysis, const Values &symbols,
                 const Tables &tables, int64_t keys, bool withTiles,
                 TileCounts &counts);

} // namespace attnc

#endif // ATTNC_TEST_UNIT_ANALYSIS_BLOCKCHECK_H
