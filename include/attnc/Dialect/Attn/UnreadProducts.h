//===- UnreadProducts.h - Products that no formula reads --------*- C++ -*-===//
//
// A score has Q @ K as its first number, also where its formula is of other
// products only. Nobody computes that one, and nobody should count it.
// Tests: test/Tools/accounting.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_UNREADPRODUCTS_H
#define ATTNC_DIALECT_ATTN_UNREADPRODUCTS_H

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::attn {

/// Whether a formula of a kernel needs the sum over features of Q and K: a
/// table, or how many keys there are, does not.
bool readsFirstSum(KernelOp kernel);

/// Whether somebody reads elements of a tensor: a formula that has it among its
/// inputs only does not.
bool isRead(mlir::Value tensor);

} // namespace attnc::attn

#endif // ATTNC_DIALECT_ATTN_UNREADPRODUCTS_H
