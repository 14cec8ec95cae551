//===- LoadLibrary.h - libattnc-halide when it is needed --------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_LOADLIBRARY_H
#define ATTNC_LIB_CODEGEN_HALIDE_LOADLIBRARY_H

#include "Program.h"

#include "llvm/Support/Error.h"

namespace attnc::halide {

/// The compiler in the library, which stays loaded. An error says why there is
/// none.
llvm::Expected<CompileFunction *> loadLibrary();

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_LOADLIBRARY_H
