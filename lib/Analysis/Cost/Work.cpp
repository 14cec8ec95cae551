//===- Work.cpp - Count the work of a function ----------------------------===//
//
// See Work.h. Ops of stage graph compute every place, as a program would that
// goes through memory; kernels are counted in WorkOfKernel.cpp.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Cost/Work.h"

#include "Cost/WorkCounter.h"

#include "attnc/Analysis/Cost/OperationCost.h"
#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Analysis/Regime/RegimeRanges.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/UnreadProducts.h"

#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace attnc;

Work &Work::operator+=(const Work &other) {
  for (const WorkFigure &figure : kWorkFigures)
    this->*figure.value += other.*figure.value;
  return *this;
}

Work Work::operator-(const Work &other) const {
  Work difference = *this;
  for (const WorkFigure &figure : kWorkFigures)
    difference.*figure.value -= other.*figure.value;
  return difference;
}

double Extents::places(StringRef letters) const {
  double product = 1;
  for (const auto &[letter, extent] : extents)
    if (letters.contains(letter))
      product *= extent;
  return product;
}

WorkCounter::WorkCounter(func::FuncOp function, const Interface *interface,
                         const Regime &regime, const Target &target)
    : function(function), interface(interface), regime(regime), target(target),
      visited(function) {
  function.walk([&](attn::UnpackOp op) {
    ragged.push_back(
        {attn::axisSize(op.getType(), 0), attn::axisSize(op.getType(), 1)});
  });
  for (Value value : function.front().getTerminator()->getOperands()) {
    while (isa_and_present<attn::ViewOp, attn::PackOp, attn::PlaceOp>(
        value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    returned.insert(value);
  }
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

double WorkCounter::extentOf(Type tensor, unsigned axis) const {
  Attribute size = attn::axisSize(tensor, axis);
  double extent = double(regime.sizeOf(size));
  for (const RaggedAxes &axes : ragged)
    if (size == axes.rows && axis > 0 &&
        attn::axisSize(tensor, 0) == axes.sequences)
      return extent / std::max(double(regime.sizeOf(axes.sequences)), 1.0);
  return extent;
}

double WorkCounter::elementsOf(Type tensor) const {
  double elements = 1;
  for (int64_t axis = 0; axis < cast<RankedTensorType>(tensor).getRank();
       ++axis)
    elements *= extentOf(tensor, axis);
  return elements;
}

double WorkCounter::shareOf(Value tensor) {
  const VisitedRows *rows = visited.lookup(tensor);
  if (!rows)
    return 1;
  double share = 0;
  for (const RowReader &reader : rows->readers) {
    attn::KernelOp kernel = reader.kernel;
    auto [it, isNew] = visitedShares.try_emplace(kernel, 1);
    if (isNew)
      it->second = RegimeRanges(kernel, interface, regime).getVisitedShare();
    share = std::max(share, it->second);
  }
  return share;
}

double WorkCounter::bytesOf(Value tensor) const {
  unsigned bits =
      cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth();
  return elementsOf(tensor.getType()) * std::max(bits / 8, 1u);
}

Extents WorkCounter::extentsOf(StringRef letters, Value tensor) const {
  Extents extents;
  for (auto [axis, letter] : llvm::enumerate(letters))
    extents.add(letter, extentOf(tensor.getType(), axis));
  return extents;
}

/// Tensors of which a region reads entries.
static void addTables(Operation *op, SetVector<Value> &read) {
  op->walk([&](Operation *inner) {
    if (inner == op)
      return;
    for (Value operand : inner->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        read.insert(operand);
  });
}

void WorkCounter::countMemory(Operation *op) {
  if (auto append = dyn_cast<attn::AppendOp>(op)) {
    work.bytes += 2 * bytesOf(append.getRows());
    return;
  }
  if (!isa<attn::ContractOp, attn::MapOp, attn::NormalizeOp, attn::ReduceOp,
           attn::ConcatOp, attn::ScanOp, attn::KernelOp>(op))
    return;
  SetVector<Value> read;
  for (OpOperand &use : op->getOpOperands()) {
    Value operand = use.get();
    if (auto user = dyn_cast<attn::MapOp>(op);
        user && user.getBody().getArgument(use.getOperandNumber()).use_empty())
      continue;
    // A mask is a formula of its users, and kernels read what a map repeats.
    if (auto mask = operand.getDefiningOp<attn::MaskOp>()) {
      addTables(mask, read);
      continue;
    }
    auto map = operand.getDefiningOp<attn::MapOp>();
    read.insert(map && isRepeatForKernels(map) ? map.getInputs()[0] : operand);
  }
  addTables(op, read);
  for (Value tensor : read)
    work.bytes += bytesOf(tensor) * shareOf(tensor);
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    work.bytes += bytesOf(result) * shareOf(result);
    if (!returned.contains(result))
      work.workspace += bytesOf(result);
  }
}

//===----------------------------------------------------------------------===//
// Ops of stage graph
//===----------------------------------------------------------------------===//

double
WorkCounter::countFormula(Block &block, ArrayRef<std::string> arguments,
                          llvm::function_ref<double(StringRef)> places) const {
  llvm::DenseMap<Value, std::string> letters;
  for (auto [argument, of] : llvm::zip(block.getArguments(), arguments))
    letters[argument] = of;
  double operations = 0;
  for (Operation &op : block.without_terminator()) {
    if (op.use_empty())
      continue;
    std::string own;
    for (Value operand : op.getOperands())
      for (char letter : letters.lookup(operand))
        if (!StringRef(own).contains(letter))
          own += letter;
    if (!own.empty()) // else once for all
      operations += operationCost(&op, target) * places(own);
    for (Value result : op.getResults())
      letters[result] = own;
  }
  return operations;
}

/// Each index depends on its own letter.
static SmallVector<std::string> indexLetters(StringRef letters) {
  return llvm::map_to_vector(
      letters, [](char letter) { return std::string(1, letter); });
}

void WorkCounter::countContract(attn::ContractOp op) {
  attn::Labels labels = op.getAxisLabels();
  Extents extents = extentsOf(labels.inputs[0], op.getLhs());
  for (auto [axis, letter] : llvm::enumerate(labels.inputs[1]))
    extents.add(letter, extentOf(op.getRhs().getType(), axis));
  work.flops += 2 * shareOf(op.getResult()) *
                extents.places((labels.inputs[0] + labels.inputs[1]).str());
  if (op.getMask())
    countMask(op.getMask());
}

void WorkCounter::countMap(attn::MapOp op) {
  attn::Labels labels = op.getAxisLabels();
  SmallVector<std::string> arguments;
  for (StringRef letters : labels.inputs)
    arguments.push_back(letters.str());
  llvm::append_range(arguments, indexLetters(labels.output));
  Extents extents = extentsOf(labels.output, op.getResult());
  work.operations +=
      shareOf(op.getResult()) *
      countFormula(op.getBody().front(), arguments,
                   [&](StringRef letters) { return extents.places(letters); });
}

void WorkCounter::countMask(Value value) {
  auto mask = value.getDefiningOp<attn::MaskOp>();
  if (!mask)
    return;
  StringRef letters = mask.getLabels();
  letters.consume_front("->");
  Extents extents = extentsOf(letters, mask);
  work.operations +=
      countFormula(mask.getBody().front(), indexLetters(letters),
                   [&](StringRef on) { return extents.places(on); });
}

void WorkCounter::countPairs(Value scores, StringRef labels, StringRef key,
                             Value value) {
  double pairs = elementsOf(scores.getType());
  work.pairs += pairs;
  Extents extents = extentsOf(labels, scores);
  std::string others = labels.str();
  llvm::erase(others, key.front());
  StringRef row = StringRef(others).take_back();
  auto blocks = [&](StringRef letter) {
    return std::ceil(extents.places(letter) / double(kWorkTile));
  };
  work.tiles += extents.places(StringRef(others).drop_back(row.size())) *
                blocks(row) * blocks(key);
  if (!value)
    return;
  auto mask = value.getDefiningOp<attn::MaskOp>();
  if (!mask || mask.getConstant() != true)
    work.maskedPairs += pairs;
  countMask(value);
}

void WorkCounter::countNormalize(attn::NormalizeOp op) {
  countPairs(op.getScores(), op.getLabels(), op.getOver(), op.getMask());
  work.operations +=
      weightCost(op.getNorm(), target) * elementsOf(op.getScores().getType());
  if (op.getInit().empty())
    return;
  std::string rows = op.getLabels().str();
  llvm::erase(rows, op.getOver().front());
  Extents extents = extentsOf(op.getLabels(), op.getScores());
  work.operations +=
      countFormula(op.getInit().front(), indexLetters(rows),
                   [&](StringRef letters) { return extents.places(letters); });
}

void WorkCounter::countReduce(attn::ReduceOp op) {
  // Over the keys; statistics of features look at no pairs.
  if (op.getLabels() == attn::KernelOp::kDenseLabels && op.getOver() == "k")
    countPairs(op.getScores(), op.getLabels(), op.getOver(), op.getMask());
  else if (op.getMask())
    countMask(op.getMask());
  work.operations += elementsOf(op.getScores().getType());
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

Work WorkCounter::run() {
  for (Operation &op : function.front().without_terminator()) {
    auto map = dyn_cast<attn::MapOp>(op);
    bool isUnread = isa<attn::ContractOp>(op) && !attn::isRead(op.getResult(0));
    if (isUnread || (map && isRepeatForKernels(map)))
      continue;
    countMemory(&op);
    if (map)
      countMap(map);
    else if (auto contract = dyn_cast<attn::ContractOp>(op))
      countContract(contract);
    else if (auto normalize = dyn_cast<attn::NormalizeOp>(op))
      countNormalize(normalize);
    else if (auto reduce = dyn_cast<attn::ReduceOp>(op))
      countReduce(reduce);
    else if (auto scan = dyn_cast<attn::ScanOp>(op))
      work.operations += elementsOf(scan.getType());
    else if (auto kernel = dyn_cast<attn::KernelOp>(op))
      countKernel(kernel);
  }
  return work;
}

Work attnc::workOf(func::FuncOp function, const Interface *interface,
                   const Regime &regime, const Target &target) {
  return WorkCounter(function, interface, regime, target).run();
}
