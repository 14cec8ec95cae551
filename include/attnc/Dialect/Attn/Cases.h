//===- Cases.h - Blocks of ops for some sizes of a call ---------*- C++ -*-===//
//
// What suits many rows may not suit a few, and a call tells which it has. An op
// outside kernels may therefore list blocks beside its own, each for calls with
// at most so many elements along an axis:
//
//   %y = attn.contract "qd,de->qe" (%x, %w) {attn.block = #many,
//          attn.cases = [#attn.case<axis = "q", most = 8, block = #eight>]}
//
// Schedule decides them, Lowering writes a grid for each, and all but one are
// empty in a call. Tests: test/Schedule/products.mlir,
// test/Lowering/cases.mlir, test/Schedule/Cpu/cases-invalid.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_CASES_H
#define ATTNC_DIALECT_ATTN_CASES_H

#include "attnc/Dialect/Attn/Attn.h"

#include <string>

namespace attnc::attn {

/// The attribute of ops that lists their cases.
inline constexpr llvm::StringLiteral kCases = "attn.cases";

/// The cases of an op in the order in which they are tried; there may be none.
/// The attribute has no problem (below).
llvm::SmallVector<CaseAttr> casesOf(mlir::Operation *op);
/// Sets the cases of an op; none: removes the attribute.
void setCases(mlir::Operation *op, llvm::ArrayRef<CaseAttr> cases);
/// The blocks of an op in all calls: those of its cases, then its own.
llvm::SmallVector<BlockAttr> blocksOf(mlir::Operation *op);

/// What is wrong with the cases of an op whatever its target, or an empty text:
/// they are a list of #attn.case beside an attn.block, have blocks that differ
/// from it in sizes and target only, and each holds in some calls in which none
/// before it does.
std::string findCasesProblem(mlir::Operation *op);

} // namespace attnc::attn

#endif // ATTNC_DIALECT_ATTN_CASES_H
