//===- MaskRegion.h - The mask of a kernel as cases -------------*- C++ -*-===//
//
// Reads the mask region of an attn.kernel into the form that MaskRanges solves.
// What does not depend on the row and the key is one symbol, however it is
// computed: a size, a table's entry, a whole formula of them. What depends on
// them in a way that is not understood is an opaque condition; the rest of the
// mask keeps its meaning.
// Tests: test/Fusion/mask-ranges.mlir, test/Unit/Fusion/MaskRangesPassTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_MASK_MASKREGION_H
#define ATTNC_ANALYSIS_MASK_MASKREGION_H

#include "attnc/Analysis/Mask/MaskCondition.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Value.h"

#include <functional>

namespace attnc {

/// What the call checks of a table.
struct TableFacts {
  bool nondecreasing = false;
  std::optional<std::pair<int64_t, int64_t>> range; // of its elements
};
using TableFactsOf = std::function<TableFacts(mlir::Value)>;

struct MaskRegion {
  mlir::Block *block = nullptr;
  /// The mask as it is written, and as a union of cases.
  const MaskCondition *condition = nullptr;
  MaskCases cases;
  /// Must be >= 0 at run time for the cases to mean what the region says.
  llvm::SmallVector<IndexExpr, 2> assumptions;
  /// The values, index or i1, that the symbols from IndexExprs::NumReserved on
  /// stand for; null for an opaque symbol. They depend on neither the row nor
  /// the key.
  llvm::SmallVector<mlir::Value> symbols;
  /// The values, of one type, that the symbols of reals stand for.
  llvm::SmallVector<mlir::Value> reals;
  mlir::Type realType;
  /// The tensors that the tables of the expressions stand for.
  llvm::SmallVector<mlir::Value> tables;
  /// Where the first condition stands that was not understood.
  mlir::Operation *opaque = nullptr;
};

/// `block` has the arguments (b, h, g, q, k) and yields one i1. `keyCount` is
/// the extent of the key axis, a number or the name of a size.
MaskRegion readMaskRegion(IndexExprs &exprs, MaskConditions &conditions,
                          mlir::Block &block, mlir::Attribute keyCount,
                          TableFactsOf factsOf);

} // namespace attnc

#endif // ATTNC_ANALYSIS_MASK_MASKREGION_H
