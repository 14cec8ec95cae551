//===- VerifyProgram.cpp - The contract of stage `tile` -------------------===//
//
// Constraints: Passes.td.
// Tests: test/Dialect/Tile/verify-program.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Tile/Passes.h"
#include "attnc/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace attnc::tile {
#define GEN_PASS_DEF_VERIFYPROGRAM
#include "attnc/Dialect/Tile/Passes.h.inc"
} // namespace attnc::tile

using namespace attnc::tile;

static bool isKnown(Operation *op) {
  if (isa<scf::IfOp, scf::YieldOp>(op))
    return true;
  return isa<TileDialect, arith::ArithDialect, math::MathDialect>(
      op->getDialect());
}

/// verify_program_c3 and c4 for one op.
static LogicalResult verifyOp(Operation *op) {
  if (!isKnown(op)) // c4
    return op->emitOpError("does not belong to stage tile; expected ops of "
                           "tile, arith and math, scf.if and scf.yield");
  bool inGrid = op->getParentOfType<GridOp>() != nullptr;
  if (isa<GridOp>(op)) {
    if (!isa<ProgramOp>(op->getParentOp())) // c3
      return op->emitOpError("must stand directly in tile.program");
    return success();
  }
  auto isTile = [](Type type) { return isa<TileType>(type); };
  if (!inGrid && (llvm::any_of(op->getOperandTypes(), isTile) ||
                  llvm::any_of(op->getResultTypes(), isTile))) // c4
    return op->emitOpError("computes tiles outside of a tile.grid");
  return success();
}

namespace {
struct VerifyProgram final
    : attnc::tile::impl::VerifyProgramBase<VerifyProgram> {
  void runOnOperation() override {
    for (Operation &op : *getOperation().getBody()) {
      auto program = dyn_cast<ProgramOp>(op);
      if (!program) { // c1
        op.emitOpError("does not belong to stage tile; expected tile.program");
        return signalPassFailure();
      }
      WalkResult result = program.getBody().walk(
          [](Operation *inner) { return WalkResult(verifyOp(inner)); });
      if (result.wasInterrupted())
        return signalPassFailure();
    }
  }
};
} // namespace
