//===- DTypeTest.cpp - Tests of element types -----------------------------===//

#include "attnc/Interface/Interface.h"

#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

TEST(DTypeTest, RowsStandInTheOrderOfTheEnumeration) {
  for (const DTypeInfo &info : kDTypes) {
    EXPECT_EQ(dtypeInfo(info.dtype).name, info.name);
    EXPECT_EQ(parseDType(info.name), info.dtype);
  }
  EXPECT_EQ(parseDType("f8"), std::nullopt);
}

TEST(DTypeTest, ElementTypesPrintAsInDumps) {
  mlir::MLIRContext context;
  auto print = [&](DType dtype) {
    std::string text;
    llvm::raw_string_ostream(text) << elementType(dtype, &context);
    return text;
  };
  EXPECT_EQ(print(DType::BF16), "bf16");
  EXPECT_EQ(print(DType::I32), "i32");
  EXPECT_EQ(print(DType::U8), "ui8");
  EXPECT_EQ(print(DType::Bool), "i1");
}

} // namespace
