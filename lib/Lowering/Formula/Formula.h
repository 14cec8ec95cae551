//===- Formula.h - Regions of a kernel as scalar ops and maps ---*- C++ -*-===//

#ifndef ATTNC_LIB_LOWERING_FORMULA_FORMULA_H
#define ATTNC_LIB_LOWERING_FORMULA_FORMULA_H

#include "Plan/Scope.h"

#include "attnc/Analysis/Expr/DependenceSplit.h"
#include "attnc/Dialect/Tile/Tile.h"

#include "mlir/IR/IRMapping.h"

namespace attnc::lowering {

/// Clones the ops of `block` that `roots` need and `map` has not got. attn.read
/// becomes tile.read, attn.size an argument of the program.
void emitScalars(mlir::OpBuilder &builder, mlir::Block &block,
                 mlir::ValueRange roots, const Scope &scope,
                 mlir::IRMapping &map);

/// A formula of the kernel, split by what its parts depend on.
class Formula {
public:
  /// Arguments of the region: the score itself if `hasScore`, b, h, g, the
  /// query, the key if it has one, and `products` further products.
  Formula(mlir::Region &region, const Scope &scope, bool hasScore,
          unsigned products = 0);

  /// The type of what the formula yields.
  mlir::Type type() const { return yielded().getType(); }
  /// What the formula yields is `true`.
  bool isAlwaysTrue() const;
  /// What the formula yields is the score as it came.
  bool isIdentity() const;

  /// Values that depend on b, h and g only; to be called before all below.
  void emitUniform(mlir::OpBuilder &builder, mlir::ValueRange bhg);
  /// Maps over the block of `size` queries from q0; they stand before the loop.
  void emitQueryTiles(mlir::OpBuilder &builder, int64_t size, mlir::Value q0);
  /// Those maps, then maps over the `size` keys from k0, then what depends on
  /// the distance from those keys: a map over the distances, skewed.
  llvm::SmallVector<mlir::Value> emitTiles(mlir::OpBuilder &builder,
                                           int64_t size, mlir::Value k0);
  /// The indices that an element needs: of q0 and k0 those that are used.
  llvm::SmallVector<std::pair<llvm::StringRef, mlir::Value>>
  indices(mlir::Value q0, mlir::Value k0) const;
  /// The body for one element. `arguments`: the score (if the formula has
  /// one), the further products, an element of each tile of emitTiles, the
  /// indices.
  mlir::Value emitElement(mlir::OpBuilder &builder,
                          mlir::ValueRange arguments) const;

private:
  mlir::Value emitDistances(mlir::OpBuilder &builder, mlir::Value value,
                            int64_t keys, mlir::Value k0);
  mlir::Value argument(unsigned number) const;
  mlir::Value yielded() const;

  mlir::Block &block;
  const Scope &scope;
  bool hasScore;
  unsigned products;
  DependenceSplit split;
  bool usesQuery = false, usesKey = false;
  mlir::IRMapping uniform;
  llvm::SmallVector<mlir::Value> queryTiles;
  int64_t queries = 0; // of a block, from q0
  mlir::Value q0;
};

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_FORMULA_FORMULA_H
