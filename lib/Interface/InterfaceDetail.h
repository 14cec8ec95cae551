//===- InterfaceDetail.h - Shared by the files of Interface -----*- C++ -*-===//
//
// Private to lib/Interface: expansion of sizes that may still be wrong.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_INTERFACE_INTERFACEDETAIL_H
#define ATTNC_LIB_INTERFACE_INTERFACEDETAIL_H

#include "attnc/Interface/Interface.h"

namespace attnc {

/// Steps that an expanded expression may have: derived sizes that double each
/// other would grow without bound.
inline constexpr size_t kMaxResolvedSteps = 256;

/// Interface::resolve for an unverified interface: nothing if sizes refer to
/// each other in a circle or the result is too long or too deep.
std::optional<SizeExpr> tryResolve(const Interface &function,
                                   const SizeExpr &expr);

} // namespace attnc

#endif // ATTNC_LIB_INTERFACE_INTERFACEDETAIL_H
