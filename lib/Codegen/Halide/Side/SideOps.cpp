//===- SideOps.cpp - Ops outside kernels as pipelines ---------------------===//
//
// A task computes a block of the result (see TaskBlock.h). A product with an
// axis of rows, of one operand only, is computed as the scores of a kernel are:
// rows are lanes, and the other operand is broadcast.
// Tests: test/Integration/halide
//
//===----------------------------------------------------------------------===//

#include "Side/SideOps.h"

#include "Formula.h"
#include "Side/TaskBlock.h"

using namespace mlir;

namespace attnc::halide {
namespace {

/// The tensor whose elements the tasks share out.
Value blockOf(Operation *op) {
  if (auto append = dyn_cast<attn::AppendOp>(op))
    return append.getRows();
  return op->getResult(0);
}

std::optional<unsigned> scannedAxis(Operation *op) {
  if (auto scan = dyn_cast<attn::ScanOp>(op))
    return attn::axisOf(scan.getLabels(), scan.getAlong().front());
  return std::nullopt;
}

class SideWriter {
public:
  SideWriter(Operation *op, const FunctionPlan &plan, Step &step)
      : op(op), b(step.builder), tensors(plan, step),
        block(blockOf(op), step, tensors, scannedAxis(op)) {}

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
  /// An element of the function of sums.
  Result sum(ScalarType type, ArrayRef<Ex> indices);
  Result concat(attn::ConcatOp concat, ArrayRef<Ex> indices);
  LogicalResult defineSums();
  void scheduleSums(StringRef x, StringRef y, ArrayRef<std::string> inner);
  LogicalResult definePrefixSums(attn::ScanOp scan);
  LogicalResult append(attn::AppendOp append);
  Result maskedScore(Value scores, Value mask, ArrayRef<Ex> indices,
                     Ex otherwise);

