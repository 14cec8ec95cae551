//===- EmitObject.cpp - From kernels to an object file --------------------===//
//
// Order matters: the parts become one module; descriptions and entries come
// next, since they are what keeps the internal kernels alive; then the kernels
// are optimised for their processors; then the entry, compiled when the
// compiler was built and for any processor, is added. Each function carries its
// processor as an attribute. Tests: test/Unit/Emit/ObjectTest.cpp
//
//===----------------------------------------------------------------------===//

#include "attnc/Emit/Object.h"

#include "EntryDescriptor.h"
#include "EntryPoints.h"
#include "LinkParts.h"
#include "MachineCode.h"
#include "WriteParts.h"

#include "attnc/Target/RuntimeLibrary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

using namespace attnc;
using namespace llvm;

/// The rate of a level's fmas or dot-product unit for bf16; 0 without it.
static unsigned rateOf(const attnc::Target &level, UnitKind kind) {
  const Unit *unit = level.findUnit(
      kind, kind == UnitKind::Fma ? DType::F32 : DType::BF16, DType::F32);
  return unit ? unit->flopsPerCycle : 0;
}

/// A later level that runs the code of `cpu` and whose unit for pairs of bf16
/// is slower than its fmas, while that of `cpu` is not; or null.
static const attnc::Target *findSlowPairs(const attnc::Target &cpu,
                                          const Platform &platform) {
  auto isSlow = [](const attnc::Target &level) {
    unsigned rate = rateOf(level, UnitKind::DotProduct);
    return rate && rate < rateOf(level, UnitKind::Fma);
  };
  if (!rateOf(cpu, UnitKind::DotProduct) || isSlow(cpu))
    return nullptr;
  bool isLater = false;
  for (const attnc::Target &level : platform.levels) {
    if (isLater && isSlow(level))
      return &level;
    isLater |= level.name == cpu.name;
  }
  return nullptr;
}

CodegenTarget attnc::makeCodegenTarget(const Target &cpu,
                                       const Platform &platform) {
  const Target *slow = findSlowPairs(cpu, platform);
  return {.triple = platform.triple.str(),
          .cpu = cpu.llvmCpu.str(),
          .features = cpu.llvmFeatures.str(),
          .requiredFeatures = cpu.requiredFeatures.str(),
          .matrixFeatures = cpu.matrixFeatures.str(),
          .slowPairFeatures = slow ? slow->requiredFeatures.str() : "",
          .slowPairRate = slow ? rateOf(*slow, UnitKind::DotProduct) : 0,
          .slowPairLabel = slow ? slow->name.str() : "",
          .fmaRate = rateOf(cpu, UnitKind::Fma),
          .baselineFeatures = platform.baselineFeatures.str(),
          .abi = platform.abi.str(),
          .systemSymbols = (platform.systemSymbols + " " +
                            getRuntimeLibrary(cpu, platform).systemSymbols)
                               .str(),
          .isPositionIndependent = platform.isPositionIndependent,
          .vscale = cpu.vscale,
          .label = cpu.name.str()};
}

/// Kernels arrive as vectors in loops that their schedule unrolled, without
/// equal subexpressions and invariants (Codegen/CPU/Pipeline.cpp). What is left
/// is what the translation adds: address arithmetic, conversions, branches.
/// The default pipeline of O3 takes three to four times as long, and its code
/// has the same size (within 3 %). The run times of two close relatives of this
/// list were equal to O3's (within 1 % on average, benchmarks/peers, AVX2).
static constexpr StringLiteral kPasses =
    "cgscc(inline),"
    "function<eager-inv>(lower-expect,simplifycfg,sroa,early-cse,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm),loop(indvars),gvn,correlated-propagation,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "simplifycfg<hoist-common-insts;sink-common-insts>),"
    "globaldce,constmerge";

/// Without a library that loops could become calls of (memset, memcpy).
static void optimise(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  cantFail(builder.parsePassPipeline(passes, kPasses));
  passes.run(module, modules);
}

/// The launcher of kernels for GPUs.
static constexpr StringLiteral kGpuSymbols = " dlopen dlsym usleep";

/// What an object may ask of libc and of the platform's linker.
static bool isAllowedSymbol(StringRef name, const CodegenTarget &target) {
  return is_contained(
             {"malloc", "free", "getenv", "memcpy", "memmove", "memset"},
             name) ||
         is_contained(split(target.systemSymbols, ' '), name);
}

static Error refuseSymbol(StringRef name) {
  return createStringError("the object would need the symbol '" + name +
                           "', which libc does not give everywhere");
}

/// Kernels that call a function by name; earlier and clearer than the object.
static Error checkCalls(const Module &module, const CodegenTarget &target) {
  for (const Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.use_empty() && !isEntry(function.getName()) &&
        !isAllowedSymbol(function.getName(), target))
      return refuseSymbol(function.getName());
  for (const GlobalVariable &variable : module.globals())
    if (variable.isDeclaration() && !variable.use_empty() &&
        !isAllowedSymbol(variable.getName(), target))
      return refuseSymbol(variable.getName());
  return Error::success();
}

/// Calls that instruction selection made (exp2f, fmodf, ...).
static Error checkObject(StringRef bytes, char prefix,
                         const CodegenTarget &target) {
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(MemoryBufferRef(bytes, "object"));
  if (!file)
    return file.takeError();
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (!(*flags & object::SymbolRef::SF_Undefined))
      continue;
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    StringRef inC = *name; // without the prefix of the object format
    if (prefix)
      inC.consume_front(StringRef(&prefix, 1));
    if (!inC.empty() && !isAllowedSymbol(inC, target))
      return refuseSymbol(inC);
  }
  return Error::success();
}

