//===- RunnableObject.h - An object that can be called ----------*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_RUN_RUNNABLEOBJECT_H
#define ATTNC_LIB_DRIVER_RUN_RUNNABLEOBJECT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include "attnc.h"

#include <functional>

namespace attnc {

struct Target;

/// Calls a function of an object with one descriptor per tensor.
using Entry = std::function<attnc_status(llvm::ArrayRef<attnc_tensor *>,
                                         const attnc_runtime *)>;

class RunnableObject {
public:
  virtual ~RunnableObject() = default;
  virtual llvm::Expected<Entry> entry(llvm::StringRef function) = 0;
  /// The processor of the calls that follow.
  virtual void setProcessor(const Target &) {}
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_RUNNABLEOBJECT_H
