//===- MatrixDescriptor.h - Operands of wgmma in shared memory ------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_MATRIXDESCRIPTOR_H
#define ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_MATRIXDESCRIPTOR_H

#include "TensorMap.h"

#include <cstdint>
#include <optional>
#include <string>

namespace attnc::nvptx {

/// The depth of one wgmma of 16-bit elements.
constexpr unsigned wgmmaDepth = 16;

/// A matrix of `rows` x 16 elements of 16 bits. Its chunks of 16 bytes are
/// contiguous: 8 elements along the depth, or along the rows if it is
/// transposed.
class MatrixDescriptor {
public:
  MatrixDescriptor() = default;
  MatrixDescriptor(uint64_t bits, unsigned rows, bool isTransposed);

  /// The violated condition, if any.
  std::optional<std::string> check() const;

  unsigned chunkCount() const { return rows * wgmmaDepth / 8; }
  /// The address of a chunk, modulo the size of the window.
  uint64_t chunkAddress(unsigned chunk) const;
  /// The row and depth of element `i` of a chunk.
  unsigned rowOf(unsigned chunk, unsigned i) const;
  unsigned depthOf(unsigned chunk, unsigned i) const;

private:
  uint64_t begin = 0;
  uint64_t leadingOffset = 0, strideOffset = 0; // bytes
  unsigned baseOffset = 0;
  Swizzle swizzle = Swizzle::none;
  unsigned rows = 0;
  bool isTransposed = false;
};

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_MATRIXDESCRIPTOR_H
