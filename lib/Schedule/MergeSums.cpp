//===- MergeSums.cpp - Sums over merged axes of stored results ------------===//
//
// Stage fused sums over heads and features in their stored layout, so that no
// layout is assumed (attn-split-merged-sums). A product of matrices then has a
// step per head. Where a kernel makes the operand for this product alone, the
// layout is free, and one axis of all heads and features is better:
//
//   %v = attn.view "bhgqe->bqhge" %o      %w = attn.view "(hge)m->hgem" %W
//   %y = attn.contract "bqhge,hgem->bqm" (%v, %w)
// becomes
//   %v = attn.view "bhgqe->bqhge" %o
//   %m = attn.view "bqhge->bq(hge)" %v {attn.stored}
//   %y = attn.contract "bqh,hm->bqm" (%m, %W)
//
// The sum over `h` is then one step of a product, or a few long ones. Tests:
// test/Schedule/Cpu/merge-sums.mlir
//
//===----------------------------------------------------------------------===//

#include "MergeSums.h"

#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Dialect/Attn/InProduct.h"
#include "attnc/Dialect/Attn/StoredView.h"

using namespace mlir;

namespace attnc::schedule {

namespace {
/// Letters of a product that are one axis of the tensor behind a view.
struct MergedAxis {
  unsigned split;      // the operand that a view splits
  std::string letters; // of the product, the slowest first
  Attribute size;      // of all of them
};
} // namespace

/// The size of all `letters` of an operand, or null.
static Attribute sizeOf(Value operand, StringRef own, StringRef letters) {
  int64_t size = 1;
  for (char letter : letters) {
    auto number = dyn_cast_if_present<IntegerAttr>(
        attn::axisSize(operand.getType(), *attn::axisOf(own, letter)));
    if (!number)
      return {};
    size *= number.getInt();
  }
  return IntegerAttr::get(IntegerType::get(operand.getContext(), 64), size);
}

/// The summed letters of `op` into which a view of an operand splits an axis.
static std::optional<MergedAxis> findMergedAxis(attn::ContractOp op) {
  attn::Labels labels = op.getAxisLabels();
  for (unsigned number : {0, 1}) {
    auto view = op->getOperand(number).getDefiningOp<attn::ViewOp>();
    if (!view || attn::isStoredView(view))
      continue;
    StringRef own = labels.inputs[number], other = labels.inputs[1 - number];
    attn::ViewLabels groups = view.getViewLabels();
    for (StringRef group : groups.input) {
      std::string letters;
      for (char part : group) {
        auto *axis = llvm::find(groups.output, StringRef(&part, 1));
        char letter = axis == groups.output.end()
                          ? '.'
                          : own[axis - groups.output.begin()];
        if (other.contains(letter) && !labels.output.contains(letter))
          letters += letter;
      }
      if (group.size() < 2 || letters.size() != group.size())
        continue;
      if (Attribute size = sizeOf(op->getOperand(number), own, letters))
        return MergedAxis{number, letters, size};
    }
  }
  return std::nullopt;
}

/// The type of `tensor` with the axes `own`, where `merged` are one axis at the
/// place of the last of them; `groups` become the axes' letters.
static RankedTensorType mergedType(Value tensor, StringRef own,
                                   const MergedAxis &merged,
                                   SmallVectorImpl<std::string> &groups) {
  size_t left = merged.letters.size();
  SmallVector<Attribute> sizes;
  for (auto [axis, letter] : llvm::enumerate(own)) {
    bool isPart = StringRef(merged.letters).contains(letter);
    if (isPart && --left)
      continue;
    groups.push_back(isPart ? merged.letters : std::string(1, letter));
    sizes.push_back(isPart ? merged.size
                           : attn::axisSize(tensor.getType(), axis));
  }
  return attn::tensorType(sizes, getElementTypeOrSelf(tensor.getType()));
}

/// `tensor` with the letters of `merged` as one axis.
static attn::ViewOp mergeAxes(OpBuilder &builder, Value tensor, StringRef own,
                              const MergedAxis &merged) {
  SmallVector<std::string> groups;
  RankedTensorType type = mergedType(tensor, own, merged, groups);
  std::string labels = own.str() + "->";
  for (const std::string &group : groups)
    labels += group.size() > 1 ? "(" + group + ")" : group;
  return attn::ViewOp::create(builder, tensor.getLoc(), type, labels, tensor);
}

/// The kernel whose values a chain of views that nobody else reads starts
/// from, or null.
static attn::KernelOp findMaker(Value tensor) {
  while (tensor.hasOneUse()) {
    if (auto kernel = tensor.getDefiningOp<attn::KernelOp>())
      return tensor == kernel.getO() ? kernel : attn::KernelOp();
    auto view = tensor.getDefiningOp<attn::ViewOp>();
    if (!view || attn::isStoredView(view))
      break;
    tensor = view.getSource();
  }
  return {};
}

std::string findStoredProblem(attn::ViewOp view) {
  attn::KernelOp kernel = findMaker(view.getSource());
  if (!kernel)
    return "its source must be the values of a kernel, through views, and have "
           "no other use";
  if (kernel.getSchedule() &&
      kernel.getSchedule()->getRowAxes() == attn::RowAxes::GQ)
    return "the rows of the kernel are those of several heads (row_axes = gq)";
  FailureOr<TensorDigits> digits =
      digitsOfResult(view, "bhgqe", /*report=*/false);
  if (failed(digits) || findBlocked(*digits))
    return "blocks of queries and features must be blocks of its axes";
  return {};
}

/// The letters of an operand, the first of `merged` in place of all.
static std::string lettersOf(StringRef own, const MergedAxis &merged) {
  std::string letters;
  size_t left = merged.letters.size();
  for (char letter : own) {
    bool isPart = StringRef(merged.letters).contains(letter);
    if (!isPart || !--left)
      letters += isPart ? merged.letters[0] : letter;
  }
  return letters;
}

/// The letters of the tensor behind the view of a split operand, `merged` as
/// one of them; empty if the view splits or merges other axes, too.
static std::string lettersOfSource(attn::ViewOp view, StringRef own,
                                   const MergedAxis &merged) {
  attn::ViewLabels groups = view.getViewLabels();
  std::string source;
  for (StringRef group : groups.input) {
    std::string letters;
    for (char part : group) {
      auto *axis = llvm::find(groups.output, StringRef(&part, 1));
      if (axis == groups.output.end())
        return {};
      letters += own[axis - groups.output.begin()];
    }
    if (letters != merged.letters && letters.size() != 1)
      return {};
    source += letters[0];
  }
  return source;
}

/// The operand that a view splits, with the axis in one again: the tensor
/// behind the view, perhaps with other axes permuted.
static Value splitOperand(OpBuilder &builder, attn::ContractOp op,
                          const MergedAxis &merged) {
  Value tensor = op->getOperand(merged.split);
  auto view = tensor.getDefiningOp<attn::ViewOp>();
  StringRef own = op.getAxisLabels().inputs[merged.split];
  std::string source = lettersOfSource(view, own, merged);
  if (source.empty())
    return mergeAxes(builder, tensor, own, merged);
  std::string letters = lettersOf(own, merged);
  if (source == letters)
    return view.getSource();
  SmallVector<std::string> groups;
  return attn::ViewOp::create(builder, tensor.getLoc(),
                              mergedType(tensor, own, merged, groups),
                              source + "->" + letters, view.getSource());
}

void mergeSums(attn::ContractOp op) {
  if (op.getMask() || op->hasAttr(attn::kInProduct))
    return;
  std::optional<MergedAxis> merged = findMergedAxis(op);
  if (!merged)
    return;
  unsigned made = 1 - merged->split;
  attn::Labels labels = op.getAxisLabels();
  Value before[2] = {op.getLhs(), op.getRhs()};
  if (!findMaker(before[made]))
    return;
  OpBuilder builder(op);
  std::string text[2] = {lettersOf(labels.inputs[0], *merged),
                         lettersOf(labels.inputs[1], *merged)};
  std::string newLabels = text[0] + "," + text[1] + "->" + labels.output.str();
  attn::ViewOp stored =
      mergeAxes(builder, before[made], labels.inputs[made], *merged);
  stored->setAttr(attn::kStored, builder.getUnitAttr());
  op->setOperand(made, stored);
  if (!findStoredProblem(stored).empty()) {
    op->setOperand(made, before[made]);
    return stored.erase();
  }
  op->setOperand(merged->split, splitOperand(builder, op, *merged));
  op.setLabels(newLabels);
  Operation *split = before[merged->split].getDefiningOp();
  if (split->use_empty())
    split->erase();
}

} // namespace attnc::schedule
