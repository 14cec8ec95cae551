//===- EvaluateRanges.h - Ranges of indices as numbers ----------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_DEVICE_EVALUATERANGES_H
#define ATTNC_LIB_CODEGEN_HALIDE_DEVICE_EVALUATERANGES_H

#include "Device/IndexRanges.h"

#include <optional>

namespace attnc::halide {

/// Computes the checked ranges of a pipeline by interval arithmetic. `Numbers`
/// has a type `Number` of 64 bits and its operations: when a function is
/// compiled those on constants, as far as sizes are fixed; in its calls
/// instructions of the host. Results are clamped to 32 bits after they have
/// been checked, so that nothing overflows 64.
template <typename Numbers> class EvaluateRanges {
public:
  using Number = typename Numbers::Number;
  struct Ends {
    Number low, high;
  };

  EvaluateRanges(const IndexRanges &ranges, Numbers &numbers)
      : ranges(ranges.all()), numbers(numbers), known(this->ranges.size()) {}

  /// Calls numbers.check(range, low, high) for each checked range.
  void run() {
    for (size_t i = 0; i < ranges.size(); ++i)
      if (ranges[i].isChecked())
        evaluate(static_cast<int>(i));
  }

private:
  using Kind = IndexRange::Kind;

  Ends evaluate(int index) {
    if (!known[index])
      known[index] = compute(ranges[index]);
    return *known[index];
  }
  Number zero() { return numbers.constant(0); }
  Ends product(Ends a, Ends b) {
    Number first = numbers.mul(a.low, b.low), low = first, high = first;
    for (Number next : {numbers.mul(a.low, b.high), numbers.mul(a.high, b.low),
                        numbers.mul(a.high, b.high)}) {
      low = numbers.min(low, next);
      high = numbers.max(high, next);
    }
    return {low, high};
  }
  Ends combine(Kind kind, Ends a, Ends b) {
    switch (kind) {
    case Kind::Add:
      return {numbers.add(a.low, b.low), numbers.add(a.high, b.high)};
    case Kind::Sub:
      return {numbers.sub(a.low, b.high), numbers.sub(a.high, b.low)};
    case Kind::Mul:
      return product(a, b);
    case Kind::Quotient:
      return {numbers.min(a.low, numbers.sub(zero(), a.high)),
              numbers.max(a.high, numbers.sub(zero(), a.low))};
    case Kind::Min:
      return {numbers.min(a.low, b.low), numbers.min(a.high, b.high)};
    case Kind::Max:
      return {numbers.max(a.low, b.low), numbers.max(a.high, b.high)};
    default:
      return {numbers.min(a.low, b.low), numbers.max(a.high, b.high)};
    }
  }
  Ends compute(const IndexRange &range) {
    switch (range.kind) {
    case Kind::Constant:
      return {numbers.constant(range.low), numbers.constant(range.high)};
    case Kind::Size: {
      Number size = numbers.size(range.size);
      return {size, size};
    }
    case Kind::Table: {
      auto [least, greatest] = numbers.table(range.table);
      return {least, greatest};
    }
    default:
      break;
    }
    Ends ends = combine(range.kind, evaluate(range.a), evaluate(range.b));
    if (!range.isChecked())
      return ends;
    numbers.check(range, ends.low, ends.high);
    return {clamped(ends.low), clamped(ends.high)};
  }
  Number clamped(Number one) {
    return numbers.max(numbers.min(one, numbers.constant(IndexRanges::kMost)),
                       numbers.constant(IndexRanges::kLeast));
  }

  const std::vector<IndexRange> &ranges;
  Numbers &numbers;
  std::vector<std::optional<Ends>> known;
};

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_DEVICE_EVALUATERANGES_H
