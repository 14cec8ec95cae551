//===- AttnVerify.cpp - Verifiers of the attn ops -------------------------===//
//
// Comments name the constraint of AttnOps.td that a test of the same name in
// test/Dialect/Attn/invalid.mlir violates. A verifier says what it got, what it
// expects, and where the other half stands.
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

using namespace mlir;
using namespace attnc::attn;

//===----------------------------------------------------------------------===//
// Sizes of letters
//===----------------------------------------------------------------------===//

LogicalResult LetterSizes::add(StringRef letters, Type type,
                               const Twine &what) {
  auto text = [](Attribute size) {
    if (auto name = dyn_cast<StringAttr>(size))
      return name.getValue().str();
    return std::to_string(cast<IntegerAttr>(size).getInt());
  };
  auto tensor = cast<RankedTensorType>(type);
  if (size_t(tensor.getRank()) != letters.size())
    return op->emitOpError()
           << what << " has " << tensor.getRank() << " axes, its labels '"
           << letters << "' name " << letters.size();
  for (auto [axis, letter] : llvm::enumerate(letters)) {
    Attribute size = axisSize(tensor, axis);
    if (!size)
      continue;
    auto [entry, isNew] = sizes.insert({letter, size});
    if (!isNew && entry->second != size)
      return op->emitOpError()
             << "axis '" << letter << "' is " << text(size) << " in " << what
             << ", but " << text(entry->second) << " before";
  }
  return success();
}

