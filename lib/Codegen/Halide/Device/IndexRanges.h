//===- IndexRanges.h - Indices of devices with 32-bit integers --*- C++ -*-===//
//
// Formulas compute indices of 64 bits. On a device without such integers they
// have 32 bits, and each operation gets the range of its results: a formula of
// sizes, and of the values that tables contain. What is not proved to fit when
// a function is compiled, its calls check.
// Tests: test/Codegen/Halide/index-ranges.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_DEVICE_INDEXRANGES_H
#define ATTNC_LIB_CODEGEN_HALIDE_DEVICE_INDEXRANGES_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace attnc::halide {

/// The range of an index, both ends inclusive.
struct IndexRange {
  enum class Kind : uint8_t {
    Constant, // low to high
    Size,     // of a tensor's axis: `size`
    Table,    // the values of the argument `table`, of 32 bits
    Add,      // of the ranges a and b
    Sub,
    Mul,
    Quotient, // of a by anything but 0, or the rest of that: no greater than a
    Min,
    Max,
    Either // from a or from b
  };
  Kind kind = Kind::Constant;
  int a = -1, b = -1; // indices of earlier ranges
  int64_t low = 0, high = 0;
  mlir::Attribute size;
  unsigned table = 0;
  mlir::Operation *op = nullptr; // of an operation that is checked

  bool isChecked() const { return kind >= Kind::Add && kind <= Kind::Quotient; }
  bool operator==(const IndexRange &) const = default;
};

/// The ranges of the indices of a pipeline.
class IndexRanges {
public:
  using Kind = IndexRange::Kind;
  static constexpr int64_t kLeast = std::numeric_limits<int32_t>::min();
  static constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

  int constant(int64_t low, int64_t high) {
    IndexRange range;
    range.low = low;
    range.high = high;
    return add(range);
  }
  /// Every integer of 32 bits.
  int any() { return constant(kLeast, kMost); }
  int size(mlir::Attribute size) {
    IndexRange range;
    range.kind = Kind::Size;
    range.size = size;
    return add(range);
  }
  /// From 0 to a size.
  int upTo(mlir::Attribute size) {
    return combine(Kind::Either, constant(0, 0), this->size(size));
  }
  int table(unsigned argument) {
    IndexRange range;
    range.kind = Kind::Table;
    range.table = argument;
    return add(range);
  }
  int combine(Kind kind, int a, int b, mlir::Operation *op = nullptr) {
    IndexRange range;
    range.kind = kind;
    range.a = a;
    range.b = b;
    range.op = op;
    return add(range);
  }

  /// Of the expression `number`; any(), if nothing is known.
  int of(int number) {
    auto found = ofExpressions.find(number);
    return found != ofExpressions.end() ? found->second : any();
  }
  bool knows(int number) const { return ofExpressions.contains(number); }
  void set(int number, int range) { ofExpressions[number] = range; }

  const std::vector<IndexRange> &all() const { return ranges; }
  bool hasChecks() const {
    return llvm::any_of(ranges, [](auto &one) { return one.isChecked(); });
  }

private:
  int add(const IndexRange &range) {
    for (size_t i = ranges.size(); i-- > 0;)
      if (ranges[i] == range)
        return static_cast<int>(i);
    ranges.push_back(range);
    return static_cast<int>(ranges.size()) - 1;
  }

  std::vector<IndexRange> ranges;
  llvm::DenseMap<int, int> ofExpressions;
};

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_DEVICE_INDEXRANGES_H
