//===- Shim.cpp - Functions of an object around pipelines -----------------===//
//
//   i64  @f.grid0.tasks(ptr %call)       product of the grid's extents
//   void @f.grid0.body(ptr %call, ptr %scratch, i64 %task)
//   i64  @f.scratch(ptr %call)
//   i64  @f.workspace(ptr %call)
//
// A body fills a halide_buffer_t for each tensor from the call and calls the
// pipeline with the sizes and the coordinates of the task.
// Tests: test/Codegen/Halide/statement.test
//
//===----------------------------------------------------------------------===//

#include "Shim.h"

#include "Device/EvaluateRanges.h"

#include "attnc/Dialect/Attn/Attn.h"

#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace attnc::halide {
namespace {

/// Fields of struct attnc_call (lib/Emit/Abi/entry.h), all pointers.
enum CallField { kSizes, kData, kStrides, kWorkspace, kShapes, kFailure };

/// Where halide_buffer_t has its fields (HalideRuntime.h): a uint64_t, two
/// pointers, a uint64_t, two numbers of 32 bits, two pointers.
struct BufferLayout {
  int64_t host, rank, dims, bytes;
  explicit BufferLayout(int64_t pointer)
      : host(8 + pointer), rank(8 + 2 * pointer + 12), dims(rank + 4),
        bytes(dims + 2 * pointer) {}
};
constexpr int64_t kDimBytes = 16;
/// At least those of struct attnc_slot (Device/launch.c).
constexpr int64_t kSlotBytes = 512;

class FunctionWriter {
public:
  FunctionWriter(Module &module, const FunctionPlan &plan)
      : module(module), plan(plan), ir(module.getContext()),
        pointerBytes(module.getDataLayout().getPointerSize()),
        layout(pointerBytes) {}

  void writeTasks(const Step &step, size_t number);
  void writeBody(const Step &step, size_t number);
  void writeDeviceBody(const Step &step, size_t number);
  void writeScratch(ArrayRef<Step> steps);
  void writeWorkspace();

private:
  void begin(const Twine &suffix, Type *result, ArrayRef<Type *> parameters);
  Value *i64(int64_t value) { return ir.getInt64(value); }
  Value *field(CallField number) {
    Value *at = ir.CreateConstGEP1_64(ir.getPtrTy(), call, number);
    return ir.CreateLoad(ir.getPtrTy(), at);
  }
  Value *entry(CallField number, unsigned index) {
    Value *at = ir.CreateConstGEP1_64(ir.getPtrTy(), field(number), index);
    return ir.CreateLoad(ir.getPtrTy(), at);
  }
  Value *sizeOf(mlir::Attribute size);
  Value *namedSize(StringRef name);
  Value *extentOf(mlir::Attribute size) {
    return ir.CreateBinaryIntrinsic(Intrinsic::smax, sizeOf(size), i64(0));
  }
  Value *extentOf(const Coordinate &one);
  Value *bytesOf(mlir::RankedTensorType type);
  Value *offsetOf(unsigned workspace);
  Value *bufferOf(Place place);
  Value *emptyBuffer();
  Value *numberBuffer(Value *host);
  Value *valueOf(StringRef parameter, const StringMap<Value *> &coordinates);
  Value *describe(Place place, bool isOutput);
  Value *wideIndices(const Step &step);
  void repeatExactly(FunctionCallee pipeline, SmallVector<Value *> arguments,
                     Value *nans, size_t exact, int64_t reruns);
  Value *arenaIn(Value *scratch, Value *bytes);
  Value *scratchBytes(const Step &step);
  StringMap<Value *> coordinatesOf(const Step &step, Value *task);
  void storeAt(Value *base, int64_t offset, Value *value) {
    ir.CreateStore(value, ir.CreateConstGEP1_64(ir.getInt8Ty(), base, offset));
  }

  Module &module;
  const FunctionPlan &plan;
  IRBuilder<> ir;
  int64_t pointerBytes;
  BufferLayout layout;
  llvm::Function *function = nullptr;
  Value *call = nullptr;
};

} // namespace

