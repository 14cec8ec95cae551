//===- Host.cpp - The host's functions of kernels -------------------------===//
//
//   i64  @f.grid0.tasks(ptr %call)    1, or 0 where the grid is empty
//   void @f.grid0.body(ptr %call, ptr %scratch, i64 %task)
//
// For the emulator, a body is
//   launch("sm_80", "f$grid0", blocks, threads, shared, workspace, %call)
//
//===----------------------------------------------------------------------===//

#include "attnc/Codegen/NVPTX/Host.h"

#include "HostModule.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace attnc::ptx {

static int64_t numberOf(const llvm::Function &kernel, StringRef attribute) {
  int64_t number = 0;
  (void)kernel.getFnAttribute(attribute).getValueAsString().getAsInteger(
      10, number);
  return number;
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
  addLaunch(b, kernel,
            {b.CreateCall(blocks, call),
             b.getInt64(numberOf(kernel, "nvvm.maxntid")),
             b.getInt64(numberOf(kernel, "attnc.shared")),
             b.CreateCall(workspace, call), call});
  b.CreateRetVoid();
}

std::unique_ptr<llvm::Module> translateHost(ModuleOp module,
                                            llvm::LLVMContext &context,
                                            AddLaunch addLaunch) {
  std::unique_ptr<llvm::Module> host =
      translateModuleToLLVMIR(module, context, "attnc");
  if (!host)
    return nullptr;
  for (llvm::Function &function : llvm::make_early_inc_range(*host))
    if (function.hasFnAttribute("attnc.shared")) {
      addGrid(*host, function, addLaunch);
      function.eraseFromParent();
    }
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
          const LaunchValues &values) {
        llvm::Type *pointer = b.getPtrTy(), *i64 = b.getInt64Ty();
        auto *type = llvm::FunctionType::get(
            b.getVoidTy(), {pointer, pointer, i64, i64, i64, i64, pointer},
            false);
        llvm::Value *callee = b.CreateIntToPtr(
            b.getInt64(reinterpret_cast<uint64_t>(launch)), pointer);
        b.CreateCall(type, callee,
                     {b.CreateGlobalString(target.name),
                      b.CreateGlobalString(kernel.getName()), values.blocks,
                      values.threads, values.shared, values.workspace,
                      values.call});
      });
}

} // namespace attnc::ptx
