//===- TensorMapFunctions.h - What the host says of tensor maps -*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_NVPTX_TENSORMAPFUNCTIONS_H
#define ATTNC_LIB_CODEGEN_NVPTX_TENSORMAPFUNCTIONS_H

#include "Builder.h"
#include "Emit/Places.h"
#include "Emit/TensorMap.h"

namespace attnc::ptx {

/// Fills an array of struct attnc_tensor_map, one for each map. The result, of
/// type index, is 1 if all buffers can have their maps, else 0.
mlir::Value writeMaps(Builder &b, mlir::ArrayRef<TensorMap> maps,
                      mlir::Value records,
                      llvm::function_ref<Buffer(mlir::Value)> bufferOf);

} // namespace attnc::ptx

#endif // ATTNC_LIB_CODEGEN_NVPTX_TENSORMAPFUNCTIONS_H