void FunctionWriter::begin(const Twine &suffix, Type *result,
                           ArrayRef<Type *> parameters) {
  auto name = const_cast<mlir::func::FuncOp &>(plan.function).getName();
  function = llvm::Function::Create(
      FunctionType::get(result, parameters, false),
      GlobalValue::ExternalLinkage, Twine(name) + "." + suffix, module);
  ir.SetInsertPoint(BasicBlock::Create(module.getContext(), "", function));
  call = function->getArg(0);
}

Value *FunctionWriter::namedSize(StringRef name) {
  unsigned index = *plan.interface->sizeIndex(name);
  return ir.CreateLoad(
      ir.getInt64Ty(),
      ir.CreateConstGEP1_64(ir.getInt64Ty(), field(kSizes), index));
}

Value *FunctionWriter::sizeOf(mlir::Attribute size) {
  if (std::optional<int64_t> fixed = plan.fixedSize(size))
    return i64(*fixed);
  std::string error;
  std::optional<SizeExpr> formula =
      SizeExpr::parse(cast<mlir::StringAttr>(size).getValue(), error);
  SmallVector<Value *> stack;
  for (const SizeExpr::Step &one : formula->postfix()) {
    using Op = SizeExpr::Op;
    if (one.op == Op::Constant || one.op == Op::Size) {
      stack.push_back(one.op == Op::Size ? namedSize(one.name)
                                         : i64(one.value));
      continue;
    }
    Value *b = stack.pop_back_val(), *a = stack.pop_back_val();
    switch (one.op) {
    case Op::Add:
      stack.push_back(ir.CreateAdd(a, b));
      break;
    case Op::Sub:
      stack.push_back(ir.CreateSub(a, b));
      break;
    case Op::Mul:
      stack.push_back(ir.CreateMul(a, b));
      break;
    case Op::FloorDiv: // of sizes, which are not negative
      stack.push_back(ir.CreateSDiv(a, b));
      break;
    case Op::Mod:
      stack.push_back(ir.CreateSRem(a, b));
      break;
    case Op::Min:
      stack.push_back(ir.CreateBinaryIntrinsic(Intrinsic::smin, a, b));
      break;
    default:
      stack.push_back(ir.CreateBinaryIntrinsic(Intrinsic::smax, a, b));
    }
  }
  return stack.back();
}

/// How many values a coordinate has.
Value *FunctionWriter::extentOf(const Coordinate &one) {
  Value *size = extentOf(one.size);
  return ir.CreateUDiv(ir.CreateAdd(size, i64(one.step - 1)), i64(one.step));
}

void FunctionWriter::writeTasks(const Step &step, size_t number) {
  begin("grid" + Twine(number) + ".tasks", ir.getInt64Ty(), ir.getPtrTy());
  Value *tasks = i64(1);
  for (const Coordinate &one : step.grid)
    tasks = ir.CreateMul(tasks, extentOf(one));
  if (step.isDevice) // one call computes all of them
    tasks = ir.CreateBinaryIntrinsic(Intrinsic::smin, tasks, i64(1));
  ir.CreateRet(tasks);
}

static int64_t bytesOfElement(mlir::RankedTensorType type) {
  return bytesOf(scalarTypeOf(type.getElementType()));
}

/// Of a workspace, a multiple of 64.
Value *FunctionWriter::bytesOf(mlir::RankedTensorType type) {
  Value *bytes = i64(bytesOfElement(type));
  for (unsigned axis = 0; axis < type.getRank(); ++axis)
    bytes = ir.CreateMul(bytes, extentOf(attn::axisSize(type, axis)));
  return ir.CreateAnd(ir.CreateAdd(bytes, i64(63)), i64(-64));
}

Value *FunctionWriter::offsetOf(unsigned workspace) {
  Value *offset = i64(0);
  for (unsigned i = 0; i < workspace; ++i)
    offset = ir.CreateAdd(offset, bytesOf(plan.workspaces[i]));
  return offset;
}

