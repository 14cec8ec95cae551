//===- OutputNames.h - What -o and --emit name ------------------*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_COMPILE_OUTPUTNAMES_H
#define ATTNC_LIB_DRIVER_COMPILE_OUTPUTNAMES_H

#include "attnc/Pipeline/Backends.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// All kinds of the tables, in the order of the stages; obj and header come
/// last.
llvm::ArrayRef<OutputKind> outputKinds();
/// The kind that --emit calls `name`; null if there is none.
const OutputKind *findOutputKind(llvm::StringRef name);

/// The container of machine code that a file name such as libx.a selects.
enum class ObjectFormat { Object, Archive, SharedLibrary };
ObjectFormat objectFormatOf(llvm::StringRef path);

/// ".dll" and other suffixes of what only a linker makes and attnc does not
/// call; empty for other names and for directories.
llvm::StringRef linkedSuffixOf(llvm::StringRef path);

/// ".c" and other suffixes of files that people write: -o would replace one by
/// an object. Empty for other names and for directories.
llvm::StringRef sourceSuffixOf(llvm::StringRef path);

/// The kind, besides objects, whose suffix a file name has; null if there is
/// none.
const OutputKind *findKindOfName(llvm::StringRef path);

/// The kinds that -o PATH selects where --emit is absent: NAME.h selects the
/// header, NAME.tile.mlir stage tile, any other name the object and its header.
/// Nothing if the name ends in .mlir without a stage.
std::optional<std::vector<std::string>> kindsOfName(llvm::StringRef path);

/// The header next to an object: lib/x.h for lib/x.o, lib/x.a and lib/x.so.1.
std::string headerNextTo(llvm::StringRef object);

/// Whether -o names a directory: it ends with a slash or exists as one.
bool isDirectoryName(llvm::StringRef path);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_COMPILE_OUTPUTNAMES_H
