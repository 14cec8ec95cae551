//===- KernelChoice.cpp - The best schedule of a kernel -------------------===//
//
// See KernelChoice.h.
//
//===----------------------------------------------------------------------===//

#include "Choice/KernelChoice.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;

KernelChoice::KernelChoice(attn::KernelOp kernel, ArrayRef<attn::RowAxes> axes,
                           const Request &request, attn::ScheduleAttr preferred)
    : heads(kernel, axes.front(), request) {
  if (preferred)
    heads.prefer(preferred);
  if (axes.size() > 1)
    rows.emplace(kernel, axes.back(), request);
  areRows = rows && !rows->empty() &&
            (heads.empty() || areRowsFaster(heads, *rows, request.regimes));
}
