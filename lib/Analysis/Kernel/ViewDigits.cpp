//===- ViewDigits.cpp - Map letters of an op to axes in memory ------------===//
//
// A view is a relation between letters, so the same walk serves operands (from
// the view's result to its source) and results (the other way). Rows of
// sequences that are stored contiguously or in pages are found through a table:
// a digit says through which.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Kernel/ViewDigits.h"

#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/Panels.h"
#include "attnc/Dialect/Attn/StoredView.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc {

TensorDigits startOf(Value value, StringRef letters) {
  TensorDigits digits;
  for (auto [axis, letter] : llvm::enumerate(letters))
    digits.push_back({Digit{letter, attn::axisSize(value.getType(), axis)}});
  return digits;
}

/// How many places a digit has, if that is a number.
static std::optional<int64_t> countPlaces(const Digit &digit) {
  auto number = dyn_cast_if_present<IntegerAttr>(digit.places ? digit.places
                                                              : digit.size);
  return number ? std::optional(number.getInt()) : std::nullopt;
}

/// The last digits of an axis that make up `size`, which are taken away; or
/// nothing. Of a size that is no number there is one digit.
static std::optional<AxisDigits> takeBack(AxisDigits &axis, Attribute size) {
  auto number = dyn_cast_if_present<IntegerAttr>(size);
  if (!number && axis.empty())
    return std::nullopt;
  if (!number)
    return AxisDigits{axis.pop_back_val()};
  AxisDigits taken;
  int64_t left = number.getInt();
  while (!axis.empty()) {
    std::optional<int64_t> places = countPlaces(axis.back());
    if (!places || (*places != left && (*places == 0 || left % *places)))
      break;
    taken.insert(taken.begin(), axis.pop_back_val());
    left = *places == left ? 1 : left / *places;
    if (left == 1)
      return taken;
  }
  return left == 1 ? std::optional(taken) : std::nullopt;
}

/// Gives the digits of an axis to the letters of its group, the fastest first.
/// A letter of size 1 may be left without: it is always 0. A letter may be
/// several digits: heads that are KV heads and groups.
static bool shareOut(attn::ViewOp view, StringRef group, AxisDigits axis,
                     llvm::DenseMap<char, AxisDigits> &ofLetter) {
  for (char letter : llvm::reverse(group)) {
    Attribute size = view.sizeOf(letter);
    std::optional<AxisDigits> own = takeBack(axis, size);
    if (!own)
      return false;
    if (own->empty())
      own->push_back(Digit{kUnit, size});
    ofLetter[letter] = *own;
  }
  // What is left has one place.
  AxisDigits &slowest = ofLetter[group.front()];
  slowest.insert(slowest.begin(), axis.begin(), axis.end());
  return llvm::all_of(
      axis, [](const Digit &digit) { return countPlaces(digit) == 1; });
}

/// Carries digits through a view, from the side `known` to the side `wanted`.
static FailureOr<TensorDigits> carry(attn::ViewOp view,
                                     const TensorDigits &digits,
                                     ArrayRef<StringRef> known,
                                     ArrayRef<StringRef> wanted, bool report) {
  llvm::DenseMap<char, AxisDigits> ofLetter;
  for (auto [axis, group] : llvm::zip_equal(digits, known)) {
    if (group.size() == 1) {
      ofLetter[group[0]] = axis;
      continue;
    }
    if (shareOut(view, group, axis, ofLetter))
      continue;
    if (report)
      view.emitOpError() << "joins axes '" << group
                         << "' that are iterated as one; this cannot be "
                            "lowered to block loads and stores yet";
    return failure();
  }
  TensorDigits result;
  for (StringRef group : wanted) {
    AxisDigits &axis = result.emplace_back();
    for (char letter : group)
      llvm::append_range(axis, ofLetter[letter]);
  }
  return result;
}

/// Carries digits [b][rows]... of rows of each sequence to where they lie: all
/// behind each other, or in pages.
static FailureOr<TensorDigits>
carryRows(Operation *op, Value table, const TensorDigits &digits, bool report) {
  auto isLetter = [&](unsigned axis, StringRef letters) {
    const Digit &digit = digits[axis].front(); // the others have one place
    return llvm::all_of(llvm::drop_begin(digits[axis]),
                        [](const Digit &other) {
                          return isAlwaysZero(other) && !other.places;
                        }) &&
           !digit.table && !digit.places && letters.contains(digit.letter);
  };
  bool paged = isa<attn::PagesOp>(op);
  bool isPlain = isLetter(0, "b") && isLetter(1, paged ? "k" : "qk");
  if (!isPlain || !isa<BlockArgument>(table)) {
    if (report)
      op->emitOpError(
          "has rows that no kernel uses as the rows of its sequences, or a "
          "table that is not an argument; this cannot be lowered yet");
    return failure();
  }
  TensorDigits result;
  Digit row = digits[1][0];
  if (auto pages = dyn_cast<attn::PagesOp>(op)) {
    Type source = pages.getSource().getType();
    result.push_back({Digit{'p', attn::axisSize(source, 0), table}});
    result.push_back({Digit{'k', attn::axisSize(source, 1)}});
  } else {
    result.push_back({Digit{row.letter, row.size, table}});
  }
  result.insert(result.end(), digits.begin() + 2, digits.end());
  return result;
}

