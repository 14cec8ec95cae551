//===- InterfaceAttrTest.cpp - Tests of signatures as attributes ----------===//
//
// The positive text is what a dump shows; each negative one is that text with
// one edit, as a person might make it.
//
//===----------------------------------------------------------------------===//

#include "Examples.h"

#include "mlir/AsmParser/AsmParser.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

constexpr const char *kText = R"({
  name = "f", title = "one head of 8, f32", spec = "attnc: 1\0A",
  sizes = [{name = "n"}, {name = "d", value = "8"}],
  tensors = [
    {name = "Q", role = "query", dtype = "f32", axes = ["n", "d"]},
    {name = "t", role = "input", dtype = "i32", axes = ["n + 1"],
     nondecreasing, range = [0, 9]},
    {name = "c", role = "input", dtype = "f32", axes = ["n", "d"], inout},
    {name = "O", role = "output", dtype = "f32", axes = ["n", "d"],
     may_be = "Q"},
    {name = "lse", role = "extra", dtype = "f32", axes = ["n"], nullable}],
  preconditions = [{lhs = "n", rhs = "d * 4", sentence = "n <= 32"}],
  positions = ["n"], kernels = ["online, 64 queries x 256 keys"],
  cases = ["n <= 16"]})";

class InterfaceAttrTest : public testing::Test {
protected:
  mlir::FailureOr<Interface> read(const std::string &text) {
    mlir::Attribute attr = mlir::parseAttribute(text, &context);
    EXPECT_TRUE(attr) << text;
    return Interface::fromAttr(attr, [&] { return errors.emit(); });
  }
  /// The error after replacing `from` by `to` in the good text.
  std::string errorAfter(const std::string &from, const std::string &to) {
    std::string text = kText;
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    errors.text.clear();
    EXPECT_TRUE(mlir::failed(read(text.replace(at, from.size(), to)))) << to;
    return errors.text;
  }

  mlir::MLIRContext context;
  Errors errors{context};
};

TEST_F(InterfaceAttrTest, ReadsEveryField) {
  mlir::FailureOr<Interface> f = read(kText);
  ASSERT_TRUE(mlir::succeeded(f)) << errors.text;
  EXPECT_EQ(f->spec, "attnc: 1\n");
  EXPECT_TRUE(f->sizes[0].isRuntime());
  EXPECT_EQ(f->sizes[1].fixedValue(), 8);
  EXPECT_EQ(f->tensors[1].axes[0].str(), "n + 1");
  EXPECT_TRUE(f->tensors[1].nondecreasing);
  EXPECT_TRUE(f->tensors[2].inout);
  EXPECT_EQ(f->tensors[1].range,
            std::pair(SizeExpr::constant(0), SizeExpr::constant(9)));
  EXPECT_EQ(f->tensors[3].mayBe, "Q");
  EXPECT_TRUE(f->tensors[4].nullable);
  EXPECT_EQ(f->preconditions[0].rhs.str(), "d * 4");
  EXPECT_EQ(f->kernels.size(), 1u);
  EXPECT_EQ(f->cases[0].rhs, SizeExpr::constant(16));
  EXPECT_EQ(f->toAttr(&context), mlir::parseAttribute(kText, &context));
}

TEST_F(InterfaceAttrTest, WritesWhatItReads) {
  for (const Interface &f : {gpt2Small(), withDocuments()}) {
    mlir::FailureOr<Interface> again =
        Interface::fromAttr(f.toAttr(&context), [&] { return errors.emit(); });
    ASSERT_TRUE(mlir::succeeded(again)) << errors.text;
    EXPECT_EQ(*again, f);
  }
}

TEST_F(InterfaceAttrTest, RefusesAMisspeltKey) {
  EXPECT_EQ(errorAfter("nondecreasing", "nondecresing"),
            "a tensor of the interface has an unknown key 'nondecresing'");
  EXPECT_EQ(errorAfter("positions", "position"),
            "the interface has an unknown key 'position'");
}

TEST_F(InterfaceAttrTest, RefusesAMissingKey) {
  EXPECT_EQ(errorAfter("dtype = \"f32\", ", ""),
            "a tensor of the interface has no key 'dtype'");
  EXPECT_EQ(errorAfter("spec = \"attnc: 1\\0A\",", ""),
            "the interface has no key 'spec'");
}

TEST_F(InterfaceAttrTest, RefusesAWrongKindOfAttribute) {
  EXPECT_EQ(errorAfter("\"8\"", "8 : i64"),
            "a size of the interface 'value' must be a string");
  EXPECT_EQ(errorAfter("nullable", "nullable = 1"),
            "a tensor of the interface 'nullable' must be a unit attribute");
  EXPECT_EQ(errorAfter("[0, 9]", "[0]"),
            "a tensor of the interface 'range' must be two 64-bit integers "
            "or formulas of sizes");
  EXPECT_EQ(errorAfter("[0, 9]", "[0 : i128, 9 : i128]"),
            "a tensor of the interface 'range' must be two 64-bit integers "
            "or formulas of sizes");
  EXPECT_EQ(errorAfter("[\"n\"], kernels", "[7], kernels"),
            "the interface 'positions' must be an array of strings");
  EXPECT_EQ(errorAfter("{name = \"n\"}", "\"n\""),
            "a size of the interface must be a dictionary");
}

TEST_F(InterfaceAttrTest, RefusesUnknownWords) {
  EXPECT_EQ(errorAfter("\"query\"", "\"querry\""),
            "tensor 'Q': unknown role 'querry'");
  EXPECT_EQ(errorAfter("\"i32\"", "\"int\""),
            "tensor 't': unknown dtype 'int'");
}

TEST_F(InterfaceAttrTest, RefusesABrokenExpression) {
  EXPECT_EQ(errorAfter("\"n + 1\"", "\"n +\""),
            "a tensor of the interface 'axes': 'n +': expected a size, a "
            "number or '('");
  EXPECT_EQ(errorAfter("n <= 16", "n < 16"),
            "the interface 'cases': 'n < 16' must be like 'query_len <= 16'");
}

TEST_F(InterfaceAttrTest, VerifiesWhatItRead) {
  EXPECT_EQ(errorAfter("\"d * 4\"", "\"e * 4\""),
            "interface of 'f': precondition 'e * 4': there is no size 'e'");
  EXPECT_EQ(errorAfter("n <= 16", "m <= 16"),
            "interface of 'f': case 'm': there is no size 'm'");
}

} // namespace