LogicalResult attnc::attn::verifyNamed(Operation *op, Type type,
                                       function_ref<bool(unsigned)> needed) {
  for (unsigned axis : llvm::seq(cast<RankedTensorType>(type).getRank()))
    if (needed(axis) && !axisSize(type, axis))
      return op->emitOpError()
             << "axis " << axis << " of the result is dynamic and has no "
             << "name; write its size in #attn.dims";
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static bool isFormulaOp(Operation &op) {
  if (isa<SizeOp, ReadOp, TableMinOp, TableMaxOp, LowerBoundOp, YieldOp,
          YieldRangesOp>(op))
    return true;
  return isa_and_present<arith::ArithDialect, math::MathDialect>(
             op.getDialect()) &&
         isMemoryEffectFree(&op) && op.getNumRegions() == 0;
}

LogicalResult attnc::attn::verifyFormula(Operation *parent, Region &region,
                                         StringRef what) {
  for (Operation &op : region.front()) {
    if (!isFormulaOp(op))
      return parent->emitOpError()
                 .append(what, " holds '", op.getName(),
                         "'; a formula has pure arith and math ops, attn.size "
                         "and attn.read only")
                 .attachNote(op.getLoc())
             << "the op";
    for (Value operand : op.getOperands()) {
      bool inside = operand.getParentRegion() == &region;
      bool tensor = isa<TensorType>(operand.getType());
      if (!inside && !tensor)
        return parent->emitOpError()
                   .append(what, " uses a scalar from outside; compute it in "
                                 "the region, or read it with attn.read")
                   .attachNote(op.getLoc())
               << "used here";
    }
    for (Type type : op.getResultTypes())
      if (!isa<FloatType, IntegerType, IndexType>(type))
        return parent->emitOpError() << what << " computes a value of type "
                                     << type << "; a formula computes scalars";
  }
  return success();
}

LogicalResult attnc::attn::verifyArguments(Operation *op, Region &region,
                                           TypeRange expected, StringRef what) {
  if (region.getArgumentTypes() == expected)
    return success();
  return op->emitOpError() << what << " has block arguments ("
                           << region.getArgumentTypes() << "), expected ("
                           << expected << ")";
}

LogicalResult attnc::attn::verifyYield(Operation *op, Region &region,
                                       Type expected, StringRef what) {
  auto yield = dyn_cast<YieldOp>(region.front().back());
  if (!yield)
    return op->emitOpError()
           << what << " must end with attn.yield of " << expected;
  if (yield.getValue().getType() != expected)
    return op->emitOpError() << what << " yields " << yield.getValue().getType()
                             << ", expected " << expected;
  return success();
}

//===----------------------------------------------------------------------===//
// attn.view
//===----------------------------------------------------------------------===//

// The product of the sizes of a group that another side holds as one axis.
static LogicalResult verifyGroups(ViewOp op, const ViewLabels::Side &grouped,
                                  Type groupedType,
                                  const ViewLabels::Side &other,
                                  Type otherType) {
  std::string letters = llvm::join(other, "");
  if (letters.size() != other.size())
    return success(); // both sides merge: nothing to compare letter by letter
  for (auto [axis, group] : llvm::enumerate(grouped)) {
    auto merged = dyn_cast_if_present<IntegerAttr>(axisSize(groupedType, axis));
    int64_t product = 1;
    bool known = merged != nullptr;
    for (char letter : group) {
      auto size = dyn_cast_if_present<IntegerAttr>(
          axisSize(otherType, *axisOf(letters, letter)));
      known =
          known && size && !llvm::MulOverflow(product, size.getInt(), product);
    }
    if (known && group.size() > 1 && product != merged.getInt()) // view_c5
      return op.emitOpError()
             << "axis '(" << group << ")' has size " << merged.getInt()
             << ", its letters have " << product << " together";
  }
  return success();
}

LogicalResult ViewOp::verify() {
  std::string error;
  std::optional<ViewLabels> labels = ViewLabels::parse(getLabels(), error);
  if (!labels) // view_c1
    return emitOpError() << error;
  RankedTensorType types[] = {getSource().getType(), getType()};
  const ViewLabels::Side *sides[] = {&labels->input, &labels->output};
  const StringRef names[] = {"source", "result"};
  for (auto [type, side, what] : llvm::zip(types, sides, names))
    if (size_t(type.getRank()) != side->size()) // view_c2
      return emitOpError() << what << " has " << type.getRank()
                           << " axes, the labels name " << side->size();
  if (types[0].getElementType() != types[1].getElementType()) // view_c3
    return emitOpError() << "changes the element type from "
                         << types[0].getElementType() << " to "
                         << types[1].getElementType();
  for (auto [axis, group] : llvm::enumerate(labels->input)) {
    const auto *same = llvm::find(labels->output, group);
    if (same == labels->output.end())
      continue;
    Attribute from = axisSize(types[0], axis);
    Attribute to = axisSize(types[1], same - labels->output.begin());
    if (from && to && from != to) // view_c4
      return emitOpError() << "axis '" << group << "' has size " << from
                           << " in the source and " << to << " in the result";
  }
  if (failed(verifyGroups(*this, labels->input, types[0], labels->output,
                          types[1])))
    return failure();
  return verifyGroups(*this, labels->output, types[1], labels->input, types[0]);
}

//===----------------------------------------------------------------------===//
// attn.contract
//===----------------------------------------------------------------------===//

/// A letter that only one side has is in the result.
static LogicalResult verifySummedLetters(ContractOp op, const Labels &labels) {
  StringRef lhs = labels.inputs[0], rhs = labels.inputs[1];
  StringRef mask = op.getMaskLabels().value_or("");
  for (auto [own, other, side] :
       {std::tuple(lhs, rhs, "left"), std::tuple(rhs, lhs, "right")})
    for (char letter : own)
      if (!other.contains(letter) && !labels.output.contains(letter) &&
          !mask.contains(letter)) // contract_c6
        return op.emitOpError()
               << "sums over letter '" << letter << "', which only the " << side
               << " operand has; expected attn.reduce for that sum, or the "
                  "letter in the result";
  return success();
}

LogicalResult ContractOp::verify() {
  std::string error;
  std::optional<Labels> labels = Labels::parse(getLabels(), error);
  if (!labels) // contract_c1
    return emitOpError() << error;
  if (labels->inputs.size() != 2)
    return emitOpError() << "labels '" << getLabels() << "' name "
                         << labels->inputs.size() << " operands, expected 2";
  StringRef lhs = labels->inputs[0], rhs = labels->inputs[1];
  auto isKnown = [&](char letter) {
    return lhs.contains(letter) || rhs.contains(letter);
  };
  for (char letter : labels->output)
    if (!isKnown(letter)) // contract_c3
      return emitOpError() << "letter '" << letter
                           << "' of the result is in no operand";
  LetterSizes sizes(*this);
  if (failed(sizes.add(lhs, getLhs().getType(), "the left operand")) ||
      failed(sizes.add(rhs, getRhs().getType(), "the right operand")) ||
      failed(sizes.add(labels->output, getType(), "the result")))
    return failure();                           // contract_c2, contract_c4
  if (bool(getMask()) != bool(getMaskLabels())) // contract_c5
    return emitOpError() << "needs both a mask and its labels, or neither";
  if (getMask() && (!areDistinctLetters(*getMaskLabels()) ||
                    !llvm::all_of(*getMaskLabels(), isKnown)))
    return emitOpError() << "labels '" << *getMaskLabels()
                         << "' of the mask are not letters of the operands";
  if (getMask() &&
      failed(sizes.add(*getMaskLabels(), getMask().getType(), "the mask")))
    return failure();
  return verifySummedLetters(*this, *labels);
}

//===----------------------------------------------------------------------===//
// attn.map, attn.mask
//===----------------------------------------------------------------------===//

LogicalResult MapOp::verify() {
  std::string error;
  std::optional<Labels> labels = parseAxisLabels(error);
  if (!labels) // map_c1
    return emitOpError() << error;
  if (labels->inputs.size() != getInputs().size())
    return emitOpError() << "labels '" << getLabels() << "' name "
                         << labels->inputs.size() << " inputs, there are "
                         << getInputs().size();
  LetterSizes sizes(*this);
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    StringRef letters = labels->inputs[index];
    for (char letter : letters)
      if (!labels->output.contains(letter)) // map_c3
        return emitOpError() << "letter '" << letter << "' of input " << index
                             << " is not in the result";
    // map_c2, map_c4
    if (failed(sizes.add(letters, input.getType(), "input " + Twine(index))))
      return failure();
  }
  if (failed(sizes.add(labels->output, getType(), "the result")))
    return failure();
  auto noInputHas = [&](unsigned axis) {
    return llvm::none_of(labels->inputs, [&](StringRef letters) {
      return letters.contains(labels->output[axis]);
    });
  };
  return verifyNamed(*this, getType(), noInputHas); // map_c8
}