/// Windows unwinds the stack by tables, for debuggers and exceptions that pass;
/// a function without one is taken for a leaf.
static void describeFrames(Module &module) {
  if (module.getTargetTriple().isOSWindows())
    for (Function &function : module)
      if (!function.isDeclaration())
        function.setUWTableKind(UWTableKind::Async);
}

static Error addEntries(Module &module, ArrayRef<Interface> functions,
                        ArrayRef<Part> parts) {
  SmallVector<KernelVariant> variants;
  std::vector<std::string> labels;
  for (const Part &part : parts) {
    Expected<CpuNeeds> needs = cpuNeeds(part.target);
    if (!needs)
      return needs.takeError();
    Expected<CpuNeeds> slowOn = cpuBits(Triple(part.target.triple).getArch(),
                                        part.target.slowPairFeatures);
    if (!slowOn)
      return slowOn.takeError();
    variants.push_back({*needs, suffixOf(part, parts.size()), part.target.label,
                        part.isNarrow});
    if (!part.target.slowPairFeatures.empty())
      variants.back().slowOn = *slowOn;
    variants.back().cases = part.cases;
    labels.push_back(part.target.label);
  }
  for (const Interface &function : functions) {
    Expected<GlobalVariable *> descriptor =
        addDescriptor(module, function, variants);
    if (!descriptor)
      return descriptor.takeError();
    addEntryPoints(module, function, *descriptor,
                   describeJson(function, labels));
  }
  return Error::success();
}

/// Whether a kernel calls an intrinsic of x86 with a name that begins so.
static bool hasInstruction(const Module &kernels, StringRef begin) {
  return any_of(kernels.functions(), [&](const Function &function) {
    StringRef name = function.getName();
    return name.consume_front("llvm.x86.") && name.starts_with(begin) &&
           !function.use_empty();
  });
}

/// Whether a kernel has instructions of AMX.
static bool usesMatrixUnit(const Module &kernels) {
  return hasInstruction(kernels, "tile") || hasInstruction(kernels, "tdp");
}

void attnc::findSlowParts(MutableArrayRef<Part> parts) {
  unsigned fmas = 0;
  for (const Part &part : parts)
    if (part.target.slowPairFeatures.empty())
      fmas = std::max(fmas, part.target.fmaRate);
  for (Part &part : parts)
    if (fmas <= part.target.slowPairRate ||
        !hasInstruction(*part.kernels, "avx512bf16.dpbf16ps"))
      part.target.slowPairFeatures.clear();
}

/// A part with a kernel for the matrix unit checks for it, the others run
/// without. Only Linux gives a process the registers (Abi/cpu_x86_64.c).
static Error requireMatrixUnits(MutableArrayRef<Part> parts) {
  for (Part &part : parts) {
    if (part.target.matrixFeatures.empty() || !usesMatrixUnit(*part.kernels))
      continue;
    if (!Triple(part.target.triple).isOSLinux())
      return createStringError(
          make_error_code(std::errc::not_supported),
          "'" + part.target.triple +
              "' gives no program the registers of the matrix unit; compile "
              "for another level than " +
              part.target.label + ", or with unit = dot in --schedule");
    part.target.requiredFeatures += " " + part.target.matrixFeatures;
  }
  return Error::success();
}

Error attnc::emitObject(std::vector<Part> parts, ArrayRef<Interface> functions,
                        raw_pwrite_stream &out, EmitKind kind,
                        function_ref<void(StringRef)> beginPhase) {
  auto begin = [&](StringRef phase) {
    if (beginPhase)
      beginPhase(phase);
  };
  CodegenTarget target = machineOf(parts);
  bool hasDevices = false;
  for (const Part &part : parts)
    hasDevices |= part.kernels->getNamedGlobal(kDeviceName) != nullptr;
  if (hasDevices)
    target.systemSymbols += kGpuSymbols;
  if (Error error = requireMatrixUnits(parts))
    return error;
  findSlowParts(parts);
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine(target);
  if (!machine)
    return machine.takeError();
  Expected<std::unique_ptr<Module>> linked =
      linkParts(parts, (*machine)->createDataLayout());
  if (!linked)
    return linked.takeError();
  Module &module = **linked;
  begin("entry descriptors");
  if (Error error = addEntries(module, functions, parts))
    return error;
  describeFrames(module);
  begin("LLVM optimization");
  optimise(module, **machine);
  begin("verification");
  if (Error error = addEntry(module, hasDevices))
    return error;
  if (Error error = checkCalls(module, target))
    return error;
  if (Error error = verifyKernels(module, "after optimisation"))
    return error;

  if (kind == EmitKind::LlvmIr) {
    std::string text;
    raw_string_ostream stream(text);
    module.print(stream, nullptr);
    out << nameParts(text, parts, ";", kind);
    return Error::success();
  }
  begin("LLVM code generation");
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  bool isObject = kind == EmitKind::Object;
  if (Error error =
          isObject && canWriteParts(module, parts)
              ? writeParts(module, parts, target, **machine, stream)
              : writeMachineCode(module, **machine,
                                 isObject ? CodeGenFileType::ObjectFile
                                          : CodeGenFileType::AssemblyFile,
                                 stream))
    return error;
  if (isObject)
    if (Error error = checkObject(
            stream.str(), module.getDataLayout().getGlobalPrefix(), target))
      return error;
  if (isObject)
    out << stream.str();
  else
    out << nameParts(stream.str(), parts,
                     (*machine)->getMCAsmInfo()->getCommentString(), kind);
  return Error::success();
}
