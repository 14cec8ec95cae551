//===- KernelMatch.cpp - Match attention in a graph -----------------------===//
//
// The search starts at the product with the values and goes up. Which axis is
// the batch and which the query is not a matter of names or order, but of which
// tensors have it:
//
//   in Q, K, V, output            batch, KV head   b h
//   in Q, output                  group, query     g q
//   in Q, output, some of K, V    group            g
//   in K, V; normalised over      key              k
//   in Q, K; summed               feature          d
//   in V, output                  value feature    e
//
// Inside a class the order of the scores decides.
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelMatch.h"

#include "Kernel/KeyOperand.h"
#include "Scale/RealConstant.h"

#include "attnc/Dialect/Attn/MapFormula.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

namespace {
/// Replaces letters of one op by those of another.
class Renaming {
public:
  void add(StringRef from, StringRef to) {
    for (auto [a, b] : llvm::zip(from, to))
      pairs.push_back({a, b});
  }
  /// '?' for a letter without a partner.
  std::string operator()(StringRef letters) const {
    std::string renamed;
    for (char letter : letters) {
      const auto *pair = llvm::find_if(
          pairs, [&](const auto &pair) { return pair.first == letter; });
      renamed += pair == pairs.end() ? '?' : pair->second;
    }
    return renamed;
  }

private:
  SmallVector<std::pair<char, char>, 8> pairs;
};

class Matcher {
public:
  Matcher(attn::ContractOp value, Refusal &refusal, KernelMatch &match)
      : refusal(refusal), match(match) {
    match.value = value;
  }
  LogicalResult run();

private:
  LogicalResult findWeights();
  FailureOr<bool> findProduct(LetteredTensor scores);
  char queryAxis();
  FailureOr<bool> takeProduct(attn::ContractOp product, StringRef letters);
  LogicalResult findProducts();
  LogicalResult findValues();
  void splitProducts();
  LogicalResult verifyAxes();
  void moveGroup(std::string &shared, std::string &own);
  void shareAxes(std::string &shared, std::string &own);
  LogicalResult assignLetters();
  LogicalResult verifyMask();
  LogicalResult verifyUses();
  LogicalResult verifyTypes();
  LogicalResult refuse(Operation *op, const Twine &reason) {
    refusal = {op, reason.str()};
    return failure();
  }

  Refusal &refusal;
  KernelMatch &match;
  // In the letters of the normaliser; e as kE, which is no letter of it.
  static constexpr char kE = '2';
  // Products and the letters of their results.
  SmallVector<std::pair<attn::ContractOp, std::string>, 2> found;
  SmallVector<Operation *> path; // ops between products, normaliser and value
  llvm::SmallPtrSet<Operation *, 8> seen;
  Renaming valueToNorm;
};
} // namespace

static bool contains(StringRef letters, char letter) {
  return letters.contains(letter);
}

/// Whether `value` is `x` times and divided by what does not depend on it,
/// maybe but for a score of -inf, which has a weight of 0 anyway.
static bool isLinear(Value value, Value x) {
  auto depends = [&](Value operand, auto &depends) -> bool {
    Operation *op = operand.getDefiningOp();
    return operand == x || (op && op->getBlock() == x.getParentBlock() &&
                            llvm::any_of(op->getOperands(), [&](Value inner) {
                              return depends(inner, depends);
                            }));
  };
  if (value == x)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != x.getParentBlock())
    return false;
  if (isa<arith::NegFOp>(op))
    return isLinear(op->getOperand(0), x);
  if (isa<arith::DivFOp>(op))
    return isLinear(op->getOperand(0), x) &&
           !depends(op->getOperand(1), depends);
  if (isa<arith::MulFOp>(op))
    for (unsigned i : {0, 1})
      if (!depends(op->getOperand(1 - i), depends))
        return isLinear(op->getOperand(i), x);
  auto choice = dyn_cast<arith::SelectOp>(op);
  auto compare = choice ? choice.getCondition().getDefiningOp<arith::CmpFOp>()
                        : arith::CmpFOp();
  return compare && compare.getPredicate() == arith::CmpFPredicate::OEQ &&
         realConstant(compare.getRhs()) == -HUGE_VAL &&
         !depends(compare, depends) &&
         realConstant(choice.getTrueValue()) == 0 &&
         isLinear(choice.getFalseValue(), x);
}

