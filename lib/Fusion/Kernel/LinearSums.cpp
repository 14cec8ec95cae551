//===- LinearSums.cpp - Costs and types of reordered sums -----------------===//
//
// See LinearSums.h.
//
//===----------------------------------------------------------------------===//

#include "Kernel/LinearSums.h"

#include "Kernel/LeastValue.h"

#include "attnc/Analysis/Regime/Regimes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace attnc::fusion {

namespace {
/// The sizes of the letters of a match.
class LetterSizes {
public:
  explicit LetterSizes(const LinearMatch &match) {
    add(match.queryLetters, match.query);
    add(match.keyLetters, match.key);
    attn::ContractOp value = match.value;
    add(match.valueLetters, value.getRhs());
  }
  Attribute of(char letter) const { return sizes.lookup(letter); }

  double count(StringRef letters, const Regime &at) const {
    double product = 1;
    for (char letter : letters)
      product *= double(at.sizeOf(of(letter)));
    return product;
  }
  /// The product of fixed sizes, or 0.
  int64_t countFixed(StringRef letters) const {
    int64_t product = 1;
    for (char letter : letters) {
      auto size = dyn_cast_if_present<IntegerAttr>(of(letter));
      product *= size ? size.getInt() : 0;
    }
    return product;
  }

private:
  void add(StringRef letters, Value tensor) {
    for (auto [axis, letter] : llvm::enumerate(letters))
      sizes[letter] = attn::axisSize(tensor.getType(), axis);
  }

  llvm::SmallDenseMap<char, Attribute> sizes;
};
} // namespace

static std::string unite(StringRef a, StringRef b) {
  return (a + without(b, a)).str();
}

LinearCosts costsOf(const LinearMatch &match) {
  LetterSizes sizes(match);
  LinearCosts costs;
  std::string key =
      match.keyLetters + without(match.valueLetters, match.keyLetters);
  std::string pair = match.pairs, state = match.stateLetters();
  attn::ContractOp value = match.value;
  for (const Regime &at :
       getRegimes(value->getParentOfType<func::FuncOp>(), nullptr)) {
    costs.pairs +=
        at.weight * (sizes.count(unite(pair, match.queryLetters), at) +
                     sizes.count(unite(pair, match.valueLetters), at));
    costs.linear +=
        at.weight * (sizes.count(key, at) +
                     sizes.count(unite(match.queryLetters, state), at));
  }
  return costs;
}

int64_t fewKeysOf(const LinearMatch &match) {
  LetterSizes sizes(match);
  int64_t features = sizes.countFixed(without(match.keyLetters, match.pairs));
  int64_t values = sizes.countFixed(
      without(match.valueLetters, match.keyLetters + match.rows));
  return features && values ? features * values / (features + values) : 0;
}

Type accumulateTypeOf(const LinearMatch &match) {
  attn::ContractOp value = match.value, product = match.product;
  attn::NormalizeOp norm = match.norm;
  SmallVector<Type> types(value->getOperandTypes());
  llvm::append_range(types, product->getOperandTypes());
  llvm::append_range(types, norm->getResultTypes());
  return attn::accumulateType(types);
}

bool mayBeNarrow(const LinearMatch &match, Value query, Value key,
                 Value values) {
  attn::NormalizeOp norm = match.norm;
  Region &init = norm.getInit();
  return !accumulateTypeOf(match).isF64() && leastOf(query) >= 0 &&
         leastOf(key) >= 0 && growsLinearly(key) && growsLinearly(values) &&
         (init.empty() || leastOf(init) >= 0);
}

/// The keys of which every call of the function has at least so many.
static int64_t leastKeysOf(const LinearMatch &match) {
  Attribute keys = LetterSizes(match).of(match.over);
  if (auto fixed = dyn_cast_if_present<IntegerAttr>(keys))
    return fixed.getInt();
  auto name = dyn_cast_if_present<StringAttr>(keys);
  attn::ContractOp value = match.value;
  auto function = value->getParentOfType<func::FuncOp>();
  auto module = function->getParentOfType<ModuleOp>();
  if (!name || !module || !module->hasAttr(kInterfaceAttr))
    return 0;
  FailureOr<std::vector<Interface>> interfaces = getInterfaces(module);
  const Interface *interface =
      succeeded(interfaces) ? findInterface(*interfaces, function.getName())
                            : nullptr;
  if (!interface || interface->name != function.getName())
    return 0; // a case itself
  int64_t least = 0;
  for (const InterfaceCase &entry : interface->cases)
    if (entry.lhs.sizeName() == name.getValue() && entry.rhs.constantValue())
      least = std::max(least, *entry.rhs.constantValue() + 1);
  return least;
}

bool mayNarrowFeatures(const LinearMatch &match) {
  attn::ContractOp value = match.value;
  attn::NormalizeOp norm = match.norm;
  unsigned bits = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  return norm.getInit().empty() && norm.getLse().use_empty() &&
         (bits <= 16 || norm.getNorm().getDivide() != attn::NormDivide::Sum ||
          leastKeysOf(match) >= kLeastKeysOfNarrow);
}

} // namespace attnc::fusion
