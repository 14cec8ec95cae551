//===- Quarters.cpp - Transpose quarters of registers ---------------------===//

#include "Memory/Quarters.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::cpu {

namespace {
/// Transposes blocks of one element type.
class Quarters {
public:
  Quarters(Ops &ops, Type element, unsigned alignment)
      : ops(ops), element(element), alignment(alignment),
        count(8 * kQuarterBytes / element.getIntOrFloatBitWidth()),
        whole(ops.vector(4 * count, element)) {}

  SmallVector<Value> load(llvm::function_ref<Value(int64_t row)> addressOf);

private:
  Value keepHalf(Value half);
  Value join(int64_t number, llvm::function_ref<Value(int64_t row)> addressOf);
  Value interleave(Value a, Value b, int64_t width, bool upper);

  Ops &ops;
  Type element;
  unsigned alignment;
  int64_t count; // elements of a quarter
  VectorType whole;
};
} // namespace

/// LLVM would join two halves of a register, which only one port can.
Value Quarters::keepHalf(Value half) {
  auto type = ops.vector(8, ops.getF64Type());
  Value bits = LLVM::BitcastOp::create(ops, ops.loc, type, half);
  bits =
      LLVM::CallIntrinsicOp::create(
          ops, ops.loc, type, ops.getStringAttr("llvm.arithmetic.fence"), bits)
          .getResult(0);
  return LLVM::BitcastOp::create(ops, ops.loc, whole, bits);
}

/// Every row whose number is `number` in its quarter.
Value Quarters::join(int64_t number,
                     llvm::function_ref<Value(int64_t row)> addressOf) {
  Value joined;
  for (int64_t quarter = 0; quarter < 4; ++quarter) {
    Value loaded = ops.load(ops.vector(count, element),
                            addressOf(quarter * count + number), alignment);
    SmallVector<int64_t> places(4 * count, vector::ShuffleOp::kPoisonIndex);
    for (int64_t i = 0; i < count; ++i)
      places[i] = i;
    Value wide =
        vector::ShuffleOp::create(ops, ops.loc, loaded, loaded, places);
    for (int64_t i = 0; i < 4 * count; ++i)
      places[i] = i / count == quarter ? 4 * count + i % count : i;
    joined = quarter
                 ? vector::ShuffleOp::create(ops, ops.loc, joined, wide, places)
                 : wide;
    if (quarter == 1)
      joined = keepHalf(joined);
  }
  return joined;
}

/// The lower or upper elements of each quarter of two registers in turn,
/// `width` at a time.
Value Quarters::interleave(Value a, Value b, int64_t width, bool upper) {
  SmallVector<int64_t> places;
  for (int64_t quarter = 0; quarter < 4 * count; quarter += count)
    for (int64_t i = 0; i < count / 2; i += width)
      for (int64_t source : {int64_t(0), 4 * count})
        for (int64_t part = 0; part < width; ++part)
          places.push_back(source + quarter + upper * count / 2 + i + part);
  return vector::ShuffleOp::create(ops, ops.loc, a, b, places);
}

SmallVector<Value>
Quarters::load(llvm::function_ref<Value(int64_t row)> addressOf) {
  SmallVector<Value> square;
  for (int64_t i = 0; i < count; ++i)
    square.push_back(join(i, addressOf));
  // Each round interleaves register i with i + distance; then place p of a
  // quarter holds row p, and register i the column with the bits of i reversed.
  for (int64_t width = 1; width < count; width *= 2)
    for (int64_t i = 0; i < count; ++i) {
      if (i & width)
        continue;
      Value a = square[i], b = square[i + width];
      square[i] = interleave(a, b, width, /*upper=*/false);
      square[i + width] = interleave(a, b, width, /*upper=*/true);
    }
  SmallVector<Value> columns(count);
  for (int64_t i = 0; i < count; ++i) {
    int64_t reversed = 0;
    for (int64_t bit = 1, from = i; bit < count; bit *= 2, from /= 2)
      reversed = 2 * reversed + (from & 1);
    columns[reversed] = square[i];
  }
  return columns;
}

SmallVector<Value>
loadTransposedQuarters(Ops &ops, Type element, unsigned alignment,
                       llvm::function_ref<Value(int64_t row)> addressOf) {
  return Quarters(ops, element, alignment).load(addressOf);
}

} // namespace attnc::cpu
