//===- GroupedRows.cpp - Pack grouped query heads into rows ---------------===//
//
// Formulas are of the head and the position, which several rows share: where a
// region has arguments (b, h, g, q, ...), one of rows r has q = r / n and g = r
// mod n. A head in a formula, as in ALiBi, is the row's: what was a scalar of
// the head becomes one per lane. That is cheap per pair, but not per feature.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Kernel/GroupedRows.h"

#include "attnc/Analysis/Kernel/ScoreFactors.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Interface/SizeExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace attnc {

int64_t groupOf(attn::KernelOp kernel) {
  return std::max<int64_t>(kernel.getQ().getType().getDimSize(2), 1);
}

/// The number of g among the arguments of a region with elements, perhaps a
/// feature, then b, h, g, q.
static unsigned groupArgument(attn::KernelOp kernel, Region &region) {
  auto isIndex = [](Value argument) { return argument.getType().isIndex(); };
  unsigned elements = llvm::find_if(region.getArguments(), isIndex) -
                      region.getArguments().begin();
  bool hasFeature = &region == &kernel.getValue() ||
                    llvm::any_of(kernel.getPairs(), [&](Region &pair) {
                      return &pair == &region;
                    });
  return elements + (hasFeature ? 3 : 2);
}

//===----------------------------------------------------------------------===//
// Whether
//===----------------------------------------------------------------------===//

std::optional<MergedDigits> mergeDigits(const TensorDigits &digits) {
  MergedDigits merged{digits, -1, std::nullopt};
  for (auto [number, axis] : llvm::enumerate(merged.digits))
    for (Digit &digit : axis) {
      bool isLast = &digit == &axis.back();
      if (digit.letter == 'q') {
        if (digit.table || !isLast || merged.rows != -1)
          return std::nullopt;
        merged.rows = number;
      }
      if (digit.letter != 'g' || isAlwaysZero(digit))
        continue;
      if (!isLast || merged.heads)
        return std::nullopt;
      merged.heads = number;
      digit.letter = kUnit;
      if (!digit.places)
        digit.places = digit.size;
      digit.size =
          IntegerAttr::get(IntegerType::get(digit.size.getContext(), 64), 1);
    }
  if (merged.rows == -1)
    return std::nullopt;
  return merged;
}

