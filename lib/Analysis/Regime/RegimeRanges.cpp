//===- RegimeRanges.cpp - Keys visited by blocks at given sizes -----------===//
//
// Blocks and keys of a long sequence are sampled, never at equal distances:
// documents and chunks repeat, and a distance that fits theirs would see the
// same part of each.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Regime/RegimeRanges.h"

#include "attnc/Analysis/Expr/EvaluateRegion.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace attnc;

int64_t attnc::sampleAt(int64_t i, int64_t samples, int64_t whole) {
  if (samples >= whole)
    return i;
  constexpr double golden = 0.6180339887498949;
  double within = double(i + 1) * golden;
  within -= std::floor(within);
  return int64_t((double(i) + within) * double(whole) / double(samples));
}

/// The queries of a sequence, of which `rows` may hold several heads each
/// (MergedKernel): an axis "query_len * 8" has query_len of them.
static int64_t queriesOf(attn::KernelOp kernel, const Regime &regime,
                         int64_t rows) {
  auto text = dyn_cast_if_present<StringAttr>(
      attn::axisSize(kernel.getQ().getType(), 3));
  std::string error;
  auto size = text ? SizeExpr::parse(text.getValue(), error) : std::nullopt;
  std::vector<std::string> names;
  if (size)
    names = size->sizeNames();
  if (names.size() != 1)
    return rows;
  int64_t one = regime.sizeOf(StringRef(names.front()));
  auto none =
      size->evaluate([](StringRef) { return std::optional<int64_t>(0); });
  return none == 0 && one > 0 && rows % one == 0 ? one : rows;
}

RegimeRanges::RegimeRanges(attn::KernelOp kernel, const Interface *interface,
                           const Regime &regime)
    : kernel(kernel), regime(regime),
      tables(kernel.getMask(), {&kernel.getRanges(), &kernel.getClassify()},
             interface, regime) {
  queries = regime.rowsOf(kernel.getQ(), 3);
  keys = regime.rowsOf(kernel.getK(), kernel.getKeyAxis());
  tables.choose(queriesOf(kernel, regime, queries), keys, [&] {
    forget();
    return getNeededPairs();
  });
}

int64_t RegimeRanges::getHeads() const {
  int64_t heads = 1;
  for (unsigned axis : {0, 1, 2}) // b, h and g
    heads *= regime.rowsOf(kernel.getQ(), axis);
  return heads;
}

void RegimeRanges::forget() {
  neededPairs.reset();
  memo.clear();
  classes.clear();
}

std::optional<SmallVector<ValueBounds>>
RegimeRanges::run(Region &region, ArrayRef<int64_t> arguments) const {
  if (tables.hasUnknown())
    return boundRegion(
        region.front(), arguments, [&](Operation *op, ArrayRef<ValueBounds> v) {
          if (auto size = dyn_cast<attn::SizeOp>(op))
            return ValueBounds::of(regime.sizeOf(size.getName()));
          return tables.boundsOf(op, v);
        });
  auto values = evaluateRegion(
      region.front(), arguments, [&](Operation *op, ArrayRef<int64_t> v) {
        auto size = dyn_cast<attn::SizeOp>(op);
        return size ? regime.sizeOf(size.getName()) : tables.valueOf(op, v);
      });
  if (!values)
    return std::nullopt;
  return llvm::map_to_vector(*values, ValueBounds::of);
}

SmallVector<KeySpan, 2> RegimeRanges::evaluate(int64_t first,
                                               int64_t end) const {
  if (!kernel.hasRanges())
    return {{0, 0, 0, keys}};
  auto bounds = run(kernel.getRanges(), {0, 0, 0, first, end});
  if (!bounds)
    return {{0, 0, keys, keys}};
  SmallVector<KeySpan, 2> spans;
  int64_t visited = 0; // where the last segment may end, the next may start
  for (size_t i = 0; i + 3 < bounds->size(); i += 4) {
    KeySpan s{(*bounds)[i].lo, (*bounds)[i + 1].hi, (*bounds)[i + 2].lo,
              (*bounds)[i + 3].hi};
    s.anyLo = std::max(s.anyLo, visited);
    s.anyHi = std::min(s.anyHi, keys);
    if (s.anyLo >= s.anyHi)
      continue;
    visited = s.anyHi;
    s.allLo = std::clamp(s.allLo, s.anyLo, s.anyHi);
    s.allHi = std::clamp(s.allHi, s.allLo, s.anyHi);
    spans.push_back(s);
  }
  return spans;
}

const SmallVector<KeySpan, 2> &RegimeRanges::get(int64_t first, int64_t end) {
  auto [it, isNew] = memo.try_emplace({first, end});
  if (isNew)
    it->second = evaluate(first, end);
  return it->second;
}

double RegimeRanges::getVisitedShare() {
  if (keys == 0)
    return 1;
  int64_t first = keys, end = 0;
  for (const KeySpan &span : get(0, queries)) {
    first = std::min(first, span.anyLo);
    end = std::max(end, span.anyHi);
  }
  return double(std::max<int64_t>(end - first, 0)) / double(keys);
}

int64_t RegimeRanges::classOf(int64_t firstRow, int64_t endRow,
                              int64_t firstKey, int64_t endKey) {
  if (!kernel.hasClassify())
    return 1;
  auto [it, isNew] =
      classes.try_emplace({firstRow, endRow, firstKey, endKey}, 1);
  if (isNew)
    if (auto found = run(kernel.getClassify(),
                         {0, 0, 0, firstRow, endRow, firstKey, endKey});
        found && found->front().isOne())
      it->second = found->front().lo;
  return it->second;
}

/// Of the keys of a span the part that the mask lets a row see. Ranges alone
/// are exact for one row, nearly, unless there are classes.
double RegimeRanges::allowedPart(int64_t row, const KeySpan &span) const {
  if (!kernel.hasClassify())
    return 1;
  constexpr int64_t mostKeys = 64;
  int64_t count = span.anyHi - span.anyLo, allowed = 0;
  int64_t samples = std::min(count, mostKeys);
  for (int64_t i = 0; i < samples; ++i) {
    int64_t key = span.anyLo + sampleAt(i, samples, count);
    auto seen = run(kernel.getMask(), {0, 0, 0, row, key});
    allowed += !seen || seen->front().hi != 0;
  }
  return double(allowed) / double(samples);
}

double RegimeRanges::countPairs() {
  double pairs = 0;
  int64_t samples = std::min<int64_t>(queries, kernel.hasClassify() ? 64 : 256);
  for (int64_t i = 0; i < samples; ++i) {
    int64_t row = sampleAt(i, samples, queries);
    for (const KeySpan &s : get(row, row + 1))
      pairs += double(s.anyHi - s.anyLo) * allowedPart(row, s) *
               double(queries) / double(samples);
  }
  return pairs;
}

double RegimeRanges::getNeededPairs() {
  if (!neededPairs)
    neededPairs = countPairs();
  return *neededPairs;
}
