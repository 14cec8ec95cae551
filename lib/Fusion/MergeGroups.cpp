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
// positions and the mask's ranges stay tight. The maps move one row per query.
// A head in a formula, as in ALiBi, is the row's: what was a number of the head
// becomes one of the lane. That is cheap per pair, but not per feature.
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
  StringRef findRowObstacle(Value rows);
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

/// A tensor behind its views and slices.
struct ViewedRows {
  Value source;
  SmallVector<Operation *> views; // from the tensor to the source
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

static ViewedRows skipViews(Value rows) {
  ViewedRows viewed{rows, {}};
  while (isa_and_present<attn::ViewOp, attn::SliceOp>(
      viewed.source.getDefiningOp())) {
    viewed.views.push_back(viewed.source.getDefiningOp());
    viewed.source = viewed.views.back()->getOperand(0);
  }
  return viewed;
}

StringRef GroupMerger::findRowObstacle(Value rows) {
  ViewedRows viewed = skipViews(rows);
  if (isa_and_present<attn::UnpackOp, attn::PagesOp>(
          viewed.source.getDefiningOp()))
    return "a table says where its queries are";
  for (Operation *op : viewed.views)
    if (auto view = dyn_cast<attn::ViewOp>(op))
      for (StringRef letters : view.getViewLabels().output)
        if (letters.size() > 1)
          return "its queries are axes that a view merges";
  return "";
}

StringRef GroupMerger::findObstacle() {
  if (kernel.getDense())
    return "it stores a number per pair";
  auto isRead = [](Operation *user) { return isa<attn::ReadOp>(user); };
  if (kernel.getKey() && !llvm::all_of(kernel.getKey().getUsers(), isRead))
    return "its keys are no reals that a map moves";
  if (kernel.hasGroupedKeys())
    return "its keys or values differ from head to head";
  if (kernel.hasRanges() || kernel.hasClassify())
    return "its ranges are known already";
  auto dependsOnHead = [&](Region &region) {
    return !region.empty() &&
           !region.getArgument(groupArgument(kernel, region)).use_empty();
  };
  if (dependsOnHead(kernel.getMask()))
    return "its mask differs from head to head"; // ranges would be of all
  if (dependsOnHead(kernel.getPair()) || dependsOnHead(kernel.getValue()))
    return "a formula of its features differs from head to head";
  if (!attn::axisSize(kernel.getQ().getType(), 3))
    return "the number of queries has no name";
  StringRef obstacle = findRowObstacle(kernel.getQ());
  for (unsigned i = 0; i < kernel.getNumProducts() && obstacle.empty(); ++i)
    obstacle = findRowObstacle(kernel.getProducts()[2 * i]);
  return obstacle;
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

/// The element of rows at b, h, g, q, d, where it is computed or given.
static Value readRow(OpBuilder &builder, Location loc, const ViewedRows &rows,
                     ValueRange places, Type real) {
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
  return attn::ReadOp::create(builder, loc, real, rows.source, indices);
}

Value GroupMerger::makeRows(Value rows) {
  Type real = kernel.getAccumulateType();
  ViewedRows viewed = skipViews(rows);
  return attn::MapOp::create(
      b, merged(rows.getType()), "->bhzqd", ValueRange(),
      [&](OpBuilder &inner, Location loc, ValueRange x) {
        Value size = constant(inner, group);
        Value q = arith::FloorDivSIOp::create(inner, loc, x[3], size);
        Value first = arith::MulIOp::create(inner, loc, q, size);
        Value g = arith::SubIOp::create(inner, loc, x[3], first);
        Value places[] = {x[0], x[1], g, q, x[4]};
        attn::YieldOp::create(inner, loc,
                              readRow(inner, loc, viewed, places, real));
      });
}

/// Formulas are of the head and the position, which several rows share.
void GroupMerger::splitRows(Region &region, unsigned axis) {
  if (region.empty())
    return;
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
        attn::YieldOp::create(
            inner, loc,
            attn::ReadOp::create(inner, loc, kernel.getAccumulateType(), rows,
                                 placesInRows(inner, x)));
      });
  rows.replaceUsesWithIf(heads.getResult(), [](OpOperand &use) {
    return !isa<attn::ReadOp>(use.getOwner());
  });
}

void GroupMerger::merge() {
  kernel.getQMutable().assign(makeRows(kernel.getQ()));
  for (unsigned i = 0; i < kernel.getNumProducts(); ++i) {
    OpOperand &rows = kernel.getProductsMutable()[2 * i];
    rows.set(makeRows(rows.get()));
  }
  for (Region &region : kernel->getRegions())
    splitRows(region, groupArgument(kernel, region));
  b.setInsertionPointAfter(kernel);
  for (auto [result, letters] : kernel.getLetteredResults())
    replaceResult(result, letters);
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
