//===- UnstoredReads.h - Where the rows of a cache get to -------*- C++ -*-===//
//
// Of the rows of a cache some are not stored yet. Attention masks them; nothing
// else may sum over them, and nothing may look at a cache from before the new
// rows were in it.
//
// Tests: test/Spec/Layers/Cache/cached-rows-invalid.yaml,
// cached-index-invalid.yaml, cached-keys-invalid.yaml
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_CACHE_UNSTOREDREADS_H
#define ATTNC_LIB_SPEC_CACHE_UNSTOREDREADS_H

#include "Diagnostic/Report.h"

#include "attnc/Spec/Spec.h"

#include <optional>
#include <string>
#include <vector>

namespace attnc::spec {

/// "ab(cd)" as one text of letters per axis.
std::vector<std::string> axesOfLabels(llvm::StringRef labels);

/// Reports every use of a cache that would see such rows.
void checkCacheRows(const AttentionSpec &spec, Report &report);

/// The axes of a tensor along which its places are those of the axis `letter`
/// of a cache that it is made of; null if places of that axis were mixed.
std::optional<std::vector<unsigned>> axesOfCache(const AttentionSpec &spec,
                                                 const Cache &cache,
                                                 const Tensor &tensor,
                                                 char letter);

/// Reports tables of rows of a cache that a formula reads, by index, where none
/// may be stored. The formulas are proved.
void checkCacheIndices(const AttentionSpec &spec, Report &report);

/// Reports keys and values of attention among which rows of a cache may be seen
/// that are not stored. The formulas are proved.
void checkCacheKeys(const AttentionSpec &spec, Report &report);

/// Whether the mask of the spec lets no row see a key that `cache` has not
/// stored.
bool masksUnstored(const AttentionSpec &spec, const Cache &cache);

/// `k < rows that are stored`
ExprPtr isStored(const Cache &cache);

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_CACHE_UNSTOREDREADS_H
