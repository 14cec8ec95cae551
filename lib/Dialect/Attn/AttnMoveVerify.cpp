//===- AttnMoveVerify.cpp - Verifiers of the ops of AttnMove.td -----------===//
//
// Comments name the constraint of AttnMove.td that a test of the same name in
// test/Dialect/Attn/move-invalid.mlir violates.
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "attnc/Dialect/Attn/AttnMove.h"

using namespace mlir;
using namespace attnc::attn;

static LogicalResult verifyLetters(Operation *op, StringRef labels) {
  if (!areDistinctLetters(labels))
    return op->emitOpError()
           << "'" << labels << "' is not a list of distinct letters a-z";
  return success();
}

static LogicalResult verifyAlong(Operation *op, StringRef along,
                                 StringRef letters, const Twine &of) {
  if (along.size() == 1 && letters.contains(along))
    return success();
  return op->emitOpError() << "'along' must be one letter of '" << letters
                           << "'" << of << ", got '" << along << "'";
}

/// One letter per axis: said with the labels as they are written.
static LogicalResult verifyRank(Operation *op, StringRef labels, Type type,
                                const Twine &what) {
  int64_t rank = cast<RankedTensorType>(type).getRank();
  if (size_t(rank) == labels.size())
    return success();
  return op->emitOpError() << what << " has " << rank << " axes, its labels '"
                           << labels << "' name " << labels.size();
}

static LogicalResult verifyElements(Operation *op, Type type, Type expected,
                                    const Twine &what) {
  Type element = getElementTypeOrSelf(type);
  if (element == getElementTypeOrSelf(expected))
    return success();
  return op->emitOpError() << "moves elements of "
                           << getElementTypeOrSelf(expected) << ", but " << what
                           << " has " << element;
}

/// Letters for which LetterSizes compares nothing along the axis.
static std::string withoutAlong(StringRef labels, StringRef along) {
  std::string letters = labels.str();
  std::replace(letters.begin(), letters.end(), along.front(), '*');
  return letters;
}

/// The fixed size of an axis, or an error at `op`.
static FailureOr<int64_t> fixedSize(Operation *op, Type tensor, unsigned axis,
                                    StringRef along, const Twine &what) {
  auto type = cast<RankedTensorType>(tensor);
  if (!type.isDynamicDim(axis))
    return type.getDimSize(axis);
  return op->emitOpError() << "axis '" << along << "' of " << what
                           << " has no fixed size, which is needed to tell "
                              "that the pieces fit";
}

//===----------------------------------------------------------------------===//
// attn.slice
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::verify() {
  StringRef labels = getLabels(), along = getAlong();
  Type source = getSource().getType(), result = getType();
  if (failed(verifyLetters(*this, labels)) ||
      failed(verifyRank(*this, labels, source, "the source")) ||
      failed(verifyRank(*this, labels, result, "the result"))) // slice_c1
    return failure();
  if (failed(verifyAlong(*this, along, labels, ""))) // slice_c2
    return failure();
  LetterSizes sizes(*this);
  if (failed(verifyElements(*this, result, source, "the result")) ||
      failed(sizes.add(withoutAlong(labels, along), source, "the source")))
    return failure(); // slice_c3
  sizes.forget('*');
  if (failed(sizes.add(withoutAlong(labels, along), result, "the result")))
    return failure(); // slice_c3
  auto from = fixedSize(*this, source, getAxis(), along, "the source");
  auto to = fixedSize(*this, result, getAxis(), along, "the result");
  if (failed(from) || failed(to))
    return failure(); // slice_c4
  int64_t offset = getOffset(), size = getSize();
  if (size < 1 || *to != size) // slice_c4
    return emitOpError() << "takes " << size << " of axis '" << along
                         << "', its result has " << *to
                         << "; at least 1 is expected, and the same number";
  if (offset < 0 || size > *from || offset > *from - size) // slice_c5
    return emitOpError() << "takes " << offset << " to " << offset << " + "
                         << size << " of axis '" << along << "', which has "
                         << *from;
  return success();
}

//===----------------------------------------------------------------------===//
// attn.concat
//===----------------------------------------------------------------------===//

/// concat_c6; what named sizes are is seen with the interface (stage_c10).
static LogicalResult verifySum(ConcatOp op) {
  int64_t sum = 0;
  bool isFixed = true;
  for (unsigned part = 0; part < op.getParts().size(); ++part) {
    if (!op.getNamedPartSize(part))
      return op.emitOpError()
             << "axis '" << op.getAlong() << "' of part " << part
             << " is dynamic and has no name; write its size in #attn.dims";
    int64_t size = op.getPartSize(part);
    isFixed &= !ShapedType::isDynamic(size);
    sum += size;
  }
  unsigned axis = *axisOf(op.getAxisLabels().output, op.getAlong().front());
  auto type = cast<RankedTensorType>(op.getType());
  Attribute size = axisSize(type, axis);
  if (op.isFixed() == isFixed && size &&
      (!isFixed || type.getDimSize(axis) == sum))
    return success();
  InFlightDiagnostic error = op.emitOpError();
  error << "axis '" << op.getAlong() << "' of the result has ";
  if (op.isFixed())
    error << "size " << type.getDimSize(axis);
  else if (size)
    error << "size " << size;
  else
    error << "no name";
  if (isFixed)
    return error << ", the parts have " << sum << " together";
  return error << ", sizes of the parts are not all fixed: a name or an "
                  "expression of names is expected";
}

