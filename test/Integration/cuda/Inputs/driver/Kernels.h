//===- Kernels.h - Kernels of the mock device -----------------------------===//
//
// A driver gets kernels as PTX or a cubin, which nothing here can run. So the
// mock runs their LLVM IR, the output nvptx-ir of attnc, in nvptx-emulator; the
// images are only searched for the names of kernels.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TEST_INTEGRATION_CUDA_KERNELS_H
#define ATTNC_TEST_INTEGRATION_CUDA_KERNELS_H

#include "Memory.h"

#include <string>
#include <vector>

namespace mock {

/// An image of cuLibraryLoadData.
struct Image {
  bool isPtx = false;
  unsigned capability = 0; // of PTX: its .target
  std::string text;
};

/// Reads an image; false if it is neither PTX nor a cubin.
bool readImage(const void *code, Image &image);
bool hasKernel(const Image &image, const std::string &name);

/// What cuTensorMapEncodeTiled encodes, in 128 bytes of our own.
struct alignas(64) TensorMap {
  static constexpr uint32_t kMagic = 0x4b434f4d;

  uint32_t magic = kMagic;
  uint8_t type = 0, rank = 0;
  uint16_t swizzle = 0; // bytes
  uint64_t address = 0;
  uint64_t strides[4] = {}; // bytes, from axis 1 on
  uint32_t sizes[5] = {};
  uint16_t box[5] = {};
};
static_assert(sizeof(TensorMap) == 128);

/// A parameter of a kernel: a number or pointer of 8 bytes, or a map.
enum class Parameter { Number, Pointer, Map };
struct Argument {
  uint64_t value = 0;
  TensorMap map;
};

struct Launch {
  std::string kernel;
  unsigned blocks, threads, shared;
  std::vector<Argument> arguments;
};

/// The parameters of a kernel; empty if the file of LLVM IR has no such kernel.
std::vector<Parameter> readParameters(const std::string &file,
                                      const std::string &kernel);

/// Runs a launch in the emulator on copies of the blocks that its pointers point
/// into. An error text, or an empty one.
std::string emulate(const std::string &file, const Launch &launch,
                    Memory &memory);

} // namespace mock

#endif // ATTNC_TEST_INTEGRATION_CUDA_KERNELS_H
