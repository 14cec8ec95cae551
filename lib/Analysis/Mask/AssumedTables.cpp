//===- AssumedTables.cpp - Assumed contents of mask tables ----------------===//
//
// A table is recognized by its use, never by its name:
//
// - truth values are true;
// - starts of the rows of sequences (attn.unpack): all sequences of one length;
// - integers read for the query and for the key and compared, or searched: ids
//   of a few runs of one length, in order;
// - integers of a query that bound keys from below or above (or of a key that
//   bound queries): where the run of that query starts or ends; without a query
//   the first key;
// - integers that do so by a distance: the length of a run;
// - integers of a query that equal a formula of the key, with a declared range:
//   any positions in that range, as a selection of blocks has them;
// - any other integer is one number throughout, which the ranges choose.
//
// Where all that leaves no pair of a query and a key, nothing could be ranked.
// Then what the mask says of the last kind is left open, or, if need be, of
// all: what else it says still leaves out its tiles.
//
// Seven runs: a power of two would let blocks of queries end where documents
// do, which favours those sizes of blocks over what a call finds.
// Tests: test/Schedule/assumed-tables.mlir,
// test/Schedule/assumed-bounds.mlir, test/Schedule/assumed-choices.test,
// test/Tools/accounting.test
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Mask/AssumedTables.h"

#include "Mask/TableBounds.h"

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace attnc;

/// Runs of one id that a table is taken to hold, unless it has fewer ids.
static constexpr int64_t kRuns = 7;

static bool looksAtTable(Operation *op) {
  return isa<attn::ReadOp, attn::TableMinOp, attn::TableMaxOp,
             attn::LowerBoundOp>(op);
}

static bool isTruth(Value table) {
  return cast<RankedTensorType>(table.getType()).getElementType().isInteger(1);
}

const InterfaceTensor *attnc::findTensor(const Interface *interface,
                                         Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!interface || !argument || !argument.getOwner()->isEntryBlock() ||
      !isa<func::FuncOp>(argument.getOwner()->getParentOp()) ||
      argument.getArgNumber() >= interface->tensors.size())
    return nullptr;
  return &interface->tensors[argument.getArgNumber()];
}

AssumedTables::AssumedTables(Region &mask, ArrayRef<Region *> derived,
                             const Interface *interface, const Regime &regime)
    : interface(interface), regime(regime) {
  addTables(mask);
  for (Region *region : derived)
    addTables(*region);
  findUses(mask);
  for (Region *region : derived)
    findSearched(*region);
  findStarts(); // which are searched, too, in some masks
}

void AssumedTables::addTables(Region &region) {
  region.walk([&](Operation *op) {
    if (!looksAtTable(op))
      return;
    Value table = op->getOperand(0);
    auto type = cast<RankedTensorType>(table.getType());
    if (type.getElementType().isInteger(1))
      tables[table].kind = Kind::Truth;
    else if (type.getElementType().isIntOrIndex())
      tables.try_emplace(table);
  });
}

void AssumedTables::markIds(Value table, unsigned axis) {
  auto *found = tables.find(table);
  if (found == tables.end() || found->second.kind != Kind::Others)
    return;
  Content &content = found->second;
  content.kind = Kind::Ids;
  content.axis = axis;
  content.extent = std::max<int64_t>(
      regime.sizeOf(attn::axisSize(table.getType(), axis)), 1);
  content.count = kRuns;
  std::optional<ValueBounds> range = rangeOf(table);
  if (!range)
    return;
  content.least = range->lo;
  content.count = std::min<int64_t>(kRuns, range->hi - range->lo + 1);
}

std::optional<ValueBounds> AssumedTables::rangeOf(Value table) const {
  const InterfaceTensor *tensor = findTensor(interface, table);
  if (!tensor || !tensor->range)
    return std::nullopt;
  auto at = [&](const SizeExpr &end) {
    return interface->resolve(end).evaluate([&](StringRef name) {
      auto size = regime.sizes.find(name);
      return size == regime.sizes.end() ? std::nullopt
                                        : std::optional(size->second);
    });
  };
  std::optional<int64_t> low = at(tensor->range->first);
  std::optional<int64_t> high = at(tensor->range->second);
  if (!low || !high || *high < *low)
    return std::nullopt;
  return ValueBounds{*low, *high};
}

