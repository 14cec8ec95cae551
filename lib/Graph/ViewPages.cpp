//===- ViewPages.cpp - View rows that a table finds as rows of pages ------===//
//
// A cache in pages may be written as a formula. Its rows are those of pages:
//
//   %k = attn.map "->bhkd"() {
//     %page = attn.read %table[%b, %k floordiv 16]
//     %x = attn.read %K8[%page, %h, %k mod 16, %d]
//     yield %x * attn.read %ks[%page, %h, %k mod 16]}
// becomes
//   %v = attn.view "abcd->acbd" %K8
//   %r = attn.pages %v by %table
//   %n = attn.view "abcd->acbd" %r
//   %k = attn.map "bhkd->bhkd"(%n) {^(%x, ...): yield %x * ...}
//
// so a kernel loads blocks of them, where it would read element by element.
// Numbers without the last axis (scales) stay as they are: each is read for a
// whole row.
//
// A read outside of the cache is an error of the call, so that attn.pages,
// which reads zeros there, changes no result. Tests: test/Graph/view-pages.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Graph/Passes.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Interface/Interface.h"
#include "attnc/Interface/Remark.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attnc;

namespace attnc::graph {
#define GEN_PASS_DEF_VIEWPAGES
#include "attnc/Graph/Passes.h.inc"
} // namespace attnc::graph

namespace {
/// What finds the rows that a region reads: axis `page` of the tensor is
/// indexed by table[batch, key floordiv rows], axis `within` by key mod rows,
/// and the others by letters of the map.
struct Pages {
  unsigned page = 0, within = 0;
  int64_t rows = 1;
  Value table;
  unsigned batch = 0, key = 0; // axes of the map's result
  SmallVector<unsigned> axes;  // of the map's result, by axis of the tensor
};

/// Matches a read of rows in a map.
class PageMatch {
public:
  PageMatch(attn::MapOp map, attn::ReadOp read) : map(map), read(read) {}
  std::optional<Pages> match();
  /// Whether a row is read whose place another tensor gives.
  bool readsFoundRows();
  /// Why `match` found nothing.
  StringRef whyNot() const { return reason; }

private:
  std::optional<unsigned> axisOf(Value index);
  bool arePages(Value table, unsigned axis);
  bool matchPage(Pages &pages);
  bool matchWithin(Pages &pages);
  bool matchOthers(Pages &pages);
  Attribute sizeOf(unsigned axis) {
    return attn::axisSize(map.getType(), axis);
  }

  attn::MapOp map;
  attn::ReadOp read;
  StringRef reason;
};
} // namespace

/// The axis of the map's result that `index` is the index along.
std::optional<unsigned> PageMatch::axisOf(Value index) {
  auto argument = dyn_cast<BlockArgument>(index);
  unsigned inputs = map.getInputs().size();
  if (!argument || argument.getOwner() != &map.getBody().front() ||
      argument.getArgNumber() < inputs)
    return std::nullopt;
  return argument.getArgNumber() - inputs;
}

/// The dividend and the number that `value` divides it by, rounding down; null
/// and 0 for another value.
static std::pair<Value, int64_t> asQuotient(Value value) {
  auto quotient = value.getDefiningOp<arith::FloorDivSIOp>();
  llvm::APInt divisor;
  if (quotient && matchPattern(quotient.getRhs(), m_ConstantInt(&divisor)) &&
      divisor.isStrictlyPositive())
    return {quotient.getLhs(), divisor.getSExtValue()};
  return {Value(), 0};
}

/// Whether `value` is `of` mod `by`, as of - (of floordiv by) * by.
static bool isRemainder(Value value, Value of, int64_t by) {
  auto difference = value.getDefiningOp<arith::SubIOp>();
  if (!difference || difference.getLhs() != of)
    return false;
  auto product = difference.getRhs().getDefiningOp<arith::MulIOp>();
  llvm::APInt factor;
  return product && matchPattern(product.getRhs(), m_ConstantInt(&factor)) &&
         factor == by && asQuotient(product.getLhs()) == std::pair(of, by);
}

