//===- SplitLinear.cpp - Specialize linear attention for few keys ---------===//
//
// Keys times values first is the cheaper order for many keys, the quadratic
// form for few, whatever the number of queries. It is also the more precise one
// for a single key, whose weight s / s is exactly 1. So calls with few keys get
// a copy of the function:
//
//   func.func @f(...) attributes {attnc.expect = [{kv_len = 4096, ...}]}
// becomes
//   func.func @f.case0(...) attributes {attnc.expect = [{kv_len = 32, ...}]}
//   func.func @f(...) attributes {attnc.expect = [{kv_len = 4096, ...}]}
// and the interface says `cases = ["kv_len <= 32"]`.
//
// Then attn-reorder-products may allow sums of f32 over features in @f
// (LinearSums.h), for which the copy pays: 8 heads of 64, 4096 tokens, Zen 4,
// 0.76 of the time.
//
// Tests: test/Fusion/split-linear.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "Kernel/LinearSums.h"

#include "attnc/Analysis/Regime/RegimeCopies.h"
#include "attnc/Interface/Attributes.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

namespace attnc::fusion {
#define GEN_PASS_DEF_SPLITLINEAR
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

/// Whether sums over features would be f64 for the sake of few keys only.
static bool needsManyKeys(const LinearMatch &match) {
  attn::ContractOp value = match.value;
  LinearCosts costs = costsOf(match);
  return costs.linear < costs.pairs && match.ofQuery.empty() &&
         match.ofKey.empty() &&
         mayBeNarrow(match, match.query, match.key, value.getRhs()) &&
         !mayNarrowFeatures(match) &&
         fewKeysOf(match) + 1 >= kLeastKeysOfNarrow;
}

/// The size that counts the keys of a match.
static StringRef keysOf(const LinearMatch &match) {
  Value key = match.key;
  std::optional<unsigned> axis = attn::axisOf(match.keyLetters, match.over);
  auto name =
      dyn_cast_if_present<StringAttr>(attn::axisSize(key.getType(), *axis));
  return name ? name.getValue() : "";
}

/// The regimes with few keys, and the others.
static std::optional<RegimeSplit> splitAt(func::FuncOp function, StringRef size,
                                          int64_t border) {
  WayCase few{0,
              {SizeExpr::size(size), SizeExpr::constant(border)},
              size.str(),
              border};
  RegimeSplit split{{few}, {{}, {}}, {}};
  SmallVector<Regime> regimes = getRegimes(function, nullptr);
  for (auto [number, at] : llvm::enumerate(regimes)) {
    bool isFew = at.sizeOf(size) <= border;
    split.groups[isFew ? 0 : 1].push_back(number);
    if (isFew)
      continue;
    split.groups[0].push_back(regimes.size() + split.moved.size());
    split.moved.push_back({unsigned(number), size.str(), border});
  }
  return split.groups[1].empty() ? std::nullopt : std::optional(split);
}

static std::optional<RegimeSplit> plan(func::FuncOp function,
                                       const Interface &interface) {
  StringRef size;
  int64_t border = 0;
  for (auto value : function.getOps<attn::ContractOp>()) {
    std::optional<LinearMatch> match = matchLinear(value);
    if (!match || !needsManyKeys(*match))
      continue;
    StringRef keys = keysOf(*match);
    if (!llvm::is_contained(interface.runtimeSizes(), keys) ||
        (!size.empty() && size != keys))
      continue;
    border =
        size.empty() ? fewKeysOf(*match) : std::min(border, fewKeysOf(*match));
    size = keys;
  }
  if (size.empty() || !function->hasAttr(kExpectAttr))
    return std::nullopt;
  return splitAt(function, size, border);
}

namespace {
struct SplitLinear final : attnc::fusion::impl::SplitLinearBase<SplitLinear> {
  void runOnOperation() override {
    if (!getOperation()->hasAttr(kInterfaceAttr))
      return;
    FailureOr<std::vector<Interface>> interfaces =
        getInterfaces(getOperation());
    if (failed(interfaces) ||
        failed(splitFunctions(getOperation(), [&](func::FuncOp function) {
          return plan(function,
                      *findInterface(*interfaces, function.getName()));
        })))
      signalPassFailure();
  }
};
} // namespace
