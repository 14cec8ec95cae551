//===- Scalar.cpp - Meaning of one arith or math op on numbers ------------===//
//
// Slow and obvious: one line per op, named as in the dialects. Wrapping integer
// arithmetic goes through uint64_t, so that no input is undefined behaviour.
//
//===----------------------------------------------------------------------===//

#include "Scalar/Scalar.h"

#include "attnc/Reference/Tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace attnc::reference {

template <typename Real> Real Arithmetic::round(Real value, Type type) const {
  if (!rounded || type.isF64())
    return value;
  // Kernels of f32 may count its subnormal numbers as 0.
  if (type.isF32())
    return std::abs(value) < std::numeric_limits<float>::min()
               ? std::copysign(Real(0), value)
               : static_cast<Real>(static_cast<float>(value));
  if (!isa<FloatType>(type))
    return value;
  return static_cast<Real>(roundToType(static_cast<double>(value), type));
}
template double Arithmetic::round(double, Type) const;
template long double Arithmetic::round(long double, Type) const;

template <typename Real>
Real Arithmetic::compared(Real value, Type type) const {
  if (!comparesTyped || !isa<FloatType>(type))
    return value;
  return static_cast<Real>(type.isF32() ? static_cast<float>(value)
                           : type.isF64()
                               ? static_cast<double>(value)
                               : roundToType(static_cast<double>(value), type));
}
template double Arithmetic::compared(double, Type) const;
template long double Arithmetic::compared(long double, Type) const;

int64_t floorDivide(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  if (b == -1)
    return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

static int64_t truncatedDivide(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  return b == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a / b;
}

static int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

/// Sign-extends from the width of `type`; i1 stays 0 or 1.
static int64_t toWidth(int64_t value, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() >= 64)
    return value;
  if (integer.getWidth() == 1)
    return value & 1;
  unsigned shift = 64 - integer.getWidth();
  return wrap(static_cast<uint64_t>(value) << shift) >> shift;
}

template <typename Real> using Unary = Real (*)(Real);
template <typename Real> using Binary = Real (*)(Real, Real);
using IntBinary = int64_t (*)(int64_t, int64_t);

template <typename Real> static Real minimum(Real a, Real b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::fmin(a, b);
}
template <typename Real> static Real maximum(Real a, Real b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::fmax(a, b);
}

template <typename Real> static Unary<Real> lookupUnary(StringRef name) {
  static const llvm::StringMap<Unary<Real>> table = {
      {"arith.negf", [](Real a) { return -a; }},
      {"math.absf", [](Real a) { return std::fabs(a); }},
      {"math.ceil", [](Real a) { return std::ceil(a); }},
      {"math.cos", [](Real a) { return std::cos(a); }},
      {"math.erf", [](Real a) { return std::erf(a); }},
      {"math.erfc", [](Real a) { return std::erfc(a); }},
      {"math.exp", [](Real a) { return std::exp(a); }},
      {"math.exp2", [](Real a) { return std::exp2(a); }},
      {"math.expm1", [](Real a) { return std::expm1(a); }},
      {"math.floor", [](Real a) { return std::floor(a); }},
      {"math.log", [](Real a) { return std::log(a); }},
      {"math.log1p", [](Real a) { return std::log1p(a); }},
      {"math.log2", [](Real a) { return std::log2(a); }},
      {"math.round", [](Real a) { return std::round(a); }},
      {"math.roundeven", [](Real a) { return std::nearbyint(a); }},
      {"math.rsqrt", [](Real a) { return 1 / std::sqrt(a); }},
      {"math.sin", [](Real a) { return std::sin(a); }},
      {"math.sqrt", [](Real a) { return std::sqrt(a); }},
      {"math.tanh", [](Real a) { return std::tanh(a); }},
      {"math.trunc", [](Real a) { return std::trunc(a); }},
  };
  return table.lookup(name);
}

