//===- ChunkFactors.h - Factors of linear attention -------------*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_CHUNK_CHUNKFACTORS_H
#define ATTNC_LIB_LOWERING_CHUNK_CHUNKFACTORS_H

#include "Kernel/KernelBlock.h"

#include "attnc/Analysis/Kernel/ScoreFactors.h"

namespace attnc::lowering {

/// What is known of the arguments of a region whose arguments b, h, g, the
/// query and the key (if it has one) stand from `head` on: these three, and
/// what depends on them alone, which is computed here, once.
mlir::IRMapping mapHead(mlir::OpBuilder &builder, KernelBlock &block,
                        mlir::Region &region, unsigned head,
                        mlir::ValueRange bhg);

/// The factors that a region's value is the product of, as ops. Maps hold what
/// is known of the arguments of the region.
class RegionFactors {
public:
  /// `region` is `score`, or of `pairs`, whose arguments begin with elements of
  /// as many `rows`, and the feature.
  RegionFactors(mlir::Region &region, unsigned rows,
                ScoreFactors::Product factors, KernelBlock &block);

  mlir::IRMapping mapHead(mlir::OpBuilder &builder,
                          mlir::ValueRange bhg) const {
    return lowering::mapHead(builder, block, region, head, bhg);
  }
  /// Sets the arguments for a query and a key, and a feature where each has
  /// factors.
  void mapPlace(mlir::IRMapping &map, mlir::Value row, mlir::Value key,
                mlir::Value feature = {}) const;
  /// The exponent of each decay at a place, or its value if it has none.
  llvm::SmallVector<mlir::Value> emitAnchor(mlir::OpBuilder &builder,
                                            mlir::IRMapping map) const;
  /// D where `map` has the place, over D at the anchor, which has the same key.
  /// Null without a decay.
  mlir::Value emitRatio(mlir::OpBuilder &builder, mlir::IRMapping &map,
                        mlir::ValueRange anchor) const;
  /// The decays where `map` has the place. Null without one.
  mlir::Value emitDecays(mlir::OpBuilder &builder, mlir::IRMapping &map) const;
  /// The product of the factors of the query, or of the key, times `product` if
  /// it is not null. Null if there are none.
  mlir::Value emitOfQuery(mlir::OpBuilder &builder, mlir::Value product,
                          mlir::IRMapping &map) const {
    return emitProduct(builder, factors.ofQuery, product, map);
  }
  mlir::Value emitOfKey(mlir::OpBuilder &builder, mlir::Value product,
                        mlir::IRMapping &map) const {
    return emitProduct(builder, factors.ofKey, product, map);
  }

private:
  /// A value of the region at the place that `map` has.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Value value,
                   mlir::IRMapping &map) const;
  mlir::Value emitElement(mlir::OpBuilder &builder, unsigned number,
                          const mlir::IRMapping &map) const;
  mlir::Value emitProduct(mlir::OpBuilder &builder,
                          llvm::ArrayRef<ScoreFactors::Factor> list,
                          mlir::Value product, mlir::IRMapping &map) const;
  /// NaN for a decay that has grown to more than 2^20, so that the place from
  /// where it is measured is a bad one. Null stays null.
  mlir::Value emitBounded(mlir::OpBuilder &builder, mlir::Value decay) const;

  mlir::Region &region;
  unsigned rows, head; // head: the number of the argument b
  ScoreFactors::Product factors;
  KernelBlock &block;
};

/// The factors of a kernel's scores, and its mask.
class ChunkFactors {
public:
  ChunkFactors(ScoreFactors factors, KernelBlock &block);

  /// The number of keys that row 0 sees; row i sees i more.
  mlir::Value emitVisible(mlir::OpBuilder &builder, mlir::ValueRange bhg);
  /// The first row that sees all keys before `first`, if row 0 sees `visible`.
  mlir::Value anchorRow(mlir::OpBuilder &builder, mlir::Value first,
                        mlir::Value visible);
  /// The key in the place of the row from where the state before key `first`
  /// is measured.
  mlir::Value anchorKey(mlir::OpBuilder &builder, mlir::Value first);
  mlir::IRMapping mapMask(mlir::OpBuilder &builder, mlir::ValueRange bhg);
  /// Whether all conditions of the mask hold; null if there are none.
  mlir::Value emitHeld(mlir::OpBuilder &builder,
                       llvm::ArrayRef<mlir::Value> conditions,
                       mlir::IRMapping map);

  ScoreFactors factors;
  RegionFactors score;
  std::optional<RegionFactors> feature;

private:
  KernelBlock &block;
};

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_CHUNK_CHUNKFACTORS_H
