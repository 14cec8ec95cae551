//===- KeyStorage.h - How keys and values are stored ------------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_NVPTX_KEYSTORAGE_H
#define ATTNC_LIB_SCHEDULE_NVPTX_KEYSTORAGE_H

#include "attnc/Dialect/Attn/Attn.h"

#include <string>

namespace attnc::schedule::nvptx {

/// Whether rows are found by a table: those of ragged or paged storage.
bool readsThroughTable(mlir::Value tensor);

/// Why the tensor memory accelerator cannot read a tile of keys or values as a
/// box of a tensor, or an empty text. Whether the strides of a call allow it is
/// known at run time only.
std::string whyNoTensorMaps(attn::KernelOp kernel);

} // namespace attnc::schedule::nvptx

#endif // ATTNC_LIB_SCHEDULE_NVPTX_KEYSTORAGE_H
