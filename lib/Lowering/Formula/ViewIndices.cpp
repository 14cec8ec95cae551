//===- ViewIndices.cpp - Memory indices of a kernel's letters -------------===//
//
// Head split, head merge and permutation cost nothing: the views between the
// function's tensors and the kernel become index arithmetic of loads and
// stores.
// Tests: test/Lowering/Formula/view-indices.mlir,
// test/Lowering/convert-attn-to-tile-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "Formula/ViewIndices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

TensorDigits renamed(TensorDigits digits,
                     llvm::function_ref<char(char)> nameOf) {
  for (AxisDigits &axis : digits)
    for (Digit &digit : axis)
      if (digit.letter != kUnit)
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
      bool isZero = isAlwaysZero(digit);
      if (isZero && !digit.places)
        continue;
      Value value = isZero ? Value() : valueOf(digit.letter);
      if (!value || digit.offset != 0) {
        Value by = arith::ConstantIndexOp::create(builder, loc, digit.offset);
        value =
            value ? builder.createOrFold<arith::AddIOp>(loc, value, by) : by;
      }
      if (index) {
        Value size = scope.sizeOf(builder, loc,
                                  digit.places ? digit.places : digit.size);
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

/// A letter that no axis has.
static char unusedLetter(const TensorDigits &digits,
                         ArrayRef<StringAttr> names) {
  char name = 'z';
  auto isUsed = [&] {
    return llvm::any_of(names,
                        [&](StringAttr other) {
                          return other.getValue() == StringRef(&name, 1);
                        }) ||
           llvm::any_of(digits, [&](const AxisDigits &axis) {
             return llvm::any_of(axis, [&](const Digit &digit) {
               return digit.letter == name;
             });
           });
  };
  while (isUsed())
    --name;
  return name;
}

FailureOr<tile::BufType> bufferOf(Location loc, const TensorDigits &digits,
                                  Type element, bool report) {
  if (auto blocked = findBlocked(digits)) {
    if (report)
      emitError(loc) << "an axis with '" << blocked->front << "' in front of '"
                     << blocked->letter
                     << "' cannot be read in blocks yet; pass the tensor with "
                        "separate axes";
    return failure();
  }
  SmallVector<StringAttr> names;
  for (const AxisDigits &axis : digits) {
    assert(!axis.empty() && "every axis has a letter");
    char name = axis.front().letter;
    for (const Digit &digit : axis)
      if (isTiled(digit))
        name = digit.letter;
    if (name == kUnit)
      name = unusedLetter(digits, names);
    names.push_back(StringAttr::get(element.getContext(), StringRef(&name, 1)));
  }
  return tile::BufType::get(element.getContext(), names, element);
}

} // namespace attnc::lowering
