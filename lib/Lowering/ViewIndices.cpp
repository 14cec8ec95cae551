//===- ViewIndices.cpp - Places of a kernel's letters in memory -----------===//
//
// Head split, head merge and permutation cost nothing: the views between the
// function's tensors and the kernel become index arithmetic of loads and
// stores. A view is a relation between letters, so the same walk serves
// operands (from the view's result to its source) and results (the other way).
// Tests: test/Lowering/view-indices.mlir,
// test/Lowering/convert-attn-to-tile-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "ViewIndices.h"

using namespace mlir;

namespace attnc::lowering {

/// The kernel's own digits of a tensor: one letter per axis.
static TensorDigits startOf(Value value, StringRef letters) {
  TensorDigits digits;
  for (auto [axis, letter] : llvm::enumerate(letters))
    digits.push_back({Digit{letter, attn::axisSize(value.getType(), axis)}});
  return digits;
}

/// Carries digits through a view, from the side `known` to the side `wanted`.
static FailureOr<TensorDigits> carry(attn::ViewOp view,
                                     const TensorDigits &digits,
                                     ArrayRef<StringRef> known,
                                     ArrayRef<StringRef> wanted) {
  llvm::DenseMap<char, AxisDigits> ofLetter;
  for (auto [axis, group] : llvm::zip_equal(digits, known)) {
    if (group.size() == 1) {
      ofLetter[group[0]] = axis;
      continue;
    }
    if (group.size() != axis.size())
      return view.emitOpError()
             << "joins axes '" << group
             << "' that the kernel walks over as one; this cannot be lowered "
                "to loads and stores of blocks yet";
    for (auto [letter, digit] : llvm::zip_equal(group, axis))
      ofLetter[letter] = {digit};
  }
  TensorDigits result;
  for (StringRef group : wanted) {
    AxisDigits &axis = result.emplace_back();
    for (char letter : group)
      llvm::append_range(axis, ofLetter[letter]);
  }
  return result;
}

FailureOr<TensorDigits> digitsOfOperand(attn::KernelOp kernel, Value operand,
                                        StringRef letters,
                                        BlockArgument &argument) {
  TensorDigits digits = startOf(operand, letters);
  while (auto view = operand.getDefiningOp<attn::ViewOp>()) {
    attn::ViewLabels labels = view.getViewLabels();
    FailureOr<TensorDigits> next =
        carry(view, digits, labels.output, labels.input);
    if (failed(next))
      return failure();
    digits = *next;
    operand = view.getSource();
  }
  argument = dyn_cast<BlockArgument>(operand);
  if (!argument)
    return kernel.emitOpError()
           << "operand '" << letters
           << "' is no view of an argument of the function";
  return digits;
}

Value sourceOfViews(Value value) {
  while (auto view = value.getDefiningOp<attn::ViewOp>())
    value = view.getSource();
  return value;
}

FailureOr<TensorDigits> digitsOfResult(attn::KernelOp, Value returned,
                                       StringRef letters) {
  SmallVector<attn::ViewOp> views;
  while (auto view = returned.getDefiningOp<attn::ViewOp>()) {
    views.push_back(view);
    returned = view.getSource();
  }
  TensorDigits digits = startOf(returned, letters);
  for (attn::ViewOp view : llvm::reverse(views)) {
    attn::ViewLabels labels = view.getViewLabels();
    FailureOr<TensorDigits> next =
        carry(view, digits, labels.input, labels.output);
    if (failed(next))
      return failure();
    digits = *next;
  }
  return digits;
}

static bool isTiled(const Digit &digit) {
  return StringRef("qkde").contains(digit.letter);
}

bool isAlwaysZero(const Digit &digit) {
  auto size = dyn_cast_if_present<IntegerAttr>(digit.size);
  return size && size.getInt() == 1 && !isTiled(digit);
}

FailureOr<tile::BufType> bufferOf(Location loc, const TensorDigits &digits,
                                  Type element) {
  SmallVector<StringAttr> names;
  for (const AxisDigits &axis : digits) {
    assert(!axis.empty() && "every axis has a letter");
    char name = axis.front().letter;
    bool tiled = false; // by a letter further to the front
    for (const Digit &digit : axis) {
      if (isAlwaysZero(digit))
        continue;
      if (tiled)
        return emitError(loc)
               << "an axis with '" << name << "' in front of '" << digit.letter
               << "' cannot be read in blocks yet; pass the tensor with these "
                  "axes apart";
      tiled = isTiled(digit);
      if (tiled)
        name = digit.letter;
    }
    names.push_back(StringAttr::get(element.getContext(), StringRef(&name, 1)));
  }
  return tile::BufType::get(element.getContext(), names, element);
}

} // namespace attnc::lowering
