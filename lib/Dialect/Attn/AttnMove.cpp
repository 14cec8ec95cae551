//===- AttnMove.cpp - Canonical forms of slices, concats and appends ------===//
//
// Slices go to the source of a tensor, in front of its views, where they meet:
//
//   slice (view x)            view (slice x)
//   slice (slice x)           one slice
//   slice (concat (x, y))     slice x, where it lies in x alone
//   concat (slice x, slice x) slice x, where the second follows the first
//   concat (x)                x
//
// so what is taken apart and put together again is not moved at all.
// Tests: test/Dialect/Attn/move-canonicalize.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Attn/AttnMove.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attnc::attn;

#define GET_OP_CLASSES
#include "attnc/Dialect/Attn/AttnMove.cpp.inc"

Labels ConcatOp::getAxisLabels() {
  std::string error;
  std::optional<Labels> labels = Labels::parse(getLabels(), error);
  assert(labels && "asked for labels before they are verified");
  return *labels;
}

int64_t ConcatOp::getPartSize(unsigned part) {
  unsigned axis = *axisOf(getAxisLabels().inputs[part], getAlong().front());
  return cast<RankedTensorType>(getParts()[part].getType()).getDimSize(axis);
}

Attribute ConcatOp::getNamedPartSize(unsigned part) {
  unsigned axis = *axisOf(getAxisLabels().inputs[part], getAlong().front());
  return axisSize(getParts()[part].getType(), axis);
}

bool ConcatOp::isFixed() {
  unsigned axis = *axisOf(getAxisLabels().output, getAlong().front());
  return !cast<RankedTensorType>(getType()).isDynamicDim(axis);
}

/// The type with another fixed size of one axis.
static RankedTensorType resized(Type tensor, unsigned axis, int64_t size) {
  auto type = cast<RankedTensorType>(tensor);
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = size;
  Attribute encoding = type.getEncoding();
  if (DimsAttr dims = DimsAttr::of(type)) {
    SmallVector<Attribute> sizes(dims.getSizes());
    sizes[axis] =
        IntegerAttr::get(IntegerType::get(type.getContext(), 64), size);
    encoding = DimsAttr::get(type.getContext(), sizes);
  }
  return RankedTensorType::get(shape, type.getElementType(), encoding);
}

/// `size` of the axis from `offset` on. The whole axis is the source itself.
static Value takeSlice(OpBuilder &b, Location loc, StringRef labels,
                       Value source, unsigned axis, int64_t offset,
                       int64_t size) {
  auto type = cast<RankedTensorType>(source.getType());
  if (offset == 0 && type.getDimSize(axis) == size)
    return source;
  return SliceOp::create(b, loc, resized(type, axis, size), labels, source,
                         labels.substr(axis, 1), offset, size);
}

//===----------------------------------------------------------------------===//
// attn.slice
//===----------------------------------------------------------------------===//

OpFoldResult SliceOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return {};
}

namespace {
struct SliceOfSlice final : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<SliceOp>();
    if (!inner || inner.getAxis() != op.getAxis())
      return rewriter.notifyMatchFailure(op, "no slice of the same axis");
    rewriter.replaceOpWithNewOp<SliceOp>(
        op, op.getType(), op.getLabels(), inner.getSource(), op.getAlong(),
        op.getOffset() + inner.getOffset(), op.getSize());
    return success();
  }
};

/// A letter that stands alone keeps its place; the slowest of a group takes
/// whole rows of the others along.
struct SliceOfView final : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto view = op.getSource().getDefiningOp<ViewOp>();
    if (!view)
      return rewriter.notifyMatchFailure(op, "source is not a view");
    ViewLabels labels = view.getViewLabels();
    StringRef letter = labels.output[op.getAxis()];
    auto *group = llvm::find_if(labels.input, [&](StringRef letters) {
      return letters.front() == letter.front();
    });
    auto source = cast<RankedTensorType>(view.getSource().getType());
    unsigned axis = group - labels.input.begin();
    if (letter.size() != 1 || group == labels.input.end() ||
        source.isDynamicDim(axis))
      return rewriter.notifyMatchFailure(
          op, "the piece is no piece of an axis of the view's source");
    int64_t extent = cast<RankedTensorType>(op.getSource().getType())
                         .getDimSize(op.getAxis());
    int64_t others = source.getDimSize(axis) / extent;
    std::string letters;
    for (StringRef each : labels.input)
      letters += each.front();
    Value slice =
        takeSlice(rewriter, op.getLoc(), letters, view.getSource(), axis,
                  op.getOffset() * others, op.getSize() * others);
    rewriter.replaceOpWithNewOp<ViewOp>(op, op.getType(), view.getLabels(),
                                        slice);
    return success();
  }
};

/// Of the parts only those that the slice touches.
struct SliceOfConcat final : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

