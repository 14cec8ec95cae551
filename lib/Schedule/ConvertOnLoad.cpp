//===- ConvertOnLoad.cpp - Read quantized operands ------------------------===//
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
//
// Where a unit multiplies integers, quantized queries of quantized keys are
// read as integers, too. Then the scale of a query, times the kernel's scale,
// multiplies the sums, which are exact.
// Tests: test/Schedule/convert-on-load.mlir, integer-products.mlir
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

namespace {
/// An operand of a kernel that a map makes of integers, perhaps viewed.
class QuantizedRows {
public:
  QuantizedRows(attn::KernelOp kernel, OpOperand &operand, StringRef letters)
      : kernel(kernel), operand(&operand), letters(letters) {
    Operation *op = operand.get().getDefiningOp();
    for (; isa_and_present<attn::ViewOp, attn::UnpackOp>(op);
         op = op->getOperand(0).getDefiningOp())
      views.push_back(op);
    map = dyn_cast_if_present<attn::MapOp>(op);
  }

  /// Whether the map multiplies 8-bit integers.
  bool isQuantized() const;
  bool isUnsigned() const;
  /// Why the kernel cannot read the integers, or an empty text. Finds the
  /// factors.
  StringRef whyNot();
  /// Replaces the operand by integers, as elements of type `element`.
  void readIntegers(Type element);
  bool hasFactors() const { return !factors.empty() || scale != 1; }
  /// Adds a constant factor.
  void scaleBy(double factor) { scale *= factor; }
  /// The product of the factors times `x`, for a region whose arguments b, h,
  /// g, q and k are `places`. Without factors, `x`. `x` may be null.
  Value multiply(OpBuilder &b, Value x, ValueRange places);

private:
  bool split(Value value);
  bool isOfInteger(Value value) const;
  bool findGroups();
  Value viewSource(OpBuilder &b);
  SmallVector<Value> indicesOf(OpBuilder &b, ValueRange places);

  attn::KernelOp kernel;
  OpOperand *operand;
  StringRef letters; // of the operand's axes
  mutable attn::MapOp map;
  /// What makes the operand of the map, the last first: views whose axes are
  /// permuted or merged, and rows of sequences.
  SmallVector<Operation *, 3> views;
  /// By axis of the map: the letters of the operand that its index depends on.
  SmallVector<std::string> groups;
  unsigned integers = 0;         // which input they are
  SmallVector<Value, 2> factors; // values of the map's region
  double scale = 1;
};
} // namespace

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

