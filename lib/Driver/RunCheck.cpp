//===- RunCheck.cpp - Compares outputs with the reference -----------------===//
//
// The rule (docs/testing.md): the largest error of an output is at most twice
// that of the plain evaluation in the same types, plus one ulp of the largest
// reference value. Where the plain evaluation of the main output is exact, the
// kernel has to be. Integer inputs are made for that; where a weight is a
// fraction after all (a sink), and for the log-sum-exp, the plain evaluation
// still has exact exponents, while kernels round theirs times log2 e:
// such outputs may be off by 8 ulp. Where one of the two evaluations leaves the
// range of its type and they do not agree on what becomes of it, nothing is
// compared; such places, and NaNs in the reference, are counted and told. So
// the limit is always finite. An output of which less than half was compared
// is not right: nobody knows.
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
// Integers whose scores a type rounds before an exponential are no exact
// inputs: kernels that fold a factor into queries, or multiply in another
// order, round other numbers. What is over the limit then is told so, and is
// not right.
//
//===----------------------------------------------------------------------===//

#include "RunCase.h"

#include "attnc/Reference/Interpreter.h"

#include <cmath>
#include <limits>
#include <tuple>

namespace attnc {
namespace {

/// Above this many scores the unfused graph would need too much memory; the
/// fused function is interpreted row by row.
constexpr int64_t maxGraphScores = int64_t(1) << 22;

/// Two errors of one size differ by more in one of 200 cases.
constexpr double mostByChance = 64;

/// What a key that is out by 46 or more in the score adds to values of order 1.
constexpr double negligible = 1e-20;

struct OutputError {
  double error = 0;
  int64_t place = -1;
};

/// Whether a kernel can be asked for something at a place: both evaluations are
/// in the range of its type, or agree on the same infinity or on NaN.
bool isCompared(double plain, double wanted, mlir::Type type) {
  if (!std::isfinite(plain) || !std::isfinite(wanted))
    return plain == wanted || (std::isnan(plain) && std::isnan(wanted));
  return std::isfinite(reference::roundToType(wanted, type));
}

/// The difference at a compared place; NaN and infinities have to agree.
double difference(double got, double wanted) {
  if (got == wanted || (std::isnan(got) && std::isnan(wanted)))
    return 0;
  return std::isfinite(got) && std::isfinite(wanted) ? std::fabs(got - wanted)
                                                     : HUGE_VAL;
}

/// The largest difference at compared places.
OutputError largestError(const reference::Tensor &got,
                         const reference::Tensor &plain,
                         const reference::Tensor &wanted, bool rounds,
                         llvm::function_ref<bool(size_t)> isExcused) {
  OutputError worst;
  for (size_t i = 0; i < wanted.real.size(); ++i) {
    double b = wanted.real[i];
    if (!isCompared(plain.real[i], b, got.element) || isExcused(i))
      continue;
    if (rounds)
      b = reference::roundToType(b, got.element);
    double error = difference(got.real[i], b);
    if (rounds && error <= negligible)
      error = 0;
    if (worst.place < 0 || error > worst.error)
      worst = {error, static_cast<int64_t>(i)};
  }
  return worst;
}

bool noPlace(size_t) { return false; }

/// Whether every value is a multiple of 2^-20 in its own type, but for what is
/// negligible. A weight that is not 0 or a power of two gives other fractions,
/// which plain code can only round.
bool isShort(const reference::Tensor &tensor) {
  return llvm::all_of(tensor.real, [&](double value) {
    if (!std::isfinite(value))
      return true;
    double nearest = std::ldexp(std::nearbyint(std::ldexp(value, 20)), -20);
    return std::fabs(nearest - value) <= negligible &&
           reference::roundToType(nearest, tensor.element) == nearest;
  });
}

/// Of the places that are compared.
double largestValue(const reference::Tensor &plain,
                    const reference::Tensor &wanted, mlir::Type type) {
  double largest = 0;
  for (auto [ours, value] : llvm::zip_equal(plain.real, wanted.real))
    if (std::isfinite(value) && isCompared(ours, value, type))
      largest = std::max(largest, std::fabs(value));
  return largest;
}

/// The distance from `value` to the next number of a float type, of which f32
/// has no subnormal ones: kernels may count them as 0.
double ulp(double value, mlir::Type type) {
  auto precision =
      mlir::cast<mlir::FloatType>(type).getFPMantissaWidth(); // with hidden bit
  int exponent = 0;
  std::frexp(value, &exponent);
  double distance = std::ldexp(1.0, exponent - static_cast<int>(precision));
  double least = type.isF32() ? std::numeric_limits<float>::min() : 0;
  return std::max(distance, least);
}

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

std::string placeText(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                      int64_t offset) {
  std::string text;
  for (size_t axis = shape.size(); axis-- > 0;) {
    text = std::to_string(offset % shape[axis]) + (text.empty() ? "" : ", ") +
           text;
    offset /= shape[axis];
  }
  return (name + "[" + text + "]").str();
}

/// The figures of one output of one draw.
static OutputCheck compare(const InterfaceTensor &declared,
                           const reference::Tensor &got,
                           const reference::Tensor &plain,
                           const reference::Tensor &wanted, bool isInteger) {
  OutputCheck check;
  check.isInPlace = declared.inout;
  OutputError plainError =
      largestError(plain, plain, wanted, /*rounds=*/isInteger, noPlace);
  check.plainError = plainError.error;
  bool isMain = declared.role == TensorRole::Output || declared.inout;
  check.isExact =
      isInteger && isMain && plainError.error == 0 && isShort(wanted);
  OutputError error =
      largestError(got, plain, wanted, /*rounds=*/check.isExact, noPlace);
  check.error = error.error;
  if (error.place >= 0)
    check.place = placeText(declared.name, got.shape, error.place);
  check.values = static_cast<int64_t>(wanted.real.size());
  for (auto [ours, exact] : llvm::zip_equal(plain.real, wanted.real)) {
    bool isKnown = isCompared(ours, exact, got.element);
    check.lost += !isKnown;
    check.notNumbers += isKnown && std::isnan(exact);
  }
  check.largest = largestValue(plain, wanted, got.element);
  check.ulp = ulp(check.largest, got.element);
  check.ulps = isInteger ? 8 : 1;
  return check;
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

mlir::LogicalResult RunCase::interpret(mlir::func::FuncOp graph) {
  auto values = reference::interpret(graph, inputs, namedSizes(),
                                     reference::Precision::Exact);
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

mlir::FailureOr<CheckResult>
RunCase::check(const ReferenceFunctions &functions) {
  const Oracle &oracle =
      scores() <= double(maxGraphScores) ? functions.graph : functions.fused;
  auto exact = evaluate(oracle, inputs,
                        hasDoubles() ? reference::Precision::Extended
                                     : reference::Precision::Exact);
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
  if (mlir::failed(checkEmptyRows(oracle, *plain, *exact, result)))
    return mlir::failure();
  checkKeptRows(*exact, result);
  if (isInteger && result.isWrong() && &oracle == &functions.graph &&
      mlir::failed(findRounding(oracle, result)))
    return mlir::failure();
  return result;
}

mlir::LogicalResult RunCase::findRounding(const Oracle &oracle,
                                          CheckResult &result) const {
  const OutputCheck &worst = result.worst();
  bool isKnown = llvm::any_of(result.outputs, [](const OutputCheck &output) {
    return output.stray > 0 || (output.isExact && output.error > 0);
  });
  if (isKnown || worst.error > mostByChance * worst.limit())
    return mlir::success();
  auto given = inputsFor(oracle, inputs, reference::Precision::Rounded);
  if (mlir::failed(given))
    return mlir::failure();
  auto rounding =
      reference::exponentRounding(oracle.function, *given, namedSizes());
  if (mlir::failed(rounding))
    return mlir::failure();
  double allowed = hasDoubles() ? 0x1p-53 : 0x1p-24;
  if (*rounding > worst.ulps * allowed)
    result.rounding = *rounding;
  return mlir::success();
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

void CheckResult::merge(const CheckResult &other) {
  bool isKnown =
      (isWrong() && rounding == 0) || (other.isWrong() && other.rounding == 0);
  rounding = isKnown ? 0 : std::max(rounding, other.rounding);
  for (auto [mine, theirs] : llvm::zip_equal(outputs, other.outputs)) {
    if (theirs.error > mine.error) {
      mine.error = theirs.error;
      mine.place = theirs.place;
    }
    mine.plainError = std::max(mine.plainError, theirs.plainError);
    mine.largest = std::max(mine.largest, theirs.largest);
    mine.ulp = std::max(mine.ulp, theirs.ulp);
    mine.isExact &= theirs.isExact;
    mine.values += theirs.values;
    mine.nobodys += theirs.nobodys;
    mine.lost += theirs.lost;
    mine.notNumbers += theirs.notNumbers;
    mine.excused += theirs.excused;
    if (theirs.stray > mine.stray) {
      mine.stray = theirs.stray;
      mine.strayPlace = theirs.strayPlace;
      mine.strayRule = theirs.strayRule;
    }
  }
}

bool CheckResult::isWrong() const {
  return llvm::any_of(outputs, [](const OutputCheck &output) {
    return output.error > output.limit() || output.stray > 0;
  });
}

bool CheckResult::isRight() const {
  return !isWrong() && llvm::none_of(outputs, [](const OutputCheck &output) {
    return output.isMostlyUnknown();
  });
}

bool CheckResult::isExact() const {
  return !outputs.empty() && outputs.front().isExact;
}

const OutputCheck &CheckResult::worst() const {
  auto rank = [](const OutputCheck &output) {
    bool isOver = output.error > output.limit();
    double share = isOver             ? output.error - output.limit()
                   : output.error > 0 ? output.error / output.limit()
                                      : 0;
    return std::tuple(isOver, !output.isInPlace, share);
  };
  return *llvm::max_element(outputs,
                            [&](const OutputCheck &a, const OutputCheck &b) {
                              return rank(a) < rank(b);
                            });
}

} // namespace attnc
