//===- Call.cpp - The tensors and sizes of one call -----------------------===//

#include "Call.h"

#include "Formula.h"

#include <algorithm>

namespace attnc::formula {

int64_t Array::size() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

Array makeArray(llvm::ArrayRef<int64_t> shape, bool isReal) {
  Array array;
  array.shape.assign(shape.begin(), shape.end());
  array.isReal = isReal;
  if (isReal)
    array.reals.resize(array.size());
  else
    array.integers.resize(array.size());
  return array;
}

Call::Call(const spec::AttentionSpec &spec, Arrays given,
           const llvm::StringMap<int64_t> &sizes)
    : spec(spec), sizes(sizes) {
  inputs.reserve(spec.inputs.size()); // tables of rows point to them
  for (const spec::Input &input : spec.declaredInputs())
    inputs.push_back(std::move(given[input.name]));
  constexpr llvm::StringLiteral names[] = {"Q", "K", "V"};
  for (spec::Row row : {spec::Row::Q, spec::Row::K, spec::Row::V})
    if (spec.isArgument(row))
      arguments[unsigned(row)] = std::move(given[names[unsigned(row)]]);
}

int64_t Call::size(unsigned index, int64_t b) const {
  const spec::Size &size = spec.sizes[index];
  switch (size.kind) {
  case spec::Size::Fixed:
    return size.value;
  case spec::Size::RunTime:
    return sizes.lookup(size.name);
  case spec::Size::Derived:
    return extent(*size.formula);
  case spec::Size::PerSequence:
    break;
  }
  return countRows(index == spec::QueryLen ? spec.queryStorage : spec.kvStorage,
                   b);
}

int64_t Call::extent(const spec::Expr &e) const {
  Scope scope(*this);
  return Formula(e, scope).integer();
}

llvm::SmallVector<int64_t>
Call::extents(llvm::ArrayRef<spec::ExprPtr> axes) const {
  llvm::SmallVector<int64_t> all;
  for (const spec::ExprPtr &axis : axes)
    all.push_back(extent(*axis));
  return all;
}

int64_t Call::firstRow(const spec::Storage &storage, int64_t b) const {
  return inputs[storage.table].integers[b];
}

int64_t Call::countRows(const spec::Storage &storage, int64_t b) const {
  return std::max<int64_t>(firstRow(storage, b + 1) - firstRow(storage, b), 0);
}

} // namespace attnc::formula
