//===- RegimeCopies.cpp - Specialize a function for regimes ---------------===//
//
// See RegimeCopies.h.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Regime/RegimeCopies.h"

#include "attnc/Interface/Attributes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace attnc;

bool attnc::isWorthCopies(const WayCases &found) {
  return !found.cases.empty() && found.cases.size() <= Interface::kMaxCases;
}

RegimeSplit attnc::groupRegimes(ArrayRef<unsigned> wayOf,
                                const WayCases &found) {
  RegimeSplit split;
  auto addGroup = [&](unsigned way) {
    auto &group = split.groups.emplace_back();
    for (auto [regime, its] : llvm::enumerate(wayOf))
      if (its == way)
        group.push_back(regime);
  };
  for (const WayCase &entry : found.cases) {
    split.cases.push_back(entry);
    addGroup(entry.way);
  }
  addGroup(found.otherwise);
  return split;
}

/// A regime with another value of a size, with half of its weight.
static DictionaryAttr moveRegime(DictionaryAttr regime, StringRef size,
                                 int64_t value) {
  constexpr double share = 0.5;
  Builder b(regime.getContext());
  NamedAttrList fields(regime);
  auto weight = regime.getAs<FloatAttr>("weight");
  fields.set("weight", b.getF64FloatAttr(
                           share * (weight ? weight.getValueAsDouble() : 1)));
  fields.set(kBorderField, b.getUnitAttr());
  fields.set(size, b.getI64IntegerAttr(value));
  return fields.getDictionary(regime.getContext());
}

/// The regimes to which the numbers of groups belong.
static SmallVector<Attribute> regimesOf(func::FuncOp function,
                                        const RegimeSplit &split) {
  auto expected = function->getAttrOfType<ArrayAttr>(kExpectAttr);
  SmallVector<Attribute> all(expected.begin(), expected.end());
  for (const MovedRegime &moved : split.moved)
    all.push_back(moveRegime(cast<DictionaryAttr>(expected[moved.regime]),
                             moved.size, moved.value));
  return all;
}

/// Leaves the regimes of one group in `attnc.expect`, and the border of its
/// case, if it has one and the group one that `expect` lists.
static void restrictRegimes(func::FuncOp function, ArrayRef<Attribute> all,
                            ArrayRef<unsigned> group, const WayCase *entry) {
  SmallVector<Attribute> some;
  for (unsigned regime : group)
    some.push_back(all[regime]);
  if (entry)
    for (unsigned regime : group)
      if (auto fields = dyn_cast<DictionaryAttr>(all[regime]);
          fields && !fields.contains(kBorderField))
        if (Attribute border = moveRegime(fields, entry->size, entry->border);
            fields.get(entry->size) !=
                cast<DictionaryAttr>(border).get(entry->size) &&
            !llvm::is_contained(some, border))
          some.push_back(border);
  function->setAttr(kExpectAttr, ArrayAttr::get(function.getContext(), some));
}

static void copyForCases(func::FuncOp function, Interface &interface,
                         const RegimeSplit &split) {
  for (const WayCase &entry : split.cases)
    interface.cases.push_back(entry.when);
  OpBuilder b(function);
  std::vector<std::string> names = interface.bodies();
  SmallVector<Attribute> all = regimesOf(function, split);
  for (auto [number, entry] : llvm::enumerate(split.cases)) {
    auto copy = cast<func::FuncOp>(b.clone(*function));
    copy.setName(names[number]);
    restrictRegimes(copy, all, split.groups[number], &entry);
  }
  restrictRegimes(function, all, split.groups.back(), nullptr);
}

LogicalResult attnc::splitFunctions(
    ModuleOp module,
    llvm::function_ref<std::optional<RegimeSplit>(func::FuncOp)> plan) {
  if (!module->hasAttr(kInterfaceAttr))
    return success();
  FailureOr<std::vector<Interface>> interfaces = getInterfaces(module);
  if (failed(interfaces))
    return failure();
  bool isSplit = false;
  for (Interface &interface : *interfaces) {
    auto function = module.lookupSymbol<func::FuncOp>(interface.name);
    if (!function || !interface.cases.empty())
      continue;
    if (std::optional<RegimeSplit> split = plan(function)) {
      copyForCases(function, interface, *split);
      isSplit = true;
    }
  }
  if (isSplit)
    setInterfaces(module, *interfaces);
  return success();
}

std::string attnc::describeCase(const WayCases &found, unsigned way) {
  const auto *entry = llvm::find_if(
      found.cases, [&](const WayCase &one) { return one.way == way; });
  return entry == found.cases.end() ? "with all other sizes"
                                    : "with " + entry->when.str();
}
