//===- TensorMap.cpp - Tensor maps of the tensor memory accelerator -------===//

#include "TensorMap.h"

using namespace attnc::nvptx;

unsigned attnc::nvptx::widthOf(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::bytes128:
    return 128;
  case Swizzle::bytes64:
    return 64;
  case Swizzle::bytes32:
    return 32;
  case Swizzle::none:
    break;
  }
  return 16;
}

uint64_t attnc::nvptx::swizzled(uint64_t address, Swizzle swizzle) {
  uint64_t chunks = widthOf(swizzle) / 16 - 1;
  return address ^ ((address >> 7 & chunks) << 4);
}

uint64_t TensorMap::boxBytes() const {
  uint64_t bytes = elementBytes;
  for (unsigned d = 0; d < rank; ++d)
    bytes *= box[d];
  return bytes;
}

std::optional<std::string> TensorMap::check() const {
  if (rank < 1 || rank > maxRank)
    return "a tensor map has 1 to 5 dimensions";
  if (address % 16)
    return "the tensor of a map must be aligned to 16 bytes";
  for (unsigned d = 0; d < rank; ++d) {
    std::string dim = std::to_string(d);
    if (sizes[d] == 0)
      return "size " + dim + " of a tensor map is 0";
    if (box[d] == 0 || box[d] > 256)
      return "box size " + dim + " of a tensor map must be 1 to 256, not " +
             std::to_string(box[d]);
    if (d > 0 && (strides[d] % 16 || strides[d] >= uint64_t(1) << 40))
      return "stride " + dim +
             " of a tensor map must be a multiple of 16 below 2^40 bytes, "
             "not " +
             std::to_string(strides[d]);
  }
  if (fillsNaN && !isFloat)
    return "a tensor map fills with NaNs only if its type is f16, bf16, f32 or "
           "f64";
  unsigned row = box[0] * elementBytes;
  if (row % 16)
    return "rows of a box must be multiples of 16 bytes, not " +
           std::to_string(row);
  if (swizzle != Swizzle::none && row > widthOf(swizzle))
    return "rows of a box must fit the swizzle of " +
           std::to_string(widthOf(swizzle)) + " bytes, not " +
           std::to_string(row);
  return std::nullopt;
}
