//===- ExpandMath.cpp - Expand elementwise functions ----------------------===//
//
// An object of attnc depends on no libm. What LLVM has no instruction for it
// turns into a call of expf and its kin, element by element, so every function
// is written out here as arithmetic on the value's own shape:
//
//   %y = math.rsqrt %x : vector<16xf32>
// becomes
//   %r = math.sqrt %x : vector<16xf32>
//   %y = arith.divf %ones, %r : vector<16xf32>
//
// This file holds the table of what is expanded; the formulas are in the other
// ExpandMath*.cpp, the way they are written in Lanes.h.
// Tests: test/Codegen/Common/expand-math.mlir, expand-math-invalid.mlir and
// test/Unit/Codegen/Common (accuracy)
//
//===----------------------------------------------------------------------===//

#include "attnc/Codegen/Common/Passes.h"

#include "LanesAvx512.h"
#include "MathExpansions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc::codegen {
#define GEN_PASS_DEF_EXPANDMATH
#include "attnc/Codegen/Common/Passes.h.inc"
} // namespace attnc::codegen

using namespace attnc::codegen;

namespace {
/// How one op is expanded.
struct Expansion {
  StringRef op;
  Real (*expand)(Real);
};
} // namespace

static constexpr Expansion expansions[] = {
    {"math.ceil", roundUp},        {"math.cos", expandCos},
    {"math.erf", expandErf},       {"math.erfc", expandErfc},
    {"math.exp", expandExp},       {"math.exp2", expandExp2},
    {"math.expm1", expandExpm1},   {"math.floor", roundDown},
    {"math.log", expandLog},       {"math.log1p", expandLog1p},
    {"math.log2", expandLog2},     {"math.round", roundAway},
    {"math.roundeven", roundEven}, {"math.rsqrt", expandRsqrt},
    {"math.sin", expandSin},       {"math.tanh", expandTanh},
    {"math.trunc", roundToZero},
};

static const Expansion *lookUp(Operation *op) {
  const auto *it = llvm::find_if(expansions, [&](const Expansion &entry) {
    return entry.op == op->getName().getStringRef();
  });
  return it == std::end(expansions) ? nullptr : it;
}

/// Whether LLVM selects instructions for the op on every target.
static bool isNative(Operation *op, const LaneFeatures &features) {
  if (isa<math::AbsFOp, math::CopySignOp, math::SqrtOp, math::IsFiniteOp,
          math::IsInfOp, math::IsNaNOp, math::IsNormalOp>(op))
    return true;
  Type element = getElementTypeOrSelf(op->getOperand(0));
  if (!isa<FloatType>(element))
    return true;
  bool wide = element.isF32() || element.isF64();
  if (isa<math::FmaOp, vector::FMAOp>(op))
    return features.fma && wide;
  if (isa<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp>(op))
    return features.round && wide;
  return false;
}

/// One over a vector of f32, where an estimate and a step of Newton's method
/// are several times as fast as the division. They flush denormals.
static bool isFastReciprocal(Operation *op, const LaneFeatures &features) {
  auto quotient = dyn_cast<arith::DivFOp>(op);
  if (!quotient || !features.avx512 || !features.fma ||
      !features.flushDenormals)
    return false;
  auto type = dyn_cast<VectorType>(quotient.getType());
  Value one = quotient.getLhs();
  if (auto broadcast = one.getDefiningOp<vector::BroadcastOp>())
    one = broadcast.getSource();
  return type && type.getElementType().isF32() &&
         matchPattern(one, m_OneFloat());
}

/// The number of a constant, of all elements alike.
static std::optional<APFloat> splatConstant(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  APFloat number(0.0);
  if (!matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  return number;
}

/// exp2 in f32 of which only 1 + e, or a greater constant plus e, is asked for,
/// as in a sigmoid.
static bool isExp2BesideOne(Operation *op) {
  return isa<math::Exp2Op>(op) && !op->use_empty() &&
         getElementTypeOrSelf(op->getResult(0)).isF32() &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           if (!isa<arith::AddFOp>(user))
             return false;
           bool isLeft = user->getOperand(0) == op->getResult(0);
           auto number = splatConstant(user->getOperand(isLeft ? 1 : 0));
           return number && number->isFinite() &&
                  number->convertToDouble() >= 1;
         });
}

/// What may be approximate in f32: its result is rounded to bf16 in the end.
static bool isRough(Operation *op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  return flags && getElementTypeOrSelf(op->getResult(0)).isF32() &&
         bitEnumContainsAny(flags.getFastMathFlagsAttr().getValue(),
                            arith::FastMathFlags::afn);
}

