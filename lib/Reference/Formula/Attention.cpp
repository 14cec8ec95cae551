//===- Attention.cpp - One attention, row by row --------------------------===//

#include "Attention.h"

#include "attnc/Spec/State.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

namespace attnc::formula {

using spec::Row;
using spec::Storage;

constexpr Number minusInfinity = -std::numeric_limits<Number>::infinity();

Attention::Attention(const Call &call, const spec::AttentionFormulas &formulas,
                     llvm::ArrayRef<RowTable> tables, bool hasDefinitions,
                     bool isDouble)
    : call(call), spec(call.spec), formulas(formulas), scope(call) {
  llvm::copy(tables, rows);
  scope.attention = &formulas;
  scope.hasDefinitions = hasDefinitions;
  scope.isDouble = isDouble;
  scope.given = [this](Row row, Value &out) { readRow(row, out); };
  plainValue = spec::makeRow(Row::V);
  auto make = [&](const spec::ExprPtr &e) {
    return e ? std::make_unique<Formula>(*e, scope) : nullptr;
  };
  mask = make(formulas.mask);
  score = make(formulas.score);
  weight = make(formulas.attention);
  value = make(formulas.value ? formulas.value : plainValue);
  sink = make(formulas.sink);
  temperature = make(formulas.temperature);
}

int64_t Attention::queries(int64_t b) const {
  return formulas.queryRows ? call.extent(*formulas.queryRows)
                            : call.size(spec::QueryLen, b);
}

int64_t Attention::keys(int64_t b) const {
  return formulas.keyRows ? call.extent(*formulas.keyRows)
                          : call.size(spec::KvLen, b);
}

//===----------------------------------------------------------------------===//
// Rows of Q, K and V
//===----------------------------------------------------------------------===//

/// The place of the first feature; -1 for a page that there is not.
int64_t Attention::placeOfRow(const RowTable &table, Row row) const {
  const Storage &storage = spec.storageOf(row);
  int64_t head = row == Row::Q ? scope.h : scope.h / call.size(spec::Group);
  int64_t at = row == Row::Q ? scope.i : scope.k;
  llvm::ArrayRef<int64_t> shape = table.array->shape;
  int64_t width = shape.back();
  if (table.layout == RowTable::Rows) {
    int64_t place = table.hasBatch ? scope.b : 0;
    if (table.hasHeads)
      place = place * shape[table.hasBatch ? 1 : 0] + head;
    return (place * shape[shape.size() - 2] + at) * width;
  }
  if (storage.kind == Storage::Paged) {
    const Array &pages = call.inputs[storage.table];
    int64_t columns = pages.shape[1];
    int64_t column = std::min(at / storage.pageRows, columns - 1);
    int64_t page = column < 0 ? -1 : pages.integers[scope.b * columns + column];
    if (page < 0 || page >= shape[0])
      return -1;
    int64_t place = (page * shape[1] + head) * shape[2];
    return (place + at % storage.pageRows) * width;
  }
  at += call.firstRow(storage, scope.b);
  if (table.layout == RowTable::Packed)
    return ((table.hasHeads ? head : 0) * shape[shape.size() - 2] + at) * width;
  return (at * shape[1] + head) * width;
}

void Attention::readRow(Row row, Value &out) const {
  const RowTable &table = rows[unsigned(row)];
  int64_t place = placeOfRow(table, row);
  for (size_t feature = 0; feature < out.reals.size(); ++feature)
    out.reals[feature] =
        place < 0 ? 0 : table.array->real(place + int64_t(feature));
}

//===----------------------------------------------------------------------===//
// Weights and results
//===----------------------------------------------------------------------===//

/// The weights of the keys, and what the denominator is.
void Attention::weigh(RowResult &result) {
  std::vector<Number> numbers;
  for (int64_t key : result.keys) {
    scope.k = key;
    numbers.push_back(weight->real());
  }
  if (!formulas.isSoftmax) { // a key whose score is -inf weighs nothing
    for (auto [key, number] : llvm::zip_equal(result.keys, numbers)) {
      scope.k = key;
      bool isNothing = score->real() == minusInfinity;
      result.weights.push_back(isNothing ? 0 : number);
    }
    return;
  }
  if (temperature)
    for (Number &number : numbers)
      number /= temperature->real();
  Softmax normalized = softmax(numbers, sink ? sink->real() : minusInfinity);
  result.weights = std::move(normalized.weights);
  result.lse = normalized.lse;
}

RowResult Attention::row(int64_t b, int64_t h, int64_t i, bool withScores) {
  RowResult result;
  scope.b = b;
  scope.h = h;
  scope.i = i;
  for (scope.k = 0; scope.k < keys(b); ++scope.k)
    if (mask->truth())
      result.keys.push_back(scope.k);
  scope.allowed = &result.keys;
  weigh(result);
  result.o.resize(size_t(call.size(spec::ValueDim)));
  for (auto [key, number] : llvm::zip_equal(result.keys, result.weights)) {
    scope.k = key;
    llvm::ArrayRef<Number> v = value->evaluate().reals;
    for (auto [sum, x] : llvm::zip_equal(result.o, v))
      sum += number * x;
    if (withScores)
      result.scores.push_back(score->real());
  }
  scope.allowed = nullptr;
  return result;
}

Array Attention::result() {
  const Storage &storage = spec.queryStorage;
  bool isRagged = storage.kind == Storage::Ragged;
  int64_t heads = call.size(spec::Heads), batch = call.size(spec::Batch);
  int64_t width = call.size(spec::ValueDim);
  llvm::SmallVector<int64_t> shape = {heads, 0, width};
  if (isRagged)
    shape[1] = call.size(storage.tokens);
  else
    shape = {batch, heads, queries(0), width};
  Array array = makeArray(shape);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < queries(b); ++i) {
        int64_t place = isRagged ? h * shape[1] + call.firstRow(storage, b) + i
                                 : (b * heads + h) * shape[2] + i;
        llvm::copy(row(b, h, i).o, array.reals.begin() + place * width);
      }
  return array;
}

//===----------------------------------------------------------------------===//
// The running state
//===----------------------------------------------------------------------===//

Array Attention::state() {
  spec::StateProblem problem;
  std::optional<spec::StateFormula> found = spec::findState(spec, problem);
  Formula features(*found->keys, scope);
  std::unique_ptr<Formula> allowed;
  if (found->allowed)
    allowed = std::make_unique<Formula>(*found->allowed, scope);
  int64_t batch = call.size(spec::Batch), heads = call.size(spec::KvHeads);
  int64_t width = call.size(spec::ValueDim), columns = width + found->hasSum;
  int64_t count = call.extent(*spec.axesOf(*found->keys)[0]);
  Array array = makeArray({batch, heads, count, columns});
  scope.i = 0;
  for (scope.b = 0; scope.b < batch; ++scope.b)
    for (int64_t g = 0; g < heads; ++g)
      for (scope.k = 0; scope.k < keys(scope.b); ++scope.k) {
        scope.h = g * call.size(spec::Group);
        if (allowed && !allowed->truth())
          continue;
        llvm::ArrayRef<Number> key = features.evaluate().reals;
        llvm::ArrayRef<Number> contribution = value->evaluate().reals;
        for (int64_t d = 0; d < count; ++d)
          for (int64_t e = 0; e < columns; ++e)
            array.reals[((scope.b * heads + g) * count + d) * columns + e] +=
                key[d] * (e < width ? contribution[e] : 1);
      }
  return array;
}

} // namespace attnc::formula
