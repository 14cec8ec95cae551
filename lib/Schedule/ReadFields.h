//===- ReadFields.h - Split the text of a schedule into fields --*- C++ -*-===//
//
// The text is that of the attributes with any fields left out, so that the
// schedule of a dump can be pasted, whole or in part:
//
//   q = 32, k = 128, value_granule = [8, 2]
//   #attn.schedule<form = online, target = #tile.cpu<tail = 0>>
//
// MLIR's own parser wants attributes complete, hence a small one, which the
// strategies share.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_READFIELDS_H
#define ATTNC_LIB_SCHEDULE_READFIELDS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace attnc::schedule {

/// Calls `parse` with the name and the value of each field, those of the target
/// included, until it returns false. `target` is the name of the target's
/// attribute: "#tile.cpu". False with a sentence in `error` if the text has no
/// fields, a field twice, or the target of another backend.
bool readFields(
    llvm::StringRef text, llvm::StringRef target, std::string &error,
    llvm::function_ref<bool(llvm::StringRef, llvm::StringRef)> parse);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_READFIELDS_H
