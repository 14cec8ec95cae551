//===- DType.h - Element types of tensors -----------------------*- C++ -*-===//
//
// The storage types that a spec, a signature and an object speak of. Each has
// one row of facts (name, width, DLPack code, C type), so that a new type is
// a new row and nothing else. Tests: test/Unit/Interface/DTypeTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_SUPPORT_DTYPE_H
#define ATTNC_SUPPORT_DTYPE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace attnc {

enum class DType : uint8_t { F64, F32, F16, BF16, I64, I32, I8, U8, Bool };

/// What the rest of the compiler needs to know about one element type.
struct DTypeInfo {
  DType dtype;
  /// As written in a spec: `f32`.
  llvm::StringLiteral name;
  /// Bits of one stored element (a bool fills a byte).
  unsigned bits;
  /// `DLDataType.code` of dlpack.h 1.0: int 0, uint 1, float 2, bfloat 4,
  /// bool 6.
  unsigned dlpackCode;
  /// The type behind a pointer in the C header; 16-bit floats are `uint16_t`.
  llvm::StringLiteral cType;
  bool isFloat;
};

/// All types, in the order of the enumeration.
inline constexpr DTypeInfo kDTypes[] = {
    {DType::F64, "f64", 64, 2, "double", true},
    {DType::F32, "f32", 32, 2, "float", true},
    {DType::F16, "f16", 16, 2, "uint16_t", true},
    {DType::BF16, "bf16", 16, 4, "uint16_t", true},
    {DType::I64, "i64", 64, 0, "int64_t", false},
    {DType::I32, "i32", 32, 0, "int32_t", false},
    {DType::I8, "i8", 8, 0, "int8_t", false},
    {DType::U8, "u8", 8, 1, "uint8_t", false},
    {DType::Bool, "bool", 8, 6, "uint8_t", false},
};

inline const DTypeInfo &dtypeInfo(DType dtype) {
  return kDTypes[static_cast<size_t>(dtype)];
}
inline llvm::StringRef dtypeName(DType dtype) { return dtypeInfo(dtype).name; }
inline unsigned dtypeBytes(DType dtype) { return dtypeInfo(dtype).bits / 8; }
inline bool isFloat(DType dtype) { return dtypeInfo(dtype).isFloat; }

/// The type named `name`, or nothing.
inline std::optional<DType> parseDType(llvm::StringRef name) {
  for (const DTypeInfo &info : kDTypes)
    if (info.name == name)
      return info.dtype;
  return std::nullopt;
}

} // namespace attnc

#endif // ATTNC_SUPPORT_DTYPE_H
