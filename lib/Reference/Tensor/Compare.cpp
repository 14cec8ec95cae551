//===- Compare.cpp - Values beside those of the reference -----------------===//

#include "attnc/Reference/Compare.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>
#include <tuple>

namespace attnc::reference {

/// What a key that is out by 46 or more in the score adds to values of order 1.
constexpr double negligible = 1e-20;

/// Whether a kernel can be asked for something at a place: both evaluations are
/// in the range of its type, or agree on the same infinity or on NaN.
bool isCompared(double plain, double wanted, mlir::Type type) {
  if (!std::isfinite(plain) || !std::isfinite(wanted))
    return plain == wanted || (std::isnan(plain) && std::isnan(wanted));
  return std::isfinite(roundToType(wanted, type));
}

/// The difference at a compared place; NaN and infinities have to agree.
double difference(double got, double wanted) {
  if (got == wanted || (std::isnan(got) && std::isnan(wanted)))
    return 0;
  return std::isfinite(got) && std::isfinite(wanted) ? std::fabs(got - wanted)
                                                     : HUGE_VAL;
}

/// The largest difference at compared places.
OutputError largestError(const Tensor &got, const Tensor &plain,
                         const Tensor &wanted, bool rounds,
                         llvm::function_ref<bool(size_t)> isExcused) {
  OutputError worst;
  for (size_t i = 0; i < wanted.real.size(); ++i) {
    double b = wanted.real[i];
    if (!isCompared(plain.real[i], b, got.element) || isExcused(i))
      continue;
    if (rounds)
      b = roundToType(b, got.element);
    double error = difference(got.real[i], b);
    if (rounds && error <= negligible)
      error = 0;
    if (worst.place < 0 || error > worst.error)
      worst = {error, static_cast<int64_t>(i)};
  }
  return worst;
}

static bool noPlace(size_t) { return false; }

/// Whether every value is a multiple of 2^-20 in its own type, but for what is
/// negligible. A weight that is not 0 or a power of two gives other fractions,
/// which plain code can only round.
static bool isShort(const Tensor &tensor) {
  return llvm::all_of(tensor.real, [&](double value) {
    if (!std::isfinite(value))
      return true;
    double nearest = std::ldexp(std::nearbyint(std::ldexp(value, 20)), -20);
    return std::fabs(nearest - value) <= negligible &&
           roundToType(nearest, tensor.element) == nearest;
  });
}

/// Of the places that are compared.
static double largestValue(const Tensor &plain, const Tensor &wanted,
                           mlir::Type type) {
  double largest = 0;
  for (auto [ours, value] : llvm::zip_equal(plain.real, wanted.real))
    if (std::isfinite(value) && isCompared(ours, value, type))
      largest = std::max(largest, std::fabs(value));
  return largest;
}

/// The distance from `value` to the next number of a float type, of which f32
/// has no subnormal ones: kernels may count them as 0.
static double ulp(double value, mlir::Type type) {
  auto precision =
      mlir::cast<mlir::FloatType>(type).getFPMantissaWidth(); // with hidden bit
  int exponent = 0;
  std::frexp(value, &exponent);
  double distance = std::ldexp(1.0, exponent - static_cast<int>(precision));
  double least = type.isF32() ? std::numeric_limits<float>::min() : 0;
  return std::max(distance, least);
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
OutputCheck compare(const InterfaceTensor &declared, const Tensor &got,
                    const Tensor &plain, const Tensor &wanted, bool isInteger) {
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

GraphCheck compareGraph(const InterfaceTensor &declared, const Tensor &exact,
                        const Tensor &plain, const Tensor &wanted,
                        bool isInteger) {
  double rounding =
      largestError(plain, plain, exact, /*rounds=*/false, noPlace).error;
  double largest = largestValue(plain, exact, plain.element);
  GraphCheck check;
  check.limit =
      2 * rounding + (isInteger ? 8 : 1) * ulp(largest, plain.element);
  for (auto [i, value] : llvm::enumerate(wanted.real)) {
    // Kernels are not compared where plain evaluation overflows, and the graph
    // overflows in double where the formulas, in long double, do not.
    if (!isCompared(plain.real[i], value, plain.element) ||
        !std::isfinite(exact.real[i]) || !std::isfinite(value))
      continue;
    double error = difference(exact.real[i], value);
    if (error <= check.error)
      continue;
    check.error = error;
    check.place =
        placeText(declared.name, wanted.shape, static_cast<int64_t>(i));
  }
  return check;
}

mlir::LogicalResult findRounding(mlir::func::FuncOp graph,
                                 llvm::ArrayRef<Tensor> inputs,
                                 const Sizes &sizes, CheckResult &result) {
  const OutputCheck &worst = result.worst();
  bool isKnown = llvm::any_of(result.outputs, [](const OutputCheck &output) {
    return output.stray > 0 || (output.isExact && output.error > 0);
  });
  if (isKnown || worst.error > mostByChance * worst.limit())
    return mlir::success();
  auto rounding = exponentRounding(graph, inputs, sizes);
  if (mlir::failed(rounding))
    return mlir::failure();
  auto isDouble = [](mlir::Type type) {
    return mlir::getElementTypeOrSelf(type).isF64();
  };
  bool hasDoubles = llvm::any_of(graph.getArgumentTypes(), isDouble) ||
                    llvm::any_of(graph.getResultTypes(), isDouble);
  double allowed = hasDoubles ? 0x1p-53 : 0x1p-24;
  if (*rounding > worst.ulps * allowed)
    result.rounding = *rounding;
  return mlir::success();
}

void CheckResult::merge(const CheckResult &other) {
  bool isKnown =
      (isWrong() && rounding == 0) || (other.isWrong() && other.rounding == 0);
  rounding = isKnown ? 0 : std::max(rounding, other.rounding);
  if (other.graph.differs() && !graph.differs())
    graph = other.graph;
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
  return graph.differs() ||
         llvm::any_of(outputs, [](const OutputCheck &output) {
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

} // namespace attnc::reference
