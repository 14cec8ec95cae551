//===- Fixture.h - Parsing IR for tests of the interpreters -----*- C++ -*-===//

#ifndef ATTNC_TEST_UNIT_REFERENCE_FIXTURE_H
#define ATTNC_TEST_UNIT_REFERENCE_FIXTURE_H

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Tile/Tile.h"
#include "attnc/Reference/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace attnc::reference {

class InterpreterTest : public testing::Test {
protected:
  InterpreterTest() {
    context.loadDialect<mlir::arith::ArithDialect, attn::AttnDialect,
                        mlir::func::FuncDialect, mlir::math::MathDialect,
                        mlir::scf::SCFDialect, tile::TileDialect>();
  }

  /// The first op of a module of `text`.
  template <typename Op> Op parse(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return mlir::cast<Op>(module->getBody()->front());
  }

  Tensor f32(std::vector<double> values, llvm::ArrayRef<int64_t> shape) {
    Tensor tensor = makeTensor(mlir::Builder(&context).getF32Type(), shape);
    EXPECT_EQ(tensor.real.size(), values.size());
    tensor.real = std::move(values);
    return tensor;
  }
  Tensor truth(std::vector<int64_t> values, llvm::ArrayRef<int64_t> shape) {
    Tensor tensor = makeTensor(mlir::Builder(&context).getI1Type(), shape);
    tensor.integer = std::move(values);
    return tensor;
  }

  Tensor i32(std::vector<int64_t> values, llvm::ArrayRef<int64_t> shape) {
    Tensor tensor = makeTensor(mlir::Builder(&context).getI32Type(), shape);
    tensor.integer = std::move(values);
    return tensor;
  }

  /// Results of a function in exact arithmetic.
  std::vector<Tensor> run(llvm::StringRef text, std::vector<Tensor> inputs,
                          const Sizes &sizes = {},
                          Precision precision = Precision::Exact) {
    auto results =
        interpret(parse<mlir::func::FuncOp>(text), inputs, sizes, precision);
    EXPECT_TRUE(mlir::succeeded(results));
    return mlir::succeeded(results) ? *results : std::vector<Tensor>();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace attnc::reference

#endif // ATTNC_TEST_UNIT_REFERENCE_FIXTURE_H
