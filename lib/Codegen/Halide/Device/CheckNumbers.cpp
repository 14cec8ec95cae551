//===- CheckNumbers.cpp - Devices without numbers of 64 bits --------------===//
//
// Tests: test/Codegen/Halide/devices.test,
// test/Codegen/Halide/index-ranges.test
//
//===----------------------------------------------------------------------===//

#include "Device/CheckNumbers.h"

#include "Device/EvaluateRanges.h"

#include "attnc/Target/Target.h"

#include "mlir/IR/TypeUtilities.h"

#include <functional>

using namespace mlir;

namespace attnc::halide {

/// A number of 64 bits that kernels of the device cannot have; empty without.
static std::string findWideNumber(Type type, const DeviceTraits &device) {
  Type element = getElementTypeOrSelf(type);
  if (element.isF64() && !device.hasFloat64)
    return "f64";
  if (isa<RankedTensorType>(type) && !element.isF64() && !device.hasInt64 &&
      element.getIntOrFloatBitWidth() == 64)
    return "i64";
  return {};
}

LogicalResult refuseWideNumbers(func::FuncOp function, const Target &target) {
  auto refuse = [&](Operation *at, StringRef type, StringRef what) {
    return at->emitError("kernels for '")
           << target.name << "' cannot use " << type << ", the type of " << what
           << "; supported are f32, f16, bf16 and integers of at most 32 bits";
  };
  for (Type type : function.getArgumentTypes())
    if (std::string wide = findWideNumber(type, target.device); !wide.empty())
      return refuse(function, wide, "an input");
  WalkResult result = function.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (std::string wide = findWideNumber(type, target.device);
          !wide.empty()) {
        (void)refuse(op, wide, "this value");
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {

/// Ranges of indices as far as sizes are fixed.
struct FixedRanges {
  using Number = std::optional<int64_t>;
  const FunctionPlan &plan;
  const Target &target;
  bool fits = true;

  template <typename Combine>
  static Number both(Number a, Number b, Combine combine) {
    return a && b ? Number(combine(*a, *b)) : std::nullopt;
  }
  Number constant(int64_t value) { return value; }
  Number size(Attribute size) { return plan.fixedSize(size); }
  std::pair<Number, Number> table(unsigned) { return {}; }
  Number add(Number a, Number b) { return both(a, b, std::plus<int64_t>()); }
  Number sub(Number a, Number b) { return both(a, b, std::minus<int64_t>()); }
  Number mul(Number a, Number b) {
    return both(a, b, std::multiplies<int64_t>());
  }
  Number min(Number a, Number b) {
    return both(a, b, [](int64_t x, int64_t y) { return std::min(x, y); });
  }
  Number max(Number a, Number b) {
    return both(a, b, [](int64_t x, int64_t y) { return std::max(x, y); });
  }
  void check(const IndexRange &range, Number low, Number high) {
    bool isWide = (low && *low < IndexRanges::kLeast) ||
                  (high && *high > IndexRanges::kMost);
    if (isWide && fits)
      range.op->emitError("this integer may need more than 32 bits, which "
                          "kernels for '")
          << target.name << "' do not have";
    fits &= !isWide;
  }
};

} // namespace

LogicalResult checkFixedRanges(const FunctionPlan &plan, const Step &step,
                               const Target &target) {
  FixedRanges fixed{plan, target};
  EvaluateRanges<FixedRanges>(step.builder.ranges, fixed).run();
  return success(fixed.fits);
}

} // namespace attnc::halide
