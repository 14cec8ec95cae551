//===- DeviceFunction.cpp - Functions of an object for a device -----------===//
//
//   void @f.step0(ptr %call, ptr %slots)   launches the kernels of a step
//   i64  @f.grid0.tasks(ptr %call)         1, or 0 if there is nothing to do
//   void @f.grid0.body(ptr %call, ...)     all steps
//
// The body describes each tensor in a slot (slots.c), which it releases after
// the last step that uses it. Tests:
// test/Integration/halide/steps/resident.test
//
//===----------------------------------------------------------------------===//

#include "FunctionWriter.h"

#include "Device/EvaluateRanges.h"

using namespace llvm;

namespace attnc::halide {
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
Value *FunctionWriter::wideIndices(const Step &step, const DeviceSlots &slots,
                                   Value *base) {
  auto size = [&](mlir::Attribute size) { return extentOf(size); };
  auto table = [&](unsigned argument) -> std::pair<Value *, Value *> {
    Value *ends = ir.CreateAlloca(ArrayType::get(ir.getInt64Ty(), 2));
    callDevice("attnc_device_range",
               {ends, slotAt(base, slots.find({false, argument})), call});
    auto end = [&](int64_t number) {
      return ir.CreateLoad(ir.getInt64Ty(), ir.CreateConstGEP1_64(
                                                ir.getInt64Ty(), ends, number));
    };
    return {end(0), end(1)};
  };
  RangesOfCall numbers{ir, size, table, ir.getFalse()};
  EvaluateRanges<RangesOfCall>(step.builder.ranges, numbers).run();
  return ir.CreateZExt(numbers.isWide, ir.getInt32Ty());
}

/// Calls a function of Device/slots.c.
Value *FunctionWriter::callDevice(StringRef name, ArrayRef<Value *> arguments,
                                  Type *result) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  if (!result)
    result = ir.getVoidTy();
  return ir.CreateCall(
      module.getOrInsertFunction(name, FunctionType::get(result, types, false)),
      arguments);
}

/// Fills the slot of a tensor.
void FunctionWriter::describe(Value *slot, const DeviceSlots::Slot &one) {
  mlir::RankedTensorType type = plan.typeOf(one.place);
  int64_t rank = type.getRank();
  Value *extents = ir.CreateAlloca(
      ArrayType::get(ir.getInt64Ty(), std::max<int64_t>(rank, 1)));
  for (int64_t axis = 0; axis < rank; ++axis)
    storeAt(extents, 8 * axis, extentOf(attn::axisSize(type, axis)));
  int64_t number = one.place.isWorkspace ? -1 : int64_t(one.place.number);
  ScalarType scalar = scalarTypeOf(type.getElementType());
  bool isFloat = scalar.isFloat() && scalar.bits > 16;
  int64_t code = isFloat ? 2 : scalar.kind == Kind::Int ? 0 : 1;
  int64_t bits = std::max<int64_t>(scalar.bits, 8);
  auto i32 = [&](int64_t value) {
    return ConstantInt::getSigned(ir.getInt32Ty(), value);
  };
  callDevice("attnc_device_describe",
             {slot, call, i32(number), extents, i32(rank),
              i32(code | bits << 8 | 1 << 16), i32(one.isWritten)});
}

/// Whether a step stores something: Halide cannot launch kernels for results
/// without elements.
Value *FunctionWriter::hasWork(const Step &step) {
  Value *isFilled = ir.getFalse();
  for (Place place : step.outputs) {
    mlir::RankedTensorType type = plan.typeOf(place);
    Value *isOne = ir.getTrue();
    for (unsigned axis = 0; axis < type.getRank(); ++axis)
      isOne = ir.CreateAnd(
          isOne, ir.CreateICmpSGT(sizeOf(attn::axisSize(type, axis)), i64(0)));
    isFilled = ir.CreateOr(isFilled, isOne);
  }
  return ir.CreateAnd(isFilled, ir.CreateICmpSGT(tasksOf(step), i64(0)));
}

