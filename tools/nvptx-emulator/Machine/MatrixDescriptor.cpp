//===- MatrixDescriptor.cpp - Operands of wgmma in shared memory ----------===//
//
// The canonical layouts of the PTX ISA, section "Asynchronous Warpgroup Level
// Matrix Shared Memory Layout". Units below are chunks of 16 bytes; w is the
// width of the swizzle in chunks, r a row, k a column of the depth.
//
//   not transposed, no swizzle:  r % 8       + r / 8 * stride
//                                + k / 8 * leading
//   not transposed, swizzled:    r % 8 * w   + r / 8 * stride + k / 8
//   transposed, no swizzle:      r / 8 * stride + k % 8 + k / 8 * leading
//   transposed, swizzled:        r / 8 % w   + r / 8 / w * leading
//                                + k % 8 * w + k / 8 * stride
//
//===----------------------------------------------------------------------===//

#include "MatrixDescriptor.h"

using namespace attnc::nvptx;

MatrixDescriptor::MatrixDescriptor(uint64_t bits, unsigned rows,
                                   bool isTransposed)
    : begin((bits & 0x3fff) << 4), leadingOffset((bits >> 16 & 0x3fff) << 4),
      strideOffset((bits >> 32 & 0x3fff) << 4), baseOffset(bits >> 49 & 7),
      swizzle(static_cast<Swizzle>(bits >> 62)), rows(rows),
      isTransposed(isTransposed) {}

std::optional<std::string> MatrixDescriptor::check() const {
  unsigned width = widthOf(swizzle);
  if (baseOffset)
    return "a base offset is not emulated: begin matrices at a multiple of the "
           "swizzle's pattern";
  if (swizzle == Swizzle::none)
    return std::nullopt;
  if (begin >> 7 & (width / 16 - 1))
    return "offset " + std::to_string(begin) +
           " is inside of a pattern of the swizzle of " +
           std::to_string(width) + " bytes";
  if (!isTransposed && begin % width + wgmmaDepth * 2 > width)
    return "offset " + std::to_string(begin) +
           " leaves less than 32 bytes in a row of the swizzle of " +
           std::to_string(width) + " bytes";
  if (isTransposed && begin % width)
    return "offset " + std::to_string(begin) +
           " is inside of a row of the swizzle of " + std::to_string(width) +
           " bytes";
  return std::nullopt;
}

unsigned MatrixDescriptor::rowOf(unsigned chunk, unsigned i) const {
  return isTransposed ? chunk / wgmmaDepth * 8 + i : chunk / 2;
}

unsigned MatrixDescriptor::depthOf(unsigned chunk, unsigned i) const {
  return isTransposed ? chunk % wgmmaDepth : chunk % 2 * 8 + i;
}

uint64_t MatrixDescriptor::chunkAddress(unsigned chunk) const {
  unsigned row = rowOf(chunk, 0), depth = depthOf(chunk, 0);
  unsigned group = row / 8, width = widthOf(swizzle);
  uint64_t offset;
  if (!isTransposed && swizzle == Swizzle::none)
    offset = row % 8 * 16 + group * strideOffset + depth / 8 * leadingOffset;
  else if (!isTransposed)
    offset = row % 8 * width + group * strideOffset + depth / 8 * 16;
  else if (swizzle == Swizzle::none)
    offset = group * strideOffset + depth % 8 * 16 + depth / 8 * leadingOffset;
  else
    offset = group % (width / 16) * 16 + group / (width / 16) * leadingOffset +
             depth % 8 * width + depth / 8 * strideOffset;
  return swizzled(begin + offset, swizzle);
}
