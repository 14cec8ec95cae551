//===- StageTableTest.cpp - A second backend is one more entry ------------===//

#include "attnc/Pipeline/Backends.h"
#include "attnc/Target/Platform.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

constexpr StageEntry sketchStage = {"sketch", "canonicalize,symbol-dce", "",
                                    "sketch."};
constexpr OutputEntry sketchOutputs[] = {{"svg", ".svg", /*isText=*/true},
                                         {"asm", ".s", /*isText=*/true}};
constexpr TargetKind cpus[] = {TargetKind::Cpu};

/// The backends of the compiler and two more: one that continues from tile, and
/// one that only writes another output.
const StageTable &madeUpTable() {
  static const StageEntry *stages[] = {
      &stageTable()[*stageTable().parse("tile")], &sketchStage};
  static const std::vector<Backend> backends = [] {
    std::vector<Backend> list = stageTable().backends().vec();
    auto nothing = [](mlir::DialectRegistry &) {};
    list.push_back({"sketches", "Drawings of programs", cpus, stages,
                    sketchOutputs, nothing, [] {}});
    list.push_back(
        {"prose", "Programs told in words", {}, {}, {}, nothing, [] {}});
    return list;
  }();
  static const StageTable table(stageTable().sharedStages(), backends);
  return table;
}

std::string names(llvm::ArrayRef<Stage> stages, const StageTable &table) {
  std::string text;
  for (Stage stage : stages)
    text += (text.empty() ? "" : " ") + table[stage].name.str();
  return text;
}

std::string pathOf(llvm::StringRef backend, const StageTable &table) {
  return names(table.path(*table.findBackend(backend)), table);
}

TEST(StageTableTest, ThisCompiler) {
  const StageTable &table = stageTable();
  EXPECT_EQ(listStages(), "spec graph fused scheduled tile llvm nvvm");
  EXPECT_EQ(listSharedStages(), "spec graph fused scheduled");
  EXPECT_EQ(pathOf("llvm", table), "spec graph fused scheduled tile llvm");
  EXPECT_EQ(pathOf("nvptx", table), "spec graph fused scheduled tile nvvm");
  EXPECT_EQ(table.listBackends(), "llvm, halide, nvptx");
  EXPECT_EQ(pathOf("halide", table), "spec graph fused scheduled");
  EXPECT_EQ(table.findBackend("none"), nullptr);
  for (auto [stage, name] : {std::pair(Stage::Spec, "spec"),
                             {Stage::Graph, "graph"},
                             {Stage::Fused, "fused"},
                             {Stage::Scheduled, "scheduled"}})
    EXPECT_EQ(table.parse(name), stage);
}

TEST(StageTableTest, EveryProcessorHasABackend) {
  for (const Platform &platform : getPlatforms())
    for (const Target &target : platform.levels)
      EXPECT_NE(stageTable().backendFor(target.kind), nullptr)
          << target.name.str();
  // The first entry wins.
  EXPECT_EQ(madeUpTable().backendFor(TargetKind::Cpu)->name.str(), "llvm");
}

TEST(StageTableTest, StagesOfASecondBackend) {
  const StageTable &table = madeUpTable();
  EXPECT_EQ(listStages(table),
            "spec graph fused scheduled tile llvm nvvm sketch");
  EXPECT_EQ(listSharedStages(table), "spec graph fused scheduled");
  EXPECT_EQ(pathOf("llvm", table), "spec graph fused scheduled tile llvm");
  EXPECT_EQ(pathOf("sketches", table),
            "spec graph fused scheduled tile sketch");
  EXPECT_EQ(pathOf("prose", table), "spec graph fused scheduled");
  EXPECT_EQ(table.listBackends(), "llvm, halide, nvptx, sketches, prose");
  std::optional<Stage> stage = table.parse("sketch");
  ASSERT_TRUE(stage.has_value());
  EXPECT_GT(*stage, Stage::Scheduled);
  EXPECT_EQ(table.stageOfOp("sketch.line"), stage);
  EXPECT_EQ(table.stageOfOp("tile.program"), table.parse("tile"));
  EXPECT_EQ(table.stageOfOp("tile.grid"), std::nullopt);
  EXPECT_EQ(table.stageOfOp("func.func"), std::nullopt);
  EXPECT_EQ(stageTable().parse("sketch"), std::nullopt);
}

TEST(StageTableTest, OutputsOfASecondBackend) {
  std::vector<std::string> kinds;
  for (const OutputKind &kind : madeUpTable().outputKinds())
    kinds.push_back(kind.name.str() + kind.suffix);
  EXPECT_EQ(
      llvm::join(kinds, " "),
      "spec.spec.yaml graph.graph.mlir accounting.accounting.json "
      "fused.fused.mlir scheduled.scheduled.mlir tile.tile.mlir "
      "llvm.llvm.mlir nvvm.nvvm.mlir sketch.sketch.mlir asm.s halide.halide "
      "halide-html.html kernels.kernels "
      "ptx.ptx cubin.cubin sass.sass nvptx-ir.ll svg.svg obj.o header.h");
}

TEST(StageTableTest, PassesOfASecondBackend) {
  const StageTable &table = madeUpTable();
  mlir::registerPass([] { return mlir::createSymbolDCEPass(); });
  EXPECT_FALSE(isPassName("symbol-dce"));
  EXPECT_TRUE(isPassName("symbol-dce", table));
  EXPECT_EQ(similarPass("symbol-dse", table), "symbol-dce");
  std::string text;
  llvm::raw_string_ostream os(text);
  printPasses(os, table);
  size_t place = text.find("passes to stage sketch:\n  canonicalize ");
  ASSERT_NE(place, std::string::npos) << text;
  EXPECT_NE(text.find("\n  symbol-dce ", place), std::string::npos) << text;
}

TEST(StageTableTest, PipelinesOfASecondBackend) {
  const StageTable &table = madeUpTable();
  std::string text;
  for (auto [from, to] : table.steps())
    text += (table[from].name + "-" + table[to].name + " ").str();
  EXPECT_EQ(text, "graph-fused fused-scheduled scheduled-tile tile-llvm "
                  "tile-nvvm tile-sketch ");
  mlir::registerPass([] { return mlir::createSymbolDCEPass(); });
  registerStagePipelines(table);
  mlir::MLIRContext context;
  mlir::PassManager manager(&context);
  ASSERT_TRUE(mlir::succeeded(
      mlir::parsePassPipeline("attnc-tile-to-sketch{cpu=x86-64-v4}", manager)));
  EXPECT_EQ(manager.size(), 2u);
}

} // namespace
