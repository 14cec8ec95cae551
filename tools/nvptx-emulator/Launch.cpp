//===- Launch.cpp - Running a kernel --------------------------------------===//

#include "Launch.h"

#include "Program.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;
using namespace attnc::nvptx;

// The code calls back without context: one launch runs at a time.
static Machine *machine = nullptr;
static const std::vector<std::string> *operations = nullptr;

static void executeOperation(uint32_t site, uint64_t *args, uint64_t *results) {
  machine->execute({&(*operations)[site], site, args, results});
}

static void accessMemory(uint64_t address, uint32_t bytes, uint32_t isWrite) {
  machine->access(address, bytes, isWrite);
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
  unsigned threads = config.block[0] * config.block[1] * config.block[2];
  unsigned limit = 0;
  if (!kernel->getFnAttribute("nvvm.maxntid")
           .getValueAsString()
           .consumeInteger(10, limit) &&
      threads > limit)
    return createStringError("the kernel allows " + Twine(limit) +
                             " threads per block, not " + Twine(threads));
  return kernel;
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
  define(executeName, &executeOperation);
  define(accessName, &accessMemory);
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

Expected<std::map<std::string, uint64_t>>
attnc::nvptx::launch(std::unique_ptr<LLVMContext> context,
                     std::unique_ptr<Module> module, const LaunchConfig &config,
                     std::vector<uint64_t> args,
                     const std::vector<Buffer> &buffers) {
  if (Error error = checkBlock(config.block))
    return std::move(error);
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto jit = orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  Expected<Function *> kernel = findKernel(*module, config);
  if (!kernel)
    return kernel.takeError();
  if ((*kernel)->arg_size() != args.size())
    return createStringError("the kernel has " + Twine((*kernel)->arg_size()) +
                             " arguments, not " + Twine(args.size()));
  module->setDataLayout((*jit)->getDataLayout());
  module->setTargetTriple((*jit)->getTargetTriple());

  // The size of static shared memory is known after the rewriting, which needs
  // its address.
  Machine device(config.grid, config.block, 0, config.seed);
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
    device.addBuffer(buffer);
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
  operations = &rewritten->operations;
  auto *body = entry->toPtr<void(uint64_t *)>();
  device.run([&] { body(args.data()); });
  return device.getCounts();
}
