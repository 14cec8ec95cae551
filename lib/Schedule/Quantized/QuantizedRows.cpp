//===- QuantizedRows.cpp - An operand made of 8-bit integers --------------===//
//
// See QuantizedRows.h.
//
//===----------------------------------------------------------------------===//

#include "Quantized/QuantizedRows.h"

#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/MapFormula.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::schedule {

QuantizedRows::QuantizedRows(OpOperand &operand, StringRef letters,
                             StringRef summed, Type accumulate)
    : operand(&operand), letters(letters), summed(summed),
      accumulate(accumulate) {
  Operation *op = operand.get().getDefiningOp();
  for (; isa_and_present<attn::ViewOp, attn::SliceOp, attn::UnpackOp>(op);
       op = op->getOperand(0).getDefiningOp())
    views.push_back(op);
  map = dyn_cast_if_present<attn::MapOp>(op);
}

bool QuantizedRows::isQuantized() const {
  return map && !isConversionOnLoad(map) &&
         llvm::any_of(map.getInputs(), [](Value input) {
           return getElementTypeOrSelf(input.getType()).isInteger(8);
         });
}

/// After whyNot.
bool QuantizedRows::isUnsigned() const {
  return getElementTypeOrSelf(map.getInputs()[integers].getType())
      .isUnsignedInteger();
}

/// Whether `value` is the element of the integers as a float.
bool QuantizedRows::isOfInteger(Value value) const {
  auto real = value.getDefiningOp<arith::SIToFPOp>();
  auto wide = real ? real.getIn().getDefiningOp<arith::IndexCastOp>()
                   : arith::IndexCastOp();
  return wide && wide.getIn() == map.getBody().front().getArgument(integers);
}

/// Whether a factor depends on no axis that is summed over, and not on the
/// integers.
bool QuantizedRows::isOfRow(Value factor) {
  Block &body = map.getBody().front();
  std::string mapLetters = map.getAxisLabels().output.str();
  SmallVector<Value> open{factor};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (next == body.getArgument(integers))
      return false;
    if (next.getParentBlock() == &body && next.getDefiningOp())
      llvm::append_range(open, next.getDefiningOp()->getOperands());
  }
  return llvm::none_of(attn::lettersOf(map, mapLetters, factor),
                       [&](char letter) {
                         StringRef group = groups[mapLetters.find(letter)];
                         return group.find_first_of(summed) != StringRef::npos;
                       });
}

/// Splits a product into the integer and factors of its row.
bool QuantizedRows::split(Value value) {
  if (isOfInteger(value))
    return true;
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  Value left = product.getLhs(), right = product.getRhs();
  if (!isOfRow(right))
    std::swap(left, right);
  if (!isOfRow(right))
    return false;
  factors.push_back(right);
  return split(left);
}

/// Whether an axis of the source is made of axes of the result, all but the
/// first of a known size.
static bool isPermutedOrMerged(attn::ViewOp view) {
  attn::ViewLabels labels = view.getViewLabels();
  return llvm::all_of(labels.output,
                      [](StringRef group) { return group.size() == 1; }) &&
         llvm::all_of(labels.input, [&](StringRef group) {
           return llvm::all_of(group.drop_front(), [&](char letter) {
             return isa_and_present<IntegerAttr>(view.sizeOf(letter));
           });
         });
}

/// The place among the result's axes of those that an axis of the source is
/// made of.
static SmallVector<unsigned, 2> axesOf(attn::ViewOp view, StringRef group) {
  SmallVector<unsigned, 2> axes;
  attn::ViewLabels labels = view.getViewLabels();
  for (char letter : group)
    axes.push_back(llvm::find(labels.output, StringRef(&letter, 1)) -
                   labels.output.begin());
  return axes;
}

/// The letters of each axis of the map. False if a view splits an axis.
bool QuantizedRows::findGroups() {
  groups.clear();
  for (char letter : letters)
    groups.emplace_back(1, letter);
  for (Operation *op : views) {
    SmallVector<std::string> result = std::move(groups);
    groups.clear();
    if (isa<attn::SliceOp>(op)) { // the same axes
      groups = std::move(result);
      continue;
    }
    if (isa<attn::UnpackOp>(op)) { // row start[b] + k
      groups.assign(result.begin() + 1, result.end());
      groups[0] += result[0];
      continue;
    }
    auto view = cast<attn::ViewOp>(op);
    if (!isPermutedOrMerged(view))
      return false;
    for (StringRef group : view.getViewLabels().input) {
      std::string &own = groups.emplace_back();
      for (unsigned axis : axesOf(view, group))
        own += result[axis];
    }
  }
  return true;
}

/// The integers with the axes of the operand.
Value QuantizedRows::viewSource(OpBuilder &b) {
  Value source = map.getInputs()[integers];
  Type element = getElementTypeOrSelf(source.getType());
  for (Operation *op : llvm::reverse(views)) {
    Operation *copy = b.clone(*op);
    copy->setOperand(0, source);
    source = copy->getResult(0);
    source.setType(cast<RankedTensorType>(source.getType()).clone(element));
  }
  return source;
}

