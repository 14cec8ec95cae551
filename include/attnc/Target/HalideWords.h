//===- HalideWords.h - Processors in Halide's words -------------*- C++ -*-===//
//
// As a Target has LLVM's names of a processor, the backend `halide` asks here
// for Halide's. Tests: test/Unit/Target/HalideWordsTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TARGET_HALIDEWORDS_H
#define ATTNC_TARGET_HALIDEWORDS_H

#include "attnc/Target/Target.h"

#include <optional>

namespace attnc {

/// Parts of the text that Halide::Target reads, and what it does not know.
struct HalideWords {
  llvm::StringRef platform; // "x86-64-linux"
  llvm::StringRef features; // "-avx-avx2"
  /// Of a device: whether threads may wait for each other in a loop whose
  /// bounds are loaded.
  bool hasUniformLoads = true;
  /// Whether floor, ceil, trunc and roundeven are instructions.
  bool hasRounding = true;
};

/// Those of a level: by its vector instruction set, or by the interface through
/// which a device is reached. Nothing: Halide has no words for it.
std::optional<HalideWords> findHalideWords(const Target &target);

} // namespace attnc

#endif // ATTNC_TARGET_HALIDEWORDS_H
