//===- ConvertLoopsToLlvm.cpp - Loops on vectors become the LLVM dialect --===//
//
// One conversion for all dialects that the emitters write, but for scf, which
// became cf before. A pass for each dialect would walk the whole module, and
// cast the types at its border, again and again: it took a fifth of a compile.
//
//   cf.br ^bb1(%0 : index) ... vector.fma ... : vector<8xf32>
// becomes
//   llvm.br ^bb1(%0 : i64) ... llvm.intr.fma(...) : vector<8xf32>
//
// Tests: test/Codegen/Common/convert-loops-to-llvm.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Codegen/Common/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace attnc::codegen {
#define GEN_PASS_DEF_CONVERTLOOPSTOLLVM
#include "attnc/Codegen/Common/Passes.h.inc"
} // namespace attnc::codegen

/// Ops that the conversion of the vector dialect expects to be taken apart.
static LogicalResult takeApartVectors(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp,
            vector::ShapeCastOp>(op))
      ops.push_back(op);
  });
  RewritePatternSet patterns(root->getContext());
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  return applyOpPatternsGreedily(ops, std::move(patterns));
}

namespace {
struct ConvertLoopsToLlvm final
    : attnc::codegen::impl::ConvertLoopsToLlvmBase<ConvertLoopsToLlvm> {
  void runOnOperation() override {
    if (failed(takeApartVectors(getOperation())))
      return signalPassFailure();
    LLVMTypeConverter types(&getContext());
    RewritePatternSet patterns(&getContext());
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    populateVectorToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    populateFuncToLLVMConversionPatterns(types, patterns);
    ub::populateUBToLLVMConversionPatterns(types, patterns);
    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp>();
    if (failed(
            applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
