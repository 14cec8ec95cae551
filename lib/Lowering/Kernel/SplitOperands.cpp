//===- SplitOperands.cpp - Operands as sums of bf16 tiles -----------------===//
//
// A matrix unit for bf16 computes products of wider types, too, if each operand
// is a sum of bf16 tiles, its terms. An f16 has 11 bits and a bf16 has 8, with
// the range of f32, so two terms are exact:
//
//   hi = x rounded toward zero          8 bits
//   lo = x - hi                         the other 3 bits
//
//   x y = hi hi' + hi lo' + lo hi' + lo lo'
//
// Each product of terms is a tile.dot that adds to the one before. The order is
// such that consecutive ones share an operand. What a kernel computes, weights
// and states of f32, has two terms with 16 bits, so that it is more accurate
// than rounded to f16 or bf16; there lo lo' is below the rounding of lo.
//
// Tests: test/Lowering/split-operands.mlir
//
//===----------------------------------------------------------------------===//

#include "Kernel/SplitOperands.h"
#include "Kernel/KernelBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

int64_t countTerms(Type element, tile::TargetAttrInterface target) {
  return element.isF16() || element.isF32() ? target.getOperandTerms() : 1;
}

int64_t countWeightTerms(KernelBlock &block) {
  attn::KernelOp kernel = block.kernel;
  auto isBf16 = [](Value tensor) {
    return getElementTypeOrSelf(tensor).isBF16();
  };
  bool isSplit = block.hasValues && !block.hasMax && !kernel.hasValue() &&
                 isBf16(kernel.getV()) && isBf16(kernel.getO());
  return isSplit
             ? countTerms(block.weightType(), kernel.getSchedule()->getTarget())
             : 1;
}

/// Term `number` of an element.
static Value emitTerm(OpBuilder &b, Location loc, Value x, int64_t number,
                      bool isLast) {
  Type f32 = b.getF32Type(), bf16 = b.getBF16Type();
  auto round = [&](Value value, arith::RoundingMode mode) -> Value {
    return arith::TruncFOp::create(
        b, loc, bf16, value, arith::RoundingModeAttr::get(b.getContext(), mode),
        /*fastmath=*/nullptr);
  };
  if (x.getType() != f32)
    x = arith::ExtFOp::create(b, loc, f32, x);
  for (int64_t i = 0; i < number; ++i) {
    Value term = round(x, arith::RoundingMode::toward_zero);
    x = arith::SubFOp::create(b, loc, x,
                              arith::ExtFOp::create(b, loc, f32, term));
  }
  return round(x, isLast ? arith::RoundingMode::to_nearest_away
                         : arith::RoundingMode::toward_zero);
}

SmallVector<Value> emitTerms(OpBuilder &builder, Location loc, Value tile,
                             int64_t count) {
  if (count == 1)
    return {tile};
  auto type = cast<tile::TileType>(tile.getType())
                  .withElementType(builder.getBF16Type());
  SmallVector<Value> terms;
  for (int64_t number = 0; number < count; ++number)
    terms.push_back(tile::MapOp::create(
        builder, loc, type, tile, tile::NamedValues(),
        [&](OpBuilder &b, Location, ValueRange arguments) {
          return emitTerm(b, loc, arguments[0], number, number + 1 == count);
        }));
  return terms;
}

Value emitTermProducts(OpBuilder &builder, Location loc, tile::TileType result,
                       ArrayRef<Value> queries, ArrayRef<Value> rows,
                       StringRef sum, Value acc, TermProducts which) {
  // Small products come first.
  std::optional<size_t> last;
  for (size_t i = rows.size(); i-- > 0;) {
    size_t count = which == TermProducts::All
                       ? queries.size()
                       : std::min(queries.size(),
                                  std::max(queries.size(), rows.size()) - i);
    auto numbers = llvm::to_vector(llvm::seq<size_t>(0, count));
    if (last != numbers.front())
      std::reverse(numbers.begin(), numbers.end());
    for (size_t j : numbers) {
      acc = tile::DotOp::create(builder, loc, result, queries[j], rows[i], sum,
                                acc, /*mask=*/Value());
      last = j;
    }
  }
  return acc;
}

} // namespace attnc::lowering
