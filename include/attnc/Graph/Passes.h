//===- Passes.h - The passes of Graph ---------------------------*- C++ -*-===//

#ifndef ATTNC_GRAPH_PASSES_H
#define ATTNC_GRAPH_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attnc::graph {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attnc/Graph/Passes.h.inc"

} // namespace attnc::graph

#endif // ATTNC_GRAPH_PASSES_H
