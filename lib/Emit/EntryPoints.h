//===- EntryPoints.h - The global functions of an object --------*- C++ -*-===//
//
// Private to lib/Emit.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_EMIT_ENTRYPOINTS_H
#define ATTNC_LIB_EMIT_ENTRYPOINTS_H

#include "attnc/Interface/Interface.h"

#include "llvm/Support/Error.h"

namespace llvm {
class GlobalVariable;
class Module;
} // namespace llvm

namespace attnc {

/// Adds NAME, NAME_raw, NAME_workspace and NAME_describe, which pass a
/// function's description on to the entry (declared, see addEntry).
void addEntryPoints(llvm::Module &module, const Interface &function,
                    llvm::GlobalVariable *descriptor, llvm::StringRef describe);

/// The three functions that the entry defines.
bool isEntry(llvm::StringRef name);

/// Adds the code of lib/Emit/Abi to the module, with local symbols. Where a
/// part has a device, it is larger.
llvm::Error addEntry(llvm::Module &module, bool hasDevices);

} // namespace attnc

#endif // ATTNC_LIB_EMIT_ENTRYPOINTS_H