template <typename Real> static Binary<Real> lookupBinary(StringRef name) {
  static const llvm::StringMap<Binary<Real>> table = {
      {"arith.addf", [](Real a, Real b) { return a + b; }},
      {"arith.divf", [](Real a, Real b) { return a / b; }},
      {"arith.maximumf", maximum<Real>},
      {"arith.maxnumf", [](Real a, Real b) { return std::fmax(a, b); }},
      {"arith.minimumf", minimum<Real>},
      {"arith.minnumf", [](Real a, Real b) { return std::fmin(a, b); }},
      {"arith.mulf", [](Real a, Real b) { return a * b; }},
      {"arith.subf", [](Real a, Real b) { return a - b; }},
      {"math.copysign", [](Real a, Real b) { return std::copysign(a, b); }},
      {"math.powf", [](Real a, Real b) { return std::pow(a, b); }},
  };
  return table.lookup(name);
}

static IntBinary lookupIntBinary(StringRef name) {
  static const llvm::StringMap<IntBinary> table = {
      {"arith.addi",
       [](int64_t a, int64_t b) { return wrap(uint64_t(a) + b); }},
      {"arith.andi", [](int64_t a, int64_t b) { return a & b; }},
      {"arith.ceildivsi",
       [](int64_t a, int64_t b) {
         return wrap(0 - uint64_t(floorDivide(wrap(0 - uint64_t(a)), b)));
       }},
      {"arith.divsi", truncatedDivide},
      {"arith.floordivsi", floorDivide},
      {"arith.maxsi", [](int64_t a, int64_t b) { return std::max(a, b); }},
      {"arith.minsi", [](int64_t a, int64_t b) { return std::min(a, b); }},
      {"arith.muli",
       [](int64_t a, int64_t b) { return wrap(uint64_t(a) * b); }},
      {"arith.ori", [](int64_t a, int64_t b) { return a | b; }},
      {"arith.remsi",
       [](int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }},
      {"arith.subi",
       [](int64_t a, int64_t b) { return wrap(uint64_t(a) - b); }},
      {"arith.xori", [](int64_t a, int64_t b) { return a ^ b; }},
  };
  return table.lookup(name);
}

static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  using P = arith::CmpIPredicate;
  uint64_t ua = a, ub = b;
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return ua < ub;
  case P::ule:
    return ua <= ub;
  case P::ugt:
    return ua > ub;
  case P::uge:
    return ua >= ub;
  }
  return false;
}

template <typename Real>
static bool compare(arith::CmpFPredicate predicate, Real a, Real b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  // The predicates OEQ .. ONE are 1 .. 6 and UEQ .. UNE 8 .. 13, made of the
  // bits equal = 1, greater = 2, less = 4.
  if (predicate == P::AlwaysFalse || predicate == P::AlwaysTrue)
    return predicate == P::AlwaysTrue;
  if (predicate == P::ORD || predicate == P::UNO)
    return unordered == (predicate == P::UNO);
  unsigned code = static_cast<unsigned>(predicate);
  bool acceptsNan = code > static_cast<unsigned>(P::ORD);
  if (unordered)
    return acceptsNan;
  return (acceptsNan ? code - 7 : code) & (a == b ? 1 : a > b ? 2 : 4);
}

namespace {
/// One op over all lanes of its operands.
template <typename Real> struct Lanes {
  Operation *op;
  ArrayRef<const Column<Real> *> operands;
  Arithmetic arithmetic;
  size_t count = 1;

  Lanes(Operation *op, ArrayRef<const Column<Real> *> operands,
        Arithmetic arithmetic)
      : op(op), operands(operands), arithmetic(arithmetic) {
    for (const Column<Real> *column : operands)
      count = std::max(count, column->size());
  }
  Real real(unsigned operand, size_t lane) const {
    return operands[operand]->realAt(lane);
  }
  int64_t integer(unsigned operand, size_t lane) const {
    return operands[operand]->integerAt(lane);
  }
  template <typename Function> Column<Real> reals(Function function) const {
    Type type = op->getResult(0).getType();
    Column<Real> result;
    result.reals.resize(count);
    for (size_t lane = 0; lane < count; ++lane)
      result.reals[lane] = arithmetic.round<Real>(function(lane), type);
    return result;
  }
  template <typename Function> Column<Real> integers(Function function) const {
    Type type = op->getResult(0).getType();
    Column<Real> result;
    result.integers.resize(count);
    for (size_t lane = 0; lane < count; ++lane)
      result.integers[lane] = toWidth(function(lane), type);
    return result;
  }
};
} // namespace