LogicalResult SliceOfConcat::matchAndRewrite(SliceOp op,
                                             PatternRewriter &rewriter) const {
  auto concat = op.getSource().getDefiningOp<ConcatOp>();
  if (!concat)
    return rewriter.notifyMatchFailure(op, "source is not a concat");
  Labels labels = concat.getAxisLabels();
  if (concat.getAlong().front() != labels.output[op.getAxis()])
    return rewriter.notifyMatchFailure(op, "it is a piece of another axis");
  struct Piece {
    unsigned part;
    int64_t offset, size;
  };
  SmallVector<Piece> pieces;
  int64_t begin = op.getOffset(), end = begin + op.getSize(), first = 0;
  for (unsigned part = 0; part < concat.getParts().size(); ++part) {
    int64_t size = concat.getPartSize(part);
    int64_t from = std::max(begin, first), to = std::min(end, first + size);
    if (from < to)
      pieces.push_back({part, from - first, to - from});
    first += size;
  }
  bool isWhole = pieces.size() == 1 &&
                 labels.inputs[pieces[0].part].size() == labels.output.size();
  if (!isWhole && !concat->hasOneUse())
    return rewriter.notifyMatchFailure(op, "the parts are put together anyway");
  SmallVector<Value> parts;
  Labels kept;
  kept.output = labels.output;
  for (const Piece &piece : pieces) {
    StringRef letters = labels.inputs[piece.part];
    kept.inputs.push_back(letters);
    parts.push_back(takeSlice(
        rewriter, op.getLoc(), letters, concat.getParts()[piece.part],
        *axisOf(letters, concat.getAlong().front()), piece.offset, piece.size));
  }
  rewriter.replaceOpWithNewOp<ConcatOp>(op, op.getType(), kept.str(),
                                        concat.getAlong(), parts);
  return success();
}

void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<SliceOfSlice, SliceOfView, SliceOfConcat>(context);
}

//===----------------------------------------------------------------------===//
// attn.concat
//===----------------------------------------------------------------------===//

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getParts().size() == 1 && getParts()[0].getType() == getType() &&
      getAxisLabels().inputs[0] == getAxisLabels().output)
    return getParts()[0];
  return {};
}

namespace {
/// One part under other places of its axes.
struct ConcatOfOne final : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    Labels labels = op.getAxisLabels();
    if (op.getParts().size() != 1 ||
        labels.inputs[0].size() != labels.output.size())
      return rewriter.notifyMatchFailure(op, "several parts, or a broadcast");
    rewriter.replaceOpWithNewOp<ViewOp>(op, op.getType(), op.getLabels(),
                                        op.getParts()[0]);
    return success();
  }
};

/// A part that is a slice, or a view of one that keeps the sliced axis.
struct SlicedPart {
  SliceOp slice; // null: it is none
  ViewOp view;   // or null

  SlicedPart(Value part, unsigned axis) {
    slice = part.getDefiningOp<SliceOp>();
    view = part.getDefiningOp<ViewOp>();
    if (view) {
      slice = view.getSource().getDefiningOp<SliceOp>();
      ViewLabels labels = view.getViewLabels();
      const StringRef *from = llvm::find(labels.input, labels.output[axis]);
      if (from == labels.input.end() || labels.output[axis].size() != 1)
        slice = {};
      axis = from - labels.input.begin();
    }
    if (slice && slice.getAxis() != axis)
      slice = {};
  }
  bool isFollowedBy(const SlicedPart &next) {
    if (!slice || !next.slice || bool(view) != bool(next.view))
      return false;
    SliceOp after = next.slice;
    if (view && ViewOp(view).getLabels() != ViewOp(next.view).getLabels())
      return false;
    return slice.getSource() == after.getSource() &&
           slice.getOffset() + slice.getSize() == after.getOffset();
  }
};

struct NeighbouringSlices final : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

LogicalResult
NeighbouringSlices::matchAndRewrite(ConcatOp op,
                                    PatternRewriter &rewriter) const {
  Labels labels = op.getAxisLabels();
  char along = op.getAlong().front();
  for (unsigned i = 0; i + 1 < op.getParts().size(); ++i) {
    StringRef letters = labels.inputs[i];
    if (letters != labels.inputs[i + 1])
      continue;
    unsigned axis = *axisOf(letters, along);
    SlicedPart first(op.getParts()[i], axis),
        second(op.getParts()[i + 1], axis);
    if (!first.isFollowedBy(second))
      continue;
    SliceOp slice = first.slice;
    Value both =
        takeSlice(rewriter, op.getLoc(), slice.getLabels(), slice.getSource(),
                  slice.getAxis(), slice.getOffset(),
                  slice.getSize() + second.slice.getSize());
    if (first.view)
      both = ViewOp::create(rewriter, op.getLoc(),
                            resized(op.getParts()[i].getType(), axis,
                                    op.getPartSize(i) + op.getPartSize(i + 1)),
                            first.view.getLabels(), both);
    SmallVector<Value> parts(op.getParts());
    parts[i] = both;
    parts.erase(parts.begin() + i + 1);
    labels.inputs.erase(labels.inputs.begin() + i + 1);
    rewriter.replaceOpWithNewOp<ConcatOp>(op, op.getType(), labels.str(),
                                          op.getAlong(), parts);
    return success();
  }
  return rewriter.notifyMatchFailure(op, "no part continues the one before");
}

void ConcatOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<ConcatOfOne, NeighbouringSlices>(context);
}
