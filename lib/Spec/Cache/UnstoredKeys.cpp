//===- UnstoredKeys.cpp - Rows of a cache among the keys of `attend` ------===//
//
// Keys that no call has stored yet are masked where key k is row k of the
// cache. The keys of an `attend` may be made of more: concat(C, X, axis=rows)
// has rows of the cache at some places, and the mask must hide those of them
// that are not stored.
//
// Tests: test/Spec/Layers/Cache/cached-keys-invalid.yaml, cached-keys.yaml
//
//===----------------------------------------------------------------------===//

#include "Cache/UnstoredReads.h"

#include "Proof/Prover.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace llvm;

namespace attnc::spec {

namespace {
/// So many rows are in front of those of a cache, and behind them: row r is at
/// the place before + r. Null: it may be anywhere.
struct Around {
  ExprPtr before, after;
};

/// The caches whose rows are along an axis of a tensor.
class RowPlaces {
public:
  struct Found {
    const Cache *cache;
    Around around;
  };
  explicit RowPlaces(const AttentionSpec &spec) : spec(spec) {}
  std::vector<Found> find(const Tensor &keys) {
    visit(keys, keys.axes.size() - 2, {makeInt(0), makeInt(0)});
    return std::move(found);
  }

private:
  void visit(const Tensor &tensor, unsigned axis, const Around &around);
  void visitLabels(const Tensor &tensor, unsigned axis, const Around &around);

