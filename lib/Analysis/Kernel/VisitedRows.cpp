//===- VisitedRows.cpp - Find rows that only kernels visit ----------------===//
//
// From the last op to the first: what of an op's result is visited says what of
// its operands is, if an axis of the operand is that of the result.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Kernel/VisitedRows.h"

#include "attnc/Dialect/Attn/AttnMove.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attnc;

/// An axis that is none of the consumer's result.
static constexpr char kNone = '?';

/// Rows of an operand whose axes are `own`, of an op with a result whose axes
/// are `made`.
static std::optional<VisitedRows> carry(const VisitedRows &rows, StringRef made,
                                        StringRef own) {
  auto moved = [&](unsigned axis) { return attn::axisOf(own, made[axis]); };
  VisitedRows carried;
  if (made[rows.axis] == kNone || !moved(rows.axis))
    return std::nullopt;
  carried.axis = *moved(rows.axis);
  for (RowReader reader : rows.readers) {
    for (unsigned i : {0, 1, 2}) {
      std::optional<unsigned> &axis = reader.axes[i];
      if (axis)
        axis = made[*axis] == kNone ? std::nullopt : moved(*axis);
      if (reader.needed[i] && !axis)
        return std::nullopt;
    }
    carried.readers.push_back(reader);
  }
  return carried;
}

/// The letters of a view's source as axes of its result: of groups that stand
/// on both sides, and of letters that share an axis with places of one element
/// only.
static std::string sourceLetters(attn::ViewOp view) {
  attn::ViewLabels labels = view.getViewLabels();
  std::string letters;
  for (StringRef group : labels.input) {
    char found = kNone;
    for (char letter : group) {
      bool isAlone = llvm::is_contained(labels.output, StringRef(&letter, 1));
      auto isOne = [&](char other) {
        auto size = dyn_cast_if_present<IntegerAttr>(view.sizeOf(other));
        return other == letter || (size && size.getInt() == 1);
      };
      if (isAlone && llvm::all_of(group, isOne))
        found = letter;
    }
    letters += found;
  }
  return letters;
}

static std::string resultLetters(attn::ViewOp view) {
  std::string letters;
  for (StringRef group : view.getViewLabels().output)
    letters += group.size() == 1 ? group.front() : kNone;
  return letters;
}

/// Letters of an element that a formula of `map` reads: of indices that are
/// places of the map's own result.
static std::string lettersOf(attn::ReadOp read, attn::MapOp map) {
  attn::Labels labels = map.getAxisLabels();
  std::string letters;
  for (Value index : read->getOperands().drop_front()) {
    auto argument = dyn_cast<BlockArgument>(index);
    size_t first = map.getInputs().size();
    bool isPlace = argument && argument.getOwner() == &map.getBody().front() &&
                   argument.getArgNumber() >= first;
    letters += isPlace ? labels.output[argument.getArgNumber() - first] : kNone;
  }
  return letters;
}

/// Whether the rows that a kernel visits depend on its argument `number`.
static bool dependsOn(attn::KernelOp kernel, unsigned number) {
  return !kernel.getRanges().front().getArgument(number).use_empty();
}

/// Whether a kernel's ranges are known before any op has run.
static bool isKnownAtStart(Region &ranges) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(ranges, captured);
  return llvm::all_of(captured, llvm::IsaPred<BlockArgument>);
}

/// Of an operand of a kernel with these letters.
static std::optional<VisitedRows> rowsOfKernel(attn::KernelOp kernel,
                                               StringRef letters) {
  auto schedule = kernel.getSchedule();
  bool walks = !schedule || schedule->getForm() == attn::ScheduleForm::Online;
  if (!kernel.hasRanges() || !walks || kernel.getDense() ||
      !isKnownAtStart(kernel.getRanges()))
    return std::nullopt;
  // Places of ragged queries are those of one sequence.
  Value queries = kernel.getQ();
  while (auto view = queries.getDefiningOp<attn::ViewOp>())
    queries = view.getSource();
  auto axis = attn::axisOf(letters, 'k');
  if (!axis || isa_and_present<attn::UnpackOp>(queries.getDefiningOp()))
    return std::nullopt;
  RowReader reader{kernel, {}, {}};
  for (unsigned i : {0, 1, 2}) {
    reader.axes[i] = attn::axisOf(letters, StringRef("bhg")[i]);
    reader.needed[i] = dependsOn(kernel, i);
    if (reader.needed[i] && !reader.axes[i])
      return std::nullopt;
  }
  return VisitedRows{*axis, {reader}};
}

