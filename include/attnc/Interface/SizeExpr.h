//===- SizeExpr.h - Integer expressions over sizes --------------*- C++ -*-===//
//
// Axes, derived sizes and preconditions of a signature are small integer
// expressions over named sizes: `heads * value_dim`, `kv_len - query_len`.
// They print as formulas of the spec language, are read back, are evaluated
// without silent overflow, and are handed to the object in postfix order.
// Tests: test/Unit/Interface/SizeExprTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_INTERFACE_SIZEEXPR_H
#define ATTNC_INTERFACE_SIZEEXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// An immutable integer expression, kept in postfix order.
class SizeExpr {
public:
  /// The numbers are part of the object's descriptor (lib/Emit/Abi/entry.h).
  enum class Op : uint8_t {
    Constant = 0,
    Size = 1,
    Add = 2,
    Sub = 3,
    Mul = 4,
    FloorDiv = 5, // towards minus infinity
    Mod = 6,      // has the sign of the divisor
    Min = 7,
    Max = 8,
  };
  struct Step {
    Op op;
    int64_t value = 0; // of a constant
    std::string name;  // of a size
    bool operator==(const Step &) const = default;
  };
  /// Operands that an evaluation may hold at once; a deeper expression is
  /// refused, because the object evaluates on a stack of this height.
  static constexpr unsigned kMaxDepth = 16;

  /// The constant 0.
  SizeExpr() : SizeExpr(constant(0)) {}
  static SizeExpr constant(int64_t value);
  static SizeExpr size(llvm::StringRef name);
  /// `lhs op rhs`; constants fold where the result fits 64 bits, and so do
  /// `x + 0`, `x - 0`, `x * 1`, `x // 1`.
  static SizeExpr binary(Op op, const SizeExpr &lhs, const SizeExpr &rhs);

  /// Reads `str()`'s form: + - * // % min(a, b) max(a, b), parentheses, names,
  /// numbers. Nothing and a sentence in `error` if `text` is not one.
  static std::optional<SizeExpr> parse(llvm::StringRef text,
                                       std::string &error);
  /// As a formula of the spec language.
  std::string str() const;

  std::optional<int64_t> constantValue() const;
  /// The name if the whole expression is one size.
  std::optional<llvm::StringRef> sizeName() const;
  /// Names used, each once, in order of first use.
  std::vector<std::string> sizeNames() const;
  llvm::ArrayRef<Step> postfix() const { return steps; }
  /// Operands on the stack at the worst moment.
  unsigned depth() const;

  /// The value, or nothing on overflow, division by zero or an unknown name.
  std::optional<int64_t> evaluate(
      llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> value) const;
  /// Replaces the names for which `with` has an expression.
  SizeExpr substitute(
      llvm::function_ref<std::optional<SizeExpr>(llvm::StringRef)> with) const;

  bool operator==(const SizeExpr &) const = default;

  /// `lhs op rhs` on numbers; nothing on overflow or division by zero.
  static std::optional<int64_t> apply(Op op, int64_t lhs, int64_t rhs);

private:
  explicit SizeExpr(std::vector<Step> steps) : steps(std::move(steps)) {}
  std::vector<Step> steps;
};

inline SizeExpr operator+(const SizeExpr &a, const SizeExpr &b) {
  return SizeExpr::binary(SizeExpr::Op::Add, a, b);
}
inline SizeExpr operator-(const SizeExpr &a, const SizeExpr &b) {
  return SizeExpr::binary(SizeExpr::Op::Sub, a, b);
}
inline SizeExpr operator*(const SizeExpr &a, const SizeExpr &b) {
  return SizeExpr::binary(SizeExpr::Op::Mul, a, b);
}

} // namespace attnc

#endif // ATTNC_INTERFACE_SIZEEXPR_H