LogicalResult MapOp::verifyRegions() {
  Labels labels = getAxisLabels();
  Type accumulate = getAccumulateType();
  SmallVector<Type> types;
  for (Type input : getInputs().getTypes())
    types.push_back(scalarType(input, accumulate));
  types.append(labels.output.size(), IndexType::get(getContext()));
  if (failed(verifyArguments(*this, getBody(), types, "its region")) // map_c5
      || failed(verifyYield(*this, getBody(), scalarType(getType(), accumulate),
                            "its region"))) // map_c6
    return failure();
  return verifyFormula(*this, getBody(), "its region"); // map_c7
}

LogicalResult MaskOp::verify() {
  if (!areDistinctLetters(getLabels())) // mask_c1
    return emitOpError() << "'" << getLabels()
                         << "' is not a list of distinct letters a-z";
  LetterSizes sizes(*this);
  if (failed(sizes.add(getLabels(), getType(), "the result")))
    return failure();
  return verifyNamed(*this, getType(), [](unsigned) { return true; }); // c2
}

LogicalResult MaskOp::verifyRegions() {
  SmallVector<Type> types(getLabels().size(), IndexType::get(getContext()));
  Type truth = IntegerType::get(getContext(), 1);
  if (failed(verifyArguments(*this, getBody(), types, "its region")) ||
      failed(verifyYield(*this, getBody(), truth, "its region")))
    return failure();                                   // mask_c3, mask_c4
  return verifyFormula(*this, getBody(), "its region"); // mask_c5
}

//===----------------------------------------------------------------------===//
// attn.normalize, attn.reduce
//===----------------------------------------------------------------------===//

/// What ops say that go along one axis of scores (normalize_c1 to c3, reduce_c1
/// to c3); `sizes` take those of the letters.
template <typename Op>
static LogicalResult verifyScores(Op op, LetterSizes &sizes) {
  if (!areDistinctLetters(op.getLabels()))
    return op.emitOpError() << "'" << op.getLabels()
                            << "' is not a list of distinct letters a-z";
  if (op.getOver().size() != 1 || !op.getLabels().contains(op.getOver()))
    return op.emitOpError()
           << "'over' must be one letter of '" << op.getLabels() << "', got '"
           << op.getOver() << "'";
  if (failed(sizes.add(op.getLabels(), op.getScores().getType(), "the scores")))
    return failure();
  return op.getMask()
             ? sizes.add(op.getLabels(), op.getMask().getType(), "the mask")
             : success();
}