  Operation *op;
  Builder &b;
  Tensors tensors;
  TaskBlock block;
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

/// The variables of the function that holds a task's sums: y, then x.
static Ex sumAt(TaskBlock &block, ScalarType type, Ex y, Ex x) {
  return block.getTasks().call("sums", type, {y, x});
}

LogicalResult SideWriter::storeAll(Value result, ElementOf element) {
  auto make = [&](StringRef domain) -> FailureOr<Tensors::Stored> {
    block.beginStore(domain);
    Ex x = b.variable((domain + ".x").str());
    Ex y = b.variable((domain + ".y").str());
    SmallVector<Ex> indices = block.indicesOf(x, y);
    Result value = element(indices);
    if (failed(value))
      return failure();
    return Tensors::Stored{indices, *value, block.storedWhere(x, y)};
  };
  return tensors.store(result, block.storedDims(), make);
}

/// The function of sums: a task at a time on a CPU, all of them on a device,
/// where threads share the dimensions `x` and `y` of the update, which has the
/// loops `inner`.
void SideWriter::scheduleSums(StringRef x, StringRef y,
                              ArrayRef<std::string> inner) {
  b.schedule("sums", 0, "compute_root");
  if (!block.getTasks().isDevice())
    return;
  block.getTasks().scheduleOnDevice("sums", 0, "x", "y");
  block.getTasks().scheduleOnDevice("sums", 1, x, y, inner);
}

SideWriter::Result SideWriter::map(attn::MapOp map, ArrayRef<Ex> indices) {
  return tensors.formulaOf(map, indices);
}

SideWriter::Result SideWriter::sum(ScalarType type, ArrayRef<Ex> indices) {
  auto [x, y] = block.placeOf(indices);
  return sumAt(block, type, y, x);
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
  for (auto [index, letter] : llvm::zip(block.indicesOf(x, y), labels.output))
    letters.at[(unsigned char)letter] = index;
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
  Ex old = sumAt(block, acc, y, x);
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
  block.getTasks().define("sums", {"y", "x"}, start);
  block.getTasks().update({y, x}, isMax
                                      ? b.select(b.less(old, *term), *term, old)
                                      : b.add(old, *term));
  std::vector<std::string> inner;
  for (size_t i = 0; i < dims.size(); ++i)
    inner.push_back("sum." + std::string(1, "xyzw"[i]));
  scheduleSums("x", "y", inner);
  return success();
}

/// Function "sums" of the elements before each one of a task and of itself.
LogicalResult SideWriter::definePrefixSums(attn::ScanOp scan) {
  ScalarType acc = scalarTypeOf(attn::accumulateType(
      {scan.getSource().getType(), scan.getResult().getType()}));
  Ex y = b.variable("y"), x = b.variable("x");
  Result first = tensors.element(scan.getSource(), block.indicesOf(x, y));
  if (failed(first))
    return failure();
  block.getTasks().define("sums", {"y", "x"}, b.cast(*first, acc));
  unsigned dim = block.scansLastAxis() ? 0 : 1;
  Ex one = b.integer(1), zero = b.integer(0);
  Ex others = b.max(b.sub(block.getDims()[dim].second, one), zero);
  b.domain("sum", {{one, others}});
  Ex &at = dim == 0 ? x : y;
  at = b.variable("sum.x");
  Ex here = sumAt(block, acc, y, x);
  Ex before = dim == 0 ? sumAt(block, acc, y, b.sub(at, one))
                       : sumAt(block, acc, b.sub(at, one), x);
  block.getTasks().update({y, x}, b.add(before, here));
  scheduleSums(dim == 0 ? "y" : "x", "", {"sum.x"});
  return success();
}

/// Rows go to the memory of the cache, which is an argument; those outside of
/// it are left out.
LogicalResult SideWriter::append(attn::AppendOp append) {
  auto element = [&](StringRef domain) -> FailureOr<Tensors::Stored> {
    block.beginStore(domain);
    Ex x = b.variable((domain + ".x").str());
    Ex y = b.variable((domain + ".y").str());
    SmallVector<Ex> indices = block.indicesOf(x, y);
    Result value = tensors.element(append.getRows(), indices);
    if (failed(value))
      return failure();
    return Tensors::Stored{indices, *value, block.storedWhere(x, y)};
  };
  return tensors.storeRows(append, block.storedDims(), element);
}

LogicalResult SideWriter::write() {
  if (auto reduce = dyn_cast<attn::ReduceOp>(op))
    if (attn::RowKind kind = reduce.getKind().getKind();
        kind != attn::RowKind::Sum && kind != attn::RowKind::Max)
      return refuse("reductions other than sum and max");
  if (auto rows = dyn_cast<attn::AppendOp>(op))
    return append(rows);
  auto scan = dyn_cast<attn::ScanOp>(op);
  bool sums = scan || isa<attn::ContractOp, attn::ReduceOp>(op);
  if (sums && failed(scan ? definePrefixSums(scan) : defineSums()))
    return failure();
  auto element = [&](ArrayRef<Ex> indices) -> Result {
    if (auto map = dyn_cast<attn::MapOp>(op))
      return this->map(map, indices);
    if (auto concat = dyn_cast<attn::ConcatOp>(op))
      return this->concat(concat, indices);
    if (auto contract = dyn_cast<attn::ContractOp>(op))
      return sum(scalarTypeOf(attn::accumulateType({contract.getLhs().getType(),
                                                    contract.getRhs().getType(),
                                                    contract.getType()})),
                 indices);
    if (auto reduce = dyn_cast<attn::ReduceOp>(op))
      return sum(scalarTypeOf(reduce.getRow().getType().getElementType()),
                 indices);
    if (scan)
      return sum(scalarTypeOf(attn::accumulateType(
                     {scan.getSource().getType(), scan.getResult().getType()})),
                 indices);
    op->emitError("the Halide backend does not support '")
        << op->getName() << "' outside of kernels yet";
    return failure();
  };
  if (failed(storeAll(op->getResult(0), element)))
    return failure();
  if (sums)
    block.reserve();
  return success();
}

LogicalResult emitSideOp(Operation *op, const FunctionPlan &plan, Step &step) {
  return SideWriter(op, plan, step).write();
}

} // namespace attnc::halide
