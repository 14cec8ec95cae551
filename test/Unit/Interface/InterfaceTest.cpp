//===- InterfaceTest.cpp - Tests of signatures ----------------------------===//

#include "Examples.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

TEST(InterfaceTest, FindsTheFirstRequiredAxisOfARunTimeSize) {
  Interface f = gpt2Small();
  EXPECT_EQ(f.bindingOf("batch"), (Interface::Binding{0, 0}));
  EXPECT_EQ(f.bindingOf("kv_len"), (Interface::Binding{1, 2}));
  EXPECT_EQ(f.bindingOf("heads"), (Interface::Binding{0, 1}));
}

TEST(InterfaceTest, FindsASizeInAnAxisThatIsLongerByANumber) {
  Interface f = gpt2Small();
  f.sizes.push_back({"pages", {}});
  f.tensors[0].axes.push_back(SizeExpr::size("pages") * SizeExpr::constant(2));
  EXPECT_EQ(f.bindingOf("pages"), std::nullopt);
  f.tensors[1].axes.push_back(SizeExpr::size("pages") + SizeExpr::constant(1));
  EXPECT_EQ(f.bindingOf("pages"), (Interface::Binding{1, 4, 1}));
  f.tensors[2].axes.push_back(SizeExpr::size("pages"));
  EXPECT_EQ(f.bindingOf("pages"), (Interface::Binding{2, 4}));
}

TEST(InterfaceTest, ResolvesChainsOfDerivedSizes) {
  Interface f = gpt2Small();
  f.sizes.push_back({"twice", SizeExpr::size("more") * SizeExpr::constant(2)});
  f.sizes.push_back(
      {"more", SizeExpr::size("kv_len") + SizeExpr::size("heads")});
  EXPECT_EQ(f.resolve(SizeExpr::size("twice")).str(), "(kv_len + 12) * 2");
}

TEST(InterfaceTest, EvaluatesAllSizesFromTheRunTimeOnes) {
  Interface f = gpt2Small();
  f.sizes[3].value = SizeExpr::size("kv_len"); // query_len: kv_len
  EXPECT_EQ(f.runtimeSizes(), (std::vector<std::string>{"batch", "kv_len"}));
  EXPECT_EQ(f.evaluateSizes({2, 9}), (std::vector<int64_t>{2, 12, 64, 9, 9}));
  EXPECT_EQ(f.evaluateSizes({2}), std::nullopt);
  EXPECT_EQ(f.evaluateSizes({2, -1}), std::nullopt);
}

TEST(InterfaceTest, TravelsAsAModuleAttribute) {
  mlir::MLIRContext context;
  Errors errors(context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  std::vector<Interface> functions = {gpt2Small(), withDocuments()};
  functions[1].name = "packed";
  setInterfaces(*module, functions);
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
  mlir::FailureOr<std::vector<Interface>> read = getInterfaces(*module);
  ASSERT_TRUE(mlir::succeeded(read)) << errors.text;
  EXPECT_EQ(*read, functions);
}

TEST(InterfaceTest, RefusesAModuleWithoutTheAttribute) {
  mlir::MLIRContext context;
  Errors errors(context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  EXPECT_TRUE(mlir::failed(getInterfaces(*module)));
  EXPECT_EQ(errors.text, "the module has no attribute 'attnc.interface' with a "
                         "list of functions");
}

TEST(InterfaceTest, RefusesFunctionsWhoseSymbolsMeet) {
  mlir::MLIRContext context;
  Errors errors(context);
  Interface a = gpt2Small(), b = gpt2Small();
  a.name = "f";
  b.name = "f_raw";
  EXPECT_TRUE(
      mlir::succeeded(verifySymbols({a}, [&] { return errors.emit(); })));
  EXPECT_TRUE(
      mlir::failed(verifySymbols({a, b}, [&] { return errors.emit(); })));
  EXPECT_EQ(errors.text, "functions 'f' and 'f_raw' both define the symbol "
                         "'f_raw'; rename one");
  EXPECT_TRUE(mlir::failed(verifySymbols({}, [&] { return errors.emit(); })));
}

} // namespace
