//===- ConvertTileToLlvm.cpp - Lower tile programs to vector loops --------===//
//
// The `loops` emitter: a program becomes the functions of Functions.cpp, whose
// loops work on vectors through pointers. Everything that costs time is decided
// here or before (register tiles, slots, copies of bodies); the passes after it
// (Pipeline.cpp) and LLVM only translate.
//
//   tile.program @f(%Q: !tile.buf<..>, ..., %query_len: index) target
//   #tile.cpu<..> {
//     tile.grid (%i) to (%n) { ... tile.dot ... }
//   }
// becomes
//   func.func @f.grid0.tasks(%call: !llvm.ptr) -> i64
//   func.func @f.grid0.body(%call: !llvm.ptr, %scratch: !llvm.ptr, %task: i64)
//   {
//     ... scf.for { vector.fma ... : vector<16xf32> } ...
//   }
//
// Tests: test/Codegen/CPU/convert-tile-to-llvm.mlir,
// test/Codegen/CPU/convert-tile-to-llvm-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Codegen/CPU/Passes.h"

#include "Functions.h"
#include "Plan/JoinedGrids.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {
#define GEN_PASS_DEF_CONVERTTILETOLLVM
#include "attnc/Codegen/CPU/Passes.h.inc"
} // namespace attnc::cpu

/// Phases group ops for targets that overlap them; here they are only ops.
static void inlinePhases(attnc::tile::ProgramOp program) {
  SmallVector<attnc::tile::PhaseOp> phases;
  program.walk([&](attnc::tile::PhaseOp phase) { phases.push_back(phase); });
  for (attnc::tile::PhaseOp phase : phases) {
    Block &body = phase.getBody().front();
    Operation *yield = body.getTerminator();
    phase->replaceAllUsesWith(yield->getOperands());
    yield->erase();
    phase->getBlock()->getOperations().splice(phase->getIterator(),
                                              body.getOperations());
    phase->erase();
  }
}

/// Grids without a target of their own get the program's, so that grids of
/// programs with different targets can be compared.
static FailureOr<attnc::cpu::GridPlan> planGrid(attnc::tile::GridOp grid,
                                                attnc::tile::CpuAttr target) {
  if (std::optional<attnc::tile::TargetAttrInterface> own = grid.getTarget()) {
    target = cast<attnc::tile::CpuAttr>(*own); // grid_c3: of the same backend
    if (failed(attnc::cpu::checkTarget(grid, target)))
      return failure();
  }
  grid.setTargetAttr(target);
  return attnc::cpu::planGrid(grid, target);
}

static FailureOr<attnc::cpu::ProgramPlan>
planProgram(attnc::tile::ProgramOp program) {
  auto target = dyn_cast<attnc::tile::CpuAttr>(program.getTarget());
  if (!target)
    return program.emitOpError("has the target ")
           << program.getTarget()
           << ", but the CPU code generator needs #tile.cpu<...>";
  if (failed(attnc::cpu::checkTarget(program, target)))
    return failure();
  inlinePhases(program);
  attnc::cpu::ProgramPlan result{program, {}};
  std::vector<unsigned> joined = attnc::cpu::findJoinedGrids(program);
  for (Operation &op : program.getBody().front()) {
    if (auto grid = dyn_cast<attnc::tile::GridOp>(op)) {
      auto plan = planGrid(grid, target);
      if (failed(plan))
        return failure();
      plan->whole.joinedAxes = plan->piece.joinedAxes =
          joined[result.grids.size()];
      result.grids.push_back(std::move(*plan));
    } else if (!isa<attnc::tile::WorkspaceOp, attnc::tile::RenameOp>(op) &&
               (!isa<arith::ArithDialect>(op.getDialect()) ||
                op.getNumRegions())) {
      return op.emitOpError("is not allowed between the grids of a program; "
                            "only buffers and arithmetic on sizes are");
    }
  }
  return result;
}

namespace {
struct ConvertTileToLlvm final
    : attnc::cpu::impl::ConvertTileToLlvmBase<ConvertTileToLlvm> {
  void runOnOperation() override {
    std::vector<attnc::cpu::ProgramPlan> programs;
    for (auto program : getOperation().getOps<attnc::tile::ProgramOp>()) {
      FailureOr<attnc::cpu::ProgramPlan> plan = planProgram(program);
      if (failed(plan))
        return signalPassFailure();
      programs.push_back(std::move(*plan));
    }
    if (failed(attnc::cpu::emitFunctions(programs)))
      return signalPassFailure();
    for (attnc::cpu::ProgramPlan &plan : programs)
      plan.program.erase();
  }
};
} // namespace
