//===- Formula.cpp - Scalar ops as expressions ----------------------------===//
//
// One case per op of arith; the ops of math that are not instructions have been
// expanded (codegen-expand-math). An index has 64 bits and wraps; positions and
// sizes have 32, so products and sums of them are safe.
// Tests: test/Integration/halide
//
//===----------------------------------------------------------------------===//

#include "Formula.h"

#include "Tensors.h"

#include "attnc/Dialect/Attn/Attn.h"

#include <cmath>

using namespace mlir;

namespace attnc::halide {

Ex Formula::compareFloats(int64_t predicate, Ex x, Ex y) {
  using P = arith::CmpFPredicate;
  auto negate = [&](Ex c) { return b.make(Op::Not, kBool, c); };
  auto atMost = [&](Ex x, Ex y) {
    return b.make(Op::LessEqual, kBool, {x, y});
  };
  Ex unordered =
      b.make(Op::Or, kBool,
             {b.make(Op::IsNan, kBool, x), b.make(Op::IsNan, kBool, y)});
  switch (static_cast<P>(predicate)) {
  case P::AlwaysFalse:
    return b.integer(0, kBool);
  case P::AlwaysTrue:
    return b.integer(1, kBool);
  case P::OEQ:
    return b.equal(x, y);
  case P::OGT:
    return b.less(y, x);
  case P::OGE:
    return atMost(y, x);
  case P::OLT:
    return b.less(x, y);
  case P::OLE:
    return atMost(x, y);
  case P::ONE:
    return b.make(Op::Or, kBool, {b.less(x, y), b.less(y, x)});
  case P::ORD:
    return negate(unordered);
  case P::UEQ:
    return b.make(Op::Or, kBool, {unordered, b.equal(x, y)});
  case P::UGT:
    return b.make(Op::Or, kBool, {unordered, b.less(y, x)});
  case P::UGE:
    return b.make(Op::Or, kBool, {unordered, atMost(y, x)});
  case P::ULT:
    return b.make(Op::Or, kBool, {unordered, b.less(x, y)});
  case P::ULE:
    return b.make(Op::Or, kBool, {unordered, atMost(x, y)});
  case P::UNE:
    return negate(b.equal(x, y));
  case P::UNO:
    return unordered;
  }
  llvm_unreachable("a predicate without a meaning");
}

Ex Formula::compareIntegers(int64_t predicate, Ex x, Ex y) {
  using P = arith::CmpIPredicate;
  auto p = static_cast<P>(predicate);
  bool isUnsigned = p == P::ult || p == P::ule || p == P::ugt || p == P::uge;
  // Halide 21 solves equations of 32-bit indices for the variable of a loop and
  // gets k % 2 == 0 wrong (SimplifyCorrelatedDifferences); not so for bits.
  bool isSolved =
      (p == P::eq || p == P::ne) && b.indexType == kInt32 && x.type == kInt32;
  if (isUnsigned || isSolved) {
    ScalarType type{Kind::UInt, x.type.bits};
    x = b.bitcast(x, type);
    y = b.bitcast(y, type);
  }
  switch (p) {
  case P::eq:
    return b.equal(x, y);
  case P::ne:
    return b.make(Op::Not, kBool, b.equal(x, y));
  case P::slt:
  case P::ult:
    return b.less(x, y);
  case P::sle:
  case P::ule:
    return b.make(Op::LessEqual, kBool, {x, y});
  case P::sgt:
  case P::ugt:
    return b.less(y, x);
  case P::sge:
  case P::uge:
    return b.make(Op::LessEqual, kBool, {y, x});
  }
  llvm_unreachable("a predicate without a meaning");
}

/// The op of two operands, if it is one operation.
static std::optional<Op> simpleOp(Operation *op) {
  return llvm::StringSwitch<std::optional<Op>>(op->getName().getStringRef())
      .Cases({"arith.addf", "arith.addi"}, Op::Add)
      .Cases({"arith.subf", "arith.subi"}, Op::Sub)
      .Cases({"arith.mulf", "arith.muli"}, Op::Mul)
      .Case("arith.divf", Op::Div)
      .Case("arith.divsi", Op::DivTrunc)
      .Case("arith.remsi", Op::ModTrunc)
      .Case("arith.minsi", Op::Min)
      .Case("arith.maxsi", Op::Max)
      .Case("arith.andi", Op::And)
      .Case("arith.ori", Op::Or)
      .Case("arith.xori", Op::Xor)
      .Case("arith.shli", Op::ShiftLeft)
      .Case("arith.shrsi", Op::ShiftRight)
      .Case("arith.select", Op::Select)
      .Case("math.absf", Op::Abs)
      .Case("math.sqrt", Op::Sqrt)
      .Case("math.floor", Op::Floor)
      .Case("math.ceil", Op::Ceil)
      .Case("math.trunc", Op::Trunc)
      .Case("math.roundeven", Op::RoundEven)
      .Default(std::nullopt);
}

static bool isOtherArithmetic(Operation *op) {
  return isa<arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::ShRUIOp, math::FmaOp,
             math::CopySignOp, math::IsNaNOp, arith::FloorDivSIOp,
             arith::CeilDivSIOp>(op);
}

/// (x + c) - c rounds x to an integer. Compilers of devices may take it for x,
/// which they cannot if only one of them is a constant.
bool Formula::isLargeConstant(Ex x) const {
  const Expr &expr = b.pipeline.exprs[x.number];
  return expr.op == Op::Constant && std::isfinite(expr.real) &&
         std::abs(expr.real) >= 0x1p20;
}

std::optional<Ex> Formula::arithmetic(Operation *op, ArrayRef<Ex> x) {
  ScalarType type = x[0].type;
  auto isNan = [&](Ex x) { return b.make(Op::IsNan, kBool, x); };
  auto either = [&](Ex x, Ex y) { return b.make(Op::Or, kBool, {x, y}); };
  auto negate = [&](Ex x) { return b.sub(b.integer(0, x.type), x); };
  auto floorDivide = [&](Ex n, Ex d) {
    const Expr &divisor = b.pipeline.exprs[d.number];
    if (divisor.op == Op::Constant && divisor.integer > 0)
      return b.div(n, d);
    // Towards minus infinity also for d < 0: the quotient of the negatives.
    Ex isNegative = b.less(d, b.integer(0, d.type));
    return b.div(b.select(isNegative, negate(n), n),
                 b.select(isNegative, negate(d), d));
  };
  // Integers that are no indices are bits of floats, and wrap; Halide takes
  // signed overflow as undefined.
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op) &&
      !op->getResult(0).getType().isIndex()) {
    ScalarType bits{Kind::UInt, type.bits};
    return b.bitcast(b.make(*simpleOp(op), bits,
                            {b.bitcast(x[0], bits), b.bitcast(x[1], bits)}),
                     type);
  }
  if (isa<arith::SubFOp>(op) && b.castsHalves && isLargeConstant(x[1]))
    return b.sub(x[0], b.hidden(x[1]));
  if (std::optional<Op> simple = simpleOp(op))
    return b.make(*simple, *simple == Op::Select ? x[1].type : type, x);
  if (isa<arith::NegFOp>(op))
    return b.sub(b.real(-0.0, type), x[0]);
  if (isa<arith::MaximumFOp>(op))
    return b.select(either(b.less(x[0], x[1]), isNan(x[1])), x[1], x[0]);
  if (isa<arith::MinimumFOp>(op))
    return b.select(either(b.less(x[1], x[0]), isNan(x[1])), x[1], x[0]);
  if (isa<arith::MaxNumFOp>(op))
    return b.select(either(b.less(x[0], x[1]), isNan(x[0])), x[1], x[0]);
  if (isa<arith::MinNumFOp>(op))
    return b.select(either(b.less(x[1], x[0]), isNan(x[0])), x[1], x[0]);
  if (isa<math::FmaOp>(op)) // contracted by LLVM
    return b.add(b.mul(x[0], x[1]), x[2]);
  if (isa<math::IsNaNOp>(op))
    return isNan(x[0]);
  if (isa<arith::ShRUIOp>(op)) {
    ScalarType bits{Kind::UInt, type.bits};
    return b.bitcast(b.make(Op::ShiftRight, bits,
                            {b.bitcast(x[0], bits), b.bitcast(x[1], bits)}),
                     type);
  }
  if (isa<math::CopySignOp>(op)) {
    ScalarType bits{Kind::Int, type.bits};
    Ex sign = b.integer(type.bits == 64 ? std::numeric_limits<int64_t>::min()
                                        : std::numeric_limits<int32_t>::min(),
                        bits);
    Ex size = b.bitcast(b.make(Op::Abs, type, x[0]), bits);
    return b.bitcast(
        b.make(Op::Or, bits,
               {size, b.make(Op::And, bits, {b.bitcast(x[1], bits), sign})}),
        type);
  }
  if (isa<arith::FloorDivSIOp>(op))
    return floorDivide(x[0], x[1]);
  if (isa<arith::CeilDivSIOp>(op))
    return negate(floorDivide(negate(x[0]), x[1]));
  return std::nullopt;
}

