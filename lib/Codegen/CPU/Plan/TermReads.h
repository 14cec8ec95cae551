//===- TermReads.h - Tables that terms read by query ------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_PLAN_TERMREADS_H
#define ATTNC_LIB_CODEGEN_CPU_PLAN_TERMREADS_H

#include "Plan/Plan.h"

#include "llvm/ADT/SetVector.h"

namespace attnc::cpu {

/// Finds the reads of terms that are copied (TermReads.cpp), with `plan.lanes`
/// elements for each element of the sum.
void planTermReads(mlir::Block &block, Plan &plan);

/// The ops of a term that compute the indices of a read, and the read.
llvm::SetVector<mlir::Operation *> sliceOfRead(tile::ReadOp read);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_PLAN_TERMREADS_H
