//===- StoreViews.h - Materialize operands behind views ---------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_STOREVIEWS_H
#define ATTNC_LIB_SCHEDULE_STOREVIEWS_H

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::schedule {

/// Whether views of the queries space the heads of a group unevenly.
bool hasScatteredRows(attn::KernelOp kernel);

/// Stores queries whose views do not space the heads of a group evenly, so that
/// these heads can be rows of one block.
void storeScatteredRows(attn::KernelOp kernel);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_STOREVIEWS_H
