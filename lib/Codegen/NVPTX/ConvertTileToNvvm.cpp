//===- ConvertTileToNvvm.cpp - Lower tile programs to GPU kernels ---------===//
//
//   tile.program @f(%Q: !tile.buf<..>, ..., %query_len: index) target
//   #tile.nvptx<..> {
//     tile.grid (%i) to (%n) { ... tile.dot ... }
//   }
// becomes
//   func.func @f.grid0.tasks(%call: !llvm.ptr) -> i64
//   func.func @f$grid0(%Q: !llvm.ptr<1>, %stride: i64, ...) {
//     ... llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16..." ...
//   }
//
// Tests: test/Codegen/NVPTX/convert-tile-to-nvvm.mlir,
// test/Codegen/NVPTX/convert-tile-to-nvvm-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Codegen/NVPTX/Passes.h"

#include "Functions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc::ptx {
#define GEN_PASS_DEF_CONVERTTILETONVVM
#include "attnc/Codegen/NVPTX/Passes.h.inc"
} // namespace attnc::ptx

/// Phases group ops for overlap; here they are only ops.
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

namespace {
struct ConvertTileToNvvm final
    : attnc::ptx::impl::ConvertTileToNvvmBase<ConvertTileToNvvm> {
  using ConvertTileToNvvmBase::ConvertTileToNvvmBase;

  void runOnOperation() override {
    const attnc::Target *gpu = attnc::lookupTarget(target);
    if (!gpu || gpu->kind != attnc::TargetKind::Gpu) {
      emitError(getOperation().getLoc())
          << "the NVPTX code generator has no target '" << target << "'";
      return signalPassFailure();
    }
    SmallVector<attnc::tile::ProgramOp> programs(
        getOperation().getOps<attnc::tile::ProgramOp>());
    for (attnc::tile::ProgramOp program : programs) {
      if (failed(attnc::ptx::checkProgram(program, *gpu)))
        return signalPassFailure();
      inlinePhases(program);
      if (failed(attnc::ptx::emitFunctions(program, *gpu)))
        return signalPassFailure();
      program.erase();
    }
  }
};
} // namespace
