//===- PoisonUnstored.cpp - Rows of a cache that no call has stored -------===//

#include "attnc/Reference/PoisonUnstored.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Interface/SizeExpr.h"

#include <cmath>

using namespace mlir;

namespace attnc::reference {

/// The extent of an axis at these sizes, if its type tells it.
static std::optional<int64_t> extentOf(Value tensor, unsigned axis,
                                       const llvm::StringMap<int64_t> &sizes) {
  Attribute size = attn::axisSize(tensor.getType(), axis);
  if (auto number = dyn_cast_if_present<IntegerAttr>(size))
    return number.getInt();
  auto text = dyn_cast_if_present<StringAttr>(size);
  std::string error;
  auto formula = text ? SizeExpr::parse(text.getValue(), error) : std::nullopt;
  if (!formula)
    return std::nullopt;
  return formula->evaluate([&](StringRef name) -> std::optional<int64_t> {
    auto found = sizes.find(name);
    return found == sizes.end() ? std::nullopt : std::optional(found->second);
  });
}

/// NaN in the rows from `at` + `rows` on.
static void forgetRows(attn::AppendOp append, Tensor &cache, const Tensor &at,
                       int64_t rows) {
  StringRef labels = append.getLabels(), atLabels = append.getAtLabels();
  SmallVector<int64_t> index(labels.size());
  for (size_t i = 0; i < cache.real.size(); ++i) {
    int64_t rest = int64_t(i);
    for (size_t axis = labels.size(); axis-- > 0;) {
      index[axis] = rest % cache.shape[axis];
      rest /= cache.shape[axis];
    }
    SmallVector<int64_t> place;
    for (char letter : atLabels)
      place.push_back(index[labels.find(letter)]);
    int64_t first = at.integer[at.clampedOffset(place)];
    if (index[append.getAxis()] >= first + rows)
      cache.real[i] = std::nan("");
  }
}

void forgetUnstoredRows(func::FuncOp function, MutableArrayRef<Tensor> inputs,
                        const llvm::StringMap<int64_t> &sizes,
                        llvm::function_ref<bool(unsigned)> isKept) {
  function.walk([&](attn::AppendOp append) {
    auto cache = dyn_cast<BlockArgument>(append.getCache());
    auto at = dyn_cast<BlockArgument>(append.getAt());
    auto rows = extentOf(append.getRows(), append.getAxis(), sizes);
    if (cache && at && rows && !isKept(cache.getArgNumber()))
      forgetRows(append, inputs[cache.getArgNumber()],
                 inputs[at.getArgNumber()], *rows);
  });
}

} // namespace attnc::reference
