//===- AttendLengths.h - Attention of other numbers of rows -----*- C++ -*-===//
//
// `attend` of tensors that have not query_len and kv_len rows: in the file's
// formulas these names then stand for the rows that there are, and i and k
// count those. Extents of inputs stay what they are.
//
// Tests: test/Spec/Layers/Attend/attend-rows.yaml (and -invalid)
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_READER_ATTENDLENGTHS_H
#define ATTNC_LIB_SPEC_READER_ATTENDLENGTHS_H

#include "attnc/Spec/Spec.h"

namespace attnc::spec {

/// An `attend` of other numbers of rows, whose formulas are known once those of
/// the file are.
struct OtherRows {
  ExprPtr queries, keys; // formulas of sizes; null: as the file says
  std::shared_ptr<AttentionFormulas> formulas;
  llvm::SMRange range;
};

/// The formulas with the rows in the place of query_len and kv_len.
AttentionFormulas withRows(const AttentionFormulas &formulas,
                           const OtherRows &rows);

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_READER_ATTENDLENGTHS_H
