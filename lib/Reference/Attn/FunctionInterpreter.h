//===- FunctionInterpreter.h - Runs functions of attn ops -------*- C++ -*-===//
//
// State and dispatch; one .cpp per family of ops: GraphOps.cpp (the unfused
// graph), Kernel.cpp (attn.kernel).
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_REFERENCE_ATTN_FUNCTIONINTERPRETER_H
#define ATTNC_LIB_REFERENCE_ATTN_FUNCTIONINTERPRETER_H

#include "Tensor/Space.h"

#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Reference/Interpreter.h"

namespace attnc::reference {

/// More places of a mask are not looked at.
inline constexpr double maxCountedPlaces = 0x1p26;

template <typename Real> Array<Real> toArray(const Tensor &tensor);
template <typename Real>
Tensor toTensor(const Array<Real> &array, mlir::Type element);
/// Positions of "bhgqk" as names of axes.
llvm::SmallVector<std::string> letterNames(llvm::StringRef letters);

/// Whether the mask of a kernel reads what an earlier op of the function
/// computed.
bool readsResults(mlir::func::FuncOp function);

template <typename Real> class FunctionInterpreter {
public:
  FunctionInterpreter(const Sizes &sizes, Arithmetic arithmetic)
      : sizes(sizes), arithmetic(arithmetic) {}

  /// Only count what kernels have to do; their results are zeros.
  bool countsOnly = false;
  /// Results of products are zeros: nothing that is counted depends on them.
  bool skipsProducts = false;
  double flop = 0;
  /// Called with each kernel, the extents of b, h, g and q, the number of keys
  /// and of each sequence's rows. With `countsOnly` nothing else is counted.
  std::function<mlir::LogicalResult(attn::KernelOp, llvm::ArrayRef<int64_t>,
                                    int64_t, llvm::ArrayRef<int64_t>,
                                    RegionEvaluator<Real> &)>
      lookAt;

  mlir::FailureOr<std::vector<Tensor>> run(mlir::func::FuncOp function,
                                           llvm::ArrayRef<Tensor> inputs);

  /// What normalisers took exponentials of, after a run.
  std::vector<Real> exponents(mlir::func::FuncOp function) const;

  /// See reference::countAllowed.
  mlir::FailureOr<double> countAllowed(attn::MaskOp mask,
                                       mlir::func::FuncOp function,
                                       llvm::ArrayRef<Tensor> inputs);

private:
  mlir::LogicalResult runOp(mlir::Operation &op);
  mlir::LogicalResult run(attn::ViewOp op);
  mlir::LogicalResult run(attn::ContractOp op);
  mlir::LogicalResult run(attn::MapOp op);
  mlir::LogicalResult run(attn::MaskOp op);
  mlir::LogicalResult run(attn::NormalizeOp op);
  mlir::LogicalResult run(attn::ReduceOp op);
  mlir::LogicalResult run(attn::KernelOp op);
  mlir::LogicalResult run(attn::UnpackOp op);
  mlir::LogicalResult run(attn::PackOp op);
  mlir::LogicalResult run(attn::PlaceOp op);
  mlir::LogicalResult run(attn::PagesOp op);
  mlir::LogicalResult run(attn::SliceOp op);
  mlir::LogicalResult run(attn::ConcatOp op);
  mlir::LogicalResult run(attn::AppendOp op);
  mlir::LogicalResult run(attn::ScanOp op);
  /// The number of rows of a sequence that exist: of each where the rows of
  /// `q` are views of a ragged tensor, else all.
  std::vector<int64_t> lengthsOf(mlir::Value q, int64_t batch, int64_t rows);

  /// The array of a value whose axes are named by `letters`.
  mlir::FailureOr<Array<Real>> named(mlir::Value value,
                                     llvm::StringRef letters) const;
  /// The value of a size of a type, or nothing if the call does not say it.
  std::optional<int64_t> extentOf(mlir::Attribute size) const;
  /// Extents of `letters` from named operands, else from the sizes that the
  /// type of `result` names.
  mlir::FailureOr<Space> spaceOf(mlir::Value result, llvm::StringRef letters,
                                 llvm::ArrayRef<const Array<Real> *> operands);
  mlir::FailureOr<Array<Real>> runInit(mlir::Region &region, const Space &rows);
  void define(mlir::Value result, Array<Real> array);
  RegionEvaluator<Real> evaluator();
  mlir::FailureOr<Column<Real>>
  runOwn(mlir::Operation *op, llvm::ArrayRef<const Column<Real> *> operands);

  const Sizes &sizes;
  Arithmetic arithmetic;
  llvm::DenseMap<mlir::Value, Array<Real>> arrays;
  llvm::DenseMap<mlir::Value, Column<Real>> scalars;
};

/// The nearest number with 10 bits of mantissa, ties away from zero: what
/// cvt.rna.tf32.f32 of PTX makes of a float.
float roundToTf32(float value);

/// acc + a * b, product and sum rounded each, and of f32 also the factors where
/// the function allows tf32. The accumulate type is f32 or f64.
template <typename Real> class MultiplyAdd {
public:
  MultiplyAdd(mlir::Type type, Arithmetic arithmetic)
      : roundsToSingle(arithmetic.rounded && type.isF32()),
        roundsToTf32(roundsToSingle && arithmetic.roundsToTf32) {}
  Real operator()(Real acc, Real a, Real b) const {
    if (!roundsToSingle)
      return acc + a * b;
    if (roundsToTf32) {
      a = roundToTf32(static_cast<float>(a));
      b = roundToTf32(static_cast<float>(b));
    }
    return static_cast<float>(acc + static_cast<float>(a * b));
  }

private:
  bool roundsToSingle, roundsToTf32;
};

} // namespace attnc::reference

#endif // ATTNC_LIB_REFERENCE_ATTN_FUNCTIONINTERPRETER_H