/// Of the map `weights` the input that it is linear in, with the same letters.
std::optional<LetteredTensor>
attnc::fusion::findGatedWeights(const LetteredTensor &weights) {
  auto map = weights.tensor.getDefiningOp<attn::MapOp>();
  if (!map || !isa<FloatType>(getElementTypeOrSelf(map.getType())))
    return std::nullopt;
  Block &body = map.getBody().front();
  Value made = body.getTerminator()->getOperand(0);
  for (auto [i, input] : llvm::enumerate(map.getInputs())) {
    if (!isLinear(made, body.getArgument(i)))
      continue;
    LetteredTensor inner =
        skipPermutations({input, lettersOfInput(map, weights.letters, i)});
    if (auto norm = inner.tensor.getDefiningOp<attn::NormalizeOp>();
        norm && inner.tensor == norm.getWeights())
      return inner;
    if (std::optional<LetteredTensor> deeper = findGatedWeights(inner))
      return deeper;
  }
  return std::nullopt;
}

// The normaliser behind one operand of the product with the values, maybe under
// a map that multiplies its weights.
LogicalResult Matcher::findWeights() {
  attn::Labels labels = match.value.getAxisLabels();
  Value operands[] = {match.value.getLhs(), match.value.getRhs()};
  for (unsigned i : {0, 1}) {
    LetteredTensor outer =
        skipPermutations({operands[i], labels.inputs[i].str()});
    LetteredTensor weights = findGatedWeights(outer).value_or(outer);
    auto norm = weights.tensor.getDefiningOp<attn::NormalizeOp>();
    if (!norm || weights.tensor != norm.getWeights())
      continue;
    match.norm = norm;
    for (Value v = operands[i]; v != outer.tensor;
         v = v.getDefiningOp<attn::ViewOp>().getSource())
      path.push_back(v.getDefiningOp());
    path.push_back(norm);
    valueToNorm.add(weights.letters, norm.getLabels());
    if (outer.tensor != weights.tensor)
      match.gate = {outer.tensor, valueToNorm(outer.letters)};
    match.v = {operands[1 - i], labels.inputs[1 - i].str()};
    return success();
  }
  return refuse(match.value, "no operand is the weights of an attn.normalize");
}

// Of v the row of the key, and the letters that its result brings.
LogicalResult Matcher::findValues() {
  auto toNorm = [&](StringRef letters) {
    std::string renamed = valueToNorm(letters);
    std::replace(renamed.begin(), renamed.end(), '?', kE);
    return renamed;
  };
  match.v.letters = toNorm(match.v.letters);
  match.outLetters = toNorm(match.value.getAxisLabels().output);
  char key = match.norm.getOver().front();
  if (contains(match.outLetters, key) || !contains(match.v.letters, key))
    return refuse(
        match.value,
        "the product with the values does not sum over the normalized axis");
  match.v = findKeyRow(match.v, key, kE, std::nullopt, match.contribution);
  return success();
}

/// The axis of the scores that tells the queries of a head apart: of those that
/// the values lack the last, as attn-fuse-rows has it. Group and heads are the
/// others.
char Matcher::queryAxis() {
  char query = 0;
  for (char letter : match.norm.getLabels())
    if (letter != match.norm.getOver().front() &&
        !contains(match.v.letters, letter))
      query = letter;
  return query;
}

// A product of rows of the query with rows of the key. Others are tensors that
// the score reads: a number for each query head and key, A[h] @ K, is computed
// once for all queries.
FailureOr<bool> Matcher::takeProduct(attn::ContractOp product,
                                     StringRef letters) {
  char query = queryAxis();
  if (!contains(letters, match.norm.getOver().front()) || !query ||
      !contains(letters, query))
    return false;
  for (auto &[op, known] : found) {
    if (op == product && known != letters)
      return refuse(product, "the score uses one product twice");
    if (op == product)
      return true;
  }
  found.emplace_back(product, letters);
  return true;
}

// The products that the scores are computed from. Maps on the way to them are
// parts of the kernel; a map that is not is a formula, which Scalarizer clones.
// True if `scores` comes from a product.
FailureOr<bool> Matcher::findProduct(LetteredTensor scores) {
  scores = skipPermutations(scores);
  Operation *op = scores.tensor.getDefiningOp();
  if (auto product = dyn_cast_if_present<attn::ContractOp>(op))
    return takeProduct(product, scores.letters);
  auto map = dyn_cast_if_present<attn::MapOp>(op);
  if (!map || !seen.insert(op).second)
    return llvm::is_contained(path, op);
  attn::Labels labels = map.getAxisLabels();
  Renaming toNorm;
  toNorm.add(labels.output, scores.letters);
  bool isOnTheWay = false;
  for (auto [input, letters] : llvm::zip(map.getInputs(), labels.inputs)) {
    FailureOr<bool> leads = findProduct({input, toNorm(letters)});
    if (failed(leads))
      return failure();
    isOnTheWay |= *leads;
  }
  if (isOnTheWay)
    path.push_back(op);
  return isOnTheWay;
}

