//===- NormalizeRow.cpp - What is computed of the scores of a row ---------===//

#include "Attn/NormalizeRow.h"

#include "Attn/SumOrder.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;

namespace attnc::reference {

template <typename Real>
static Real minusInfinity = -std::numeric_limits<Real>::infinity();

template <typename Real> static Real largest(ArrayRef<Real> scores, Real max) {
  for (Real score : scores) // a NaN does not enter
    max = score > max ? score : max;
  return max;
}

template <typename Real>
RowWeights<Real> normalizeRow(attn::NormAttr norm, ArrayRef<Real> scores,
                              std::optional<Real> init, Type accumulate,
                              Arithmetic arithmetic) {
  auto round = [&](Real value) {
    return arithmetic.round<Real>(value, accumulate);
  };
  bool isBase2 = norm.getWeight() == attn::NormWeight::Exp2;
  RowWeights<Real> row;
  Real shift = 0;
  if (norm.isSoftmax()) {
    row.max = largest(scores, init.value_or(minusInfinity<Real>));
    // Nothing but -inf so far: subtracting it would give NaN for weight 0.
    shift = row.max == minusInfinity<Real> ? 0 : row.max;
  }
  auto weigh = [&](Real score) {
    if (norm.getWeight() == attn::NormWeight::Identity)
      return score;
    Real shifted = round(score - shift);
    return round(isBase2 ? std::exp2(shifted) : std::exp(shifted));
  };
  Real sum = init ? weigh(*init) : 0;
  for (Real score : scores)
    row.weights.push_back(weigh(score));
  for (size_t place : sumOrder(scores.size(), arithmetic.order))
    sum = round(sum + row.weights[place]);
  row.sum = sum;
  if (norm.getDivide() == attn::NormDivide::Sum)
    for (Real &weight : row.weights)
      weight = sum == 0 ? 0 : round(weight / sum);
  if (!norm.isSoftmax()) {
    row.lse = sum;
    return row;
  }
  Real log = round(isBase2 ? std::log2(sum) : std::log(sum));
  row.lse = round(shift + log);
  if (isBase2)
    row.lse = round(row.lse * std::log(Real(2)));
  if (sum == 0)
    row.lse = minusInfinity<Real>;
  return row;
}
template RowWeights<double> normalizeRow(attn::NormAttr, ArrayRef<double>,
                                         std::optional<double>, Type,
                                         Arithmetic);
template RowWeights<long double> normalizeRow(attn::NormAttr,
                                              ArrayRef<long double>,
                                              std::optional<long double>, Type,
                                              Arithmetic);

/// Places of scores by falling score: a NaN first, the lower key among equals.
template <typename Real>
static std::vector<size_t> falling(ArrayRef<Real> scores) {
  std::vector<size_t> places(scores.size());
  std::iota(places.begin(), places.end(), 0);
  llvm::sort(places, [&](size_t a, size_t b) {
    bool isNan = std::isnan(scores[a]), isOther = std::isnan(scores[b]);
    if (isNan != isOther)
      return isNan;
    if (isNan || scores[a] == scores[b])
      return a < b;
    return scores[a] > scores[b];
  });
  return places;
}

/// Of the scores in falling order, those above the threshold are the longest
/// beginning whose last score s has 1 + n s > sum (Martins and Astudillo, From
/// Softmax to Sparsemax, 2016).
template <typename Real>
static Real simplexThreshold(ArrayRef<Real> scores,
                             llvm::function_ref<Real(Real)> round) {
  for (Real score : scores)
    if (std::isnan(score) || score == -minusInfinity<Real>) // +inf - +inf
      return std::numeric_limits<Real>::quiet_NaN();
  Real sum = 0, threshold = 0;
  for (auto [i, place] : llvm::enumerate(falling(scores))) {
    Real score = scores[place], count = static_cast<Real>(i + 1);
    if (score == minusInfinity<Real>)
      break;
    sum = round(sum + score);
    // The same as 1 + n s > sum, where sums of large scores round.
    Real next = round(round(sum - 1) / count);
    if (score <= next)
      break;
    threshold = next;
  }
  return threshold;
}

template <typename Real>
RowNumber<Real> reduceRow(attn::RowAttr row, ArrayRef<Real> scores,
                          Type accumulate, Arithmetic arithmetic) {
  auto round = [&](Real value) {
    return arithmetic.round<Real>(value, accumulate);
  };
  switch (row.getKind()) {
  case attn::RowKind::Sum: {
    Real sum = 0;
    for (size_t place : sumOrder(scores.size(), arithmetic.order))
      sum = round(sum + scores[place]);
    return {sum, 0};
  }
  case attn::RowKind::Max:
    return {largest(scores, minusInfinity<Real>), 0};
  case attn::RowKind::Simplex:
    return {simplexThreshold<Real>(scores, round), 0};
  case attn::RowKind::Rank: {
    size_t n = row.getN();
    if (scores.size() < n)
      return {minusInfinity<Real>, scores.size()};
    std::vector<Real> compared(scores);
    for (Real &score : compared)
      score = arithmetic.compared<Real>(score, accumulate);
    size_t place = falling<Real>(compared)[n - 1];
    return {compared[place], place};
  }
  }
  llvm_unreachable("a RowKind without a meaning");
}
template RowNumber<double> reduceRow(attn::RowAttr, ArrayRef<double>, Type,
                                     Arithmetic);
template RowNumber<long double> reduceRow(attn::RowAttr, ArrayRef<long double>,
                                          Type, Arithmetic);

} // namespace attnc::reference
