//===- TileEvaluator.h - Expressions for all tiles of a block ---*- C++ -*-===//
//
// Brute force looks at billions of tiles; evaluate(), which walks over one
// expression for one tile, would take hours. This evaluates each node once for
// all tiles of a block, in one loop per operation, and once for all tiles that
// begin (end) alike where a node depends on no more. It shares no code with
// evaluate().
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TEST_UNIT_ANALYSIS_TILEEVALUATOR_H
#define ATTNC_TEST_UNIT_ANALYSIS_TILEEVALUATOR_H

#include "attnc/Analysis/Mask/MaskCondition.h"

#include "llvm/ADT/DenseMap.h"

namespace attnc {

class TileEvaluator {
public:
  using Lanes = std::vector<int64_t>;
  using Truths = std::vector<uint8_t>;

  /// Tiles are all [k0, k1) of `keys` keys, by k0, then by k1.
  TileEvaluator(std::vector<int64_t> symbols,
                const std::vector<TableValues> &tables, int64_t keys);

  /// Numbers of expressions and conditions, to be added before any block.
  unsigned add(IndexExpr expr);
  unsigned add(const MaskCondition *condition);
  /// A condition whose truths will be asked for.
  unsigned addForTiles(const MaskCondition *condition);
  void setBlock(int64_t q0, int64_t q1);

  /// Of an expression that depends on no key.
  int64_t getNumber(unsigned node) const { return nodes[node].values[0]; }
  /// One for each tile.
  const Truths &getTruths(unsigned node) const { return nodes[node].truths; }

private:
  /// What the values of a node are numbered by.
  enum Shape : unsigned { Fixed = 0, Begin = 1, End = 2, Tile = 3 };
  struct Node {
    IndexExpr expr = nullptr;
    const MaskCondition *condition = nullptr;
    llvm::SmallVector<unsigned, 4> operands;
    unsigned rows = 0; // 1: depends on q0, 2: on q1
    unsigned shape = Fixed;
    Lanes values;
    Truths truths;
    Lanes memo; // of a table by its places
  };

  unsigned insert(Node node);
  int64_t numLanes(unsigned shape) const;
  void compute(Node &node);
  void computeNumber(Node &node);
  void computeTruth(Node &node);
  void computeSymbol(Node &node);
  void computeSum(Node &node);
  void computeSelect(Node &node);
  void computeTable(Node &node);
  int64_t lookUp(const Node &node, llvm::ArrayRef<int64_t> places);

  template <typename R, typename T, typename F>
  void combine(unsigned shape, R *result, const T *a, unsigned shapeOfA,
               const T *b, unsigned shapeOfB, F f);
  template <typename F> void combineNumbers(Node &node, F f);
  template <typename F> void combineTruths(Node &node, F f);

  std::vector<int64_t> symbols;
  const std::vector<TableValues> &tables;
  int64_t keys;
  std::vector<Node> nodes;
  llvm::DenseMap<const void *, unsigned> numbers;
};

} // namespace attnc

#endif // ATTNC_TEST_UNIT_ANALYSIS_TILEEVALUATOR_H
