//===- Program.cpp - NVPTX-flavoured LLVM IR as code of the host ----------===//

#include "Program.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/Alignment.h"

using namespace llvm;
using namespace attnc::nvptx;

namespace {

class Rewriter {
public:
  Rewriter(Module &module, uint64_t shared)
      : module(module), context(module.getContext()), sharedBase(shared) {
    Type *pointer = PointerType::get(context, 0);
    Type *none = Type::getVoidTy(context);
    Type *i32 = Type::getInt32Ty(context), *i64 = Type::getInt64Ty(context);
    execute = module.getOrInsertFunction(executeName, none, i32, i32, pointer,
                                         pointer);
    access = module.getOrInsertFunction(accessName, none, i32, i64, i64, i32);
  }

  void nameBlocks();
  void placeSharedGlobals();
  Error rewriteFunction(Function &function);
  void addEntry(Function &kernel);

  Rewritten rewritten;

private:
  Error rewriteInstruction(Instruction &instruction);
  void rewriteCall(CallInst &call, CallSite site);
  Error rewriteAssembly(CallInst &call, const InlineAsm &inlineAsm);
  void rewriteSharedInteger(CastInst &cast);
  void checkAccess(Instruction &at, Value *pointer, Type *type, unsigned flags);
  void checkAccess(Instruction &at, Value *pointer, Value *bytes,
                   unsigned flags);
  Value *place(IRBuilder<> &builder) {
    return builder.getInt32(placeOf.lookup(builder.GetInsertBlock()));
  }
  Value *slot(IRBuilder<> &builder, Value *slots, unsigned i) {
    return builder.CreateConstGEP1_32(builder.getInt64Ty(), slots, i);
  }

  Module &module;
  LLVMContext &context;
  DenseMap<const BasicBlock *, unsigned> placeOf; // index of its name
  uint64_t sharedBase;
  FunctionCallee execute, access;
  Value *argSlots = nullptr, *resultSlots = nullptr; // of the function
};

} // namespace

/// Comes first: blocks without names have the numbers of the original values.
void Rewriter::nameBlocks() {
  ModuleSlotTracker slots(&module);
  for (Function &function : module)
    for (BasicBlock &block : function) {
      placeOf[&block] = rewritten.places.size();
      raw_string_ostream os(rewritten.places.emplace_back());
      block.printAsOperand(os, /*PrintType=*/false, slots);
    }
}

/// Globals of known size come first; those without one are dynamic shared
/// memory and all begin after them, as on the device.
void Rewriter::placeSharedGlobals() {
  SmallVector<GlobalVariable *> shared;
  for (GlobalVariable &global : module.globals())
    if (global.getAddressSpace() == 3)
      shared.push_back(&global);
  auto sizeOf = [&](GlobalVariable *global) {
    return module.getDataLayout()
        .getTypeAllocSize(global->getValueType())
        .getFixedValue();
  };
  std::partition(shared.begin(), shared.end(),
                 [&](GlobalVariable *global) { return sizeOf(global) != 0; });
  // So that rewriteSharedInteger() sees all conversions.
  SmallVector<Constant *> constants(shared.begin(), shared.end());
  convertUsersOfConstantsToInstructions(constants);
  uint64_t offset = 0;
  for (GlobalVariable *global : shared) {
    offset = alignTo(offset, global->getAlign().valueOrOne());
    Constant *address =
        ConstantInt::get(Type::getInt64Ty(context), sharedBase + offset);
    global->replaceAllUsesWith(
        ConstantExpr::getIntToPtr(address, global->getType()));
    offset += sizeOf(global);
    global->eraseFromParent();
  }
  rewritten.staticShared = offset;
}

/// The operation of an intrinsic; empty for other calls.
static std::string operationOf(CallInst &call) {
  Function *callee = call.getCalledFunction();
  StringRef name = callee ? callee->getName() : "";
  if (name == "llvm.trap")
    return "trap";
  return name.consume_front("llvm.nvvm.") ? name.str() : "";
}

static unsigned resultsOf(const CallInst &call) {
  if (auto *structure = dyn_cast<StructType>(call.getType()))
    return structure->getNumElements();
  return call.getType()->isVoidTy() ? 0 : 1;
}

