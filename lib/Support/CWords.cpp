//===- CWords.cpp - Names that a C header cannot use ----------------------===//
//
// Tests: test/Spec/Keys/name-library.yaml
//
//===----------------------------------------------------------------------===//

#include "attnc/Support/CWords.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/TargetParser/Triple.h"

bool attnc::isCFunction(llvm::StringRef name) {
  // LLVM's table does not depend on the triple; what is available does.
  llvm::TargetLibraryInfoImpl table{llvm::Triple()};
  llvm::LibFunc function;
  return name == "main" || table.getLibFunc(name, function);
}
