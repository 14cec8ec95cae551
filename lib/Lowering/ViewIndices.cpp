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

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

TensorDigits startOf(Value value, StringRef letters) {
  TensorDigits digits;
  for (auto [axis, letter] : llvm::enumerate(letters))
    digits.push_back({Digit{letter, attn::axisSize(value.getType(), axis)}});
  return digits;
}

/// Carries digits through a view, from the side `known` to the side `wanted`.
static FailureOr<TensorDigits>
carry(attn::ViewOp view, const TensorDigits &digits, ArrayRef<StringRef> known,
      ArrayRef<StringRef> wanted, bool report = true) {
  llvm::DenseMap<char, AxisDigits> ofLetter;
  for (auto [axis, group] : llvm::zip_equal(digits, known)) {
    if (group.size() == 1) {
      ofLetter[group[0]] = axis;
      continue;
    }
    if (group.size() != axis.size() && !report)
      return failure();
    if (group.size() != axis.size())
      return view.emitOpError()
             << "joins axes '" << group
             << "' that are walked over as one; this cannot be lowered "
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

FailureOr<TensorDigits> digitsOfOperand(Value operand, StringRef letters,
                                        Value &root) {
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
  root = operand;
  return digits;
}

Value sourceOfViews(Value value) {
  while (auto view = value.getDefiningOp<attn::ViewOp>())
    value = view.getSource();
  return value;
}

FailureOr<TensorDigits> digitsOfResult(Value returned, StringRef letters,
                                       bool report) {
  SmallVector<attn::ViewOp> views;
  while (auto view = returned.getDefiningOp<attn::ViewOp>()) {
    views.push_back(view);
    returned = view.getSource();
  }
  TensorDigits digits = startOf(returned, letters);
  for (attn::ViewOp view : llvm::reverse(views)) {
    attn::ViewLabels labels = view.getViewLabels();
    FailureOr<TensorDigits> next =
        carry(view, digits, labels.input, labels.output, report);
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

TensorDigits renamed(TensorDigits digits,
                     llvm::function_ref<char(char)> nameOf) {
  for (AxisDigits &axis : digits)
    for (Digit &digit : axis)
      digit.letter = nameOf(digit.letter);
  return digits;
}

SmallVector<Value> indicesOf(OpBuilder &builder, Location loc,
                             const Scope &scope, const TensorDigits &digits,
                             llvm::function_ref<Value(char)> valueOf) {
  SmallVector<Value> result;
  for (const AxisDigits &axis : digits) {
    Value index;
    for (const Digit &digit : axis) {
      if (isAlwaysZero(digit))
        continue;
      Value value = valueOf(digit.letter);
      if (index) {
        Value size = scope.sizeOf(builder, loc, digit.size);
        index = builder.createOrFold<arith::MulIOp>(loc, index, size);
        value = builder.createOrFold<arith::AddIOp>(loc, index, value);
      }
      index = value;
    }
    result.push_back(index); // null: always 0
  }
  for (Value &index : result)
    if (!index)
      index = arith::ConstantIndexOp::create(builder, loc, 0);
  return result;
}

FailureOr<tile::BufType> bufferOf(Location loc, const TensorDigits &digits,
                                  Type element, bool report) {
  SmallVector<StringAttr> names;
  for (const AxisDigits &axis : digits) {
    assert(!axis.empty() && "every axis has a letter");
    char name = axis.front().letter;
    bool tiled = false; // by a letter further to the front
    for (const Digit &digit : axis) {
      if (isAlwaysZero(digit))
        continue;
      if (tiled && !report)
        return failure();
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
