//===- Host.cpp - The host's functions of kernels -------------------------===//
//
//   i64  @f.grid0.tasks(ptr %call)    1, or 0 where the grid is empty
//   void @f.grid0.body(ptr %call, ptr %scratch, i64 %task)
//
// For the emulator, a body is
//   launch("sm_80", "f$grid0", blocks, threads, shared, workspace, %call,
//          %maps, count)
//
// Of a kernel with tensor maps, it is
//   if (f.grid0.maps(%call, %maps))
//     launch @f$grid0 with them
//   else
//     launch @f$grid0$async
//
//===----------------------------------------------------------------------===//

#include "attnc/Codegen/NVPTX/Host.h"

#include "HostModule.h"
#include "Launch/map.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace attnc::ptx {

static int64_t numberOf(const llvm::Function &kernel, StringRef attribute) {
  int64_t number = 0;
  (void)kernel.getFnAttribute(attribute).getValueAsString().getAsInteger(
      10, number);
  return number;
}

/// The launch of a kernel, or of the one without tensor maps where the tensors
/// of the call cannot have any.
static void addBody(llvm::IRBuilder<> &b, const llvm::Function &kernel,
                    llvm::Function *maps, LaunchValues values,
                    AddLaunch addLaunch) {
  if (!maps) {
    (void)addLaunch(b, kernel, values);
    b.CreateRetVoid();
    return;
  }
  maps->setLinkage(llvm::GlobalValue::InternalLinkage);
  const llvm::Module &module = *kernel.getParent();
  const llvm::Function &otherwise = *module.getFunction(
      kernel.getFnAttribute("attnc.otherwise").getValueAsString());
  llvm::LLVMContext &context = b.getContext();
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto addBlock = [&](StringRef name) {
    return llvm::BasicBlock::Create(context, name, function);
  };
  llvm::BasicBlock *with = addBlock("with"), *without = addBlock("without"),
                   *end = addBlock("end");
  LaunchValues mapped = values;
  mapped.mapCount = numberOf(kernel, "attnc.maps");
  mapped.maps = b.CreateAlloca(
      b.getInt64Ty(),
      b.getInt64(mapped.mapCount *
                 int64_t(sizeof(attnc_tensor_map) / sizeof(int64_t))));
  llvm::Value *fits = b.CreateCall(maps, {values.call, mapped.maps});
  b.CreateCondBr(b.CreateICmpNE(fits, b.getInt64(0)), with, without);
  b.SetInsertPoint(with);
  llvm::Value *isOpen = addLaunch(b, kernel, mapped);
  b.CreateCondBr(isOpen ? isOpen : b.getFalse(), without, end);
  b.SetInsertPoint(without);
  values.shared = b.getInt64(numberOf(otherwise, "attnc.shared"));
  (void)addLaunch(b, otherwise, values);
  b.CreateBr(end);
  b.SetInsertPoint(end);
  b.CreateRetVoid();
}

static void addGrid(llvm::Module &module, const llvm::Function &kernel,
                    AddLaunch addLaunch) {
  llvm::LLVMContext &context = module.getContext();
  std::string prefix = kernel.getName().str();
  llvm::replace(prefix, '$', '.');
  llvm::Function *blocks = module.getFunction(prefix + ".tasks");
  llvm::Function *workspace = module.getFunction(
      StringRef(prefix).rsplit('.').first.str() + ".workspace");
  blocks->setName(prefix + ".blocks");
  blocks->setLinkage(llvm::GlobalValue::InternalLinkage);
  auto define = [&](const Twine &suffix, llvm::FunctionType *type) {
    auto *function =
        llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                               (prefix + suffix).str(), module);
    llvm::BasicBlock::Create(context, "", function);
    return function;
  };
  auto *tasks = define(".tasks", blocks->getFunctionType());
  llvm::IRBuilder<> b(&tasks->getEntryBlock());
  llvm::Value *count = b.CreateCall(blocks, tasks->getArg(0));
  b.CreateRet(
      b.CreateZExt(b.CreateICmpSGT(count, b.getInt64(0)), b.getInt64Ty()));

  llvm::Type *pointer = b.getPtrTy();
  auto *body = define(
      ".body", llvm::FunctionType::get(
                   b.getVoidTy(), {pointer, pointer, b.getInt64Ty()}, false));
  b.SetInsertPoint(&body->getEntryBlock());
  llvm::Value *call = body->getArg(0);
  LaunchValues values{b.CreateCall(blocks, call),
                      b.getInt64(numberOf(kernel, "nvvm.maxntid")),
                      b.getInt64(numberOf(kernel, "attnc.shared")),
                      b.CreateCall(workspace, call),
                      call,
                      llvm::ConstantPointerNull::get(b.getPtrTy()),
                      0};
  llvm::Function *maps = kernel.hasFnAttribute("attnc.maps")
                             ? module.getFunction(prefix + ".maps")
                             : nullptr;
  addBody(b, kernel, maps, values, addLaunch);
}

std::unique_ptr<llvm::Module> translateHost(ModuleOp module,
                                            llvm::LLVMContext &context,
                                            AddLaunch addLaunch) {
  std::unique_ptr<llvm::Module> host =
      translateModuleToLLVMIR(module, context, "attnc");
  if (!host)
    return nullptr;
  SmallVector<llvm::Function *> kernels;
  llvm::StringSet<> others; // that stand for a kernel with tensor maps
  for (llvm::Function &function : *host)
    if (function.hasFnAttribute("attnc.shared")) {
      kernels.push_back(&function);
      others.insert(
          function.getFnAttribute("attnc.otherwise").getValueAsString());
    }
  for (llvm::Function *kernel : kernels)
    if (!others.contains(kernel->getName()))
      addGrid(*host, *kernel, addLaunch);
  for (llvm::Function *kernel : kernels)
    kernel->eraseFromParent();
  for (llvm::GlobalVariable &global :
       llvm::make_early_inc_range(host->globals()))
    if (global.getAddressSpace() != 0)
      global.eraseFromParent();
  for (llvm::Function &function : llvm::make_early_inc_range(*host))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent(); // intrinsics of the device
  return host;
}

std::unique_ptr<llvm::Module> makeHostModule(ModuleOp module,
                                             const Target &target,
                                             llvm::LLVMContext &context,
                                             Launch *launch) {
  return translateHost(
      module, context,
      [&](llvm::IRBuilder<> &b, const llvm::Function &kernel,
          const LaunchValues &values) -> llvm::Value * {
        llvm::Type *pointer = b.getPtrTy(), *i64 = b.getInt64Ty();
        auto *type = llvm::FunctionType::get(
            b.getVoidTy(),
            {pointer, pointer, i64, i64, i64, i64, pointer, pointer, i64},
            false);
        llvm::Value *callee = b.CreateIntToPtr(
            b.getInt64(reinterpret_cast<uint64_t>(launch)), pointer);
        b.CreateCall(type, callee,
                     {b.CreateGlobalString(target.name),
                      b.CreateGlobalString(kernel.getName()), values.blocks,
                      values.threads, values.shared, values.workspace,
                      values.call, values.maps, b.getInt64(values.mapCount)});
        return nullptr;
      });
}

} // namespace attnc::ptx
