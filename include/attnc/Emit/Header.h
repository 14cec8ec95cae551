//===- Header.h - The C header of an object ---------------------*- C++ -*-===//
//
// From the interfaces of an object to the text of its header: C99 and C++, no
// include but stddef.h and stdint.h, the shared part byte for byte the same in
// every header (it is the text between the guards of runtime/include/attnc.h).
// Tests: test/Unit/Emit/HeaderTest.cpp, test/Emit/two-functions.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_EMIT_HEADER_H
#define ATTNC_EMIT_HEADER_H

#include "attnc/Interface/Interface.h"

#include <string>

namespace attnc {

/// The header of an object with these functions; `stem` is the header's file
/// name without `.h` (gpt2_small) and gives the guard. `functions` are
/// verified (Interface::verify, verifySymbols). `targets` are the labels of the
/// object's parts and `libraries` what it loads when it is called, for a
/// comment.
std::string emitHeader(llvm::StringRef stem,
                       llvm::ArrayRef<Interface> functions,
                       llvm::ArrayRef<std::string> targets = {},
                       llvm::ArrayRef<std::string> libraries = {});

/// The part that is the same in every header, from `#ifndef ATTNC_ABI` to its
/// `#endif`.
llvm::StringRef sharedHeaderText();

} // namespace attnc

#endif // ATTNC_EMIT_HEADER_H
