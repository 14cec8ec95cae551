//===- SplitMergedSums.cpp - Sum over merged heads in place ---------------===//
//
// Heads that are merged to be multiplied by one matrix need not be moved: the
// sum over the merged axis is the sum over its parts, and the other operand,
// whose axis lies in memory as one, is split by a view instead.
//
//   %m = attn.view "bhqe->bq(he)" %O
//   %y = attn.contract "bqn,nm->bqm" (%m, %W)
// becomes
//   %o = attn.view "bhqe->bqhe" %O     %w = attn.view "(he)m->hem" %W
//   %y = attn.contract "bqhe,hem->bqm" (%o, %w)
//
// Tests: test/Graph/split-merged-sums.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Graph/Passes.h"

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace attnc;
using attn::ContractOp;
using attn::ViewOp;

namespace attnc::graph {
#define GEN_PASS_DEF_SPLITMERGEDSUMS
#include "attnc/Graph/Passes.h.inc"
} // namespace attnc::graph

namespace {
/// A summed letter of a product that is several axes for one operand.
struct MergedSum {
  char letter;
  std::string parts;              // fresh letters
  SmallVector<Attribute> sizes;   // of the parts
  unsigned operand = 0, axis = 0; // where a view merges them
  ViewOp view;
};
} // namespace

/// The sizes of letters that a view merges, or nothing if one is not known.
static std::optional<SmallVector<Attribute>> sizesOf(ViewOp view,
                                                     StringRef letters) {
  SmallVector<Attribute> sizes;
  attn::ViewLabels labels = view.getViewLabels();
  for (char letter : letters) {
    auto *axis = llvm::find(labels.input, StringRef(&letter, 1));
    Attribute size = axis == labels.input.end()
                         ? Attribute()
                         : attn::axisSize(view.getSource().getType(),
                                          axis - labels.input.begin());
    if (!size)
      return std::nullopt;
    sizes.push_back(size);
  }
  return sizes;
}

/// Letters that a product does not use.
static std::string freshLetters(StringRef used, size_t count) {
  std::string fresh;
  for (char letter = 'a'; letter <= 'z' && fresh.size() < count; ++letter)
    if (!used.contains(letter))
      fresh += letter;
  return fresh;
}

static std::optional<MergedSum> findMergedSum(ContractOp op) {
  attn::Labels labels = op.getAxisLabels();
  for (unsigned operand : {0, 1}) {
    auto view = op->getOperand(operand).getDefiningOp<ViewOp>();
    StringRef letters = labels.inputs[operand];
    for (size_t axis = 0; view && axis < letters.size(); ++axis) {
      attn::ViewLabels viewLabels = view.getViewLabels();
      StringRef group = viewLabels.output[axis];
      char letter = letters[axis];
      if (group.size() == 1 || labels.output.contains(letter) ||
          !labels.inputs[1 - operand].contains(letter) ||
          op.getMaskLabels().value_or("").contains(letter))
        continue;
      std::string used = (labels.inputs[0] + labels.inputs[1]).str();
      std::string parts = freshLetters(used, group.size());
      auto sizes = sizesOf(view, group);
      if (sizes && parts.size() == group.size())
        return MergedSum{
            letter, parts, *sizes, operand, static_cast<unsigned>(axis), view};
    }
  }
  return std::nullopt;
}

/// The type of a tensor with one axis in parts.
static RankedTensorType splitType(Type type, unsigned axis,
                                  ArrayRef<Attribute> sizes) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<Attribute> all;
  for (unsigned i = 0; i < tensor.getRank(); ++i)
    if (i == axis)
      llvm::append_range(all, sizes);
    else
      all.push_back(attn::axisSize(tensor, i));
  return attn::tensorType(all, tensor.getElementType());
}

/// The operand where the axes are apart already: its view without the merge.
static Value unmerge(const MergedSum &sum, PatternRewriter &rewriter) {
  ViewOp view = sum.view;
  attn::ViewLabels labels = view.getViewLabels();
  attn::ViewLabels::Side output;
  for (auto [axis, group] : llvm::enumerate(labels.output)) {
    if (axis != sum.axis)
      output.push_back(group);
    else
      for (size_t i = 0; i < group.size(); ++i)
        output.push_back(group.substr(i, 1));
  }
  labels.output = output;
  return ViewOp::create(rewriter, view.getLoc(),
                        splitType(view.getType(), sum.axis, sum.sizes),
                        labels.str(), view.getSource());
}

/// The other operand, with its axis in the same parts.
static Value split(const MergedSum &sum, Value tensor, StringRef letters,
                   PatternRewriter &rewriter) {
  std::string input, output;
  for (char letter : letters) {
    bool isMerged = letter == sum.letter;
    input += isMerged ? "(" + sum.parts + ")" : std::string(1, letter);
    output += isMerged ? sum.parts : std::string(1, letter);
  }
  unsigned axis = *attn::axisOf(letters, sum.letter);
  return ViewOp::create(rewriter, tensor.getLoc(),
                        splitType(tensor.getType(), axis, sum.sizes),
                        input + "->" + output, tensor);
}

static LogicalResult splitMergedSum(ContractOp op, PatternRewriter &rewriter) {
  std::optional<MergedSum> sum = findMergedSum(op);
  if (!sum)
    return rewriter.notifyMatchFailure(op, "sums over no axes that are merged");
  attn::Labels labels = op.getAxisLabels();
  unsigned other = 1 - sum->operand;
  Value operands[2];
  operands[sum->operand] = unmerge(*sum, rewriter);
  operands[other] =
      split(*sum, op->getOperand(other), labels.inputs[other], rewriter);
  std::string text[2];
  for (unsigned i : {0, 1})
    for (char letter : labels.inputs[i])
      text[i] += letter == sum->letter ? sum->parts : std::string(1, letter);
  std::string newLabels = text[0] + "," + text[1] + "->" + labels.output.str();
  rewriter.modifyOpInPlace(op, [&] {
    op.setLabels(newLabels);
    op.getLhsMutable().assign(operands[0]);
    op.getRhsMutable().assign(operands[1]);
  });
  return success();
}

namespace {
struct SplitMergedSums final
    : graph::impl::SplitMergedSumsBase<SplitMergedSums> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(splitMergedSum);
    // A part may be merged by the view before.
    ViewOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
