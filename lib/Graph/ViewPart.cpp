//===- ViewPart.cpp - Views of tensors without some of the axes -----------===//
//
// See ViewPart.h. Tests: test/Graph/reassociate-sums.mlir
//
//===----------------------------------------------------------------------===//

#include "ViewPart.h"

using namespace mlir;
using namespace attnc;

Value attnc::graph::viewPart(OpBuilder &b, attn::ViewOp view, StringRef whole,
                             Value part, std::string &letters,
                             StringRef names) {
  attn::ViewLabels labels = view.getViewLabels();
  std::string present, input, output, viewed;
  llvm::SmallDenseMap<char, Attribute> sizes;
  for (char letter : letters) { // in the part's order
    StringRef group = labels.input[*attn::axisOf(whole, letter)];
    present += group;
    input += group.size() == 1 ? group.str() : "(" + group.str() + ")";
    if (group.size() == 1)
      sizes[group[0]] =
          attn::axisSize(part.getType(), *attn::axisOf(letters, letter));
  }
  SmallVector<Attribute> axes;
  for (auto [axis, group] : llvm::enumerate(labels.output)) {
    size_t has = llvm::count_if(group, [&](char letter) {
      return StringRef(present).contains(letter);
    });
    if (has == 0)
      continue;
    if (has != group.size())
      return {};
    output += group.size() == 1 ? group.str() : "(" + group.str() + ")";
    viewed += names[axis];
    Attribute size = group.size() == 1 ? sizes.lookup(group[0]) : Attribute();
    axes.push_back(size ? size : attn::axisSize(view.getType(), axis));
  }
  letters = viewed;
  return attn::ViewOp::create(
      b, view.getLoc(),
      attn::tensorType(axes, getElementTypeOrSelf(part.getType())),
      input + "->" + output, part);
}