/// Carries digits [b]...[k] of keys of each sequence to their places among the
/// keys of all.
static FailureOr<TensorDigits> carryKeys(attn::PlaceOp place,
                                         TensorDigits digits, bool report) {
  auto isLetter = [&](const AxisDigits &axis, char letter) {
    return axis.size() == 1 && !axis[0].table && axis[0].letter == letter;
  };
  if (!isLetter(digits.front(), 'b') || !isLetter(digits.back(), 'k') ||
      !isa<BlockArgument>(place.getStart())) {
    if (report)
      place.emitOpError(
          "has keys that no kernel uses as the keys of its sequences, or a "
          "table that is not an argument; this cannot be lowered yet");
    return failure();
  }
  digits.back()[0].table = place.getStart();
  digits.back()[0].fill = place.getFillAttr();
  return digits;
}

/// From a piece of an axis to the axis: the last digit is moved, and the first
/// one has as many places as the whole axis gives it.
static FailureOr<TensorDigits> carrySlice(attn::SliceOp slice,
                                          TensorDigits digits, bool report) {
  auto refuse = [&](const Twine &why) -> FailureOr<TensorDigits> {
    if (report)
      slice.emitOpError(why);
    return failure();
  };
  AxisDigits &axis = digits[slice.getAxis()];
  bool byTable = llvm::any_of(axis, [&](const Digit &digit) {
    return digit.table || (digit.letter == 'k' && findTable(digits, 'p'));
  });
  if (byTable)
    return refuse(
        "slices an axis of ragged or paged rows; this cannot be lowered yet");
  int64_t extent = slice.getSource().getType().getDimSize(slice.getAxis());
  int64_t others = 1;
  for (const Digit &digit : ArrayRef(axis).drop_front()) {
    std::optional<int64_t> places = countPlaces(digit);
    if (!places || *places == 0 || extent % (others * *places))
      return refuse("slices an axis of " + Twine(extent) +
                    " that is iterated as several axes, which do not divide "
                    "it; this cannot be lowered to block loads and stores yet");
    others *= *places;
  }
  axis.back().offset += slice.getOffset();
  axis.front().places = IntegerAttr::get(
      IntegerType::get(slice.getContext(), 64), extent / others);
  if (!axis.back().places)
    axis.back().places = axis.back().size;
  return digits;
}

/// Whether kernels alone read what `map` makes, and each repeats it along axes
/// of its grid (b, h, g), not of its tiles.
static bool isForGrids(attn::MapOp map) {
  attn::Labels labels = map.getAxisLabels();
  auto repeatsInGrid = [&](attn::KernelOp kernel) {
    for (auto [operand, letters] : kernel.getLetteredOperands()) {
      if (operand != map.getResult())
        continue;
      for (auto [made, letter] : llvm::zip_equal(labels.output, letters))
        if (!labels.inputs[0].contains(made) &&
            !StringRef("bhg").contains(letter))
          return false;
    }
    return true;
  };
  return llvm::all_of(map->getUsers(), [&](Operation *user) {
    auto kernel = dyn_cast<attn::KernelOp>(user);
    return kernel && repeatsInGrid(kernel);
  });
}

bool isConversionOnLoad(attn::MapOp map) {
  if (!map->hasAttr(kConvertOnLoad) || map.getInputs().size() != 1 ||
      !getElementTypeOrSelf(map.getInputs()[0].getType()).isInteger(8) ||
      !isa<FloatType>(getElementTypeOrSelf(map.getType())) ||
      map.getAxisLabels().inputs[0] != map.getAxisLabels().output)
    return false;
  Block &body = map.getBody().front();
  Value made = body.getTerminator()->getOperand(0);
  auto real = made.getDefiningOp<arith::SIToFPOp>();
  auto wide = real ? real.getIn().getDefiningOp<arith::IndexCastOp>()
                   : arith::IndexCastOp();
  return wide && wide.getIn() == body.getArgument(0) &&
         llvm::all_of(map->getUsers(), [](Operation *user) {
           return isa<attn::KernelOp, attn::ContractOp>(user);
         });
}

