//===- KernelMatch.cpp - Finds attention in a graph -----------------------===//
//
// The search starts at the product with the values and goes up. Which axis is
// the batch and which the query is not a matter of names or order, but of which
// tensors have it:
//
//   in Q, K, V, output            batch, KV head   b h
//   in Q, output                  group, query     g q
//   in K, V; normalised over      key              k
//   in Q, K; summed               feature          d
//   in V, output                  value feature    e
//
// Inside a class the order of the scores decides.
//
//===----------------------------------------------------------------------===//

#include "KernelMatch.h"

#include "KeyOperand.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"

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
  FailureOr<bool> takeProduct(attn::ContractOp product, StringRef letters);
  LogicalResult findValues();
  LogicalResult findOperands();
  LogicalResult verifyAxes();
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
  // In the letters of the normaliser; d and e as kD and kE, which are no
  // letters of it.
  static constexpr char kD = '1', kE = '2';
  std::string scoreLetters;      // of the product's result
  SmallVector<Operation *> path; // ops between product, normaliser and value
  llvm::SmallPtrSet<Operation *, 8> seen;
  Renaming valueToNorm;
};
} // namespace

static bool contains(StringRef letters, char letter) {
  return letters.contains(letter);
}

// The normaliser behind one operand of the product with the values.
LogicalResult Matcher::findWeights() {
  attn::Labels labels = match.value.getAxisLabels();
  Value operands[] = {match.value.getLhs(), match.value.getRhs()};
  for (unsigned i : {0, 1}) {
    LetteredTensor weights =
        skipPermutations({operands[i], labels.inputs[i].str()});
    auto norm = weights.tensor.getDefiningOp<attn::NormalizeOp>();
    if (!norm || weights.tensor != norm.getWeights())
      continue;
    match.norm = norm;
    for (Value v = operands[i]; v != norm.getWeights();
         v = v.getDefiningOp<attn::ViewOp>().getSource())
      path.push_back(v.getDefiningOp());
    path.push_back(norm);
    valueToNorm.add(weights.letters, norm.getLabels());
    match.v = {operands[1 - i], labels.inputs[1 - i].str()};
    return success();
  }
  return refuse(match.value, "no operand of it is weights of attn.normalize");
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
    return refuse(match.value, "the product with the values does not sum over "
                               "the axis that is normalised over");
  match.v = findKeyRow(match.v, key, kE, std::nullopt, match.contribution);
  return success();
}

// A product of rows of the query with rows of the key. Of several, one is the
// kernel's own, the others are tensors that its score reads.
FailureOr<bool> Matcher::takeProduct(attn::ContractOp product,
                                     StringRef letters) {
  char key = match.norm.getOver().front();
  bool ofQuery = llvm::any_of(letters, [&](char letter) {
    return letter != key && !contains(match.v.letters, letter);
  });
  if (!contains(letters, key) || !ofQuery)
    return false;
  if (match.score && (match.score != product || scoreLetters != letters))
    return refuse(product, "the score has a second product");
  match.score = product;
  scoreLetters = letters;
  return true;
}

// The one product that the scores are computed from. Maps on the way to it are
// parts of the kernel; a map that is not is a formula, which Scalarizer clones.
// True if `scores` comes from the product.
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
  bool found = false;
  for (auto [input, letters] : llvm::zip(map.getInputs(), labels.inputs)) {
    FailureOr<bool> leads = findProduct({input, toNorm(letters)});
    if (failed(leads))
      return failure();
    found |= *leads;
  }
  if (found)
    path.push_back(op);
  return found;
}

LogicalResult Matcher::findOperands() {
  attn::Labels labels = match.score.getAxisLabels();
  if (match.score.getMask())
    return refuse(match.score, "the product has a mask of its own");
  Renaming toNorm;
  toNorm.add(labels.output, scoreLetters);
  auto toLetters = [&](StringRef letters, char summed) {
    std::string renamed = toNorm(letters);
    std::replace(renamed.begin(), renamed.end(), '?', summed);
    return renamed;
  };
  for (char letter : labels.inputs[0])
    if (!contains(labels.output, letter) && !contains(labels.inputs[1], letter))
      return refuse(match.score, "the product sums over an axis that only one "
                                 "operand has");
  LetteredTensor lhs{match.score.getLhs(), toLetters(labels.inputs[0], kD)};
  LetteredTensor rhs{match.score.getRhs(), toLetters(labels.inputs[1], kD)};
  char key = match.norm.getOver().front();
  if (contains(lhs.letters, key) == contains(rhs.letters, key))
    return refuse(match.score, "not exactly one operand of the product has the "
                               "axis that is normalised over");
  const LetteredTensor &keyed = contains(lhs.letters, key) ? lhs : rhs;
  match.other = contains(lhs.letters, key) ? rhs : lhs;
  match.k = findKeyRow(keyed, key, kD, match.v.letters, match.pair);
  match.q = match.other;
  if (match.pair.tensor && match.q.letters.size() == 1) // no row but weights
    match.q = findQueryRow(match.pair, key, kD);
  if (!match.q.tensor)
    return refuse(match.score, "it is a product of no row of the query");
  return success();
}