static std::optional<VisitedRows> rowsOfKernel(OpOperand &use) {
  auto kernel = cast<attn::KernelOp>(use.getOwner());
  std::optional<VisitedRows> rows;
  for (auto [tensor, letters] : kernel.getLetteredOperands()) {
    if (tensor != use.get())
      continue;
    auto one = rowsOfKernel(kernel, letters);
    if (!one || (rows && rows->axis != one->axis))
      return std::nullopt;
    rows = std::move(one);
  }
  return rows;
}

/// What a use by `op` visits of an operand, if `rows` are visited of its
/// result.
static std::optional<VisitedRows> throughOp(OpOperand &use,
                                            const VisitedRows &rows) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto view = dyn_cast<attn::ViewOp>(op))
    return carry(rows, resultLetters(view), sourceLetters(view));
  if (auto slice = dyn_cast<attn::SliceOp>(op))
    return slice.getAxis() == rows.axis ? std::nullopt : std::optional(rows);
  if (auto concat = dyn_cast<attn::ConcatOp>(op)) {
    attn::Labels labels = concat.getAxisLabels();
    if (labels.output[rows.axis] == concat.getAlong().front())
      return std::nullopt;
    return carry(rows, labels.output, labels.inputs[number]);
  }
  if (auto reduce = dyn_cast<attn::ReduceOp>(op))
    return number ? std::nullopt
                  : carry(rows, reduce.getRowLabels(), reduce.getLabels());
  attn::Labels labels;
  if (auto contract = dyn_cast<attn::ContractOp>(op))
    labels = contract.getAxisLabels();
  else if (auto map = dyn_cast<attn::MapOp>(op))
    labels = map.getAxisLabels();
  if (number >= labels.inputs.size()) // a mask, or another op
    return std::nullopt;
  return carry(rows, labels.output, labels.inputs[number]);
}

std::string attnc::visitedLetters(Operation *op) {
  if (auto contract = dyn_cast<attn::ContractOp>(op))
    return contract.getAxisLabels().output.str();
  if (auto map = dyn_cast<attn::MapOp>(op))
    return map.getAxisLabels().output.str();
  if (auto concat = dyn_cast<attn::ConcatOp>(op))
    return concat.getAxisLabels().output.str();
  if (auto reduce = dyn_cast<attn::ReduceOp>(op))
    return reduce.getRowLabels();
  return {};
}

std::optional<VisitedRows> VisitedRowsOf::findUse(OpOperand &use) const {
  Operation *op = use.getOwner();
  if (isa<attn::KernelOp>(op))
    return rowsOfKernel(use);
  if (auto read = dyn_cast<attn::ReadOp>(op)) { // of a formula
    auto map = dyn_cast<attn::MapOp>(op->getParentOp());
    const VisitedRows *rows = map ? lookup(map.getResult()) : nullptr;
    return rows ? carry(*rows, map.getAxisLabels().output, lettersOf(read, map))
                : std::nullopt;
  }
  const VisitedRows *rows =
      op->getNumResults() == 1 ? lookup(op->getResult(0)) : nullptr;
  return rows ? throughOp(use, *rows) : std::nullopt;
}

std::optional<VisitedRows> VisitedRowsOf::find(Value tensor) const {
  std::optional<VisitedRows> all;
  for (OpOperand &use : tensor.getUses()) {
    std::optional<VisitedRows> rows = findUse(use);
    if (!rows || (all && all->axis != rows->axis))
      return std::nullopt;
    if (all)
      llvm::append_range(all->readers, rows->readers);
    else
      all = std::move(rows);
  }
  return all;
}

VisitedRowsOf::VisitedRowsOf(func::FuncOp function) {
  for (Operation &op : llvm::reverse(function.getBody().front()))
    if (op.getNumResults() == 1 &&
        isa<RankedTensorType>(op.getResult(0).getType()))
      if (auto rows = find(op.getResult(0)))
        found.insert({op.getResult(0), std::move(*rows)});
}

const VisitedRows *VisitedRowsOf::lookup(Value tensor) const {
  auto it = found.find(tensor);
  return it == found.end() ? nullptr : &it->second;
}
