//===- Cases.cpp - Blocks of ops for some sizes of a call -----------------===//
//
// Tests: test/Schedule/Cpu/cases-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Attn/Cases.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace attnc::attn {

SmallVector<CaseAttr> casesOf(Operation *op) {
  SmallVector<CaseAttr> cases;
  if (auto list = op->getAttrOfType<ArrayAttr>(kCases))
    llvm::append_range(cases, list.getAsRange<CaseAttr>());
  return cases;
}

void setCases(Operation *op, ArrayRef<CaseAttr> cases) {
  SmallVector<Attribute> list(cases.begin(), cases.end());
  if (list.empty())
    op->removeAttr(kCases);
  else
    op->setAttr(kCases, ArrayAttr::get(op->getContext(), list));
}

SmallVector<BlockAttr> blocksOf(Operation *op) {
  SmallVector<BlockAttr> blocks;
  for (CaseAttr own : casesOf(op))
    blocks.push_back(own.getBlock());
  if (BlockAttr block = BlockAttr::of(op))
    blocks.push_back(block);
  return blocks;
}

/// `block` with the sizes and the target of another.
static BlockAttr withSizesOf(BlockAttr block, BlockAttr other) {
  return BlockAttr::get(block.getContext(), block.getForm(), block.getLanes(),
                        block.getRows(), other.getQ(), other.getK(),
                        other.getE(), block.getInner(), block.getVisited(),
                        other.getTarget());
}

std::string findCasesProblem(Operation *op) {
  Attribute value = op->getAttr(kCases);
  if (!value)
    return {};
  auto list = dyn_cast<ArrayAttr>(value);
  if (!list || list.empty() || !llvm::all_of(list, llvm::IsaPred<CaseAttr>))
    return "they must be a list of at least one #attn.case";
  BlockAttr block = BlockAttr::of(op);
  if (!block || block.getForm() == BlockForm::Epilogue)
    return "they need an attn.block of form dot or element; remove them";
  llvm::StringMap<int64_t> served; // elements along each axis
  for (auto [number, own] : llvm::enumerate(casesOf(op))) {
    if (own.getBlock() != withSizesOf(block, own.getBlock()))
      return llvm::formatv("the block of case {0} must have the form, lanes, "
                           "rows, inner and visited of attn.block",
                           number);
    int64_t &before = served[own.getAxis()];
    if (own.getMost() <= before)
      return llvm::formatv("case {0} holds in no call, because a case before "
                           "it is for at most {1} elements along '{2}'",
                           number, before, own.getAxis());
    before = own.getMost();
  }
  return {};
}

} // namespace attnc::attn