LogicalResult Matcher::verifyAxes() {
  char key = match.norm.getOver().front();
  for (const LetteredTensor *tensor : {&match.q, &match.k})
    if (llvm::count(tensor->letters, kD) != 1)
      return refuse(match.score, "the product does not sum over one axis of "
                                 "both operands");
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

LogicalResult Matcher::assignLetters() {
  std::string shared, own;
  char key = match.norm.getOver().front();
  for (char letter : match.norm.getLabels())
    if (letter != key)
      (contains(match.k.letters + match.v.letters, letter) ? shared : own) +=
          letter;
  // An axis of size 1 may belong to the keys as well as not: groups of one
  // query head, where all heads share their keys.
  auto isSingle = [&](char letter) {
    unsigned axis = *attn::axisOf(match.norm.getLabels(), letter);
    return match.norm.getScores().getType().getDimSize(axis) == 1;
  };
  if (auto single = llvm::find_if(own, isSingle);
      own.size() > 2 && shared.size() < 2 && single != own.end()) {
    shared += *single;
    own.erase(single - own.begin(), 1);
  }
  if (shared.size() > 2)
    return refuse(match.score,
                  "there are more than two axes that queries, keys "
                  "and values share");
  if (own.size() > 2)
    return refuse(match.score,
                  "there are more than two axes that only the queries have");
  if (shared.empty() && own.empty())
    return refuse(match.norm, "there is one row only");
  Renaming toKernel;
  toKernel.add(shared, "bh");
  toKernel.add(own, own.size() == 1 ? "q" : "gq");
  toKernel.add({&key, 1}, "k");
  toKernel.add({&kD, 1}, "d");
  toKernel.add({&kE, 1}, "e");
  for (LetteredTensor *tensor : {&match.q, &match.k, &match.v, &match.pair,
                                 &match.other, &match.contribution})
    tensor->letters = toKernel(tensor->letters);
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

LogicalResult Matcher::verifyUses() {
  path.push_back(match.score);
  for (Operation *op : path) {
    // A formula may use what it is made of twice; lse may have any use.
    Value result = op->getResult(0);
    bool isInside = llvm::all_of(result.getUsers(), [&](Operation *user) {
      return user == match.value || llvm::is_contained(path, user);
    });
    if (!result.hasOneUse() && !isInside)
      return refuse(op, "its result has a second use");
  }
  return success();
}

// Scores, softmax and kernel compute in one type. (The product with the values
// may gain precision: it accumulates in the kernel's.)
LogicalResult Matcher::verifyTypes() {
  Value tensors[] = {match.q.tensor, match.k.tensor, match.v.tensor,
                     match.value.getResult(), match.score.getResult()};
  for (Value tensor : tensors)
    for (unsigned axis :
         llvm::seq(cast<RankedTensorType>(tensor.getType()).getRank()))
      if (!attn::axisSize(tensor.getType(), axis))
        return refuse(match.score, "an axis has no name in #attn.dims");
  SmallVector<Type> types;
  for (Value tensor : tensors)
    types.push_back(tensor.getType());
  types.push_back(match.norm.getLse().getType());
  Type real = attn::accumulateType(types);
  if (attn::accumulateType({match.q.tensor.getType(), match.k.tensor.getType(),
                            match.score.getType()}) != real)
    return refuse(match.score,
                  "it accumulates in another type than the kernel");
  if (match.norm.getAccumulateType() != real)
    return refuse(match.norm, "it computes in another type than the kernel");
  return success();
}

LogicalResult Matcher::run() {
  if (failed(findWeights()) || failed(findValues()) ||
      failed(
          findProduct({match.norm.getScores(), match.norm.getLabels().str()})))
    return failure();
  if (!match.score)
    return refuse(match.norm, "its scores come from no product");
  if (failed(findOperands()) || failed(verifyAxes()) || failed(verifyMask()) ||
      failed(assignLetters()))
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
