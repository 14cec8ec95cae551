//===- LinearMatch.h - Match linear attention in a graph --------*- C++ -*-===//
//
// Scores that are products of what belongs to the query and what belongs to the
// key, and weights that are these scores, maybe divided by their sum.
// Tests: test/Fusion/reorder-products.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_FUSION_KERNEL_LINEARMATCH_H
#define ATTNC_LIB_FUSION_KERNEL_LINEARMATCH_H

#include "attnc/Dialect/Attn/Attn.h"

#include <optional>
#include <string>

namespace attnc::fusion {

/// Linear attention from the product of the scores to the product with the
/// values. Letters are those of the ops.
struct LinearMatch {
  /// A factor of a score, in the region of `formula`; `inverse`: the score is
  /// divided by it.
  struct Factor {
    mlir::Value value;
    bool inverse;
  };

  attn::ContractOp value, product;
  attn::NormalizeOp norm;
  attn::MapOp formula; // may be null
  mlir::Value query, key;
  std::string pairs, rows, queryLetters, keyLetters, valueLetters, outLetters;
  char over = 0;
  llvm::SmallVector<Factor> ofQuery, ofKey;

  /// The axes of keys times values, summed over keys.
  std::string stateLetters() const;
};

/// Linear attention up to the product with the values, or nothing.
std::optional<LinearMatch> matchLinear(attn::ContractOp value);

/// The letters that are none of `others`.
std::string without(llvm::StringRef letters, llvm::StringRef others);

} // namespace attnc::fusion

#endif // ATTNC_LIB_FUSION_KERNEL_LINEARMATCH_H
