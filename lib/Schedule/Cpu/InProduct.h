//===- InProduct.h - Ops computed in the blocks of a product ----*- C++ -*-===//
//
// Tests: test/Schedule/Cpu/in-product.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_CPU_INPRODUCT_H
#define ATTNC_LIB_SCHEDULE_CPU_INPRODUCT_H

#include "Side/SideChoice.h"

#include "attnc/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc::schedule::cpu {

/// The most rows of a block of a product.
inline constexpr int64_t kMostRows = 288;

/// Marks the maps and products with vectors that products of matrices compute
/// in their blocks (attnc/Dialect/Attn/InProduct.h).
void placeInProducts(mlir::func::FuncOp function, const Target &target);

/// The axes of a product of matrices whose lanes are those of the operand with
/// which marked ops belong to it; of one without such ops the best ones.
std::optional<SideChoice> chooseDotOf(attn::ContractOp op, const SideAxes &axes,
                                      int64_t lanes);

/// Whether nothing but the product is computed in its blocks, without
/// compensation.
bool isAlone(attn::ContractOp op);

/// Why a marked op belongs to no product, or an empty text.
std::string findPlaceProblem(mlir::Operation *op, const Target &target);

} // namespace attnc::schedule::cpu

#endif // ATTNC_LIB_SCHEDULE_CPU_INPRODUCT_H