void FunctionWriter::writeWorkspace() {
  begin("workspace", ir.getInt64Ty(), ir.getPtrTy());
  ir.CreateRet(offsetOf(plan.workspaces.size()));
}

Value *FunctionWriter::scratchBytes(const Step &step) {
  Value *bytes = i64((step.scratchBytes + 127) / 64 * 64);
  if (!step.scratchSize)
    return bytes;
  return ir.CreateAdd(bytes, ir.CreateMul(extentOf(step.scratchSize),
                                          i64(step.scratchPerSize)));
}

void FunctionWriter::writeScratch(ArrayRef<Step> steps) {
  begin("scratch", ir.getInt64Ty(), ir.getPtrTy());
  Value *most = i64(0);
  for (const Step &step : plan.isDevice ? ArrayRef<Step>() : steps)
    most = ir.CreateBinaryIntrinsic(Intrinsic::smax, most, scratchBytes(step));
  ir.CreateRet(most);
}

/// A halide_buffer_t of zeros.
Value *FunctionWriter::emptyBuffer() {
  Value *buffer =
      ir.CreateAlloca(ArrayType::get(ir.getInt64Ty(), layout.bytes / 8));
  for (int64_t at = 0; at < layout.bytes; at += 8)
    storeAt(buffer, at, i64(0));
  return buffer;
}

/// A tensor with an empty axis is read as if it had zeros.
Value *FunctionWriter::bufferOf(Place place) {
  mlir::RankedTensorType type = plan.typeOf(place);
  int64_t rank = type.getRank();
  Value *buffer = emptyBuffer();
  Value *dims = ir.CreateAlloca(ArrayType::get(
      ir.getInt64Ty(), std::max<int64_t>(rank, 1) * kDimBytes / 8));
  SmallVector<Value *> extents, strides(rank);
  Value *stride = i64(1);
  for (int64_t axis = 0; axis < rank; ++axis)
    extents.push_back(extentOf(attn::axisSize(type, axis)));
  for (int64_t axis = rank; axis-- > 0;) {
    strides[axis] = stride;
    stride = ir.CreateMul(stride, extents[axis]);
  }
  Value *isFilled = ir.getTrue();
  for (Value *extent : extents)
    isFilled = ir.CreateAnd(isFilled, ir.CreateICmpSGT(extent, i64(0)));
  Value *data;
  if (place.isWorkspace) {
    data =
        ir.CreateGEP(ir.getInt8Ty(), field(kWorkspace), offsetOf(place.number));
  } else {
    data = entry(kData, place.number);
    for (int64_t axis = 0; axis < rank; ++axis)
      strides[axis] = ir.CreateLoad(
          ir.getInt64Ty(),
          ir.CreateConstGEP1_64(ir.getInt64Ty(), entry(kStrides, place.number),
                                axis));
  }
  Value *zero = ir.CreateAlloca(ir.getInt64Ty());
  ir.CreateStore(i64(0), zero);
  storeAt(buffer, layout.host, ir.CreateSelect(isFilled, data, zero));
  storeAt(buffer, layout.rank, ir.getInt32(rank));
  storeAt(buffer, layout.dims, dims);
  for (int64_t axis = 0; axis < rank; ++axis) {
    Value *step = ir.CreateSelect(isFilled, strides[axis], i64(0));
    storeAt(dims, axis * kDimBytes, ir.getInt32(0));
    storeAt(dims, axis * kDimBytes + 4,
            ir.CreateTrunc(extents[axis], ir.getInt32Ty()));
    storeAt(dims, axis * kDimBytes + 8, ir.CreateTrunc(step, ir.getInt32Ty()));
    storeAt(dims, axis * kDimBytes + 12, ir.getInt32(0));
  }
  return buffer;
}

