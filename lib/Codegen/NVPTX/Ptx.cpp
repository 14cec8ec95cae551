//===- Ptx.cpp - From stage nvvm to PTX -----------------------------------===//

#include "attnc/Codegen/NVPTX/Ptx.h"

#include "attnc/Target/Platform.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace mlir;

namespace attnc::ptx {

static constexpr StringLiteral kSharedAttribute = "attnc.shared";
static constexpr StringLiteral kMapsAttribute = "attnc.maps";
static constexpr StringLiteral kKeepLoopsAttribute = "attnc.nounroll";
static constexpr StringLiteral kOtherwiseAttribute = "attnc.otherwise";

static std::unique_ptr<llvm::TargetMachine> createMachine(const Target &target,
                                                          std::string &error) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::Triple triple(platformOf(target).triple);
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(backend->createTargetMachine(
      triple, target.llvmCpu, target.llvmFeatures, llvm::TargetOptions(),
      std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// Inline PTX is of instructions that all threads of a warp execute together:
/// no pass may make it depend on more branches.
static void markConvergent(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        call && call->isInlineAsm())
      call->setConvergent();
}

/// The last parameters of some kernels are tensor maps: 128 bytes, which the
/// launch copies, at a multiple of 64.
static void markMaps(llvm::Function &kernel) {
  unsigned count = 0;
  kernel.getFnAttribute(kMapsAttribute)
      .getValueAsString()
      .getAsInteger(10, count);
  llvm::LLVMContext &context = kernel.getContext();
  auto *bytes = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), 128);
  for (unsigned i = kernel.arg_size() - count; i < kernel.arg_size(); ++i) {
    kernel.addParamAttr(i, llvm::Attribute::getWithByValType(context, bytes));
    kernel.addParamAttr(
        i, llvm::Attribute::getWithAlignment(context, llvm::Align(64)));
    kernel.addParamAttr(i, llvm::Attribute::get(context, "nvvm.grid_constant"));
  }
}

/// Of kernels for tensors without tensor maps, those that another one names.
static void keepOnly(llvm::Module &module, bool areOtherwise) {
  llvm::StringSet<> others;
  for (llvm::Function &function : module)
    if (function.hasFnAttribute(kOtherwiseAttribute))
      others.insert(
          function.getFnAttribute(kOtherwiseAttribute).getValueAsString());
  for (llvm::Function &function : llvm::make_early_inc_range(module))
    if (function.hasFnAttribute(kSharedAttribute) &&
        others.contains(function.getName()) != areOtherwise)
      function.eraseFromParent();
}

/// Functions of the host go; the others are marked as kernels.
static void keepKernels(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (function.isDeclaration())
      continue;
    if (!function.hasFnAttribute(kSharedAttribute)) {
      function.eraseFromParent(); // nothing on the device calls it
      continue;
    }
    function.setCallingConv(llvm::CallingConv::PTX_Kernel);
    function.setDoesNotThrow();
    markConvergent(function);
    if (function.hasFnAttribute(kMapsAttribute))
      markMaps(function);
  }
}

/// Loops are unrolled by the schedule, so that the registers suffice. O1 gives
/// the same code as O3 in less time: there are no calls and no loops to
/// transform.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopUnrolling = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1)
      .run(module, modules);
}

/// Warps of some kernels have fewer registers than others, which ptxas would
/// exceed to unroll their loops.
static void keepLoops(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (!function.hasFnAttribute(kKeepLoopsAttribute))
      continue;
    llvm::DominatorTree tree(function);
    llvm::LoopInfo loops(tree);
    for (llvm::Loop *loop : loops.getLoopsInPreorder())
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.disable");
  }
}

std::optional<std::string> printKernels(ModuleOp module, const Target &target,
                                        StringRef output) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> device =
      translateModuleToLLVMIR(module, context, "attnc");
  if (!device)
    return std::nullopt;
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(target, error);
  if (!machine) {
    emitError(module.getLoc())
        << "LLVM has no code generator for " << target.name << ": " << error;
    return std::nullopt;
  }
  device->setTargetTriple(machine->getTargetTriple());
  device->setDataLayout(machine->createDataLayout());
  device->setSourceFileName("attnc");
  if (output == kUsualPtx || output == kOtherwisePtx)
    keepOnly(*device, output == kOtherwisePtx);
  keepKernels(*device);
  if (output == kOtherwisePtx &&
      llvm::all_of(*device, [](auto &f) { return f.isDeclaration(); }))
    return "";
  llvm::raw_string_ostream reason(error);
  if (llvm::verifyModule(*device, &reason)) {
    emitError(module.getLoc()) << "internal error: broken kernels: " << error;
    return std::nullopt;
  }
  optimize(*device, *machine);
  keepLoops(*device);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  if (output == "nvptx-ir") {
    device->print(os, nullptr);
    return text.str().str();
  }
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, os, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile)) {
    emitError(module.getLoc()) << "LLVM writes no PTX";
    return std::nullopt;
  }
  passes.run(*device);
  return text.str().str();
}

} // namespace attnc::ptx