void AssumedTables::markChosen(Value table) {
  auto *found = tables.find(table);
  std::optional<ValueBounds> range = rangeOf(table);
  if (found == tables.end() || found->second.kind != Kind::Others || !range)
    return;
  found->second.kind = Kind::Chosen;
  found->second.least = range->lo;
  found->second.count = range->hi - range->lo + 1;
}

void AssumedTables::markBound(const TableBound &bound) {
  auto *found = tables.find(bound.table);
  if (found == tables.end() || found->second.kind != Kind::Others)
    return;
  // Above, one number for all queries is a past or a length.
  if (!bound.axis && !bound.isLower)
    return;
  Content &content = found->second;
  content.axis = bound.axis.value_or(0);
  if (bound.isDistance) {
    content.kind = bound.isNegative ? Kind::NegativeWidth : Kind::Width;
  } else {
    content.kind = !bound.axis     ? Kind::FirstKey
                   : bound.isLower ? Kind::RunStarts
                                   : Kind::RunEnds;
    auto type = cast<RankedTensorType>(bound.table.getType());
    if (type.getRank() != 0) // else it is one number
      content.extent = std::max<int64_t>(
          regime.sizeOf(attn::axisSize(type, content.axis)), 1);
    content.leftOut = bound.isStrict == bound.isLower;
  }
  const InterfaceTensor *tensor = findTensor(interface, bound.table);
  if (!tensor || !tensor->range)
    return;
  content.low = tensor->range->first.constantValue().value_or(content.low);
  content.high = tensor->range->second.constantValue().value_or(content.high);
}

/// The reads that `value` is computed from, those in an index left out.
static void collectReads(Value value, llvm::SetVector<Value> &seen,
                         SmallVectorImpl<attn::ReadOp> &reads) {
  Operation *op = value.getDefiningOp();
  if (!op || !seen.insert(value))
    return;
  if (auto read = dyn_cast<attn::ReadOp>(op)) {
    reads.push_back(read);
    return;
  }
  for (Value operand : op->getOperands())
    collectReads(operand, seen, reads);
}

void AssumedTables::findUses(Region &mask) {
  Block &formula = mask.front();
  SmallVector<unsigned> bits(formula.getNumArguments(), OnNothing);
  if (bits.size() < 2)
    return;
  bits.back() = OnKey;
  bits[bits.size() - 2] = OnQuery;
  DependenceSplit split = splitByDependence(formula, bits);
  findIds(formula, split);
  findChosen(formula, split);
  for (const TableBound &bound : findTableBounds(formula, split))
    markBound(bound);
}

void AssumedTables::findIds(Block &formula, const DependenceSplit &split) {
  for (auto compare : formula.getOps<arith::CmpIOp>()) {
    llvm::SetVector<Value> seen;
    SmallVector<attn::ReadOp> reads;
    collectReads(compare.getLhs(), seen, reads);
    collectReads(compare.getRhs(), seen, reads);
    auto moves = [&](unsigned bits) {
      return llvm::any_of(reads, [&](attn::ReadOp read) {
        return findMovingAxis(read, bits, split).has_value();
      });
    };
    if (!moves(OnQuery) || !moves(OnKey))
      continue;
    for (attn::ReadOp read : reads)
      for (unsigned bits : {OnQuery, OnKey})
        if (auto axis = findMovingAxis(read, bits, split))
          markIds(read->getOperand(0), *axis);
  }
}

/// Entries that only a query finds, equal to what only the key decides.
void AssumedTables::findChosen(Block &formula, const DependenceSplit &split) {
  for (auto compare : formula.getOps<arith::CmpIOp>()) {
    if (compare.getPredicate() != arith::CmpIPredicate::eq)
      continue;
    for (auto [chosen, key] : {std::pair(compare.getLhs(), compare.getRhs()),
                               std::pair(compare.getRhs(), compare.getLhs())}) {
      if (split.dependence.lookup(key) != OnKey ||
          split.dependence.lookup(chosen) != OnQuery)
        continue;
      llvm::SetVector<Value> seen;
      SmallVector<attn::ReadOp> reads;
      collectReads(chosen, seen, reads);
      for (attn::ReadOp read : reads)
        if (split.dependence.lookup(read) == OnQuery)
          markChosen(read->getOperand(0));
    }
  }
}

void AssumedTables::findSearched(Region &region) {
  region.walk([&](attn::LowerBoundOp search) {
    Value table = search.getSource();
    markIds(table, cast<RankedTensorType>(table.getType()).getRank() - 1);
  });
}

