//===- PairProduct.h - Products of queries and keys -------------*- C++ -*-===//
//
// The numbers of a pair that scores are made of, and their operands as a kernel
// takes them. Tests: test/Fusion/fuse-kernel.mlir, fuse-kernel-features.mlir,
// fuse-kernel-products.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_FUSION_KERNEL_PAIRPRODUCT_H
#define ATTNC_LIB_FUSION_KERNEL_PAIRPRODUCT_H

#include "attnc/Dialect/Attn/Attn.h"

#include "llvm/ADT/MapVector.h"

#include <optional>
#include <string>

namespace attnc::fusion {

/// A tensor and the kernel's letters of its axes.
struct LetteredTensor {
  mlir::Value tensor;
  std::string letters;
};

/// Why something is not fused: at an op, a sentence without a full stop.
struct Refusal {
  mlir::Operation *op = nullptr;
  std::string reason;
};

/// A row of the query and one of the key.
struct PairRows {
  LetteredTensor q, k;
};

/// A product and its rows of the query and of the key.
struct PairProduct {
  attn::ContractOp op;
  /// One, or what `pair` and `other` read; the shorter side repeats its first.
  llvm::SmallVector<PairRows, 1> rows;
  /// Where an operand differs from pair to pair: the map that makes it of rows,
  /// and the product's other operand.
  LetteredTensor pair, other;

  bool isPair() const { return bool(pair.tensor); }
  const LetteredTensor &q() const { return rows.front().q; }
  const LetteredTensor &k() const { return rows.front().k; }
  llvm::SmallVector<LetteredTensor *> tensors();
  llvm::SmallVector<mlir::Type> rowTypes() const;
};

/// What a product sums over, in the letters of scores, of which it is none.
constexpr char kFeature = '1';

/// The rows of `product`, whose result has `letters`: `key` is that of the key,
/// and keys have some of `shared`, if that is known.
mlir::FailureOr<PairProduct> splitProduct(attn::ContractOp product,
                                          llvm::StringRef letters, char key,
                                          std::optional<llvm::StringRef> shared,
                                          Refusal &refusal);

/// Puts those whose operand differs from pair to pair first, as kernels have
/// them.
void orderProducts(llvm::MutableArrayRef<PairProduct> products);

/// Tensors as a kernel takes them: views with all of its letters, or copies
/// where rows are the same for several.
class KernelRows {
public:
  KernelRows(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  /// Sizes of letters; a letter without one has size 1.
  void addSizes(llvm::ArrayRef<LetteredTensor> tensors);
  mlir::Type tensorType(llvm::StringRef letters, mlir::Type element);
  mlir::Value toKernel(const LetteredTensor &tensor, llvm::StringRef letters);
  /// Of keys or values, also where query heads have rows of their own.
  mlir::Value keysToKernel(const LetteredTensor &tensor,
                           llvm::StringRef letters);
  /// The first rows of the first product; without a product rows and keys of
  /// one feature, which is 0 and which no formula reads.
  std::pair<mlir::Value, mlir::Value>
  ofFirst(llvm::ArrayRef<PairProduct> products, mlir::Type real);
  /// Rows of the query and of the key in turn, without those of ofFirst.
  llvm::SmallVector<mlir::Value>
  ofProducts(llvm::ArrayRef<PairProduct> products);

private:
  LetteredTensor withoutSingles(const LetteredTensor &tensor,
                                llvm::StringRef letters);
  mlir::Value repeated(const LetteredTensor &tensor, llvm::StringRef letters);
  bool isSingle(char letter);

  mlir::OpBuilder &b;
  mlir::Location loc;
  llvm::SmallMapVector<char, mlir::Attribute, 8> sizes;
};

/// "qbd" for "bhgqd" is the side "(qhg)bd" of a view: an axis of size 1 may
/// stand beside any other.
std::string groupMissing(llvm::StringRef letters, llvm::StringRef all);

/// How many of the products are sums of formulas.
unsigned countPairs(llvm::ArrayRef<PairProduct> products);

/// The regions `pairs` of a kernel, from the letters b h g q k and d or f: one
/// term of each such product.
void buildPairs(mlir::OpBuilder &builder, attn::KernelOp kernel,
                llvm::ArrayRef<PairProduct> products);

/// Adds a block with the arguments of a kernel's region.
mlir::Block *addBlock(mlir::OpBuilder &builder, attn::KernelOp kernel,
                      mlir::Region &region);

/// Gives a kernel its number in its function; `values` is the place of its
/// product with values, or of what else it was written as.
void nameKernel(attn::KernelOp kernel, mlir::Location values);

/// The results of products, each with its number of a pair in `block`, the
/// score or the gate of a kernel.
llvm::SmallVector<std::pair<mlir::Value, mlir::Value>>
productsIn(mlir::Block &block, llvm::ArrayRef<PairProduct> products);

} // namespace attnc::fusion

#endif // ATTNC_LIB_FUSION_KERNEL_PAIRPRODUCT_H