/// Whether kernels convert the rows as they load them, so that they cannot be
/// stored as floats before.
static bool isConverted(Value rows) {
  Operation *op = rows.getDefiningOp();
  while (isa_and_present<attn::ViewOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_present<attn::MapOp>(op) && op->hasAttr(kConvertOnLoad);
}

static StringRef findRowObstacle(Value rows, bool mayStore) {
  Value root;
  FailureOr<TensorDigits> digits =
      digitsOfOperand(rows, "bhgqd", root, /*report=*/false);
  if (failed(digits)) // it is stored first
    return "";
  if (hasTable(*digits))
    return "a table locates its queries";
  return (mayStore && !isConverted(rows)) || mergeDigits(*digits)
             ? ""
             : "the query heads of a group are not adjacent";
}

StringRef whyNotGrouped(attn::KernelOp kernel, bool mayStore) {
  if (kernel.getQ().getType().isDynamicDim(2))
    return "the number of query heads per KV head is not fixed";
  if (groupOf(kernel) == 1)
    return "each KV head has one query head";
  if (kernel.getDense())
    return "it stores per-pair values";
  auto isRead = [](Operation *user) { return isa<attn::ReadOp>(user); };
  if (kernel.getKey() && !llvm::all_of(kernel.getKey().getUsers(), isRead))
    return "its ranks return key indices";
  if (kernel.hasGroupedKeys())
    return "its keys or values differ between heads";
  std::string reason;
  if (findScoreFactors(kernel, reason)) // not of rows that share a position
    return "linear attention carries its sums from chunk to chunk";
  auto dependsOnHead = [&](Region &region) {
    return !region.empty() &&
           !region.getArgument(groupArgument(kernel, region)).use_empty();
  };
  if (dependsOnHead(kernel.getMask()) || dependsOnHead(kernel.getRanges()) ||
      dependsOnHead(kernel.getClassify()))
    return "its mask differs between heads"; // ranges would be of all
  if (llvm::any_of(kernel.getPairs(), dependsOnHead) ||
      dependsOnHead(kernel.getValue()))
    return "a per-feature formula differs between heads";
  if (!attn::axisSize(kernel.getQ().getType(), 3))
    return "the number of queries has no name";
  StringRef obstacle = findRowObstacle(kernel.getQ(), mayStore);
  for (unsigned i = 0; i < kernel.getProducts().size() && obstacle.empty();
       i += 2)
    obstacle = findRowObstacle(kernel.getProducts()[i], mayStore);
  return obstacle;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

namespace {
/// Arithmetic at the start of a region.
struct RowSplitter {
  Region &region;
  int64_t group;
  OpBuilder b = OpBuilder::atBlockBegin(&region.front());
  Location loc = region.getLoc();
  Value size = {};

  Value count() {
    if (!size)
      size = arith::ConstantIndexOp::create(b, loc, group);
    return size;
  }
  /// The position of a row, or the end of those of rows before an end.
  Value positionOf(Value row, bool isEnd) {
    if (isEnd)
      return arith::CeilDivSIOp::create(b, loc, row, count());
    return arith::FloorDivSIOp::create(b, loc, row, count());
  }
  /// Replaces the position that argument `number` was.
  Value replacePosition(unsigned number, bool isEnd = false) {
    BlockArgument row = region.getArgument(number);
    if (row.use_empty())
      return {};
    Value q = positionOf(row, isEnd);
    row.replaceAllUsesExcept(q, q.getDefiningOp());
    return q;
  }
  void replaceHead(unsigned number, Value q) {
    BlockArgument head = region.getArgument(number);
    if (head.use_empty())
      return;
    BlockArgument row = region.getArgument(number + 1);
    if (!q)
      q = positionOf(row, /*isEnd=*/false);
    Value first = arith::MulIOp::create(b, loc, q, count());
    head.replaceAllUsesWith(
        arith::SubIOp::create(b, loc, row, first).getResult());
  }
};
} // namespace

void mergeRowsOfRegions(attn::KernelOp kernel, int64_t group) {
  for (Region &region : kernel->getRegions()) {
    if (region.empty())
      continue;
    RowSplitter rows{region, group};
    unsigned head = groupArgument(kernel, region);
    rows.replaceHead(head, rows.replacePosition(head + 1));
    if (&region == &kernel.getRanges() || &region == &kernel.getClassify())
      rows.replacePosition(head + 2, /*isEnd=*/true);
  }
}

//===----------------------------------------------------------------------===//
// MergedKernel
//===----------------------------------------------------------------------===//

/// [b, h, g, q, ...] -> [b, h, 1, q * g, ...]
static RankedTensorType mergedType(Type tensor, int64_t group) {
  auto type = cast<RankedTensorType>(tensor);
  auto i64 = IntegerType::get(type.getContext(), 64);
  SmallVector<Attribute> sizes;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    sizes.push_back(attn::axisSize(type, axis));
  sizes[2] = IntegerAttr::get(i64, 1);
  if (auto number = dyn_cast<IntegerAttr>(sizes[3])) {
    sizes[3] = IntegerAttr::get(i64, number.getInt() * group);
  } else {
    std::string error;
    auto rows = SizeExpr::parse(cast<StringAttr>(sizes[3]).getValue(), error);
    sizes[3] = StringAttr::get(type.getContext(),
                               (*rows * SizeExpr::constant(group)).str());
  }
  return attn::tensorType(sizes, type.getElementType());
}

Value MergedKernel::mergeRows(OpBuilder &builder, Value rows) {
  auto cast = UnrealizedConversionCastOp::create(
      builder, rows.getLoc(), mergedType(rows.getType(), group), rows);
  casts.push_back(cast);
  return cast.getResult(0);
}

MergedKernel::MergedKernel(attn::KernelOp kernel) : group(groupOf(kernel)) {
  OpBuilder builder(kernel);
  merged = cast<attn::KernelOp>(builder.clone(*kernel));
  builder.setInsertionPoint(merged);
  merged.getQMutable().assign(mergeRows(builder, merged.getQ()));
  for (unsigned i = 0; i < merged.getProducts().size(); i += 2) {
    OpOperand &rows = merged.getProductsMutable()[i];
    rows.set(mergeRows(builder, rows.get()));
  }
  for (Value result : merged->getResults())
    result.setType(mergedType(result.getType(), group));
  mergeRowsOfRegions(merged, group);
}

MergedKernel::~MergedKernel() {
  merged->erase();
  for (Operation *cast : casts)
    cast->erase();
}

} // namespace attnc