// Those of the scores, of the mask, and of the gate.
LogicalResult Matcher::findProducts() {
  std::string letters = match.norm.getLabels().str();
  if (failed(findProduct({match.norm.getScores(), letters})) ||
      (match.norm.getMask() &&
       failed(findProduct({match.norm.getMask(), letters}))))
    return failure();
  if (!match.gate.tensor)
    return success();
  // The weights are on the way, where the search ends.
  FailureOr<bool> leads = findProduct(match.gate);
  if (succeeded(leads) && !*leads)
    path.push_back(match.gate.tensor.getDefiningOp());
  return leads;
}

void Matcher::splitProducts() {
  for (auto &[op, letters] : found) {
    Refusal reason;
    FailureOr<PairProduct> product =
        splitProduct(op, letters, match.norm.getOver().front(),
                     StringRef(match.v.letters), reason);
    if (succeeded(product))
      match.products.push_back(*product);
    else
      match.stored.push_back(reason);
  }
  orderProducts(match.products);
}

LogicalResult Matcher::verifyAxes() {
  char key = match.norm.getOver().front();
  if (llvm::count(match.v.letters, kE) != 1 ||
      llvm::count(match.outLetters, kE) != 1)
    return refuse(match.value,
                  "the values do not have exactly one axis of their own");
  for (char letter : match.norm.getLabels()) {
    if (letter == key)
      continue;
    if (!contains(match.outLetters, letter))
      return refuse(match.value, "the product with the values sums over a "
                                 "second axis of the weights");
  }
  return success();
}

/// Of three axes the group: the last that some keys or values lack, or the
/// last.
void Matcher::moveGroup(std::string &shared, std::string &own) {
  size_t group = 2;
  for (size_t i : {0, 1, 2}) {
    bool isEverywhere = contains(match.v.letters, shared[i]);
    for (const PairProduct &product : match.products)
      for (const PairRows &row : product.rows)
        isEverywhere &= contains(row.k.letters, shared[i]);
    if (!isEverywhere)
      group = i;
  }
  own.insert(own.begin(), shared[group]);
  shared.erase(group, 1);
}

// Two axes are of keys, two of queries only, of which the keys may have one,
// the group. What is too many on the queries' side, one of size 1 first, stands
// on the keys', which are repeated along it.
void Matcher::shareAxes(std::string &shared, std::string &own) {
  StringRef letters = match.norm.getLabels();
  auto isSingle = [&](char letter) {
    unsigned axis = *attn::axisOf(letters, letter);
    return match.norm.getScores().getType().getDimSize(axis) == 1;
  };
  while (own.size() > 2 && shared.size() < 2) {
    auto single = llvm::find_if(own, isSingle);
    auto moved = single == own.end() ? own.begin() : single;
    shared += *moved;
    own.erase(moved);
    llvm::sort(shared, [&](char a, char b) {
      return letters.find(a) < letters.find(b);
    });
  }
  // Keys that differ from query head to query head share three.
  if (shared.size() == 3 && own.size() < 2)
    moveGroup(shared, own);
}

LogicalResult Matcher::assignLetters() {
  std::string shared, own, ofKeys = match.v.letters;
  char key = match.norm.getOver().front();
  for (const PairProduct &product : match.products)
    for (const PairRows &row : product.rows)
      ofKeys += row.k.letters;
  for (char letter : match.norm.getLabels())
    if (letter != key)
      (contains(ofKeys, letter) ? shared : own) += letter;
  shareAxes(shared, own);
  if (shared.size() > 2)
    return refuse(match.score(), "there are more than three axes that queries, "
                                 "keys and values share");
  if (own.size() > 2)
    return refuse(match.score(),
                  "there are more than two axes that only the queries have");
  if (shared.empty() && own.empty())
    return refuse(match.norm, "there is one row only");
  Renaming toKernel;
  toKernel.add(shared, "bh");
  toKernel.add(own, own.size() == 1 ? "q" : "gq");
  toKernel.add({&key, 1}, "k");
  toKernel.add({&kE, 1}, "e");
  for (LetteredTensor *tensor : {&match.v, &match.contribution, &match.gate})
    tensor->letters = toKernel(tensor->letters);
  for (auto [i, product] : llvm::enumerate(match.products)) {
    Renaming features = toKernel;
    features.add({&kFeature, 1}, i == 0 ? "d" : "f");
    for (LetteredTensor *tensor : product.tensors())
      tensor->letters = features(tensor->letters);
  }
  match.outLetters = toKernel(match.outLetters);
  match.normLetters = toKernel(match.norm.getLabels());
  return success();
}

