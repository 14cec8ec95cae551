//===- MachineCode.cpp - LLVM's code generator ----------------------------===//

#include "MachineCode.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

using namespace attnc;
using namespace llvm;

Expected<std::unique_ptr<TargetMachine>>
attnc::createMachine(const CodegenTarget &target) {
  InitializeAllTargetInfos();
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmPrinters();
  InitializeAllAsmParsers(); // for the entry
  Triple triple(target.triple);
  std::string message;
  const llvm::Target *backend = TargetRegistry::lookupTarget(triple, message);
  if (!backend)
    return createStringError("no code generator for '" + target.triple +
                             "': " + message);
  TargetOptions options;
  options.MCOptions.ABIName = target.abi;
  std::unique_ptr<TargetMachine> machine(backend->createTargetMachine(
      triple, target.cpu, target.features, options,
      target.isPositionIndependent ? Reloc::PIC_ : Reloc::Static, std::nullopt,
      CodeGenOptLevel::Aggressive));
  if (!machine)
    return createStringError("no machine for '" + target.triple + "'");
  return machine;
}

namespace {
/// Uses up the numbers of functions, which their labels contain, up to `first`.
class NumberFunctions : public ModulePass {
public:
  static char ID;
  NumberFunctions(MachineModuleInfo &info, unsigned first)
      : ModulePass(ID), info(info), first(first) {}

  bool runOnModule(Module &module) override {
    for (Function &function : module) {
      if (function.isDeclaration())
        continue;
      for (unsigned n = 0; n < first; ++n) {
        info.getOrCreateMachineFunction(function);
        info.deleteMachineFunctionFor(function);
      }
      return false;
    }
    return false;
  }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
  }

private:
  MachineModuleInfo &info;
  unsigned first;
};
} // namespace

char NumberFunctions::ID = 0;

namespace {
/// Skips the pass machine-sink in a module. Next to products of a matrix unit
/// there are many branches in a loop. The pass would move the chain of
/// additions to a sum past all of them, to the end of the loop, and every term
/// until then would be spilled.
class NoSinking : public OptPassGate {
public:
  bool shouldRunPass(StringRef pass, StringRef) const override {
    return pass != "machine-sink";
  }
  bool isEnabled() const override { return true; }
};
} // namespace

/// Whether a function multiplies on a matrix unit.
static bool usesMatrixUnit(const Module &module) {
  return any_of(module, [](const Function &function) {
    return !function.use_empty() &&
           function.getName().starts_with("llvm.x86.tdp");
  });
}

Error attnc::writeMachineCode(Module &module, TargetMachine &machine,
                              CodeGenFileType type, raw_pwrite_stream &out,
                              unsigned firstNumber) {
  legacy::PassManager passes;
  TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  passes.add(new TargetLibraryInfoWrapperPass(library));
  auto *info = new MachineModuleInfoWrapperPass(&machine);
  if (firstNumber)
    passes.add(new NumberFunctions(info->getMMI(), firstNumber));
  if (machine.addPassesToEmitFile(passes, out, nullptr, type,
                                  /*DisableVerify=*/true, info))
    return createStringError("the code generator writes no such file");
  LLVMContext &context = module.getContext();
  OptPassGate &gate = context.getOptPassGate();
  NoSinking noSinking;
  if (usesMatrixUnit(module))
    context.setOptPassGate(noSinking);
  scope_exit restore([&] { context.setOptPassGate(gate); });
  passes.run(module);
  return Error::success();
}