/// Whether entries of `table` are indices along an axis of the rows' tensor.
bool PageMatch::arePages(Value table, unsigned axis) {
  auto argument = dyn_cast<BlockArgument>(table);
  auto function = map->getParentOfType<func::FuncOp>();
  auto module = map->getParentOfType<ModuleOp>();
  if (!argument || !function || !module || !module->hasAttr(kInterfaceAttr))
    return false;
  FailureOr<std::vector<Interface>> interfaces = getInterfaces(module);
  if (failed(interfaces))
    return false;
  const Interface *interface = findInterface(*interfaces, function.getName());
  if (!interface || argument.getArgNumber() >= interface->tensors.size())
    return false;
  const auto &range = interface->tensors[argument.getArgNumber()].range;
  Attribute size = attn::axisSize(read.getSource().getType(), axis);
  if (!range || range->first.constantValue().value_or(-1) < 0 || !size)
    return false;
  std::string error;
  std::optional<SizeExpr> count =
      isa<IntegerAttr>(size)
          ? SizeExpr::constant(cast<IntegerAttr>(size).getInt())
          : SizeExpr::parse(cast<StringAttr>(size), error);
  return count && range->second == *count - SizeExpr::constant(1);
}

bool PageMatch::matchPage(Pages &pages) {
  for (auto [axis, index] : llvm::enumerate(read.getIndices())) {
    auto find = index.getDefiningOp<attn::ReadOp>();
    if (!find || find.getIndices().size() != 2)
      continue;
    auto [key, rows] = asQuotient(find.getIndices()[1]);
    if (!key)
      continue;
    std::optional<unsigned> batchAxis = axisOf(find.getIndices()[0]),
                            keyAxis = axisOf(key);
    if (!batchAxis || !keyAxis || *batchAxis == *keyAxis ||
        attn::axisSize(find.getSource().getType(), 0) != sizeOf(*batchAxis) ||
        !arePages(find.getSource(), axis))
      continue;
    pages.page = axis;
    pages.rows = rows;
    pages.table = find.getSource();
    pages.batch = *batchAxis;
    pages.key = *keyAxis;
    return true;
  }
  return false;
}

bool PageMatch::matchWithin(Pages &pages) {
  Value key =
      map.getBody().front().getArgument(map.getInputs().size() + pages.key);
  for (auto [axis, index] : llvm::enumerate(read.getIndices())) {
    if (!isRemainder(index, key, pages.rows))
      continue;
    auto size = dyn_cast_if_present<IntegerAttr>(
        attn::axisSize(read.getSource().getType(), axis));
    pages.within = axis;
    return size && size.getInt() == pages.rows;
  }
  return false;
}

/// The other axes are whole axes of the map, the last one among them.
bool PageMatch::matchOthers(Pages &pages) {
  llvm::SmallDenseSet<unsigned> seen{pages.batch, pages.key};
  for (auto [axis, index] : llvm::enumerate(read.getIndices())) {
    bool isFound = axis == pages.page || axis == pages.within;
    std::optional<unsigned> other = isFound ? pages.key : axisOf(index);
    if (!other)
      return false;
    pages.axes.push_back(*other);
    if (isFound)
      continue;
    Attribute size = attn::axisSize(read.getSource().getType(), axis);
    if (!size || size != sizeOf(*other) || !seen.insert(*other).second)
      return false;
  }
  unsigned last = map.getType().getRank() - 1;
  return last != pages.batch && last != pages.key && seen.contains(last);
}

std::optional<Pages> PageMatch::match() {
  Pages pages;
  if (!isa<BlockArgument>(read.getSource()) ||
      !sizeOf(map.getType().getRank() - 1))
    reason = "the rows are not in an input";
  else if (!matchPage(pages) || !sizeOf(pages.key))
    reason = "no index is an entry table[b, k // n] of an input with the range "
             "of that axis ('in 0..pages - 1')";
  else if (!matchWithin(pages))
    reason = "no index is k % n, with the n of table[b, k // n] and an axis of "
             "n rows";
  else if (!matchOthers(pages))
    reason = "an axis of the tensor is read in part or in another order";
  else
    return pages;
  return std::nullopt;
}

bool PageMatch::readsFoundRows() {
  unsigned last = map.getType().getRank() - 1;
  if (!isa_and_present<IntegerAttr>(sizeOf(last)) ||
      llvm::none_of(read.getIndices(),
                    [&](Value index) { return axisOf(index) == last; }))
    return false;
  SmallVector<Value> open(read.getIndices());
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (isa_and_present<attn::ReadOp>(op))
      return true;
    if (op && op->getBlock() == &map.getBody().front())
      llvm::append_range(open, op->getOperands());
  }
  return false;
}