Error Rewriter::rewriteFunction(Function &function) {
  function.setCallingConv(CallingConv::C);
  function.removeFnAttr("target-cpu");
  function.removeFnAttr("target-features");
  // A large frame touches each page, so that it hits the guard of the stack.
  function.addFnAttr("probe-stack", "inline-asm");
  SmallVector<Instruction *> instructions;
  unsigned args = 1, results = 1;
  for (Instruction &instruction : llvm::instructions(function)) {
    instructions.push_back(&instruction);
    if (auto *call = dyn_cast<CallInst>(&instruction)) {
      args = std::max<unsigned>(args, call->arg_size());
      results = std::max(results, resultsOf(*call));
    }
  }
  // Values are read right after the call, so that calls share their slots. They
  // are in the entry block: an alloca in a loop would grow the stack.
  IRBuilder<> entry(&*function.getEntryBlock().getFirstInsertionPt());
  Type *slot = entry.getInt64Ty();
  argSlots = entry.CreateAlloca(ArrayType::get(slot, args));
  resultSlots = entry.CreateAlloca(ArrayType::get(slot, results));
  for (Instruction *instruction : instructions)
    if (Error error = rewriteInstruction(*instruction))
      return error;
  return Error::success();
}

Error Rewriter::rewriteInstruction(Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    unsigned flags = load->isVolatile() ? accessYields : 0;
    checkAccess(*load, load->getPointerOperand(), load->getType(),
                load->isAtomic() ? flags | accessIsAtomic : flags);
  } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    checkAccess(
        *store, store->getPointerOperand(), store->getValueOperand()->getType(),
        store->isAtomic() ? accessWrites | accessIsAtomic : accessWrites);
  } else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction)) {
    checkAccess(*update, update->getPointerOperand(), update->getType(),
                accessWrites | accessIsAtomic);
  } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    checkAccess(*exchange, exchange->getPointerOperand(),
                exchange->getNewValOperand()->getType(),
                accessWrites | accessIsAtomic);
  } else if (auto *memory = dyn_cast<MemIntrinsic>(&instruction)) {
    checkAccess(*memory, memory->getRawDest(), memory->getLength(),
                accessWrites | accessIsUnaligned);
    if (auto *transfer = dyn_cast<MemTransferInst>(memory))
      checkAccess(*transfer, transfer->getRawSource(), transfer->getLength(),
                  accessIsUnaligned);
  } else if (isa<PtrToIntInst, IntToPtrInst>(instruction)) {
    rewriteSharedInteger(cast<CastInst>(instruction));
  } else if (auto *call = dyn_cast<CallInst>(&instruction)) {
    call->setCallingConv(CallingConv::C);
    if (auto *inlineAsm = dyn_cast<InlineAsm>(call->getCalledOperand()))
      return rewriteAssembly(*call, *inlineAsm);
    if (std::string name = operationOf(*call); !name.empty())
      rewriteCall(*call, {findOperation(name), nullptr});
  }
  return Error::success();
}

/// Integers of shared addresses have 32 bits on the device, and some code
/// relies on their high bits being 0.
void Rewriter::rewriteSharedInteger(CastInst &cast) {
  bool isToInteger = isa<PtrToIntInst>(cast);
  Type *pointer = isToInteger ? cast.getSrcTy() : cast.getDestTy();
  Type *integer = isToInteger ? cast.getDestTy() : cast.getSrcTy();
  if (pointer->isVectorTy() || pointer->getPointerAddressSpace() != 3)
    return;
  IRBuilder<> builder(&cast);
  if (!isToInteger) {
    Type *i64 = builder.getInt64Ty();
    Value *offset = builder.CreateZExtOrTrunc(cast.getOperand(0), i64);
    cast.setOperand(0, builder.CreateAdd(offset, builder.getInt64(sharedBase)));
    return;
  }
  builder.SetInsertPoint(cast.getNextNode());
  auto *offset = cast_if_present<Instruction>(builder.CreateSub(
      &cast, ConstantInt::get(integer, static_cast<int64_t>(sharedBase))));
  cast.replaceUsesWithIf(offset,
                         [&](Use &use) { return use.getUser() != offset; });
}

