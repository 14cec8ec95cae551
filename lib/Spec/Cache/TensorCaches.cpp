//===- TensorCaches.cpp - Rows that a call stores in an input -------------===//
//
//   K: cached(k_cache, split_heads(x @ Wk), past[b])
//
// stores the new rows of K behind the past[b] ones that the call before left,
// and is the cache from then on. That they fit is a range of `past`, which the
// call checks before it writes anything.
//
// Tests: test/Spec/Layers/Cache/cached*.yaml
//
//===----------------------------------------------------------------------===//

#include "Tensor/TensorChecker.h"

#include "Proof/Prover.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

/// The table that says where rows begin, read for the sequence: `past[b]`, or
/// `past` for all of them.
ExprPtr TensorChecker::placeArgument(const Node &node) {
  Checker checker(spec, report, use, Scope::ofBatch("cached"));
  ExprPtr place = checker.check(node, Type::Int, "'past' of 'cached'");
  if (checker.reportMissing() || !place)
    return nullptr;
  if (place->kind == Expr::Load) {
    const attnc::spec::Input &table = spec.inputs[place->index];
    bool isWide = table.dtype == DType::I32 || table.dtype == DType::I64;
    bool isOne = table.axes.empty();
    bool isByBatch = table.axes.size() == 1 &&
                     shapes.isSame(table.axes[0], makeSize(Batch)) &&
                     place->operands[0]->kind == Expr::Variable;
    if (isWide && (isOne || isByBatch))
      return place;
  }
  report.error(Message::CachePlace, node.range, {textOfNode(node)});
  return nullptr;
}

/// The axis of the cache that counts keys.
std::optional<unsigned> TensorChecker::cacheAxis(const TensorPtr &cache,
                                                 const Node &node) {
  auto axes = shapes.placesOf(makeSize(KvLen), cache->axes);
  if (axes.size() == 1)
    return axes.front();
  auto &error = report.error(Message::CacheAxis, node.range,
                             {textOfNode(node), shapeText(cache)});
  noteInputs(error, {cache.get()});
  return std::nullopt;
}

/// The new rows in the type of the cache; its other axes are theirs, too.
TensorPtr TensorChecker::rowsFor(const TensorPtr &cache, unsigned axis,
                                 const Node &node) {
  TensorPtr rows = visitTensor(node);
  if (rows)
    rows = asReal(rows);
  if (!rows)
    return nullptr;
  bool fits = rows->axes.size() == cache->axes.size();
  for (unsigned i = 0; fits && i < rows->axes.size(); ++i)
    fits = i == axis || shapes.isSame(rows->axes[i], cache->axes[i]);
  if (!fits) {
    Axes wanted = cache->axes;
    wanted[axis] = makeSize(QueryLen);
    auto &error = report.error(Message::RowShape, node.range,
                               {"X", shapes.text(wanted), shapeText(rows)});
    noteInputs(error, {cache.get(), rows.get()});
    return nullptr;
  }
  if (rows->dtype == cache->dtype)
    return rows;
  return mapOver(rows->axes, makeElement(0, Type::Real, node.range), {rows},
                 node.range, cache->dtype);
}

/// So many rows behind those that `table` tells of are within the cache: a
/// range of the table.
bool TensorChecker::boundPlace(unsigned table, const ExprPtr &rows,
                               SMRange place) {
  attnc::spec::Input &input = spec.inputs[table];
  for (const Cache &cache : spec.caches) {
    const Tensor &other = *cache.tensor;
    if (other.index != table || shapes.isSame(cache.rows, rows))
      continue;
    report.error(Message::CacheTable, place,
                 {input.name, printFormula(spec, *cache.rows),
                  printFormula(spec, *rows)});
    return false;
  }
  ExprPtr limit =
      makeApply(Op::Sub, Type::Int, {makeSize(KvLen), rows}, input.typeRange);
  Prover prover(spec, Domain{false, false, false, true});
  auto last = prover.bounds(prover.linear(limit)).second;
  int64_t first = input.low && input.low->isConstant() ? input.low->integer : 0;
  if (last && *last < std::max<int64_t>(first, 0)) {
    auto count = [&](const ExprPtr &size) {
      auto [least, greatest] = prover.bounds(prover.linear(size));
      return least && least == greatest ? std::to_string(*least)
                                        : printFormula(spec, *size);
    };
    report.error(Message::CacheRoom, place,
                 {count(rows), std::to_string(first), count(makeSize(KvLen))});
    return false;
  }
  if (!input.low) {
    input.low = makeInt(0, input.typeRange);
    input.high = limit;
    return true;
  }
  if (!input.low->isConstant() || input.low->integer < 0) {
    report
        .error(Message::CacheRange, input.low->range,
               {input.name, printFormula(spec, *input.low)})
        .note(place, "rows are stored here");
    return false;
  }
  if (shapes.isSame(input.high, limit))
    input.high = limit;
  else if (!input.high->isApply(Op::Min) ||
           !sameExpr(*input.high->operands[1], *limit))
    input.high =
        makeApply(Op::Min, Type::Int, {input.high, limit}, input.high->range);
  return true;
}

/// cached(C, X, past[b])
TensorPtr TensorChecker::cached(const Node &node,
                                ArrayRef<const Node *> bound) {
  TensorPtr cache = visitTensor(*bound[0]);
  ExprPtr place = placeArgument(*bound[2]);
  if (!cache || !place)
    return nullptr;
  if (cache->kind != Tensor::Input || !spec.inputs[cache->index].inout) {
    auto &error = report.error(Message::CacheInput, bound[0]->range,
                               {"'" + textOfNode(*bound[0]) + "'"});
    if (cache->kind == Tensor::Input) {
      const attnc::spec::Input &input = spec.inputs[cache->index];
      error.note(input.typeRange, "'" + input.name + "' is declared here");
      error.fix("change the declaration under 'inputs:' to    " + input.name +
                ": inout " + Report::textOf(input.typeRange).str());
    }
    return nullptr;
  }
  std::optional<unsigned> axis = cacheAxis(cache, *bound[0]);
  TensorPtr rows = axis ? rowsFor(cache, *axis, *bound[1]) : nullptr;
  if (!rows || !boundPlace(place->index, rows->axes[*axis], bound[2]->range))
    return nullptr;
  auto tensor = std::make_shared<Tensor>();
  tensor->kind = Tensor::Append;
  tensor->dtype = cache->dtype;
  tensor->axes = cache->axes;
  tensor->operands = {cache, rows};
  tensor->labels = lettersFrom('c', cache->axes.size());
  if (!place->operands.empty()) {
    auto batch = shapes.placesOf(makeSize(Batch), cache->axes);
    if (batch.size() != 1) {
      auto &error = report.error(Message::RowShape, bound[0]->range,
                                 {textOfNode(*bound[0]),
                                  "with rows per sequence (an axis 'batch')",
                                  shapeText(cache)});
      noteInputs(error, {cache.get()});
      return nullptr;
    }
    tensor->labels[batch.front()] = 'b';
  }
  tensor->along = tensor->labels[*axis];
  tensor->index = place->index;
  tensor->range = node.range;
  for (const Cache &other : spec.caches)
    if (other.tensor->operands[0]->index == cache->index) {
      report.error(Message::CacheTwice, node.range, {textOfNode(*bound[0])})
          .note(other.tensor->range, "first stored here")
          .note("a name under 'let' is a single value: define it once "
                "and use it in both places");
      return nullptr;
    }
  spec.caches.push_back({tensor, place, rows->axes[*axis]});
  return tensor;
}

} // namespace attnc::spec
