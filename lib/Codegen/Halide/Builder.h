//===- Builder.h - Writes pipelines -----------------------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_BUILDER_H
#define ATTNC_LIB_CODEGEN_HALIDE_BUILDER_H

#include "Device/IndexRanges.h"
#include "Program.h"

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace attnc::halide {

inline constexpr ScalarType kBool{Kind::Bool, 1};
inline constexpr ScalarType kInt32{Kind::Int, 32};
inline constexpr ScalarType kInt64{Kind::Int, 64};

/// Elements that loops copy at a time.
inline constexpr int64_t kUnrolledCopies = 8;

/// A parameter that is 0, which no compiler knows.
inline constexpr llvm::StringLiteral kZero = "task_zero";

/// The type of an element in memory; `index` has 64 bits.
ScalarType scalarTypeOf(mlir::Type type);
/// Bytes of an element in memory.
int64_t bytesOf(ScalarType type);

/// An expression of the pipeline that is being written.
struct Ex {
  int number = -1;
  ScalarType type;
};

class Builder {
public:
  Pipeline pipeline;
  /// Floats of 16 bits are integers to Halide, which casts convert.
  bool castsHalves = false;
  /// The type of an index in formulas: of 32 bits where the device has no
  /// integers of 64. Then `ranges` has the range of each.
  ScalarType indexType = kInt64;
  IndexRanges ranges;

  /// Divisors that are constants, other than powers of two, are hidden.
  bool hidesDivisors = false;

  /// The same integer or float, but no constant for those who compile it.
  Ex hidden(Ex value);
  bool hasNarrowIndices() const { return indexType != kInt64; }
  /// The type of a scalar of a formula.
  ScalarType typeOf(mlir::Type type) const;
  /// An index of a formula from an index of 32 bits, from 0 to `size`.
  Ex position(Ex index, mlir::Attribute size);
  Ex position(Ex index, int64_t size);
  Ex integer(int64_t value, ScalarType type = kInt32);
  Ex real(double value, ScalarType type);
  /// Of a function, or of a domain: "r.x".
  Ex variable(llvm::StringRef name);
  /// Declares the parameter when it is first used.
  Ex parameter(llvm::StringRef name);
  Ex read(llvm::StringRef buffer, ScalarType type, llvm::ArrayRef<Ex> indices);
  /// Whether axis `axis` of a buffer, or of an output, is contiguous.
  Ex isContiguous(llvm::StringRef buffer, int64_t axis);
  /// Whether the last axis of each buffer is contiguous whose elements are read
  /// by the last definition of `function`; nothing if it reads none.
  std::optional<Ex> readsContiguous(llvm::StringRef function);
  /// Whether the value is an element of a buffer, but for its type and a factor
  /// that is a constant.
  bool isCopy(Ex value) const;
  Ex call(llvm::StringRef function, ScalarType type,
          llvm::ArrayRef<Ex> indices);
  Ex undefined(ScalarType type);
  Ex cast(Ex value, ScalarType type);
  Ex bitcast(Ex value, ScalarType type);
  Ex make(Op op, ScalarType type, llvm::ArrayRef<Ex> operands);

  Ex add(Ex a, Ex b) { return make(Op::Add, a.type, {a, b}); }
  Ex sub(Ex a, Ex b) { return make(Op::Sub, a.type, {a, b}); }
  Ex mul(Ex a, Ex b) { return make(Op::Mul, a.type, {a, b}); }
  Ex div(Ex a, Ex b) { return make(Op::Div, a.type, {a, b}); }
  Ex min(Ex a, Ex b) { return make(Op::Min, a.type, {a, b}); }
  Ex max(Ex a, Ex b) { return make(Op::Max, a.type, {a, b}); }
  Ex less(Ex a, Ex b) { return make(Op::Less, kBool, {a, b}); }
  Ex equal(Ex a, Ex b) { return make(Op::Equal, kBool, {a, b}); }
  Ex both(Ex a, Ex b) { return make(Op::And, kBool, {a, b}); }
  Ex select(Ex c, Ex a, Ex b) { return make(Op::Select, a.type, {c, a, b}); }
  /// The float where the condition holds, else `otherwise`, by its bits: bounds
  /// inference would use the condition of a select to compute less of `value`.
  Ex keepWhere(Ex condition, Ex value, double otherwise);

  /// The extents are of 32 bits; variables are NAME.x, NAME.y, ...
  void domain(llvm::StringRef name,
              llvm::ArrayRef<std::pair<Ex, Ex>> minsAndExtents,
              llvm::ArrayRef<Ex> where = {});
  /// A function with its first definition.
  void define(llvm::StringRef name, llvm::ArrayRef<std::string> variables,
              Ex value);
  /// An update of the last function.
  void update(llvm::ArrayRef<Ex> indices, Ex value);
  void schedule(llvm::StringRef function, int stage, llvm::StringRef verb,
                llvm::ArrayRef<std::string> names = {},
                llvm::ArrayRef<int64_t> numbers = {});

private:
  Ex fromHalf(Ex half);
  Ex toHalf(Ex value, ScalarType type);
  Ex push(Expr expr);
};

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_BUILDER_H
