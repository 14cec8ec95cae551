//===- FloatConversion.cpp - f16 and bf16 without libcalls ----------------===//
//
// bf16 is the upper half of an f32, so only the rounding is work. For f16 the
// exponent is moved by an integer addition, and the floating-point unit
// normalises denormals: subtracting 2^-14 from a number with that exponent
// leaves just the fraction, and adding 0.5 moves a small number's bits to where
// f16 has them, rounded.
//
//===----------------------------------------------------------------------===//

#include "attnc/Codegen/Common/FloatConversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace attnc::codegen {

namespace {
/// The conversion's ops on a scalar or a vector, by its shape.
class Bits {
public:
  Bits(OpBuilder &b, Location loc, Type shape) : b(b), loc(loc), shape(shape) {}

  Type like(Type element) const {
    auto vector = dyn_cast<VectorType>(shape);
    return vector ? vector.clone(element) : element;
  }
  Value constant(uint32_t bits) {
    Type type = like(b.getI32Type());
    TypedAttr attr = b.getI32IntegerAttr(static_cast<int32_t>(bits));
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, attr);
    return arith::ConstantOp::create(b, loc, attr);
  }
  Value asFloat(Value v) {
    return arith::BitcastOp::create(b, loc, like(b.getF32Type()), v);
  }
  Value asInt(Value v) {
    return arith::BitcastOp::create(b, loc, like(b.getI32Type()), v);
  }
  Value widen(Value v) {
    return arith::ExtUIOp::create(b, loc, like(b.getI32Type()), v);
  }
  Value narrow(Value v) {
    return arith::TruncIOp::create(b, loc, like(b.getI16Type()), v);
  }
  Value add(Value a, Value c) { return arith::AddIOp::create(b, loc, a, c); }
  Value bitAnd(Value a, uint32_t c) {
    return arith::AndIOp::create(b, loc, a, constant(c));
  }
  Value bitOr(Value a, Value c) { return arith::OrIOp::create(b, loc, a, c); }
  Value left(Value a, uint32_t n) {
    return arith::ShLIOp::create(b, loc, a, constant(n));
  }
  Value right(Value a, uint32_t n) {
    return arith::ShRUIOp::create(b, loc, a, constant(n));
  }
  Value is(arith::CmpIPredicate p, Value a, uint32_t c) {
    return arith::CmpIOp::create(b, loc, p, a, constant(c));
  }
  Value select(Value c, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, c, yes, no);
  }

  OpBuilder &b;
  Location loc;
  Type shape;
};
} // namespace

static Value extendF16(Bits &x, Value bits) {
  Value wide = x.widen(bits);
  Value magnitude = x.left(x.bitAnd(wide, 0x7fff), 13);
  Value exponent = x.bitAnd(magnitude, 0x0f800000);
  Value normal = x.add(magnitude, x.constant((127 - 15) << 23));
  // Infinity and NaN have the largest exponent in both formats.
  Value special = x.add(normal, x.constant((128 - 16) << 23));
  Value moved = x.add(normal, x.constant(1 << 23));
  Value tiny = x.asInt(arith::SubFOp::create(x.b, x.loc, x.asFloat(moved),
                                             x.asFloat(x.constant(113 << 23))));
  Value result = x.select(
      x.is(arith::CmpIPredicate::eq, exponent, 0x0f800000), special,
      x.select(x.is(arith::CmpIPredicate::eq, exponent, 0), tiny, normal));
  Value sign = x.left(x.bitAnd(wide, 0x8000), 16);
  return x.asFloat(x.bitOr(result, sign));
}

