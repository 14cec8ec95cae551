//===- MaskFixture.h - Masks to compare with brute force --------*- C++ -*-===//

#ifndef ATTNC_TEST_UNIT_ANALYSIS_MASKFIXTURE_H
#define ATTNC_TEST_UNIT_ANALYSIS_MASKFIXTURE_H

#include "attnc/Analysis/Mask/MaskCondition.h"

#include "gtest/gtest.h"

#include <random>

namespace attnc {

using Condition = const MaskCondition *;
using Values = std::vector<int64_t>;

/// Tables of one length; the numbers are those of MaskFixture's tables.
struct Tables {
  enum : unsigned { Sorted, Mixed, Begin, End, Blocks, Limits };
  std::vector<TableValues> values;

  Tables(int64_t length, std::mt19937 &engine) {
    auto make = [&](auto entry) {
      TableValues table;
      table.shape = {length};
      for (int64_t i = 0; i < length; ++i)
        table.data.push_back(entry(i));
      values.push_back(std::move(table));
    };
    int64_t id = int64_t(engine() % 3);
    make([&](int64_t) { return id += engine() % 7 == 0; });
    make([&](int64_t) { return int64_t(engine() % 3); });
    make([&](int64_t i) {
      return std::max<int64_t>(i - int64_t(engine() % 9), 0);
    });
    make([&](int64_t i) { return i + int64_t(engine() % 9); });
    TableValues blocks;
    int64_t side = (length + 7) / 8;
    blocks.shape = {side, side};
    for (int64_t i = 0; i < side * side; ++i)
      blocks.data.push_back(engine() % 2);
    values.push_back(std::move(blocks));
    make([&](int64_t) { return int64_t(engine() % 40) - 4; });
  }
};

/// Every row and key of one mask, as sums over rectangles.
class Truth {
public:
  Truth(Condition mask, Values v, const Tables &tables, int64_t rows,
        int64_t keys, llvm::ArrayRef<float> reals = {})
      : keys(keys), sums((rows + 1) * (keys + 1)) {
    for (int64_t q = 0; q < rows; ++q)
      for (int64_t k = 0; k < keys; ++k) {
        v[IndexExprs::Row] = q;
        v[IndexExprs::Key] = k;
        at(q + 1, k + 1) = at(q, k + 1) + at(q + 1, k) - at(q, k) +
                           evaluate(mask, v, tables.values, reals);
      }
  }
  /// Visible pairs of rows [q0, q1) and keys [k0, k1).
  int64_t count(int64_t q0, int64_t q1, int64_t k0, int64_t k1) {
    return at(q1, k1) - at(q0, k1) - at(q1, k0) + at(q0, k0);
  }

private:
  int64_t &at(int64_t q, int64_t k) { return sums[q * (keys + 1) + k]; }
  int64_t keys;
  std::vector<int64_t> sums;
};

/// Work that the mask does not ask for, over all blocks and tiles looked at.
struct Waste {
  int64_t visitedInVain = 0, maskedInVain = 0; // keys of a block
  int64_t undecided = 0; // tiles that are empty or full, and not known to be
};

/// Expressions and masks over a row with an offset, a key, and tables.
class MaskFixture : public testing::Test {
protected:
  MaskFixture() {
    for (bool isSorted : {true, false, false, false})
      exprs.addTable({{0, 1 << 20}, isSorted, /*spansKeys=*/true});
    exprs.addTable({{0, 1}});
    exprs.addTable({{-100, 100}, false, true});
  }

  IndexExpr c(int64_t v) { return exprs.constant(v); }
  IndexExpr read(unsigned table, IndexExpr place) {
    return exprs.read(table, {place});
  }
  IndexExpr mod(IndexExpr x, IndexExpr d) {
    return exprs.sub(x, exprs.mul(d, exprs.floorDiv(x, d)));
  }
  Condition le(IndexExpr a, IndexExpr b) {
    return tree.atLeastZero(exprs.sub(b, a));
  }
  Condition lt(IndexExpr a, IndexExpr b) { return le(exprs.add(a, 1), b); }
  Condition eq(IndexExpr a, IndexExpr b) {
    return tree.both(le(a, b), le(b, a));
  }
  Condition all(Condition a, Condition b) { return tree.both(a, b); }
  Condition any(Condition a, Condition b) { return tree.either(a, b); }
  Condition no(Condition a) { return tree.negate(a); }
  Condition causal() { return le(k, q); }
  Condition window(int64_t w) { return all(causal(), lt(exprs.add(q, -w), k)); }
  Condition document(unsigned table) {
    return eq(read(table, q), read(table, k));
  }
  Condition near(IndexExpr a, IndexExpr b, int64_t far) {
    return le(exprs.max(exprs.sub(a, b), exprs.sub(b, a)), c(far));
  }
  /// An entry per 8 rows and 8 keys.
  Condition blocks() {
    IndexExpr entry = exprs.read(
        Tables::Blocks, {exprs.floorDiv(q, c(8)), exprs.floorDiv(k, c(8))});
    return tree.atLeastZero(exprs.add(entry, -1));
  }

  IndexExprs exprs;
  MaskConditions tree;
  IndexExpr row = exprs.symbol(IndexExprs::Row);
  IndexExpr k = exprs.symbol(IndexExprs::Key);
  IndexExpr offset = exprs.makeSymbol({-(1 << 20), 1 << 20});
  IndexExpr size = exprs.makeSymbol({1, 1 << 20}); // a divisor
  IndexExpr length = exprs.makeSymbol({0, 1 << 20});
  IndexExpr q = exprs.add(row, offset);
  std::mt19937 engine{7};
};

} // namespace attnc

#endif // ATTNC_TEST_UNIT_ANALYSIS_MASKFIXTURE_H
