//===- RunCheck.cpp - Compares outputs with the reference -----------------===//
//
// By the rule of Reference/Compare.h.
//
// Where formulas differ much from row to row in how they take up roundings, one
// row has the largest error of both evaluations, and how large it is there is
// chance: of two errors of one size one is more than twice the other in three
// of ten cases. So a place over the limit is compared with the errors that
// plain evaluation has at that very place when it sums in other orders. It is
// excused by itself: the limit elsewhere, and in other draws, stays.
//
// A row of which the mask allows no key is exactly 0, without any limit.
//
//===----------------------------------------------------------------------===//

#include "Run/RunCase.h"

#include "attnc/Reference/SpecCall.h"

#include <cmath>

namespace attnc {

using reference::compare, reference::difference, reference::isCompared,
    reference::largestError, reference::mostByChance, reference::OutputError;

namespace {

/// Above this many scores the unfused graph would need too much memory; the
/// fused function is interpreted row by row.
constexpr int64_t maxGraphScores = int64_t(1) << 22;

/// The places of an output where a kernel is further off than the limit.
class Suspects {
public:
  Suspects(const OutputCheck &check, const reference::Tensor &got,
           const reference::Tensor &plain, const reference::Tensor &wanted);
  /// Whether there are some, none of them so far off that it is no chance.
  bool mayBeChance() const { return isClose && !places.empty(); }
  bool isExcused(size_t place) const {
    return mayBeChance() && llvm::any_of(places, [&](const Place &some) {
             return some.place == place && isExplained(some);
           });
  }
  /// Takes plain evaluation in another order into account.
  void consider(const reference::Tensor &plain);
  /// Whether plain evaluation explains all of them.
  bool areExplained() const {
    return countExplained() == static_cast<int64_t>(places.size());
  }
  int64_t countExplained() const {
    return llvm::count_if(
        places, [&](const Place &place) { return isExplained(place); });
  }

private:
  struct Place {
    size_t place;
    double error, plain;
  };
  bool isExplained(const Place &place) const {
    return place.error <= 2 * place.plain + allowance;
  }
  const reference::Tensor &wanted;
  double allowance;
  std::vector<Place> places;
  bool isClose = true;
};

} // namespace

Suspects::Suspects(const OutputCheck &check, const reference::Tensor &got,
                   const reference::Tensor &plain,
                   const reference::Tensor &wanted)
    : wanted(wanted), allowance(check.ulps * check.ulp) {
  for (size_t i = 0; i < wanted.real.size(); ++i) {
    double error = difference(got.real[i], wanted.real[i]);
    if (error <= check.limit() ||
        !isCompared(plain.real[i], wanted.real[i], got.element))
      continue;
    isClose &= error <= mostByChance * check.limit();
    places.push_back({i, error, 0});
  }
}

void Suspects::consider(const reference::Tensor &plain) {
  for (Place &place : places) {
    double error =
        std::fabs(plain.real[place.place] - wanted.real[place.place]);
    if (std::isfinite(error))
      place.plain = std::max(place.plain, error);
  }
}

/// The values of ragged rows before the first sequence and behind the last.
int64_t RunCase::countNobodys(const InterfaceTensor &declared,
                              const reference::Tensor &values) const {
  if (declared.rows != RowLayout::Ragged || values.shape[0] == 0)
    return 0;
  const std::vector<int64_t> &start =
      inputs[*function.tensorIndex(declared.rowTable)].integer;
  int64_t rows = values.shape[0];
  int64_t owned = std::clamp<int64_t>(start.back() - start.front(), 0, rows);
  return (rows - owned) * (values.size() / rows);
}

bool RunCase::isSmall() const { return scores() <= double(maxGraphScores); }

mlir::FailureOr<std::vector<reference::Tensor>>
RunCase::evaluateExactly(const ReferenceFunctions &functions,
                         llvm::ArrayRef<reference::Tensor> given) const {
  if (functions.spec && isSmall())
    return reference::evaluateCall(*functions.spec, function, given,
                                   namedSizes(), context);
  return evaluate(isSmall() ? functions.graph : functions.fused, given,
                  hasDoubles() ? reference::Precision::Extended
                               : reference::Precision::Exact);
}

/// The output whose graph is furthest over its limit.
mlir::FailureOr<reference::GraphCheck>
RunCase::checkGraph(const ReferenceFunctions &functions,
                    llvm::ArrayRef<reference::Tensor> plain,
                    llvm::ArrayRef<reference::Tensor> wanted) const {
  auto graph = evaluate(functions.graph, inputs,
                        hasDoubles() ? reference::Precision::Extended
                                     : reference::Precision::Exact);
  if (mlir::failed(graph))
    return mlir::failure();
  reference::GraphCheck worst;
  bool isInteger = options.init != RunOptions::Init::Normal;
  for (auto [i, index] : llvm::enumerate(function.results())) {
    reference::GraphCheck check = reference::compareGraph(
        function.tensors[index], (*graph)[i], plain[i], wanted[i], isInteger);
    if (check.differs() &&
        !(check.error - check.limit <= worst.error - worst.limit))
      worst = check;
  }
  return worst;
}

mlir::LogicalResult RunCase::interpret(const ReferenceFunctions &reference) {
  auto values = evaluateExactly(reference, inputs);
  if (failed(values))
    return mlir::failure();
  // What a file of the output's type holds.
  for (auto [output, result] : llvm::zip_equal(results, *values)) {
    output.integer = result.integer;
    for (auto [value, exact] : llvm::zip_equal(output.real, result.real))
      value = reference::roundToType(exact, output.element);
  }
  return mlir::success();
}

mlir::FailureOr<CheckResult> RunCase::check(const ReferenceFunctions &functions,
                                            bool comparesGraph) {
  const Oracle &oracle = isSmall() ? functions.graph : functions.fused;
  auto exact = evaluateExactly(functions, inputs);
  auto plain = evaluate(oracle, inputs, reference::Precision::Rounded);
  if (failed(exact) || failed(plain))
    return mlir::failure();
  CheckResult result;
  bool isInteger = options.init != RunOptions::Init::Normal;
  for (auto [i, index] : llvm::enumerate(function.results())) {
    const InterfaceTensor &declared = function.tensors[index];
    OutputCheck check =
        compare(declared, results[i], (*plain)[i], (*exact)[i], isInteger);
    // NaN before and after, as was compared.
    check.nobodys = countNobodys(declared, (*exact)[i]);
    check.values -= check.nobodys;
    check.notNumbers -= check.nobodys;
    result.outputs.push_back(std::move(check));
  }
  if (!isInteger && mlir::failed(tryOrders(oracle, *plain, *exact, result)))
    return mlir::failure();
  if (comparesGraph && functions.spec && isSmall()) {
    auto graph = checkGraph(functions, *plain, *exact);
    if (mlir::failed(graph))
      return mlir::failure();
    result.graph = *graph;
  }
  if (mlir::failed(checkEmptyRows(functions, *plain, *exact, result)))
    return mlir::failure();
  checkKeptRows(*exact, result);
  if (!isInteger || !result.isWrong() || &oracle != &functions.graph)
    return result;
  auto given = inputsFor(oracle, inputs, reference::Precision::Rounded);
  if (mlir::failed(given) ||
      mlir::failed(reference::findRounding(oracle.function, *given,
                                           namedSizes(), result)))
    return mlir::failure();
  return result;
}

mlir::LogicalResult RunCase::tryOrders(const Oracle &oracle,
                                       llvm::ArrayRef<reference::Tensor> plain,
                                       llvm::ArrayRef<reference::Tensor> exact,
                                       CheckResult &result) const {
  constexpr unsigned maxOrders = 16;
  std::vector<Suspects> suspects;
  for (auto [i, check] : llvm::enumerate(result.outputs))
    suspects.emplace_back(check, results[i], plain[i], exact[i]);
  auto remain = [](const Suspects &some) {
    return some.mayBeChance() && !some.areExplained();
  };
  for (unsigned order = 1; order <= maxOrders && llvm::any_of(suspects, remain);
       ++order) {
    auto other = evaluate(oracle, inputs, reference::Precision::Rounded, order);
    if (mlir::failed(other))
      return mlir::failure();
    for (auto [some, tensor] : llvm::zip_equal(suspects, *other))
      some.consider(tensor);
  }
  for (auto [i, some] : llvm::enumerate(suspects)) {
    if (!some.mayBeChance())
      continue;
    OutputCheck &check = result.outputs[i];
    check.excused = some.countExplained();
    OutputError error =
        largestError(results[i], plain[i], exact[i], /*rounds=*/false,
                     [&](size_t place) { return some.isExcused(place); });
    check.error = error.error;
    check.place = placeText(function.tensors[function.results()[i]].name,
                            exact[i].shape, error.place);
  }
  return mlir::success();
}

} // namespace attnc
