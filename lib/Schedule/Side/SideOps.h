//===- SideOps.h - Ops outside kernels that are scheduled -------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_SIDE_SIDEOPS_H
#define ATTNC_LIB_SCHEDULE_SIDE_SIDEOPS_H

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::schedule {

/// Whether an op writes a tensor to memory that no kernel makes: what needs an
/// `attn.block`. Masks are formulas of their users, views are indices.
bool isSideOp(mlir::Operation *op);

/// Replaces a product by one whose sums are of type `element`; a map behind
/// `last`, the product or a later op, makes what others read. The new product
/// has the attributes of the old one. `product` has no mask.
attn::ContractOp changeSums(attn::ContractOp product, mlir::Type element,
                            mlir::Operation *last);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_SIDE_SIDEOPS_H
