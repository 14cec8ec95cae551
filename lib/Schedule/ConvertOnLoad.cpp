//===- ConvertOnLoad.cpp - Read quantized keys and values -----------------===//
//
// Quantized keys and values are 8-bit integers times a scale:
//
//   %k = attn.map "bhkd->bhkd" (%K8) {float(%K8) * read %ks[b, h, k]}
//   %v = attn.map "bhke->bhke" (%V8) {float(%V8) * read %vs[b, h, k]}
//   %o = attn.kernel ins(%q, %k, %v) score {^bb0(%x, ...): yield f(%x)}
//
// If no factor depends on the feature, a sum over features has the factor of
// its key, and a weight that of its value. The kernel reads the integers:
//
//   %k = attn.map "bhkd->bhkd" (%K8) {float(%K8)} {attn.convert_on_load}
//   %v = attn.map "bhke->bhke" (%V8) {float(%V8)} {attn.convert_on_load}
//   %o = attn.kernel ins(%q, %k, %v)
//     score {^bb0(%x, ...): yield f(%x * read %ks[b, h, k])}
//     gate {^bb0(%x, ...): yield read %vs[b, h, k]}
//
// These maps are no ops of their own: the kernel converts tiles as it loads
// them. Integers of 8 bits are exact in bf16 (8 bits of significand), so a unit
// for bf16 multiplies them. The scales of keys multiply sums in the accumulate
// type; those of values multiply weights before they are rounded.
// Tests: test/Schedule/convert-on-load.mlir
//
//===----------------------------------------------------------------------===//

#include "ConvertOnLoad.h"

#include "attnc/Analysis/Kernel/ScoreFactors.h"
#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Dialect/Attn/MapFormula.h"
#include "attnc/Interface/Remark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::schedule {

