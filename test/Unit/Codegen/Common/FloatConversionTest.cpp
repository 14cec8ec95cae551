//===- FloatConversionTest.cpp - Tests of FloatConversion.h ---------------===//
//
// The conversions are built on constants, folded by the canonicaliser and
// compared with LLVM's software floats.
//
//===----------------------------------------------------------------------===//

#include "attnc/Codegen/Common/FloatConversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "gtest/gtest.h"

using namespace mlir;

namespace {
class FloatConversionTest : public testing::Test {
protected:
  FloatConversionTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect>();
  }

  /// Folds what `build` makes of each number; the results in order.
  std::vector<APInt> fold(ArrayRef<uint64_t> numbers,
                          function_ref<Value(OpBuilder &, uint64_t)> build) {
    Location loc = UnknownLoc::get(&context);
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
    SmallVector<Type> types;
    auto function =
        func::FuncOp::create(b, loc, "f", b.getFunctionType({}, {}));
    b.setInsertionPointToStart(function.addEntryBlock());
    SmallVector<Value> values;
    for (uint64_t number : numbers)
      values.push_back(build(b, number));
    for (Value value : values)
      types.push_back(value.getType());
    function.setFunctionType(b.getFunctionType({}, types));
    func::ReturnOp::create(b, loc, values);
    PassManager manager(&context);
    manager.addPass(createCanonicalizerPass());
    EXPECT_TRUE(succeeded(manager.run(*module)));
    std::vector<APInt> results;
    for (Value value : function.front().getTerminator()->getOperands()) {
      Attribute attr;
      EXPECT_TRUE(matchPattern(value, m_Constant(&attr)));
      if (auto real = dyn_cast_or_null<FloatAttr>(attr))
        results.push_back(real.getValue().bitcastToAPInt());
      else if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
        results.push_back(integer.getValue());
      else
        results.emplace_back(64, 0);
    }
    return results;
  }

  /// The float in `format` that `value` rounds to.
  static APInt round(float value, const llvm::fltSemantics &format) {
    APFloat number(value);
    bool exact;
    number.convert(format, APFloat::rmNearestTiesToEven, &exact);
    return number.bitcastToAPInt();
  }

  void checkRounding(FloatType format);
  void checkExtension(FloatType format);

  MLIRContext context;
};
} // namespace

/// Powers of two, ties, the ends of the formats, and their neighbours.
static std::vector<uint64_t> interestingFloats() {
  std::vector<uint64_t> bits;
  for (uint32_t exponent = 0; exponent < 256; ++exponent)
    for (uint32_t fraction :
         {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u, 0x7fffu, 0x8000u,
          0x8001u, 0x18000u, 0x7fe000u, 0x7fefffu, 0x7ff000u, 0x7fffffu})
      for (uint32_t sign : {0u, 0x80000000u})
        bits.push_back(sign | exponent << 23 | fraction);
  return bits;
}

void FloatConversionTest::checkRounding(FloatType format) {
  std::vector<uint64_t> inputs = interestingFloats();
  Type f32 = Float32Type::get(&context);
  auto results = fold(inputs, [&](OpBuilder &b, uint64_t bits) {
    Location loc = b.getUnknownLoc();
    Value value = arith::ConstantOp::create(
        b, loc,
        FloatAttr::get(
            f32, APFloat(llvm::bit_cast<float>(static_cast<uint32_t>(bits)))));
    return attnc::codegen::roundFloat(b, loc, value, format, false);
  });
  for (auto [input, result] : llvm::zip(inputs, results)) {
    float value = llvm::bit_cast<float>(static_cast<uint32_t>(input));
    APFloat rounded(format.getFloatSemantics(), result);
    if (value != value)
      EXPECT_TRUE(rounded.isNaN()) << input;
    else
      EXPECT_EQ(result, round(value, format.getFloatSemantics())) << value;
  }
}

void FloatConversionTest::checkExtension(FloatType format) {
  std::vector<uint64_t> inputs;
  for (uint64_t bits = 0; bits < 65536; bits += bits % 1024 < 8 ? 1 : 61)
    inputs.push_back(bits);
  auto results = fold(inputs, [&](OpBuilder &b, uint64_t bits) {
    Location loc = b.getUnknownLoc();
    Value value = arith::ConstantOp::create(
        b, loc, b.getI16IntegerAttr(static_cast<int16_t>(bits)));
    return attnc::codegen::extendFloat(b, loc, value, format, b.getF32Type(),
                                       false);
  });
  for (auto [input, result] : llvm::zip(inputs, results)) {
    APFloat exact(format.getFloatSemantics(), APInt(16, input));
    bool lossy;
    exact.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lossy);
    APFloat widened(APFloat::IEEEsingle(), result);
    if (exact.isNaN())
      EXPECT_TRUE(widened.isNaN()) << input;
    else
      EXPECT_EQ(result, exact.bitcastToAPInt()) << input;
  }
}

TEST_F(FloatConversionTest, RoundsToF16) {
  checkRounding(Float16Type::get(&context));
}

TEST_F(FloatConversionTest, RoundsToBf16) {
  checkRounding(BFloat16Type::get(&context));
}

TEST_F(FloatConversionTest, ExtendsF16) {
  checkExtension(Float16Type::get(&context));
}

TEST_F(FloatConversionTest, ExtendsBf16) {
  checkExtension(BFloat16Type::get(&context));
}
