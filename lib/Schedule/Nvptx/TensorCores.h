//===- TensorCores.h - What tensor cores multiply ---------------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_NVPTX_TENSORCORES_H
#define ATTNC_LIB_SCHEDULE_NVPTX_TENSORCORES_H

#include "KernelShape.h"

#include "llvm/Support/MathExtras.h"

namespace attnc::schedule::nvptx {

/// The multiple of dims and rows in fragments of mma.m16n8k16, and of two of
/// mma.m16n8k8.
inline constexpr int64_t kFragment = 16;
inline int64_t padded(int64_t size) { return llvm::alignTo(size, kFragment); }

bool hasMask(const KernelShape &shape);

/// Whether tensor cores could multiply keys and values of so many bits: no sum
/// is one of formulas.
bool hasProductsOf(const KernelShape &shape, unsigned bits);

/// Whether they may multiply f32, rounded to tf32.
bool mayRoundToTf32(const KernelShape &shape);

/// Whether tensor cores multiply: rows, keys and values of 16 bits, or f32 with
/// `tf32`.
bool usesTensorCores(const KernelShape &shape, bool tf32);

/// Registers of a thread besides those of tiles, with tf32 and tiles of k keys.
int64_t countTf32Others(const KernelShape &shape, int64_t k);

} // namespace attnc::schedule::nvptx

#endif // ATTNC_LIB_SCHEDULE_NVPTX_TENSORCORES_H
