//===- map.h - What the host says of a tensor map ---------------*- C++ -*-===//
//
// Code of the host fills one for each map of a kernel before a launch
// (lib/Codegen/NVPTX/TensorMapFunctions.cpp), from the tensors of the call. A
// launcher encodes it with cuTensorMapEncodeTiled.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_NVPTX_LAUNCH_MAP_H
#define ATTNC_LIB_CODEGEN_NVPTX_LAUNCH_MAP_H

#include <stdint.h>

enum { ATTNC_MAP_AXES = 5, ATTNC_MAX_MAPS = 8 };

/* Sizes and boxes in elements, strides in bytes; the contiguous axis is the
   first, and its stride is unused. */
struct attnc_tensor_map {
  int64_t address, rank;
  int64_t type;    /* of CUtensorMapDataType */
  int64_t swizzle; /* bytes: 32, 64 or 128 */
  int64_t sizes[ATTNC_MAP_AXES], strides[ATTNC_MAP_AXES], box[ATTNC_MAP_AXES];
};

#endif
