//===- Ops.h - Short names for the ops that the emitter writes --*- C++ -*-===//
//
// Index arithmetic that folds, addresses, and loads and stores of scalars and
// vectors at the current insertion point.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_CPU_OPS_H
#define ATTNC_LIB_CODEGEN_CPU_OPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace attnc::cpu {

/// The value of a constant index or integer.
std::optional<int64_t> constantOf(mlir::Value value);

class Ops : public mlir::OpBuilder {
public:
  using OpBuilder::OpBuilder;
  using Value = mlir::Value;

  mlir::Location loc = getUnknownLoc();

  /// Starts a function: its index constants are shared.
  void setFunction(mlir::Block *entry);

  Value index(int64_t value);
  Value constant(mlir::Type type, double value);
  Value boolean(bool value);
  /// A constant of a float or vector-of-float type.
  Value zero(mlir::Type type) { return constant(type, 0); }

  Value add(Value a, Value b);
  Value add(Value a, int64_t b) { return add(a, index(b)); }
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value mul(Value a, int64_t b) { return mul(a, index(b)); }
  Value min(Value a, Value b);
  Value max(Value a, Value b);
  Value floorDiv(Value a, int64_t b);
  Value ceilDiv(Value a, int64_t b);
  Value select(Value condition, Value yes, Value no);
  Value compare(mlir::arith::CmpIPredicate predicate, Value a, Value b);
  Value logicalAnd(Value a, Value b);
  Value logicalOr(Value a, Value b);

  /// `pointer + elements` for elements of `type`.
  Value address(Value pointer, mlir::Type type, Value elements);
  Value load(mlir::Type type, Value pointer, unsigned alignment);
  void store(Value value, Value pointer, unsigned alignment);
  Value toI64(Value index);
  Value toIndex(Value i64);

  mlir::VectorType vector(int64_t lanes, mlir::Type element) {
    return mlir::VectorType::get({lanes}, element);
  }
  /// `scalar` in all lanes.
  Value broadcast(Value scalar, int64_t lanes);

  /// A loop from `low` to `high`; the body gets the induction variable. A loop
  /// that runs at most once by its constant bounds is only its body.
  void loop(Value low, Value high, int64_t step,
            llvm::function_ref<void(Value)> body);
  /// The same with values that each turn replaces.
  mlir::SmallVector<Value>
  loop(Value low, Value high, int64_t step, mlir::ValueRange carried,
       llvm::function_ref<mlir::SmallVector<Value>(Value, mlir::ValueRange)>
           body);
  /// Whether any lane of a vector of conditions is true.
  Value any(Value lanes);
  /// A condition that is mostly true, or false: registers and places in line go
  /// to the code that runs more often.
  Value likely(Value condition) { return expect(condition, true); }
  Value unlikely(Value condition) { return expect(condition, false); }
  void branch(Value condition, llvm::function_ref<void()> yes,
              llvm::function_ref<void()> no = nullptr);
  /// A branch that yields one value of `type`.
  Value choose(mlir::Type type, Value condition,
               llvm::function_ref<Value()> yes, llvm::function_ref<Value()> no);
  /// The same for several values.
  mlir::SmallVector<Value>
  chooseAll(mlir::TypeRange types, Value condition,
            llvm::function_ref<mlir::SmallVector<Value>()> yes,
            llvm::function_ref<mlir::SmallVector<Value>()> no);

private:
  Value expect(Value condition, bool value);

  mlir::Block *entry = nullptr;
  llvm::DenseMap<int64_t, Value> constants;
};

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_OPS_H
