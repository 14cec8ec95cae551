//===- RandomInputs.cpp - Tensors to run an interface on ------------------===//

#include "attnc/Reference/RandomInputs.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;

namespace attnc::reference {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every platform.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In (0, 1).
  double uniform() { return ((next() >> 11) + 0.5) * 0x1p-53; }
  int64_t uniform(int64_t low, int64_t high) {
    if (high <= low)
      return low;
    return low + static_cast<int64_t>(next() % (uint64_t(high - low) + 1));
  }
  /// By the method of Box and Muller.
  double normal() {
    return std::sqrt(-2 * std::log(uniform())) *
           std::cos(2 * std::numbers::pi * uniform());
  }

private:
  uint64_t state;
};

} // namespace

static int64_t valueOf(const Interface &function, const SizeExpr &expr,
                       ArrayRef<int64_t> sizes) {
  return expr
      .evaluate([&](StringRef name) -> std::optional<int64_t> {
        auto index = function.sizeIndex(name);
        return index ? std::optional<int64_t>(sizes[*index]) : std::nullopt;
      })
      .value_or(0);
}

static std::vector<int64_t> shapeOf(const Interface &function,
                                    const InterfaceTensor &tensor,
                                    ArrayRef<int64_t> sizes) {
  std::vector<int64_t> shape;
  for (const SizeExpr &axis : tensor.axes)
    shape.push_back(std::max<int64_t>(valueOf(function, axis, sizes), 0));
  return shape;
}

/// The key that a row of K, counted over its axes but the last, is of all keys
/// that may meet in a row of scores.
static int64_t keyOf(const Tensor &tensor, RowLayout layout, int64_t row) {
  if (layout == RowLayout::Dense)
    return row;
  int64_t heads = tensor.shape[1];
  if (layout == RowLayout::Ragged)
    return row / heads;
  int64_t pageRows = tensor.shape[2];
  return row / (heads * pageRows) * pageRows + row % pageRows;
}

/// Q and K such that q . k = gap * rank(k): the rank's bits are spread over the
/// features, as powers of two in both factors, so that narrow types hold them.
static void fillRanks(Tensor &tensor, const InterfaceTensor &declared,
                      int64_t keys, int gapBits, Random &random) {
  bool isQuery = declared.role == TensorRole::Query;
  int64_t width = tensor.shape.back();
  int64_t rows = tensor.size() / width;
  int64_t bits =
      std::max<int64_t>(1, llvm::Log2_64_Ceil(std::max<int64_t>(keys, 2)));
  int64_t used = std::min(width, bits);
  std::vector<int64_t> rank(keys);
  for (int64_t key = 0; key < keys; ++key)
    rank[key] = key;
  for (int64_t key = keys - 1; key > 0 && !isQuery; --key)
    std::swap(rank[key], rank[random.uniform(0, key)]);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t d = 0; d < used; ++d) {
      // Feature d holds bit d; the last one all bits from there on.
      int exponent = gapBits + static_cast<int>(d);
      double &value = tensor.real[row * width + d];
      if (isQuery) {
        value = std::ldexp(1.0, exponent / 2);
        continue;
      }
      int64_t part = rank[keyOf(tensor, declared.rows, row) % keys] >> d;
      if (d + 1 < used)
        part &= 1;
      value = std::ldexp(static_cast<double>(part), exponent - exponent / 2);
    }
}

/// A matrix of weights, whose sizes the spec fixes, is multiplied with rows:
/// products keep the size of the rows, as in a trained layer. Else scores are
/// so large that the softmax is a maximum, which a rounding flips.
static double spreadOf(const Interface &function, const Tensor &tensor,
                       const InterfaceTensor &declared) {
  size_t rank = tensor.shape.size();
  bool isFixed = llvm::all_of(declared.axes, [&](const SizeExpr &axis) {
    return function.resolve(axis).constantValue();
  });
  if (declared.role != TensorRole::Input || rank < 2 || !isFixed)
    return 1;
  return 1 / std::sqrt(double(
                 std::max(tensor.shape[rank - 2], tensor.shape[rank - 1])));
}

static void fillFloats(Tensor &tensor, const InterfaceTensor &declared,
                       InputKind kind, int64_t kvLen, double spread,
                       Random &random) {
  if (kind == InputKind::Integer &&
      (declared.role == TensorRole::Query || declared.role == TensorRole::Key))
    return fillRanks(tensor, declared, kvLen,
                     declared.dtype == DType::F64 ? 14 : 11, random);
  for (double &value : tensor.real)
    if (kind == InputKind::Normal)
      value = roundToType(random.normal() * spread, tensor.element);
    else if (kind == InputKind::Integer)
      value = static_cast<double>(random.uniform(-8, 8));
}

