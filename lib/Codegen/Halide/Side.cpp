//===- Side.cpp - Ops outside kernels as pipelines ------------------------===//
//
// A task has the last axis of the result and up to 32 indices of the one
// before; further axes are coordinates of the task. A product with an axis of
// rows, of one operand only, is computed as the scores of a kernel are: rows
// are lanes, and the other operand is broadcast. Tests:
// test/Integration/halide/zoo.test
//
//===----------------------------------------------------------------------===//

#include "Side.h"

#include "Formula.h"
#include "Tensors.h"

using namespace mlir;

namespace attnc::halide {
namespace {

class SideWriter {
public:
  SideWriter(Operation *op, const FunctionPlan &plan, Step &step)
      : op(op), step(step), b(step.builder), tensors(plan, step) {}

  LogicalResult write();

private:
  using Result = FailureOr<Ex>;
  using ElementOf = function_ref<Result(ArrayRef<Ex>)>;

  Result refuse(const Twine &what) {
    op->emitError("the Halide backend does not support ") << what << " yet";
    return failure();
  }
  /// Stores `element` of indices at each index of a result.
  LogicalResult storeAll(Value result, ElementOf element);
  Result map(attn::MapOp map, ArrayRef<Ex> indices);
  Result contract(attn::ContractOp contract, ArrayRef<Ex> indices);
  Result reduce(attn::ReduceOp reduce, ArrayRef<Ex> indices);
  Result concat(attn::ConcatOp concat, ArrayRef<Ex> indices);
  LogicalResult defineSums();
  Result maskedScore(Value scores, Value mask, ArrayRef<Ex> indices,
                     Ex otherwise);

