//===- State.cpp - The running state of linear attention ------------------===//
//
// The formula of the weights is taken apart from the outside in: products and
// quotients, choices between a weight and 0, and in the middle one product of
// two vectors, whose elements are taken apart in the same way. What depends on
// one side stays whole. What depends on both must be exp, exp2 or a power of a
// sum of two sides; a state holds it for the last row.
//
// Tests: test/Spec/Keys/Outputs/outputs-state*.yaml
//
//===----------------------------------------------------------------------===//

#include "attnc/Spec/State.h"

#include "Proof/Prover.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace llvm;

namespace attnc::spec {

namespace {
enum Side : unsigned { OfNothing = 0, OfQuery = 1, OfKey = 2, OfHead = 4 };

/// The factors of an integer that is linear in q and k.
struct Slopes {
  int64_t query = 0, key = 0;
};

/// Takes the weights of one formula apart.
class StateFinder {
public:
  StateFinder(const AttentionSpec &spec, StateProblem &problem)
      : spec(spec), problem(problem) {}

  bool splitWeight(const ExprPtr &e);
  bool splitMask(const ExprPtr &e);
  bool checkValue();
  bool checkSums();

  /// What was found, at the last row. Null where all keys are allowed.
  ExprPtr keys() const;
  ExprPtr allowed() const;
  bool hasSum() const { return !sums.empty(); }

private:
  struct Factor {
    ExprPtr value;
    bool inverse;
  };

  unsigned sidesOf(const Expr &e) const;
  bool isAlone() const {
    return spec.sizes[Group].kind == Size::Fixed &&
           spec.sizes[Group].value == 1;
  }
  bool fail(const Twine &reason, const Twine &legal, const Expr &e);
  bool failHead(const Expr &e);
  bool splitProduct(const ExprPtr &e);
  bool splitChoice(const Expr &e);
  bool add(const ExprPtr &e, bool inverse);
  bool addDecay(const ExprPtr &e, bool inverse);
  bool isSum(const Expr &e) const;
  bool isPairProduct(const Expr &e) const;
  bool hasPairProduct(const Expr &e) const;
  using Nodes = SmallPtrSet<const Expr *, 16>;
  bool isSum(const Expr &e, Nodes &known) const;
  bool isSumNode(const Expr &e, Nodes &known) const;
  void collectSums(const ExprPtr &e, Nodes &seen);
  std::optional<Slopes> slopesOf(const Expr &e) const;
  bool isCausal(const Expr &e) const;
  using Made = DenseMap<const Expr *, ExprPtr>;
  ExprPtr atLastRow(const ExprPtr &e) const;
  ExprPtr atLastRow(const ExprPtr &e, Made &made) const;

