//===- Builder.cpp - Short names for the ops of a kernel ------------------===//

#include "Builder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc::ptx {

std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      constant.getSignificantBits() > 64)
    return std::nullopt;
  return constant.getSExtValue();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value Builder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, loc, value);
}
Value Builder::i32(int64_t value) {
  return arith::ConstantOp::create(*this, loc, getI32IntegerAttr(value));
}
Value Builder::boolean(bool value) {
  return arith::ConstantOp::create(*this, loc, getBoolAttr(value));
}
Value Builder::constant(Type type, double value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(*this, loc, FloatAttr::get(type, value));
  return arith::ConstantOp::create(
      *this, loc, IntegerAttr::get(type, static_cast<int64_t>(value)));
}

Value Builder::add(Value a, Value b) {
  return createOrFold<arith::AddIOp>(loc, a, b);
}
Value Builder::sub(Value a, Value b) {
  return createOrFold<arith::SubIOp>(loc, a, b);
}
Value Builder::mul(Value a, Value b) {
  return createOrFold<arith::MulIOp>(loc, a, b);
}
Value Builder::min(Value a, Value b) {
  return createOrFold<arith::MinSIOp>(loc, a, b);
}
Value Builder::max(Value a, Value b) {
  return createOrFold<arith::MaxSIOp>(loc, a, b);
}
Value Builder::floorDiv(Value a, Value b) {
  return createOrFold<arith::FloorDivSIOp>(loc, a, b);
}
Value Builder::floorDiv(Value a, int64_t b) {
  if (b == 1)
    return a;
  if (llvm::isPowerOf2_64(b) && !constantOf(a))
    return arith::ShRSIOp::create(*this, loc, a,
                                  constant(a.getType(), llvm::Log2_64(b)));
  return floorDiv(a, constant(a.getType(), b));
}
Value Builder::remainder(Value a, int64_t b) {
  if (llvm::isPowerOf2_64(b))
    return createOrFold<arith::AndIOp>(loc, a, constant(a.getType(), b - 1));
  return createOrFold<arith::RemUIOp>(loc, a, constant(a.getType(), b));
}
Value Builder::select(Value condition, Value yes, Value no) {
  return createOrFold<arith::SelectOp>(loc, condition, yes, no);
}
Value Builder::compare(Predicate predicate, Value a, Value b) {
  return createOrFold<arith::CmpIOp>(loc, predicate, a, b);
}
Value Builder::logicalAnd(Value a, Value b) {
  return createOrFold<arith::AndIOp>(loc, a, b);
}
Value Builder::logicalOr(Value a, Value b) {
  return createOrFold<arith::OrIOp>(loc, a, b);
}
Value Builder::logicalNot(Value a) {
  return createOrFold<arith::XOrIOp>(loc, a, boolean(true));
}
Value Builder::combine(bool isMax, Value a, Value b) {
  // One instruction; the expansion of arith.maxnumf has four.
  return isMax ? LLVM::MaxNumOp::create(*this, loc, a, b)
               : createOrFold<arith::AddFOp>(loc, a, b);
}

Value Builder::cast(Type type, Value integer) {
  Type from = integer.getType();
  if (from == type)
    return integer;
  if (from.isIndex() || type.isIndex())
    return createOrFold<arith::IndexCastOp>(loc, type, integer);
  return from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth()
             ? createOrFold<arith::ExtUIOp>(loc, type, integer)
             : createOrFold<arith::TruncIOp>(loc, type, integer);
}
Value Builder::toIndex(Value integer) { return cast(getIndexType(), integer); }

