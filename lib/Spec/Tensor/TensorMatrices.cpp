//===- TensorMatrices.cpp - Attention and matrices of tensors -------------===//

#include "Tensor/TensorChecker.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

static ExprPtr apply(Op op, ExprPtr a, ExprPtr b) {
  return makeApply(op, Type::Real, {std::move(a), std::move(b)});
}

/// The file's attention, with three tensors for Q, K and V.
TensorPtr TensorChecker::attend(ArrayRef<const Node *> bound,
                                const Node &node) {
  static constexpr StringLiteral names[] = {"Q of attend", "K of attend",
                                            "V of attend"};
  if (!attentionKnown) {
    report.error(Message::Scope, node.headRange, {"attend", what.str()})
        .note("'attend' is only available in 'output'");
    return nullptr;
  }
  auto tensor = std::make_shared<Tensor>();
  ExprPtr counts[] = {makeSize(spec.axisOf(QueryLen)),
                      makeSize(spec.axisOf(KvLen))};
  for (Row row : {Row::Q, Row::K, Row::V}) {
    const Node &child = *bound[unsigned(row)];
    TensorPtr x = visitTensor(child);
    if (!x)
      return nullptr;
    ExprPtr &count = counts[row != Row::Q];
    const Storage &storage = spec.storageOf(row);
    bool isRagged = storage.kind == Storage::Ragged;
    if (row != Row::V && isRagged && shapes.placesOf(count, x->axes).empty()) {
      report
          .error(Message::Unsupported, child.range,
                 {"'attend' to other rows than those of ragged storage"})
          .note(storage.range, "the rows here are those of '" +
                                   spec.sizes[storage.tokens].name + "'")
          .note("use dense storage with a mask of lengths (k < "
                "length[b]), or compute this part in a separate function");
      return nullptr;
    }
    if (row != Row::V && !isRagged && x->axes.size() >= 2)
      count = x->axes[x->axes.size() - 2];
    RowTensor rows = asRow(x, row, count, child.range, names[unsigned(row)]);
    if (!rows.tensor)
      return nullptr;
    tensor->labels += row == Row::Q ? "" : ",";
    tensor->labels += std::string(rows.hasBatch ? "b" : "") +
                      (rows.hasHeads ? "h" : "") +
                      (row == Row::Q ? "qd" : "kd");
    tensor->operands.push_back(rows.tensor);
  }
  std::optional<OtherRows> other = findOtherRows(counts[0], counts[1], node);
  if (!other)
    return nullptr;
  tensor->kind = Tensor::Attend;
  tensor->dtype = spec.outputType;
  tensor->axes = spec.axesOfResult();
  if (other->queries)
    tensor->axes[2] = other->queries;
  tensor->attention = other->formulas;
  tensor->range = node.range;
  return tensor;
}

/// What the numbers of rows of an `attend` change; nothing after an error.
std::optional<OtherRows> TensorChecker::findOtherRows(const ExprPtr &queries,
                                                      const ExprPtr &keys,
                                                      const Node &node) {
  OtherRows rows;
  rows.range = node.range;
  if (!shapes.isSame(queries, makeSize(spec.axisOf(QueryLen))))
    rows.queries = queries;
  if (!shapes.isSame(keys, makeSize(spec.axisOf(KvLen))))
    rows.keys = keys;
  if (!rows.queries && !rows.keys)
    return rows;
  for (const Storage *storage : {&spec.queryStorage, &spec.kvStorage})
    if (storage->kind != Storage::Dense) {
      report
          .error(Message::Unsupported, node.range,
                 {"'attend' with a different number of rows"})
          .note(storage->range, "cannot be combined with this storage");
      return std::nullopt;
    }
  rows.formulas = std::make_shared<AttentionFormulas>();
  others.push_back(rows);
  return rows;
}

/// Scores are kept in the type in which they are computed: products and
/// formulas of them are not rounded on the way to a softmax.
static TensorPtr unrounded(const TensorPtr &x, DType type) {
  if (x->kind != Tensor::Contract && x->kind != Tensor::Map)
    return x;
  auto tensor = std::make_shared<Tensor>(*x);
  tensor->dtype = type;
  if (x->kind == Tensor::Map)
    for (TensorPtr &operand : tensor->operands)
      operand = unrounded(operand, type);
  return tensor;
}

/// A vector with an axis of size 1 in front: sums and weights are rows of
/// something.
TensorPtr TensorChecker::asOneRow(const TensorPtr &x, SMRange range) {
  auto wider = std::make_shared<Tensor>();
  wider->kind = Tensor::Map;
  wider->dtype = computeType();
  wider->axes = {makeInt(1), x->axes[0]};
  wider->operands = {x};
  wider->labels = "b->ab";
  wider->formula = makeElement(0, Type::Real, range);
  wider->range = range;
  return wider;
}

