//===- Normalize.cpp - Softmax of stored scores as a pipeline -------------===//
//
// Scores that no kernel makes are read three times, as the LLVM backend does:
//
//   m(i) = the largest allowed score of row i       (from -inf, or the init)
//   l(i) = the sum of exp(score - m)                (from the init's weight)
//   weights = exp(score - m) / l, 0 in rows without a key
//
// Tests: test/Integration/halide/normalize.test
//
//===----------------------------------------------------------------------===//

#include "Side/Normalize.h"

#include "Formula.h"
#include "Side/TaskBlock.h"

using namespace mlir;

namespace attnc::halide {
namespace {

class NormalizeWriter {
public:
  NormalizeWriter(attn::NormalizeOp op, const FunctionPlan &plan, Step &step)
      : op(op), step(step), b(step.builder), tensors(plan, step),
        over(*attn::axisOf(op.getLabels(), op.getOver().front())),
        block(op.getWeights(), step, tensors, over),
        acc(scalarTypeOf(op.getAccumulateType())) {}

  LogicalResult write();

private:
  using Result = FailureOr<Ex>;

  /// The indices of key `key` of row `row` of the block.
  SmallVector<Ex> indicesOf(Ex row, Ex key) {
    return block.scansLastAxis() ? block.indicesOf(key, row)
                                 : block.indicesOf(row, key);
  }
  Ex real(double value) { return b.real(value, acc); }
  Result score(ArrayRef<Ex> indices);
  Result initial(ArrayRef<Ex> indices);
  Result weight(Ex score, Ex row);
  /// A function of the rows of a task, updated over the variable `keys`.
  void scheduleRows(StringRef function, StringRef keys);
  LogicalResult defineMax(Ex row, Ex first);
  LogicalResult defineSum(Ex row, Ex first);
  /// Keys of a domain called `name`; gives the score of one.
  Result scoreOver(StringRef name, Ex row);

  attn::NormalizeOp op;
  Step &step;
  Builder &b;
  Tensors tensors;
  unsigned over;
  TaskBlock block;
  ScalarType acc;
};

} // namespace

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// -inf where the pair is masked.
NormalizeWriter::Result NormalizeWriter::score(ArrayRef<Ex> indices) {
  Result score = tensors.element(op.getScores(), indices);
  if (failed(score))
    return failure();
  Ex value = b.cast(*score, acc);
  if (!op.getMask())
    return value;
  Result visible = tensors.element(op.getMask(), indices);
  if (failed(visible))
    return failure();
  return b.select(*visible, value, real(-kInfinity));
}

/// The score without a key.
NormalizeWriter::Result NormalizeWriter::initial(ArrayRef<Ex> indices) {
  if (op.getInit().empty())
    return real(-kInfinity);
  SmallVector<Ex> arguments;
  for (auto [axis, index] : llvm::enumerate(indices))
    if (axis != over)
      arguments.push_back(
          b.position(index, attn::axisSize(op.getScores().getType(), axis)));
  return Formula(b, tensors).runOne(op.getInit(), arguments);
}

/// exp(score - m), with 0 in place of an m of -inf, so that -inf - -inf never
/// happens; or the score itself, 0 where it is -inf.
NormalizeWriter::Result NormalizeWriter::weight(Ex score, Ex row) {
  attn::NormWeight kind = op.getNorm().getWeight();
  if (kind == attn::NormWeight::Identity)
    return b.select(b.equal(score, real(-kInfinity)), real(0), score);
  if (op.getNorm().getShift() == attn::NormShift::Max) {
    Ex m = block.getTasks().call("m", acc, {row});
    score = b.sub(score, b.select(b.equal(m, real(-kInfinity)), real(0), m));
  }
  return Formula(b, tensors)
      .math(op, kind == attn::NormWeight::Exp2 ? "exp2" : "exp",
            op.getAccumulateType(), score);
}

NormalizeWriter::Result NormalizeWriter::scoreOver(StringRef name, Ex row) {
  b.domain(name, {{b.integer(0), tensors.extentOf(op.getScores(), over)}});
  return score(indicesOf(row, b.variable((name + ".x").str())));
}

void NormalizeWriter::scheduleRows(StringRef function, StringRef keys) {
  b.schedule(function, 0, "compute_root");
  if (!block.getTasks().isDevice())
    return;
  block.getTasks().scheduleOnDevice(function, 0, "i");
  block.getTasks().scheduleOnDevice(function, 1, "i", "", {keys.str()});
}

LogicalResult NormalizeWriter::defineMax(Ex row, Ex first) {
  if (op.getNorm().getShift() != attn::NormShift::Max)
    return success();
  Result next = scoreOver("largest", row);
  if (failed(next))
    return failure();
  block.getTasks().define("m", {"i"}, first);
  Ex old = block.getTasks().call("m", acc, {row});
  block.getTasks().update({row}, b.select(b.less(old, *next), *next, old));
  scheduleRows("m", "largest.x");
  return success();
}

LogicalResult NormalizeWriter::defineSum(Ex row, Ex first) {
  Result next = scoreOver("sum", row);
  if (failed(next))
    return failure();
  Result start = op.getInit().empty() ? real(0) : weight(first, row);
  Result term = weight(*next, row);
  if (failed(start) || failed(term))
    return failure();
  block.getTasks().define("l", {"i"}, *start);
  block.getTasks().update({row},
                          b.add(block.getTasks().call("l", acc, {row}), *term));
  scheduleRows("l", "sum.x");
  return success();
}

LogicalResult NormalizeWriter::write() {
  if (!op.getLse().use_empty())
    return op.emitError("the Halide backend does not support lse outside of "
                        "kernels yet");
  Ex row = b.variable("i");
  Result first = initial(indicesOf(row, b.integer(0)));
  if (failed(first) || failed(defineMax(row, *first)) ||
      failed(defineSum(row, *first)))
    return failure();
  bool isDivided = op.getNorm().getDivide() == attn::NormDivide::Sum;
  auto make = [&](StringRef domain) -> FailureOr<Tensors::Stored> {
    block.beginStore(domain);
    Ex x = b.variable((domain + ".x").str());
    Ex y = block.getDims().size() > 1 ? b.variable((domain + ".y").str())
                                      : b.integer(0);
    SmallVector<Ex> indices = block.indicesOf(x, y);
    Ex at = block.scansLastAxis() ? y : x;
    Result value = score(indices);
    if (failed(value) || failed(value = weight(*value, at)))
      return failure();
    if (isDivided) {
      Ex l = block.getTasks().call("l", acc, {at});
      value = b.select(b.equal(l, real(0)), real(0), b.div(*value, l));
    }
    return Tensors::Stored{indices, *value, block.storedWhere(x, y)};
  };
  if (failed(tensors.store(op.getWeights(), block.storedDims(), make)))
    return failure();
  if (!step.isDevice)
    step.scratchBytes = 1 << 12; // m and l
  return success();
}

LogicalResult emitNormalize(attn::NormalizeOp op, const FunctionPlan &plan,
                            Step &step) {
  return NormalizeWriter(op, plan, step).write();
}

} // namespace attnc::halide
