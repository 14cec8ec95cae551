//===- EvaluateSpec.cpp - The meaning of a spec, pair by pair -------------===//

#include "attnc/Reference/SpecEvaluator.h"

#include "Attention.h"
#include "Axes.h"
#include "Tensors.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

namespace attnc::formula {

using spec::Row;
using spec::Storage;

namespace {

class SpecEvaluator {
public:
  SpecEvaluator(const spec::AttentionSpec &spec, Arrays given,
                const llvm::StringMap<int64_t> &sizes)
      : spec(spec), call(spec, std::move(given), sizes),
        tensors(call, [this] { return attention().result(); }) {}

  Arrays run();

private:
  Attention &attention();
  bool isDouble() const;
  int64_t keysOfAll() const;
  Array rowsOfOutput(llvm::ArrayRef<int64_t> others) const;
  void storeRow(Array &array, int64_t b, int64_t h, int64_t i,
                llvm::ArrayRef<Number> values) const;
  std::vector<Number> amongKeys(const RowResult &row, int64_t b,
                                llvm::ArrayRef<Number> values,
                                Number otherwise) const;
  void evaluateRows(Arrays &results);

  const spec::AttentionSpec &spec;
  Call call;
  Tensors tensors;
  std::unique_ptr<Attention> own; // of the spec's Q, K and V
};

} // namespace

bool SpecEvaluator::isDouble() const {
  bool is = spec.outputType == spec::DType::F64;
  const spec::DType types[] = {spec.queryType, spec.keyType, spec.valueType};
  for (Row row : {Row::Q, Row::K, Row::V}) {
    is |= spec.isArgument(row) && types[unsigned(row)] == spec::DType::F64;
    const spec::TensorPtr &tensor = spec.rows[unsigned(row)].tensor;
    is |= tensor && tensor->dtype == spec::DType::F64;
  }
  return is;
}

Attention &SpecEvaluator::attention() {
  if (own)
    return *own;
  RowTable tables[3];
  for (Row row : {Row::Q, Row::K, Row::V})
    tables[unsigned(row)] = tensors.rowTable(row);
  own = std::make_unique<Attention>(call, spec, tables,
                                    /*hasDefinitions=*/true, isDouble());
  return *own;
}

/// The last axis of weights and scores: ragged keys are among those of all.
int64_t SpecEvaluator::keysOfAll() const {
  const Storage &storage = spec.kvStorage;
  return storage.kind == Storage::Ragged ? call.size(storage.tokens)
                                         : call.size(spec::KvLen);
}

/// [batch, heads, rows, ...], or of ragged rows [rows of all, heads, ...].
Array SpecEvaluator::rowsOfOutput(llvm::ArrayRef<int64_t> others) const {
  int64_t heads = call.size(spec::Heads);
  llvm::SmallVector<int64_t> shape;
  if (spec.queryStorage.kind == Storage::Ragged)
    shape = {call.size(spec.queryStorage.tokens), heads};
  else
    shape = {call.size(spec::Batch), heads, call.size(spec::QueryLen)};
  shape.append(others.begin(), others.end());
  Array array = makeArray(shape);
  llvm::fill(array.reals, std::numeric_limits<Number>::quiet_NaN());
  return array;
}

void SpecEvaluator::storeRow(Array &array, int64_t b, int64_t h, int64_t i,
                             llvm::ArrayRef<Number> values) const {
  int64_t heads = call.size(spec::Heads);
  int64_t row = spec.queryStorage.kind == Storage::Ragged
                    ? (call.firstRow(spec.queryStorage, b) + i) * heads + h
                    : (b * heads + h) * array.shape[2] + i;
  llvm::copy(values, array.reals.begin() + row * int64_t(values.size()));
}

/// The values of the keys that a row sees, with those of all others.
std::vector<Number> SpecEvaluator::amongKeys(const RowResult &row, int64_t b,
                                             llvm::ArrayRef<Number> values,
                                             Number otherwise) const {
  std::vector<Number> all(size_t(keysOfAll()), otherwise);
  const Storage &storage = spec.kvStorage;
  int64_t first =
      storage.kind == Storage::Ragged ? call.firstRow(storage, b) : 0;
  for (auto [key, value] : llvm::zip_equal(row.keys, values))
    all[size_t(first + key)] = value;
  return all;
}

/// O, where it is the output, and what else is said of rows.
void SpecEvaluator::evaluateRows(Arrays &results) {
  bool any =
      !spec.output || spec.lse || spec.attentionOutput || spec.scoreOutput;
  if (!any)
    return;
  if (!spec.output)
    results["O"] = rowsOfOutput(call.size(spec::ValueDim));
  if (spec.lse)
    results["lse"] = rowsOfOutput({});
  if (spec.attentionOutput)
    results["attention"] = rowsOfOutput(keysOfAll());
  if (spec.scoreOutput)
    results["score"] = rowsOfOutput(keysOfAll());
  for (int64_t b = 0; b < call.size(spec::Batch); ++b)
    for (int64_t h = 0; h < call.size(spec::Heads); ++h)
      for (int64_t i = 0; i < attention().queries(b); ++i) {
        RowResult row = attention().row(b, h, i, spec.scoreOutput);
        if (!spec.output)
          storeRow(results["O"], b, h, i, row.o);
        if (spec.lse)
          storeRow(results["lse"], b, h, i, row.lse);
        if (spec.attentionOutput)
          storeRow(results["attention"], b, h, i,
                   amongKeys(row, b, row.weights, 0));
        if (spec.scoreOutput)
          storeRow(results["score"], b, h, i,
                   amongKeys(row, b, row.scores,
                             -std::numeric_limits<Number>::infinity()));
      }
}

Arrays SpecEvaluator::run() {
  for (const spec::Input &input : spec.inputs)
    if (input.made) // each may read those before it
      call.inputs.push_back(tensors.evaluate(*input.made));
  Arrays results;
  if (spec.hasResult())
    evaluateRows(results);
  if (spec.output)
    results["Y"] = tensors.evaluate(*spec.output);
  if (spec.stateOutput)
    results["state"] = attention().state();
  for (const spec::ExtraOutput &extra : spec.extras)
    results[extra.name] = tensors.evaluate(*extra.tensor);
  for (const spec::Cache &cache : spec.caches)
    results[spec.inputs[cache.tensor->operands[0]->index].name] =
        tensors.evaluate(*cache.tensor);
  return results;
}

Arrays evaluateSpec(const spec::AttentionSpec &spec, Arrays given,
                    const llvm::StringMap<int64_t> &sizes) {
  return SpecEvaluator(spec, std::move(given), sizes).run();
}

} // namespace attnc::formula
