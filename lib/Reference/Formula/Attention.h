//===- Attention.h - One attention, row by row ------------------*- C++ -*-===//
//
// Tests: test/Unit/Reference/SpecAttentionTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_REFERENCE_FORMULA_ATTENTION_H
#define ATTNC_LIB_REFERENCE_FORMULA_ATTENTION_H

#include "Formula.h"

namespace attnc::formula {

/// Where the rows of Q, K or V are.
struct RowTable {
  enum Layout {
    Rows,     // [batch?, heads?, rows, features]
    Packed,   // [heads?, rows of all sequences, features]
    Sequences // [rows of all sequences, heads, features]
              // or [pages, heads, rows of a page, features]
  };
  const Array *array = nullptr;
  Layout layout = Rows;
  bool hasBatch = true, hasHeads = true;
};

/// What a query row gives.
struct RowResult {
  std::vector<int64_t> keys; // that it may see
  /// For each of these.
  std::vector<Number> weights, scores;
  Number lse = 0;
  std::vector<Number> o;
};

class Attention {
public:
  /// By the formulas of a file on rows of Q, K and V. `hasDefinitions`: the
  /// rows are arguments that `let` may define further.
  Attention(const Call &call, const spec::AttentionFormulas &formulas,
            llvm::ArrayRef<RowTable> rows, bool hasDefinitions, bool isDouble);

  int64_t queries(int64_t b) const;
  int64_t keys(int64_t b) const;
  /// The row of a sequence and a query head; with its scores, if asked for.
  RowResult row(int64_t b, int64_t h, int64_t i, bool withScores = false);
  /// O as formulas of tensors have it: [batch, heads, rows, features], of
  /// ragged rows [heads, rows of all, features].
  Array result();

  /// The sums over keys that later rows can go on with.
  Array state();

private:
  void readRow(spec::Row row, Value &out) const;
  int64_t placeOfRow(const RowTable &table, spec::Row row) const;
  void weigh(RowResult &result);

  const Call &call;
  const spec::AttentionSpec &spec;
  const spec::AttentionFormulas &formulas;
  RowTable rows[3];
  Scope scope;
  spec::ExprPtr plainValue; // V
  std::unique_ptr<Formula> mask, score, weight, value, sink, temperature;
};

} // namespace attnc::formula

#endif // ATTNC_LIB_REFERENCE_FORMULA_ATTENTION_H