Value *FunctionWriter::arenaIn(Value *scratch, Value *bytes) {
  Value *arena = ir.CreateAlloca(ArrayType::get(ir.getPtrTy(), 4));
  storeAt(arena, 0, scratch);
  storeAt(arena, pointerBytes, ir.CreateGEP(ir.getInt8Ty(), scratch, bytes));
  storeAt(arena, 2 * pointerBytes, scratch);
  storeAt(arena, 3 * pointerBytes, ConstantPointerNull::get(ir.getPtrTy()));
  return arena;
}

StringMap<Value *> FunctionWriter::coordinatesOf(const Step &step,
                                                 Value *task) {
  StringMap<Value *> values;
  for (const Coordinate &one : llvm::reverse(step.grid)) {
    Value *extent = extentOf(one);
    Value *index = ir.CreateURem(task, extent);
    task = ir.CreateUDiv(task, extent);
    values[one.name] = ir.CreateMul(index, i64(one.step));
  }
  return values;
}

/// A buffer without dimensions.
Value *FunctionWriter::numberBuffer(Value *host) {
  Value *buffer = emptyBuffer();
  storeAt(buffer, layout.host, host);
  return buffer;
}

void FunctionWriter::repeatExactly(FunctionCallee pipeline,
                                   SmallVector<Value *> arguments, Value *nans,
                                   size_t exact, int64_t reruns) {
  LLVMContext &context = module.getContext();
  BasicBlock *done = BasicBlock::Create(context, "done", function);
  for (int64_t run = 1; run <= reruns; ++run) {
    BasicBlock *again = BasicBlock::Create(context, "again", function, done);
    Value *found = ir.CreateIsNotNull(ir.CreateLoad(ir.getInt32Ty(), nans));
    ir.CreateCondBr(found, again, done);
    ir.SetInsertPoint(again);
    arguments[exact] = ir.getInt32(run);
    ir.CreateCall(pipeline, arguments);
  }
  ir.CreateBr(done);
  ir.SetInsertPoint(done);
}

/// Of 32 bits.
Value *FunctionWriter::valueOf(StringRef parameter,
                               const StringMap<Value *> &coordinates) {
  if (parameter == kExact || parameter == kZero)
    return ir.getInt32(0);
  Value *value;
  StringRef tensor = parameter;
  unsigned index;
  if (coordinates.contains(parameter))
    value = coordinates.lookup(parameter);
  else if (tensor.consume_front("want_") && !tensor.getAsInteger(10, index))
    value =
        ir.CreateZExt(ir.CreateIsNotNull(entry(kData, index)), ir.getInt64Ty());
  else
    value = namedSize(parameter.drop_front(strlen("size_")));
  return ir.CreateTrunc(value, ir.getInt32Ty());
}

void FunctionWriter::writeBody(const Step &step, size_t number) {
  Type *ptr = ir.getPtrTy();
  begin("grid" + Twine(number) + ".body", ir.getVoidTy(),
        {ptr, ptr, ir.getInt64Ty()});
  StringMap<Value *> values = coordinatesOf(step, function->getArg(2));
  size_t exact = 0;
  SmallVector<Value *> arguments{
      arenaIn(function->getArg(1), scratchBytes(step))};
  for (Place place : step.inputs)
    arguments.push_back(bufferOf(place));
  for (StringRef name : step.builder.pipeline.parameters) {
    if (name == kExact)
      exact = arguments.size();
    arguments.push_back(valueOf(name, values));
  }
  for (Place place : step.outputs)
    arguments.push_back(bufferOf(place));
  Value *nans = nullptr;
  if (step.reruns > 0) {
    nans = ir.CreateAlloca(ir.getInt32Ty());
    arguments.push_back(numberBuffer(nans));
  }
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee pipeline = module.getOrInsertFunction(
      step.builder.pipeline.symbol,
      FunctionType::get(ir.getInt32Ty(), types, false));
  ir.CreateCall(pipeline, arguments);
  if (step.reruns > 0)
    repeatExactly(pipeline, arguments, nans, exact, step.reruns);
  ir.CreateRetVoid();
}

