//===- CacheRows.h - Where the rows of a cache get to -----------*- C++ -*-===//
//
// Of the rows of a cache some are not stored yet. Attention masks them; nothing
// else may sum over them, and nothing may look at a cache from before the new
// rows were in it.
//
// Tests: test/Spec/Layers/cached-invalid.yaml, cached-sum-invalid.yaml
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_CACHEROWS_H
#define ATTNC_LIB_SPEC_CACHEROWS_H

#include "Report.h"

#include "attnc/Spec/Spec.h"

namespace attnc::spec {

/// Reports every use of a cache that would see such rows.
void checkCacheRows(const AttentionSpec &spec, Report &report);

/// Whether the mask of the spec lets no row see a key that `cache` has not
/// stored.
bool masksUnstored(const AttentionSpec &spec, const Cache &cache);

/// `k < rows that are stored`
ExprPtr isStored(const Cache &cache);

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_CACHEROWS_H
