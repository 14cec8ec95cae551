//===- Nearest.h - The word that a misspelt one means -----------*- C++ -*-===//
//
// Tests: test/Unit/Support/NearestTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_SUPPORT_NEAREST_H
#define ATTNC_SUPPORT_NEAREST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace attnc {

/// "Did you mean": the candidate nearest to a misspelt word, or empty. One
/// typing error in five letters is allowed.
llvm::StringRef nearest(llvm::StringRef word,
                        llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace attnc

#endif // ATTNC_SUPPORT_NEAREST_H
