//===- Tensors.cpp - Formulas of whole tensors ----------------------------===//

#include "Tensors.h"

#include "Axes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>

namespace attnc::formula {

using spec::Tensor;

const Array &Tensors::evaluate(const Tensor &tensor) {
  if (auto found = known.find(&tensor); found != known.end())
    return *found->second;
  if (tensor.kind == Tensor::Input) // as they are
    return call.inputs[tensor.index];
  auto made = std::make_unique<Array>(compute(tensor));
  return *(known[&tensor] = std::move(made));
}

Array Tensors::compute(const Tensor &tensor) {
  switch (tensor.kind) {
  case Tensor::Input:
    break;
  case Tensor::Argument:
    return argument(tensor.row);
  case Tensor::Result:
    return result();
  case Tensor::Positions:
    return positions(tensor);
  case Tensor::Map:
    return map(tensor);
  case Tensor::Contract:
    return contract(tensor);
  case Tensor::Append:
    return append(tensor);
  case Tensor::Slice:
    return slice(tensor);
  case Tensor::Concat:
    return concat(tensor);
  case Tensor::Softmax:
    return softmaxAlong(tensor);
  case Tensor::Attend:
    return attend(tensor);
  case Tensor::Greatest:
  case Tensor::Sum:
    return reduce(tensor);
  case Tensor::Scan:
    return scan(tensor);
  case Tensor::View:
    return view(tensor);
  }
  return call.inputs[tensor.index];
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Ragged rows have their heads in front in formulas of tensors.
Array Tensors::argument(spec::Row row) {
  const Array &given = *call.arguments[unsigned(row)];
  if (call.spec.storageOf(row).kind != spec::Storage::Ragged)
    return given;
  int64_t rows = given.shape[0], heads = given.shape[1], width = given.shape[2];
  Array array = makeArray({heads, rows, width});
  forEachPlace(given.shape, [&](llvm::ArrayRef<int64_t> at) {
    array.reals[(at[1] * rows + at[0]) * width + at[2]] =
        given.reals[(at[0] * heads + at[1]) * width + at[2]];
  });
  return array;
}

RowTable Tensors::rowTable(spec::Row row) {
  const spec::RowTensor &defined = call.spec.rows[unsigned(row)];
  bool isDense = call.spec.storageOf(row).kind == spec::Storage::Dense;
  if (!defined.tensor) {
    const std::optional<Array> &given = call.arguments[unsigned(row)];
    return {given ? &*given : nullptr,
            isDense ? RowTable::Rows : RowTable::Sequences};
  }
  bool isRagged = call.spec.storageOf(row).kind == spec::Storage::Ragged;
  return {&evaluate(*defined.tensor),
          isRagged ? RowTable::Packed : RowTable::Rows, defined.hasBatch,
          defined.hasHeads};
}

/// Of rows that no sequence has it is their index among all.
Array Tensors::positions(const Tensor &tensor) {
  Array array = makeArray(call.extents(tensor.axes));
  const spec::Storage &storage = call.spec.storageOf(tensor.row);
  for (size_t row = 0; row < array.reals.size(); ++row)
    array.reals[row] = Number(row);
  Scope scope(call);
  Formula offset(*call.spec.offset, scope);
  for (scope.b = 0; scope.b < call.size(spec::Batch); ++scope.b)
    for (int64_t i = 0; i < call.countRows(storage, scope.b); ++i)
      array.reals[call.firstRow(storage, scope.b) + i] =
          Number(tensor.row == spec::Row::Q ? i + offset.integer() : i);
  return array;
}

/// The letters of its operands say which axes they have.
Array Tensors::attend(const Tensor &tensor) {
  Letters letters = splitLetters(tensor.labels);
  RowTable tables[3];
  bool isDouble = false;
  for (spec::Row row : {spec::Row::Q, spec::Row::K, spec::Row::V}) {
    auto index = unsigned(row);
    bool isRagged = call.spec.storageOf(row).kind == spec::Storage::Ragged;
    tables[index] = {&evaluate(*tensor.operands[index]),
                     isRagged ? RowTable::Packed : RowTable::Rows,
                     letters.operands[index].contains('b'),
                     letters.operands[index].contains('h')};
    isDouble |= tensor.operands[index]->dtype == spec::DType::F64;
  }
  const spec::AttentionFormulas &formulas =
      tensor.attention ? *tensor.attention : call.spec;
  return Attention(call, formulas, tables, /*hasDefinitions=*/false, isDouble)
      .result();
}

//===----------------------------------------------------------------------===//
// Elements, products and sums
//===----------------------------------------------------------------------===//

bool hasDoubles(const Tensor &tensor) {
  return tensor.dtype == spec::DType::F64 ||
         llvm::any_of(tensor.operands, [](const spec::TensorPtr &operand) {
           return operand->dtype == spec::DType::F64;
         });
}

Array Tensors::map(const Tensor &tensor) {
  Letters letters = splitLetters(tensor.labels);
  Array array =
      makeArray(call.extents(tensor.axes), tensor.dtype != spec::DType::Bool);
  llvm::SmallVector<const Array *> operands;
  for (const spec::TensorPtr &operand : tensor.operands)
    operands.push_back(&evaluate(*operand));
  size_t walked = operands.size() - tensor.reads;
  llvm::SmallVector<llvm::SmallVector<int64_t>> steps;
  for (size_t i = 0; i < walked; ++i)
    steps.push_back(
        stepsOf(letters.result, letters.operands[i], operands[i]->shape));
  llvm::SmallVector<int64_t> elements(walked);
  Scope scope(call);
  scope.isDouble = hasDoubles(tensor);
  scope.operands = operands;
  Formula formula(*tensor.formula, scope);
  forEachPlace(array.shape, [&](llvm::ArrayRef<int64_t> at) {
    for (size_t i = 0; i < walked; ++i)
      elements[i] = placeAt(steps[i], at);
    scope.places = at;
    scope.elements = elements;
    const Value &value = formula.evaluate();
    if (array.isReal)
      array.reals[size_t(scope.step)] = value.reals[0];
    else
      array.integers[size_t(scope.step)] = value.integers[0];
    ++scope.step;
  });
  return array;
}

/// Sums over the letters that the result lacks, the innermost loop over the
/// last of all letters.
Array Tensors::contract(const Tensor &tensor) {
  Letters letters = splitLetters(tensor.labels);
  Array array = makeArray(call.extents(tensor.axes));
  const Array &left = evaluate(*tensor.operands[0]);
  const Array &right = evaluate(*tensor.operands[1]);
  Extents extents;
  addExtents(letters.operands[0], left.shape, extents);
  addExtents(letters.operands[1], right.shape, extents);
  std::string all = letters.result.str();
  for (auto [letter, extent] : extents)
    if (!llvm::StringRef(all).contains(letter))
      all += letter;
  llvm::SmallVector<int64_t> shape;
  for (char letter : all)
    shape.push_back(extents[letter]);
  auto ofLeft = stepsOf(all, letters.operands[0], left.shape);
  auto ofRight = stepsOf(all, letters.operands[1], right.shape);
  auto ofResult = stepsOf(all, letters.result, array.shape);
  if (shape.empty()) { // of numbers
    array.reals[0] = left.real(0) * right.real(0);
    return array;
  }
  int64_t inner = shape.pop_back_val();
  int64_t a = ofLeft.pop_back_val(), b = ofRight.pop_back_val();
  int64_t c = ofResult.pop_back_val();
  forEachPlace(shape, [&](llvm::ArrayRef<int64_t> at) {
    int64_t x = placeAt(ofLeft, at), y = placeAt(ofRight, at);
    int64_t z = placeAt(ofResult, at);
    for (int64_t n = 0; n < inner; ++n)
      array.reals[z + n * c] += left.real(x + n * a) * right.real(y + n * b);
  });
  return array;
}

/// A NaN is no greatest number.
Array Tensors::reduce(const Tensor &tensor) {
  Letters letters = splitLetters(tensor.labels);
  const Array &source = evaluate(*tensor.operands[0]);
  Array array = makeArray(call.extents(tensor.axes));
  bool isSum = tensor.kind == Tensor::Sum;
  if (!isSum)
    llvm::fill(array.reals, -std::numeric_limits<Number>::infinity());
  auto steps = stepsOf(letters.operands[0], letters.result, array.shape);
  int64_t place = 0;
  forEachPlace(source.shape, [&](llvm::ArrayRef<int64_t> at) {
    Number &number = array.reals[placeAt(steps, at)];
    Number element = source.real(place++);
    if (isSum)
      number += element;
    else if (element > number)
      number = element;
  });
  return array;
}

/// Calls `visit` with the first place and the step of each row along an axis.
static void
forEachRow(llvm::StringRef letters, char along, llvm::ArrayRef<int64_t> shape,
           llvm::function_ref<void(int64_t, int64_t, int64_t)> visit) {
  size_t axis = letters.find(along);
  auto steps = stepsOf(letters, letters, shape);
  llvm::SmallVector<int64_t> rows(shape);
  rows[axis] = 1;
  forEachPlace(rows, [&](llvm::ArrayRef<int64_t> at) {
    visit(placeAt(steps, at), steps[axis], shape[axis]);
  });
}

Array Tensors::scan(const Tensor &tensor) {
  const Array &source = evaluate(*tensor.operands[0]);
  Array array = makeArray(source.shape);
  forEachRow(tensor.labels, tensor.along, source.shape,
             [&](int64_t place, int64_t step, int64_t count) {
               Number sum = 0;
               for (; count-- > 0; place += step) {
                 sum += source.real(place);
                 array.reals[place] = sum;
               }
             });
  return array;
}

/// Places that do not take part are 0.
Array Tensors::softmaxAlong(const Tensor &tensor) {
  const Array &source = evaluate(*tensor.operands[0]);
  const Array *mask =
      tensor.operands.size() > 1 ? &evaluate(*tensor.operands[1]) : nullptr;
  Array array = makeArray(source.shape);
  forEachRow(tensor.labels, tensor.along, source.shape,
             [&](int64_t place, int64_t step, int64_t count) {
               std::vector<int64_t> places;
               std::vector<Number> x;
               for (; count-- > 0; place += step)
                 if (!mask || mask->integers[place]) {
                   places.push_back(place);
                   x.push_back(source.real(place));
                 }
               Softmax made =
                   softmax(x, -std::numeric_limits<Number>::infinity());
               for (auto [at, weight] : llvm::zip_equal(places, made.weights))
                 array.reals[at] = weight;
             });
  return array;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

Array Tensors::append(const Tensor &tensor) {
  Array array = evaluate(*tensor.operands[0]);
  const Array &rows = evaluate(*tensor.operands[1]);
  const Array &first = call.inputs[tensor.index];
  llvm::StringRef letters = tensor.labels;
  size_t axis = letters.find(tensor.along), batch = letters.find('b');
  auto steps = stepsOf(letters, letters, array.shape);
  int64_t place = 0;
  forEachPlace(rows.shape, [&](llvm::ArrayRef<int64_t> at) {
    llvm::SmallVector<int64_t> target(at);
    target[axis] += first.integers[first.shape.empty() ? 0 : at[batch]];
    if (target[axis] >= 0 && target[axis] < array.shape[axis])
      array.reals[placeAt(steps, target)] = rows.real(place);
    ++place;
  });
  return array;
}

Array Tensors::slice(const Tensor &tensor) {
  const Array &source = evaluate(*tensor.operands[0]);
  llvm::StringRef letters = tensor.labels;
  size_t axis = letters.find(tensor.along);
  Array array = makeArray(call.extents(tensor.axes), source.isReal);
  auto steps = stepsOf(letters, letters, source.shape);
  int64_t shift = tensor.offset * steps[axis], place = 0;
  forEachPlace(array.shape, [&](llvm::ArrayRef<int64_t> at) {
    int64_t from = placeAt(steps, at) + shift;
    if (array.isReal)
      array.reals[place++] = source.reals[from];
    else
      array.integers[place++] = source.integers[from];
  });
  return array;
}

/// A part that lacks an axis is the same along it.
Array Tensors::concat(const Tensor &tensor) {
  Letters letters = splitLetters(tensor.labels);
  Array array = makeArray(call.extents(tensor.axes));
  size_t axis = letters.result.find(tensor.along);
  auto target = stepsOf(letters.result, letters.result, array.shape);
  int64_t first = 0;
  for (auto [operand, own] :
       llvm::zip_equal(tensor.operands, letters.operands)) {
    const Array &part = evaluate(*operand);
    auto steps = stepsOf(letters.result, own, part.shape);
    llvm::SmallVector<int64_t> shape = array.shape;
    shape[axis] = part.shape[own.find(tensor.along)];
    forEachPlace(shape, [&](llvm::ArrayRef<int64_t> at) {
      array.reals[placeAt(target, at) + first * target[axis]] =
          part.real(placeAt(steps, at));
    });
    first += shape[axis];
  }
  return array;
}

/// "a(yz)" as "a" and "yz".
static llvm::SmallVector<std::string> groupsOf(llvm::StringRef letters) {
  llvm::SmallVector<std::string> groups;
  bool isInside = false;
  for (char letter : letters) {
    if (letter == '(')
      groups.emplace_back();
    else if (letter != ')' && isInside)
      groups.back() += letter;
    else if (letter != ')')
      groups.emplace_back(1, letter);
    isInside = letter == '(' || (isInside && letter != ')');
  }
  return groups;
}

/// Adds the extents of letters that an axis and the known ones determine.
static void addGroups(llvm::ArrayRef<std::string> groups,
                      llvm::ArrayRef<int64_t> shape, Extents &extents) {
  for (auto [group, extent] : llvm::zip_equal(groups, shape)) {
    int64_t others = 1;
    std::string unknown;
    for (char letter : group)
      if (auto found = extents.find(letter); found != extents.end())
        others *= found->second;
      else
        unknown += letter;
    if (unknown.size() == 1)
      extents[unknown[0]] = others ? extent / others : 0;
  }
}

Array Tensors::view(const Tensor &tensor) {
  Letters letters = splitLetters(tensor.labels);
  const Array &source = evaluate(*tensor.operands[0]);
  Array array = makeArray(call.extents(tensor.axes), source.isReal);
  auto from = groupsOf(letters.operands[0]), to = groupsOf(letters.result);
  Extents extents;
  for (unsigned round = 0; round < 2; ++round) { // one side tells the other
    addGroups(from, source.shape, extents);
    addGroups(to, array.shape, extents);
  }
  std::string own = llvm::join(from, ""), result = llvm::join(to, "");
  llvm::SmallVector<int64_t> ownShape, shape;
  for (char letter : own)
    ownShape.push_back(extents[letter]);
  for (char letter : result)
    shape.push_back(extents[letter]);
  auto steps = stepsOf(result, own, ownShape);
  int64_t place = 0;
  forEachPlace(shape, [&](llvm::ArrayRef<int64_t> at) {
    int64_t from = placeAt(steps, at);
    if (array.isReal)
      array.reals[place++] = source.reals[from];
    else
      array.integers[place++] = source.integers[from];
  });
  return array;
}

} // namespace attnc::formula