std::optional<Ex> Formula::conversion(Operation *op, ArrayRef<Ex> x) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return compareFloats(int64_t(compare.getPredicate()), x[0], x[1]);
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    if (x[0].type == kBool) { // of truth values only == and != occur
      Ex differ = b.make(Op::Xor, kBool, x);
      bool isNe = compare.getPredicate() == arith::CmpIPredicate::ne;
      return isNe ? differ : b.make(Op::Not, kBool, differ);
    }
    return compareIntegers(int64_t(compare.getPredicate()), x[0], x[1]);
  }
  ScalarType type = b.typeOf(op->getResult(0).getType());
  if (isa<arith::BitcastOp>(op))
    return b.bitcast(x[0], type);
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::FPToSIOp,
          arith::ExtUIOp, arith::TruncIOp>(op))
    return b.cast(x[0], type);
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op)) {
    Ex cast = b.cast(x[0], type);
    return x[0].type == kBool ? b.sub(b.integer(0, type), cast) : cast;
  }
  return std::nullopt;
}

static bool isConversion(Operation *op) {
  return isa<arith::CmpFOp, arith::CmpIOp, arith::BitcastOp, arith::ExtFOp,
             arith::TruncFOp, arith::SIToFPOp, arith::FPToSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::IndexCastOp, arith::ExtSIOp>(op);
}