/// The map that makes the elements of a tensor, be it viewed, or null.
static attn::MapOp findMap(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  while (isa_and_present<attn::ViewOp, attn::UnpackOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return dyn_cast_if_present<attn::MapOp>(op);
}

namespace {
/// An operand of a kernel that a map makes of integers.
class QuantizedRows {
public:
  QuantizedRows(attn::KernelOp kernel, OpOperand &operand, StringRef letters)
      : kernel(kernel), operand(operand), letters(letters),
        map(findMap(operand.get())) {}

  /// Whether the map multiplies 8-bit integers.
  bool isQuantized() const;
  /// Why the kernel cannot read the integers, or an empty text. Finds the
  /// factors.
  StringRef whyNot();
  /// Replaces the operand by integers, as elements of type `element`.
  void readIntegers(Type element);
  bool hasFactors() const { return !factors.empty(); }
  /// The product of the factors times `x`, for a region whose arguments b, h,
  /// g, q and k are `places`. Without factors, `x`. `x` may be null.
  Value multiply(OpBuilder &b, Value x, ValueRange places);

private:
  bool split(Value value);
  bool isOfInteger(Value value) const;

  attn::KernelOp kernel;
  OpOperand &operand;
  StringRef letters; // of the operand's axes
  mutable attn::MapOp map;
  unsigned integers = 0;         // which input they are
  SmallVector<Value, 2> factors; // values of the map's region
};
} // namespace

bool QuantizedRows::isQuantized() const {
  return map && !isConversionOnLoad(map) &&
         llvm::any_of(map.getInputs(), [](Value input) {
           return getElementTypeOrSelf(input.getType()).isInteger(8);
         });
}

/// Whether `value` is the element of the integers as a float.
bool QuantizedRows::isOfInteger(Value value) const {
  auto real = value.getDefiningOp<arith::SIToFPOp>();
  auto wide = real ? real.getIn().getDefiningOp<arith::IndexCastOp>()
                   : arith::IndexCastOp();
  return wide && wide.getIn() == map.getBody().front().getArgument(integers);
}

/// Splits a product into the integer and factors of its row.
bool QuantizedRows::split(Value value) {
  if (isOfInteger(value))
    return true;
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  auto isOfRow = [&](Value factor) {
    std::string of = attn::lettersOf(map, letters, factor);
    SmallVector<Value> open{factor};
    while (!open.empty()) { // the integers themselves are no factor
      Value next = open.pop_back_val();
      if (next == map.getBody().front().getArgument(integers))
        return false;
      if (next.getParentBlock() == &map.getBody().front() &&
          next.getDefiningOp())
        llvm::append_range(open, next.getDefiningOp()->getOperands());
    }
    return !StringRef(of).contains(letters.back());
  };
  Value left = product.getLhs(), right = product.getRhs();
  if (!isOfRow(right))
    std::swap(left, right);
  if (!isOfRow(right))
    return false;
  factors.push_back(right);
  return split(left);
}

StringRef QuantizedRows::whyNot() {
  if (operand.get().getDefiningOp() != map)
    return "they are viewed otherwise than the integers are stored (ragged "
           "rows, or no axis of heads)";
  Type accumulate = kernel.getAccumulateType();
  attn::Labels labels = map.getAxisLabels();
  for (auto [number, input] : llvm::enumerate(map.getInputs()))
    if (getElementTypeOrSelf(input.getType()).isInteger(8) &&
        labels.inputs[number] == labels.output)
      integers = number;
  Value source = map.getInputs()[integers];
  if (labels.inputs[integers] != labels.output ||
      getElementTypeOrSelf(map.getType()) != accumulate)
    return "the formula reads more than one tensor of 8-bit integers, or "
           "permutes its axes";
  factors.clear();
  if (!split(map.getBody().front().getTerminator()->getOperand(0)))
    return "the formula is not an 8-bit integer times a scale per key (a scale "
           "may not depend on the feature, and a zero point is none)";
  Value root;
  FailureOr<TensorDigits> digits =
      digitsOfOperand(source, letters, root, /*report=*/false);
  if (failed(digits) || findBlocked(*digits))
    return "the layout of the integers (sliced or reshaped) cannot be read "
           "tile by tile";
  return {};
}

void QuantizedRows::readIntegers(Type element) {
  OpBuilder b(kernel);
  std::string labels = (letters + "->" + letters).str();
  Value source = map.getInputs()[integers];
  auto type = cast<RankedTensorType>(map.getType());
  auto converted = attn::MapOp::create(
      b, map.getLoc(), cast<RankedTensorType>(type.clone(element)), labels,
      source, [&](OpBuilder &inner, Location loc, ValueRange x) {
        Value wide =
            arith::IndexCastOp::create(inner, loc, inner.getI64Type(), x[0]);
        Value real = arith::SIToFPOp::create(inner, loc,
                                             kernel.getAccumulateType(), wide);
        attn::YieldOp::create(inner, loc, real);
      });
  converted->setAttr(kConvertOnLoad, b.getUnitAttr());
  operand.set(converted);
}

Value QuantizedRows::multiply(OpBuilder &b, Value x, ValueRange places) {
  constexpr StringLiteral kPlaces = "bhgqk";
  Block &body = map.getBody().front();
  size_t inputs = map.getInputs().size();
  IRMapping mapping;
  for (auto [axis, letter] : llvm::enumerate(letters))
    if (size_t place = kPlaces.find(letter); place != StringRef::npos)
      mapping.map(body.getArgument(inputs + axis), places[place]);
  for (unsigned number = 0; number < inputs; ++number) {
    BlockArgument argument = body.getArgument(number);
    if (number == integers || argument.use_empty())
      continue;
    SmallVector<Value> indices;
    bool isOfRow = true;
    for (char letter : attn::lettersOfInput(map, letters, number)) {
      size_t place = kPlaces.find(letter);
      isOfRow &= place != StringRef::npos;
      if (isOfRow)
        indices.push_back(places[place]);
    }
    if (isOfRow)
      mapping.map(argument,
                  attn::ReadOp::create(b, kernel.getLoc(), argument.getType(),
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
  if (!product)
    return x;
  return x ? arith::MulFOp::create(b, product.getLoc(), x, product).getResult()
           : product;
}

/// Multiplies argument `number` of score, gate and select by the factors of the
/// keys.
static void multiplySum(attn::KernelOp kernel, QuantizedRows &keys,
                        unsigned number) {
  if (!keys.hasFactors())
    return;
  for (Region *region :
       {&kernel.getScore(), &kernel.getGate(), &kernel.getSelect()}) {
    if (region->empty() || region->getArgument(number).use_empty())
      continue;
    Block &body = region->front();
    OpBuilder b = OpBuilder::atBlockBegin(&body);
    Value sum = body.getArgument(number);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : sum.getUses())
      uses.push_back(&use);
    Value scaled = keys.multiply(b, sum, body.getArguments().slice(1, 5));
    for (OpOperand *use : uses)
      use->set(scaled);
  }
}

/// Multiplies weights by the factors of the values.
static void multiplyWeights(attn::KernelOp kernel, QuantizedRows &values) {
  if (!values.hasFactors())
    return;
  Region &region = kernel.getGate();
  Location loc = kernel.getLoc();
  if (region.empty()) {
    constexpr unsigned gate = 6; // of the op's regions
    OpBuilder b(kernel.getContext());
    Block *body = b.createBlock(&region);
    for (Type type : kernel.getBlockTypes(gate))
      body->addArgument(type, loc);
    Value factor = values.multiply(b, {}, body->getArguments().slice(1, 5));
    attn::YieldOp::create(b, loc, factor);
    return;
  }
  Operation *end = region.front().getTerminator();
  OpBuilder b(end);
  end->setOperand(0, values.multiply(b, end->getOperand(0),
                                     region.getArguments().slice(1, 5)));
}

/// Keys and values of the kernel's products with their letters; of keys the
/// number of the sum's argument.
static void
forEachRows(attn::KernelOp kernel,
            function_ref<void(QuantizedRows &, Value, unsigned)> fn) {
  constexpr unsigned valueNumber = ~0U, firstProduct = 6;
  auto visit = [&](OpOperand &operand, StringRef letters, Value queries,
                   unsigned number) {
    auto rank = cast<RankedTensorType>(operand.get().getType()).getRank();
    bool isGrouped = rank == int64_t(letters.size()) + 1;
    QuantizedRows rows(kernel, operand,
                       isGrouped ? attn::KernelOp::withGroup(letters)
                                 : letters);
    if (rows.isQuantized())
      fn(rows, queries, number);
  };
  unsigned first = 0;
  for (auto [number, sum] : llvm::enumerate(kernel.getSums())) {
    if (!sum.pair) {
      OpOperand &keys = first == 0 ? kernel.getKMutable()
                                   : kernel.getProductsMutable()[2 * first - 1];
      visit(keys, attn::KernelOp::kLabels[1], sum.rows.front().first,
            number == 0 ? 0 : firstProduct + number - 1);
    }
    first += sum.rows.size();
  }
  if (kernel.getV() && !kernel.hasValue() && kernel.getNorm())
    visit(kernel.getVMutable()[0], attn::KernelOp::kLabels[2], {}, valueNumber);
}

bool isQuantized(attn::KernelOp kernel) {
  bool found = false;
  forEachRows(kernel, [&](QuantizedRows &, Value, unsigned) { found = true; });
  return found;
}

void convertOnLoad(attn::KernelOp kernel) {
  Type accumulate = kernel.getAccumulateType();
  bool isLinear = isLinearAttention(kernel);
  forEachRows(kernel, [&](QuantizedRows &rows, Value queries, unsigned number) {
    StringRef what = queries ? "keys" : "values";
    StringRef why =
        isLinear ? "linear attention reads them several times" : rows.whyNot();
    if (!why.empty()) {
      remarkOn(kernel) << "quantized " << what
                       << " are dequantized before the kernel, because " << why
                       << " [kernel]";
      return;
    }
    Type other = queries ? getElementTypeOrSelf(queries.getType())
                         : kernel.getRoundedWeightType();
    // Other types of 16 bits are not multiplied by a unit.
    bool isNarrow = other.isBF16() && accumulate.isF32();
    if (queries)
      multiplySum(kernel, rows, number);
    else
      multiplyWeights(kernel, rows);
    rows.readIntegers(isNarrow ? other : accumulate);
    remarkOn(kernel) << "quantized " << what
                     << " are converted to floats tile by tile, as they are "
                        "loaded [kernel]";
  });
}

} // namespace attnc::schedule