/// `low` and `high` are what the range, if one is declared, says.
static void fillIntegers(Tensor &tensor, const InterfaceTensor &declared,
                         int64_t low, int64_t high, Random &random) {
  if (tensor.element.isInteger(1))
    high = 1;
  else if (tensor.element.isInteger(8) && !declared.range) {
    bool isSigned = !tensor.element.isUnsignedInteger();
    low = isSigned ? -128 : 0;
    high = isSigned ? 127 : 255;
  }
  for (int64_t &value : tensor.integer)
    value = random.uniform(low, high);
  if (!declared.nondecreasing || tensor.shape.empty() ||
      tensor.shape.back() == 0)
    return;
  for (auto row = tensor.integer.begin(); row != tensor.integer.end();
       row += tensor.shape.back())
    std::sort(row, row + tensor.shape.back());
}

/// Begins of sequences: they share out all rows unevenly, and every fourth or
/// so is empty.
static void fillStarts(Tensor &tensor, int64_t tokens, Random &random) {
  for (int64_t &value : tensor.integer)
    value = random.uniform(0, tokens);
  tensor.integer.back() = tokens;
  tensor.integer.front() = 0;
  std::sort(tensor.integer.begin(), tensor.integer.end());
  for (size_t i = 1; i + 1 < tensor.integer.size(); ++i)
    if (random.uniform(0, 3) == 0)
      tensor.integer[i] = tensor.integer[i - 1];
}

/// Entries of a table of pages: all different as long as there are enough.
static void fillPages(Tensor &tensor, int64_t low, int64_t high,
                      Random &random) {
  std::vector<int64_t> pages;
  for (int64_t page = std::max<int64_t>(low, 0); page <= high; ++page)
    pages.push_back(page);
  for (size_t i = pages.size(); i > 1; --i)
    std::swap(pages[i - 1], pages[random.uniform(0, i - 1)]);
  for (auto [i, value] : llvm::enumerate(tensor.integer))
    value = pages.empty() ? low : pages[i % pages.size()];
}

/// How other tensors use a table: to find their rows, or not at all.
static RowLayout useOf(const Interface &function, StringRef table) {
  for (const InterfaceTensor &tensor : function.tensors)
    if (tensor.rows != RowLayout::Dense && tensor.rowTable == table)
      return tensor.rows;
  return RowLayout::Dense;
}

/// All keys that have ranks of their own: of paged storage those of all pages.
static int64_t countKeys(const Interface &function, ArrayRef<int64_t> sizes) {
  for (const InterfaceTensor &tensor : function.tensors)
    if (tensor.rows == RowLayout::Paged)
      return std::max<int64_t>(valueOf(function, tensor.axes[0], sizes), 1) *
             std::max<int64_t>(valueOf(function, tensor.axes[2], sizes), 1);
  for (StringRef name : {"kv_len", "kv_tokens"})
    if (auto index = function.sizeIndex(name))
      return sizes[*index];
  return 1;
}

std::vector<Tensor> randomInputs(const Interface &function,
                                 ArrayRef<int64_t> sizes, InputKind kind,
                                 uint64_t seed, MLIRContext *context) {
  Random random(seed);
  int64_t kvLen = 1;
  for (StringRef name : {"kv_len", "kv_tokens"})
    if (auto index = function.sizeIndex(name))
      kvLen = sizes[*index];
  std::vector<Tensor> inputs;
  for (const InterfaceTensor &declared : function.tensors) {
    if (declared.isOutput())
      continue;
    Tensor tensor = makeTensor(elementType(declared.dtype, context),
                               shapeOf(function, declared, sizes));
    int64_t low = 0, high = kvLen;
    if (declared.range) {
      low = valueOf(function, declared.range->first, sizes);
      high = valueOf(function, declared.range->second, sizes);
    }
    RowLayout use = useOf(function, declared.name);
    if (use == RowLayout::Ragged)
      fillStarts(tensor, high, random);
    else if (use == RowLayout::Paged)
      fillPages(tensor, low, high, random);
    else if (tensor.isInteger())
      fillIntegers(tensor, declared, low, high, random);
    else if (tensor.size() != 0)
      fillFloats(tensor, declared, kind, countKeys(function, sizes),
                 spreadOf(function, tensor, declared), random);
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

std::vector<Tensor> emptyOutputs(const Interface &function,
                                 ArrayRef<int64_t> sizes,
                                 MLIRContext *context) {
  std::vector<Tensor> outputs;
  for (const InterfaceTensor &declared : function.tensors)
    if (declared.isOutput())
      outputs.push_back(makeTensor(elementType(declared.dtype, context),
                                   shapeOf(function, declared, sizes)));
  // What nobody writes is not a number: rows of no sequence, as in attn.pack.
  for (Tensor &output : outputs)
    std::fill(output.real.begin(), output.real.end(),
              std::numeric_limits<double>::quiet_NaN());
  return outputs;
}

} // namespace attnc::reference