bool isKnown(Block &block) {
  return llvm::all_of(block.without_terminator(), [](Operation &op) {
    return isa<arith::ConstantOp, attn::SizeOp, attn::ReadOp>(op) ||
           simpleOp(&op) || isOtherArithmetic(&op) || isConversion(&op);
  });
}

FailureOr<Ex> Formula::compute(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    ScalarType type = b.typeOf(constant.getType());
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      return b.real(number.getValue().convertToDouble(), type);
    auto number = cast<IntegerAttr>(constant.getValue());
    return b.integer(type == kBool ? number.getValue().getZExtValue()
                                   : number.getValue().getSExtValue(),
                     type);
  }
  if (auto size = dyn_cast<attn::SizeOp>(op))
    return b.cast(tensors.sizeOf(size.getNameAttr()), b.indexType);
  if (auto read = dyn_cast<attn::ReadOp>(op)) {
    SmallVector<Ex> indices;
    for (Value index : read.getIndices()) {
      FailureOr<Ex> ex = value(index);
      if (failed(ex))
        return failure();
      indices.push_back(*ex);
    }
    return tensors.readClamped(read, indices);
  }
  SmallVector<Ex> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Ex> ex = value(operand);
    if (failed(ex))
      return failure();
    operands.push_back(*ex);
  }
  if (!operands.empty() && op->getNumResults() == 1) {
    if (std::optional<Ex> made = arithmetic(op, operands))
      return *made;
    if (std::optional<Ex> made = conversion(op, operands))
      return *made;
  }
  return op->emitError("the Halide backend does not support '")
         << op->getName() << "' in a formula yet";
}

