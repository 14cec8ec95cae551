//===- UnstoredReads.cpp - Where the rows of a cache get to ---------------===//

#include "Cache/UnstoredReads.h"

#include "Proof/Prover.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <bitset>

using namespace llvm;

namespace attnc::spec {

std::vector<std::string> axesOfLabels(StringRef labels) {
  std::vector<std::string> axes;
  bool isOpen = false;
  for (char c : labels) {
    if (c == '(' || !isOpen)
      axes.emplace_back();
    if (c != '(' && c != ')')
      axes.back() += c;
    isOpen = c == '(' || (isOpen && c != ')');
  }
  llvm::erase_if(axes, [](const std::string &axis) { return axis.empty(); });
  return axes;
}

namespace {
class CacheRows {
public:
  CacheRows(const AttentionSpec &spec, Report &report)
      : spec(spec), report(&report) {}
  /// Looks for the axes of one cache alone, and reports nothing.
  CacheRows(const AttentionSpec &spec, const Cache &cache, char letter)
      : spec(spec), only(cache.tensor.get()), letter(letter) {}

  /// Checks what a tensor is made of; the axes that count rows of a cache.
  using AxisSet = std::bitset<64>;
  AxisSet visit(const Tensor &tensor);
  void checkRow(const Tensor &row);
  /// Whether a place along such an axis is not that place of the cache.
  bool isMixed = false;

private:
  AxisSet visitNode(const Tensor &tensor);
  AxisSet visitLabels(const Tensor &tensor);
  void sums(const Tensor &tensor) {
    isMixed = true;
    if (report)
      report->error(Message::CacheSum, tensor.range)
          .note("attention masks such rows: use 'attend', or 'score: "
                "s[b, h, i, k]' with a tensor s of scores");
  }

  const AttentionSpec &spec;
  Report *report = nullptr;
  const Tensor *only = nullptr;
  char letter = 0;
  DenseMap<const Tensor *, AxisSet> known;
};
} // namespace

/// By the letters of the axes: those that the result lacks are summed.
CacheRows::AxisSet CacheRows::visitLabels(const Tensor &tensor) {
  auto [inputs, output] = StringRef(tensor.labels).split("->");
  SmallVector<StringRef> labels;
  inputs.split(labels, ',');
  std::string rows;                                         // letters
  bool isShared = !StringRef(tensor.labels).contains("->"); // by all operands
  for (auto [i, operand] : enumerate(tensor.operands)) {
    AxisSet axes = visit(*operand);
    if (i >= labels.size() && !isShared) // read somewhere, and has a label, too
      continue;
    for (auto [axis, letters] :
         enumerate(axesOfLabels(isShared ? inputs : labels[i])))
      if (axes[axis])
        rows += letters;
  }
  if (isShared)
    output = inputs;
  if (any_of(rows, [output = output](char c) { return !output.contains(c); }))
    sums(tensor);
  AxisSet result;
  for (auto [axis, letters] : enumerate(axesOfLabels(output))) {
    result[axis] = StringRef(letters).find_first_of(rows) != StringRef::npos;
    isMixed |= result[axis] && letters.size() > 1;
  }
  bool moves = tensor.kind == Tensor::Slice || tensor.kind == Tensor::Concat ||
               tensor.kind == Tensor::Scan;
  isMixed |= moves && StringRef(rows).contains(tensor.along);
  return result;
}

CacheRows::AxisSet CacheRows::visitNode(const Tensor &tensor) {
  switch (tensor.kind) {
  case Tensor::Input: {
    const Input &input = spec.inputs[tensor.index];
    if (input.inout && report)
      report->error(Message::CacheRead, tensor.range, {input.name})
          .note(input.typeRange, "'" + input.name + "' is declared here");
    return {};
  }
  case Tensor::Append: {
    visit(*tensor.operands[1]);
    AxisSet axes;
    if (!only)
      axes.set(tensor.labels.find(tensor.along));
    else if (only == &tensor)
      axes.set(tensor.labels.find(letter));
    return axes;
  }
  case Tensor::Attend:
    for (const TensorPtr &operand : tensor.operands)
      checkRow(*operand);
    return {};
  case Tensor::Softmax: {
    AxisSet axes = visitLabels(tensor);
    if (axes[tensor.labels.find(tensor.along)])
      sums(tensor);
    return axes;
  }
  case Tensor::Argument:
  case Tensor::Result:
  case Tensor::Positions:
    return {};
  default:
    return visitLabels(tensor);
  }
}

CacheRows::AxisSet CacheRows::visit(const Tensor &tensor) {
  auto found = known.find(&tensor);
  if (found != known.end())
    return found->second;
  AxisSet axes = visitNode(tensor);
  return known[&tensor] = axes;
}

/// Q, K or V: features are summed by their product.
void CacheRows::checkRow(const Tensor &row) {
  AxisSet axes = visit(row);
  if (axes[row.axes.size() - 1])
    sums(row);
}

void checkCacheRows(const AttentionSpec &spec, Report &report) {
  CacheRows rows(spec, report);
  for (const Input &table : spec.inputs)
    if (table.made)
      rows.visit(*table.made);
  for (const RowTensor &row : spec.rows)
    if (row.tensor)
      rows.checkRow(*row.tensor);
  if (spec.output)
    rows.visit(*spec.output);
  for (const Cache &cache : spec.caches)
    rows.visit(*cache.tensor);
}

std::optional<std::vector<unsigned>> axesOfCache(const AttentionSpec &spec,
                                                 const Cache &cache,
                                                 const Tensor &tensor,
                                                 char letter) {
  CacheRows rows(spec, cache, letter);
  CacheRows::AxisSet axes = rows.visit(tensor);
  if (rows.isMixed)
    return std::nullopt;
  std::vector<unsigned> result;
  for (unsigned axis = 0; axis < tensor.axes.size(); ++axis)
    if (axes[axis])
      result.push_back(axis);
  return result;
}

ExprPtr isStored(const Cache &cache) {
  SMRange range = cache.tensor->range;
  ExprPtr stored =
      makeApply(Op::Add, Type::Int, {cache.place, cache.rows}, range);
  return makeApply(Op::Lt, Type::Bool,
                   {makeVariable(Variable::K, range), stored}, range);
}

bool masksUnstored(const AttentionSpec &spec, const Cache &cache) {
  Prover prover(spec, Domain());
  prover.assume(spec.mask, true);
  LinearForm stored = prover.linear(cache.place) + prover.linear(cache.rows);
  return prover.proves(stored - LinearForm(1) -
                       prover.linear(makeVariable(Variable::K)));
}

} // namespace attnc::spec
