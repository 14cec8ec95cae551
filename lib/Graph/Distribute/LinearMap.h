//===- LinearMap.h - Formulas that are linear in rows -----------*- C++ -*-===//
//
// What a map makes of rows so that a product with it is the same formula of
// products with the rows: sums and differences, choices by a condition of the
// pair, multiples by a number of the pair. A number alone, the same for each
// feature, is a multiple of a row of ones.
// Tests: test/Graph/distribute-products.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_GRAPH_DISTRIBUTE_LINEARMAP_H
#define ATTNC_LIB_GRAPH_DISTRIBUTE_LINEARMAP_H

#include "attnc/Dialect/Attn/MapFormula.h"

#include "llvm/ADT/MapVector.h"

namespace attnc::graph {

class LinearMap {
public:
  /// A row that is multiplied instead of the map.
  struct Term {
    mlir::Value row;     // of an input, or a table; null: ones
    std::string letters; // of its axes; '?' where an index chooses a row
    attn::ReadOp read =
        {}; // of the same row of a table for all; null: of `row`
    /// The index depends on the map's own axes alone, not on the other
    /// operand's.
    bool isOfOwn = false;
  };
  /// In `letters` of the map's axes, of which `feature` is summed over; `other`
  /// has those of the other operand of the product.
  LinearMap(attn::MapOp map, llvm::StringRef letters, char feature,
            llvm::StringRef other)
      : map(map), letters(letters), other(other), feature(feature) {}

  /// Why the map is not linear in rows, or empty.
  llvm::StringRef match();
  llvm::ArrayRef<Term> getTerms() const { return terms; }
  /// The row that a term with a `read` is of.
  mlir::Value makeRow(mlir::OpBuilder &b, Term term);
  std::string lettersOfInput(unsigned input) {
    return attn::lettersOfInput(map, letters, input);
  }
  /// Whether `value` differs from feature to feature.
  bool isOfFeature(mlir::Value value);

  /// The element of a term's product; `index`: of its table, or null.
  using ElementOf =
      llvm::function_ref<mlir::Value(unsigned term, mlir::Value index)>;
  /// The formula of the pair: `numbers` has the map's places and the inputs
  /// that are no rows.
  mlir::Value build(mlir::OpBuilder &b, mlir::IRMapping &numbers,
                    ElementOf element);

private:
  llvm::StringRef add(mlir::Value formula);
  llvm::SmallVector<unsigned, 2> linearOperands(mlir::Operation *op);
  mlir::Value build(mlir::OpBuilder &b, mlir::Value formula,
                    mlir::IRMapping &numbers, mlir::IRMapping &made,
                    ElementOf element);
  mlir::Value buildLeaf(mlir::OpBuilder &b, mlir::Value leaf, unsigned term,
                        mlir::IRMapping &numbers, ElementOf element);
  llvm::StringRef addInput(mlir::BlockArgument element);
  llvm::StringRef addTable(attn::ReadOp read);
  void addTerm(mlir::Value leaf, const Term &term);
  bool isLocal(mlir::Value value);
  char letterOf(mlir::Value index);

  attn::MapOp map;
  std::string letters, other;
  char feature;
  llvm::SmallVector<Term> terms;
  llvm::MapVector<mlir::Value, unsigned> leaves; // of the formula: their terms
  llvm::SmallDenseMap<mlir::Value, bool> ofFeature;
};

} // namespace attnc::graph

#endif // ATTNC_LIB_GRAPH_DISTRIBUTE_LINEARMAP_H
