//===- TensorFiles.cpp - Tensors that come from files and go there --------===//

#include "Tensor/TensorFiles.h"

#include "Compile/Outputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace attnc {

/// "[2, 3]".
static std::string shapeText(ArrayRef<int64_t> shape) {
  return "[" +
         join(map_range(shape, [](int64_t n) { return std::to_string(n); }),
              ", ") +
         "]";
}

/// The tensor named `name`; the error lists those that there are.
static Expected<unsigned> find(const Interface &function, StringRef option,
                               StringRef name) {
  if (auto index = function.tensorIndex(name))
    return *index;
  return createStringError(
      option + ": " + function.name + " has no tensor '" + name + "'; it has " +
      join(map_range(function.tensors,
                     [](const InterfaceTensor &tensor) { return tensor.name; }),
           ", "));
}

/// Whether an array with elements of that kind may stand for `declared`.
static Error checkType(const InterfaceTensor &declared, StringRef path,
                       const NumpyArray &array) {
  if (array.shape.size() != declared.axes.size())
    return createStringError(
        "'" + path + "' has " + Twine(array.shape.size()) + " axes, " +
        declared.name + " has " + Twine(declared.axes.size()) + ": [" +
        join(map_range(declared.axes,
                       [](const SizeExpr &axis) { return axis.str(); }),
             ", ") +
        "]");
  if (array.isFloat && !isFloat(declared.dtype))
    return createStringError("'" + path + "' holds " + array.type + ", " +
                             declared.name + " is " +
                             dtypeName(declared.dtype));
  return Error::success();
}

Expected<TensorFiles> TensorFiles::read(const Interface &function,
                                        const Names &inputs,
                                        const Names &saved) {
  TensorFiles files;
  for (const auto &[name, path] : inputs) {
    auto index = find(function, "--input", name);
    if (!index)
      return index.takeError();
    const InterfaceTensor &declared = function.tensors[*index];
    if (declared.isOutput())
      return createStringError("--input: " + name +
                               " is an output; use --save to write it");
    if (any_of(files.given,
               [&](const Given &one) { return one.tensor == *index; }))
      return createStringError("--input: more than one file for " + name);
    auto array = readNumpyFile(path);
    if (!array)
      return array.takeError();
    if (Error error = checkType(declared, path, *array))
      return error;
    files.given.push_back({*index, path, std::move(*array)});
  }
  for (const auto &[name, path] : saved) {
    auto index = find(function, "--save", name);
    if (!index)
      return index.takeError();
    files.saved.emplace_back(*index, path);
  }
  return files;
}

/// The size that an axis is, and by how much the axis is longer.
static std::pair<std::optional<StringRef>, int64_t>
sizeOf(const SizeExpr &axis) {
  ArrayRef<SizeExpr::Step> steps = axis.postfix();
  bool isLonger = steps.size() == 3 && steps[0].op == SizeExpr::Op::Size &&
                  steps[1].op == SizeExpr::Op::Constant &&
                  steps[2].op == SizeExpr::Op::Add;
  if (isLonger)
    return {StringRef(steps[0].name), steps[1].value};
  return {axis.sizeName(), 0};
}

Expected<StringMap<int64_t>>
TensorFiles::sizes(const Interface &function) const {
  StringMap<int64_t> sizes;
  StringMap<std::string> origin;
  for (const Given &one : given)
    for (auto [axis, axisExtent] :
         zip_equal(function.tensors[one.tensor].axes, one.array.shape)) {
      auto [name, more] = sizeOf(axis);
      auto index = name ? function.sizeIndex(*name) : std::nullopt;
      if (!index || !function.sizes[*index].isRuntime())
        continue;
      int64_t extent = axisExtent - more;
      auto [place, isNew] = sizes.try_emplace(*name, extent);
      if (isNew)
        origin[*name] = one.path;
      else if (place->second != extent)
        return createStringError("'" + one.path + "' has " + *name + " " +
                                 Twine(extent) + ", '" + origin[*name] +
                                 "' has " + Twine(place->second));
    }
  return sizes;
}

/// The values as the tensor's type holds them.
static Error convert(const InterfaceTensor &declared, StringRef path,
                     const NumpyArray &array, reference::Tensor &tensor) {
  if (array.shape != tensor.shape)
    return createStringError("'" + path + "' has shape " +
                             shapeText(array.shape) + ", " + declared.name +
                             " is " + shapeText(tensor.shape));
  if (!tensor.isInteger()) {
    for (auto [i, value] : enumerate(tensor.real))
      value = reference::roundToType(array.isFloat ? array.real[i]
                                                   : double(array.integer[i]),
                                     tensor.element);
    return Error::success();
  }
  unsigned bits =
      declared.dtype == DType::Bool ? 1 : dtypeBytes(declared.dtype) * 8;
  bool isUnsigned =
      declared.dtype == DType::U8 || declared.dtype == DType::Bool;
  for (auto [i, value] : enumerate(array.integer)) {
    if (isUnsigned ? value < 0 || !isUIntN(bits, value) : !isIntN(bits, value))
      return createStringError("'" + path + "' holds " + Twine(value) +
                               ", which is out of range for " +
                               dtypeName(declared.dtype));
    tensor.integer[i] = value;
  }
  return Error::success();
}

Error TensorFiles::fill(const Interface &function,
                        std::vector<reference::Tensor> &inputs) const {
  for (const Given &one : given) {
    size_t place = count_if(
        ArrayRef(function.tensors).take_front(one.tensor),
        [](const InterfaceTensor &tensor) { return !tensor.isOutput(); });
    if (Error error = convert(function.tensors[one.tensor], one.path, one.array,
                              inputs[place]))
      return error;
  }
  return Error::success();
}

Error TensorFiles::save(const Interface &function,
                        ArrayRef<reference::Tensor> inputs,
                        ArrayRef<reference::Tensor> results) const {
  Outputs files;
  std::vector<unsigned> written = function.results();
  for (const auto &[index, path] : saved) {
    const InterfaceTensor &declared = function.tensors[index];
    size_t place = count_if(
        ArrayRef(function.tensors).take_front(index),
        [](const InterfaceTensor &tensor) { return !tensor.isOutput(); });
    const reference::Tensor &tensor =
        declared.isWritten()
            ? results[llvm::find(written, index) - written.begin()]
            : inputs[place];
    files.add(path, numpyBytes(tensor, declared.dtype));
  }
  return files.write();
}

} // namespace attnc
