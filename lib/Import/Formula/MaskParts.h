//===- MaskParts.h - What of a mask is of indices ---------------*- C++ -*-===//
//
// Tests: test/Import/Rows/masks-of-rows.yaml
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_IMPORT_FORMULA_MASKPARTS_H
#define ATTNC_LIB_IMPORT_FORMULA_MASKPARTS_H

#include "Tensor/RowFormulas.h"

namespace attnc::import {

/// The conjuncts of the mask: `ofPairs` have a number that differs from pair to
/// pair and is no formula of indices. Null: there are none.
struct MaskParts {
  spec::ExprPtr plain, ofPairs;
};

/// The condition on keys, null for none, within those of the sequence.
spec::ExprPtr withinKeys(const spec::AttentionSpec &spec,
                         const spec::ExprPtr &condition);

/// The mask, within the keys of the sequence.
MaskParts splitMask(RowFormulas &rows, const spec::AttentionSpec &spec);

} // namespace attnc::import

#endif // ATTNC_LIB_IMPORT_FORMULA_MASKPARTS_H
