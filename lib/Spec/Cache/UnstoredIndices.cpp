//===- UnstoredIndices.cpp - Rows of a cache that formulas read -----------===//
//
// A formula reads a tensor of `let` at places that it names. If the tensor has
// a row for each row of a cache, then those that no call has stored yet are
// anything: each index must be proved below what is stored, in the sequence
// whose rows those are.
//
// Tests: test/Spec/Layers/Cache/cached-index-invalid.yaml, cached-index.yaml
//
//===----------------------------------------------------------------------===//

#include "Cache/UnstoredReads.h"

#include "Proof/Prover.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace llvm;

namespace attnc::spec {

namespace {
class CacheIndices {
public:
  CacheIndices(const AttentionSpec &spec, Report &report, Domain domain)
      : spec(spec), report(report), prover(spec, domain) {
    for (const Precondition &condition : spec.preconditions)
      prover.know(condition.condition);
  }
  void assume(const ExprPtr &condition) { prover.assume(condition, true); }
  void visit(const ExprPtr &e);

private:
  bool isStoredAt(const Expr &load, const Cache &cache);
  bool isOfSequence(const Expr &load, const Cache &cache);

  const AttentionSpec &spec;
  Report &report;
  Prover prover;
  std::set<const char *> told; // a formula may be part of several
  /// What is checked, where nothing is assumed and under each condition.
  std::vector<DenseSet<const Expr *>> checked{{}};
};
} // namespace

/// Whether the load is of the sequence b, whose number of rows is known.
bool CacheIndices::isOfSequence(const Expr &load, const Cache &cache) {
  if (cache.place->operands.empty()) // one place for all
    return true;
  const Tensor &table = *spec.inputs[load.index].made;
  auto axes = axesOfCache(spec, cache, table, 'b');
  return axes && !axes->empty() && all_of(*axes, [&](unsigned axis) {
           return axis < load.operands.size() &&
                  load.operands[axis]->kind == Expr::Variable &&
                  load.operands[axis]->variable == Variable::B;
         });
}

bool CacheIndices::isStoredAt(const Expr &load, const Cache &cache) {
  const Tensor &table = *spec.inputs[load.index].made;
  auto axes = axesOfCache(spec, cache, table, cache.tensor->along);
  if (axes && axes->empty())
    return true;
  if (!axes || !isOfSequence(load, cache))
    return false;
  LinearForm stored = prover.linear(cache.place) + prover.linear(cache.rows);
  return all_of(*axes, [&](unsigned axis) {
    return axis < load.operands.size() &&
           prover.proves(stored - LinearForm(1) -
                         prover.linear(load.operands[axis]));
  });
}

void CacheIndices::visit(const ExprPtr &e) {
  if (any_of(checked, [&](auto &nodes) { return nodes.contains(e.get()); }))
    return;
  checked.back().insert(e.get());
  if (e->kind == Expr::Load && spec.inputs[e->index].made)
    for (const Cache &cache : spec.caches)
      if (!isStoredAt(*e, cache)) {
        if (!told.insert(e->range.Start.getPointer()).second)
          return;
        const Tensor &rows = *cache.tensor;
        report
            .error(Message::CacheIndex, e->range,
                   {spec.inputs[rows.operands[0]->index].name,
                    printFormula(spec, *cache.place),
                    printFormula(spec, *cache.rows)})
            .note(rows.range, "rows are stored here");
        return;
      }
  bool isGuarded =
      e->isApply(Op::And) || e->isApply(Op::Or) || e->isApply(Op::Select);
  for (auto [i, operand] : enumerate(e->operands)) {
    Prover::Mark mark = prover.mark();
    if (isGuarded && i > 0)
      prover.assume(e->operands[0],
                    e->isApply(Op::And) || (e->isApply(Op::Select) && i == 1));
    checked.emplace_back();
    visit(operand);
    checked.pop_back();
    prover.forget(mark);
  }
}

void checkCacheIndices(const AttentionSpec &spec, Report &report) {
  if (spec.caches.empty())
    return;
  // The mask lets no row see a key that is not stored, whatever is read there.
  CacheIndices ofPair(spec, report, Domain());
  ofPair.assume(spec.mask);
  SmallVector<ExprPtr> formulas{spec.mask, spec.score};
  if (spec.attention != spec.score)
    formulas.push_back(spec.attention);
  formulas.push_back(spec.value);
  for (const ExprPtr &formula : formulas)
    if (formula)
      ofPair.visit(formula);
  CacheIndices ofQuery(spec, report, Domain{true, true, false, true});
  for (const ExprPtr &formula :
       {spec.definitions[unsigned(Row::Q)], spec.sink, spec.temperature})
    if (formula)
      ofQuery.visit(formula);
  CacheIndices ofKey(spec, report, Domain{true, false, true, true});
  for (const Cache &cache : spec.caches)
    ofKey.assume(isStored(cache));
  for (Row row : {Row::K, Row::V})
    if (const ExprPtr &formula = spec.definitions[unsigned(row)])
      ofKey.visit(formula);
}

} // namespace attnc::spec