static Value roundF16(Bits &x, Value value) {
  Value bits = x.asInt(value);
  Value sign = x.right(x.bitAnd(bits, 0x80000000), 16);
  Value magnitude = x.bitAnd(bits, 0x7fffffff);
  // Below 2^-14: the unit rounds at the bit that 0.5 puts in last place.
  Value half = x.constant(126 << 23);
  Value shifted = x.asInt(
      arith::AddFOp::create(x.b, x.loc, x.asFloat(magnitude), x.asFloat(half)));
  Value tiny = arith::SubIOp::create(x.b, x.loc, shifted, half);
  Value odd = x.bitAnd(x.right(magnitude, 13), 1);
  Value bias = x.constant((uint32_t(15 - 127) << 23) + 0xfff);
  Value normal = x.right(x.add(x.add(magnitude, bias), odd), 13);
  Value isNan = x.is(arith::CmpIPredicate::ugt, magnitude, 0x7f800000);
  Value special = x.select(isNan, x.constant(0x7e00), x.constant(0x7c00));
  Value finite = x.select(x.is(arith::CmpIPredicate::ult, magnitude, 113 << 23),
                          tiny, normal);
  // 65520 and more round to infinity.
  Value result = x.select(
      x.is(arith::CmpIPredicate::uge, magnitude, 0x477ff000), special, finite);
  return x.narrow(x.bitOr(result, sign));
}

static Value roundBf16(Bits &x, Value value) {
  Value bits = x.asInt(value);
  Value odd = x.bitAnd(x.right(bits, 16), 1);
  Value rounded = x.right(x.add(x.add(bits, x.constant(0x7fff)), odd), 16);
  Value quiet = x.bitOr(x.right(bits, 16), x.constant(0x40));
  Value isNan = arith::CmpFOp::create(x.b, x.loc, arith::CmpFPredicate::UNO,
                                      value, value);
  return x.narrow(x.select(isNan, quiet, rounded));
}

Value extendFloat(OpBuilder &builder, Location loc, Value bits,
                  FloatType format, FloatType result, bool f16Hardware) {
  Bits x(builder, loc, bits.getType());
  Value value;
  if (format.isF16() && f16Hardware)
    value = arith::ExtFOp::create(
        builder, loc, x.like(builder.getF32Type()),
        Value(arith::BitcastOp::create(builder, loc, x.like(format), bits)));
  else if (format.isF16())
    value = extendF16(x, bits);
  else
    value = x.asFloat(x.left(x.widen(bits), 16));
  if (result.isF64())
    value = arith::ExtFOp::create(builder, loc, x.like(result), value);
  return value;
}

/// An f64 as an f32 from which a narrower format is rounded as from the f64:
/// one between two f32 becomes the odd one, which is halfway between none of
/// the narrower (Boldo and Melquiond 2008).
static Value roundToOdd(Bits &x, Value value) {
  Type wide = value.getType(), narrow = x.like(x.b.getF32Type());
  Value nearest = arith::TruncFOp::create(x.b, x.loc, narrow, value);
  Value back = arith::ExtFOp::create(x.b, x.loc, wide, nearest);
  auto compare = [&](arith::CmpFPredicate predicate, Value a, Value c) {
    return arith::CmpFOp::create(x.b, x.loc, predicate, a, c);
  };
  Value isBetween = compare(arith::CmpFPredicate::ONE, value, back);
  Value isAway =
      compare(arith::CmpFPredicate::OGT, math::AbsFOp::create(x.b, x.loc, back),
              math::AbsFOp::create(x.b, x.loc, value));
  Value bits = x.asInt(nearest);
  Value below = arith::SubIOp::create(x.b, x.loc, bits, x.constant(1));
  Value odd = x.bitOr(x.select(isAway, below, bits), x.constant(1));
  return x.asFloat(x.select(isBetween, odd, bits));
}

Value roundFloat(OpBuilder &builder, Location loc, Value value,
                 FloatType format, bool f16Hardware) {
  Bits x(builder, loc, value.getType());
  if (getElementTypeOrSelf(value).isF64())
    value = roundToOdd(x, value);
  if (!format.isF16())
    return roundBf16(x, value);
  if (!f16Hardware)
    return roundF16(x, value);
  Value narrow = arith::TruncFOp::create(builder, loc, x.like(format), value);
  return arith::BitcastOp::create(builder, loc, x.like(builder.getI16Type()),
                                  narrow);
}

} // namespace attnc::codegen
