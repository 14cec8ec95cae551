//===- LoadedObject.cpp - The object's code in this process ---------------===//

#include "Run/LoadedObject.h"

#include "Run/Model/ModelInstructions.h"

#include "attnc/Interface/Interface.h"

#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

#include <array>
#include <utility>

namespace attnc {

LoadedObject::LoadedObject(std::unique_ptr<llvm::orc::LLJIT> jit)
    : jit(std::move(jit)) {}
LoadedObject::~LoadedObject() = default;

/// What an object of --model-instructions calls.
static llvm::orc::SymbolMap modelAddresses(llvm::orc::LLJIT &jit) {
  llvm::orc::SymbolMap symbols;
  for (const InstructionModel &model : getInstructionModels())
    symbols[jit.mangleAndIntern(modelSymbol(model.intrinsic))] = {
        llvm::orc::ExecutorAddr::fromPtr(model.function),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  return symbols;
}

llvm::Expected<std::unique_ptr<LoadedObject>>
LoadedObject::load(llvm::StringRef bytes) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  auto libc = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!libc)
    return libc.takeError();
  (*jit)->getMainJITDylib().addGenerator(std::move(*libc));
  if (llvm::Error error = (*jit)->getMainJITDylib().define(
          llvm::orc::absoluteSymbols(modelAddresses(**jit))))
    return std::move(error);
  if (llvm::Error error = (*jit)->addObjectFile(
          llvm::MemoryBuffer::getMemBufferCopy(bytes, "kernel.o")))
    return std::move(error);
  return std::unique_ptr<LoadedObject>(new LoadedObject(std::move(*jit)));
}

namespace {
template <size_t> using Pointer = attnc_tensor *;

template <size_t... I>
attnc_status callWith(void *entry, llvm::ArrayRef<attnc_tensor *> tensors,
                      const attnc_runtime *runtime, std::index_sequence<I...>) {
  auto function =
      reinterpret_cast<attnc_status (*)(Pointer<I>..., const attnc_runtime *)>(
          entry);
  return function(tensors[I]..., runtime);
}

using Call = attnc_status (*)(void *, llvm::ArrayRef<attnc_tensor *>,
                              const attnc_runtime *);

template <size_t... N>
constexpr std::array<Call, sizeof...(N)> callTable(std::index_sequence<N...>) {
  return {[](void *entry, llvm::ArrayRef<attnc_tensor *> tensors,
             const attnc_runtime *runtime) {
    return callWith(entry, tensors, runtime, std::make_index_sequence<N>());
  }...};
}
} // namespace

/// Calls an entry `attnc_status f(const attnc_tensor *..., const attnc_runtime
/// *)` with any number of tensors up to Interface::kMaxTensors.
static attnc_status callEntry(void *entry,
                              llvm::ArrayRef<attnc_tensor *> tensors,
                              const attnc_runtime *runtime) {
  // A C call has a fixed number of arguments, so there is one caller for each.
  static constexpr auto table =
      callTable(std::make_index_sequence<Interface::kMaxTensors + 1>());
  return table[tensors.size()](entry, tensors, runtime);
}

llvm::Expected<Entry> LoadedObject::entry(llvm::StringRef function) {
  auto address = jit->lookup(function);
  if (!address)
    return address.takeError();
  return
      [code = address->toPtr<void *>()](llvm::ArrayRef<attnc_tensor *> tensors,
                                        const attnc_runtime *runtime) {
        return callEntry(code, tensors, runtime);
      };
}

} // namespace attnc