/// softmax(A, axis=last, mask=true).
TensorPtr TensorChecker::softmax(const Node &node) {
  const FunctionInfo &function =
      functionTable()[size_t(Function::MatrixSoftmax)];
  Checker binder(spec, report, use, Scope::ofSizes(what));
  std::vector<const Node *> bound;
  if (!binder.bind(node, function, bound))
    return nullptr;
  TensorPtr x = visitTensor(*bound[0]);
  if (x)
    x = asReal(x);
  if (!x)
    return nullptr;
  if (x->axes.empty()) {
    report.error(Message::NeedsAxes, node.range, {"softmax", "one axis"});
    return nullptr;
  }
  unsigned axis = x->axes.size() - 1;
  if (bound[1] && !(bound[1]->kind == Node::Name && bound[1]->name == "last")) {
    ExprPtr size = countArgument(bound[1], "", node.headRange);
    if (!size)
      return nullptr;
    auto places = shapes.embed({size}, x->axes);
    if (!places) {
      report.error(
          Message::BadArgument, bound[1]->range,
          {"'axis' of 'softmax'", "last or an axis of " + shapeText(x)});
      return nullptr;
    }
    axis = places->front();
  }
  auto tensor = std::make_shared<Tensor>();
  bool isAlone = x->axes.size() == 1;
  x = unrounded(x, computeType());
  if (isAlone) {
    x = asOneRow(x, node.range);
    axis = 1;
  }
  tensor->operands = {x};
  if (bound[2]) {
    Value mask = visit(*bound[2]);
    if (!mask)
      return nullptr;
    bool isTruth = mask.tensor ? mask.tensor->dtype == DType::Bool
                               : mask.scalar->type == Type::Bool;
    if (!isTruth ||
        (mask.tensor && !shapes.embed(mask.tensor->axes, x->axes))) {
      report.error(Message::BadArgument, bound[2]->range,
                   {"'mask' of 'softmax'",
                    "a boolean tensor whose axes are among " + shapeText(x)});
      return nullptr;
    }
    std::vector<TensorPtr> operands;
    ExprPtr formula = mask.scalar;
    if (mask.tensor) {
      operands = {mask.tensor};
      formula = makeElement(0, Type::Bool, bound[2]->range);
    }
    tensor->operands.push_back(
        mapOver(x->axes, formula, operands, bound[2]->range));
  }
  tensor->kind = Tensor::Softmax;
  tensor->dtype = computeType();
  tensor->axes = x->axes;
  tensor->labels = lettersFrom('a', x->axes.size());
  tensor->along = tensor->labels[axis];
  tensor->range = node.range;
  return isAlone ? view("ab->(ab)", {tensor->axes[1]}, tensor, node.range)
                 : tensor;
}

/// A sum or the greatest along one axis.
TensorPtr TensorChecker::reduced(Tensor::Kind kind, const TensorPtr &x,
                                 unsigned axis, SMRange range) {
  auto tensor = std::make_shared<Tensor>();
  tensor->kind = kind;
  tensor->dtype = computeType();
  tensor->axes = x->axes;
  tensor->axes.erase(tensor->axes.begin() + axis);
  tensor->operands = {x};
  std::string letters = lettersFrom('a', x->axes.size());
  tensor->labels = letters + "->";
  letters.erase(axis, 1);
  tensor->labels += letters;
  tensor->range = range;
  return tensor;
}

/// False after an error: an axis holds the rows of all sequences, and what
/// `use` does along it would go on from one sequence into the next. Of all axes
/// those of the `sizes` are meant, if there are some.
bool TensorChecker::isOfOneSequence(const TensorPtr &x, ArrayRef<ExprPtr> sizes,
                                    SMRange place, const AlongRows &use) {
  for (const Storage *storage : {&spec.queryStorage, &spec.kvStorage}) {
    if (storage->kind != Storage::Ragged)
      continue;
    ExprPtr tokens = makeSize(storage->tokens);
    bool isMeant = sizes.empty() || any_of(sizes, [&](const ExprPtr &size) {
                     return shapes.isSame(size, tokens);
                   });
    if (!isMeant || shapes.placesOf(tokens, x->axes).empty())
      continue;
    const std::string &name = spec.sizes[storage->tokens].name;
    auto &error = report.error(
        Message::BadArgument, place,
        {use.argument.str(),
         "limited to one sequence: along " + name +
             ", the rows of several sequences are concatenated, and the " +
             use.result.str() + " would cross their boundaries"});
    error.note("the caller must " + use.remedy.str());
    error.note(storage->range, "storage is ragged here");
    noteInputs(error, {x.get()});
    return false;
  }
  return true;
}

