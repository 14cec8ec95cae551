//===- MathJit.cpp - Elementwise functions, compiled in process -----------===//
//
// Text of a loop over an array -> codegen-expand-math -> LLVM dialect -> LLVM
// IR -> ORC, without access to the symbols of this process.
//
//===----------------------------------------------------------------------===//

#include "MathJit.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::test;

std::vector<MathLevel> attnc::test::runnableLevels() {
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  codegen::ExpandMathOptions base, v3, v4;
  base.fma = base.round = false;
  v4.avx512 = true;
  std::vector<MathLevel> levels{{"x86-64", "x86-64", base, 128}};
  if (host["avx2"] && host["fma"])
    levels.push_back({"x86-64-v3", "x86-64-v3", v3, 256});
  if (host["avx512f"] && host["avx512dq"] && host["avx512vl"] &&
      host["avx512bw"] && host["avx512cd"])
    levels.push_back({"x86-64-v4", "x86-64-v4", v4, 512});
  return levels;
}

/// @run: the loop; @one: the function alone, whose instructions are counted.
static std::string source(StringRef op, StringRef element, unsigned lanes,
                          StringRef attributes) {
  std::string vector =
      lanes ? llvm::formatv("vector<{0}x{1}>", lanes, element).str()
            : element.str();
  StringRef load = lanes ? "vector.load" : "memref.load";
  StringRef store = lanes ? "vector.store" : "memref.store";
  std::string suffix = lanes ? ", " + vector : "";
  return llvm::formatv(R"(
    func.func @one(%x: {1}) -> {1} {{
      %y = math.{0} %x {7} : {1}
      return %y : {1}
    }
    func.func @run(%in: memref<?x{2}>, %out: memref<?x{2}>, %n: index) {{
      %c0 = arith.constant 0 : index
      %step = arith.constant {3} : index
      scf.for %i = %c0 to %n step %step {{
        %x = {4} %in[%i] : memref<?x{2}>{6}
        %y = math.{0} %x {7} : {1}
        {5} %y, %out[%i] : memref<?x{2}>{6}
      }
      return
    })",
                       op, vector, element, std::max(lanes, 1u), load, store,
                       suffix, attributes)
      .str();
}

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

static LogicalResult lower(ModuleOp module, const MathLevel &level) {
  PassManager pm(module.getContext());
  pm.addPass(codegen::createExpandMath(level.options));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}

static MLIRContext &context() {
  static MLIRContext *shared = [] {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                    memref::MemRefDialect, scf::SCFDialect,
                    vector::VectorDialect, LLVM::LLVMDialect>();
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return new MLIRContext(registry, MLIRContext::Threading::DISABLED);
  }();
  return *shared;
}

/// Instructions of @one in the assembly of `module`.
static unsigned count(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallVector<char> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr,
                                  llvm::CodeGenFileType::AssemblyFile))
    return 0;
  passes.run(module);
  StringRef assembly(text.data(), text.size());
  StringRef body = assembly.split("\none:").second.split("\n.Lfunc_end").first;
  SmallVector<StringRef> lines;
  body.split(lines, '\n');
  return llvm::count_if(lines, [](StringRef line) {
    bool loadsConstant = line.contains("(%rip)") &&
                         (line.contains("mov") || line.contains("broadcast"));
    return line.starts_with("\t") && !line.starts_with("\t.") &&
           !line.starts_with("\tret") && !line.starts_with("\tvzeroupper") &&
           !loadsConstant;
  });
}

llvm::Expected<std::unique_ptr<MathKernel>>
MathKernel::compile(StringRef op, StringRef element, unsigned lanes,
                    const MathLevel &level, StringRef attributes) {
  ParserConfig config(&context());
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      source(op, element, lanes, attributes), config);
  if (!module || failed(lower(*module, level)))
    return fail("cannot lower " + op);
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(*module, *llvmContext);
  if (!code)
    return fail("cannot translate " + op);

  llvm::Triple triple(llvm::sys::getProcessTriple());
  llvm::orc::JITTargetMachineBuilder target(triple);
  target.setCPU(level.cpu);
  target.setCodeModel(llvm::CodeModel::Small);
  target.setRelocationModel(llvm::Reloc::PIC_);
  target.setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  auto machine = target.createTargetMachine();
  if (!machine)
    return machine.takeError();
  for (llvm::Function &function : *code)
    if (!function.isDeclaration()) {
      function.addFnAttr("target-cpu", level.cpu);
      function.addFnAttr("min-legal-vector-width", "512");
    }
  code->setDataLayout((*machine)->createDataLayout());
  auto kernel = std::make_unique<MathKernel>();
  kernel->instructionCount = count(*llvm::CloneModule(*code), **machine);

  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(target)
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .setLinkProcessSymbolsByDefault(false)
                 .create();
  if (!jit)
    return jit.takeError();
  if (llvm::Error error = (*jit)->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(code), std::move(llvmContext))))
    return std::move(error);
  auto address = (*jit)->lookup("run");
  if (!address)
    return address.takeError();
  kernel->jit = std::move(*jit);
  kernel->entry = address->toPtr<void *>();
  return kernel;
}

void MathKernel::run(const void *in, void *out, int64_t count) const {
  // A memref<?xT> argument: two pointers, offset, size, stride.
  using Entry = void (*)(const void *, const void *, int64_t, int64_t, int64_t,
                         void *, void *, int64_t, int64_t, int64_t, int64_t);
  reinterpret_cast<Entry>(entry)(in, in, 0, count, 1, out, out, 0, count, 1,
                                 count);
}
