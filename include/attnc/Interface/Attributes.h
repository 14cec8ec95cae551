//===- Attributes.h - Attributes of modules and functions -------*- C++ -*-===//
//
// Those that several libraries read. lib/Pipeline/VerifyAttributes.cpp has the
// table of all attributes that the compiler adds to ops.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_INTERFACE_ATTRIBUTES_H
#define ATTNC_INTERFACE_ATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace attnc {

/// Of a module from stage scheduled on: the processor of the part, and its
/// platform where the processor alone implies another one.
inline constexpr llvm::StringLiteral kTargetAttr = "attnc.target";
inline constexpr llvm::StringLiteral kPlatformAttr = "attnc.platform";

/// Of a kernel at stage scheduled: the best candidates, if they were requested.
inline constexpr llvm::StringLiteral kCandidatesAttr = "attnc.candidates";

/// Of a function: the schedule that its spec requests, as text, and the sizes
/// of `expect`. Until it is scheduled, a module may list such texts and the
/// locations of the requests by the names of kernels, and a kernel have its
/// own.
inline constexpr llvm::StringLiteral kScheduleAttr = "attnc.schedule";
inline constexpr llvm::StringLiteral kExpectAttr = "attnc.expect";

/// Of an entry of `attnc.expect`: the size up to which a copy of the function
/// runs, which the spec does not expect.
inline constexpr llvm::StringLiteral kBorderField = "border";

} // namespace attnc

#endif // ATTNC_INTERFACE_ATTRIBUTES_H