/// A view with the axes in another order: result axis i is source axis
/// order[i].
static Value reorder(OpBuilder &b, Location loc, Value source,
                     ArrayRef<unsigned> order) {
  auto type = cast<RankedTensorType>(source.getType());
  if (llvm::equal(order, llvm::seq<unsigned>(0, type.getRank())))
    return source;
  auto letter = [](unsigned axis) { return char('a' + axis); };
  std::string from, to;
  SmallVector<Attribute> sizes;
  for (auto [place, axis] : llvm::enumerate(order)) {
    from += letter(place);
    to += letter(axis);
    sizes.push_back(attn::axisSize(type, axis));
  }
  return attn::ViewOp::create(b, loc,
                              attn::tensorType(sizes, type.getElementType()),
                              from + "->" + to, source);
}

/// The rows as a tensor, with its axes in the order of the map's, and their
/// letters.
static std::pair<Value, std::string>
viewRows(OpBuilder &b, attn::MapOp map, attn::ReadOp read, const Pages &pages) {
  Location loc = read.getLoc();
  SmallVector<unsigned> order{pages.page, pages.within},
      axes{pages.batch, pages.key};
  for (auto [axis, of] : llvm::enumerate(pages.axes)) {
    if (of == pages.key)
      continue;
    order.push_back(axis);
    axes.push_back(of);
  }
  Value source = reorder(b, loc, read.getSource(), order);
  SmallVector<Attribute> sizes;
  for (unsigned axis : axes)
    sizes.push_back(attn::axisSize(map.getType(), axis));
  Type type = attn::tensorType(sizes, getElementTypeOrSelf(source.getType()));
  Value rows = attn::PagesOp::create(b, loc, type, source, pages.table);

  auto sorted = llvm::to_vector(llvm::seq<unsigned>(0, axes.size()));
  llvm::sort(sorted, [&](unsigned left, unsigned right) {
    return axes[left] < axes[right];
  });
  std::string letters;
  for (unsigned place : sorted)
    letters += map.getAxisLabels().output[axes[place]];
  return {reorder(b, loc, rows, sorted), letters};
}

/// Rebuilds the map with rows instead of one of its reads.
static attn::MapOp rewriteRead(attn::MapOp map, attn::ReadOp read,
                               const Pages &pages) {
  OpBuilder b(map);
  auto [rows, letters] = viewRows(b, map, read, pages);
  SmallVector<Value> inputs(map.getInputs());
  inputs.push_back(rows);
  attn::Labels labels = map.getAxisLabels();
  std::string text;
  for (StringRef input : labels.inputs)
    text += input.str() + ",";
  text += letters + "->" + labels.output.str();
  auto result = attn::MapOp::create(
      b, map.getLoc(), map.getType(), text, inputs,
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        Block &body = map.getBody().front();
        unsigned old = map.getInputs().size();
        IRMapping mapping;
        mapping.map(body.getArguments().take_front(old),
                    arguments.take_front(old));
        mapping.map(body.getArguments().drop_front(old),
                    arguments.drop_front(old + 1));
        for (Operation &op : body) {
          if (&op == read)
            mapping.map(read.getResult(), arguments[old]);
          else
            inner.clone(op, mapping);
        }
      });
  map.replaceAllUsesWith(result.getResult());
  map.erase();
  return result;
}

/// Views the rows of one read of the map. The new map; null, and remarks on the
/// reads of rows that are left, if there is none.
static attn::MapOp viewOneRead(attn::MapOp map) {
  SmallVector<PageMatch> left;
  for (auto read : map.getBody().front().getOps<attn::ReadOp>()) {
    PageMatch match(map, read);
    if (std::optional<Pages> pages = match.match())
      return rewriteRead(map, read, *pages);
    if (match.readsFoundRows())
      left.push_back(match);
  }
  for (const PageMatch &match : left)
    remarkOn(map) << "rows that a table finds are read element by element: "
                  << match.whyNot() << " [missed]";
  return {};
}

namespace {
struct ViewPages final : graph::impl::ViewPagesBase<ViewPages> {
  void runOnOperation() override {
    SmallVector<attn::MapOp> maps;
    getOperation()->walk([&](attn::MapOp map) { maps.push_back(map); });
    for (attn::MapOp map : maps)
      while ((map = viewOneRead(map))) {
      }
  }
};
} // namespace