LogicalResult ConcatOp::verify() {
  std::string error;
  std::optional<Labels> labels = Labels::parse(getLabels(), error);
  if (!labels) // concat_c1
    return emitOpError() << error;
  if (labels->inputs.size() != getParts().size() || getParts().empty())
    return emitOpError() << "labels '" << getLabels() << "' name "
                         << labels->inputs.size() << " parts, there are "
                         << getParts().size() << "; at least 1 is expected";
  if (failed(verifyAlong(*this, getAlong(), labels->output, " (the result)")))
    return failure(); // concat_c4
  LetterSizes sizes(*this);
  for (auto [number, part] : llvm::enumerate(getParts())) {
    StringRef letters = labels->inputs[number];
    for (char letter : letters)
      if (!labels->output.contains(letter)) // concat_c3
        return emitOpError() << "letter '" << letter << "' of part " << number
                             << " is not in the result";
    if (failed(verifyRank(*this, letters, part.getType(),
                          "part " + Twine(number))) || // concat_c2
        failed(verifyAlong(*this, getAlong(), letters,
                           " (part " + Twine(number) + ")")) || // concat_c4
        failed(verifyElements(*this, part.getType(), getType(),
                              "part " + Twine(number))) || // concat_c7
        failed(sizes.add(withoutAlong(letters, getAlong()), part.getType(),
                         "part " + Twine(number)))) // concat_c5
      return failure();
    sizes.forget('*');
  }
  if (failed(verifyRank(*this, labels->output, getType(), "the result")) ||
      failed(sizes.add(withoutAlong(labels->output, getAlong()), getType(),
                       "the result"))) // concat_c2, concat_c5
    return failure();
  if (failed(verifySum(*this)))
    return failure();
  return verifyNamed(*this, getType(), [&](unsigned axis) { // concat_c8
    return llvm::none_of(labels->inputs, [&](StringRef letters) {
      return letters.contains(labels->output[axis]);
    });
  });
}

//===----------------------------------------------------------------------===//
// attn.append
//===----------------------------------------------------------------------===//

LogicalResult AppendOp::verify() {
  StringRef labels = getLabels(), along = getAlong(), at = getAtLabels();
  if (failed(verifyLetters(*this, labels)) ||
      failed(verifyRank(*this, labels, getCache().getType(), "the cache")) ||
      failed(verifyRank(*this, labels, getRows().getType(), "the rows")) ||
      failed(verifyRank(*this, labels, getType(), "the result"))) // append_c1
    return failure();
  if (failed(verifyAlong(*this, along, labels, ""))) // append_c2
    return failure();
  for (char letter : at)
    if (!labels.contains(letter) || along.contains(letter)) // append_c2
      return emitOpError() << "letter '" << letter << "' of 'at' must be one "
                           << "of '" << labels << "' but '" << along << "'";
  if (failed(verifyLetters(*this, at)) ||
      failed(verifyRank(*this, at, getAt().getType(), "'at'"))) // append_c5
    return failure();
  if (failed(verifyElements(*this, getRows().getType(), getType(), "'rows'")) ||
      failed(verifyElements(*this, getCache().getType(), getType(),
                            "the cache"))) // append_c3
    return failure();
  LetterSizes sizes(*this);
  if (failed(sizes.add(labels, getCache().getType(), "the cache")) ||
      failed(sizes.add(withoutAlong(labels, along), getRows().getType(),
                       "the rows")) ||
      failed(sizes.add(at, getAt().getType(), "'at'")))
    return failure(); // append_c4
  return sizes.add(labels, getType(), "the result");
}

//===----------------------------------------------------------------------===//
// attn.scan
//===----------------------------------------------------------------------===//

std::string ScanOp::getOtherLabels() {
  std::string letters = getLabels().str();
  llvm::erase(letters, getAlong().front());
  return letters;
}

LogicalResult ScanOp::verify() {
  StringRef labels = getLabels();
  Type source = getSource().getType();
  if (failed(verifyLetters(*this, labels)) ||
      failed(verifyRank(*this, labels, source, "the source")) ||
      failed(verifyRank(*this, labels, getType(), "the result"))) // scan_c1
    return failure();
  if (failed(verifyAlong(*this, getAlong(), labels, ""))) // scan_c2
    return failure();
  LetterSizes sizes(*this);
  if (failed(sizes.add(labels, source, "the source")))
    return failure();
  return sizes.add(labels, getType(), "the result"); // scan_c3
}
