//===- Shim.cpp - Functions of an object around pipelines -----------------===//
//
//   i64  @f.grid0.tasks(ptr %call)       product of the grid's extents
//   void @f.grid0.body(ptr %call, ptr %scratch, i64 %task)
//   i64  @f.scratch(ptr %call)
//   i64  @f.workspace(ptr %call)
//
// A body fills a halide_buffer_t for each tensor from the call (@f.workspace0,
// @f.tensor0, .. of a tensor, which use @f.type0, .. of its type) and calls the
// pipeline with the sizes and the coordinates of the task. On a device one task
// computes all steps (Device/slots.c).
// Tests: test/Codegen/Halide/statement.test
//
//===----------------------------------------------------------------------===//

#include "Shim.h"

#include "FunctionWriter.h"

using namespace llvm;

namespace attnc::halide {

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

Value *FunctionWriter::tasksOf(const Step &step) {
  Value *tasks = i64(1);
  for (const Coordinate &one : step.grid)
    tasks = ir.CreateMul(tasks, extentOf(one));
  return tasks;
}

void FunctionWriter::writeTasks(const Step &step, size_t number) {
  begin("grid" + Twine(number) + ".tasks", ir.getInt64Ty(), ir.getPtrTy());
  ir.CreateRet(tasksOf(step));
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

/// On devices intermediate results are in memory that slots.c allocates.
void FunctionWriter::writeWorkspace() {
  begin("workspace", ir.getInt64Ty(), ir.getPtrTy());
  ir.CreateRet(plan.isDevice ? i64(0) : offsetOf(plan.workspaces.size()));
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

/// A function of the call and pointers, which bodies share, or which is inlined
/// into the only one that calls it.
llvm::Function *
FunctionWriter::writePart(const Twine &suffix, unsigned pointers, bool isShared,
                          function_ref<void(llvm::Function *)> write) {
  IRBuilder<>::InsertPointGuard guard(ir);
  llvm::Function *user = function;
  SmallVector<Type *> parameters(1 + pointers, ir.getPtrTy());
  begin(suffix, ir.getVoidTy(), parameters);
  llvm::Function *part = function;
  part->setLinkage(GlobalValue::InternalLinkage);
  if (isShared)
    part->addFnAttr(Attribute::NoInline);
  write(part);
  ir.CreateRetVoid();
  function = user;
  call = user->getArg(0);
  return part;
}

/// Fills the buffer of a tensor: of(call, buffer, dims, zero, strides, data).
llvm::Function *FunctionWriter::fillOfType(mlir::RankedTensorType type) {
  llvm::Function *&fill = fillsOfTypes[type];
  if (fill)
    return fill;
  int64_t rank = type.getRank();
  auto write = [&](llvm::Function *part) {
    Value *dims = part->getArg(2);
    for (int64_t axis = 0; axis < rank; ++axis)
      storeAt(dims, axis * kDimBytes + 4,
              ir.CreateTrunc(extentOf(attn::axisSize(type, axis)),
                             ir.getInt32Ty()));
    ir.CreateCall(module.getFunction("attnc_fill_buffer"),
                  {part->getArg(1), dims, i64(rank), part->getArg(4),
                   part->getArg(5), part->getArg(3)});
  };
  return fill = writePart("type" + Twine(fillsOfTypes.size()), 5,
                          /*isShared=*/true, write);
}

/// Fills the buffer of one tensor: of(call, buffer, dims, zero).
llvm::Function *FunctionWriter::fillOf(Place place) {
  std::pair key(place.isWorkspace, place.number);
  llvm::Function *&fill = fills[key];
  if (fill)
    return fill;
  llvm::Function *ofType = fillOfType(plan.typeOf(place));
  auto write = [&](llvm::Function *part) {
    Value *data, *strides = ConstantPointerNull::get(ir.getPtrTy());
    if (place.isWorkspace) {
      data = ir.CreateGEP(ir.getInt8Ty(), field(kWorkspace),
                          offsetOf(place.number));
    } else {
      data = entry(kData, place.number);
      strides = entry(kStrides, place.number);
    }
    ir.CreateCall(ofType, {part->getArg(0), part->getArg(1), part->getArg(2),
                           part->getArg(3), strides, data});
  };
  return fill = writePart((place.isWorkspace ? "workspace" : "tensor") +
                              Twine(place.number),
                          3, uses[key] > 1, write);
}

/// `zero` is the element of a tensor with an empty axis.
Value *FunctionWriter::bufferOf(Place place, Value *zero) {
  auto allocate = [&](int64_t bytes) {
    return ir.CreateAlloca(ArrayType::get(ir.getInt64Ty(), bytes / 8));
  };
  int64_t rank = std::max<int64_t>(plan.typeOf(place).getRank(), 1);
  Value *buffer = allocate(layout.bytes), *dims = allocate(rank * kDimBytes);
  ir.CreateCall(fillOf(place), {call, buffer, dims, zero});
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
  Value *zero = ir.CreateAlloca(ir.getInt64Ty());
  ir.CreateStore(i64(0), zero);
  for (Place place : step.inputs)
    arguments.push_back(bufferOf(place, zero));
  for (StringRef name : step.builder.pipeline.parameters) {
    if (name == kExact)
      exact = arguments.size();
    arguments.push_back(valueOf(name, values));
  }
  for (Place place : step.outputs)
    arguments.push_back(bufferOf(place, zero));
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

void addFunction(Module &module, const FunctionPlan &plan,
                 ArrayRef<Step> steps) {
  FunctionWriter writer(module, plan, steps);
  if (plan.isDevice)
    writer.writeDevice(steps);
  for (auto [number, step] : llvm::enumerate(steps))
    if (!plan.isDevice) {
      writer.writeTasks(step, number);
      writer.writeBody(step, number);
    }
  writer.writeScratch(steps);
  writer.writeWorkspace();
}

} // namespace attnc::halide
