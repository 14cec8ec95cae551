//===- Pipeline.h - From tile programs to GPU kernels -----------*- C++ -*-===//
//
// The passes of stage `nvvm`, in order, as functions on a pass manager.
// Tests: test/Codegen/NVPTX/ptx.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_CODEGEN_NVPTX_PIPELINE_H
#define ATTNC_CODEGEN_NVPTX_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace attnc {
struct Target;
}

namespace attnc::ptx {

/// convert-tile-to-nvvm and all passes after it for a module of tile programs:
/// what comes out holds the LLVM dialect alone, without calls of libm or
/// libdevice.
void buildTileToNvvmPipeline(mlir::OpPassManager &manager,
                             const Target &target);

/// `tile-to-nvvm{target=sm_80}` for attnc-opt.
void registerTileToNvvmPipeline();

} // namespace attnc::ptx

#endif // ATTNC_CODEGEN_NVPTX_PIPELINE_H