/// The range of an op's result, unless its expression has one.
void Formula::noteRange(Operation *op, Ex result) {
  using Kind = IndexRange::Kind;
  IndexRanges &ranges = b.ranges;
  auto of = [&](unsigned i) {
    return ranges.of(known[op->getOperand(i)].number);
  };
  auto kind =
      llvm::StringSwitch<std::optional<Kind>>(op->getName().getStringRef())
          .Case("arith.addi", Kind::Add)
          .Case("arith.subi", Kind::Sub)
          .Case("arith.muli", Kind::Mul)
          .Cases({"arith.divsi", "arith.remsi", "arith.floordivsi",
                  "arith.ceildivsi"},
                 Kind::Quotient)
          .Case("arith.minsi", Kind::Min)
          .Case("arith.maxsi", Kind::Max)
          .Default(std::nullopt);
  bool isIndex = op->getResult(0).getType().isIndex() ||
                 op->getResult(0).getType().isInteger(64);
  if (!isIndex || ranges.knows(result.number)) // bits of floats wrap
    return;
  auto set = [&](int range) { ranges.set(result.number, range); };
  if (kind) {
    set(ranges.combine(*kind, of(0), of(1), op));
  } else if (isa<arith::ShLIOp>(op)) {
    int factor = ranges.constant(1, int64_t(1) << 31);
    set(ranges.combine(Kind::Mul, of(0), factor, op));
  } else if (isa<arith::SelectOp>(op)) {
    set(ranges.combine(Kind::Either, of(1), of(2)));
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    int64_t value = cast<IntegerAttr>(constant.getValue()).getInt();
    // Checked as an operation.
    set(ranges.combine(Kind::Add, ranges.constant(value, value),
                       ranges.constant(0, 0), op));
  } else if (auto size = dyn_cast<attn::SizeOp>(op)) {
    set(ranges.size(size.getNameAttr()));
  }
}

FailureOr<Ex> Formula::value(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  FailureOr<Ex> made = compute(value.getDefiningOp());
  if (failed(made))
    return failure();
  known[value] = *made;
  if (b.hasNarrowIndices() && made->type == b.indexType)
    noteRange(value.getDefiningOp(), *made);
  return made;
}

FailureOr<SmallVector<Ex>> Formula::run(Block &block, ArrayRef<Ex> arguments) {
  for (auto [argument, ex] : llvm::zip_equal(block.getArguments(), arguments))
    known[argument] = ex;
  SmallVector<Ex> results;
  for (Value operand : block.getTerminator()->getOperands()) {
    FailureOr<Ex> ex = value(operand);
    if (failed(ex))
      return failure();
    results.push_back(*ex);
  }
  return results;
}

FailureOr<Ex> Formula::runOne(Region &region, ArrayRef<Ex> arguments) {
  FailureOr<SmallVector<Ex>> results = run(region.front(), arguments);
  if (failed(results))
    return failure();
  return results->front();
}

FailureOr<Ex> Formula::runFor(Value made, Region &region,
                              ArrayRef<Ex> arguments) {
  for (auto [argument, ex] : llvm::zip_equal(region.getArguments(), arguments))
    known[argument] = ex;
  return value(made);
}

std::string nameOfMath(StringRef function, Type type) {
  return ("attnc." + function + (type.isF64() ? ".f64" : ".f32")).str();
}

FailureOr<Ex> Formula::math(Operation *user, StringRef function, Type type,
                            Ex x) {
  auto module = user->getParentOfType<ModuleOp>();
  auto body =
      cast<func::FuncOp>(module.lookupSymbol(nameOfMath(function, type)));
  FailureOr<SmallVector<Ex>> results = run(body.getBody().front(), x);
  if (failed(results))
    return failure();
  return results->front();
}

} // namespace attnc::halide