// With 0 * NaN in mind, the product must leave out the very places that the
// weights leave out.
LogicalResult Matcher::verifyMask() {
  Value weightsMask = match.norm.getMask(), valueMask = match.value.getMask();
  if (!weightsMask && !valueMask)
    return success();
  if (!weightsMask || !valueMask)
    return refuse(match.value, "only one of the weights and the product with "
                               "the values has a mask");
  LetteredTensor first =
      skipPermutations({weightsMask, match.norm.getLabels().str()});
  LetteredTensor second =
      skipPermutations({valueMask, valueToNorm(*match.value.getMaskLabels())});
  if (first.tensor != second.tensor || first.letters != second.letters)
    return refuse(match.value, "the weights and the product with the values "
                               "have different masks");
  return success();
}

/// Whether all that `user` makes of `value`, which is weights or scores, are
/// weights and masks of products with values.
static bool leadsToValues(Operation *user, Value value, bool isOfWeights) {
  if (auto product = dyn_cast<attn::ContractOp>(user))
    return isOfWeights || product.getMask() == value;
  if (!isa<attn::NormalizeOp, attn::MapOp, attn::ViewOp>(user))
    return false;
  Value made = user->getResult(0);
  isOfWeights |= isa<attn::NormalizeOp>(user);
  if (auto map = dyn_cast<attn::MapOp>(user))
    isOfWeights |=
        findGatedWeights({made, map.getAxisLabels().output.str()}).has_value();
  return llvm::all_of(made.getUsers(), [&](Operation *next) {
    return leadsToValues(next, made, isOfWeights);
  });
}

LogicalResult Matcher::verifyUses() {
  for (const PairProduct &product : match.products)
    path.push_back(product.op);
  bool isShared = false;
  for (Operation *op : path) {
    // A formula may use what it is made of twice; lse may have any use.
    Value result = op->getResult(0);
    bool isOfWeights = match.norm == op || !op->isBeforeInBlock(match.norm);
    if (result.hasOneUse())
      continue;
    for (Operation *user : result.getUsers()) {
      if (user == match.value || llvm::is_contained(path, user))
        continue;
      if (!leadsToValues(user, result, isOfWeights))
        return refuse(op, "its result has a second use");
      isShared = true;
    }
  }
  if (isShared)
    match.shared.insert(path.begin(), path.end());
  return success();
}

// Scores, softmax and kernel compute in one type. (The product with the values
// may gain precision: it accumulates in the kernel's.)
LogicalResult Matcher::verifyTypes() {
  SmallVector<Type> types{match.v.tensor.getType(), match.value.getType()};
  for (PairProduct &product : match.products) {
    llvm::append_range(types, product.rowTypes());
    types.push_back(product.op.getType());
  }
  for (Type type : types)
    for (unsigned axis : llvm::seq(cast<RankedTensorType>(type).getRank()))
      if (!attn::axisSize(type, axis))
        return refuse(match.score(), "an axis has no name in #attn.dims");
  types.push_back(match.norm.getLse().getType());
  Type real = attn::accumulateType(types);
  for (PairProduct &product : match.products) {
    SmallVector<Type> own = product.rowTypes();
    own.push_back(product.op.getType());
    if (attn::accumulateType(own) != real)
      return refuse(product.op,
                    "it accumulates in another type than the kernel");
  }
  if (match.norm.getAccumulateType() != real)
    return refuse(match.norm, "it computes in another type than the kernel");
  if (match.gate.tensor &&
      getElementTypeOrSelf(match.gate.tensor.getType()) != real)
    return refuse(match.gate.tensor.getDefiningOp(),
                  "it is rounded before it multiplies the values");
  return success();
}

LogicalResult Matcher::run() {
  if (failed(findWeights()) || failed(findValues()) || failed(findProducts()))
    return failure();
  splitProducts();
  if (failed(verifyAxes()) || failed(verifyMask()) || failed(assignLetters()))
    return failure();
  return failure(failed(verifyUses()) || failed(verifyTypes()));
}

FailureOr<KernelMatch> attnc::fusion::matchKernel(attn::ContractOp value,
                                                  Refusal &refusal,
                                                  KernelMatch &partial) {
  if (failed(Matcher(value, refusal, partial).run()))
    return failure();
  return partial;
}
