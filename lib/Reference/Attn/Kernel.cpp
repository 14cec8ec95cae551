//===- Kernel.cpp - Meaning of attn.kernel --------------------------------===//
//
// Row by row with O(kv_len) memory, so that long sequences have a reference,
// too. Only allowed keys are looked at: a masked one cannot matter.
//
//===----------------------------------------------------------------------===//

#include "Attn/FunctionInterpreter.h"
#include "Attn/NormalizeRow.h"
#include "Attn/SumOrder.h"

#include "attnc/Dialect/Attn/UnreadProducts.h"

using namespace mlir;

namespace attnc::reference {
namespace {

/// The arrays of one kernel, and one row's place in them.
template <typename Real> struct KernelRun {
  mutable attn::KernelOp op;
  Arithmetic arithmetic;
  Array<Real> q, k, v;
  std::vector<Array<Real>> products; // rows and keys in turn
  Type type;                         // accumulate type
  llvm::DenseMap<Value, Array<Real>> results{};
  bool countsOnly = false;
  double flop = 0;

  int64_t keys() const { return k.shape[k.shape.size() - 2]; }
  int64_t width() const { return v.shape.back(); }

  /// b, h, g, q as uniform columns.
  static SmallVector<Column<Real>> indices(ArrayRef<int64_t> row) {
    SmallVector<Column<Real>> columns;
    for (int64_t index : row)
      columns.push_back(Column<Real>::integer(index));
    return columns;
  }
  int64_t rowNumber(ArrayRef<int64_t> row) const {
    return ((row[0] * q.shape[1] + row[1]) * q.shape[2] + row[2]) * q.shape[3] +
           row[3];
  }
  /// The number of a key's row, b, h, maybe g, k, of row b, h, g, q.
  int64_t keyNumber(const Array<Real> &keys, ArrayRef<int64_t> row,
                    int64_t key) const {
    int64_t head = row[0] * keys.shape[1] + row[1];
    if (keys.shape.size() > 4)
      head = head * keys.shape[2] + row[2];
    return head * this->keys() + key;
  }
  /// The sum over features of a row times a key.
  Real dot(const Array<Real> &rows, const Array<Real> &keys,
           ArrayRef<size_t> order, ArrayRef<int64_t> row, int64_t key) const;
  const Array<Real> &rowsAt(unsigned i) const {
    return i == 0 ? q : products[2 * i - 2];
  }
  const Array<Real> &keysAt(unsigned i) const {
    return i == 0 ? k : products[2 * i - 1];
  }
  FailureOr<Real> sumOf(attn::KernelOp::Sum &sum, unsigned first,
                        ArrayRef<size_t> order, ArrayRef<int64_t> row,
                        int64_t key, RegionEvaluator<Real> &evaluator);
  FailureOr<Column<Real>> valueOf(ArrayRef<int64_t> row, int64_t key,
                                  RegionEvaluator<Real> &evaluator);
  LogicalResult accumulate(ArrayRef<int64_t> row, ArrayRef<int64_t> allowed,
                           ArrayRef<Real> weights, ArrayRef<Real> gates,
                           RegionEvaluator<Real> &evaluator);
  FailureOr<std::vector<int64_t>>
  findAllowed(SmallVector<Column<Real>> arguments,
              RegionEvaluator<Real> &evaluator);
  FailureOr<SmallVector<Column<Real>>>
  pairArguments(ArrayRef<int64_t> row, ArrayRef<int64_t> allowed,
                RegionEvaluator<Real> &evaluator);
  FailureOr<std::vector<int64_t>> selected(ArrayRef<int64_t> allowed,
                                           ArrayRef<Column<Real>> arguments,
                                           RegionEvaluator<Real> &evaluator);
  FailureOr<std::vector<Real>> ofPairs(Region &region,
                                       ArrayRef<Column<Real>> arguments,
                                       size_t count,
                                       RegionEvaluator<Real> &evaluator);
  LogicalResult store(ArrayRef<int64_t> row, ArrayRef<int64_t> allowed,
                      ArrayRef<Real> scores, ArrayRef<Real> gates,
                      std::optional<Real> init,
                      RegionEvaluator<Real> &evaluator);
  LogicalResult runRow(ArrayRef<int64_t> row, RegionEvaluator<Real> &evaluator);
};

} // namespace

template <typename Real>
Real KernelRun<Real>::dot(const Array<Real> &rows, const Array<Real> &keys,
                          ArrayRef<size_t> order, ArrayRef<int64_t> row,
                          int64_t key) const {
  int64_t kRow = keyNumber(keys, row, key);
  MultiplyAdd<Real> multiplyAdd(type, arithmetic);
  const Real *left = rows.data.reals.data() + rowNumber(row) * rows.shape[4];
  const Real *right = keys.data.reals.data() + kRow * keys.shape.back();
  Real sum = 0;
  for (size_t d : order)
    sum = multiplyAdd(sum, left[d], right[d]);
  return sum;
}

/// 0, 1, .. as a column, then b, h, g, q and k: indices of a feature.
template <typename Real>
static SmallVector<Column<Real>>
featureIndices(int64_t count, ArrayRef<int64_t> row, int64_t key) {
  Column<Real> places;
  for (int64_t i = 0; i < count; ++i)
    places.integers.push_back(i);
  SmallVector<Column<Real>> columns{std::move(places)};
  for (int64_t index : row)
    columns.push_back(Column<Real>::integer(index));
  columns.push_back(Column<Real>::integer(key));
  return columns;
}

/// A sum over features, of a region of `pairs` or of products; its rows and
/// keys are those from number `first` on, of which 0 is q and k.
template <typename Real>
FailureOr<Real> KernelRun<Real>::sumOf(attn::KernelOp::Sum &sum, unsigned first,
                                       ArrayRef<size_t> order,
                                       ArrayRef<int64_t> row, int64_t key,
                                       RegionEvaluator<Real> &evaluator) {
  if (!sum.pair)
    return dot(rowsAt(first), keysAt(first), order, row, key);
  Real total = 0;
  auto size = static_cast<int64_t>(order.size());
  if (size == 0)
    return total;
  SmallVector<Column<Real>> arguments;
  for (unsigned i = first; i < first + sum.rows.size(); ++i) {
    const Array<Real> &keys = keysAt(i);
    const Real *left = rowsAt(i).data.reals.data() + rowNumber(row) * size;
    const Real *right =
        keys.data.reals.data() + keyNumber(keys, row, key) * size;
    arguments.push_back({std::vector<Real>(left, left + size), {}});
    arguments.push_back({std::vector<Real>(right, right + size), {}});
  }
  llvm::append_range(arguments, featureIndices<Real>(size, row, key));
  auto terms = evaluator.run(sum.pair->front(), arguments);
  if (failed(terms))
    return failure();
  for (size_t d : order)
    total = arithmetic.round<Real>(total + terms->front().realAt(d), type);
  return total;
}

/// What a key contributes.
template <typename Real>
FailureOr<Column<Real>>
KernelRun<Real>::valueOf(ArrayRef<int64_t> row, int64_t key,
                         RegionEvaluator<Real> &evaluator) {
  int64_t vRow = keyNumber(v, row, key);
  const Real *first = v.data.reals.data() + vRow * width();
  Column<Real> value{std::vector<Real>(first, first + width()), {}};
  if (!op.hasValue() || width() == 0)
    return value;
  SmallVector<Column<Real>> arguments{std::move(value)};
  llvm::append_range(arguments, featureIndices<Real>(width(), row, key));
  auto made = evaluator.run(op.getValue().front(), arguments);
  if (failed(made))
    return failure();
  return made->front();
}

template <typename Real>
LogicalResult
KernelRun<Real>::accumulate(ArrayRef<int64_t> row, ArrayRef<int64_t> allowed,
                            ArrayRef<Real> weights, ArrayRef<Real> gates,
                            RegionEvaluator<Real> &evaluator) {
  Type storage = *op.getProbabilities();
  MultiplyAdd<Real> multiplyAdd(type, arithmetic);
  Real *sums = results[op.getO()].data.reals.data() + rowNumber(row) * width();
  for (size_t place : sumOrder(allowed.size(), arithmetic.order)) {
    auto value = valueOf(row, allowed[place], evaluator);
    if (failed(value))
      return failure();
    Real rounded = arithmetic.round<Real>(weights[place], storage);
    if (!gates.empty())
      rounded = arithmetic.round<Real>(rounded * gates[place], type);
    for (int64_t e = 0; e < width(); ++e)
      sums[e] = multiplyAdd(sums[e], rounded, value->realAt(e));
  }
  return success();
}

/// Keys that the mask allows; `arguments` are b, h, g, q.
template <typename Real>
FailureOr<std::vector<int64_t>>
KernelRun<Real>::findAllowed(SmallVector<Column<Real>> arguments,
                             RegionEvaluator<Real> &evaluator) {
  std::vector<int64_t> allowed;
  if (keys() == 0)
    return allowed;
  Column<Real> all;
  for (int64_t key = 0; key < keys(); ++key)
    all.integers.push_back(key);
  arguments.push_back(std::move(all));
  auto mask = evaluator.run(op.getMask().front(), arguments);
  if (failed(mask))
    return failure();
  for (int64_t key = 0; key < keys(); ++key)
    if (mask->front().integerAt(key))
      allowed.push_back(key);
  return allowed;
}

/// x, b, h, g, q, k and the other sums of a row with its allowed keys.
template <typename Real>
FailureOr<SmallVector<Column<Real>>>
KernelRun<Real>::pairArguments(ArrayRef<int64_t> row, ArrayRef<int64_t> allowed,
                               RegionEvaluator<Real> &evaluator) {
  SmallVector<Column<Real>> arguments = indices(row);
  arguments.push_back(Column<Real>{{}, {allowed.begin(), allowed.end()}});
  Real scale = op.getScale().convertToDouble();
  unsigned first = 0;
  for (attn::KernelOp::Sum &sum : op.getSums()) {
    Column<Real> sums;
    std::vector<size_t> order =
        sumOrder(keysAt(first).shape.back(), arithmetic.order);
    for (int64_t key : allowed) {
      FailureOr<Real> total = sumOf(sum, first, order, row, key, evaluator);
      if (failed(total))
        return failure();
      sums.reals.push_back(
          first ? *total : arithmetic.round<Real>(*total * scale, type));
    }
    arguments.insert(first ? arguments.end() : arguments.begin(),
                     std::move(sums));
    first += sum.rows.size();
  }
  return arguments;
}

/// The keys among `allowed` that the region `select` leaves.
template <typename Real>
FailureOr<std::vector<int64_t>>
KernelRun<Real>::selected(ArrayRef<int64_t> allowed,
                          ArrayRef<Column<Real>> arguments,
                          RegionEvaluator<Real> &evaluator) {
  std::vector<int64_t> kept;
  if (allowed.empty())
    return kept;
  auto choice = evaluator.run(op.getSelect().front(), arguments);
  if (failed(choice))
    return failure();
  for (auto [place, key] : llvm::enumerate(allowed))
    if (choice->front().integerAt(place))
      kept.push_back(key);
  return kept;
}

/// What score or gate yields for `count` pairs.
template <typename Real>
FailureOr<std::vector<Real>>
KernelRun<Real>::ofPairs(Region &region, ArrayRef<Column<Real>> arguments,
                         size_t count, RegionEvaluator<Real> &evaluator) {
  std::vector<Real> numbers;
  if (region.empty() || count == 0)
    return numbers;
  auto column = evaluator.run(region.front(), arguments);
  if (failed(column))
    return failure();
  for (size_t i = 0; i < count; ++i)
    numbers.push_back(column->front().realAt(i));
  return numbers;
}

template <typename Real>
LogicalResult
KernelRun<Real>::store(ArrayRef<int64_t> row, ArrayRef<int64_t> allowed,
                       ArrayRef<Real> scores, ArrayRef<Real> gates,
                       std::optional<Real> init,
                       RegionEvaluator<Real> &evaluator) {
  int64_t place = rowNumber(row);
  if (attn::NormAttr norm = op.getNorm()) {
    RowWeights<Real> weights =
        normalizeRow<Real>(norm, scores, init, type, arithmetic);
    results[op.getLse()].data.reals[place] =
        op.getRow() ? weights.sum : weights.lse;
    if (op.getRow())
      results[op.getRow()].data.reals[place] = weights.max;
    if (op.getDense()) // elsewhere 0
      for (auto [key, weight] : llvm::zip_equal(allowed, weights.weights))
        results[op.getDense()].data.reals[place * keys() + key] = weight;
    return op.getO()
               ? accumulate(row, allowed, weights.weights, gates, evaluator)
               : success();
  }
  if (attn::RowAttr kind = op.getRowKind()) {
    RowNumber<Real> number = reduceRow<Real>(kind, scores, type, arithmetic);
    results[op.getRow()].data.reals[place] = number.value;
    if (op.getKey())
      results[op.getKey()].data.integers[place] =
          number.place < allowed.size() ? allowed[number.place] : keys() - 1;
    return success();
  }
  Real *pairs = results[op.getDense()].data.reals.data() + place * keys();
  auto dense = cast<attn::DenseAttr>(op.getNormalize());
  std::fill(pairs, pairs + keys(),
            static_cast<Real>(dense.getFill().convertToDouble()));
  for (auto [key, score] : llvm::zip_equal(allowed, scores))
    pairs[key] = score;
  return success();
}

template <typename Real>
LogicalResult KernelRun<Real>::runRow(ArrayRef<int64_t> row,
                                      RegionEvaluator<Real> &evaluator) {
  auto allowed = findAllowed(indices(row), evaluator);
  if (failed(allowed))
    return failure();
  // What computes rows again for other kernels is no need.
  if (op.getV()) {
    int64_t terms = width();
    unsigned first = 0;
    for (attn::KernelOp::Sum &sum : op.getSums()) {
      if (first > 0 || attn::readsFirstSum(op))
        terms += keysAt(first).shape.back();
      first += sum.rows.size();
    }
    flop +=
        2.0 * static_cast<double>(allowed->size()) * static_cast<double>(terms);
  }
  if (countsOnly)
    return success();
  std::optional<Real> init;
  if (op.hasInit()) {
    auto column = evaluator.run(op.getInit().front(), indices(row));
    if (failed(column))
      return failure();
    init = column->front().realAt(0);
  }
  FailureOr<SmallVector<Column<Real>>> arguments =
      pairArguments(row, *allowed, evaluator);
  if (failed(arguments))
    return failure();
  if (op.hasSelect()) {
    auto kept = selected(*allowed, *arguments, evaluator);
    if (failed(kept))
      return failure();
    allowed = *kept;
    arguments = pairArguments(row, *allowed, evaluator);
    if (failed(arguments))
      return failure();
  }
  auto scores = ofPairs(op.getScore(), *arguments, allowed->size(), evaluator);
  auto gates = ofPairs(op.getGate(), *arguments, allowed->size(), evaluator);
  if (failed(scores) || failed(gates))
    return failure();
  return store(row, *allowed, *scores, *gates, init, evaluator);
}

template <typename Real>
LogicalResult FunctionInterpreter<Real>::run(attn::KernelOp op) {
  KernelRun<Real> kernel{
      op, arithmetic, {}, {}, {}, {}, op.getAccumulateType()};
  kernel.products.resize(op.getProducts().size());
  SmallVector<Array<Real> *> arrays{&kernel.q, &kernel.k};
  if (op.getV())
    arrays.push_back(&kernel.v);
  for (Array<Real> &product : kernel.products)
    arrays.push_back(&product);
  for (auto [operand, place] :
       llvm::zip_equal(op.getLetteredOperands(), arrays)) {
    auto array = named(operand.first, operand.second);
    if (failed(array))
      return failure();
    *place = *array;
  }
  kernel.countsOnly = countsOnly;
  Space rows;
  rows.names = letterNames("bhgq1");
  rows.extents.assign(kernel.q.shape.begin(), kernel.q.shape.begin() + 4);
  for (auto [result, letters] : op.getLetteredResults()) {
    Array<Real> &array = kernel.results[result];
    array.shape = rows.extents;
    if (letters.ends_with("e"))
      array.shape.push_back(kernel.width());
    if (letters.ends_with("k"))
      array.shape.push_back(kernel.keys());
    array.isReal = isa<FloatType>(getElementTypeOrSelf(result.getType()));
    array.resize();
  }
  rows.extents.push_back(1);
  RegionEvaluator<Real> run = evaluator();
  std::vector<int64_t> lengths =
      lengthsOf(op.getQ(), rows.extents[0], rows.extents[3]);
  if (lookAt && failed(lookAt(op, ArrayRef(rows.extents).take_front(4),
                              kernel.keys(), lengths, run)))
    return failure();
  if (lookAt && countsOnly)
    rows.extents[3] = 0;
  if (failed(forEachRow(rows, [&](ArrayRef<int64_t> index) {
        if (index[3] >= lengths[index[0]]) // a row that no sequence has
          return success();
        return kernel.runRow(index.drop_back(), run);
      })))
    return failure();
  flop += kernel.flop;
  for (auto [result, letters] : op.getLetteredResults())
    define(result, std::move(kernel.results[result]));
  return success();
}
template LogicalResult FunctionInterpreter<double>::run(attn::KernelOp);
template LogicalResult FunctionInterpreter<long double>::run(attn::KernelOp);

} // namespace attnc::reference