/// A tensor as Device/launch.c copies it: the address of its slot.
Value *FunctionWriter::describe(Place place, bool isOutput) {
  mlir::RankedTensorType type = plan.typeOf(place);
  int64_t rank = type.getRank();
  Value *slot =
      ir.CreateAlloca(ArrayType::get(ir.getInt64Ty(), kSlotBytes / 8));
  Value *extents = ir.CreateAlloca(
      ArrayType::get(ir.getInt64Ty(), std::max<int64_t>(rank, 1)));
  for (int64_t axis = 0; axis < rank; ++axis)
    storeAt(extents, 8 * axis, extentOf(attn::axisSize(type, axis)));
  Value *data, *strides = ConstantPointerNull::get(ir.getPtrTy());
  if (place.isWorkspace) {
    data =
        ir.CreateGEP(ir.getInt8Ty(), field(kWorkspace), offsetOf(place.number));
  } else {
    data = entry(kData, place.number);
    strides = entry(kStrides, place.number);
  }
  int64_t number = place.isWorkspace ? -1 : int64_t(place.number);
  ScalarType scalar = scalarTypeOf(type.getElementType());
  bool isFloat = scalar.isFloat() && scalar.bits > 16;
  int64_t code = isFloat ? 2 : scalar.kind == Kind::Int ? 0 : 1;
  int64_t bits = std::max<int64_t>(scalar.bits, 8);
  Type *ptr = ir.getPtrTy(), *i32 = ir.getInt32Ty();
  FunctionCallee callee =
      module.getOrInsertFunction("attnc_device_describe", ir.getVoidTy(), ptr,
                                 ptr, i32, ptr, ptr, ptr, i32, i32, i32);
  ir.CreateCall(callee, {slot, call, ConstantInt::getSigned(i32, number), data,
                         extents, strides, ir.getInt32(rank),
                         ir.getInt32(code | bits << 8 | 1 << 16),
                         ir.getInt32(isOutput)});
  return slot;
}

namespace {

/// Ranges of indices as values of the host.
struct RangesOfCall {
  using Number = Value *;
  IRBuilder<> &ir;
  llvm::function_ref<Value *(mlir::Attribute)> sizeOf;
  llvm::function_ref<std::pair<Value *, Value *>(unsigned)> rangeOfTable;
  Value *isWide; // whether one of them needs more than 32 bits

  Number constant(int64_t value) { return ir.getInt64(value); }
  Number size(mlir::Attribute size) { return sizeOf(size); }
  std::pair<Number, Number> table(unsigned argument) {
    return rangeOfTable(argument);
  }
  Number add(Number a, Number b) { return ir.CreateAdd(a, b); }
  Number sub(Number a, Number b) { return ir.CreateSub(a, b); }
  Number mul(Number a, Number b) { return ir.CreateMul(a, b); }
  Number min(Number a, Number b) {
    return ir.CreateSelect(ir.CreateICmpSLT(a, b), a, b);
  }
  Number max(Number a, Number b) {
    return ir.CreateSelect(ir.CreateICmpSLT(a, b), b, a);
  }
  void check(const IndexRange &, Number low, Number high) {
    for (Value *end : {low, high}) {
      Value *narrow = ir.CreateTrunc(end, ir.getInt32Ty());
      isWide = ir.CreateOr(
          isWide, ir.CreateICmpNE(ir.CreateSExt(narrow, ir.getInt64Ty()), end));
    }
  }
};

} // namespace

