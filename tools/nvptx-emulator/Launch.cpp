//===- Launch.cpp - Running a kernel --------------------------------------===//

#include "Launch.h"

#include "Program.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"

#include <cstring>

using namespace llvm;
using namespace attnc::nvptx;

// The code calls back without context: one launch runs at a time.
static Machine *machine = nullptr;
static std::vector<CallSite> *callSites = nullptr;

static void executeCall(uint32_t place, uint32_t number, uint64_t *args,
                        uint64_t *results) {
  machine->currentThread().place = place;
  CallSite &callSite = (*callSites)[number];
  if (callSite.assembly)
    callSite.assembly->execute(*machine, args, results);
  else
    machine->execute(
        {&callSite.operation, number * CallSite::maxSteps, args, results});
}

static void accessMemory(uint32_t place, uint64_t address, uint64_t bytes,
                         uint32_t flags) {
  machine->currentThread().place = place;
  machine->access(address, bytes, static_cast<AccessFlags>(flags));
}

/// The runtime of the compiler need not have this one.
static __bf16 truncateToBf16(float value) {
  uint64_t bits = fromFloat(value);
  bool isNaN = value != value;
  uint64_t rounded = isNaN ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1);
  uint16_t high = static_cast<uint16_t>(rounded >> 16);
  __bf16 result;
  std::memcpy(&result, &high, sizeof result);
  return result;
}

static __bf16 truncateToBf16(double value) {
  return truncateToBf16(static_cast<float>(value));
}

static Expected<Function *> findKernel(Module &module,
                                       const LaunchConfig &config) {
  Function *kernel = nullptr;
  for (Function &function : module) {
    if (function.isDeclaration() ||
        function.getCallingConv() != CallingConv::PTX_Kernel ||
        (!config.kernel.empty() && function.getName() != config.kernel))
      continue;
    if (kernel)
      return createStringError("the module has several kernels: use --kernel");
    kernel = &function;
  }
  if (!kernel)
    return createStringError("there is no such kernel");
  return kernel;
}

/// A layer has many kernels, and each launch compiles the module.
static void eraseOtherKernels(Module &module, const Function *kernel) {
  for (Function &function : make_early_inc_range(module))
    if (&function != kernel && function.use_empty() &&
        function.getCallingConv() == CallingConv::PTX_Kernel)
      function.eraseFromParent();
}

/// The product of an attribute such as "384,1,1"; nothing without it.
static std::optional<uint64_t> sizeOf(const Function &kernel, StringRef name) {
  StringRef text = kernel.getFnAttribute(name).getValueAsString();
  if (text.empty())
    return std::nullopt;
  uint64_t product = 1, size = 0;
  do {
    text = text.ltrim(',');
    if (text.consumeInteger(10, size))
      return std::nullopt;
    product *= size;
  } while (!text.empty());
  return product;
}

static Error checkAttributes(const Function &kernel, const Dim3 &block) {
  uint64_t threads = block[0] * block[1] * block[2];
  auto limit = sizeOf(kernel, "nvvm.maxntid");
  auto exact = sizeOf(kernel, "nvvm.reqntid");
  if ((limit && threads > *limit) || (exact && threads != *exact))
    return createStringError("the kernel allows " +
                             Twine(limit ? *limit : *exact) +
                             " threads per block, not " + Twine(threads));
  if (sizeOf(kernel, "nvvm.cluster_dim").value_or(1) != 1)
    return createStringError("clusters of several blocks are not emulated");
  return Error::success();
}

static Error checkBlock(const Dim3 &block) {
  // Each below 2^10 at most, so that the product fits.
  bool fits =
      all_of(block, [](uint64_t n) { return n <= Machine::maxThreads; });
  if (!fits || uint64_t(block[0]) * block[1] * block[2] > Machine::maxThreads)
    return createStringError("a block has at most " +
                             Twine(Machine::maxThreads) + " threads");
  return Error::success();
}

static Error defineCallbacks(orc::LLJIT &jit) {
  orc::SymbolMap symbols;
  auto define = [&](const char *name, auto *function) {
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(function),
                                          JITSymbolFlags::Exported};
  };
  define(executeName, &executeCall);
  define(accessName, &accessMemory);
  define("__truncsfbf2", static_cast<__bf16 (*)(float)>(truncateToBf16));
  define("__truncdfbf2", static_cast<__bf16 (*)(double)>(truncateToBf16));
  auto &library = jit.getMainJITDylib();
  if (Error error = library.define(orc::absoluteSymbols(std::move(symbols))))
    return error;
  // fmaf and the like.
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      jit.getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  return Error::success();
}

/// Most kernels run for less time than an optimizing code generator takes.
static Expected<std::unique_ptr<orc::LLJIT>> createJit() {
  auto host = orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return host.takeError();
  host->setCodeGenOptLevel(CodeGenOptLevel::None);
  return orc::LLJITBuilder()
      .setJITTargetMachineBuilder(std::move(*host))
      .create();
}

Expected<std::map<std::string, uint64_t>>
attnc::nvptx::launch(std::unique_ptr<LLVMContext> context,
                     std::unique_ptr<Module> module, const LaunchConfig &config,
                     std::vector<uint64_t> args,
                     const std::vector<Buffer> &buffers) {
  if (Error error = checkBlock(config.block))
    return std::move(error);
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto jit = createJit();
  if (!jit)
    return jit.takeError();
  Expected<Function *> kernel = findKernel(*module, config);
  if (!kernel)
    return kernel.takeError();
  eraseOtherKernels(*module, *kernel);
  if (Error error = checkAttributes(**kernel, config.block))
    return std::move(error);
  if ((*kernel)->arg_size() != args.size())
    return createStringError("the kernel has " + Twine((*kernel)->arg_size()) +
                             " arguments, not " + Twine(args.size()));
  module->setDataLayout((*jit)->getDataLayout());
  module->setTargetTriple((*jit)->getTargetTriple());

  // The size of static shared memory is known after the rewriting, which needs
  // its address.
  Machine device(config.grid, config.block, config.seed);
  if (device.shared.getBase() == 0)
    return createStringError("no memory below 2 GiB for shared memory");
  Expected<Rewritten> rewritten =
      rewrite(*module, **kernel, device.shared.getBase());
  if (!rewritten)
    return rewritten.takeError();
  uint64_t sharedBytes = rewritten->staticShared + config.sharedBytes;
  if (sharedBytes > SharedMemory::maxSize)
    return createStringError(
        "a block has at most " + Twine(SharedMemory::maxSize) +
        " bytes of shared memory, not " + Twine(sharedBytes));
  device.setSharedBytes(sharedBytes);
  for (const Buffer &buffer : buffers)
    device.global.addBuffer(buffer);
  if (verifyModule(*module, &errs()))
    return createStringError("the rewritten module is invalid");

  if (Error error = defineCallbacks(**jit))
    return error;
  if (Error error = (*jit)->addIRModule(
          orc::ThreadSafeModule(std::move(module), std::move(context))))
    return error;
  auto entry = (*jit)->lookup(entryName);
  if (!entry)
    return entry.takeError();
  machine = &device;
  callSites = &rewritten->callSites;
  device.setPlaces(rewritten->places);
  auto *body = entry->toPtr<void(uint64_t *)>();
  device.run([&] { body(args.data()); });
  return device.getCounts();
}
