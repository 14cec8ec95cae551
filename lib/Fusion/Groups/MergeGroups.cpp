//===- MergeGroups.cpp - Pack grouped query heads into rows ---------------===//
//----------------===//
//
// The lanes of a kernel are queries. Where few are expected, as in decode, most
// lanes are idle, and each query head reads the keys of its KV head again. The
// heads of a group differ in nothing but the query, so they can be rows, too:
//
//   %o = attn.kernel ins(%q, ...) mask {^bb0(%b, %h, %g, %q, %k): k <= q}
//     : q [batch, 1, 128, query_len, d]
// becomes
//   %rows = attn.map "->bhzqd"() {q' = q / 128, g' = q % 128: read of the
//   query} %r = attn.kernel ins(%rows, ...)
//        mask {^bb0(%b, %h, %z, %q, %k): k <= q / 128}
//     : rows [batch, 1, 1, query_len * 128, d]
//   %o = attn.map "->bhgqe"() {read of row q * 128 + g of %r}
//
// Rows of one position follow each other, so that blocks of rows stay blocks of
// positions and the mask's ranges stay tight. The maps move one row per query.
// A head in a formula, as in ALiBi, is the row's: what was a number of the head
// becomes one of the lane. That is cheap per pair, but not per feature.
// Tests: test/Fusion/merge-groups.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "Groups/GroupedHeads.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Interface/Remark.h"
#include "attnc/Target/NeutralTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

namespace attnc::fusion {
#define GEN_PASS_DEF_MERGEGROUPS
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

namespace {
class GroupMerger {
public:
  explicit GroupMerger(attn::KernelOp kernel)
      : kernel(kernel), b(kernel.getLoc(), kernel),
        group(kernel.getQ().getType().getDimSize(2)) {}

  void merge();

private:
  RankedTensorType merged(Type tensor);
  Value constant(OpBuilder &builder, int64_t number);
  Value makeRows(Value rows);
  void splitRows(Region &region, unsigned group);
  SmallVector<Value> placesInRows(OpBuilder &builder, ValueRange places);
  void replaceResult(Value rows, StringRef letters);

