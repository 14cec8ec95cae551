//===- VerifyInterfaceTest.cpp - Tests of what a signature must satisfy ---===//

#include "Examples.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

class VerifyInterfaceTest : public testing::Test {
protected:
  /// The sentence after the prefix that names the function.
  std::string errorOf(const Interface &f) {
    errors.text.clear();
    mlir::LogicalResult result = f.verify([&] { return errors.emit(); });
    EXPECT_TRUE(mlir::failed(result));
    std::string prefix = "interface of '" + f.name + "': ";
    EXPECT_EQ(errors.text.substr(0, prefix.size()), prefix);
    return errors.text.substr(prefix.size());
  }

  mlir::MLIRContext context;
  Errors errors{context};
  Interface f = withDocuments(); // tensors Q K V doc O lse
};

TEST_F(VerifyInterfaceTest, AcceptsTheExamples) {
  EXPECT_TRUE(mlir::succeeded(f.verify([&] { return errors.emit(); })));
  EXPECT_TRUE(
      mlir::succeeded(gpt2Small().verify([&] { return errors.emit(); })));
}

TEST_F(VerifyInterfaceTest, RefusesAFunctionNameThatCDoesNotAllow) {
  for (const char *name : {"", "9f", "a-b", "while", "attnc_x"}) {
    f.name = name;
    EXPECT_EQ(errorOf(f), "'" + f.name +
                              "' cannot name a C function: letters, digits and "
                              "'_', no keyword of C or C++, not 'attnc...'");
  }
}

TEST_F(VerifyInterfaceTest, RefusesFunctionsOfTheCLibrary) {
  for (const char *name :
       {"malloc", "getenv", "expf", "main", "getauxval", "signal"}) {
    f.name = name;
    EXPECT_EQ(errorOf(f),
              "'" + f.name + "' would replace a function of the C library");
  }
}

TEST_F(VerifyInterfaceTest, RefusesATitleThatBreaksTheComment) {
  f.title = "a */ b";
  EXPECT_EQ(errorOf(f),
            "title must be one line of text without comment markers, "
            "got 'a */ b'");
  f.title = "two\nlines";
  EXPECT_NE(errorOf(f), "");
}

TEST_F(VerifyInterfaceTest, RefusesNamesThatTheHeaderUses) {
  f.tensors[3].name = "class";
  EXPECT_EQ(errorOf(f), "tensor 'class' cannot be a name in C: letters, digits "
                        "and '_', no keyword of C or C++");
  f.tensors[3].name = "runtime";
  EXPECT_EQ(errorOf(f), "tensor 'runtime': the header uses this name itself");
  f.tensors[3].name = "batch";
  EXPECT_EQ(errorOf(f), "tensor 'batch': the name is already taken");
  f.tensors[3].name = "Q_strides";
  EXPECT_EQ(errorOf(f), "'Q_strides': the header uses this name itself");
}

TEST_F(VerifyInterfaceTest, RefusesSizesInACircle) {
  f.sizes[0].value = SizeExpr::size("kv_len");
  f.sizes[4].value = SizeExpr::size("batch");
  EXPECT_EQ(errorOf(f), "size 'batch' = 'kv_len': cyclic sizes, or the "
                        "expression is too long");
}

TEST_F(VerifyInterfaceTest, RefusesSizesThatDoubleEachOther) {
  for (int i = 0; i < 20; ++i) {
    SizeExpr last = SizeExpr::size(f.sizes.back().name);
    f.sizes.push_back({"s" + std::to_string(i), last + last});
  }
  EXPECT_NE(errorOf(f).find("too long"), std::string::npos);
}

TEST_F(VerifyInterfaceTest, RefusesANegativeSize) {
  f.sizes[1].value = SizeExpr::constant(-12);
  EXPECT_EQ(errorOf(f), "size 'heads' is -12, must not be negative");
}

TEST_F(VerifyInterfaceTest, RefusesAnUnknownSize) {
  f.tensors[0].axes[0] = SizeExpr::size("bach");
  EXPECT_EQ(errorOf(f), "axis of 'Q' 'bach': there is no size 'bach'");
}

TEST_F(VerifyInterfaceTest, RefusesTooManyAxes) {
  f.tensors[0].axes.assign(6, SizeExpr::size("batch"));
  EXPECT_EQ(errorOf(f), "tensor 'Q' has 6 axes, at most 5 are possible");
}