bool isRepeatForKernels(attn::MapOp map) {
  if (isConversionOnLoad(map))
    return true;
  Block &body = map.getBody().front();
  if (map.getInputs().size() != 1 || !llvm::hasSingleElement(body) ||
      body.getTerminator()->getOperand(0) != body.getArgument(0) ||
      getElementTypeOrSelf(map.getInputs()[0].getType()) !=
          getElementTypeOrSelf(map.getType()))
    return false;
  attn::Labels labels = map.getAxisLabels();
  return labels.inputs[0].size() < labels.output.size() && isForGrids(map);
}

/// From the result of a map that repeats its input to the input.
static TensorDigits carryRepeat(attn::MapOp map, const TensorDigits &digits) {
  attn::Labels labels = map.getAxisLabels();
  TensorDigits result;
  for (char letter : labels.inputs[0])
    result.push_back(digits[*attn::axisOf(labels.output, letter)]);
  return result;
}

/// From the result of an op to its source.
static FailureOr<TensorDigits>
carryBack(Operation *op, const TensorDigits &digits, bool report) {
  if (auto view = dyn_cast<attn::ViewOp>(op)) {
    attn::ViewLabels labels = view.getViewLabels();
    return carry(view, digits, labels.output, labels.input, report);
  }
  if (auto slice = dyn_cast<attn::SliceOp>(op))
    return carrySlice(slice, digits, report);
  if (auto map = dyn_cast<attn::MapOp>(op))
    return carryRepeat(map, digits);
  if (auto unpack = dyn_cast<attn::UnpackOp>(op))
    return carryRows(op, unpack.getStart(), digits, report);
  return carryRows(op, cast<attn::PagesOp>(op).getTable(), digits, report);
}

/// Whether the result of `op` lies where its first operand does.
static bool isAlias(Operation *op) {
  if (auto map = dyn_cast_if_present<attn::MapOp>(op))
    return isRepeatForKernels(map);
  if (attn::isStoredView(op) || attn::isPanelView(op))
    return false;
  return isa_and_present<attn::ViewOp, attn::SliceOp, attn::UnpackOp,
                         attn::PagesOp>(op);
}

FailureOr<TensorDigits> digitsOfOperand(Value operand, StringRef letters,
                                        Value &root, bool report) {
  TensorDigits digits = startOf(operand, letters);
  while (isAlias(operand.getDefiningOp())) {
    Operation *op = operand.getDefiningOp();
    FailureOr<TensorDigits> next = carryBack(op, digits, report);
    if (failed(next))
      return failure();
    digits = *next;
    operand = op->getOperand(0);
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
  SmallVector<Operation *> ops;
  while (isa_and_present<attn::ViewOp, attn::PackOp, attn::PlaceOp>(
      returned.getDefiningOp())) {
    ops.push_back(returned.getDefiningOp());
    returned = ops.back()->getOperand(0);
  }
  TensorDigits digits = startOf(returned, letters);
  for (Operation *op : llvm::reverse(ops)) {
    FailureOr<TensorDigits> next = failure();
    if (auto pack = dyn_cast<attn::PackOp>(op)) {
      next = carryRows(op, pack.getStart(), digits, report);
    } else if (auto place = dyn_cast<attn::PlaceOp>(op)) {
      next = carryKeys(place, digits, report);
    } else {
      auto view = cast<attn::ViewOp>(op);
      attn::ViewLabels labels = view.getViewLabels();
      next = carry(view, digits, labels.input, labels.output, report);
    }
    if (failed(next))
      return failure();
    digits = *next;
  }
  return digits;
}

const Digit *findTable(const TensorDigits &digits, char letter) {
  for (const AxisDigits &axis : digits)
    for (const Digit &digit : axis)
      if (digit.letter == letter && digit.table)
        return &digit;
  return nullptr;
}

bool hasTable(const TensorDigits &digits) {
  return llvm::any_of(digits, [](const AxisDigits &axis) {
    return llvm::any_of(axis, [](const Digit &digit) { return digit.table; });
  });
}

bool isTiled(const Digit &digit) {
  return StringRef("qkde").contains(digit.letter);
}

bool isAlwaysZero(const Digit &digit) {
  auto size = dyn_cast_if_present<IntegerAttr>(digit.size);
  return size && size.getInt() == 1 && !isTiled(digit);
}

std::optional<BlockedDigit> findBlocked(const TensorDigits &digits) {
  for (const AxisDigits &axis : digits) {
    const Digit *tiled = nullptr; // by a letter further to the front
    for (const Digit &digit : axis) {
      if (isAlwaysZero(digit) && !digit.places)
        continue;
      if (tiled)
        return BlockedDigit{tiled->letter, digit.letter};
      if (isTiled(digit))
        tiled = &digit;
    }
  }
  return std::nullopt;
}

} // namespace attnc
