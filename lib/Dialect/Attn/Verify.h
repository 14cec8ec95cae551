//===- Verify.h - What the verifiers of the attn ops share ------*- C++ -*-===//

#ifndef ATTNC_LIB_DIALECT_ATTN_VERIFY_H
#define ATTNC_LIB_DIALECT_ATTN_VERIFY_H

#include "attnc/Dialect/Attn/Attn.h"

#include "llvm/ADT/MapVector.h"

namespace attnc::attn {

/// Collects the size of each letter over the tensors of an op and refuses a
/// second, different one. A dynamic extent without a name agrees with any.
class LetterSizes {
public:
  explicit LetterSizes(mlir::Operation *op) : op(op) {}
  mlir::LogicalResult add(llvm::StringRef letters, mlir::Type type,
                          const llvm::Twine &what);
  /// The next tensor may have another size along this letter.
  void forget(char letter) { sizes.erase(letter); }

private:
  mlir::Operation *op;
  llvm::SmallMapVector<char, mlir::Attribute, 8> sizes;
};

/// Every dynamic axis of the result that `needed` selects has a name in dims.
mlir::LogicalResult verifyNamed(mlir::Operation *op, mlir::Type type,
                                llvm::function_ref<bool(unsigned)> needed);

/// A formula: scalar pure ops, and nothing from outside but tensors to read.
mlir::LogicalResult verifyFormula(mlir::Operation *parent, mlir::Region &region,
                                  llvm::StringRef what);
/// The region's block has arguments of these types.
mlir::LogicalResult verifyArguments(mlir::Operation *op, mlir::Region &region,
                                    mlir::TypeRange expected,
                                    llvm::StringRef what);
/// The region ends with attn.yield of one value of this type.
mlir::LogicalResult verifyYield(mlir::Operation *op, mlir::Region &region,
                                mlir::Type expected, llvm::StringRef what);

} // namespace attnc::attn

#endif // ATTNC_LIB_DIALECT_ATTN_VERIFY_H