Error Rewriter::rewriteAssembly(CallInst &call, const InlineAsm &inlineAsm) {
  uint32_t site = rewritten.callSites.size() * CallSite::maxSteps;
  Expected<Assembly> assembly = Assembly::create(inlineAsm, site);
  std::string reason;
  if (!assembly)
    reason = toString(assembly.takeError());
  else if (assembly->siteCount() >= CallSite::maxSteps)
    reason =
        "more than " + std::to_string(CallSite::maxSteps) + " instructions";
  if (!reason.empty())
    return createStringError("inline assembly is not emulated: " + reason +
                             " in '" + inlineAsm.getAsmString() + "'");
  Operation operation;
  operation.name = "inline assembly";
  rewriteCall(call,
              {operation, std::make_unique<Assembly>(std::move(*assembly))});
  return Error::success();
}

void Rewriter::rewriteCall(CallInst &call, CallSite callSite) {
  unsigned site = rewritten.callSites.size();
  rewritten.callSites.push_back(std::move(callSite));
  SmallVector<Type *> results;
  if (auto *structure = dyn_cast<StructType>(call.getType()))
    append_range(results, structure->elements());
  else if (!call.getType()->isVoidTy())
    results.push_back(call.getType());
  IRBuilder<> builder(&call);
  for (auto [i, value] : enumerate(call.args())) {
    Value *arg = value;
    if (arg->getType()->isMetadataTy())
      continue;
    if (arg->getType()->isIntegerTy())
      arg = builder.CreateZExtOrTrunc(arg, builder.getInt64Ty());
    builder.CreateStore(arg, slot(builder, argSlots, i));
  }
  builder.CreateCall(
      execute, {place(builder), builder.getInt32(site), argSlots, resultSlots});
  Value *value = nullptr;
  if (!call.getType()->isVoidTy())
    value = PoisonValue::get(call.getType());
  for (auto [i, type] : enumerate(results)) {
    Value *part = builder.CreateLoad(type, slot(builder, resultSlots, i));
    value = call.getType()->isStructTy()
                ? builder.CreateInsertValue(value, part, i)
                : part;
  }
  if (value)
    call.replaceAllUsesWith(value);
  call.eraseFromParent();
}

void Rewriter::checkAccess(Instruction &at, Value *pointer, Type *type,
                           unsigned flags) {
  uint64_t bytes = module.getDataLayout().getTypeStoreSize(type);
  checkAccess(at, pointer, ConstantInt::get(Type::getInt64Ty(context), bytes),
              flags);
}

void Rewriter::checkAccess(Instruction &at, Value *pointer, Value *bytes,
                           unsigned flags) {
  // Constants of the module and the stack need no check.
  const Value *object = getUnderlyingObject(pointer);
  if (isa<GlobalVariable>(object) || isa<AllocaInst>(object))
    return;
  IRBuilder<> builder(&at);
  Type *i64 = builder.getInt64Ty();
  builder.CreateCall(
      access, {place(builder), builder.CreatePtrToInt(pointer, i64),
               builder.CreateZExtOrTrunc(bytes, i64), builder.getInt32(flags)});
}

void Rewriter::addEntry(Function &kernel) {
  auto *type = FunctionType::get(Type::getVoidTy(context),
                                 {PointerType::get(context, 0)}, false);
  Function *entry =
      Function::Create(type, Function::ExternalLinkage, entryName, module);
  IRBuilder<> builder(BasicBlock::Create(context, "", entry));
  SmallVector<Value *> args;
  for (Argument &arg : kernel.args())
    args.push_back(builder.CreateLoad(
        arg.getType(), slot(builder, entry->getArg(0), arg.getArgNo())));
  builder.CreateCall(&kernel, args);
  builder.CreateRetVoid();
}

Expected<Rewritten> attnc::nvptx::rewrite(Module &module, Function &kernel,
                                          uint64_t shared) {
  Rewriter rewriter(module, shared);
  // The entry passes pointers.
  for (unsigned i = 0; i < kernel.arg_size(); ++i)
    kernel.removeParamAttr(i, Attribute::ByVal);
  rewriter.nameBlocks();
  rewriter.placeSharedGlobals();
  for (Function &function : make_early_inc_range(module))
    if (!function.isDeclaration())
      if (Error error = rewriter.rewriteFunction(function))
        return std::move(error);
  rewriter.addEntry(kernel);
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
  return std::move(rewriter.rewritten);
}
