//===- StorageOps.cpp - Meaning of ragged and paged storage ---------------===//
//
// The rows of a sequence are copied to where dense tensors have them; what no
// sequence has is 0 (read) or NaN (written by nobody).
//
//===----------------------------------------------------------------------===//

#include "Attn/FunctionInterpreter.h"

#include <limits>

using namespace mlir;

namespace attnc::reference {

/// Elements of one entry of the leading axis.
template <typename Real>
static int64_t rowSize(const Array<Real> &array, size_t leading) {
  int64_t size = 1;
  for (int64_t extent : llvm::drop_begin(array.shape, leading))
    size *= extent;
  return size;
}

template <typename Real>
static void copyRow(const Array<Real> &from, int64_t source, Array<Real> &to,
                    int64_t target, int64_t size) {
  for (int64_t i = 0; i < size; ++i)
    if (to.isReal)
      to.data.reals[target * size + i] = from.data.reals[source * size + i];
    else
      to.data.integers[target * size + i] =
          from.data.integers[source * size + i];
}

/// An array of zeros in the shape of `result`, whose axes but the first two are
/// those of `like` from `leading` on.
template <typename Real>
static Array<Real> makeRows(const Array<Real> &like, size_t leading,
                            ArrayRef<int64_t> first) {
  Array<Real> array;
  array.shape.assign(first.begin(), first.end());
  llvm::append_range(array.shape, llvm::drop_begin(like.shape, leading));
  array.isReal = like.isReal;
  for (size_t axis = 0; axis < array.shape.size(); ++axis)
    array.names.push_back(std::to_string(axis));
  array.resize();
  return array;
}

/// Calls `row` with a sequence, a row of it and the same row of all, for each
/// row that there is.
template <typename Real>
static void
forEachRaggedRow(const Array<Real> &start, int64_t rows,
                 function_ref<void(int64_t, int64_t, int64_t)> row) {
  for (size_t b = 0; b + 1 < start.data.integers.size(); ++b) {
    int64_t begin = start.data.integers[b], end = start.data.integers[b + 1];
    for (int64_t at = begin; at < end; ++at)
      if (at >= 0 && at < rows && at - begin < rows)
        row(b, at - begin, at);
  }
}

template <typename Real>
LogicalResult FunctionInterpreter<Real>::run(attn::UnpackOp op) {
  const Array<Real> &source = arrays[op.getSource()];
  const Array<Real> &start = arrays[op.getStart()];
  int64_t rows = source.shape[0], sequences = start.shape[0] - 1;
  Array<Real> result =
      makeRows(source, 1, {std::max<int64_t>(sequences, 0), rows});
  int64_t size = rowSize(source, 1);
  forEachRaggedRow(start, rows, [&](int64_t b, int64_t i, int64_t at) {
    copyRow(source, at, result, b * rows + i, size);
  });
  define(op.getResult(), std::move(result));
  return success();
}

template <typename Real>
LogicalResult FunctionInterpreter<Real>::run(attn::PackOp op) {
  const Array<Real> &source = arrays[op.getSource()];
  const Array<Real> &start = arrays[op.getStart()];
  int64_t rows = source.shape[1];
  Array<Real> result = makeRows(source, 2, {rows});
  Real nobody = std::numeric_limits<Real>::quiet_NaN();
  if (std::optional<APFloat> fill = op.getFill())
    nobody = static_cast<Real>(fill->convertToDouble());
  std::fill(result.data.reals.begin(), result.data.reals.end(), nobody);
  int64_t size = rowSize(source, 2);
  forEachRaggedRow(start, rows, [&](int64_t b, int64_t i, int64_t at) {
    copyRow(source, b * rows + i, result, at, size);
  });
  define(op.getResult(), std::move(result));
  return success();
}

template <typename Real>
LogicalResult FunctionInterpreter<Real>::run(attn::PlaceOp op) {
  const Array<Real> &source = arrays[op.getSource()];
  const Array<Real> &start = arrays[op.getStart()];
  Array<Real> result = source;
  std::fill(result.data.reals.begin(), result.data.reals.end(),
            static_cast<Real>(op.getFill().convertToDouble()));
  int64_t keys = source.shape.back(), rows = rowSize(source, 1);
  rows = keys ? rows / keys : 0; // of one sequence
  forEachRaggedRow(start, keys, [&](int64_t b, int64_t k, int64_t at) {
    for (int64_t row = b * rows; row < (b + 1) * rows; ++row)
      result.data.reals[row * keys + at] = source.data.reals[row * keys + k];
  });
  define(op.getResult(), std::move(result));
  return success();
}

template <typename Real>
LogicalResult FunctionInterpreter<Real>::run(attn::PagesOp op) {
  const Array<Real> &source = arrays[op.getSource()];
  const Array<Real> &table = arrays[op.getTable()];
  FailureOr<Space> space = spaceOf(op.getResult(), "bk", {});
  if (failed(space))
    return failure();
  int64_t sequences = space->extents[0], keys = space->extents[1];
  int64_t pages = source.shape[0], pageRows = source.shape[1];
  int64_t width = table.shape[1];
  Array<Real> result = makeRows(source, 2, {sequences, keys});
  int64_t size = rowSize(source, 2);
  for (int64_t b = 0; b < sequences && width > 0; ++b)
    for (int64_t k = 0; k < keys; ++k) {
      int64_t column = std::min(k / pageRows, width - 1);
      int64_t page = table.data.integers[b * width + column];
      if (page >= 0 && page < pages)
        copyRow(source, page * pageRows + k % pageRows, result, b * keys + k,
                size);
    }
  define(op.getResult(), std::move(result));
  return success();
}

/// The ragged tensor that a tensor [b h g q d] is a view of, if its axes 0 and
/// 1 are b and q alone.
static attn::UnpackOp findUnpack(Value q) {
  SmallVector<std::string> groups = letterNames("bhgqd");
  while (isa_and_present<attn::ViewOp, attn::SliceOp>(q.getDefiningOp())) {
    if (auto slice = q.getDefiningOp<attn::SliceOp>()) {
      StringRef piece = groups[slice.getAxis()];
      if (piece.contains('b') || piece.contains('q'))
        return {};
      q = slice.getSource();
      continue;
    }
    auto view = q.getDefiningOp<attn::ViewOp>();
    attn::ViewLabels labels = view.getViewLabels();
    llvm::DenseMap<char, std::string> ofLetter;
    for (auto [letters, group] : llvm::zip_equal(labels.output, groups)) {
      if (letters.size() != 1 && letters.size() != group.size())
        return {};
      for (auto [i, letter] : llvm::enumerate(letters))
        ofLetter[letter] = letters.size() == 1 ? group : group.substr(i, 1);
    }
    groups.clear();
    for (StringRef letters : labels.input) {
      std::string &group = groups.emplace_back();
      for (char letter : letters)
        group += ofLetter[letter];
    }
    q = view.getSource();
  }
  auto unpack = q.getDefiningOp<attn::UnpackOp>();
  bool isPlain = unpack && groups[0] == "b" && groups[1] == "q";
  return isPlain ? unpack : attn::UnpackOp();
}

template <typename Real>
std::vector<int64_t>
FunctionInterpreter<Real>::lengthsOf(Value q, int64_t batch, int64_t rows) {
  std::vector<int64_t> lengths(batch, rows);
  attn::UnpackOp unpack = findUnpack(q);
  if (!unpack)
    return lengths;
  const std::vector<int64_t> &start = arrays[unpack.getStart()].data.integers;
  for (int64_t b = 0; b < batch; ++b)
    lengths[b] = std::clamp<int64_t>(start[b + 1] - start[b], 0, rows);
  return lengths;
}

template std::vector<int64_t>
FunctionInterpreter<double>::lengthsOf(Value, int64_t, int64_t);
template std::vector<int64_t>
FunctionInterpreter<long double>::lengthsOf(Value, int64_t, int64_t);
template LogicalResult FunctionInterpreter<double>::run(attn::UnpackOp);
template LogicalResult FunctionInterpreter<double>::run(attn::PackOp);
template LogicalResult FunctionInterpreter<double>::run(attn::PlaceOp);
template LogicalResult FunctionInterpreter<double>::run(attn::PagesOp);
template LogicalResult FunctionInterpreter<long double>::run(attn::UnpackOp);
template LogicalResult FunctionInterpreter<long double>::run(attn::PackOp);
template LogicalResult FunctionInterpreter<long double>::run(attn::PlaceOp);
template LogicalResult FunctionInterpreter<long double>::run(attn::PagesOp);

} // namespace attnc::reference
