//===- CWords.h - Names that a C header cannot use --------------*- C++ -*-===//
//
// Functions, tensors and sizes of a spec become names in a C and C++ header,
// so the words of both languages, and those that the header itself uses, are
// taken. Tests: test/Unit/Interface/VerifyInterfaceTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_SUPPORT_CWORDS_H
#define ATTNC_SUPPORT_CWORDS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace attnc {

/// Letters, digits and `_`, no digit in front.
inline bool isCIdentifier(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// A keyword of C or C++, a macro that compilers predefine, or a type that
/// every generated header uses.
inline bool isCWord(llvm::StringRef name) {
  static constexpr llvm::StringLiteral kWords[] = {
      "alignas",     "alignof",
      "and",         "and_eq",
      "asm",         "auto",
      "bitand",      "bitor",
      "bool",        "break",
      "case",        "catch",
      "char",        "char16_t",
      "char32_t",    "char8_t",
      "class",       "co_await",
      "co_return",   "co_yield",
      "compl",       "concept",
      "const",       "const_cast",
      "consteval",   "constexpr",
      "constinit",   "continue",
      "decltype",    "default",
      "delete",      "do",
      "double",      "dynamic_cast",
      "else",        "enum",
      "explicit",    "export",
      "extern",      "false",
      "float",       "for",
      "friend",      "goto",
      "if",          "inline",
      "int",         "linux",
      "long",        "mutable",
      "namespace",   "new",
      "noexcept",    "not",
      "not_eq",      "nullptr",
      "operator",    "or",
      "or_eq",       "private",
      "protected",   "public",
      "register",    "reinterpret_cast",
      "requires",    "restrict",
      "return",      "short",
      "signed",      "sizeof",
      "static",      "static_assert",
      "static_cast", "struct",
      "switch",      "template",
      "this",        "thread_local",
      "throw",       "true",
      "try",         "typedef",
      "typeid",      "typename",
      "typeof",      "typeof_unqual",
      "union",       "unix",
      "unsigned",    "using",
      "virtual",     "void",
      "volatile",    "wchar_t",
      "while",       "xor",
      "xor_eq",      "int8_t",
      "int16_t",     "int32_t",
      "int64_t",     "uint8_t",
      "uint16_t",    "uint32_t",
      "uint64_t",    "size_t",
      "NULL"};
  return llvm::is_contained(kWords, name) || name.starts_with("__");
}

/// A function of the C standard library, or another symbol of every program or
/// of objects: an object that defines it replaces it in the program.
bool isCFunction(llvm::StringRef name);

} // namespace attnc

#endif // ATTNC_SUPPORT_CWORDS_H
