//===- SumMap.h - Maps that add a term to a product -------------*- C++ -*-===//

#ifndef ATTNC_LIB_GRAPH_DISTRIBUTE_SUMMAP_H
#define ATTNC_LIB_GRAPH_DISTRIBUTE_SUMMAP_H

#include "attnc/Dialect/Attn/MapFormula.h"

namespace attnc::graph {

/// A map that is `factor * product + terms`, where the terms lack an axis: a
/// bias.
class SumMap {
public:
  /// Nothing if the map is anything else, or rounds to a narrower type.
  static std::optional<SumMap> match(attn::MapOp map);

  /// `factor * product`, in front of the map.
  mlir::Value buildProduct(mlir::OpBuilder &b) const;
  /// The terms as one tensor; `axes` are those of the map that it has.
  mlir::Value buildTerms(mlir::OpBuilder &b,
                         llvm::SmallVector<unsigned> &axes) const;

private:
  struct Term {
    mlir::Value value; // in the map's region
    double factor;
  };
  bool split(mlir::Value value, double scale);
  bool dependsOn(mlir::Value value,
                 llvm::function_ref<bool(mlir::BlockArgument)> is) const;
  bool hasAxis(unsigned axis) const;

  mutable attn::MapOp map;
  unsigned input = 0;
  bool hasProduct = false;
  double factor = 1;
  llvm::SmallVector<Term> terms;
};

} // namespace attnc::graph

#endif // ATTNC_LIB_GRAPH_DISTRIBUTE_SUMMAP_H
