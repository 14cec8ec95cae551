//===- Axes.cpp - Walking over axes that have letters ---------------------===//

#include "Axes.h"

#include "llvm/ADT/STLExtras.h"

namespace attnc::formula {

Letters splitLetters(llvm::StringRef labels) {
  Letters letters;
  auto [operands, result] = labels.split("->");
  letters.result = result;
  operands.split(letters.operands, ',');
  return letters;
}

void addExtents(llvm::StringRef letters, llvm::ArrayRef<int64_t> shape,
                Extents &extents) {
  for (auto [letter, extent] : llvm::zip_equal(letters, shape))
    extents[letter] = extent;
}

llvm::SmallVector<int64_t> stepsOf(llvm::StringRef letters, llvm::StringRef own,
                                   llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> steps(letters.size(), 0);
  int64_t step = 1;
  for (size_t axis = shape.size(); axis-- > 0; step *= shape[axis])
    if (size_t place = letters.find(own[axis]); place != llvm::StringRef::npos)
      steps[place] += step;
  return steps;
}

void forEachPlace(llvm::ArrayRef<int64_t> extents,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(extents, 0))
    return;
  llvm::SmallVector<int64_t> indices(extents.size(), 0);
  while (true) {
    visit(indices);
    size_t axis = extents.size();
    while (axis > 0 && ++indices[axis - 1] == extents[axis - 1])
      indices[--axis] = 0;
    if (axis == 0)
      return;
  }
}

int64_t placeAt(llvm::ArrayRef<int64_t> steps,
                llvm::ArrayRef<int64_t> indices) {
  int64_t place = 0;
  for (auto [step, index] : llvm::zip_equal(steps, indices))
    place += step * index;
  return place;
}

} // namespace attnc::formula
