//===- Quarters.h - Transpose quarters of registers -------------*- C++ -*-===//
//
// A load of 16 bytes fills a quarter of a register of 64 bytes. With n elements
// of a row in 16 bytes, n registers hold n columns of 4 n rows:
//
//   register i            row i | row n + i | row 2n + i | row 3n + i
//   interleaved by 1, 2, ... elements in each quarter
//   register c            column c of rows 0 to 4n - 1
//
// Loads go to quarters on any vector port, and shuffles within quarters need
// no index registers: log2(n) per register, where transposed squares of
// registers (Emitter::transpose) need 4 for 32-bit elements.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_CPU_MEMORY_QUARTERS_H
#define ATTNC_LIB_CODEGEN_CPU_MEMORY_QUARTERS_H

#include "Emit/Emitter.h"

namespace attnc::cpu {

/// Bytes of a quarter of a register.
inline constexpr int64_t kQuarterBytes = 16;

/// The columns of 64 bytes' worth of rows, each a register. `addressOf` gives
/// 16 bytes of a row, a multiple of `alignment`. `element` is i16 or i32.
llvm::SmallVector<mlir::Value>
loadTransposedQuarters(Ops &ops, mlir::Type element, unsigned alignment,
                       llvm::function_ref<mlir::Value(int64_t row)> addressOf);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_MEMORY_QUARTERS_H
