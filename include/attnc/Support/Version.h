//===- Version.h - The version of the compiler ------------------*- C++ -*-===//
//
// One place says which attnc this is: `--version`, the header of every object
// and the unit tests read it here.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_SUPPORT_VERSION_H
#define ATTNC_SUPPORT_VERSION_H

#include "llvm/ADT/StringRef.h"

namespace attnc {

/// The version of attnc as "MAJOR.MINOR.PATCH".
llvm::StringRef getVersion();

/// The commit of the sources, with -dirty for changed ones; empty if unknown.
/// For people only: no output of a compilation depends on it. (Defined in
/// AttncCommit, which tools link.)
llvm::StringRef getCommit();

} // namespace attnc

#endif // ATTNC_SUPPORT_VERSION_H