void AssumedTables::findStarts() {
  for (auto &[table, content] : tables)
    for (Operation *user : table.getUsers()) {
      auto unpack = dyn_cast<attn::UnpackOp>(user);
      if (!unpack || unpack.getStart() != table)
        continue;
      int64_t sequences =
          regime.sizeOf(attn::axisSize(unpack.getResult().getType(), 0));
      content.kind = Kind::Starts;
      content.axis = 0;
      content.extent = sequences + 1;
      content.rows =
          regime.sizeOf(attn::axisSize(unpack.getSource().getType(), 0)) /
          std::max<int64_t>(sequences, 1);
      break;
    }
}

bool AssumedTables::hasOthers() const {
  return llvm::any_of(tables, [](const auto &entry) {
    return entry.second.kind == Kind::Others;
  });
}

void AssumedTables::choose(int64_t queries, int64_t keyCount,
                           llvm::function_ref<double()> countPairs) {
  keys = keyCount;
  others = keys - queries;
  if (tables.empty() || countPairs() > 0)
    return;
  if (hasOthers()) {
    others = keys;
    if (countPairs() > 0)
      return;
    unknown = Unknown::Others;
    if (countPairs() > 0)
      return;
  }
  unknown = Unknown::All;
  countPairs();
}

bool AssumedTables::isUnknown(const Content &content) const {
  return unknown == Unknown::All ||
         (unknown == Unknown::Others && content.kind == Kind::Others);
}

int64_t AssumedTables::startOfRun(int64_t run) const {
  return llvm::divideCeilSigned(run * keys, kRuns);
}

int64_t AssumedTables::boundAt(const Content &content, int64_t index) const {
  int64_t run = index * kRuns / content.extent;
  switch (content.kind) {
  case Kind::RunStarts:
    return startOfRun(run) - content.leftOut;
  case Kind::RunEnds:
    return startOfRun(run + 1) - content.leftOut;
  case Kind::FirstKey:
    return -int64_t(content.leftOut);
  case Kind::Width:
    return startOfRun(1);
  default:
    return -startOfRun(1);
  }
}

int64_t AssumedTables::entryAt(const Content &content, int64_t index) const {
  index = std::clamp<int64_t>(index, 0, content.extent - 1);
  switch (content.kind) {
  case Kind::Others:
    return others;
  case Kind::Truth:
    return 1;
  case Kind::Ids:
    return content.least + index * content.count / content.extent;
  case Kind::Chosen: // by all indices, not here
    return content.least;
  case Kind::Starts:
    return index * content.rows;
  case Kind::RunStarts:
  case Kind::RunEnds:
  case Kind::FirstKey:
  case Kind::Width:
  case Kind::NegativeWidth:
    return std::min(std::max(boundAt(content, index), content.low),
                    content.high);
  }
  llvm_unreachable("no such kind");
}

int64_t AssumedTables::chosenAmong(const Content &content,
                                   ArrayRef<int64_t> first,
                                   ArrayRef<int64_t> last,
                                   bool greatest) const {
  // Of many entries some are at the ends of the range.
  constexpr int64_t many = 64;
  int64_t entries = 1;
  for (auto [from, to] : llvm::zip_equal(first, last))
    entries *= std::clamp<int64_t>(to - from + 1, 1, many + 1);
  int64_t end = content.least + (greatest ? content.count - 1 : 0);
  if (entries > many)
    return end;
  int64_t found = content.least + (greatest ? 0 : content.count - 1);
  SmallVector<int64_t> place(first);
  for (int64_t entry = 0; entry < entries; ++entry) {
    uint64_t mixed = llvm::xxh3_64bits(
        ArrayRef(reinterpret_cast<const uint8_t *>(place.data()),
                 place.size() * sizeof(int64_t)));
    int64_t value = content.least + int64_t(mixed % uint64_t(content.count));
    found = greatest ? std::max(found, value) : std::min(found, value);
    for (size_t axis = 0; axis < place.size(); ++axis) {
      if (++place[axis] <= last[axis])
        break;
      place[axis] = first[axis];
    }
  }
  return found;
}

AssumedTables::Content AssumedTables::contentOf(Value table) const {
  const auto *found = tables.find(table);
  Content content = found == tables.end() ? Content() : found->second;
  if (found == tables.end() && isTruth(table))
    content.kind = Kind::Truth;
  return content;
}