/// Whether an index of a formula does not fit in 32 bits in this call.
Value *FunctionWriter::wideIndices(const Step &step) {
  auto size = [&](mlir::Attribute size) { return extentOf(size); };
  auto table = [&](unsigned argument) -> std::pair<Value *, Value *> {
    mlir::RankedTensorType type = plan.typeOf({false, argument});
    int64_t rank = type.getRank();
    Value *extents = ir.CreateAlloca(
        ArrayType::get(ir.getInt64Ty(), std::max<int64_t>(rank, 1)));
    for (int64_t axis = 0; axis < rank; ++axis)
      storeAt(extents, 8 * axis, extentOf(attn::axisSize(type, axis)));
    Value *ends = ir.CreateAlloca(ArrayType::get(ir.getInt64Ty(), 2));
    Type *ptr = ir.getPtrTy(), *i32 = ir.getInt32Ty();
    ir.CreateCall(
        module.getOrInsertFunction("attnc_device_range", ir.getVoidTy(), ptr,
                                   ptr, i32, ptr, i32),
        {ends, call, ir.getInt32(argument), extents, ir.getInt32(rank)});
    auto end = [&](int64_t number) {
      return ir.CreateLoad(ir.getInt64Ty(), ir.CreateConstGEP1_64(
                                                ir.getInt64Ty(), ends, number));
    };
    return {end(0), end(1)};
  };
  RangesOfCall numbers{ir, size, table, ir.getFalse()};
  EvaluateRanges<RangesOfCall>(step.builder.ranges, numbers).run();
  return numbers.isWide;
}

/// Launches everything; what fails is stored in the call.
void FunctionWriter::writeDeviceBody(const Step &step, size_t number) {
  Type *ptr = ir.getPtrTy(), *i32 = ir.getInt32Ty();
  begin("grid" + Twine(number) + ".body", ir.getVoidTy(),
        {ptr, ptr, ir.getInt64Ty()});
  Value *failure = field(kFailure);
  SmallVector<Value *> slots, arguments{failure};
  for (Place place : step.inputs)
    slots.push_back(describe(place, /*isOutput=*/false));
  arguments.append(slots);
  for (StringRef name : step.builder.pipeline.parameters)
    arguments.push_back(valueOf(name, {}));
  for (Place place : step.outputs) {
    slots.push_back(describe(place, /*isOutput=*/true));
    arguments.push_back(slots.back());
  }
  Value *list = ir.CreateAlloca(ArrayType::get(ptr, slots.size()));
  for (auto [i, slot] : llvm::enumerate(slots))
    storeAt(list, 8 * int64_t(i), slot);
  Value *count = ir.getInt32(slots.size());
  Value *isReady = ir.CreateCall(
      module.getOrInsertFunction("attnc_device_begin", i32, ptr, i32, i32, ptr),
      {list, count, ir.CreateZExt(wideIndices(step), i32), call});
  LLVMContext &context = module.getContext();
  BasicBlock *before = ir.GetInsertBlock();
  BasicBlock *launch = BasicBlock::Create(context, "launch", function);
  BasicBlock *end = BasicBlock::Create(context, "end", function);
  ir.CreateCondBr(ir.CreateIsNotNull(isReady), launch, end);
  ir.SetInsertPoint(launch);
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  Value *code = ir.CreateCall(
      module.getOrInsertFunction(step.builder.pipeline.symbol,
                                 FunctionType::get(i32, types, false)),
      arguments);
  ir.CreateBr(end);
  ir.SetInsertPoint(end);
  PHINode *result = ir.CreatePHI(i32, 2);
  result->addIncoming(ir.getInt32(0), before);
  result->addIncoming(code, launch);
  ir.CreateCall(module.getOrInsertFunction("attnc_device_end", ir.getVoidTy(),
                                           ptr, i32, i32, ptr),
                {list, count, result, call});
  ir.CreateRetVoid();
}

void addFunction(Module &module, const FunctionPlan &plan,
                 ArrayRef<Step> steps) {
  FunctionWriter writer(module, plan);
  for (auto [number, step] : llvm::enumerate(steps)) {
    writer.writeTasks(step, number);
    if (step.isDevice)
      writer.writeDeviceBody(step, number);
    else
      writer.writeBody(step, number);
  }
  writer.writeScratch(steps);
  writer.writeWorkspace();
}

} // namespace attnc::halide
