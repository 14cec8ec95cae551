//===- Version.cpp - The version of the compiler --------------------------===//
//
// The number comes from project() in the root CMakeLists.txt, so that it is
// written once.
// Tests: test/Unit/Support/VersionTest.cpp
//
//===----------------------------------------------------------------------===//

#include "attnc/Support/Version.h"

llvm::StringRef attnc::getVersion() { return ATTNC_VERSION; }
