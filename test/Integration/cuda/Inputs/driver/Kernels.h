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

struct Launch {
  std::string kernel;
  unsigned blocks, threads, shared;
  std::vector<uint64_t> arguments;
};

/// Whether each parameter of a kernel is a pointer; empty if the file of LLVM IR
/// has no such kernel.
std::vector<bool> readParameters(const std::string &file,
                                 const std::string &kernel);

/// Runs a launch in the emulator on copies of the blocks that its pointers point
/// into. An error text, or an empty one.
std::string emulate(const std::string &file, const Launch &launch,
                    Memory &memory);

} // namespace mock

#endif // ATTNC_TEST_INTEGRATION_CUDA_KERNELS_H