/// [..., rows, d] -> [..., m, d]
TensorPtr TensorChecker::segmentMean(ArrayRef<const Node *> bound,
                                     const Node &node) {
  TensorPtr x = visitTensor(*bound[0]);
  if (x)
    x = asReal(x);
  ExprPtr m = countArgument(bound[1], "", node.headRange);
  if (!x || !m)
    return nullptr;
  size_t rank = x->axes.size();
  if (rank < 2) {
    report.error(Message::NeedsAxes, node.range, {"segment_mean", "two axes"});
    return nullptr;
  }
  ExprPtr rows = x->axes[rank - 2];
  if (!isOfOneSequence(
          x, rows, bound[0]->range,
          {"'X' of 'segment_mean'", "segments",
           "compute the means per sequence and pass them as an input"}))
    return nullptr;
  ExprPtr length = shapes.quotient(rows, m);
  if (!length && shapes.number(rows)) {
    report
        .error(Message::SegmentRows, node.range,
               {textOfNode(*bound[0]), shapeText(x), printFormula(spec, *m)})
        .note("segment_mean(X, m) splits the rows into m segments");
    return nullptr;
  }
  if (!length) { // decided by the call
    auto need = [&](const ExprPtr &condition) {
      spec.preconditions.push_back({condition, printFormula(spec, *condition),
                                    textOfNode(node), node.range});
    };
    if (!shapes.number(m)) // in front: it divides
      need(makeApply(Op::Ge, Type::Bool, {m, makeInt(1)}, node.range));
    ExprPtr rest = makeApply(Op::Mod, Type::Int, {rows, m}, node.range);
    need(makeApply(Op::Eq, Type::Bool, {rest, makeInt(0)}, node.range));
    length = makeApply(Op::FloorDiv, Type::Int, {rows, m}, node.range);
  }
  std::string front = lettersFrom('a', rank - 2);
  Axes axes(x->axes.begin(), x->axes.end() - 2);
  axes.insert(axes.end(), {m, length, x->axes.back()});
  TensorPtr split =
      view(front + "(xy)z->" + front + "xyz", axes, x, node.range);
  TensorPtr sum = reduced(Tensor::Sum, split, rank - 1, node.range);
  ExprPtr count = makeApply(Op::ToReal, Type::Real, {length});
  Axes result = sum->axes;
  return mapOver(std::move(result),
                 apply(Op::Div, makeElement(0, Type::Real, node.range), count),
                 {sum}, node.range, x->dtype);
}

/// The axis that is named, else the only one of query_len or kv_len.
std::optional<unsigned> TensorChecker::axisOfRows(const Node *axis,
                                                  const TensorPtr &x,
                                                  const Node &node) {
  std::vector<ExprPtr> sizes{makeSize(QueryLen), makeSize(KvLen)};
  bool isNamed = axis && !(axis->kind == Node::Name && axis->name == "rows");
  if (isNamed) {
    sizes = {countArgument(axis, "", node.headRange)};
    if (!sizes[0])
      return std::nullopt;
  }
  std::vector<unsigned> places;
  bool isRepeated = false; // names cannot tell them apart
  for (const ExprPtr &size : sizes) {
    std::vector<unsigned> own = shapes.placesOf(size, x->axes);
    isRepeated |= own.size() > 1;
    for (unsigned place : own)
      if (!is_contained(places, place))
        places.push_back(place);
  }
  SMRange place = isNamed ? axis->range : node.range;
  if (isNamed || places.empty())
    if (!isOfOneSequence(
            x, isNamed ? sizes : Axes(), place,
            {"'axis' of 'cumsum'", "sums",
             "compute the sums per sequence and pass them as an input"}))
      return std::nullopt;
  if (places.size() == 1)
    return places.front();
  std::string what =
      isRepeated ? "one axis: " + shapeText(x) + " has several of this size"
      : isNamed
          ? "rows or an axis of " + shapeText(x)
          : "named: " + shapeText(x) + " has " +
                (places.empty() ? "no axis of rows" : "query_len and kv_len");
  auto &error =
      report.error(Message::BadArgument, place, {"'axis' of 'cumsum'", what});
  if (isRepeated)
    error.note("give the axes different size names, for example "
               "[query_len, kv_len] and axis=kv_len");
  noteInputs(error, {x.get()});
  return std::nullopt;
}