  attn::KernelOp kernel;
  ImplicitLocOpBuilder b;
  int64_t group;
};

} // namespace

Value GroupMerger::constant(OpBuilder &builder, int64_t number) {
  return arith::ConstantIndexOp::create(builder, kernel.getLoc(), number);
}

/// [b, h, g, q, ...] -> [b, h, 1, q * g, ...]
RankedTensorType GroupMerger::merged(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  SmallVector<Attribute> sizes;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    sizes.push_back(attn::axisSize(type, axis));
  sizes[2] = b.getI64IntegerAttr(1);
  if (auto number = dyn_cast<IntegerAttr>(sizes[3])) {
    sizes[3] = b.getI64IntegerAttr(number.getInt() * group);
  } else {
    std::string error;
    auto rows = SizeExpr::parse(cast<StringAttr>(sizes[3]).getValue(), error);
    sizes[3] = b.getStringAttr((*rows * SizeExpr::constant(group)).str());
  }
  return attn::tensorType(sizes, type.getElementType());
}

/// The type in which a map of such tensors computes: it moves elements as they
/// are, also where the kernel computes in a wider type.
static Type scalarOf(Value tensor) {
  return attn::accumulateType({tensor.getType()});
}

/// The element of rows at b, h, g, q, d, where it is computed or given.
static Value readRow(OpBuilder &builder, Location loc, const ViewedRows &rows,
                     ValueRange places) {
  SmallVector<Value> indices(places);
  for (Operation *op : rows.views) {
    if (auto slice = dyn_cast<attn::SliceOp>(op)) {
      Value &index = indices[slice.getAxis()];
      index = arith::AddIOp::create(
          builder, loc, index,
          arith::ConstantIndexOp::create(builder, loc, slice.getOffset()));
      continue;
    }
    auto view = cast<attn::ViewOp>(op);
    attn::ViewLabels labels = view.getViewLabels();
    SmallVector<Value> next;
    for (StringRef letters : labels.input) {
      Value index;
      for (size_t i = 0; i < letters.size(); ++i) {
        unsigned axis = llvm::find(labels.output, letters.substr(i, 1)) -
                        labels.output.begin();
        if (!index) {
          index = indices[axis];
          continue;
        }
        int64_t size = view.getType().getDimSize(axis);
        index = arith::MulIOp::create(
            builder, loc, index,
            arith::ConstantIndexOp::create(builder, loc, size));
        index = arith::AddIOp::create(builder, loc, index, indices[axis]);
      }
      next.push_back(index);
    }
    indices = std::move(next);
  }
  return attn::ReadOp::create(builder, loc, scalarOf(rows.source), rows.source,
                              indices);
}

Value GroupMerger::makeRows(Value rows) {
  ViewedRows viewed = skipViews(rows);
  return attn::MapOp::create(
      b, merged(rows.getType()), "->bhzqd", ValueRange(),
      [&](OpBuilder &inner, Location loc, ValueRange x) {
        Value size = constant(inner, group);
        Value q = arith::FloorDivSIOp::create(inner, loc, x[3], size);
        Value first = arith::MulIOp::create(inner, loc, q, size);
        Value g = arith::SubIOp::create(inner, loc, x[3], first);
        Value places[] = {x[0], x[1], g, q, x[4]};
        attn::YieldOp::create(inner, loc, readRow(inner, loc, viewed, places));
      });
}

/// Formulas are of the head and the position, which several rows share.
void GroupMerger::splitRows(Region &region, unsigned axis) {
  BlockArgument head = region.getArgument(axis);
  BlockArgument row = region.getArgument(axis + 1);
  if (row.use_empty() && head.use_empty())
    return;
  Location loc = kernel.getLoc();
  OpBuilder inner = OpBuilder::atBlockBegin(&region.front());
  Value size = constant(inner, group);
  auto q = arith::FloorDivSIOp::create(inner, loc, row, size);
  row.replaceAllUsesExcept(q, q);
  if (head.use_empty())
    return;
  auto first = arith::MulIOp::create(inner, loc, q, size);
  auto g = arith::SubIOp::create(inner, loc, row, first);
  head.replaceAllUsesWith(g);
}

/// b, h, g, q, ... as places of the rows.
SmallVector<Value> GroupMerger::placesInRows(OpBuilder &builder,
                                             ValueRange places) {
  Location loc = kernel.getLoc();
  Value first =
      arith::MulIOp::create(builder, loc, places[3], constant(builder, group));
  SmallVector<Value> moved(places);
  moved[2] = constant(builder, 0);
  moved[3] = arith::AddIOp::create(builder, loc, first, places[2]);
  return moved;
}

/// Formulas read a row where it is; for others a map moves all rows back.
void GroupMerger::replaceResult(Value rows, StringRef letters) {
  auto type = cast<RankedTensorType>(rows.getType());
  rows.setType(merged(type));
  SmallVector<attn::ReadOp> reads;
  for (Operation *user : rows.getUsers())
    if (auto read = dyn_cast<attn::ReadOp>(user))
      reads.push_back(read);
  for (attn::ReadOp read : reads) {
    OpBuilder inner(read);
    read.getIndicesMutable().assign(placesInRows(inner, read.getIndices()));
  }
  if (reads.size() == static_cast<size_t>(llvm::range_size(rows.getUses())))
    return;
  auto heads = attn::MapOp::create(
      b, type, ("->" + letters).str(), ValueRange(),
      [&](OpBuilder &inner, Location loc, ValueRange x) {
        attn::YieldOp::create(inner, loc,
                              attn::ReadOp::create(inner, loc, scalarOf(rows),
                                                   rows,
                                                   placesInRows(inner, x)));
      });
  rows.replaceUsesWithIf(heads.getResult(), [](OpOperand &use) {
    return !isa<attn::ReadOp>(use.getOwner());
  });
}

void GroupMerger::merge() {
  kernel.getQMutable().assign(makeRows(kernel.getQ()));
  for (unsigned i = 0; i < kernel.getProducts().size(); i += 2) {
    OpOperand &rows = kernel.getProductsMutable()[i];
    rows.set(makeRows(rows.get()));
  }
  for (Region &region : kernel->getRegions())
    if (!region.empty())
      splitRows(region, groupArgument(kernel, region));
  b.setInsertionPointAfter(kernel);
  for (auto [result, letters] : kernel.getLetteredResults())
    replaceResult(result, letters);
  remarkOn(kernel) << group
                   << " query heads per KV head are packed into rows, since "
                      "few queries are expected [fused]";
}

/// Whether it saves a tenth, each regime relative to the best that it could
/// have.
static bool isWorthwhile(attn::KernelOp kernel, ArrayRef<Regime> regimes,
                         const Target &target) {
  double before = 0, after = 0;
  for (const Regime &at : regimes) {
    double heads = groupCycles(kernel, /*areRows=*/false, at, target);
    double rows = groupCycles(kernel, /*areRows=*/true, at, target);
    before += at.weight * heads / std::min(heads, rows);
    after += at.weight * rows / std::min(heads, rows);
  }
  return after <= 0.9 * before;
}

namespace {
struct MergeGroups final : fusion::impl::MergeGroupsBase<MergeGroups> {
  using MergeGroupsBase::MergeGroupsBase;

  void runOnOperation() override {
    SmallVector<Regime> regimes = getRegimes(getOperation(), nullptr);
    for (attn::KernelOp kernel : findGroupedKernels(getOperation())) {
      if (!isWorthwhile(kernel, regimes, getNeutralRows()))
        continue;
      StringRef obstacle = findGroupObstacle(kernel);
      if (obstacle.empty())
        GroupMerger(kernel).merge();
      else
        remarkOn(kernel) << "few queries are expected, but grouped heads are "
                            "not packed into rows: "
                         << obstacle << " [fused]";
    }
  }
};
} // namespace