StringRef QuantizedRows::whyNot(Reading reading) {
  if (!findGroups())
    return "they are viewed otherwise than the integers are stored (an axis is "
           "split)";
  attn::Labels labels = map.getAxisLabels();
  for (auto [number, input] : llvm::enumerate(map.getInputs()))
    if (getElementTypeOrSelf(input.getType()).isInteger(8) &&
        labels.inputs[number] == labels.output)
      integers = number;
  if (labels.inputs[integers] != labels.output)
    return "the formula permutes or repeats axes of the integers";
  // Elements that the formula rounds to 16 bits are exact in f32.
  Type made = getElementTypeOrSelf(map.getType());
  bool isExact = made.getIntOrFloatBitWidth() == 16 && accumulate.isF32();
  if (made != accumulate && !isExact)
    return "the formula rounds to a narrower type than that of the sums";
  factors.clear();
  if (!split(map.getBody().front().getTerminator()->getOperand(0)))
    return "the formula is not an 8-bit integer times a scale per row (no "
           "scale "
           "may depend on an axis that is summed over, and a zero point is "
           "none)";
  Value root;
  OpBuilder b(operand->getOwner());
  Value source = viewSource(b);
  FailureOr<TensorDigits> digits =
      digitsOfOperand(source, reading.dims, root, /*report=*/false);
  for (size_t i = 0; i < views.size(); ++i) {
    Operation *copy = source.getDefiningOp();
    source = copy->getOperand(0);
    copy->erase();
  }
  if (failed(digits) || findBlocked(*digits) ||
      (!reading.findsTables && hasTable(*digits)))
    return "the layout of the integers (sliced or reshaped) cannot be read "
           "tile by tile";
  return {};
}

void QuantizedRows::readIntegers(Type element) {
  OpBuilder b(operand->getOwner());
  std::string labels = letters + "->" + letters;
  Value source = viewSource(b);
  auto type = cast<RankedTensorType>(operand->get().getType());
  auto converted = attn::MapOp::create(
      b, map.getLoc(), cast<RankedTensorType>(type.clone(element)), labels,
      source, [&](OpBuilder &inner, Location loc, ValueRange x) {
        Value wide =
            arith::IndexCastOp::create(inner, loc, inner.getI64Type(), x[0]);
        Value real = arith::SIToFPOp::create(inner, loc, accumulate, wide);
        attn::YieldOp::create(inner, loc, real);
      });
  converted->setAttr(kConvertOnLoad, b.getUnitAttr());
  operand->set(converted);
}

/// The index along each axis of the map; null for that of features.
SmallVector<Value> QuantizedRows::indicesOf(OpBuilder &b,
                                            StringRef placeLetters,
                                            ValueRange places) {
  Location loc = operand->getOwner()->getLoc();
  SmallVector<Value> indices;
  for (char letter : letters) {
    size_t place = placeLetters.find(letter);
    indices.push_back(place == StringRef::npos ? Value() : places[place]);
  }
  for (Operation *op : views) {
    if (auto slice = dyn_cast<attn::SliceOp>(op)) {
      if (Value &index = indices[slice.getAxis()]) {
        Value first = arith::ConstantIndexOp::create(b, loc, slice.getOffset());
        index = b.createOrFold<arith::AddIOp>(loc, index, first);
      }
      continue;
    }
    SmallVector<Value> result = std::move(indices);
    indices.clear();
    if (auto unpack = dyn_cast<attn::UnpackOp>(op)) {
      Value begin = attn::ReadOp::create(b, loc, b.getIndexType(),
                                         unpack.getStart(), result[0]);
      indices.assign(result.begin() + 1, result.end());
      indices[0] = arith::AddIOp::create(b, loc, begin, indices[0]);
      continue;
    }
    auto view = cast<attn::ViewOp>(op);
    for (StringRef group : view.getViewLabels().input) {
      SmallVector<unsigned, 2> axes = axesOf(view, group);
      Value index = result[axes.front()];
      for (auto [letter, axis] :
           llvm::zip_equal(group.drop_front(), ArrayRef(axes).drop_front())) {
        if (!index || !result[axis]) {
          index = {};
          break;
        }
        auto size = cast<IntegerAttr>(view.sizeOf(letter));
        Value count = arith::ConstantIndexOp::create(b, loc, size.getInt());
        index = b.createOrFold<arith::MulIOp>(loc, index, count);
        index = b.createOrFold<arith::AddIOp>(loc, index, result[axis]);
      }
      indices.push_back(index);
    }
  }
  return indices;
}

Value QuantizedRows::multiply(OpBuilder &b, Value x, StringRef placeLetters,
                              ValueRange places) {
  Location loc = operand->getOwner()->getLoc();
  Block &body = map.getBody().front();
  size_t inputs = map.getInputs().size();
  std::string mapLetters = map.getAxisLabels().output.str();
  SmallVector<Value> axes = indicesOf(b, placeLetters, places);
  IRMapping mapping;
  for (auto [axis, index] : llvm::enumerate(axes))
    if (index)
      mapping.map(body.getArgument(inputs + axis), index);
  for (unsigned number = 0; number < inputs; ++number) {
    BlockArgument argument = body.getArgument(number);
    if (number == integers || argument.use_empty())
      continue;
    SmallVector<Value> indices;
    bool isOfRow = true;
    for (char letter : attn::lettersOfInput(map, mapLetters, number)) {
      indices.push_back(axes[mapLetters.find(letter)]);
      isOfRow &= bool(indices.back());
    }
    if (isOfRow)
      mapping.map(argument,
                  attn::ReadOp::create(b, loc, argument.getType(),
                                       map.getInputs()[number], indices));
  }
  // The outermost factor was found first.
  // A number per key, so that each score is multiplied and rounded once.
  Value product;
  for (Value factor : llvm::reverse(factors)) {
    Value by = attn::cloneValue(b, body, factor, mapping);
    product =
        product
            ? arith::MulFOp::create(b, factor.getLoc(), product, by).getResult()
            : by;
  }
  if (scale != 1) {
    Value by =
        arith::ConstantOp::create(b, loc, b.getFloatAttr(accumulate, scale));
    product =
        product ? arith::MulFOp::create(b, loc, product, by).getResult() : by;
  }
  if (!product)
    return x;
  return x ? arith::MulFOp::create(b, product.getLoc(), x, product).getResult()
           : product;
}

} // namespace attnc::schedule
