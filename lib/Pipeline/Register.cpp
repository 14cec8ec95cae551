//===- Register.cpp - The dialects and passes of all stages ---------------===//

#include "PassTable.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Tile/Tile.h"
#include "attnc/Fusion/Passes.h"
#include "attnc/Graph/Passes.h"
#include "attnc/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace attnc {

void registerDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, attn::AttnDialect, func::FuncDialect,
                  math::MathDialect, scf::SCFDialect, tile::TileDialect,
                  ub::UBDialect>();
  for (const Backend &backend : stageTable().backends())
    backend.registerDialects(registry);
}

void registerAllPasses() {
  static const bool once = [] {
    graph::registerGraphPasses();
    fusion::registerFusionPasses();
    schedule::registerSchedulePasses();
    registerCanonicalizerPass();
    registerCSEPass();
    for (const Backend &backend : stageTable().backends())
      backend.registerPasses();
    return true;
  }();
  (void)once;
}

} // namespace attnc