/// An approximate tanh times the constant that it is multiplied with, if that
/// is its only use: `op` takes the place of the product.
static Real expandScaledTanh(Operation *op, Real x) {
  auto product = op->hasOneUse()
                     ? dyn_cast<arith::MulFOp>(*op->getUsers().begin())
                     : arith::MulFOp();
  bool isLeft = product && product.getLhs() == op->getResult(0);
  auto number =
      product ? splatConstant(isLeft ? product.getRhs() : product.getLhs())
              : std::nullopt;
  if (!number || !number->isFinite())
    return expandTanhRough(x, 1.0);
  Real result = expandTanhRough(x, number->convertToDouble());
  product.replaceAllUsesWith(op->getResult(0));
  product.erase();
  return result;
}

/// exp of which its user says that it is at most 1, where smaller results than
/// normal numbers may be 0.
static bool isExpAtMostOne(Operation *op, const LaneFeatures &features) {
  return isa<math::ExpOp>(op) && features.flushDenormals &&
         op->hasAttr(kAtMostOne);
}

static LogicalResult refuse(Operation *op, const Twine &why) {
  std::string known;
  for (const Expansion &entry : expansions)
    (known += " ") += entry.op.split('.').second;
  InFlightDiagnostic diag = op->emitOpError("cannot be expanded: ") << why;
  diag.attachNote()
      << "codegen-expand-math supports, on f16, bf16, f32 and f64:" << known;
  return diag;
}

/// The shapes that the expansions build: scalars and vectors of a fixed power
/// of two of elements.
static LogicalResult checkShape(Operation *op) {
  auto vector = dyn_cast<VectorType>(op->getResult(0).getType());
  if (!vector) {
    if (isa<FloatType>(op->getResult(0).getType()))
      return success();
    return refuse(op, "its type is neither a scalar nor a vector");
  }
  if (vector.isScalable())
    return refuse(op, "the length of its vector is not fixed");
  if (!llvm::isPowerOf2_64(vector.getNumElements()))
    return refuse(op, "a vector of " + Twine(vector.getNumElements()) +
                          " elements is not a power of two");
  return success();
}

/// Converts to the type that the op is computed in: f16 and bf16 go by f32.
static Real operand(LaneContext &ctx, Value value) {
  Real real{{&ctx, value}};
  if (real.lane().getIntOrFloatBitWidth() >= 32)
    return real;
  return {{&ctx, arith::ExtFOp::create(ctx.builder, ctx.loc,
                                       real.shaped(ctx.builder.getF32Type()),
                                       value)}};
}

static FailureOr<Real> expand(LaneContext &ctx, Operation *op) {
  if (failed(checkShape(op)))
    return failure();
  SmallVector<Real> operands;
  if (isa<math::FmaOp, vector::FMAOp>(op)) {
    for (Value value : op->getOperands())
      operands.push_back(operand(ctx, value));
    return fma(operands[0], operands[1], operands[2]);
  }
  if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
    Real divisor{{&ctx, quotient.getRhs()}};
    return isRough(op) ? avx512Reciprocal14(divisor) : reciprocal(divisor);
  }
  const Expansion *entry = lookUp(op);
  if (!entry)
    return refuse(op, "the function is not known");
  Real x = operand(ctx, op->getOperand(0));
  Type element = getElementTypeOrSelf(op->getOperand(0));
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element)) {
    std::string type;
    llvm::raw_string_ostream(type) << element;
    return refuse(op, "the function is not known on " + type);
  }
  if (isExpAtMostOne(op, ctx.features))
    return expandExpAtMostOne(x);
  if (isa<math::Exp2Op>(op) && isRough(op))
    return expandExp2Rough(x);
  if (isa<math::TanhOp>(op) && isRough(op) && ctx.features.avx512)
    return expandScaledTanh(op, x);
  return isExp2BesideOne(op) ? expandExp2BesideOne(x) : entry->expand(x);
}

namespace {
struct ExpandMath final : attnc::codegen::impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;

  void runOnOperation() override {
    LaneFeatures features{fma, round, avx512, flushDenormals};
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      bool ours =
          isa<math::MathDialect>(op->getDialect()) || isa<vector::FMAOp>(op);
      if ((ours && !isNative(op, features)) || isFastReciprocal(op, features))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      OpBuilder builder(op);
      LaneContext ctx{builder, op->getLoc(), features};
      FailureOr<Real> result = expand(ctx, op);
      if (failed(result))
        return signalPassFailure();
      Real like{{&ctx, op->getResult(0)}};
      op->getResult(0).replaceAllUsesWith(narrow(*result, like).value);
      op->erase();
    }
  }
};
} // namespace
