//===- KernelSums.cpp - What scores are formulas of -----------------------===//
//
// Products of rows and keys, or sums of formulas of their elements. Queries are
// lanes, so the rows are stored transposed first.
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelWriter.h"

#include "attnc/Dialect/Attn/ScalePlace.h"

using namespace mlir;

namespace attnc::halide {

std::string KernelWriter::numbered(StringRef prefix, unsigned number) {
  return (prefix + Twine(number)).str();
}

static std::string nameOfRows(unsigned sum, unsigned number) {
  return "rows" + std::to_string(sum) + "_" + std::to_string(number);
}

/// Whether the rows of the first sum have the scale: that is a product, and the
/// factor does not round them.
static bool scalesRows(attn::KernelOp kernel) {
  return !kernel.getSums().front().pair && attn::scalesQueriesExactly(kernel);
}

/// Copies of rows, element by element: a vector that is gathered from 16 rows
/// takes 49 instructions, half of them shuffles on one port.
void KernelWriter::scheduleTransposed(StringRef function, int64_t features) {
  b.schedule(function, 0, "bound", {"i"}, {0, width});
  b.schedule(function, 0, "reorder", {"c", "i"});
  if (features % kUnrolledCopies == 0)
    b.schedule(function, 0, "unroll", {"c"}, {kUnrolledCopies});
  if (std::optional<Ex> isContiguous = b.readsContiguous(function))
    b.schedule(function, 0, "specialize", {}, {isContiguous->number});
}

/// The rows that sums read.
LogicalResult KernelWriter::defineRowsOfSums() {
  Ex i = b.variable("i"), c = b.variable("c");
  for (auto [number, sum] : llvm::enumerate(kernel.getSums()))
    for (auto [which, operands] : llvm::enumerate(sum.rows)) {
      FailureOr<Ex> row = rowElement(operands.first, i, c);
      if (failed(row))
        return failure();
      double scale = kernel.getScale().convertToDouble();
      if (number == 0 && scalesRows(kernel))
        row = b.mul(*row, b.real(scale, acc));
      std::string name = nameOfRows(number, which);
      tasks.define(name, {"i", "c"}, *row);
      b.schedule(name, 0, "compute_root");
      int64_t features =
          *plan.fixedSize(attn::axisSize(operands.first.getType(), 4));
      if (tasks.isDevice())
        scheduleRowsOnDevice(name);
      else if (hasFeatureLanes())
        scheduleRowsAlong(name, features);
      else if (b.isCopy(*row))
        scheduleTransposed(name, features);
      else
        scheduleVectors(name);
    }
  return success();
}

/// What feature d adds to a sum of a pair.
KernelWriter::Result KernelWriter::termOfSum(unsigned number, Ex i, Ex k,
                                             Ex d) {
  attn::KernelOp::Sum sum = kernel.getSums()[number];
  SmallVector<Ex> elements;
  for (auto [which, operands] : llvm::enumerate(sum.rows)) {
    FailureOr<Ex> key = keyElement(operands.second, k, d);
    if (failed(key))
      return failure();
    elements.push_back(tasks.call(nameOfRows(number, which), acc, {i, d}));
    elements.push_back(*key);
  }
  if (!sum.pair)
    return b.mul(elements[0], elements[1]);
  Value rows = sum.rows.front().first;
  elements.push_back(
      b.position(d, *plan.fixedSize(attn::axisSize(rows.getType(), 4))));
  elements.append(indicesOf(i, k));
  return Formula(b, tensors).runOne(*sum.pair, elements);
}

/// The functions PREFIX0, PREFIX1, .. of the sums that scores depend on.
LogicalResult KernelWriter::defineSums(StringRef prefix) {
  Ex i = b.variable("i"), k = b.variable("k");
  for (auto [number, sum] : llvm::enumerate(kernel.getSums())) {
    std::string name = numbered(prefix, number), domain = name + "_sum";
    Value rows = sum.rows.front().first;
    int64_t features = *plan.fixedSize(attn::axisSize(rows.getType(), 4));
    b.domain(domain, {{b.integer(0), b.integer(features)}},
             computedWhere(b.div(k, b.integer(schedule.getK()))));
    Result term = termOfSum(number, i, k, b.variable(domain + ".x"));
    if (failed(term))
      return failure();
    tasks.define(name, {"i", "k"}, b.real(0, acc));
    tasks.update({i, k}, b.add(tasks.call(name, acc, {i, k}), *term));
  }
  return success();
}

/// What a region of score, gate or select yields, of the sums PREFIX0, ...
KernelWriter::Result KernelWriter::ofSums(Region &region, StringRef prefix,
                                          Ex i, Ex k) {
  auto sums = kernel.getSums();
  SmallVector<Ex> at{i, k};
  if (!pairInBlock.empty())
    at = pairInBlock;
  SmallVector<Ex> arguments{tasks.call(numbered(prefix, 0), acc, at)};
  if (!scalesRows(kernel))
    arguments[0] =
        b.mul(arguments[0], b.real(kernel.getScale().convertToDouble(), acc));
  arguments.append(indicesOf(i, k));
  for (unsigned number = 1; number < sums.size(); ++number)
    arguments.push_back(tasks.call(numbered(prefix, number), acc, at));
  return Formula(b, tensors).runOne(region, arguments);
}

/// The sums of scores in registers, for tiles of `user`.
void KernelWriter::scheduleSums(StringRef prefix, StringRef user) {
  SmallVector<std::string> products;
  for (unsigned number = 0; number < kernel.getSums().size(); ++number)
    products.push_back(numbered(prefix, number));
  scheduleProducts(products, user, "k", target.getScoreTile());
}

} // namespace attnc::halide
