//===- Program.cpp - NVPTX-flavoured LLVM IR as code of the host ----------===//

#include "Program.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Alignment.h"

using namespace llvm;
using namespace attnc::nvptx;

namespace {

class Rewriter {
public:
  explicit Rewriter(Module &module)
      : module(module), context(module.getContext()) {
    Type *pointer = PointerType::get(context, 0);
    Type *none = Type::getVoidTy(context);
    Type *i32 = Type::getInt32Ty(context), *i64 = Type::getInt64Ty(context);
    execute =
        module.getOrInsertFunction(executeName, none, i32, pointer, pointer);
    access = module.getOrInsertFunction(accessName, none, i64, i32, i32);
  }

  void placeSharedGlobals(uint64_t base);
  Error rewriteFunction(Function &function);
  void addEntry(Function &kernel);

  Rewritten rewritten;

private:
  void rewriteCall(CallInst &call, StringRef name);
  void checkAccess(Instruction &at, Value *pointer, Type *type, bool isWrite);
  Value *slot(IRBuilder<> &builder, Value *slots, unsigned i) {
    return builder.CreateConstGEP1_32(builder.getInt64Ty(), slots, i);
  }

  Module &module;
  LLVMContext &context;
  FunctionCallee execute, access;
  Value *argSlots = nullptr, *resultSlots = nullptr; // of the function
};

} // namespace

/// Globals of known size come first; those without one are dynamic shared
/// memory and all begin after them, as on the device.
void Rewriter::placeSharedGlobals(uint64_t base) {
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
  uint64_t offset = 0;
  for (GlobalVariable *global : shared) {
    offset = alignTo(offset, global->getAlign().valueOrOne());
    Constant *address =
        ConstantInt::get(Type::getInt64Ty(context), base + offset);
    global->replaceAllUsesWith(
        ConstantExpr::getIntToPtr(address, global->getType()));
    offset += sizeOf(global);
    global->eraseFromParent();
  }
  rewritten.staticShared = offset;
}

/// The operation of an intrinsic or inline assembly; empty for other calls.
static std::string operationOf(CallInst &call) {
  if (auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return "asm " + assembly->getAsmString().str();
  Function *callee = call.getCalledFunction();
  StringRef prefix = "llvm.nvvm.";
  if (!callee || !callee->getName().starts_with(prefix))
    return "";
  return callee->getName().drop_front(prefix.size()).str();
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
    if (isa<AtomicRMWInst, AtomicCmpXchgInst, MemIntrinsic>(instruction)) {
      std::string text;
      raw_string_ostream(text) << instruction;
      return createStringError("an access to memory is not emulated:" + text);
    }
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
  for (Instruction *instruction : instructions) {
    if (auto *call = dyn_cast<CallInst>(instruction)) {
      call->setCallingConv(CallingConv::C);
      if (std::string name = operationOf(*call); !name.empty())
        rewriteCall(*call, name);
    } else if (auto *load = dyn_cast<LoadInst>(instruction)) {
      checkAccess(*load, load->getPointerOperand(), load->getType(), false);
    } else if (auto *store = dyn_cast<StoreInst>(instruction)) {
      checkAccess(*store, store->getPointerOperand(),
                  store->getValueOperand()->getType(), true);
    }
  }
  return Error::success();
}

void Rewriter::rewriteCall(CallInst &call, StringRef name) {
  unsigned site = rewritten.operations.size();
  rewritten.operations.push_back(name.str());
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
  builder.CreateCall(execute, {builder.getInt32(site), argSlots, resultSlots});
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
                           bool isWrite) {
  // Constants of the module and the stack need no check.
  const Value *object = getUnderlyingObject(pointer);
  if (isa<GlobalVariable>(object) || isa<AllocaInst>(object))
    return;
  if (const auto *arg = dyn_cast<Argument>(object); arg && arg->hasByValAttr())
    return;
  IRBuilder<> builder(&at);
  uint64_t bytes = module.getDataLayout().getTypeStoreSize(type);
  builder.CreateCall(access,
                     {builder.CreatePtrToInt(pointer, builder.getInt64Ty()),
                      builder.getInt32(bytes), builder.getInt32(isWrite)});
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
  Rewriter rewriter(module);
  rewriter.placeSharedGlobals(shared);
  for (Function &function : make_early_inc_range(module))
    if (!function.isDeclaration())
      if (Error error = rewriter.rewriteFunction(function))
        return std::move(error);
  rewriter.addEntry(kernel);
  for (Function &function : make_early_inc_range(module))
    if (function.getName().starts_with("llvm.nvvm.") && function.use_empty())
      function.eraseFromParent();
  return std::move(rewriter.rewritten);
}