int64_t AssumedTables::entryOf(Value table, ArrayRef<int64_t> indices) const {
  Content content = contentOf(table);
  if (content.kind == Kind::Chosen)
    return chosenAmong(content, indices, indices, false);
  return entryAt(content,
                 content.axis < indices.size() ? indices[content.axis] : 0);
}

int64_t AssumedTables::valueOf(Operation *op,
                               ArrayRef<int64_t> operands) const {
  Content content = contentOf(op->getOperand(0));
  unsigned axis = content.axis;
  if (isa<attn::LowerBoundOp>(op)) { // entries do not fall
    int64_t first = 0, end = content.extent;
    while (first < end) {
      int64_t middle = first + (end - first) / 2;
      if (entryAt(content, middle) < operands.back())
        first = middle + 1;
      else
        end = middle;
    }
    return first;
  }
  size_t rank = isa<attn::ReadOp>(op) ? operands.size() : operands.size() / 2;
  if (content.kind == Kind::Chosen)
    return chosenAmong(content, operands.take_front(rank),
                       operands.take_back(rank), isa<attn::TableMaxOp>(op));
  if (axis >= rank)
    return entryAt(content, 0);
  int64_t index = operands[axis];
  if (isa<attn::TableMaxOp>(op))
    index = std::max(index, operands[rank + axis]);
  return entryAt(content, index);
}

/// What the type of the table allows, and the interface.
ValueBounds AssumedTables::entryBounds(Value table) const {
  auto type = dyn_cast<IntegerType>(
      cast<RankedTensorType>(table.getType()).getElementType());
  ValueBounds bounds;
  if (type && type.getWidth() == 1)
    bounds = {0, 1};
  else if (type && type.getWidth() <= 32)
    bounds = type.isUnsigned()
                 ? ValueBounds{0, (int64_t(1) << type.getWidth()) - 1}
                 : ValueBounds{-(int64_t(1) << (type.getWidth() - 1)),
                               (int64_t(1) << (type.getWidth() - 1)) - 1};
  const InterfaceTensor *tensor = findTensor(interface, table);
  if (!tensor || !tensor->range)
    return bounds;
  return {tensor->range->first.constantValue().value_or(bounds.lo),
          tensor->range->second.constantValue().value_or(bounds.hi)};
}

ValueBounds AssumedTables::boundsOf(Operation *op,
                                    ArrayRef<ValueBounds> operands) const {
  Value table = op->getOperand(0);
  if (!isUnknown(contentOf(table)) &&
      llvm::all_of(operands, [](ValueBounds b) { return b.isOne(); })) {
    SmallVector<int64_t> indices;
    for (ValueBounds b : operands)
      indices.push_back(b.lo);
    return ValueBounds::of(valueOf(op, indices));
  }
  if (!isa<attn::LowerBoundOp>(op))
    return entryBounds(table);
  unsigned last = cast<RankedTensorType>(table.getType()).getRank() - 1;
  return {0, regime.sizeOf(attn::axisSize(table.getType(), last))};
}

std::string AssumedTables::nameOf(Value table) const {
  if (const InterfaceTensor *tensor = findTensor(interface, table))
    return tensor->name;
  if (auto argument = dyn_cast<BlockArgument>(table))
    return "table " + std::to_string(argument.getArgNumber());
  return "a table";
}

std::string AssumedTables::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::ListSeparator separator("; ");
  for (const auto &[table, content] : tables) {
    os << separator << nameOf(table) << ": ";
    if (isUnknown(content)) {
      os << "anything";
      continue;
    }
    switch (content.kind) {
    case Kind::Others:
    case Kind::FirstKey:
    case Kind::Width:
    case Kind::NegativeWidth:
      os << entryAt(content, 0) << " throughout";
      break;
    case Kind::RunStarts:
    case Kind::RunEnds:
      os << (content.kind == Kind::RunStarts ? "starts" : "ends") << " of "
         << kRuns << " runs of " << keys / kRuns << " keys";
      if (content.high < keys)
        os << ", at most " << content.high;
      break;
    case Kind::Truth:
      os << "all true";
      break;
    case Kind::Ids:
      os << content.count << " ids in order, " << content.extent / content.count
         << " entries each";
      break;
    case Kind::Chosen:
      os << "any positions in " << content.least << " .. "
         << content.least + content.count - 1;
      break;
    case Kind::Starts:
      os << "sequences of " << content.rows << " rows";
      break;
    }
  }
  if (hasUnknown())
    os << ", since no assumption leaves a visible key";
  return text;
}
