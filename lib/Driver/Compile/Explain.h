//===- Explain.h - What --explain and --remarks tell ------------*- C++ -*-===//
//
// The remarks of the passes, gathered by function and by what they tell of.
// Tests: test/Tools/explain.test, test/Tools/remarks.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_COMPILE_EXPLAIN_H
#define ATTNC_LIB_DRIVER_COMPILE_EXPLAIN_H

#include "Compile/Diagnostics.h"

#include "attnc/Interface/Interface.h"
#include "attnc/Pipeline/Accounting.h"

namespace attnc {

/// A line with each function's name and title, then what it holds and does (if
/// `accounts` has lines for it), its remarks, and what passes saved:
/// `  KIND TEXT`.
/// `firstLines` has the line of the input where each function begins; a remark
/// belongs to the last function that begins before it.
void printExplanation(llvm::raw_ostream &os,
                      llvm::ArrayRef<Interface> functions,
                      llvm::ArrayRef<AccountLines> accounts,
                      llvm::ArrayRef<unsigned> firstLines,
                      llvm::ArrayRef<Remark> remarks);

/// The same as YAML for LLVM's tools, a document for each remark; `file` is the
/// input's name.
void printRemarks(llvm::raw_ostream &os, llvm::StringRef file,
                  llvm::ArrayRef<Interface> functions,
                  llvm::ArrayRef<unsigned> firstLines,
                  llvm::ArrayRef<Remark> remarks);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_COMPILE_EXPLAIN_H
