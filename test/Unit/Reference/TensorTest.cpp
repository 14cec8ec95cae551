//===- TensorTest.cpp - Rounding and clamped reads ------------------------===//

#include "attnc/Reference/Tensor.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace attnc::reference;

namespace {

TEST(TensorTest, rounds_to_nearest_even_in_each_type) {
  mlir::MLIRContext context;
  mlir::Builder b(&context);
  EXPECT_EQ(roundToType(1 + 0x1p-9, b.getBF16Type()), 1.0);
  EXPECT_EQ(roundToType(1 + 0x1.8p-8, b.getBF16Type()), 1 + 0x1p-7);
  EXPECT_EQ(roundToType(65504 + 16, b.getF16Type()), HUGE_VAL);
  EXPECT_EQ(roundToType(1 + 0x1p-30, b.getF32Type()), 1.0);
  EXPECT_EQ(roundToType(1 + 0x1p-50, b.getF64Type()), 1 + 0x1p-50);
  EXPECT_TRUE(std::isnan(roundToType(NAN, b.getBF16Type())));
}

TEST(TensorTest, rounds_short_floats_as_llvm_does) {
  mlir::MLIRContext context;
  mlir::Builder b(&context);
  for (mlir::FloatType type : {b.getF16Type(), b.getBF16Type()})
    for (int exponent = -160; exponent < 140; ++exponent)
      for (int step = -70; step < 70; ++step) {
        double value = std::ldexp(
            step < 0 ? -1 + step * 0x1p-13 : 1 + step * 0x1.01p-12, exponent);
        llvm::APFloat number(value);
        bool losesInfo = false;
        auto nearest = llvm::APFloat::rmNearestTiesToEven;
        number.convert(type.getFloatSemantics(), nearest, &losesInfo);
        number.convert(llvm::APFloat::IEEEdouble(), nearest, &losesInfo);
        ASSERT_EQ(roundToType(value, type), number.convertToDouble()) << value;
      }
}

TEST(TensorTest, clamps_positions_to_their_axes) {
  mlir::MLIRContext context;
  Tensor tensor = makeTensor(mlir::Builder(&context).getF32Type(), {2, 3});
  EXPECT_EQ(tensor.clampedOffset({1, 2}), 5);
  EXPECT_EQ(tensor.clampedOffset({-4, 9}), 2);
}

TEST(TensorTest, has_no_place_in_an_empty_tensor) {
  mlir::MLIRContext context;
  Tensor tensor = makeTensor(mlir::Builder(&context).getI32Type(), {0, 3});
  EXPECT_TRUE(tensor.isInteger());
  EXPECT_EQ(tensor.clampedOffset({0, 0}), -1);
}

} // namespace
