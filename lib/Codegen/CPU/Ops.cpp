//===- Ops.cpp - Short names for the ops that the emitter writes ----------===//

#include "Ops.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc::cpu {

std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      constant.getSignificantBits() > 64)
    return std::nullopt;
  return constant.getSExtValue();
}

void Ops::setFunction(Block *block) {
  entry = block;
  constants.clear();
  setInsertionPointToStart(block);
}

Value Ops::index(int64_t value) {
  Value &constant = constants[value];
  if (constant)
    return constant;
  InsertionGuard guard(*this);
  setInsertionPointToStart(entry);
  return constant = arith::ConstantIndexOp::create(*this, loc, value);
}

Value Ops::constant(Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr = isa<FloatType>(element)
                       ? TypedAttr(FloatAttr::get(element, value))
                       : IntegerAttr::get(element, static_cast<int64_t>(value));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(*this, loc, attr);
}

Value Ops::boolean(bool value) {
  return arith::ConstantOp::create(*this, loc, getBoolAttr(value));
}

Value Ops::add(Value a, Value b) {
  return createOrFold<arith::AddIOp>(loc, a, b);
}
Value Ops::sub(Value a, Value b) {
  return createOrFold<arith::SubIOp>(loc, a, b);
}
Value Ops::mul(Value a, Value b) {
  return createOrFold<arith::MulIOp>(loc, a, b);
}
Value Ops::min(Value a, Value b) {
  return createOrFold<arith::MinSIOp>(loc, a, b);
}
Value Ops::max(Value a, Value b) {
  return createOrFold<arith::MaxSIOp>(loc, a, b);
}

Value Ops::floorDiv(Value a, int64_t b) {
  if (b == 1)
    return a;
  if (b > 0 && (b & (b - 1)) == 0 && !constantOf(a))
    return arith::ShRSIOp::create(*this, loc, a, index(__builtin_ctzll(b)));
  return createOrFold<arith::FloorDivSIOp>(loc, a, index(b));
}

Value Ops::ceilDiv(Value a, int64_t b) { return floorDiv(add(a, b - 1), b); }

Value Ops::select(Value condition, Value yes, Value no) {
  return createOrFold<arith::SelectOp>(loc, condition, yes, no);
}

Value Ops::compare(arith::CmpIPredicate predicate, Value a, Value b) {
  return createOrFold<arith::CmpIOp>(loc, predicate, a, b);
}

Value Ops::logicalAnd(Value a, Value b) {
  return createOrFold<arith::AndIOp>(loc, a, b);
}
Value Ops::logicalOr(Value a, Value b) {
  return createOrFold<arith::OrIOp>(loc, a, b);
}

Value Ops::toI64(Value value) {
  return value.getType().isIndex()
             ? createOrFold<arith::IndexCastOp>(loc, getI64Type(), value)
             : value;
}

Value Ops::toIndex(Value value) {
  return value.getType().isIndex()
             ? value
             : createOrFold<arith::IndexCastOp>(loc, getIndexType(), value);
}

Value Ops::address(Value pointer, Type type, Value elements) {
  std::optional<int64_t> constant = constantOf(elements);
  if (constant == 0)
    return pointer;
  LLVM::GEPArg arg = constant && *constant == static_cast<int32_t>(*constant)
                         ? LLVM::GEPArg(static_cast<int32_t>(*constant))
                         : LLVM::GEPArg(toI64(elements));
  return LLVM::GEPOp::create(*this, loc, pointer.getType(), type, pointer,
                             ArrayRef<LLVM::GEPArg>(arg));
}

Value Ops::load(Type type, Value pointer, unsigned alignment) {
  return LLVM::LoadOp::create(*this, loc, type, pointer, alignment);
}

void Ops::store(Value value, Value pointer, unsigned alignment) {
  LLVM::StoreOp::create(*this, loc, value, pointer, alignment);
}

Value Ops::broadcast(Value scalar, int64_t lanes) {
  return vector::BroadcastOp::create(*this, loc,
                                     vector(lanes, scalar.getType()), scalar);
}

SmallVector<Value>
Ops::loop(Value low, Value high, int64_t step, ValueRange carried,
          llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  std::optional<int64_t> first = constantOf(low), last = constantOf(high);
  if (first && last && *first >= *last)
    return llvm::to_vector(carried);
  if (first && last && *last - *first <= step)
    return body(low, carried);
  auto loop = scf::ForOp::create(
      *this, loc, low, high, index(step), carried,
      [&](OpBuilder &, Location, Value induction, ValueRange values) {
        InsertionGuard guard(*this);
        // The nested builder is another object: take over its place.
        setInsertionPointToEnd(induction.getParentBlock());
        SmallVector<Value> next = body(induction, values);
        scf::YieldOp::create(*this, loc, next);
      });
  return SmallVector<Value>(loop.getResults());
}

void Ops::loop(Value low, Value high, int64_t step,
               llvm::function_ref<void(Value)> body) {
  loop(low, high, step, {}, [&](Value induction, ValueRange) {
    body(induction);
    return SmallVector<Value>();
  });
}

Value Ops::any(Value lanes) {
  return vector::ReductionOp::create(*this, loc, vector::CombiningKind::OR,
                                     lanes);
}

Value Ops::expect(Value condition, bool value) {
  if (constantOf(condition))
    return condition;
  return LLVM::CallIntrinsicOp::create(*this, loc, getI1Type(),
                                       getStringAttr("llvm.expect"),
                                       ValueRange{condition, boolean(value)})
      .getResult(0);
}

void Ops::branch(Value condition, llvm::function_ref<void()> yes,
                 llvm::function_ref<void()> no) {
  if (std::optional<int64_t> known = constantOf(condition)) {
    if (*known)
      yes();
    else if (no)
      no();
    return;
  }
  auto op = scf::IfOp::create(*this, loc, condition, /*withElse=*/bool(no));
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  yes();
  if (!no)
    return;
  setInsertionPointToStart(op.elseBlock());
  no();
}

Value Ops::choose(Type type, Value condition, llvm::function_ref<Value()> yes,
                  llvm::function_ref<Value()> no) {
  return chooseAll(
      type, condition, [&] { return SmallVector<Value>{yes()}; },
      [&] { return SmallVector<Value>{no()}; })[0];
}

SmallVector<Value> Ops::chooseAll(TypeRange types, Value condition,
                                  llvm::function_ref<SmallVector<Value>()> yes,
                                  llvm::function_ref<SmallVector<Value>()> no) {
  if (std::optional<int64_t> known = constantOf(condition))
    return *known ? yes() : no();
  auto op = scf::IfOp::create(*this, loc, types, condition,
                              /*addThenBlock=*/true, /*addElseBlock=*/true);
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  scf::YieldOp::create(*this, loc, yes());
  setInsertionPointToStart(op.elseBlock());
  scf::YieldOp::create(*this, loc, no());
  return op.getResults();
}

} // namespace attnc::cpu