LogicalResult NormalizeOp::verify() {
  LetterSizes sizes(*this);
  if (failed(verifyScores(*this, sizes)))
    return failure();
  if (failed(sizes.add(getLabels(), getWeights().getType(), "the weights")) ||
      failed(sizes.add(getRowLabels(), getLse().getType(), "lse")))
    return failure(); // normalize_c3, normalize_c4
  if (getLse().getType().getElementType() != getAccumulateType())
    return emitOpError() << "lse must have the element type "
                         << getAccumulateType() << ", got "
                         << getLse().getType().getElementType();
  return success();
}

LogicalResult NormalizeOp::verifyRegions() {
  if (getInit().empty())
    return success();
  if (getNorm().getDivide() != NormDivide::Sum) // normalize_c8
    return emitOpError() << "'init' is a part of the sum, but " << getNorm()
                         << " does not divide by it";
  SmallVector<Type> types(getRowLabels().size(), IndexType::get(getContext()));
  if (failed(verifyArguments(*this, getInit(), types, "'init'")) ||
      failed(verifyYield(*this, getInit(), getAccumulateType(), "'init'")))
    return failure(); // normalize_c5, normalize_c6
  return verifyFormula(*this, getInit(), "'init'"); // normalize_c7
}

LogicalResult ReduceOp::verify() {
  LetterSizes sizes(*this);
  if (failed(verifyScores(*this, sizes)))
    return failure();
  if (failed(sizes.add(getRowLabels(), getRow().getType(), "row")) ||
      (getKey() &&
       failed(sizes.add(getRowLabels(), getKey().getType(), "key"))))
    return failure(); // reduce_c4
  Type accumulate = accumulateType({getScores().getType(), getRow().getType()});
  if (getRow().getType().getElementType() != accumulate)
    return emitOpError() << "row must have the element type " << accumulate
                         << ", got " << getRow().getType().getElementType();
  if (bool(getKey()) != (getKind().getKind() == RowKind::Rank))
    return emitOpError() << getKind()
                         << (getKey() ? " has no key" : " has a key");
  return success();
}

//===----------------------------------------------------------------------===//
// attn.size, attn.read
//===----------------------------------------------------------------------===//

LogicalResult SizeOp::verify() {
  if (getName().empty()) // size_c1
    return emitOpError() << "needs the name of a size";
  return success();
}

LogicalResult ReadOp::verify() {
  int64_t rank = getSource().getType().getRank();
  if (int64_t(getIndices().size()) != rank) // read_c1
    return emitOpError() << "has " << getIndices().size()
                         << " indices, the tensor has " << rank << " axes";
  Type result = getType();
  Type accumulate =
      isa<FloatType>(result) ? result : Float32Type::get(getContext());
  Type expected = scalarType(getSource().getType(), accumulate);
  if (result != expected) // read_c2
    return emitOpError() << "reads " << getSource().getType().getElementType()
                         << " as " << result << ", expected "
                         << (isa<FloatType>(expected) ? "f32 or f64"
                             : expected.isIndex()     ? "index"
                                                      : "i1");
  return success();
}

// table_min_c1, table_max_c1
template <typename OpT> static LogicalResult verifyTableEnd(OpT op) {
  int64_t rank = op.getSource().getType().getRank();
  if (int64_t(op.getFirst().size()) == rank)
    return success();
  return op.emitOpError() << "has " << op.getFirst().size()
                          << " first places, the table has " << rank << " axes";
}

LogicalResult TableMinOp::verify() { return verifyTableEnd(*this); }
LogicalResult TableMaxOp::verify() { return verifyTableEnd(*this); }

LogicalResult LowerBoundOp::verify() {
  int64_t rank = getSource().getType().getRank();
  if (int64_t(getIndices().size()) + 1 != rank) // lower_bound_c1
    return emitOpError() << "has " << getIndices().size()
                         << " indices of a row, the table has " << rank
                         << " axes";
  return success();
}