  const AttentionSpec &spec;
  std::vector<Found> found;
};
} // namespace

static ExprPtr plus(const ExprPtr &a, const ExprPtr &b) {
  if (a->isConstant() && a->integer == 0)
    return b;
  if (b->isConstant() && b->integer == 0)
    return a;
  return makeApply(Op::Add, Type::Int, {a, b});
}

static ExprPtr minus(const ExprPtr &a, const ExprPtr &b) {
  if (b->isConstant() && b->integer == 0)
    return a;
  return makeApply(Op::Sub, Type::Int, {a, b});
}

/// The same around the rows of an operand, along the axis on which the tensor
/// moves them.
static Around aroundOperand(const Tensor &tensor, unsigned operand,
                            unsigned axis, Around around) {
  if (tensor.kind == Tensor::Slice) {
    const Tensor &whole = *tensor.operands[0];
    ExprPtr offset = makeInt(tensor.offset);
    ExprPtr rest = minus(minus(whole.axes[axis], tensor.axes[axis]), offset);
    return {minus(around.before, offset), minus(around.after, rest)};
  }
  if (tensor.kind != Tensor::Concat)
    return around;
  SmallVector<StringRef> labels;
  StringRef(tensor.labels).split("->").first.split(labels, ',');
  for (auto [other, part] : enumerate(tensor.operands)) {
    if (other == operand)
      continue;
    ExprPtr &side = other < operand ? around.before : around.after;
    side = plus(side, part->axes[labels[other].find(tensor.along)]);
  }
  return around;
}

void RowPlaces::visitLabels(const Tensor &tensor, unsigned axis,
                            const Around &around) {
  auto [inputs, output] = StringRef(tensor.labels).split("->");
  bool isShared = !StringRef(tensor.labels).contains("->");
  SmallVector<StringRef> labels;
  inputs.split(labels, ',');
  std::string rows = axesOfLabels(isShared ? inputs : output)[axis];
  for (auto [i, operand] : enumerate(tensor.operands)) {
    if (i >= labels.size() && !isShared) { // read wherever the formula says
      for (unsigned any = 0; any < operand->axes.size(); ++any)
        visit(*operand, any, {});
      continue;
    }
    for (auto [own, letters] :
         enumerate(axesOfLabels(isShared ? inputs : labels[i]))) {
      if (StringRef(letters).find_first_of(rows) == StringRef::npos)
        continue;
      bool isSame = around.before && letters == rows;
      bool moves = tensor.along == rows[0];
      visit(*operand, own,
            !isSame ? Around()
            : moves ? aroundOperand(tensor, i, own, around)
                    : around);
    }
  }
}

void RowPlaces::visit(const Tensor &tensor, unsigned axis,
                      const Around &around) {
  switch (tensor.kind) {
  case Tensor::Append:
    if (tensor.labels[axis] == tensor.along)
      for (const Cache &cache : spec.caches)
        if (cache.tensor.get() == &tensor)
          found.push_back({&cache, around});
    return;
  case Tensor::Attend: // a row for each query
    if (axis + 2 == tensor.axes.size()) {
      const Tensor &queries = *tensor.operands[0];
      visit(queries, queries.axes.size() - 2, around);
    }
    return;
  case Tensor::Input:
  case Tensor::Argument:
  case Tensor::Result:
  case Tensor::Positions:
    return;
  default:
    visitLabels(tensor, axis, around);
  }
}

/// Whether the mask hides the rows that are not stored, where they are.
static bool hides(const AttentionSpec &own, const RowPlaces::Found &found) {
  if (!found.around.before)
    return false;
  Prover prover(own, Domain());
  for (const Precondition &condition : own.preconditions)
    prover.know(condition.condition);
  ExprPtr key = makeVariable(Variable::K),
          end = minus(own.sizeOf(KvLen), found.around.after);
  prover.assume(makeApply(Op::Ge, Type::Bool, {key, found.around.before}),
                true);
  prover.assume(makeApply(Op::Lt, Type::Bool, {key, end}), true);
  prover.assume(own.mask, true);
  LinearForm stored = prover.linear(found.around.before) +
                      prover.linear(found.cache->place) +
                      prover.linear(found.cache->rows);
  return prover.proves(stored - LinearForm(1) - prover.linear(key));
}

/// Whether the formula has the names that `attend` gives another meaning.
static bool isOfRows(const Expr &e) {
  return anyNode(e, [](const Expr &x) {
    return x.kind == Expr::Size && (x.index == QueryLen || x.index == KvLen);
  });
}

/// A mask that would do, where the file can say so.
static std::string maskFor(const AttentionSpec &own,
                           const RowPlaces::Found &found) {
  const Around &around = found.around;
  const Cache &cache = *found.cache;
  if (!around.before || isOfRows(*around.before) || isOfRows(*around.after) ||
      (own.queryRows && isOfRows(*cache.rows)))
    return "";
  ExprPtr key = makeVariable(Variable::K);
  auto compare = [&](Op op, const ExprPtr &end) {
    return printFormula(own, *makeApply(op, Type::Bool, {key, end}));
  };
  std::string mask =
      compare(Op::Lt, plus(plus(around.before, cache.place), cache.rows));
  if (!around.after->isConstant() || around.after->integer != 0)
    mask += " or " + compare(Op::Ge, minus(makeSize(KvLen), around.after));
  return mask;
}

static bool checkKeys(const AttentionSpec &own, const Tensor &keys,
                      Report &report) {
  for (const RowPlaces::Found &found : RowPlaces(own).find(keys)) {
    if (hides(own, found))
      continue;
    const Tensor &cache = *found.cache->tensor;
    std::string name = own.inputs[cache.operands[0]->index].name,
                mask = maskFor(own, found);
    auto &error = report.error(Message::CacheKeys, keys.range, {name});
    error.note(cache.range, "rows are stored here");
    if (!mask.empty())
      error.note("mask them:  " + mask);
    error.note("or use one 'attend' for the cache and one for the other rows");
    return false;
  }
  return true;
}

static bool visitAttends(const AttentionSpec &spec, const Tensor &tensor,
                         std::set<const Tensor *> &seen, Report &report) {
  if (!seen.insert(&tensor).second)
    return true;
  for (const TensorPtr &operand : tensor.operands)
    if (!visitAttends(spec, *operand, seen, report))
      return false;
  if (tensor.kind != Tensor::Attend)
    return true;
  AttentionSpec own = spec;
  if (tensor.attention)
    static_cast<AttentionFormulas &>(own) = *tensor.attention;
  return checkKeys(own, *tensor.operands[1], report) &&
         checkKeys(own, *tensor.operands[2], report);
}

void checkCacheKeys(const AttentionSpec &spec, Report &report) {
  if (spec.caches.empty())
    return;
  for (Row row : {Row::K, Row::V})
    if (const TensorPtr &keys = spec.rows[unsigned(row)].tensor)
      if (!checkKeys(spec, *keys, report))
        return;
  SmallVector<TensorPtr> roots{spec.output};
  for (const ExtraOutput &extra : spec.extras)
    roots.push_back(extra.tensor);
  for (const Input &table : spec.inputs)
    roots.push_back(table.made);
  for (const Cache &cache : spec.caches)
    roots.push_back(cache.tensor);
  std::set<const Tensor *> seen;
  for (const TensorPtr &root : roots)
    if (root && !visitAttends(spec, *root, seen, report))
      return;
}

} // namespace attnc::spec
