//===- KernelShape.cpp - What a schedule depends on in a kernel -----------===//
//
// Formulas are counted as the code generator will run them: what depends on the
// row alone or the key alone is hoisted and costs nothing here.
//
//===----------------------------------------------------------------------===//

#include "KernelShape.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;

/// Vector operations of exp2: the polynomial of degree 5, and what brings the
/// argument near zero and the exponent back.
static double exp2Operations(const CpuTarget &target) {
  double polynomial = target.hasFma ? 5 : 10;
  if (target.hasScalef) // reduce, scale
    return polynomial + 2;
  if (target.hasRound) // clamp, round, subtract, convert, shift, add
    return polynomial + 6;
  return polynomial + 7; // the rounding is two conversions
}

static double operationCost(Operation *op, const CpuTarget &target) {
  constexpr double division = 8;
  double exp2 = exp2Operations(target);
  if (isa<arith::ConstantOp, attn::SizeOp>(op))
    return 0;
  if (isa<attn::ReadOp>(op)) // a load, or a gather of one lane after the other
    return 4;
  if (isa<arith::DivFOp, arith::FloorDivSIOp, math::SqrtOp, math::RsqrtOp>(op))
    return division;
  if (isa<math::TanhOp, math::ErfOp>(op))
    return 2 * exp2 + division;
  if (isa<math::AbsFOp, math::FloorOp, math::CeilOp, math::FmaOp,
          math::CopySignOp>(op))
    return 1;
  if (isa<math::MathDialect>(op->getDialect()))
    return exp2 + 4;
  // Positions are 64 bits wide: two vectors for one of scores.
  return isa<IndexType>(op->getResult(0).getType()) ? 2 : 1;
}

/// The cost of the ops that depend on the arguments `always`, or on both of
/// `row` and `key`.
static double countOperations(Block &block, std::optional<unsigned> always,
                              unsigned row, unsigned key,
                              const CpuTarget &target) {
  enum : unsigned { Row = 1, Key = 2, Both = 3 };
  llvm::DenseMap<Value, unsigned> depends;
  if (always)
    depends[block.getArgument(*always)] = Both;
  depends[block.getArgument(row)] |= Row;
  depends[block.getArgument(key)] |= Key;
  double cost = 0;
  for (Operation &op : block.without_terminator()) {
    unsigned bits = 0;
    for (Value operand : op.getOperands())
      bits |= depends.lookup(operand);
    depends[op.getResult(0)] = bits;
    if (bits == Both)
      cost += operationCost(&op, target);
  }
  return cost;
}

static std::optional<int64_t> fixedSize(Type type, unsigned axis) {
  auto size = dyn_cast_if_present<IntegerAttr>(attn::axisSize(type, axis));
  return size ? std::optional(size.getInt()) : std::nullopt;
}

KernelShape::KernelShape(attn::KernelOp kernel, const CpuTarget &target)
    : kernel(kernel) {
  auto bitsOf = [](Type type) {
    return cast<RankedTensorType>(type).getElementTypeBitWidth();
  };
  Type k = kernel.getK().getType();
  accumulateBits = kernel.getAccumulateType().getIntOrFloatBitWidth();
  keyBits = bitsOf(k);
  valueBits = kernel.getV() ? bitsOf(kernel.getV().getType()) : 0;
  headDim = fixedSize(k, 3).value_or(1);
  valueDim =
      kernel.getV() ? fixedSize(kernel.getV().getType(), 3).value_or(1) : 0;
  fixedKeys = fixedSize(k, 2);
  fixedQueries = fixedSize(kernel.getQ().getType(), 3);
  rangesMove = false;
  if (kernel.hasRanges()) {
    Block &ranges = kernel.getRanges().front();
    rangesMove = !ranges.getArgument(3).use_empty() ||
                 !ranges.getArgument(4).use_empty();
  }
  costs.score = countOperations(kernel.getScore().front(), 0, 4, 5, target);
  costs.mask =
      countOperations(kernel.getMask().front(), std::nullopt, 3, 4, target);
  costs.weight = exp2Operations(target) + 3; // subtract, add up, compare
  if (kernel.getNorm() && kernel.getNorm().getWeight() == attn::NormWeight::Exp)
    costs.weight += 1; // times log2(e)
}

//===----------------------------------------------------------------------===//
// Regimes
//===----------------------------------------------------------------------===//

static constexpr int64_t kUsualLength = 1024;

int64_t Regime::sizeOf(StringRef name) const {
  auto it = sizes.find(name);
  if (it != sizes.end())
    return it->second;
  return name == "query_len" || name == "kv_len" ? kUsualLength : 1;
}

int64_t Regime::sizeOf(Attribute axis) const {
  if (auto number = dyn_cast_if_present<IntegerAttr>(axis))
    return number.getInt();
  auto text = dyn_cast_if_present<StringAttr>(axis);
  if (!text)
    return 1;
  std::string error;
  auto formula = SizeExpr::parse(text.getValue(), error);
  if (!formula)
    return 1;
  return formula
      ->evaluate([&](StringRef name) { return std::optional(sizeOf(name)); })
      .value_or(1);
}

/// Fills in fixed and derived sizes, and run-time sizes that are not given.
static void completeSizes(Regime &regime, const Interface &interface) {
  std::vector<int64_t> values;
  for (const std::string &name : interface.runtimeSizes())
    values.push_back(regime.sizeOf(name));
  auto all = interface.evaluateSizes(values);
  if (!all)
    return;
  for (auto [size, value] : llvm::zip_equal(interface.sizes, *all))
    regime.sizes[size.name] = value;
}

SmallVector<Regime> schedule::getRegimes(Operation *function,
                                         const Interface *interface) {
  SmallVector<Regime> regimes;
  auto expect = function->getAttrOfType<ArrayAttr>("attnc.expect");
  for (Attribute entry : expect ? expect.getValue() : ArrayRef<Attribute>()) {
    auto dictionary = dyn_cast<DictionaryAttr>(entry);
    if (!dictionary)
      continue;
    Regime &regime = regimes.emplace_back();
    for (NamedAttribute field : dictionary) {
      if (auto weight = dyn_cast<FloatAttr>(field.getValue()))
        regime.weight = weight.getValueAsDouble();
      auto size = dyn_cast<IntegerAttr>(field.getValue());
      if (!size)
        continue;
      regime.sizes[field.getName()] = size.getInt();
      if (!regime.text.empty())
        regime.text += ", ";
      regime.text +=
          (field.getName().getValue() + " = " + Twine(size.getInt())).str();
    }
  }
  if (regimes.empty()) {
    Regime &regime = regimes.emplace_back();
    regime.text = "query_len = 1024, kv_len = 1024";
  }
  if (interface)
    for (Regime &regime : regimes)
      completeSizes(regime, *interface);
  return regimes;
}
