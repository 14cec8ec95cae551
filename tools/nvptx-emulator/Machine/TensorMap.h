//===- TensorMap.h - Tensor maps of the tensor memory accelerator ---------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_TENSORMAP_H
#define ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_TENSORMAP_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace attnc::nvptx {

/// How the 16-byte chunks of each group of 8 rows are permuted: the width of
/// the permuted rows in bytes. The values are those of matrix descriptors.
enum class Swizzle : uint8_t {
  none = 0,
  bytes128 = 1,
  bytes64 = 2,
  bytes32 = 3
};

/// The width of the rows: 16 if there is no swizzle.
unsigned widthOf(Swizzle swizzle);
/// Bits 4 to 6 of the address are XORed with bits 7 to 9, as far as the swizzle
/// is wide.
uint64_t swizzled(uint64_t address, Swizzle swizzle);

/// What cuTensorMapEncodeTiled() encodes, in 128 bytes of our own.
struct alignas(64) TensorMap {
  static constexpr uint64_t validMagic = 0x50414D524F534E54; // "TNSORMAP"
  static constexpr unsigned maxRank = 5;

  uint64_t magic = validMagic;
  uint64_t address = 0;
  std::array<uint64_t, maxRank> strides = {}; // bytes; that of dim 0 is unused
  std::array<uint32_t, maxRank> sizes = {};   // elements, dim 0 is contiguous
  std::array<uint16_t, maxRank> box = {};     // elements
  uint8_t rank = 0;
  uint8_t elementBytes = 0;
  Swizzle swizzle = Swizzle::none;
  bool isFloat = false;  // the element type
  bool fillsNaN = false; // out of bounds, instead of zero

  uint64_t boxBytes() const;
  /// The violated condition of cuTensorMapEncodeTiled(), if any.
  std::optional<std::string> check() const;
};
static_assert(sizeof(TensorMap) == 128);

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_TENSORMAP_H
