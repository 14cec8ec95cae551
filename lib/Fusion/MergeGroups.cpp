//===- MergeGroups.cpp - Heads of a group as rows of one block ------------===//
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
// positions and the mask's ranges stay tight. Both maps move one row per query.
// Tests: test/Fusion/merge-groups.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "attnc/Analysis/Regimes.h"
#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Attn/AttnMove.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attnc;

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

  /// Why it cannot be done; empty: it can.
  StringRef findObstacle();
  bool isWorthwhile();
  void merge();

private:
  RankedTensorType merged(Type tensor);
  Value constant(OpBuilder &builder, int64_t number);
  Value makeRows();
  Value readQuery(OpBuilder &builder, ValueRange places, Type real);
  void splitRows(Region &region, unsigned axis);
  void replaceResult(RankedTensorType type);

  attn::KernelOp kernel;
  ImplicitLocOpBuilder b;
  int64_t group;
  Value source;                   // of the query, behind its views
  SmallVector<Operation *> views; // from the query to the source
};
} // namespace

/// Places of b, h, g, q among the arguments of a region of scores, masks, init,
/// pairs and values: that of g.
static unsigned groupArgument(attn::KernelOp kernel, Region &region) {
  bool isPair = &region == &kernel.getPair();
  bool isValue = &region == &kernel.getValue();
  bool isScore = &region == &kernel.getScore() || &region == &kernel.getGate();
  return isPair ? 5 : isValue ? 4 : isScore ? 3 : 2;
}

StringRef GroupMerger::findObstacle() {
  if (!kernel.getNorm() || !kernel.getO())
    return "it does not make rows of values";
  for (Value other : kernel->getResults().drop_front())
    if (!other.use_empty())
      return "another result than o is used";
  if (kernel.hasRanges() || kernel.hasClassify())
    return "its ranges are known already";
  for (Region &region : kernel->getRegions())
    if (!region.empty() &&
        !region.getArgument(groupArgument(kernel, region)).use_empty())
      return "its formulas differ from head to head";
  if (kernel.getNumProducts() != 0)
    return "its score has several products";
  if (!attn::axisSize(kernel.getQ().getType(), 3))
    return "the number of queries has no name";
  source = kernel.getQ();
  while (isa_and_present<attn::ViewOp, attn::SliceOp>(source.getDefiningOp())) {
    views.push_back(source.getDefiningOp());
    source = views.back()->getOperand(0);
  }
  if (isa_and_present<attn::UnpackOp, attn::PagesOp>(source.getDefiningOp()))
    return "a table says where its queries are";
  for (Operation *op : views)
    if (auto view = dyn_cast<attn::ViewOp>(op))
      for (StringRef letters : view.getViewLabels().output)
        if (letters.size() > 1)
          return "its queries are axes that a view merges";
  return "";
}

/// Vectors of lanes are filled; no level has more of them than this.
bool GroupMerger::isWorthwhile() {
  constexpr int64_t kLanes = 16;
  double before = 0, after = 0;
  auto function = kernel->getParentOfType<func::FuncOp>();
  for (const Regime &regime : getRegimes(function, nullptr)) {
    int64_t rows = std::max<int64_t>(regime.rowsOf(kernel.getQ(), 3), 1);
    before += regime.weight;
    after += regime.weight * double(llvm::alignTo(rows * group, kLanes)) /
             double(group * llvm::alignTo(rows, kLanes));
  }
  return after <= 0.9 * before;
}

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

/// The element of the query at b, h, g, q, d, where it is computed or given.
Value GroupMerger::readQuery(OpBuilder &builder, ValueRange places, Type real) {
  SmallVector<Value> indices(places);
  Location loc = kernel.getLoc();
  for (Operation *op : views) {
    if (auto slice = dyn_cast<attn::SliceOp>(op)) {
      Value &index = indices[slice.getAxis()];
      index = arith::AddIOp::create(builder, loc, index,
                                    constant(builder, slice.getOffset()));
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
        index =
            arith::MulIOp::create(builder, loc, index, constant(builder, size));
        index = arith::AddIOp::create(builder, loc, index, indices[axis]);
      }
      next.push_back(index);
    }
    indices = std::move(next);
  }
  return attn::ReadOp::create(builder, loc, real, source, indices);
}

Value GroupMerger::makeRows() {
  Type real = kernel.getAccumulateType();
  return attn::MapOp::create(
      b, merged(kernel.getQ().getType()), "->bhzqd", ValueRange(),
      [&](OpBuilder &inner, Location loc, ValueRange x) {
        Value size = constant(inner, group);
        Value q = arith::FloorDivSIOp::create(inner, loc, x[3], size);
        Value first = arith::MulIOp::create(inner, loc, q, size);
        Value g = arith::SubIOp::create(inner, loc, x[3], first);
        attn::YieldOp::create(inner, loc,
                              readQuery(inner, {x[0], x[1], g, q, x[4]}, real));
      });
}

/// Formulas are of the position, which several rows share.
void GroupMerger::splitRows(Region &region, unsigned axis) {
  if (region.empty() || region.getArgument(axis).use_empty())
    return;
  BlockArgument row = region.getArgument(axis);
  OpBuilder inner = OpBuilder::atBlockBegin(&region.front());
  Value size = constant(inner, group);
  auto q = arith::FloorDivSIOp::create(inner, kernel.getLoc(), row, size);
  row.replaceAllUsesExcept(q, q);
}

void GroupMerger::replaceResult(RankedTensorType type) {
  Value rows = kernel.getO();
  b.setInsertionPointAfter(kernel);
  auto heads = attn::MapOp::create(
      b, type, "->bhgqe", ValueRange(),
      [&](OpBuilder &inner, Location loc, ValueRange x) {
        Value first =
            arith::MulIOp::create(inner, loc, x[3], constant(inner, group));
        Value row = arith::AddIOp::create(inner, loc, first, x[2]);
        Value places[] = {x[0], x[1], constant(inner, 0), row, x[4]};
        attn::YieldOp::create(inner, loc,
                              attn::ReadOp::create(inner, loc,
                                                   kernel.getAccumulateType(),
                                                   rows, places));
      });
  rows.replaceUsesWithIf(heads.getResult(), [&](OpOperand &use) {
    return !heads->isProperAncestor(use.getOwner());
  });
}

void GroupMerger::merge() {
  kernel.getQMutable().assign(makeRows());
  for (Region &region : kernel->getRegions())
    splitRows(region, groupArgument(kernel, region) + 1);
  auto type = cast<RankedTensorType>(kernel.getO().getType());
  for (Value result : kernel->getResults())
    result.setType(merged(result.getType()));
  replaceResult(type);
  kernel.emitRemark() << group << " query heads of a KV head are rows of one "
                      << "block, since few queries are expected [fused]";
}

namespace {
struct MergeGroups final : fusion::impl::MergeGroupsBase<MergeGroups> {
  void runOnOperation() override {
    SmallVector<attn::KernelOp> kernels;
    getOperation().walk([&](attn::KernelOp kernel) {
      if (kernel.getQ().getType().getDimSize(2) > 1) // not open, and no 1
        kernels.push_back(kernel);
    });
    for (attn::KernelOp kernel : kernels) {
      GroupMerger merger(kernel);
      if (!merger.isWorthwhile())
        continue;
      StringRef obstacle = merger.findObstacle();
      if (obstacle.empty())
        merger.merge();
      else
        kernel.emitRemark()
            << "few queries are expected, but heads of a group "
            << "are no rows of one block: " << obstacle << " [fused]";
    }
  }
};
} // namespace
