//===- ChunkFactors.h - Factors of linear attention -------------*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_CHUNKFACTORS_H
#define ATTNC_LIB_LOWERING_CHUNKFACTORS_H

#include "KernelBlock.h"

#include "attnc/Analysis/ScoreFactors.h"

namespace attnc::lowering {

/// The place of the argument b in the regions `score` and `mask`.
inline constexpr unsigned kScoreHead = 1, kMaskHead = 0;

/// Sets a region's arguments for a query and a key.
void mapPair(mlir::IRMapping &map, mlir::Region &region, unsigned head,
             mlir::Value row, mlir::Value key);

/// The factors of a kernel's scores, as ops. Maps hold what is known of the
/// arguments of a region.
class ChunkFactors {
public:
  ChunkFactors(ScoreFactors factors, KernelBlock &block)
      : factors(std::move(factors)), block(block) {}

  /// A region's arguments b, h, g, and what depends on them alone.
  mlir::IRMapping mapHead(mlir::OpBuilder &builder, mlir::Region &region,
                          unsigned head, mlir::ValueRange bhg);
  /// The number of keys that row 0 sees; row i sees i more.
  mlir::Value emitVisible(mlir::OpBuilder &builder, mlir::ValueRange bhg);
  /// The first row that sees all keys before `first`, if row 0 sees `visible`.
  mlir::Value anchorRow(mlir::OpBuilder &builder, mlir::Value first,
                        mlir::Value visible);
  /// The key in the place of the row from where the state before key `first`
  /// is measured.
  mlir::Value anchorKey(mlir::OpBuilder &builder, mlir::Value first);
  /// The exponent of each decay at a place, or its value if it has none.
  llvm::SmallVector<mlir::Value> emitAnchor(mlir::OpBuilder &builder,
                                            mlir::IRMapping map,
                                            mlir::Value row, mlir::Value key);
  /// D where `map` has the place, over D at the anchor, which has the same key.
  mlir::Value emitRatio(mlir::OpBuilder &builder, mlir::IRMapping &map,
                        mlir::ValueRange anchor);
  /// NaN for a decay that has grown to more than 2^20, so that the place from
  /// where it is measured is a bad one. Null stays null.
  mlir::Value emitBounded(mlir::OpBuilder &builder, mlir::Value decay);
  /// Whether all conditions of the mask hold; null if there are none.
  mlir::Value emitHeld(mlir::OpBuilder &builder,
                       llvm::ArrayRef<mlir::Value> conditions,
                       mlir::IRMapping map);
  /// The product of factors, times `product` if it is not null.
  mlir::Value emitProduct(mlir::OpBuilder &builder,
                          llvm::ArrayRef<ScoreFactors::Factor> list,
                          mlir::Value product, mlir::IRMapping &map);

  ScoreFactors factors;

private:
  KernelBlock &block;
};

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_CHUNKFACTORS_H
