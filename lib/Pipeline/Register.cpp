//===- Register.cpp - The dialects and passes of all stages ---------------===//

#include "PassTable.h"

#include "attnc/Codegen/CPU/Passes.h"
#include "attnc/Codegen/CPU/Pipeline.h"
#include "attnc/Codegen/Common/Passes.h"
#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Tile/Passes.h"
#include "attnc/Dialect/Tile/Tile.h"
#include "attnc/Fusion/Passes.h"
#include "attnc/Graph/Passes.h"
#include "attnc/Lowering/Passes.h"
#include "attnc/Schedule/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace attnc {

void registerDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, attn::AttnDialect,
                  cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                  math::MathDialect, scf::SCFDialect, tile::TileDialect,
                  ub::UBDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

void registerAllPasses() {
  static const bool once = [] {
    graph::registerGraphPasses();
    fusion::registerFusionPasses();
    schedule::registerSchedulePasses();
    lowering::registerLoweringPasses();
    tile::registerDialectTilePasses();
    codegen::registerCodegenCommonPasses();
    cpu::registerCodegenCPUPasses();
    cpu::registerTileToLlvmPipeline();
    registerCanonicalizerPass();
    registerCSEPass();
    return true;
  }();
  (void)once;
}

} // namespace attnc
