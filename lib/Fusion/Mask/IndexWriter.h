//===- IndexWriter.h - Write index expressions as ops -----------*- C++ -*-===//
//
// What the analysis of masks found, as the regions `ranges` and `classify` of a
// kernel.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_FUSION_MASK_INDEXWRITER_H
#define ATTNC_LIB_FUSION_MASK_INDEXWRITER_H

#include "attnc/Analysis/Mask/MaskRegion.h"
#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/DenseMap.h"

namespace attnc::fusion {

/// The extent of the key axis of a kernel, a number or the name or formula of a
/// size; null if it cannot be written down.
mlir::Attribute keyCountOf(attn::KernelOp kernel);

/// What the interface of the module promises about the arguments of a function.
TableFactsOf tableFactsOf(mlir::func::FuncOp function);

/// Writes expressions as ops of arith at the end of a block, each once.
class IndexWriter {
public:
  using Value = mlir::Value;

  /// `to` has the arguments (b, h, g, q0, q1) and perhaps k0 and k1.
  IndexWriter(mlir::OpBuilder &builder, mlir::Location loc, IndexExprs &exprs,
              const MaskRegion &mask, mlir::Attribute keyCount,
              mlir::Block &to);

  Value write(IndexExpr expr);
  Value write(const MaskCondition *condition);
  Value write(RealExpr expr);

private:
  using Term = std::pair<IndexExpr, int64_t>;

  Value writeSize(mlir::StringAttr size);
  Value writeSymbol(unsigned number);
  Value writeTable(IndexExpr expr);
  Value writeSum(IndexExpr sum);
  llvm::SmallVector<Term> getTerms(IndexExpr sum);
  Value writeAtLeastZero(IndexExpr expr);
  Value writeNewCondition(IndexExpr expr);
  Value writeSelect(IndexExpr expr);
  Value writeReal(RealExpr expr);
  Value writeLogic(const MaskCondition *condition);
  Value getConstant(int64_t value);
  Value copySlice(Value v);

  template <typename Op> Value create(Value a) {
    return Op::create(builder, loc, a);
  }
  template <typename Op> Value create(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  IndexExprs &exprs;
  const MaskRegion &mask;
  mlir::Attribute keyCount;
  mlir::IRMapping mapping;
  llvm::DenseMap<IndexExpr, Value> written, conditions;
  llvm::DenseMap<const MaskCondition *, Value> truths;
  llvm::DenseMap<RealExpr, Value> writtenReals;
  llvm::DenseMap<int64_t, Value> constants;
};

} // namespace attnc::fusion

#endif // ATTNC_LIB_FUSION_MASK_INDEXWRITER_H
