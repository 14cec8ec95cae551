//===- EntryPoints.cpp - The global functions of an object ----------------===//
//
//   attnc_status f(Q, K, V, O, runtime) {
//     const attnc_tensor *tensors[] = {Q, K, V, O};
//     return attnc_entry_tensors(&f.function, tensors, runtime);
//   }
//   attnc_status f_raw(args, runtime) {
//     return attnc_entry_raw(&f.function, args, runtime);
//   }
//   size_t f_workspace(batch, query_len, kv_len, threads) {
//     int64_t sizes[] = {batch, query_len, kv_len};
//     return attnc_entry_workspace(&f.function, sizes, threads);
//   }
//   const char *f_describe(void) { return "{...}"; }
//
// The code behind them is C, compiled when the compiler is built: to assembly
// for ELF, which needs no instruction selection again; to bitcode for the other
// object formats, whose assembly is not one text that fits into another.
// Tests: test/Unit/Emit/ObjectTest.cpp, test/Emit/*.test
//
//===----------------------------------------------------------------------===//

#include "EntryPoints.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/TargetParser/Triple.h"

using namespace attnc;
using namespace llvm;

#include "EntryAssemblies.inc" // kEntryAssemblies
#include "EntryModules.inc"    // kEntryModules

bool attnc::isEntry(StringRef name) {
  return name == "attnc_entry_tensors" || name == "attnc_entry_raw" ||
         name == "attnc_entry_workspace";
}

/// A global function of baseline instructions with its first block.
static Function *addFunction(Module &module, FunctionType *type,
                             const Twine &name, IRBuilder<> &builder) {
  Function *function =
      Function::Create(type, GlobalValue::ExternalLinkage, name, module);
  function->setDoesNotThrow();
  function->addFnAttr(Attribute::OptimizeForSize);
  builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "", function));
  return function;
}

/// Stores `values` into an array on the stack.
static Value *storeAll(IRBuilder<> &builder, Type *element,
                       ArrayRef<Value *> values) {
  Value *array = builder.CreateAlloca(ArrayType::get(element, values.size()));
  for (auto [index, value] : llvm::enumerate(values))
    builder.CreateStore(value,
                        builder.CreateConstGEP1_64(element, array, index));
  return array;
}

/// Calls `result entry(ptr description, ptr array, last)` and returns it.
static void callEntry(IRBuilder<> &builder, StringRef entry, Type *result,
                      ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  Module &module = *builder.GetInsertBlock()->getModule();
  FunctionCallee callee = module.getOrInsertFunction(
      entry, FunctionType::get(result, types, false));
  builder.CreateRet(builder.CreateCall(callee, arguments));
}

/// The arguments of `function` but the last one.
static SmallVector<Value *> leadingArguments(Function *function) {
  SmallVector<Value *> values;
  for (Argument &argument : function->args())
    if (&argument != function->getArg(function->arg_size() - 1))
      values.push_back(&argument);
  return values;
}

static Value *lastArgument(Function *function) {
  return function->getArg(function->arg_size() - 1);
}

void attnc::addEntryPoints(Module &module, const Interface &function,
                           GlobalVariable *descriptor, StringRef describe) {
  IRBuilder<> b(module.getContext());
  Type *ptr = b.getPtrTy(), *status = b.getInt32Ty(), *i64 = b.getInt64Ty();
  const std::string &name = function.name;

  SmallVector<Type *> tensors(function.tensors.size() + 1, ptr);
  Function *f =
      addFunction(module, FunctionType::get(status, tensors, false), name, b);
  Value *array = storeAll(b, ptr, leadingArguments(f));
  callEntry(b, "attnc_entry_tensors", status,
            {descriptor, array, lastArgument(f)});

  f = addFunction(module, FunctionType::get(status, {ptr, ptr}, false),
                  name + "_raw", b);
  callEntry(b, "attnc_entry_raw", status,
            {descriptor, f->getArg(0), f->getArg(1)});

  SmallVector<Type *> sizes(function.runtimeSizes().size(), i64);
  sizes.push_back(b.getInt32Ty()); // threads
  Type *bytes = b.getIntNTy(module.getDataLayout().getPointerSizeInBits());
  f = addFunction(module, FunctionType::get(bytes, sizes, false),
                  name + "_workspace", b);
  array = storeAll(b, i64, leadingArguments(f));
  callEntry(b, "attnc_entry_workspace", bytes,
            {descriptor, array, lastArgument(f)});

  addFunction(module, FunctionType::get(ptr, false), name + "_describe", b);
  b.CreateRet(b.CreateGlobalString(describe, name + ".description"));
}

/// Names what the entry defines so that nothing else is called that, and keeps
/// only what is code: the file's flags are those of `module`.
static void makeLocal(Module &entry) {
  while (!entry.named_metadata_empty())
    entry.eraseNamedMetadata(&*entry.named_metadata_begin());
  for (GlobalObject &object : entry.global_objects()) {
    if (object.isDeclaration() || isEntry(object.getName()))
      continue;
    object.setLinkage(GlobalValue::InternalLinkage);
    object.setVisibility(GlobalValue::DefaultVisibility);
    object.setComdat(nullptr); // strings have one on Windows
    object.setName(object.getName() + ".attnc_entry");
  }
}

static Error linkEntry(Module &module, StringRef bitcode) {
  auto entry =
      parseBitcodeFile(MemoryBufferRef(bitcode, "entry"), module.getContext());
  if (!entry)
    return entry.takeError();
  makeLocal(**entry);
  (*entry)->setDataLayout(module.getDataLayout());
  (*entry)->setTargetTriple(module.getTargetTriple());
  if (Linker::linkModules(module, std::move(*entry)))
    return createStringError("the entry cannot be linked");
  for (Function &function : module)
    if (isEntry(function.getName())) {
      function.setVisibility(GlobalValue::DefaultVisibility);
      function.setLinkage(GlobalValue::InternalLinkage);
    }
  return Error::success();
}

Error attnc::addEntry(Module &module, bool hasDevices) {
  const Triple &triple = module.getTargetTriple();
  for (const auto &[name, text] : kEntryAssemblies)
    if (name == triple.str() + (hasDevices ? ".devices" : "")) {
      module.appendModuleInlineAsm(text);
      return Error::success();
    }
  for (const auto &[name, bitcode] : kEntryModules)
    if (name == triple.str() && !hasDevices)
      return linkEntry(module, bitcode);
  return createStringError("this build of attnc has no entry for '" +
                           triple.str() + "'");
}
