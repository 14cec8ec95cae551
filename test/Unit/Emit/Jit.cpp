//===- Jit.cpp - Functions with kernels written in C++ --------------------===//

#include "Jit.h"

#include "EntryDescriptor.h"
#include "EntryPoints.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"

using namespace attnc;
using namespace llvm;

template <typename Type> static std::string addressOf(Type *function) {
  return "inttoptr (i64 " +
         std::to_string(reinterpret_cast<uintptr_t>(function)) + " to ptr)";
}

static std::string sizeFunction(const Twine &name,
                                int64_t (*function)(const attnc_call *)) {
  return ("define internal i64 @" + name + "(ptr %call) {\n  %1 = call i64 " +
          addressOf(function) + "(ptr %call)\n  ret i64 %1\n}\n")
      .str();
}

/// The constant that Emit looks for, field by field.
static std::string deviceConstant(const attnc_device &device,
                                  StringRef suffix) {
  std::string text = "@attnc_device" + suffix.str() +
                     " = internal constant { i64, ptr, ptr, ptr, ptr, ptr } "
                     "{ i64 " +
                     std::to_string(device.type);
  auto add = [&](auto *function) { text += ", ptr " + addressOf(function); };
  add(device.open);
  add(device.read);
  add(device.begin);
  add(device.end);
  add(device.close);
  return text + " }\n";
}

std::string attnc::kernelModule(StringRef name, const TestKernel &kernel,
                                StringRef suffix) {
  std::string text =
      sizeFunction(name + ".scratch" + suffix, kernel.scratch) +
      sizeFunction(name + ".workspace" + suffix, kernel.workspace);
  if (kernel.begin)
    text += "define internal void @" + (name + ".begin" + suffix).str() +
            "(ptr %scratch) {\n  call void " + addressOf(kernel.begin) +
            "(ptr %scratch)\n  ret void\n}\n";
  if (kernel.end)
    text += "define internal void @" + (name + ".end" + suffix).str() +
            "() {\n  call void " + addressOf(kernel.end) +
            "()\n  ret void\n}\n";
  for (auto [number, grid] : llvm::enumerate(kernel.grids)) {
    std::string prefix = (name + ".grid" + Twine(number)).str();
    text += sizeFunction(prefix + ".tasks" + suffix, grid.tasks);
    if (grid.units)
      text += sizeFunction(prefix + ".units" + suffix, grid.units);
    text += "define internal void @" + prefix + ".body" + suffix.str() +
            "(ptr %call, ptr %scratch, i64 %task) {\n  call void " +
            addressOf(grid.body) +
            "(ptr %call, ptr %scratch, i64 %task)\n  ret void\n}\n";
  }
  if (kernel.device)
    text += deviceConstant(*kernel.device, suffix);
  for (auto [number, one] : llvm::enumerate(kernel.cases))
    text += kernelModule((name + ".case" + Twine(number)).str(), one, suffix);
  return text;
}

CodegenTarget attnc::baselineTarget() {
  return {.triple = "x86_64-unknown-linux-gnu",
          .cpu = "x86-64",
          .features = "",
          .requiredFeatures = "sse2",
          .label = "x86-64"};
}

std::vector<Part> attnc::onePart(std::unique_ptr<Module> kernels,
                                 const CodegenTarget &target) {
  std::vector<Part> parts(1);
  parts[0].target = target;
  parts[0].kernels = std::move(kernels);
  return parts;
}

static std::unique_ptr<Module> parse(const std::string &text,
                                     LLVMContext &context) {
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyString(text, diagnostic, context);
  if (!module)
    report_fatal_error(Twine(diagnostic.getMessage()));
  return module;
}

static std::unique_ptr<orc::LLJIT> createJit() {
  ExitOnError check("creating a JIT: ");
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  return check(orc::LLJITBuilder().create());
}

Compiled::Compiled(const Interface &function, const TestKernel &kernel,
                   EntryKind kind, const CodegenTarget &target)
    : name(function.name), jit(createJit()) {
  ExitOnError check("loading a test function: ");
  std::string text = kernelModule(name, kernel);
  if (kind == EntryKind::SanitizedC) {
    loadWithSanitizedEntry(function, text, target.requiredFeatures,
                           target.label);
    return;
  }
  LLVMContext context;
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  check(emitObject(onePart(parse(text, context), target), function, stream));
  check(jit->addObjectFile(std::make_unique<SmallVectorMemoryBuffer>(
      std::move(bytes), /*RequiresNullTerminator=*/false)));
}

static std::string suffixOf(size_t variant) {
  return variant ? ".v" + std::to_string(variant) : "";
}

Compiled::Compiled(
    const Interface &function,
    const std::vector<std::pair<TestKernel, std::string>> &variants)
    : name(function.name), jit(createJit()) {
  std::string text;
  SmallVector<std::string> needs;
  for (const auto &[kernel, features] : variants) {
    text += kernelModule(name, kernel, suffixOf(needs.size()));
    needs.push_back(features);
  }
  loadWithSanitizedEntry(function, text, needs, "several");
}

void Compiled::loadWithSanitizedEntry(const Interface &function,
                                      const std::string &text,
                                      ArrayRef<std::string> needs,
                                      const std::string &label) {
  ExitOnError check("loading a test function: ");
  auto context = std::make_unique<LLVMContext>();
  std::unique_ptr<Module> module = parse(text, *context);
  module->setDataLayout(jit->getDataLayout());
  SmallVector<KernelVariant> variants;
  for (auto [number, features] : llvm::enumerate(needs)) {
    CodegenTarget target = baselineTarget();
    auto [required, slowOn] = StringRef(features).split('|');
    target.requiredFeatures = required.str();
    variants.push_back(
        {check(cpuNeeds(target)), suffixOf(number),
         needs.size() == 1 ? label : "part" + std::to_string(number),
         /*isNarrow=*/false, /*cases=*/{},
         slowOn.empty()
             ? kNoProcessor
             : check(cpuBits(Triple(target.triple).getArch(), slowOn))});
  }
  addEntryPoints(*module, function,
                 check(addDescriptor(*module, function, variants)), "");
  orc::SymbolMap entries;
  auto define = [&](StringRef symbol, auto *entry) {
    entries[jit->mangleAndIntern(symbol)] = {orc::ExecutorAddr::fromPtr(entry),
                                             JITSymbolFlags::Exported};
  };
  define("attnc_entry_tensors", &attnc_entry_tensors);
  define("attnc_entry_raw", &attnc_entry_raw);
  define("attnc_entry_workspace", &attnc_entry_workspace);
  check(
      jit->getMainJITDylib().define(orc::absoluteSymbols(std::move(entries))));
  check(jit->addIRModule(
      orc::ThreadSafeModule(std::move(module), std::move(context))));
}

Compiled::~Compiled() = default;

uint64_t Compiled::address(StringRef suffix) {
  ExitOnError check("looking for " + name + suffix.str() + ": ");
  return check(jit->lookup((name + suffix).str())).getValue();
}
