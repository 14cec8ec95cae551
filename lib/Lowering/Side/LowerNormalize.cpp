//===- LowerNormalize.cpp - Lower softmax of stored scores ----------------===//
//
// Scores that no kernel makes are read three times:
//
//   m = largest allowed score          (from -inf, or the init)
//   l = sum of exp(score - m)          (from the init's weight)
//   weights = exp(score - m) / l, 0 in rows without a key
//
// Without a shift there is no m, without a division the weights stay.
//
// Tests: test/Lowering/Side/side-ops.mlir
//
//===----------------------------------------------------------------------===//

#include "Formula/ReadElement.h"
#include "Kernel/KernelBlock.h"
#include "Side/SideBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace attnc::lowering {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

using attn::NormWeight;

namespace {
class NormalizeLowering {
public:
  NormalizeLowering(attn::NormalizeOp op, Storage &storage)
      : op(op), block(op, storage), loc(op.getLoc()) {}

  LogicalResult lower();

private:
  void emitGrid();
  Value scores(Value k0, Value nk);
  Value initial();
  Value weight(Value x, Value m);
  Value firstSum(Value init, Value m);
  Value largest(Value init);
  Value sum(Value m, Value l);
  Value divided(Value w, Value l);
  void storeWeights(Value m, Value l);
  void storeLse(Value m, Value l);

  attn::NormalizeOp op;
  SideBlock block;
  Location loc;
  Value keys;
};
} // namespace

/// x == value ? a : b
static Value selectEqual(OpBuilder &b, Location loc, Value x, double value,
                         Value ifEqual, Value otherwise) {
  Value limit = emitReal(b, loc, x.getType(), value);
  Value is = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, limit);
  return arith::SelectOp::create(b, loc, is, ifEqual, otherwise);
}

/// Scores of a step of keys, -inf where there is none or it is not allowed.
Value NormalizeLowering::scores(Value k0, Value nk) {
  Value x =
      block.map(block.tileType("qk"), {}, k0,
                [&](OpBuilder &b, ValueRange, const Places &places) {
                  return block.read(b, op.getScores(), op.getLabels(), places);
                });
  return block.select(
      x, k0, nk, -kInfinity, [&](OpBuilder &b, const Places &places) -> Value {
        if (op.getMask())
          return block.read(b, op.getMask(), op.getLabels(), places);
        return arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
      });
}

/// The score without a key.
Value NormalizeLowering::initial() {
  tile::TileType row = block.tileType("q");
  if (op.getInit().empty())
    return tile::SplatOp::create(block.builder, loc, row, -kInfinity);
  return block.map(row, {}, {},
                   [&](OpBuilder &b, ValueRange, const Places &places) {
                     SmallVector<Value> arguments;
                     for (char letter : op.getRowLabels())
                       arguments.push_back(places.lookup(letter));
                     return block.inlined(b, op.getInit(), arguments);
                   });
}

/// exp(x - m), with 0 in place of an m of -inf, so -inf - -inf never happens;
/// or the weight of x itself, which is 0 where x is -inf.
Value NormalizeLowering::weight(Value x, Value m) {
  NormWeight kind = op.getNorm().getWeight();
  SmallVector<Value> inputs{x};
  if (m)
    inputs.push_back(m);
  return emitMap(block.builder, loc, cast<tile::TileType>(x.getType()), inputs,
                 [&](OpBuilder &b, ValueRange a) -> Value {
                   Value zero = emitReal(b, loc, block.accumulate, 0.0),
                         y = a[0];
                   if (kind == NormWeight::Identity)
                     return selectEqual(b, loc, y, -kInfinity, zero, y);
                   if (m) {
                     Value shift =
                         selectEqual(b, loc, a[1], -kInfinity, zero, a[1]);
                     y = arith::SubFOp::create(b, loc, y, shift);
                   }
                   if (kind == NormWeight::Exp2)
                     return math::Exp2Op::create(b, loc, y);
                   return math::ExpOp::create(b, loc, y);
                 });
}