  const AttentionSpec &spec;
  StateProblem &problem;
  std::vector<Factor> factors; // of the key and of both
  std::vector<ExprPtr> conditions, sums;
  bool found = false; // the product of both vectors
};
} // namespace

/// Products of more factors, and sums of more terms, are not taken apart.
static constexpr size_t maxFactors = 4000;

bool StateFinder::fail(const Twine &reason, const Twine &legal, const Expr &e) {
  problem = {("'" + printFormula(spec, e) + "' " + reason).str(), legal.str(),
             e.range};
  return false;
}

bool StateFinder::failHead(const Expr &e) {
  return fail("differs between the query heads of a group, which share "
              "a state",
              "g instead of h, or kv_heads equal to heads", e);
}

//===----------------------------------------------------------------------===//
// Sides
//===----------------------------------------------------------------------===//

unsigned StateFinder::sidesOf(const Expr &e) const {
  unsigned sides = OfNothing;
  auto isOfRow = [](const Expr &node) {
    return node.kind == Expr::Apply && isRowFunction(node.op);
  };
  auto add = [&](const Expr &node) {
    if (node.kind == Expr::Row)
      sides |= node.row == Row::Q ? OfQuery : OfKey;
    if (isOfRow(node))
      sides |= isRowNumber(node.op) ? OfQuery : OfQuery | OfKey;
    if (node.kind != Expr::Variable)
      return false;
    if (node.variable == Variable::H && !isAlone())
      sides |= OfHead;
    if (node.variable == Variable::I || node.variable == Variable::Q)
      sides |= OfQuery;
    if (node.variable == Variable::K)
      sides |= OfKey;
    return false;
  };
  anyNode(e, add, /*ends=*/isOfRow);
  return sides;
}

/// Whether a formula is the sum of one of the query and one of the key.
bool StateFinder::isSum(const Expr &e, Nodes &known) const {
  if (known.contains(&e))
    return true;
  if (!isSumNode(e, known))
    return false;
  known.insert(&e);
  return true;
}

bool StateFinder::isSum(const Expr &e) const {
  Nodes known;
  return isSum(e, known);
}

bool StateFinder::isSumNode(const Expr &e, Nodes &known) const {
  unsigned sides = sidesOf(e);
  if (!(sides & OfQuery) || !(sides & OfKey))
    return true;
  if (e.kind != Expr::Apply)
    return false;
  auto sum = [&](const ExprPtr &x) { return isSum(*x, known); };
  auto uniform = [&](unsigned i) {
    return !(sidesOf(*e.operands[i]) & (OfQuery | OfKey));
  };
  switch (e.op) {
  case Op::Add:
  case Op::Sub:
  case Op::Neg:
  case Op::ToReal:
    return all_of(e.operands, sum);
  case Op::Mul:
    return all_of(e.operands, sum) && (uniform(0) || uniform(1));
  case Op::Div:
    return sum(e.operands[0]) && uniform(1);
  default:
    return false;
  }
}

/// u @ v of a vector of the query and one of the key, or of rows of both.
bool StateFinder::isPairProduct(const Expr &e) const {
  if (!e.isApply(Op::Dot) || e.type != Type::Real)
    return false;
  unsigned sides = sidesOf(e);
  return (sides & OfQuery) && (sides & OfKey);
}

bool StateFinder::hasPairProduct(const Expr &e) const {
  return anyNode(
      e, [&](const Expr &node) { return isPairProduct(node); },
      /*ends=*/
      [](const Expr &node) {
        return node.kind == Expr::Apply && isRowFunction(node.op);
      });
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

void StateFinder::collectSums(const ExprPtr &e, Nodes &seen) {
  if (!seen.insert(e.get()).second)
    return;
  if (e->isApply(Op::Sum))
    sums.push_back(e);
  for (const ExprPtr &operand : e->operands)
    collectSums(operand, seen);
}

bool StateFinder::addDecay(const ExprPtr &e, bool inverse) {
  bool isPower = e->isApply(Op::Pow) && e->type != Type::Int &&
                 !(sidesOf(*e->operands[0]) & (OfQuery | OfKey));
  if (!(e->isApply(Op::Exp) || e->isApply(Op::Exp2) || isPower) ||
      !isSum(*e->operands.back()))
    return fail("cannot be separated into a query-side and a key-side "
                "factor",
                "separable factors such as exp(x - y) or base ** (q - "
                "k), where x depends on the query and y on the key",
                *e);
  if (usesRow(*e, Row::Q))
    return fail("is a decay factor that depends on Q, which is not "
                "supported",
                "decays that depend on positions and inputs", *e);
  factors.push_back({e, inverse});
  return true;
}

/// A factor of the weights, or of the elements of their vectors.
bool StateFinder::add(const ExprPtr &e, bool inverse) {
  unsigned sides = sidesOf(*e);
  if (!(sides & OfKey)) {
    Nodes seen;
    collectSums(e, seen);
    return true;
  }
  if (factors.size() > maxFactors)
    return fail("has too many factors to analyze", "fewer factors", *e);
  if (sides & OfQuery) {
    if (e->isApply(Op::Neg))
      return add(e->operands[0], inverse);
    if (e->isApply(Op::Mul) || e->isApply(Op::Div))
      return add(e->operands[0], inverse) &&
             add(e->operands[1], inverse != e->isApply(Op::Div));
  }
  if (sides & OfHead)
    return failHead(*e);
  if (sides & OfQuery)
    return addDecay(e, inverse);
  factors.push_back({e, inverse});
  return true;
}

/// 0 under a condition is a mask.
bool StateFinder::splitChoice(const Expr &e) {
  auto isZero = [](const Expr &x) { return x.isConstant() && x.real == 0; };
  bool whereTrue = isZero(*e.operands[1]);
  if (!whereTrue && !isZero(*e.operands[2]))
    return fail("selects between two weights",
                "a selection between a weight and 0", e);
  ExprPtr condition = e.operands[0];
  if (whereTrue)
    condition = makeApply(Op::Not, Type::Bool, {condition}, condition->range);
  return splitMask(condition) && splitWeight(e.operands[whereTrue ? 2 : 1]);
}

bool StateFinder::splitProduct(const ExprPtr &e) {
  if (found)
    return fail("is a second product of queries and keys", "one such product",
                *e);
  found = true;
  return add(e->operands[0], false) && add(e->operands[1], false);
}

bool StateFinder::splitWeight(const ExprPtr &e) {
  if (isPairProduct(*e))
    return splitProduct(e);
  if (!hasPairProduct(*e))
    return fail("is not a product of queries and keys", "a score with u @ v",
                *e);
  if (e->isApply(Op::Neg))
    return splitWeight(e->operands[0]);
  bool left = hasPairProduct(*e->operands[0]);
  if (e->isApply(Op::Mul) && !(left && hasPairProduct(*e->operands[1])))
    return splitWeight(e->operands[left ? 0 : 1]) &&
           add(e->operands[left ? 1 : 0], false);
  if (e->isApply(Op::Div) && !hasPairProduct(*e->operands[1]))
    return splitWeight(e->operands[0]) && add(e->operands[1], true);
  if (e->isApply(Op::Select))
    return splitChoice(*e);
  return fail("is not linear in the product of queries and keys",
              "the product times query-side factors, key-side factors "
              "and decays",
              *e);
}

/// Sums must be of the very weights whose keys the state holds.
bool StateFinder::checkSums() {
  ExprPtr own = keys();
  std::vector<ExprPtr> list = sums; // those of sums are found on the way
  for (const ExprPtr &sum : list) {
    StateFinder inner(spec, problem);
    if (!inner.splitMask(spec.mask) || !inner.splitWeight(sum->operands[0]) ||
        !inner.checkSums())
      return false;
    ExprPtr ownAllowed = allowed(), theirs = inner.allowed();
    bool same = bool(ownAllowed) == bool(theirs) &&
                (!theirs || sameExpr(*ownAllowed, *theirs)) &&
                sameExpr(*own, *inner.keys());
    if (!same)
      return fail("does not sum the weights", "sums of the weights", *sum);
  }
  return true;
}

bool StateFinder::checkValue() {
  if (!spec.value)
    return true;
  unsigned sides = sidesOf(*spec.value);
  if (sides & OfQuery)
    return fail("is a value that depends on the query",
                "values that depend on the key only", *spec.value);
  return !(sides & OfHead) || failHead(*spec.value);
}

//===----------------------------------------------------------------------===//
// The mask
//===----------------------------------------------------------------------===//

std::optional<Slopes> StateFinder::slopesOf(const Expr &e) const {
  if (!(sidesOf(e) & (OfQuery | OfKey)))
    return Slopes();
  if (e.kind == Expr::Variable)
    return e.variable == Variable::K ? Slopes{0, 1} : Slopes{1, 0};
  bool isSum = e.isApply(Op::Add) || e.isApply(Op::Sub);
  if (!isSum || e.nodes > maxFactors)
    return std::nullopt;
  auto a = slopesOf(*e.operands[0]), b = slopesOf(*e.operands[1]);
  if (!a || !b)
    return std::nullopt;
  int64_t sign = e.isApply(Op::Add) ? 1 : -1;
  return Slopes{a->query + sign * b->query, a->key + sign * b->key};
}

/// k <= q + n and its like: a key that a row may see stays seen.
bool StateFinder::isCausal(const Expr &e) const {
  bool isLess = e.isApply(Op::Le) || e.isApply(Op::Lt);
  if (!isLess && !e.isApply(Op::Ge) && !e.isApply(Op::Gt))
    return false;
  auto low = slopesOf(*e.operands[isLess ? 0 : 1]);
  auto high = slopesOf(*e.operands[isLess ? 1 : 0]);
  return low && high && high->query - low->query == 1 &&
         low->key - high->key == 1;
}

/// `not (k > q)` is k <= q; null for what is no comparison of ints.
static ExprPtr withoutNot(const ExprPtr &e) {
  static constexpr std::pair<Op, Op> opposites[] = {
      {Op::Lt, Op::Ge}, {Op::Ge, Op::Lt}, {Op::Gt, Op::Le}, {Op::Le, Op::Gt}};
  const ExprPtr &inner = e->operands[0];
  for (auto [op, opposite] : opposites)
    if (inner->isApply(op) && inner->operands[0]->type == Type::Int)
      return makeApply(opposite, Type::Bool,
                       {inner->operands[0], inner->operands[1]}, e->range);
  return nullptr;
}

/// Conditions of the query alone say which rows there are, not which keys.
bool StateFinder::splitMask(const ExprPtr &e) {
  if (e->isApply(Op::And))
    return splitMask(e->operands[0]) && splitMask(e->operands[1]);
  if (e->isApply(Op::Not))
    if (ExprPtr comparison = withoutNot(e))
      return splitMask(comparison);
  unsigned sides = sidesOf(*e);
  if (!(sides & OfKey))
    return true;
  if ((sides & OfQuery) && !isCausal(*e))
    return fail("relates keys to queries other than by 'k <= q'",
                "the mask 'k <= q' or 'k < q', and conditions on the "
                "query only or the key only",
                *e);
  if (sides & OfHead)
    return failHead(*e);
  conditions.push_back(e);
  return true;
}

//===----------------------------------------------------------------------===//
// At the last row
//===----------------------------------------------------------------------===//

ExprPtr StateFinder::atLastRow(const ExprPtr &e) const {
  Made made;
  return atLastRow(e, made);
}

ExprPtr StateFinder::atLastRow(const ExprPtr &e, Made &made) const {
  if (ExprPtr known = made.lookup(e.get()))
    return known;
  if (!(sidesOf(*e) & OfQuery))
    return e;
  if (e->kind == Expr::Variable) {
    ExprPtr last =
        makeApply(Op::Sub, Type::Int,
                  {makeSize(QueryLen, e->range), makeInt(1)}, e->range);
    if (e->variable == Variable::I)
      return last;
    return makeApply(Op::Add, Type::Int, {last, spec.offset}, e->range);
  }
  std::vector<ExprPtr> operands;
  for (const ExprPtr &operand : e->operands)
    operands.push_back(atLastRow(operand, made));
  return made[e.get()] =
             e->kind == Expr::Load
                 ? makeLoad(e->index, e->type, std::move(operands), e->range)
                 : makeApply(e->op, e->type, std::move(operands), e->range);
}

/// The vector of features times scalars.
ExprPtr StateFinder::keys() const {
  ExprPtr product;
  auto times = [&](const Factor &factor) {
    ExprPtr value = atLastRow(factor.value);
    if (!product && !factor.inverse) {
      product = value;
      return;
    }
    if (!product)
      product = makeReal(1, value->range);
    bool isVector =
        product->type == Type::Vector || value->type == Type::Vector;
    product = makeApply(factor.inverse ? Op::Div : Op::Mul,
                        isVector ? Type::Vector : Type::Real, {product, value},
                        value->range);
  };
  for (bool vectors : {true, false})
    for (const Factor &factor : factors)
      if ((factor.value->type == Type::Vector) == vectors)
        times(factor);
  return product;
}

/// The conditions that some key may fail.
ExprPtr StateFinder::allowed() const {
  ExprPtr all;
  for (const ExprPtr &condition : conditions) {
    ExprPtr last = atLastRow(condition);
    if (isCausal(*condition)) {
      bool isLess = last->isApply(Op::Le) || last->isApply(Op::Lt);
      bool isStrict = last->isApply(Op::Lt) || last->isApply(Op::Gt);
      Prover prover(spec, Domain{true, false, true, true});
      LinearForm low = prover.linear(last->operands[isLess ? 0 : 1]);
      LinearForm high = prover.linear(last->operands[isLess ? 1 : 0]);
      if (prover.proves(high - low - LinearForm(isStrict ? 1 : 0)))
        continue;
    }
    all = all ? makeApply(Op::And, Type::Bool, {all, last}, last->range) : last;
  }
  return all;
}

std::optional<StateFormula> findState(const AttentionSpec &spec,
                                      StateProblem &problem) {
  if (spec.isSoftmax) {
    problem = {"softmax is not linear in the score",
               "'attention: score' or 'attention: score / sum(score)'",
               {}};
    return std::nullopt;
  }
  StateFinder finder(spec, problem);
  if (!finder.splitMask(spec.mask) || !finder.splitWeight(spec.attention) ||
      !finder.checkValue() || !finder.checkSums())
    return std::nullopt;
  ExprPtr keys = finder.keys();
  if (!keys || keys->type != Type::Vector) {
    problem = {"the score reads no vector of the key",
               "a score with u @ v, where u depends on the query and v "
               "on the key",
               spec.score->range};
    return std::nullopt;
  }
  return StateFormula{keys, finder.allowed(), finder.hasSum()};
}

} // namespace attnc::spec
