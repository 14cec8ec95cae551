//===- IndexReader.h - Read integers of a mask as expressions ---*- C++ -*-===//
//
// The half of MaskRegion.cpp that reads integers; truth values are read there.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_ANALYSIS_EXPR_INDEXREADER_H
#define ATTNC_LIB_ANALYSIS_EXPR_INDEXREADER_H

#include "attnc/Analysis/Mask/MaskRegion.h"
#include "attnc/Dialect/Attn/Attn.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <map>

namespace attnc {

/// Bounds of values that are computed from sizes, heads and tables.
class FixedBounds {
public:
  explicit FixedBounds(TableFactsOf factsOf) : factsOf(factsOf) {}
  IndexBounds get(mlir::Value v) { return getExpr(v)->bounds; }
  /// Of the elements of an integer table.
  IndexBounds elements(mlir::Value table);

private:
  IndexExpr getExpr(mlir::Value v);
  IndexBounds leafBounds(mlir::Value v);

  TableFactsOf factsOf;
  IndexExprs scratch;
  llvm::DenseMap<mlir::Value, IndexExpr> memo;
};

/// Reads the integers of a region with the arguments (b, h, g, q, k).
class IndexReader {
public:
  IndexReader(IndexExprs &exprs, mlir::Block &block, mlir::Attribute keyCount,
              TableFactsOf factsOf);

  /// Whether a value depends on neither the row nor the key.
  bool isFixed(mlir::Value v) const { return !moving.contains(v); }
  /// The first of all values that are computed alike.
  mlir::Value canonical(mlir::Value v) const {
    mlir::Value first = firstOf.lookup(v);
    return first ? first : v;
  }
  /// Never null; an opaque symbol where the value is not understood.
  IndexExpr getIndex(mlir::Value v);
  /// An element of a table as an integer; null for a table of floats and for
  /// what an op computes.
  IndexExpr getRead(attn::ReadOp op);
  IndexExpr makeSymbol(mlir::Value v, IndexBounds bounds, bool opaque = false);

  MaskRegion result;

private:
  void numberValue(mlir::Operation &op);
  void assume(IndexExpr expr);
  IndexExpr readFixedIndex(mlir::Value v);
  IndexExpr getPositiveDivisor(mlir::Value v);
  IndexExpr getFactor(mlir::Value v);
  void assumeSmall(IndexExpr expr);

  IndexExprs &exprs;
  mlir::Attribute keyCount;
  TableFactsOf factsOf;
  FixedBounds fixedBounds;
  /// Values that depend on the row or the key.
  llvm::DenseSet<mlir::Value> moving;
  llvm::DenseMap<mlir::Value, mlir::Value> firstOf;
  std::map<std::vector<const void *>, mlir::Value> known;
  llvm::DenseMap<mlir::Value, IndexExpr> indexOf;
};

} // namespace attnc

#endif // ATTNC_LIB_ANALYSIS_EXPR_INDEXREADER_H
