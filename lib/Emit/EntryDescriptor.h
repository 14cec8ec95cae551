//===- EntryDescriptor.h - A function's description as constants *- C++ -*-===//
//
// Private to lib/Emit: writes the structs of Abi/entry.h into a module.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_EMIT_ENTRYDESCRIPTOR_H
#define ATTNC_LIB_EMIT_ENTRYDESCRIPTOR_H

#include "CpuFeatures.h"

#include "attnc/Interface/Interface.h"

#include "llvm/ADT/StringMap.h"

namespace llvm {
class GlobalVariable;
class Module;
} // namespace llvm

namespace attnc {

/// The constant that describes a part's device (attnc/Emit/Object.h); the
/// suffix of the part follows.
inline constexpr llvm::StringLiteral kDeviceName = "attnc_device";

/// The functions of one part: `NAME.grid0.tasks<suffix>` etc.
struct KernelVariant {
  CpuNeeds needs;
  std::string suffix; // empty while an object holds one
  std::string label;
  bool isNarrow = false;                                  // see Part
  llvm::StringMap<std::vector<InterfaceCase>> cases = {}; // see Part
  CpuNeeds slowOn = kNoProcessor; // processors with these bits
};

/// The kernels' functions exist and have the right types, else an error that
/// names the first one; returns the number of grids.
llvm::Expected<unsigned> countGrids(const llvm::Module &module,
                                    llvm::StringRef name,
                                    llvm::StringRef suffix);

/// Adds `struct attnc_function` for `function` and all that it points to.
/// `variants` stand best first, apart from those that are slow on some
/// processors, and are the same for all functions.
llvm::Expected<llvm::GlobalVariable *>
addDescriptor(llvm::Module &module, const Interface &function,
              llvm::ArrayRef<KernelVariant> variants);

/// sizeof(NAME_raw_args) for pointers of `pointerBytes`.
uint32_t rawArgsBytes(const Interface &function, unsigned pointerBytes);

} // namespace attnc

#endif // ATTNC_LIB_EMIT_ENTRYDESCRIPTOR_H
