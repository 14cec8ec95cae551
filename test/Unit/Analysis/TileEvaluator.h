//===- TileEvaluator.h - Expressions for all tiles of a block ---*- C++ -*-===//
//
// A test that looks at every block of rows times every block of keys evaluates
// billions of expressions. So what does not depend on the rows is evaluated
// once, what does not depend on the keys once per block, and only the rest for
// all tiles of a block, in one loop per operation. It shares no code with
// attnc::evaluate.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TEST_UNIT_ANALYSIS_TILEEVALUATOR_H
#define ATTNC_TEST_UNIT_ANALYSIS_TILEEVALUATOR_H

#include "attnc/Analysis/MaskCondition.h"

#include "llvm/ADT/DenseMap.h"

namespace attnc {

class TileEvaluator {
public:
  using Lanes = std::vector<int64_t>;

  /// Tiles are all [k0, k1) of `keys` keys, by k0, then by k1.
  TileEvaluator(std::vector<int64_t> symbols,
                const std::vector<TableValues> &tables, int64_t keys);

  int64_t getNumTiles() const { return numTiles; }
  /// Numbers of expressions and conditions, to be added before any block.
  unsigned add(IndexExpr expr);
  unsigned add(const MaskCondition *condition);
  void setBlock(int64_t q0, int64_t q1);
  /// One value for all tiles, or one for each.
  const Lanes &get(unsigned number) const { return nodes[number].values; }
  int64_t at(unsigned number, int64_t tile) const {
    const Lanes &values = get(number);
    return values[values.size() == 1 ? 0 : tile];
  }

private:
  struct Node {
    IndexExpr expr = nullptr;
    const MaskCondition *condition = nullptr;
    llvm::SmallVector<unsigned, 4> operands;
    bool usesRows = false, usesKeys = false;
    Lanes values;
    Lanes memo; // of a table by its places
  };

  unsigned insert(Node node);
  void compute(Node &node);
  void computeSymbol(Node &node);
  void computeSum(Node &node);
  void computeTable(Node &node);
  int64_t lookUp(const Node &node, llvm::ArrayRef<int64_t> places);
  template <typename F> void forEachTile(Node &node, F value);

  std::vector<int64_t> symbols;
  const std::vector<TableValues> &tables;
  int64_t numTiles;
  Lanes begins, ends;
  std::vector<Node> nodes;
  llvm::DenseMap<const void *, unsigned> numbers;
};

} // namespace attnc

#endif // ATTNC_TEST_UNIT_ANALYSIS_TILEEVALUATOR_H
