//===- Passes.h - The passes of Schedule ------------------------*- C++ -*-===//

#ifndef ATTNC_SCHEDULE_PASSES_H
#define ATTNC_SCHEDULE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attnc::schedule {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attnc/Schedule/Passes.h.inc"

} // namespace attnc::schedule

#endif // ATTNC_SCHEDULE_PASSES_H