Value NormalizeLowering::largest(Value init) {
  return block.loop(keys, block.summedSize, init,
                    [&](Value k0, Value nk, ValueRange carried) {
                      return SmallVector<Value>{tile::ReduceOp::create(
                          block.builder, loc, block.tileType("q"),
                          tile::ReduceKind::Max, scores(k0, nk), "k",
                          carried[0])};
                    })[0];
}

Value NormalizeLowering::sum(Value m, Value l) {
  return block.loop(
      keys, block.summedSize, l, [&](Value k0, Value nk, ValueRange carried) {
        Value w = weight(scores(k0, nk), m);
        return SmallVector<Value>{
            tile::ReduceOp::create(block.builder, loc, block.tileType("q"),
                                   tile::ReduceKind::Add, w, "k", carried[0])};
      })[0];
}

/// weight / l, or 0 where l is 0; the weight itself if nothing is divided.
Value NormalizeLowering::divided(Value w, Value l) {
  if (op.getNorm().getDivide() == attn::NormDivide::None)
    return w;
  return emitMap(block.builder, loc, cast<tile::TileType>(w.getType()), {w, l},
                 [&](OpBuilder &b, ValueRange a) -> Value {
                   Value zero = emitReal(b, loc, block.accumulate, 0.0);
                   Value q = arith::DivFOp::create(b, loc, a[0], a[1]);
                   return selectEqual(b, loc, a[1], 0.0, zero, q);
                 });
}

void NormalizeLowering::storeWeights(Value m, Value l) {
  block.loop(keys, block.summedSize, {}, [&](Value k0, Value nk, ValueRange) {
    Value w = weight(scores(k0, nk), m);
    block.store(divided(w, l), op.getWeights(), k0, nk);
    return SmallVector<Value>{};
  });
}

void NormalizeLowering::storeLse(Value m, Value l) {
  if (!m)
    return block.store(l, op.getLse());
  bool base2 = op.getNorm().getWeight() == attn::NormWeight::Exp2;
  Value lse =
      emitMap(block.builder, loc, block.tileType("q"), {m, l},
              [&](OpBuilder &b, ValueRange a) -> Value {
                Value log = base2
                                ? math::Log2Op::create(b, loc, a[1]).getResult()
                                : math::LogOp::create(b, loc, a[1]).getResult();
                Value x = arith::AddFOp::create(b, loc, a[0], log);
                if (base2)
                  x = arith::MulFOp::create(
                      b, loc, x,
                      emitReal(b, loc, block.accumulate, llvm::numbers::ln2));
                Value nothing = emitReal(b, loc, block.accumulate, -kInfinity);
                return selectEqual(b, loc, a[1], 0.0, nothing, x);
              });
  block.store(lse, op.getLse());
}

LogicalResult NormalizeLowering::lower() {
  if (block.block.getLanes().empty())
    return op.emitOpError("has no axis besides the normalized one; a single "
                          "row cannot be lowered yet");
  block.addAxes(op.getLabels(), op.getScores());
  block.summed = op.getOver().str();
  block.summedSize = 16;
  if (failed(checkElements(op, op.getScores(), block.storage.scope)) ||
      (op.getMask() &&
       failed(checkElements(op, op.getMask(), block.storage.scope))) ||
      failed(
          block.addResult(op.getWeights(), op.getLabels(), /*inLoop=*/true)) ||
      failed(block.addResult(op.getLse(), op.getRowLabels())))
    return failure();
  block.forEachCase([&] { emitGrid(); });
  return success();
}

void NormalizeLowering::emitGrid() {
  block.open(op.getRowLabels());
  keys = block.sizeOf(block.builder, op.getOver()[0]);
  Value init = initial();
  Value m;
  if (op.getNorm().getShift() == attn::NormShift::Max)
    m = largest(init);
  // The init counts in the sum, with the weight that it has beside m.
  tile::TileType row = block.tileType("q");
  Value l =
      op.getInit().empty()
          ? tile::SplatOp::create(block.builder, loc, row, 0.0).getResult()
          : weight(init, m);
  l = sum(m, l);
  storeWeights(m, l);
  storeLse(m, l);
}

LogicalResult lowerNormalize(attn::NormalizeOp op, Storage &storage) {
  return NormalizeLowering(op, storage).lower();
}

} // namespace attnc::lowering
