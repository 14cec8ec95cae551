//===- Arguments.h - Arguments of the kernel ------------------------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_ARGUMENTS_H
#define ATTNC_TOOLS_NVPTXEMULATOR_ARGUMENTS_H

#include "Machine/Machine.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace attnc::nvptx {

/// A buffer in memory of its own, so that overruns hit no other buffer.
struct Tensor {
  std::string file; // written after the launch, unless empty
  void *data = nullptr;
  uint64_t bytes = 0;
  unsigned argument = 0; // its number
};

/// The arguments of a launch, from their text:
///   in:FILE            a pointer to the contents of the file
///   inout:FILE         the same, and the file is rewritten later
///   out:FILE:BYTES     a pointer to NaNs, which are written to the file later
///   arg:N              a pointer to the start of the tensor of argument N
///   at:N:TENSOR        a pointer N bytes after the start of one of these
///   i32:N i64:N f32:X  a scalar
///   map:TENSOR,KEY=VALUE,...  a tensor map; TENSOR is in:FILE, out:FILE:BYTES,
///                      or arg:N, the tensor of argument N
class Arguments {
public:
  llvm::Error add(llvm::StringRef text);
  /// Writes the files of the results.
  llvm::Error write() const;

  const std::vector<uint64_t> &getSlots() const { return slots; }
  std::vector<Buffer> getBuffers() const;

private:
  llvm::Expected<Tensor> makeTensor(llvm::StringRef text);
  llvm::Error addMap(llvm::StringRef text);
  llvm::Error addPointer(llvm::StringRef number, uint64_t offset);

  std::vector<uint64_t> slots;
  std::vector<Tensor> tensors; // and tensor maps
  std::vector<int> tensorOf;   // of each slot, or negative
};

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_ARGUMENTS_H
