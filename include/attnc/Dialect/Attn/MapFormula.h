//===- MapFormula.h - Letters and parts of a map's formula ------*- C++ -*-===//
//
// Tests: test/Fusion/factor-values.mlir, test/Graph/distribute-products.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_MAPFORMULA_H
#define ATTNC_DIALECT_ATTN_MAPFORMULA_H

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include <string>

namespace attnc::attn {

/// `letters`, each of which is in `from`, as those at the same places of `to`.
std::string renameLetters(llvm::StringRef letters, llvm::StringRef from,
                          llvm::StringRef to);

/// The letters of an input, in `letters` of the map's result.
std::string lettersOfInput(MapOp map, llvm::StringRef letters, unsigned input);

/// All of `letters`, which are those of the map's result, that `value` of its
/// region depends on.
std::string lettersOf(MapOp map, llvm::StringRef letters, mlir::Value value);

/// Clones what `value` is made of in `from`, whose arguments `places` has.
mlir::Value cloneValue(mlir::OpBuilder &b, mlir::Block &from, mlir::Value value,
                       mlir::IRMapping &places);

} // namespace attnc::attn

#endif // ATTNC_DIALECT_ATTN_MAPFORMULA_H