TEST_F(VerifyInterfaceTest, RefusesTensorsOutOfOrder) {
  std::swap(f.tensors[0], f.tensors[1]);
  EXPECT_EQ(errorOf(f), "tensor 'Q' (query) after a tensor of role key: the "
                        "order is query, key, value, inputs, output, extra "
                        "outputs");
}

TEST_F(VerifyInterfaceTest, RefusesASignatureWithoutOutput) {
  f.tensors.erase(f.tensors.begin() + 4);
  EXPECT_EQ(errorOf(f), "has no tensor of role output");
}

TEST_F(VerifyInterfaceTest, RefusesASizeThatNoTensorShows) {
  f.sizes.push_back({"model", {}});
  EXPECT_EQ(errorOf(f),
            "run-time size 'model' is not an axis of a required tensor, "
            "so a call cannot determine it");
  f.tensors[5].axes[2] = SizeExpr::size("model"); // lse may be absent
  EXPECT_NE(errorOf(f), "");
}

TEST_F(VerifyInterfaceTest, RefusesPromisesOnReals) {
  f.tensors[3].dtype = DType::F32;
  EXPECT_EQ(errorOf(f), "tensor 'doc': 'nondecreasing' and 'range' are for "
                        "integer inputs");
}

TEST_F(VerifyInterfaceTest, RefusesARangeOutsideTheType) {
  f.tensors[3].dtype = DType::I8;
  EXPECT_EQ(errorOf(f),
            "tensor 'doc': range 0 .. 255 must be ascending and within "
            "that of i8");
}

TEST_F(VerifyInterfaceTest, TakesARangeThatSizesDecide) {
  f.tensors[3].range->second = SizeExpr::size("kv_len") - SizeExpr::constant(1);
  EXPECT_TRUE(mlir::succeeded(f.verify([&] { return errors.emit(); })));
  f.tensors[3].range->second = SizeExpr::size("pages");
  EXPECT_EQ(errorOf(f), "range of 'doc' 'pages': there is no size 'pages'");
}

TEST_F(VerifyInterfaceTest, RefusesATableThatSaysNoRows) {
  f.tensors[1].rows = RowLayout::Paged;
  f.tensors[1].rowTable = "pages";
  EXPECT_EQ(errorOf(f), "tensor 'K' cannot be paged by 'pages': an input of 2 "
                        "axes with a range must locate the rows of a "
                        "sequence");
  f.tensors[1].rows = RowLayout::Ragged;
  f.tensors[1].rowTable = "doc"; // two axes
  EXPECT_EQ(errorOf(f), "tensor 'K' cannot be ragged by 'doc': an input of 1 "
                        "axis, nondecreasing, with a range must locate the "
                        "rows of a sequence");
}

TEST_F(VerifyInterfaceTest, RefusesARequiredExtraAsNullInput) {
  f.tensors[3].nullable = true;
  EXPECT_EQ(errorOf(f), "tensor 'doc': only an extra output can be nullable");
}

TEST_F(VerifyInterfaceTest, RefusesToChangeWhatIsNoInputOfFloats) {
  f.tensors[3].inout = true;
  EXPECT_EQ(errorOf(f), "tensor 'doc': only an input of floats can be inout");
  f = withDocuments();
  f.tensors[4].inout = true;
  EXPECT_EQ(errorOf(f), "tensor 'O': only an input of floats can be inout");
}

TEST_F(VerifyInterfaceTest, RefusesAnAliasOfWhatIsWrittenItself) {
  InterfaceTensor cache = f.tensors[0];
  cache.name = "cache";
  cache.role = TensorRole::Input;
  cache.inout = true;
  f.tensors.insert(f.tensors.begin() + 4, cache);
  f.tensors[5].mayBe = "cache";
  EXPECT_EQ(errorOf(f), "tensor 'O' may be 'cache', which is written itself");
}

TEST_F(VerifyInterfaceTest, RefusesAnAliasOfAnotherShape) {
  f.tensors[4].mayBe = "K";
  EXPECT_EQ(errorOf(f),
            "tensor 'O' may be 'K', but their types or axes differ");
  f.tensors[4].mayBe = "W";
  EXPECT_EQ(errorOf(f), "tensor 'O' may be 'W', which is not an input");
}

} // namespace
