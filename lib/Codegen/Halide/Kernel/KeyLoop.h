//===- KeyLoop.h - Loops over keys, and states ------------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_KERNEL_KEYLOOP_H
#define ATTNC_LIB_CODEGEN_HALIDE_KERNEL_KEYLOOP_H

#include "Builder.h"

namespace attnc::halide {

/// The blocks of keys that one loop of form online merges into the state.
struct KeyLoop {
  std::string prefix;   // of its functions and domains
  int64_t keys;         // of a block
  bool isMasked = true; // else every query of the task sees every key
  Ex blocks = {};
  /// The first key of block j is j * keys + shift, or + lateShift from block
  /// `early` on.
  Ex early = {}, shift = {}, lateShift = {};
  Ex extent = {}; // keys of a block, where they are no constant
};

/// An element of state `number`: column `column` for a feature of keys. `which`
/// is 0; 1 for what rounding has lost of it.
struct StateElement {
  Ex which, number, column, feature;
};

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_KERNEL_KEYLOOP_H
