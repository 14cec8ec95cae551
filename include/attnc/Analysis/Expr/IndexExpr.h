//===- IndexExpr.h - Integer expressions in a normal form -------*- C++ -*-===//
//
// The positions of a mask, as the range analysis sees them: sums with integer
// factors over symbols, floor divisions, products, minima and maxima. Equal
// expressions are the same node, so that comparing is comparing pointers, and
// every node knows bounds of its value, from which comes both what is provable
// and that no 64-bit operation overflows.
// Tests: test/Unit/Analysis/IndexExprTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_EXPR_INDEXEXPR_H
#define ATTNC_ANALYSIS_EXPR_INDEXEXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace attnc {

/// Inclusive bounds of an integer. Values of `limit` and beyond are not told
/// apart: an expression that may reach it might overflow.
struct IndexBounds {
  static constexpr int64_t limit = int64_t(1) << 62;

  int64_t lo = -limit;
  int64_t hi = limit;

  bool mayOverflow() const { return lo <= -limit || hi >= limit; }
};

struct IndexNode;
using IndexExpr = const IndexNode *;

/// One expression. Made by IndexExprs only.
struct IndexNode {
  enum class Kind {
    Constant, // value
    Symbol,   // value: its number
    Sum,      // sum of factors[i] * operands[i], + value
    Product,  // operands[0] * operands[1]
    FloorDiv, // floor(operands[0] / operands[1]), operands[1] > 0
    Min,
    Max,
    Select, // operands[2..] are all >= 0 ? operands[0] : operands[1]
    // Of the table with the number `value`; places out of range are clamped.
    Read,       // the element at the operands
    TableMin,   // the least from operands[0..rank) to operands[rank..)
    TableMax,   // the greatest
    LowerBound, // the first index along the last axis of the row operands[..]
                // whose element is at least the last operand
  };

  Kind kind;
  int64_t value = 0;
  llvm::SmallVector<int64_t, 2> factors;
  llvm::SmallVector<IndexExpr, 2> operands;

  // What follows is derived.
  unsigned number = 0; // in the order of creation
  IndexBounds bounds;
  /// Some part of it may reach IndexBounds::limit.
  bool mayOverflow = false;
  /// Contains the symbol IndexExprs::Row, or Key.
  bool usesRow = false;
  bool usesKey = false;

  bool isConstant() const { return kind == Kind::Constant; }
  bool isConstant(int64_t c) const { return isConstant() && value == c; }
};

/// A tensor that the mask reads at places that depend on the row or the key.
struct IndexTable {
  IndexBounds bounds; // of its elements
  /// Along the last axis; the call checks it.
  bool nondecreasing = false;
  /// The last axis has as many elements as there are keys.
  bool spansKeys = false;
};

/// Makes and owns expressions.
class IndexExprs {
public:
  /// Symbols that every analysis has: a query row q and a key k, the block of
  /// rows [q0, q1), the number of keys, and the keys [k0, k1) of a tile.
  enum : unsigned {
    Row,
    Key,
    RowBegin,
    RowEnd,
    KeyCount,
    KeyBegin,
    KeyEnd,
    NumReserved
  };

  /// Bounds of a row, a key, a size: the entry of a kernel refuses more.
  static constexpr int64_t maxSize = (int64_t(1) << 31) - 1;

  IndexExprs();

  /// A new symbol. An opaque one stands for anything that depends on the row
  /// and the key in a way not known here, a truth value (0 or 1) for instance.
  IndexExpr makeSymbol(IndexBounds bounds, bool opaque = false);
  /// The symbol of this number, reserved or made before.
  IndexExpr symbol(unsigned number) const { return symbols[number]; }
  unsigned getNumSymbols() const { return symbols.size(); }

  IndexExpr constant(int64_t value);
  IndexExpr add(IndexExpr a, IndexExpr b);
  IndexExpr add(IndexExpr a, int64_t c) { return add(a, constant(c)); }
  IndexExpr sub(IndexExpr a, IndexExpr b) { return add(a, scale(b, -1)); }
  IndexExpr scale(IndexExpr a, int64_t factor);
  IndexExpr mul(IndexExpr a, IndexExpr b);
  /// Rounds towards minus infinity. The divisor's bounds are positive.
  IndexExpr floorDiv(IndexExpr a, IndexExpr divisor);
  IndexExpr min(IndexExpr a, IndexExpr b);
  IndexExpr max(IndexExpr a, IndexExpr b);
  /// `a` where all conditions are >= 0, else `b`.
  IndexExpr select(llvm::ArrayRef<IndexExpr> conditions, IndexExpr a,
                   IndexExpr b);

  /// A table that expressions may read; its number.
  unsigned addTable(IndexTable table);
  const IndexTable &getTable(unsigned number) const { return tables[number]; }
  IndexExpr read(unsigned table, llvm::ArrayRef<IndexExpr> indices);
  /// `kind` is TableMin or TableMax; `last` is not below `first`.
  IndexExpr tableEnd(IndexNode::Kind kind, unsigned table,
                     llvm::ArrayRef<IndexExpr> first,
                     llvm::ArrayRef<IndexExpr> last);
  /// The table is nondecreasing.
  IndexExpr lowerBound(unsigned table, llvm::ArrayRef<IndexExpr> row,
                       IndexExpr value);

  /// `a <= b` for all values of the symbols within their bounds. Sound, not
  /// complete.
  bool provablyLessEqual(IndexExpr a, IndexExpr b, unsigned depth = 0);

  /// Whether so much was made that the analysis had better give up: the text of
  /// a mask is the user's, and nothing may take seconds.
  bool exhausted() const {
    return nodes.size() > maxNodes || numProofs > maxProofs;
  }

private:
  static constexpr size_t maxNodes = 2000, maxProofs = 8000;
  /// Terms of a sum with their factors, in the order of their numbers.
  using Terms = llvm::SmallVector<std::pair<IndexExpr, int64_t>, 8>;

  IndexExpr make(IndexNode::Kind kind, int64_t value,
                 llvm::ArrayRef<int64_t> factors,
                 llvm::ArrayRef<IndexExpr> operands);
  static Terms termsOf(IndexExpr expr, int64_t factor, bool &wraps);
  static Terms addTerms(const Terms &a, const Terms &b, bool &wraps);
  IndexExpr makeSum(const Terms &terms, int64_t value);
  static bool isDifferenceAtLeastZero(IndexExpr b, IndexExpr a);
  bool prove(IndexExpr a, IndexExpr b, unsigned depth);

  std::vector<std::unique_ptr<IndexNode>> nodes;
  std::unordered_multimap<size_t, IndexExpr> unique; // by hash
  std::vector<IndexExpr> symbols;
  std::vector<IndexTable> tables;
  /// What was proved or not, by the operands and the depth.
  llvm::DenseMap<std::pair<IndexExpr, std::pair<IndexExpr, unsigned>>, bool>
      proved;
  size_t numProofs = 0;
};

/// The elements of a table, the last axis dense.
struct TableValues {
  llvm::SmallVector<int64_t, 3> shape;
  std::vector<int64_t> data;
};

/// The value for these symbols and tables, for tests and figures.
int64_t evaluate(IndexExpr expr, llvm::ArrayRef<int64_t> symbols,
                 llvm::ArrayRef<TableValues> tables = {});

/// The number of operations in the expressions, common ones counted once.
unsigned countOperations(llvm::ArrayRef<IndexExpr> exprs);

} // namespace attnc

#endif // ATTNC_ANALYSIS_EXPR_INDEXEXPR_H
