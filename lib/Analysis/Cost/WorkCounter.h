//===- WorkCounter.h - Counters of work -------------------------*- C++ -*-===//
//
// What counting the work of single ops and of kernels has in common.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_ANALYSIS_COST_WORKCOUNTER_H
#define ATTNC_LIB_ANALYSIS_COST_WORKCOUNTER_H

#include "attnc/Analysis/Cost/Work.h"
#include "attnc/Analysis/Kernel/VisitedRows.h"
#include "attnc/Dialect/Attn/Attn.h"

#include "llvm/ADT/DenseSet.h"

#include <map>

namespace attnc {

/// How many values each letter of an op has.
class Extents {
public:
  /// The first extent of a letter counts.
  void add(char letter, double extent) { extents.insert({letter, extent}); }
  /// The places that differ in one of `letters`.
  double places(llvm::StringRef letters) const;

private:
  std::map<char, double> extents;
};

class WorkCounter {
public:
  WorkCounter(mlir::func::FuncOp function, const Interface *interface,
              const Regime &regime, const Target &target);

  Work run();

private:
  double extentOf(mlir::Type tensor, unsigned axis) const;
  double elementsOf(mlir::Type tensor) const;
  /// Of the rows that kernels visit, where nobody else reads a tensor.
  double shareOf(mlir::Value tensor);
  double bytesOf(mlir::Value tensor) const;
  Extents extentsOf(llvm::StringRef letters, mlir::Value tensor) const;

  /// Operations of a formula, each as often as `places` says of the letters
  /// that it depends on. `arguments` has those of each argument of the block.
  double countFormula(mlir::Block &block, llvm::ArrayRef<std::string> arguments,
                      llvm::function_ref<double(llvm::StringRef)> places) const;

  void countMemory(mlir::Operation *op);
  void countContract(attn::ContractOp op);
  void countMap(attn::MapOp op);
  void countMask(mlir::Value mask);
  void countNormalize(attn::NormalizeOp op);
  void countReduce(attn::ReduceOp op);
  void countPairs(mlir::Value scores, llvm::StringRef labels,
                  llvm::StringRef key, mlir::Value mask);
  void countKernel(attn::KernelOp op);
  void countKernelFormulas(attn::KernelOp op, const Extents &extents,
                           double visitedShare, double maskedShare);

  mlir::func::FuncOp function;
  const Interface *interface;
  const Regime &regime;
  const Target &target;
  /// Axes of rows that lie behind each other, once for each sequence: the size
  /// of such an axis is that of all sequences.
  struct RaggedAxes {
    mlir::Attribute sequences, rows;
  };
  llvm::SmallVector<RaggedAxes, 2> ragged;
  llvm::DenseSet<mlir::Value> returned;
  VisitedRowsOf visited;
  llvm::DenseMap<mlir::Operation *, double> visitedShares; // of kernels
  Work work;
};

} // namespace attnc

#endif // ATTNC_LIB_ANALYSIS_COST_WORKCOUNTER_H
