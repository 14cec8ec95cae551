//===- CheckStagesTest.cpp - A pass that changes the meaning is named -----===//

#include "attnc/Pipeline/CheckStages.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Pipeline/Stages.h"
#include "attnc/Pipeline/Translate.h"
#include "attnc/Spec/Parse.h"
#include "attnc/Target/Target.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

/// Multiplies each kernel's scale: wrong unless the factor is 1.
struct ScalePass
    : mlir::PassWrapper<ScalePass, mlir::OperationPass<mlir::ModuleOp>> {
  explicit ScalePass(double factor) : factor(factor) {}
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScalePass)
  llvm::StringRef getArgument() const override { return "test-scale"; }
  void runOnOperation() override {
    getOperation().walk([&](attn::KernelOp kernel) {
      mlir::Builder b(kernel.getContext());
      double scale = kernel.getScale().convertToDouble();
      kernel->setAttr("scale", b.getF64FloatAttr(scale * factor));
      kernel->setAttr("test.changed", b.getUnitAttr());
    });
  }
  double factor;
};

/// What the checker prints when the pass runs behind stage fused.
std::string checkPass(double factor, bool &failed) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    if (d.getSeverity() == mlir::DiagnosticSeverity::Error)
      errors += d.str() + "\n";
  });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(
          "attnc: 1\nheads: 2\nhead_dim: 4\nmask: causal\n", "layer.yaml"),
      llvm::SMLoc());
  SourceDiagnostics diagnostics(sources);
  auto specs = spec::parseSpecs(sources, diagnostics);
  auto module = importModule(context, sources, *specs);
  PipelineOptions options;
  options.target = &getDefaultTarget();
  EXPECT_TRUE(
      mlir::succeeded(advance(*module, Stage::Graph, Stage::Fused, options)));

  std::string text;
  llvm::raw_string_ostream os(text);
  StageChecker checker(options, os);
  checker.sizes["query_len"] = 3;
  mlir::PassManager manager(&context);
  options.instrument(manager);
  manager.addPass(std::make_unique<ScalePass>(factor));
  EXPECT_TRUE(mlir::succeeded(manager.run(*module)));
  failed = checker.failed();
  return text + errors;
}

TEST(CheckStages, names_the_pass_that_changes_the_result) {
  bool failed = false;
  std::string text = checkPass(1.5, failed);
  EXPECT_TRUE(failed);
  EXPECT_NE(text.find("test-scale               differs  layer"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("'test-scale' changes the result [check-stages]"),
            std::string::npos)
      << text;
}

TEST(CheckStages, a_pass_that_keeps_the_result_is_the_same) {
  bool failed = true;
  EXPECT_EQ(checkPass(1, failed),
            "layer: batch 2, query_len 3, kv_len 37, integer and random "
            "inputs, float64\n"
            "  test-scale               same\n");
  EXPECT_FALSE(failed);
}

} // namespace
