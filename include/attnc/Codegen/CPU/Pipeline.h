//===- Pipeline.h - From tile programs to the LLVM dialect ------*- C++ -*-===//
//
// The passes of stage `llvm`, in order, as functions on a pass manager.
// Tests: test/Codegen/CPU/pipeline.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_CODEGEN_CPU_PIPELINE_H
#define ATTNC_CODEGEN_CPU_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace attnc {
struct Target;
}

namespace attnc::cpu {

/// convert-tile-to-llvm and all passes after it for a module of tile programs:
/// what comes out holds the LLVM dialect alone, without calls of libm. The
/// programs' `#tile.cpu` attributes say how they are mapped; `target` says
/// which instructions math may use.
void buildTileToLlvmPipeline(mlir::OpPassManager &manager,
                             const Target &target);

/// `tile-to-llvm{target=x86-64-v3}` for attnc-opt.
void registerTileToLlvmPipeline();

} // namespace attnc::cpu

#endif // ATTNC_CODEGEN_CPU_PIPELINE_H
