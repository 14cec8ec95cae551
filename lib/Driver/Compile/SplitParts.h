//===- SplitParts.h - The parts of a dump as text ---------------*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_COMPILE_SPLITPARTS_H
#define ATTNC_LIB_DRIVER_COMPILE_SPLITPARTS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace attnc {

/// What is between lines that begin with `// -----`, but blank texts; at least
/// one text.
llvm::SmallVector<llvm::StringRef> splitParts(llvm::StringRef text);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_COMPILE_SPLITPARTS_H
