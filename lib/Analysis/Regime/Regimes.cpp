//===- Regimes.cpp - Sizes to optimize for --------------------------------===//
//
// See Regimes.h.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Regime/Regimes.h"

#include "attnc/Analysis/Kernel/SplitKeys.h"
#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Interface/Attributes.h"

using namespace mlir;
using namespace attnc;

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

int64_t Regime::rowsOf(Value tensor, unsigned axis) const {
  int64_t rows = sizeOf(attn::axisSize(tensor.getType(), axis));
  if (isRagged(tensor))
    rows /= std::max<int64_t>(sizeOf(attn::axisSize(tensor.getType(), 0)), 1);
  return std::clamp<int64_t>(rows, 0, INT32_MAX);
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

static SmallVector<Regime>
readRegimes(Operation *function, const Interface *interface, bool withBorders) {
  SmallVector<Regime> regimes;
  auto expect = function->getAttrOfType<ArrayAttr>(kExpectAttr);
  for (Attribute entry : expect ? expect.getValue() : ArrayRef<Attribute>()) {
    auto dictionary = dyn_cast<DictionaryAttr>(entry);
    if (!dictionary || (!withBorders && dictionary.contains(kBorderField)))
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
    if (regime.text.empty())
      regime.text = "its fixed sizes";
  }
  bool isListed = expect && !expect.empty(); // if only as borders
  if (regimes.empty() && (withBorders || !isListed)) {
    Regime &regime = regimes.emplace_back();
    regime.sizes["query_len"] = regime.sizes["kv_len"] = kUsualLength;
    regime.text = "query_len = 1024, kv_len = 1024";
  }
  if (interface)
    for (Regime &regime : regimes)
      completeSizes(regime, *interface);
  return regimes;
}

SmallVector<Regime> attnc::getRegimes(Operation *function,
                                      const Interface *interface) {
  return readRegimes(function, interface, /*withBorders=*/true);
}

SmallVector<Regime> attnc::getExpectedRegimes(Operation *function,
                                              const Interface *interface) {
  return readRegimes(function, interface, /*withBorders=*/false);
}
