//===- ReassociateSums.h - Reassociate products of concatenated features --===//
//
// A product over features that are put together is a sum of products:
//
//   %q = attn.concat "bqhd,bqhd->bqhd" along "d" (%qn, %qr)
//   %k = attn.concat "bkhd,bkd->bkhd" along "d" (%kn, %kr)
//   %s = attn.contract "bqhd,bkhd->bhqk" (%q, %k)
// is qn kn + qr kr, of which each may be taken in its own order. Afterwards the
// features of what is multiplied last are put together again, so one product
// remains.
//
// Tests: test/Graph/reassociate-sums.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_GRAPH_REASSOCIATE_REASSOCIATESUMS_H
#define ATTNC_LIB_GRAPH_REASSOCIATE_REASSOCIATESUMS_H

#include "attnc/Analysis/Product/ProductOrder.h"
#include "attnc/Dialect/Attn/AttnMove.h"

namespace attnc::graph {

/// A product of sums, taken apart. The terms are ops beside the root, which
/// lives on until `rejoin` or `discard`.
class ProductSum {
public:
  /// Nothing if `root` is no such product.
  static std::optional<ProductSum> distribute(attn::ContractOp root);

  /// Chooses orders for the terms such that all together, with the copies of
  /// what is put together, cost least.
  void plan(llvm::ArrayRef<Regime> regimes, const OrderRequest &request);
  bool isBetter() const { return hasBetter; }
  /// Cost of everything as written and as chosen at a regime, and the text of
  /// what was chosen.
  OrderCost writtenAt(const Regime &at) const;
  OrderCost chosenAt(const Regime &at) const;
  std::string describeWritten() const;
  std::string describeChosen() const;

  /// Replaces the root by the chosen orders. What is left of it is dead.
  void rejoin(llvm::ArrayRef<Regime> regimes);
  /// Erases what `distribute` made.
  void discard();

  const std::vector<ProductTree> &getTrees() const { return trees; }

private:
  using Choice = llvm::SmallVector<ProductSteps, 2>; // steps of each term

  /// A part of an operand, in the root's letters.
  struct Part {
    mlir::Value tensor;
    std::string letters;
    int64_t size; // along the axis that is put together
  };

  bool isPutTogether(unsigned side);
  bool findParts(unsigned side);
  bool sliceParts(unsigned side);
  bool findSummed(unsigned side, attn::ConcatOp concat,
                  llvm::ArrayRef<attn::ViewOp> views, char along);
  bool addTerms();
  bool canJoin(const ProductTree &tree,
               llvm::ArrayRef<ProductStep> steps) const;
  OrderCost costOf(const Choice &choice, const Regime &at) const;
  double joinBytes(const Choice &choice, const Regime &at, unsigned side) const;
  mlir::Value join(unsigned side, llvm::ArrayRef<attn::ContractOp> products,
                   std::string &letters);

  attn::ContractOp root;
  llvm::SmallVector<Part, 2> parts[2];
  char summed = 0;
  /// Letters of the result that only one operand has.
  std::string own[2];
  /// What `distribute` made, and what the root will not read any more.
  llvm::SmallVector<mlir::Operation *> made, replaced;
  llvm::SmallVector<attn::ContractOp, 2> terms;
  std::vector<ProductTree> trees;
  OrderRequest request;
  Choice written, chosen;
  bool hasBetter = false;
};

} // namespace attnc::graph

#endif // ATTNC_LIB_GRAPH_REASSOCIATE_REASSOCIATESUMS_H
