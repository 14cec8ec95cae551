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

#include "Quantized/ConvertOnLoad.h"

#include "Quantized/QuantizedRows.h"

#include "attnc/Analysis/Kernel/ScoreFactors.h"
#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Interface/Remark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::schedule {

/// The axes that regions of kernels have places of, behind the score.
static constexpr StringLiteral kPlaces = "bhgqk";

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
    Value scaled =
        keys.multiply(b, sum, kPlaces, body.getArguments().slice(1, 5));
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
    Value factor =
        values.multiply(b, {}, kPlaces, body->getArguments().slice(1, 5));
    attn::YieldOp::create(b, loc, factor);
    return;
  }
  Operation *end = region.front().getTerminator();
  OpBuilder b(end);
  end->setOperand(0, values.multiply(b, end->getOperand(0), kPlaces,
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
    StringRef own = isGrouped ? attn::KernelOp::withGroup(letters) : letters;
    QuantizedRows rows(operand, own, /*summed=*/own.take_back(),
                       kernel.getAccumulateType());
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

/// The map that converts the integers of an operand as they are loaded.
static attn::MapOp findConversion(Value operand) {
  Operation *op = operand.getDefiningOp();
  while (isa_and_present<attn::ViewOp, UnrealizedConversionCastOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto map = dyn_cast_if_present<attn::MapOp>(op);
  return map && map->hasAttr(kConvertOnLoad) ? map : attn::MapOp();
}

bool readsIntegers(Value operand) { return bool(findConversion(operand)); }

bool readsUnsigned(Value operand) {
  attn::MapOp map = findConversion(operand);
  return map && llvm::any_of(map.getInputs(), [](Value input) {
           return getElementTypeOrSelf(input.getType()).isUnsignedInteger(8);
         });
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
  if (StringRef why = product.queries->whyNotInKernel(); !why.empty())
    return why;
  if (product.queries->isUnsigned())
    return "the queries are unsigned, and units multiply signed ones";
  return product.keys.whyNotInKernel();
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
                      : rows.whyNotInKernel();
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
