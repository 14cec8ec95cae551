//===- Accounting.h - Account for the work of a function --------*- C++ -*-===//
//
// Parameters, multiply-adds and bytes of a function at stage graph, as formulas
// of its sizes: one visitor of the ops, evaluated wherever somebody asks.
// Tests: test/Tools/accounting.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_COST_ACCOUNTING_H
#define ATTNC_ANALYSIS_COST_ACCOUNTING_H

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Interface/Interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// An input that has no axis of a batch or of rows: the same for all tokens.
struct WeightAccount {
  std::string name;
  std::vector<SizeExpr> axes;
  SizeExpr elements;
  int64_t bytesPerElement = 0;
  /// The heads that share it out, if an axis is a formula of them.
  std::optional<SizeExpr> heads;

  bool isMatrix() const { return axes.size() >= 2; }
};

/// A product of the graph.
struct ProductAccount {
  std::string labels;
  /// 2 for each multiply-add, masked ones included.
  SizeExpr flops;
  /// The mask that leaves out products or weighs them 0, and its places; null:
  /// all count.
  attn::MaskOp mask;
  SizeExpr places;
};

struct Account {
  std::vector<WeightAccount> weights;
  std::vector<ProductAccount> products;
  /// What a call has to read and write at least, each byte once.
  SizeExpr weightBytes, inputBytes, outputBytes;
  /// Of K and V that one more token adds to a cache: rows of inputs that are
  /// changed in place, else of the tensors with an axis of keys, and none of
  /// queries, that scores and results are made of.
  SizeExpr cacheBytesPerToken;
};

/// The account of a function at stage graph, which is verified; nothing where
/// an axis has no size.
std::optional<Account> accountFor(mlir::func::FuncOp function,
                                  const Interface &interface);

} // namespace attnc

#endif // ATTNC_ANALYSIS_COST_ACCOUNTING_H