template <typename Real> static int64_t toInteger(Real value) {
  // Out of range and NaN have no value in arith.fptosi; any will do.
  if (!(value > Real(-9.2e18) && value < Real(9.2e18)))
    return 0;
  return static_cast<int64_t>(value);
}

/// Constants, choice, comparison and conversion: ops that are not one function
/// of numbers of one kind.
template <typename Real>
static std::optional<Column<Real>> evaluateSpecial(const Lanes<Real> &lanes) {
  Operation *op = lanes.op;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      return Column<Real>::real(number.getValue().convertToDouble());
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      return Column<Real>::integer(constant.getType().isInteger(1)
                                       ? number.getValue().getZExtValue()
                                       : number.getValue().getSExtValue());
    return std::nullopt;
  }
  if (isa<arith::SelectOp>(op)) {
    auto side = [&](size_t lane) { return lanes.integer(0, lane) ? 1u : 2u; };
    if (isa<FloatType>(op->getResult(0).getType()))
      return lanes.reals([&](size_t i) { return lanes.real(side(i), i); });
    return lanes.integers([&](size_t i) { return lanes.integer(side(i), i); });
  }
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return lanes.integers([&](size_t i) {
      return compare(cmp.getPredicate(), lanes.integer(0, i),
                     lanes.integer(1, i));
    });
  if (auto cmp = dyn_cast<arith::CmpFOp>(op)) {
    auto side = [&](unsigned operand, size_t lane) {
      return lanes.arithmetic.template compared<Real>(lanes.real(operand, lane),
                                                      cmp.getLhs().getType());
    };
    return lanes.integers([&](size_t i) {
      return compare(cmp.getPredicate(), side(0, i), side(1, i));
    });
  }
  if (isa<arith::SIToFPOp>(op))
    return lanes.reals([&](size_t i) { return Real(lanes.integer(0, i)); });
  if (isa<arith::FPToSIOp>(op))
    return lanes.integers(
        [&](size_t i) { return toInteger(lanes.real(0, i)); });
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp, arith::ExtUIOp>(
          op)) {
    // Truth values are kept as 0 and 1; a sign extension makes 1 a -1.
    bool negates = isa<arith::ExtSIOp, arith::IndexCastOp>(op) &&
                   op->getOperand(0).getType().isInteger(1);
    return lanes.integers([&](size_t i) {
      return negates ? -lanes.integer(0, i) : lanes.integer(0, i);
    });
  }
  Type made = op->getResult(0).getType();
  if (isa<arith::BitcastOp>(op) && (made.isF32() || made.isF64()))
    return lanes.reals([&](size_t i) {
      auto bits = static_cast<uint64_t>(lanes.integer(0, i));
      return made.isF64() ? Real(llvm::bit_cast<double>(bits))
                          : Real(llvm::bit_cast<float>(uint32_t(bits)));
    });
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return lanes.reals([&](size_t i) { return lanes.real(0, i); });
  if (op->getName().getStringRef() == "math.fma")
    return lanes.reals([&](size_t i) {
      return std::fma(lanes.real(0, i), lanes.real(1, i), lanes.real(2, i));
    });
  return std::nullopt;
}

template <typename Real>
FailureOr<Column<Real>>
evaluateScalarOp(Operation *op, ArrayRef<const Column<Real> *> operands,
                 Arithmetic arithmetic) {
  Lanes<Real> lanes(op, operands, arithmetic);
  StringRef name = op->getName().getStringRef();
  if (auto function = lookupUnary<Real>(name))
    return lanes.reals([&](size_t i) { return function(lanes.real(0, i)); });
  if (auto function = lookupBinary<Real>(name))
    return lanes.reals(
        [&](size_t i) { return function(lanes.real(0, i), lanes.real(1, i)); });
  if (auto function = lookupIntBinary(name))
    return lanes.integers([&](size_t i) {
      return function(lanes.integer(0, i), lanes.integer(1, i));
    });
  if (std::optional<Column<Real>> column = evaluateSpecial(lanes))
    return *column;
  return op->emitOpError("is not known to the reference interpreter");
}
template FailureOr<Column<double>>
evaluateScalarOp(Operation *, ArrayRef<const Column<double> *>, Arithmetic);
template FailureOr<Column<long double>>
evaluateScalarOp(Operation *, ArrayRef<const Column<long double> *>,
                 Arithmetic);

} // namespace attnc::reference
