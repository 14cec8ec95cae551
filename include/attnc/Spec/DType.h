//===- DType.h - Types of elements ----------------------------------------===//

#ifndef ATTNC_SPEC_DTYPE_H
#define ATTNC_SPEC_DTYPE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace attnc::spec {

enum class DType : uint8_t { F64, F32, F16, BF16, I64, I32, I8, U8, Bool };

/// "f64", "bf16", "bool", ...
llvm::StringRef dtypeName(DType dtype);
std::optional<DType> parseDType(llvm::StringRef name);
bool isFloat(DType dtype);

/// The type that holds the values of both: f16 and bf16 meet in f32.
DType widerFloat(DType a, DType b);

} // namespace attnc::spec

#endif // ATTNC_SPEC_DTYPE_H