Value Builder::convert(Type type, Value real) {
  Type from = real.getType();
  if (from == type)
    return real;
  unsigned bits = type.getIntOrFloatBitWidth();
  if (from.getIntOrFloatBitWidth() < bits)
    return createOrFold<arith::ExtFOp>(loc, type, real);
  if (from.getIntOrFloatBitWidth() > bits)
    return createOrFold<arith::TruncFOp>(loc, type, real);
  return convert(type, convert(getF32Type(), real)); // f16 and bf16
}
Value Builder::bitcast(Type type, Value value) {
  return value.getType() == type
             ? value
             : LLVM::BitcastOp::create(*this, loc, type, value).getResult();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Type Builder::pointer(Space space) {
  return LLVM::LLVMPointerType::get(getContext(), unsigned(space));
}
Value Builder::address(Value pointer, Type type, Value elements) {
  std::optional<int64_t> constant = constantOf(elements);
  if (constant == 0)
    return pointer;
  LLVM::GEPArg arg = constant && *constant == static_cast<int32_t>(*constant)
                         ? LLVM::GEPArg(static_cast<int32_t>(*constant))
                         : LLVM::GEPArg(toI64(elements));
  return LLVM::GEPOp::create(*this, loc, pointer.getType(), type, pointer,
                             ArrayRef<LLVM::GEPArg>(arg));
}

int64_t Builder::bytesOf(Type element) {
  return element.isIndex()
             ? 8
             : std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}
Type Builder::memoryType(Type element) {
  return isa<FloatType>(element)
             ? element
             : IntegerType::get(element.getContext(), 8 * bytesOf(element));
}
Value Builder::load(Type element, Value pointer) {
  Value raw = LLVM::LoadOp::create(*this, loc, memoryType(element), pointer,
                                   bytesOf(element));
  if (element.isInteger(1))
    return arith::CmpIOp::create(*this, loc, Predicate::ne, raw,
                                 zero(raw.getType()));
  return element.isIndex() ? toIndex(raw) : raw;
}
void Builder::store(Value value, Type element, Value pointer) {
  if (!isa<FloatType>(element))
    value = cast(memoryType(element), value);
  LLVM::StoreOp::create(*this, loc, value, pointer, bytesOf(element));
}
Value Builder::widen(Value value, Type element, Type result) {
  if (isa<FloatType>(element))
    return convert(result, value);
  if (element.isInteger(1))
    return result.isIndex() ? select(value, index(1), index(0)) : value;
  if (!element.isUnsignedInteger())
    return arith::IndexCastOp::create(*this, loc, result, value);
  return arith::IndexCastUIOp::create(*this, loc, result, value);
}

//===----------------------------------------------------------------------===//
// What only a GPU has
//===----------------------------------------------------------------------===//

Value Builder::intrinsic(StringRef name, Type result, ValueRange args) {
  return LLVM::CallIntrinsicOp::create(*this, loc, result,
                                       getStringAttr("llvm.nvvm." + name), args)
      .getResult(0);
}
void Builder::intrinsic(StringRef name, ValueRange args) {
  LLVM::CallIntrinsicOp::create(*this, loc, getStringAttr("llvm.nvvm." + name),
                                args);
}
SmallVector<Value> Builder::assembly(StringRef text, StringRef constraints,
                                     ArrayRef<Type> results, ValueRange args) {
  Type type;
  if (results.size() == 1)
    type = results[0];
  else if (!results.empty())
    type = LLVM::LLVMStructType::getLiteral(getContext(), results);
  auto op = LLVM::InlineAsmOp::create(
      *this, loc, type ? TypeRange(type) : TypeRange(), args, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
  if (results.size() <= 1)
    return SmallVector<Value>(op->getResults());
  SmallVector<Value> values;
  for (size_t i = 0; i < results.size(); ++i)
    values.push_back(field(op->getResult(0), i));
  return values;
}
Value Builder::field(Value structure, int64_t number) {
  return LLVM::ExtractValueOp::create(*this, loc, structure, number);
}
void Builder::barrier() {
  constexpr int64_t kOfRole = 1; // 0 is that of the block
  if (barrierThreads)
    intrinsic("barrier.cta.sync.aligned.count",
              {i32(kOfRole), i32(barrierThreads)});
  else
    intrinsic("barrier.cta.sync.aligned.all", i32(0));
}

Value Builder::exchange(Value value, int64_t mask) {
  return shuffle("bfly", value, i32(mask));
}
Value Builder::shuffle(Value value, Value from) {
  return shuffle("idx", value, from);
}
Value Builder::shuffle(StringRef kind, Value value, Value lane) {
  std::string name = ("shfl.sync." + kind + ".i32").str();
  Type type = value.getType(), word = getI32Type();
  auto shuffle = [&](Value bits) {
    return intrinsic(name, word, {i32(-1), bits, lane, i32(31)});
  };
  unsigned width = type.getIntOrFloatBitWidth();
  Value bits = bitcast(getIntegerType(width), value);
  if (width <= 32)
    return bitcast(type,
                   cast(getIntegerType(width), shuffle(cast(word, bits))));
  Type wide = getI64Type();
  Value half = constant(wide, 32);
  Value high = arith::ShRUIOp::create(*this, loc, bits, half);
  Value upper = cast(wide, shuffle(cast(word, high)));
  Value lower = cast(wide, shuffle(cast(word, bits)));
  upper = arith::ShLIOp::create(*this, loc, upper, half);
  return bitcast(type, arith::OrIOp::create(*this, loc, upper, lower));
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SmallVector<Value> Builder::loop(Value low, Value high, Value step,
                                 ValueRange carried, Carry body) {
  std::optional<int64_t> first = constantOf(low), last = constantOf(high),
                         by = constantOf(step);
  if (first && last && *first >= *last)
    return llvm::to_vector(carried);
  if (first && last && by && *last - *first <= *by)
    return body(low, carried);
  auto loop = scf::ForOp::create(
      *this, loc, low, high, step, carried,
      [&](OpBuilder &, Location, Value induction, ValueRange values) {
        InsertionGuard guard(*this);
        // The nested builder is another object: take over its place.
        setInsertionPointToEnd(induction.getParentBlock());
        SmallVector<Value> next = body(induction, values);
        scf::YieldOp::create(*this, loc, next);
      });
  return SmallVector<Value>(loop.getResults());
}

void Builder::loop(Value low, Value high, Value step,
                   llvm::function_ref<void(Value)> body) {
  loop(low, high, step, {}, [&](Value induction, ValueRange) {
    body(induction);
    return SmallVector<Value>();
  });
}

void Builder::branch(Value condition, Body yes, Body no) {
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

SmallVector<Value> Builder::choose(TypeRange types, Value condition, Choice yes,
                                   Choice no) {
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

} // namespace attnc::ptx