/// Splits a product into the integer and factors of its row.
bool QuantizedRows::split(Value value) {
  if (isOfInteger(value))
    return true;
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  std::string mapLetters = map.getAxisLabels().output.str();
  auto isOfRow = [&](Value factor) {
    std::string of = attn::lettersOf(map, mapLetters, factor);
    SmallVector<Value> open{factor};
    while (!open.empty()) { // the integers themselves are no factor
      Value next = open.pop_back_val();
      if (next == map.getBody().front().getArgument(integers))
        return false;
      if (next.getParentBlock() == &map.getBody().front() &&
          next.getDefiningOp())
        llvm::append_range(open, next.getDefiningOp()->getOperands());
    }
    return llvm::none_of(of, [&](char letter) {
      return StringRef(groups[mapLetters.find(letter)])
          .contains(letters.back());
    });
  };
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

StringRef QuantizedRows::whyNot() {
  if (!findGroups())
    return "they are viewed otherwise than the integers are stored (an axis is "
           "split)";
  Type accumulate = kernel.getAccumulateType();
  attn::Labels labels = map.getAxisLabels();
  for (auto [number, input] : llvm::enumerate(map.getInputs()))
    if (getElementTypeOrSelf(input.getType()).isInteger(8) &&
        labels.inputs[number] == labels.output)
      integers = number;
  if (labels.inputs[integers] != labels.output ||
      getElementTypeOrSelf(map.getType()) != accumulate)
    return "the formula reads more than one tensor of 8-bit integers, or "
           "permutes its axes";
  factors.clear();
  if (!split(map.getBody().front().getTerminator()->getOperand(0)))
    return "the formula is not an 8-bit integer times a scale per row (a scale "
           "may not depend on the feature, and a zero point is none)";
  Value root;
  OpBuilder b(kernel);
  Value source = viewSource(b);
  FailureOr<TensorDigits> digits =
      digitsOfOperand(source, letters, root, /*report=*/false);
  for (size_t i = 0; i < views.size(); ++i) {
    Operation *copy = source.getDefiningOp();
    source = copy->getOperand(0);
    copy->erase();
  }
  if (failed(digits) || findBlocked(*digits))
    return "the layout of the integers (sliced or reshaped) cannot be read "
           "tile by tile";
  return {};
}

void QuantizedRows::readIntegers(Type element) {
  OpBuilder b(kernel);
  std::string labels = (letters + "->" + letters).str();
  Value source = viewSource(b);
  auto type = cast<RankedTensorType>(operand->get().getType());
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
  operand->set(converted);
}

/// The index along each axis of the map; null for that of features.
SmallVector<Value> QuantizedRows::indicesOf(OpBuilder &b, ValueRange places) {
  Location loc = kernel.getLoc();
  constexpr StringLiteral kPlaces = "bhgqk";
  SmallVector<Value> indices;
  for (char letter : letters) {
    size_t place = kPlaces.find(letter);
    indices.push_back(place == StringRef::npos ? Value() : places[place]);
  }
  for (Operation *op : views) {
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

Value QuantizedRows::multiply(OpBuilder &b, Value x, ValueRange places) {
  Block &body = map.getBody().front();
  size_t inputs = map.getInputs().size();
  std::string mapLetters = map.getAxisLabels().output.str();
  SmallVector<Value> axes = indicesOf(b, places);
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
  if (scale != 1) {
    Type type = kernel.getAccumulateType();
    Value by = arith::ConstantOp::create(b, kernel.getLoc(),
                                         b.getFloatAttr(type, scale));
    product =
        product
            ? arith::MulFOp::create(b, kernel.getLoc(), product, by).getResult()
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

namespace {
/// The operands of a kernel's products that maps make of 8-bit integers.
struct Quantized {
  /// Of a product: its keys and, if quantized, queries, and the number of the
  /// sum's argument.
  struct Product {
    QuantizedRows keys;
    std::optional<QuantizedRows> queries;
    Value otherQueries;
    unsigned number;
  };
  SmallVector<Product, 1> products;
  std::optional<QuantizedRows> values;

  explicit Quantized(attn::KernelOp kernel);
};
} // namespace

Quantized::Quantized(attn::KernelOp kernel) {
  constexpr unsigned firstProduct = 6;
  auto rowsOf = [&](OpOperand &operand,
                    StringRef letters) -> std::optional<QuantizedRows> {
    auto rank = cast<RankedTensorType>(operand.get().getType()).getRank();
    bool isGrouped = rank == int64_t(letters.size()) + 1;
    QuantizedRows rows(kernel, operand,
                       isGrouped ? attn::KernelOp::withGroup(letters)
                                 : letters);
    return rows.isQuantized() ? std::optional(rows) : std::nullopt;
  };
  unsigned first = 0;
  for (auto [number, sum] : llvm::enumerate(kernel.getSums())) {
    if (!sum.pair) {
      auto more = kernel.getProductsMutable();
      OpOperand &queries =
                    first == 0 ? kernel.getQMutable() : more[2 * first - 2],
                &keys = first == 0 ? kernel.getKMutable() : more[2 * first - 1];
      if (auto rows = rowsOf(keys, attn::KernelOp::kLabels[1]))
        products.push_back(
            {*rows, rowsOf(queries, attn::KernelOp::kLabels[0]),
             sum.rows.front().first,
             unsigned(number == 0 ? 0 : firstProduct + number - 1)});
    }
    first += sum.rows.size();
  }
  if (kernel.getV() && !kernel.hasValue() && kernel.getNorm())
    values = rowsOf(kernel.getVMutable()[0], attn::KernelOp::kLabels[2]);
}

bool readsIntegers(Value operand) {
  Operation *op = operand.getDefiningOp();
  while (isa_and_present<attn::ViewOp, UnrealizedConversionCastOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto map = dyn_cast_if_present<attn::MapOp>(op);
  return map && map->hasAttr(kConvertOnLoad);
}

bool isQuantized(attn::KernelOp kernel) {
  Quantized found(kernel);
  return !found.products.empty() || found.values;
}

/// Why quantized queries and keys of a product are not read as integers, or an
/// empty text.
static StringRef whyNoIntegers(attn::KernelOp kernel,
                               Quantized::Product &product) {
  if (isLinearAttention(kernel))
    return "linear attention reads them several times";
  if (!kernel.getAccumulateType().isF32())
    return "sums are not of f32";
  if (StringRef why = product.queries->whyNot(); !why.empty())
    return why;
  if (product.queries->isUnsigned())
    return "the queries are unsigned, and units multiply signed ones";
  return product.keys.whyNot();
}

bool hasIntegerProduct(attn::KernelOp kernel) {
  return llvm::any_of(Quantized(kernel).products, [&](auto &product) {
    return product.queries && whyNoIntegers(kernel, product).empty();
  });
}

/// Reads keys and queries as integers. Whether it did.
static bool readBoth(attn::KernelOp kernel, Quantized::Product &product,
                     StringRef why) {
  if (!product.queries)
    return false; // which is no surprise
  if (why.empty())
    why = whyNoIntegers(kernel, product);
  if (!why.empty()) {
    remarkOn(kernel) << "quantized queries and keys are not multiplied as "
                        "integers, because "
                     << why << " [kernel]";
    return false;
  }
  if (product.number == 0) {
    product.queries->scaleBy(kernel.getScale().convertToDouble());
    kernel.setScale(llvm::APFloat(1.0));
  }
  multiplySum(kernel, *product.queries, product.number);
  multiplySum(kernel, product.keys, product.number);
  product.queries->readIntegers(kernel.getAccumulateType());
  product.keys.readIntegers(kernel.getAccumulateType());
  remarkOn(kernel) << "quantized queries and keys are multiplied as integers "
                      "[kernel]";
  return true;
}

/// Reads one operand as integers that become floats of `narrow` if a unit
/// multiplies these, or else of the accumulate type.
static void readAsFloats(attn::KernelOp kernel, QuantizedRows &rows,
                         StringRef what, Type other,
                         function_ref<void()> multiply) {
  Type accumulate = kernel.getAccumulateType();
  StringRef why = isLinearAttention(kernel)
                      ? "linear attention reads them several times"
                      : rows.whyNot();
  if (!why.empty()) {
    remarkOn(kernel) << "quantized " << what
                     << " are dequantized before the kernel, because " << why
                     << " [kernel]";
    return;
  }
  // Other types of 16 bits are not multiplied by a unit.
  bool isNarrow = other.isBF16() && accumulate.isF32();
  multiply();
  rows.readIntegers(isNarrow ? other : accumulate);
  remarkOn(kernel) << "quantized " << what
                   << " are converted to floats tile by tile, as they are "
                      "loaded [kernel]";
}

void convertOnLoad(attn::KernelOp kernel, Conversion how) {
  Quantized found(kernel);
  for (Quantized::Product &product : found.products) {
    if (readBoth(kernel, product, how.whyNoIntegers))
      continue;
    if (how.asFloats)
      readAsFloats(kernel, product.keys, "keys",
                   getElementTypeOrSelf(product.otherQueries.getType()),
                   [&] { multiplySum(kernel, product.keys, product.number); });
  }
  if (found.values && how.asFloats)
    readAsFloats(kernel, *found.values, "values", kernel.getRoundedWeightType(),
                 [&] { multiplyWeights(kernel, *found.values); });
}

} // namespace attnc::schedule
