//===- Builder.h - Short names for the ops of a kernel ----------*- C++ -*-===//
//
// Ops fold constants as they are built. Extents, positions and offsets are of
// type index; memory is read through pointers of the LLVM dialect. What only a
// GPU has is a call of an LLVM intrinsic.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_NVPTX_BUILDER_H
#define ATTNC_LIB_CODEGEN_NVPTX_BUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace attnc::ptx {

/// Address spaces of NVPTX.
enum class Space : unsigned {
  Generic = 0,
  Global = 1,
  Shared = 3,
  Cluster = 7
};

class Builder : public mlir::OpBuilder {
public:
  using OpBuilder::OpBuilder;
  using Value = mlir::Value;
  using Predicate = mlir::arith::CmpIPredicate;

  mlir::Location loc = getUnknownLoc();

  Value index(int64_t value);
  Value i32(int64_t value);
  Value boolean(bool value);
  /// Of a float or integer type, or index.
  Value constant(mlir::Type type, double value);
  Value zero(mlir::Type type) { return constant(type, 0); }

  Value add(Value a, Value b);
  Value add(Value a, int64_t b) { return add(a, constant(a.getType(), b)); }
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value mul(Value a, int64_t b) { return mul(a, constant(a.getType(), b)); }
  Value min(Value a, Value b);
  Value max(Value a, Value b);
  Value floorDiv(Value a, Value b);
  Value floorDiv(Value a, int64_t b);
  Value ceilDiv(Value a, int64_t b) { return floorDiv(add(a, b - 1), b); }
  /// Of values that are not negative.
  Value remainder(Value a, int64_t b);
  Value select(Value condition, Value yes, Value no);
  Value compare(Predicate predicate, Value a, Value b);
  Value compare(Predicate predicate, Value a, int64_t b) {
    return compare(predicate, a, constant(a.getType(), b));
  }
  Value logicalAnd(Value a, Value b);
  Value logicalOr(Value a, Value b);
  Value logicalNot(Value a);
  /// Sum or maximum (of which a NaN operand is none) of two floats.
  Value combine(bool isMax, Value a, Value b);

  /// An integer of another width, or an index.
  Value toIndex(Value integer);
  Value toI64(Value integer) { return cast(getI64Type(), integer); }
  Value toI32(Value integer) { return cast(getI32Type(), integer); }
  Value cast(mlir::Type type, Value integer);
  /// A float in another format.
  Value convert(mlir::Type type, Value real);
  /// The same bits.
  Value bitcast(mlir::Type type, Value value);

  mlir::Type pointer(Space space);
  /// `pointer + elements` for elements of `type`.
  Value address(Value pointer, mlir::Type type, Value elements);
  /// A float, or an integer of `element`'s bits where that is signed, unsigned
  /// or i1.
  static mlir::Type memoryType(mlir::Type element);
  static int64_t bytesOf(mlir::Type element);
  /// Loads and stores of an element: an i1 is a byte, an index 64 bits.
  Value load(mlir::Type element, Value pointer);
  void store(Value value, mlir::Type element, Value pointer);
  /// A stored integer as index, a stored float in `real`.
  Value widen(Value value, mlir::Type element, mlir::Type result);

  /// `llvm.nvvm.NAME`; null without a result type.
  Value intrinsic(llvm::StringRef name, mlir::Type result,
                  mlir::ValueRange args);
  void intrinsic(llvm::StringRef name, mlir::ValueRange args);
  /// Inline PTX with effects. Constraints are LLVM's (LangRef, "Inline Asm
  /// Constraint String"); results of none are nothing.
  llvm::SmallVector<Value> assembly(llvm::StringRef text,
                                    llvm::StringRef constraints,
                                    mlir::ArrayRef<mlir::Type> results,
                                    mlir::ValueRange args);
  Value field(Value structure, int64_t number);
  /// Waits for all threads of the block, or for those that `barrierThreads`
  /// counts where other warps have another role.
  void barrier();
  int64_t barrierThreads = 0;
  /// The value of the lane whose number differs in the bits of `mask`.
  Value exchange(Value value, int64_t mask);
  /// The value of lane number `from`.
  Value shuffle(Value value, Value from);

  using Body = llvm::function_ref<void()>;
  using Carry =
      llvm::function_ref<llvm::SmallVector<Value>(Value, mlir::ValueRange)>;
  using Choice = llvm::function_ref<llvm::SmallVector<Value>()>;
  /// From `low` to `high`; a loop that runs at most once by its constant bounds
  /// is only its body.
  llvm::SmallVector<Value> loop(Value low, Value high, Value step,
                                mlir::ValueRange carried, Carry body);
  void loop(Value low, Value high, Value step,
            llvm::function_ref<void(Value)> body);
  void branch(Value condition, Body yes, Body no = nullptr);
  llvm::SmallVector<Value> choose(mlir::TypeRange types, Value condition,
                                  Choice yes, Choice no);

private:
  Value shuffle(llvm::StringRef kind, Value value, Value lane);
};

/// Of a constant integer.
std::optional<int64_t> constantOf(mlir::Value value);

} // namespace attnc::ptx

#endif // ATTNC_LIB_CODEGEN_NVPTX_BUILDER_H
