//===- LanesAvx512.cpp - AVX-512 instructions on values of any shape ------===//
//
// The instructions are LLVM's intrinsics, masked forms with a full mask, since
// the unmasked ones exist for some only:
//
//   %f = llvm.call_intrinsic "llvm.x86.avx512.mask.reduce.ps.512"(
//          %x, %c9, %x, %full, %current) : (vector<16xf32>, i32,
//          vector<16xf32>, i16, i32) -> vector<16xf32>
//
// Only the 512-bit forms take the last operand, the rounding mode (4: the one
// in MXCSR).
//
//===----------------------------------------------------------------------===//

#include "LanesAvx512.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::codegen {

namespace {
/// One instruction: its intrinsic is llvm.x86.avx512.<stem>.<ps|pd>.<bits>.
struct Instruction {
  StringRef stem;
  std::optional<int> immediate; // follows the sources
  bool rounding;                // the 512-bit form has a rounding mode
};
} // namespace

static Value constantInt(LaneContext &ctx, unsigned width, int64_t value) {
  return arith::ConstantOp::create(
      ctx.builder, ctx.loc,
      ctx.builder.getIntegerAttr(ctx.builder.getIntegerType(width), value));
}

/// What is computed register by register: from vectors that fill one.
using OnRegister = function_ref<Value(ArrayRef<Value>)>;

/// The instruction on vectors that fill a register of 128, 256 or 512 bits.
static Value callInstruction(LaneContext &ctx, const Instruction &instruction,
                             ArrayRef<Value> sources) {
  auto type = cast<VectorType>(sources.front().getType());
  bool isF64 = type.getElementType().isF64();
  int64_t bits = type.getNumElements() * (isF64 ? 64 : 32);
  SmallVector<Value> operands(sources);
  if (instruction.immediate)
    operands.push_back(constantInt(ctx, 32, *instruction.immediate));
  operands.push_back(sources.front()); // what masked-off lanes would get
  operands.push_back(
      constantInt(ctx, std::max<int64_t>(type.getNumElements(), 8), -1));
  if (instruction.rounding && bits == 512)
    operands.push_back(constantInt(ctx, 32, 4));
  std::string name = ("llvm.x86.avx512." + instruction.stem +
                      (isF64 ? ".pd." : ".ps.") + Twine(bits))
                         .str();
  return LLVM::CallIntrinsicOp::create(ctx.builder, ctx.loc, type,
                                       ctx.builder.getStringAttr(name),
                                       operands)
      .getResult(0);
}

/// A scalar or short vector, repeated until it fills 128 bits.
static Value fillRegister(LaneContext &ctx, Value value, int64_t lanes) {
  Type element = getElementTypeOrSelf(value);
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return vector::BroadcastOp::create(
        ctx.builder, ctx.loc, VectorType::get({lanes}, element), value);
  SmallVector<int64_t> indices;
  for (int64_t i = 0; i < lanes; ++i)
    indices.push_back(i % vector.getNumElements());
  return vector::ShuffleOp::create(ctx.builder, ctx.loc, value, value, indices);
}

/// `lanes` are those of the least register.
static Value onShort(LaneContext &ctx, OnRegister compute,
                     ArrayRef<Value> sources, Type type, int64_t lanes) {
  SmallVector<Value> filled;
  for (Value source : sources)
    filled.push_back(fillRegister(ctx, source, lanes));
  Value result = compute(filled);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector::ExtractStridedSliceOp::create(
        ctx.builder, ctx.loc, result, ArrayRef<int64_t>{0},
        ArrayRef<int64_t>{vector.getNumElements()}, ArrayRef<int64_t>{1});
  return vector::ExtractOp::create(ctx.builder, ctx.loc, result,
                                   ArrayRef<int64_t>{0});
}

/// `lanes` are those of the greatest register.
static Value onLong(LaneContext &ctx, OnRegister compute,
                    ArrayRef<Value> sources, VectorType type, int64_t lanes) {
  Value result = sources.front();
  for (int64_t at = 0; at < type.getNumElements(); at += lanes) {
    SmallVector<Value> parts;
    for (Value source : sources)
      parts.push_back(vector::ExtractStridedSliceOp::create(
          ctx.builder, ctx.loc, source, ArrayRef<int64_t>{at},
          ArrayRef<int64_t>{lanes}, ArrayRef<int64_t>{1}));
    result = vector::InsertStridedSliceOp::create(
        ctx.builder, ctx.loc, compute(parts), result, ArrayRef<int64_t>{at},
        ArrayRef<int64_t>{1});
  }
  return result;
}

/// On values of any shape, with registers of at least `leastBits`.
static Real mapRegisters(ArrayRef<Real> sources, int64_t leastBits,
                         OnRegister compute) {
  LaneContext &ctx = *sources.front().ctx;
  Type type = sources.front().value.getType();
  auto vector = dyn_cast<VectorType>(type);
  SmallVector<Value> values;
  for (Real source : sources) {
    Value value = source.value;
    if (vector && vector.getRank() != 1)
      value = vector::ShapeCastOp::create(
          ctx.builder, ctx.loc,
          VectorType::get({vector.getNumElements()}, vector.getElementType()),
          value);
    values.push_back(value);
  }
  int64_t width = sources.front().isF64() ? 64 : 32;
  Type flat = values.front().getType();
  int64_t lanes = vector ? vector.getNumElements() : 1;
  Value result;
  if (lanes * width < leastBits)
    result = onShort(ctx, compute, values, flat, leastBits / width);
  else if (lanes * width > 512)
    result = onLong(ctx, compute, values, cast<VectorType>(flat), 512 / width);
  else
    result = compute(values);
  if (flat != type)
    result = vector::ShapeCastOp::create(ctx.builder, ctx.loc, type, result);
  return {&ctx, result};
}

static Real call(const Instruction &instruction, ArrayRef<Real> sources) {
  LaneContext &ctx = *sources.front().ctx;
  return mapRegisters(sources, 128, [&](ArrayRef<Value> values) {
    return callInstruction(ctx, instruction, values);
  });
}

Real avx512Fraction(Real a) {
  // 0: no fraction bits are kept; 8: no inexact exception; 1: towards -inf.
  return call({"mask.reduce", 9, true}, {a});
}

Real avx512ScaleFloor(Real a, Real b) {
  return call({"mask.scalef", std::nullopt, true}, {a, b});
}

Real avx512Reciprocal14(Real a) {
  return call({"rcp14", std::nullopt, false}, {a});
}

Real avx512Lookup(ArrayRef<double> table, Real index) {
  LaneContext &ctx = *index.ctx;
  auto reals = VectorType::get({16}, ctx.builder.getF32Type());
  auto bits = VectorType::get({16}, ctx.builder.getI32Type());
  auto half = [&](unsigned first) -> Value {
    SmallVector<float> values(table.slice(first, 16));
    return arith::ConstantOp::create(
        ctx.builder, ctx.loc,
        DenseElementsAttr::get(reals, ArrayRef<float>(values)));
  };
  return mapRegisters({index}, 512, [&](ArrayRef<Value> values) -> Value {
    Value low = half(0), high = half(16);
    Value places =
        arith::BitcastOp::create(ctx.builder, ctx.loc, bits, values.front());
    return LLVM::CallIntrinsicOp::create(
               ctx.builder, ctx.loc, reals,
               ctx.builder.getStringAttr("llvm.x86.avx512.vpermi2var.ps.512"),
               ValueRange{low, places, high})
        .getResult(0);
  });
}

} // namespace attnc::codegen