/// cumsum(X, axis=rows): the sums up to each place of an axis.
TensorPtr TensorChecker::runningSum(ArrayRef<const Node *> bound,
                                    const Node &node) {
  TensorPtr x = visitTensor(*bound[0]);
  if (x && x->dtype == DType::Bool) {
    ExprPtr one = makeApply(
        Op::Select, Type::Real,
        {makeElement(0, Type::Bool, node.range), makeReal(1), makeReal(0)},
        node.range);
    x = mapOver(x->axes, one, {x}, node.range, computeType());
  } else if (x) {
    x = unrounded(asReal(x), computeType());
  }
  std::optional<unsigned> axis;
  if (x)
    axis = axisOfRows(bound[1], x, node);
  if (!axis)
    return nullptr;
  auto tensor = std::make_shared<Tensor>();
  tensor->kind = Tensor::Scan;
  tensor->dtype = computeType();
  tensor->axes = x->axes;
  tensor->range = node.range;
  bool isAlone = x->axes.size() == 1; // a sum is one of several
  if (isAlone) {
    x = asOneRow(x, node.range);
    tensor->axes = x->axes;
    axis = 1;
  }
  tensor->operands = {x};
  tensor->labels = lettersFrom('a', tensor->axes.size());
  tensor->along = tensor->labels[*axis];
  return isAlone ? view("ab->(ab)", {tensor->axes[1]}, tensor, node.range)
                 : tensor;
}

/// eye(n); its numbers are exact in every type.
TensorPtr TensorChecker::identity(const ExprPtr &n, const Node &node) {
  if (!n)
    return nullptr;
  SMRange range = node.range;
  ExprPtr isDiagonal = makeApply(
      Op::Eq, Type::Bool, {makePlace(0, range), makePlace(1, range)}, range);
  ExprPtr formula = makeApply(Op::Select, Type::Real,
                              {isDiagonal, makeReal(1), makeReal(0)}, range);
  return mapOver({n, n}, formula, {}, range, spec.outputType);
}

/// diagonal * identity - x
TensorPtr TensorChecker::diagonalLess(double diagonal, const TensorPtr &x) {
  unsigned rank = x->axes.size();
  ExprPtr isDiagonal = makeApply(
      Op::Eq, Type::Bool,
      {makePlace(rank - 2, x->range), makePlace(rank - 1, x->range)}, x->range);
  ExprPtr identity =
      makeApply(Op::Select, Type::Real,
                {isDiagonal, makeReal(diagonal), makeReal(0)}, x->range);
  Axes axes = x->axes;
  return mapOver(std::move(axes),
                 apply(Op::Sub, identity, makeElement(0, Type::Real, x->range)),
                 {x}, x->range, x->dtype);
}

/// Z = A.T / (greatest row sum * greatest column sum), then so many times
/// Z (13 I - A Z (15 I - A Z (7 I - A Z))) / 4, each matrix by itself.
TensorPtr TensorChecker::pseudoInverse(ArrayRef<const Node *> bound,
                                       const Node &node) {
  TensorPtr a = visitTensor(*bound[0]);
  if (a)
    a = asReal(a);
  constexpr int64_t kMostSteps = 64;
  int64_t steps = 6;
  if (bound[1]) {
    ExprPtr count = countArgument(bound[1], "", node.headRange);
    std::optional<int64_t> number = count ? shapes.number(count) : std::nullopt;
    if (count && (!number || *number > kMostSteps))
      report.error(Message::BadArgument, bound[1]->range,
                   {"'iterations' of 'pinv'", "a constant of at most 64"});
    if (!number || *number > kMostSteps)
      return nullptr;
    steps = *number;
  }
  if (!a)
    return nullptr;
  unsigned rank = a->axes.size();
  if (rank < 2 || !shapes.isSame(a->axes[rank - 1], a->axes[rank - 2])) {
    report.error(Message::SquareMatrix, node.range, {"pinv", shapeText(a)});
    return nullptr;
  }
  SMRange range = node.range;
  auto element = [&](unsigned i) { return makeElement(i, Type::Real, range); };
  TensorPtr size = mapOver(
      a->axes, makeApply(Op::Abs, Type::Real, {element(0)}), {a}, range);
  TensorPtr greatest[2];
  for (unsigned i : {0, 1}) // columns, rows
    greatest[i] = reduced(Tensor::Greatest,
                          reduced(Tensor::Sum, size, rank - 2 + i, range),
                          rank - 2, range);
  std::string front = lettersFrom('a', rank - 2);
  Axes axes = a->axes;
  TensorPtr turned = view(front + "yz->" + front + "zy", axes, a, range);
  ExprPtr scaled =
      apply(Op::Div, element(0), apply(Op::Mul, element(1), element(2)));
  TensorPtr z = mapOver(axes, scaled, {turned, greatest[0], greatest[1]}, range,
                        computeType());
  auto times = [&](const TensorPtr &x, const TensorPtr &y) {
    return contract(front + "xy," + front + "yz->" + front + "xz", axes, x, y,
                    range);
  };
  for (int64_t step = 0; step < steps; ++step) {
    TensorPtr az = times(a, z);
    TensorPtr inner = times(az, diagonalLess(7, az));
    TensorPtr outer = times(az, diagonalLess(15, inner));
    TensorPtr next = times(z, diagonalLess(13, outer));
    z = mapOver(axes, apply(Op::Mul, makeReal(0.25), element(0)), {next}, range,
                computeType());
  }
  return z;
}

} // namespace attnc::spec