  Operation *op;
  Step &step;
  Builder &b;
  Tensors tensors;
};

/// Letters as the indices of a tensor, by a table of letters.
struct Letters {
  Ex at[256];
  SmallVector<Ex> of(StringRef letters) const {
    SmallVector<Ex> indices;
    for (char letter : letters)
      indices.push_back(at[(unsigned char)letter]);
    return indices;
  }
};

} // namespace

static constexpr int64_t kRows = 32;

/// The variables of the function that holds a task's sums: y, then x.
static Ex sumAt(Builder &b, ScalarType type, Ex y, Ex x) {
  return b.call("sums", type, {y, x});
}

LogicalResult SideWriter::storeAll(Value result, ElementOf element) {
  auto type = cast<RankedTensorType>(result.getType());
  unsigned rank = type.getRank();
  for (unsigned axis = 0; axis + 1 < rank; ++axis)
    step.grid.push_back({"task_" + std::to_string(axis),
                         attn::axisSize(type, axis),
                         axis + 2 == rank ? kRows : 1});
  SmallVector<std::pair<Ex, Ex>> dims{
      {b.integer(0),
       rank > 0 ? tensors.extentOf(result, rank - 1) : b.integer(1)}};
  if (rank > 1) {
    Ex first = b.parameter("task_" + std::to_string(rank - 2));
    dims.push_back({b.integer(0),
                    b.min(b.integer(kRows),
                          b.sub(tensors.extentOf(result, rank - 2), first))});
  }
  auto make = [&](StringRef domain) -> FailureOr<Tensors::Stored> {
    SmallVector<Ex> indices;
    for (unsigned axis = 0; axis < rank; ++axis) {
      if (axis + 1 == rank) {
        indices.push_back(b.variable((domain + ".x").str()));
        continue;
      }
      Ex index = b.parameter("task_" + std::to_string(axis));
      if (axis + 2 == rank)
        index = b.add(index, b.variable((domain + ".y").str()));
      indices.push_back(index);
    }
    Result value = element(indices);
    if (failed(value))
      return failure();
    return Tensors::Stored{indices, *value};
  };
  return tensors.store(result, dims, make);
}

SideWriter::Result SideWriter::map(attn::MapOp map, ArrayRef<Ex> indices) {
  return tensors.formulaOf(map, indices);
}

/// Where in a function of sums an element of the result is.
static std::pair<Ex, Ex> placeOfSum(Builder &b, ArrayRef<Ex> indices) {
  Ex zero = b.integer(0);
  Ex x = indices.empty() ? zero : indices.back(), y = zero;
  if (indices.size() > 1)
    y = b.sub(indices[indices.size() - 2],
              b.parameter("task_" + std::to_string(indices.size() - 2)));
  return {y, x};
}

SideWriter::Result SideWriter::contract(attn::ContractOp contract,
                                        ArrayRef<Ex> indices) {
  ScalarType acc = scalarTypeOf(
      attn::accumulateType({contract.getLhs().getType(),
                            contract.getRhs().getType(), contract.getType()}));
  auto [y, x] = placeOfSum(b, indices);
  return sumAt(b, acc, y, x);
}

SideWriter::Result SideWriter::reduce(attn::ReduceOp reduce,
                                      ArrayRef<Ex> indices) {
  auto [y, x] = placeOfSum(b, indices);
  ScalarType acc = scalarTypeOf(
      cast<RankedTensorType>(reduce.getRow().getType()).getElementType());
  return sumAt(b, acc, y, x);
}

SideWriter::Result SideWriter::concat(attn::ConcatOp concat,
                                      ArrayRef<Ex> indices) {
  attn::Labels labels = concat.getAxisLabels();
  unsigned axis = *attn::axisOf(labels.output, concat.getAlong().front());
  Ex rest = indices[axis];
  std::optional<Ex> value;
  SmallVector<std::pair<Ex, Ex>> parts; // whether it is there, its element
  for (auto [number, letters] : llvm::enumerate(labels.inputs)) {
    Ex size = tensors.sizeOf(concat.getNamedPartSize(number));
    Letters at;
    for (auto [index, letter] : llvm::zip(indices, labels.output))
      at.at[(unsigned char)letter] = index;
    Ex last = b.sub(size, b.integer(1));
    at.at[(unsigned char)concat.getAlong().front()] =
        b.max(b.min(rest, last), b.integer(0));
    Result element = tensors.element(concat.getParts()[number], at.of(letters));
    if (failed(element))
      return failure();
    parts.push_back({b.less(rest, size), *element});
    rest = b.sub(rest, size);
  }
  for (auto [isHere, element] : llvm::reverse(parts))
    value = value ? b.select(isHere, element, *value) : element;
  return *value;
}

/// A score, or `otherwise` where it is masked.
SideWriter::Result SideWriter::maskedScore(Value scores, Value mask,
                                           ArrayRef<Ex> indices, Ex otherwise) {
  Result score = tensors.element(scores, indices);
  if (failed(score))
    return failure();
  Ex value = b.cast(*score, otherwise.type);
  if (!mask)
    return value;
  Result visible = tensors.element(mask, indices);
  if (failed(visible))
    return failure();
  return b.select(*visible, value, otherwise);
}

/// Function "sums" of the elements of a task, over the letters that the result
/// lacks.
LogicalResult SideWriter::defineSums() {
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  auto contract = dyn_cast<attn::ContractOp>(op);
  auto reduce = dyn_cast<attn::ReduceOp>(op);
  attn::Labels labels;
  std::string rowLabels;
  SmallVector<std::pair<Value, StringRef>> operands;
  if (contract) {
    labels = contract.getAxisLabels();
    operands = {{contract.getLhs(), labels.inputs[0]},
                {contract.getRhs(), labels.inputs[1]}};
    if (contract.getMask())
      operands.push_back({contract.getMask(), *contract.getMaskLabels()});
  } else {
    rowLabels = reduce.getRowLabels();
    labels.output = rowLabels;
    operands = {{reduce.getScores(), reduce.getLabels()}};
  }
  Letters letters;
  Ex y = b.variable("y"), x = b.variable("x");
  for (auto [axis, letter] : llvm::enumerate(labels.output)) {
    unsigned rank = type.getRank();
    Ex index = x;
    if (axis + 1 < rank)
      index = b.parameter("task_" + std::to_string(axis));
    if (axis + 2 == rank)
      index = b.add(index, y);
    letters.at[(unsigned char)letter] = index;
  }
  SmallVector<std::pair<Ex, Ex>> dims;
  std::string summed;
  for (auto [tensor, its] : operands)
    for (auto [axis, letter] : llvm::enumerate(its)) {
      if (labels.output.contains(letter) || StringRef(summed).contains(letter))
        continue;
      letters.at[(unsigned char)letter] =
          b.variable("sum." + std::string(1, "xyzw"[summed.size() & 3]));
      summed += letter;
      dims.push_back({b.integer(0), tensors.extentOf(tensor, axis)});
    }
  if (dims.size() > 4)
    return refuse("sums over more than four axes");
  ScalarType acc =
      scalarTypeOf(contract ? attn::accumulateType({contract.getLhs().getType(),
                                                    contract.getRhs().getType(),
                                                    contract.getType()})
                            : type.getElementType());
  if (dims.empty())
    dims.push_back({b.integer(0), b.integer(1)});
  b.domain("sum", dims);
  bool isMax = reduce && reduce.getKind().getKind() == attn::RowKind::Max;
  Ex start = b.real(isMax ? -std::numeric_limits<double>::infinity() : 0, acc);
  Ex old = sumAt(b, acc, y, x);
  Result term = failure();
  if (reduce) {
    term = maskedScore(reduce.getScores(), reduce.getMask(),
                       letters.of(reduce.getLabels()), start);
  } else {
    Result lhs =
        tensors.element(operands[0].first, letters.of(operands[0].second));
    Result rhs =
        tensors.element(operands[1].first, letters.of(operands[1].second));
    if (failed(lhs) || failed(rhs))
      return failure();
    term = b.mul(b.cast(*lhs, acc), b.cast(*rhs, acc));
    if (contract.getMask()) {
      Result visible =
          tensors.element(operands[2].first, letters.of(operands[2].second));
      if (failed(visible))
        return failure();
      term = b.select(*visible, *term, start);
    }
  }
  if (failed(term))
    return failure();
  b.define("sums", {"y", "x"}, start);
  b.update({y, x}, isMax ? b.select(b.less(old, *term), *term, old)
                         : b.add(old, *term));
  b.schedule("sums", 0, "compute_root");
  return success();
}

LogicalResult SideWriter::write() {
  if (auto reduce = dyn_cast<attn::ReduceOp>(op))
    if (attn::RowKind kind = reduce.getKind().getKind();
        kind != attn::RowKind::Sum && kind != attn::RowKind::Max)
      return refuse("reductions other than sum and max");
  bool sums = isa<attn::ContractOp, attn::ReduceOp>(op);
  if (sums && failed(defineSums()))
    return failure();
  auto element = [&](ArrayRef<Ex> indices) -> Result {
    if (auto map = dyn_cast<attn::MapOp>(op))
      return this->map(map, indices);
    if (auto contract = dyn_cast<attn::ContractOp>(op))
      return this->contract(contract, indices);
    if (auto reduce = dyn_cast<attn::ReduceOp>(op))
      return this->reduce(reduce, indices);
    if (auto concat = dyn_cast<attn::ConcatOp>(op))
      return this->concat(concat, indices);
    op->emitError("the Halide backend does not support '")
        << op->getName() << "' outside of kernels yet";
    return failure();
  };
  if (failed(storeAll(op->getResult(0), element)))
    return failure();
  if (sums) { // as much as the result of a task has
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    step.scratchBytes = 1 << 14;
    if (type.getRank() > 0) {
      step.scratchSize = attn::axisSize(type, type.getRank() - 1);
      step.scratchPerSize = kRows * 8;
    }
  }
  return success();
}

LogicalResult emitSideOp(Operation *op, const FunctionPlan &plan, Step &step) {
  return SideWriter(op, plan, step).write();
}

} // namespace attnc::halide
