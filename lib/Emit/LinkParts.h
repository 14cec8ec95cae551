//===- LinkParts.h - One module of the parts of an object -------*- C++ -*-===//
//
// Private to lib/Emit.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_EMIT_LINKPARTS_H
#define ATTNC_LIB_EMIT_LINKPARTS_H

#include "attnc/Emit/Object.h"

namespace llvm {
class DataLayout;
} // namespace llvm

namespace attnc {

/// What the names of a part's functions end in, where an object has `count`
/// parts: ".x86-64-v4", or nothing in an object with one part.
std::string suffixOf(const Part &part, size_t count);

/// The target of the one TargetMachine that writes all parts. Functions without
/// attributes are compiled for it, so with several parts it is the baseline.
CodegenTarget machineOf(llvm::ArrayRef<Part> parts);

/// Moves the kernels of all parts into one module. Every function carries its
/// processor as attributes and is internal.
llvm::Expected<std::unique_ptr<llvm::Module>>
linkParts(llvm::MutableArrayRef<Part> parts, const llvm::DataLayout &layout);

/// Writes a comment with its label before the first function of each of several
/// parts in the text of an object. `comment` begins one.
std::string nameParts(llvm::StringRef text, llvm::ArrayRef<Part> parts,
                      llvm::StringRef comment, EmitKind kind);

/// An error that says `when` the module was broken.
llvm::Error verifyKernels(const llvm::Module &module, llvm::StringRef when);

} // namespace attnc

#endif // ATTNC_LIB_EMIT_LINKPARTS_H