/// Launches the kernels of a step that has work; what fails is stored in the
/// call.
void FunctionWriter::writeDeviceStep(const Step &step, size_t number,
                                     const DeviceSlots &slots) {
  Type *ptr = ir.getPtrTy(), *i32 = ir.getInt32Ty();
  begin("step" + Twine(number), ir.getVoidTy(), {ptr, ptr});
  function->setLinkage(GlobalValue::InternalLinkage);
  LLVMContext &context = module.getContext();
  BasicBlock *some = BasicBlock::Create(context, "some", function);
  BasicBlock *launch = BasicBlock::Create(context, "launch", function);
  BasicBlock *end = BasicBlock::Create(context, "end", function);
  BasicBlock *done = BasicBlock::Create(context, "done", function);
  Value *base = function->getArg(1);
  std::vector<Place> places(step.inputs);
  places.insert(places.end(), step.outputs.begin(), step.outputs.end());
  Value *list = ir.CreateAlloca(ArrayType::get(ptr, places.size()));
  Value *copies = ir.CreateAlloca(ArrayType::get(
      ir.getInt64Ty(), step.inputs.size() * size_t(kSlotBytes) / 8));
  ir.CreateCondBr(hasWork(step), some, done);
  ir.SetInsertPoint(some);
  for (auto [i, place] : llvm::enumerate(places))
    storeAt(list, pointerBytes * int64_t(i), slotAt(base, slots.find(place)));
  Value *inputs = ir.getInt32(step.inputs.size());
  Value *outputs = ir.getInt32(step.outputs.size());
  Value *isReady = callDevice(
      "attnc_device_begin_step",
      {list, copies, inputs, outputs, wideIndices(step, slots, base), call},
      i32);
  BasicBlock *before = ir.GetInsertBlock();
  ir.CreateCondBr(ir.CreateIsNotNull(isReady), launch, end);
  ir.SetInsertPoint(launch);
  SmallVector<Value *> arguments{field(kFailure)};
  auto addBuffer = [&](size_t i) {
    arguments.push_back(
        ir.CreateLoad(ptr, ir.CreateConstGEP1_64(ptr, list, i)));
  };
  for (size_t i = 0; i < step.inputs.size(); ++i)
    addBuffer(i);
  for (StringRef name : step.builder.pipeline.parameters)
    arguments.push_back(valueOf(name, {}));
  for (size_t i = step.inputs.size(); i < places.size(); ++i)
    addBuffer(i);
  Value *code = callDevice(step.builder.pipeline.symbol, arguments, i32);
  ir.CreateBr(end);
  ir.SetInsertPoint(end);
  PHINode *result = ir.CreatePHI(i32, 2);
  result->addIncoming(ir.getInt32(0), before);
  result->addIncoming(code, launch);
  callDevice("attnc_device_end_step",
             {list, copies, inputs, outputs, result, call});
  ir.CreateBr(done);
  ir.SetInsertPoint(done);
  ir.CreateRetVoid();
}

/// One grid of one task, which computes all steps.
void FunctionWriter::writeDevice(ArrayRef<Step> steps) {
  DeviceSlots slots(steps);
  SmallVector<llvm::Function *> made;
  for (auto [number, step] : llvm::enumerate(steps)) {
    writeDeviceStep(step, number, slots);
    made.push_back(function);
  }
  begin("grid0.tasks", ir.getInt64Ty(), ir.getPtrTy());
  Value *isNeeded = ir.getFalse();
  for (const Step &step : steps)
    isNeeded = ir.CreateOr(isNeeded, hasWork(step));
  ir.CreateRet(ir.CreateZExt(isNeeded, ir.getInt64Ty()));
  Type *ptr = ir.getPtrTy();
  begin("grid0.body", ir.getVoidTy(), {ptr, ptr, ir.getInt64Ty()});
  Value *base = ir.CreateAlloca(ArrayType::get(
      ir.getInt64Ty(), slots.list.size() * size_t(kSlotBytes) / 8));
  callDevice("attnc_device_begin", {call});
  for (auto [number, slot] : llvm::enumerate(slots.list))
    describe(slotAt(base, number), slot);
  for (auto [number, step] : llvm::enumerate(made)) {
    ir.CreateCall(step, {call, base});
    for (auto [at, slot] : llvm::enumerate(slots.list))
      if (slot.lastStep == number)
        callDevice("attnc_device_release", {slotAt(base, at), call});
  }
  callDevice("attnc_device_end", {call});
  ir.CreateRetVoid();
}

} // namespace attnc::halide
