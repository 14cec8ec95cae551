//===- Axes.h - Walking over axes that have letters -------------*- C++ -*-===//

#ifndef ATTNC_LIB_REFERENCE_FORMULA_AXES_H
#define ATTNC_LIB_REFERENCE_FORMULA_AXES_H

#include "attnc/Reference/SpecEvaluator.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <map>

namespace attnc::formula {

/// "ab,bc->ac" as "ab", "bc" and "ac".
struct Letters {
  llvm::SmallVector<llvm::StringRef> operands;
  llvm::StringRef result;
};
Letters splitLetters(llvm::StringRef labels);

/// How many places the axis of each letter has.
using Extents = std::map<char, int64_t>;
void addExtents(llvm::StringRef letters, llvm::ArrayRef<int64_t> shape,
                Extents &extents);

/// By how much the place in a tensor grows with each of `letters`; 0 for those
/// that it lacks. A letter that it has twice is its diagonal.
llvm::SmallVector<int64_t> stepsOf(llvm::StringRef letters, llvm::StringRef own,
                                   llvm::ArrayRef<int64_t> shape);

/// Calls `visit` with the indices of each place, the last running fastest.
void forEachPlace(llvm::ArrayRef<int64_t> extents,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

int64_t placeAt(llvm::ArrayRef<int64_t> steps, llvm::ArrayRef<int64_t> indices);

} // namespace attnc::formula

#endif // ATTNC_LIB_REFERENCE_FORMULA_AXES_H
