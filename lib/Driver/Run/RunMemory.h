//===- RunMemory.h - Tensors as a caller holds them -------------*- C++ -*-===//
//
// attnc-run passes tensors in several memory orders, each in a mapping of its
// own whose last element ends at a page that cannot be touched: reading past a
// tensor ends the run instead of going unnoticed.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_RUN_RUNMEMORY_H
#define ATTNC_LIB_DRIVER_RUN_RUNMEMORY_H

#include "Options/CommandLine.h"

#include "attnc/Interface/Interface.h"
#include "attnc/Reference/Tensor.h"

#include "attnc.h"

namespace attnc {

/// One tensor in memory with the descriptor that the entry takes.
class CallTensor {
public:
  /// `variant` makes random memory orders differ between tensors.
  CallTensor(const InterfaceTensor &declared, llvm::ArrayRef<int64_t> shape,
             RunOptions::Strides order, uint64_t variant);
  ~CallTensor();
  CallTensor(const CallTensor &) = delete;

  /// Whether memory for it was there.
  bool isValid() const { return mapping != nullptr; }
  void store(const reference::Tensor &values);
  void load(reference::Tensor &values) const;
  /// Fills all elements with a pattern that no kernel gives (NaN).
  void poison();
  attnc_tensor *descriptor() { return &tensor; }

private:
  void chooseStrides(RunOptions::Strides order, uint64_t variant);
  /// Calls `visit(element number in row-major order, address)`.
  template <typename Visit> void forEach(Visit visit) const;

  DType dtype;
  llvm::SmallVector<int64_t> shape, strides;
  char *mapping = nullptr;
  size_t mappedBytes = 0;
  attnc_tensor tensor;
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_RUNMEMORY_H
