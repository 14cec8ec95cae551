//===- ConvertWeights.cpp - Read quantized weights of products ------------===//
//
// A product outside kernels with a quantized operand, such as a projection
// whose weights are 8-bit integers with a scale per output:
//
//   %w = attn.map "ed,e->ed" (%W8, %s) {float(%W8) * %s}
//   %y = attn.contract "qd,ed->qe" (%x, %w)
//
// loads the integers, and the scale multiplies the sums:
//
//   %w = attn.map "ed->ed" (%W8) {float(%W8)} {attn.convert_on_load}
//   %p = attn.contract "qd,ed->qe" (%x, %w)
//   %y = attn.map "qe->qe" (%p) {%p * read %s[e]}
//
// The weights are then read from memory once per block of rows, in a quarter of
// the bytes, and take no workspace. The scale rounds each sum instead of each
// weight. Weights that the formula rounds to 16 bits are exact, and a result of
// 16 bits is rounded once, behind the scale.
// Tests: test/Schedule/Cpu/convert-weights.mlir
//
//===----------------------------------------------------------------------===//

#include "Quantized/ConvertWeights.h"

#include "Quantized/QuantizedRows.h"
#include "Side/SideOps.h"

#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Interface/Remark.h"

using namespace mlir;

namespace attnc::schedule {

static QuantizedRows rowsOf(attn::ContractOp op, unsigned number) {
  attn::Labels labels = op.getAxisLabels();
  std::string summed;
  for (char letter : labels.inputs[number])
    if (!labels.output.contains(letter))
      summed += letter;
  Type accumulate = attn::accumulateType(
      {op.getLhs().getType(), op.getRhs().getType(), op.getType()});
  return QuantizedRows(op->getOpOperand(number), labels.inputs[number], summed,
                       accumulate);
}

bool hasQuantizedOperand(attn::ContractOp op) {
  return rowsOf(op, 0).isQuantized() || rowsOf(op, 1).isQuantized();
}

/// What the lowering calls the axes of an operand (lib/Lowering/Side): its
/// tiles have lanes q, rows e, and the last summed axis of the operand with the
/// rows.
static std::string dimsOf(attn::ContractOp op, unsigned number,
                          attn::BlockAttr block) {
  attn::Labels labels = op.getAxisLabels();
  bool lanesAreLeft = labels.inputs[0].contains(block.getLanes());
  Value rows = lanesAreLeft ? op.getRhs() : op.getLhs();
  char stepped = 0;
  for (auto [axis, letter] : llvm::enumerate(labels.inputs[lanesAreLeft]))
    if (!labels.output.contains(letter) &&
        cast<RankedTensorType>(rows.getType()).getDimSize(axis) != 1)
      stepped = letter;
  std::string dims;
  for (auto [axis, letter] : llvm::enumerate(labels.inputs[number]))
    dims += block.getLanes() == StringRef(&letter, 1)  ? 'q'
            : block.getRows() == StringRef(&letter, 1) ? 'e'
            : letter == stepped                        ? 'k'
                                                       : char('A' + axis);
  return dims;
}

/// Multiplies the result by the factors.
static void multiplyResult(attn::ContractOp op, QuantizedRows &rows) {
  if (!rows.hasFactors())
    return;
  OpBuilder b(op);
  b.setInsertionPointAfter(op);
  StringRef letters = op.getAxisLabels().output;
  auto scaled = attn::MapOp::create(
      b, op.getLoc(), cast<RankedTensorType>(op.getType()),
      (letters + "->" + letters).str(), op.getResult(),
      [&](OpBuilder &inner, Location loc, ValueRange x) {
        Value y = rows.multiply(inner, x[0], letters, x.drop_front());
        attn::YieldOp::create(inner, loc, y);
      });
  op.getResult().replaceAllUsesExcept(scaled.getResult(), scaled);
}

/// Erases what nobody reads any more.
static void eraseUnread(Value made) {
  while (Operation *op = made.getDefiningOp()) {
    if (!op->use_empty() || !isa<attn::MapOp, attn::ViewOp, attn::SliceOp>(op))
      return;
    Value before = op->getNumOperands() ? op->getOperand(0) : Value();
    op->erase();
    if (!before)
      return;
    made = before;
  }
}

/// The type of the floats that a product's integers become: bf16, which holds
/// them exactly, next to an operand of bf16, so that a unit may multiply both.
static Type narrowType(attn::ContractOp op, unsigned number) {
  Type other = getElementTypeOrSelf(op->getOperand(1 - number).getType());
  Type sum = getElementTypeOrSelf(op.getType());
  return other.isBF16() && sum.isF32() && !rowsOf(op, 1 - number).isQuantized()
             ? other
             : sum;
}

void convertWeights(attn::ContractOp op, attn::BlockAttr block) {
  for (unsigned number : {0u, 1u}) {
    QuantizedRows rows = rowsOf(op, number);
    if (!rows.isQuantized())
      continue;
    std::string dims = dimsOf(op, number, block);
    QuantizedRows::Reading reading{dims, /*findsTables=*/false};
    StringRef side = number == 0 ? "left" : "right";
    StringRef why = rows.whyNot(reading);
    bool isRounded =
        getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() == 16;
    if (isRounded && op.getMask())
      why = "its result is masked and rounded to 16 bits";
    if (!why.empty()) {
      remarkOn(op) << "the quantized " << side
                   << " side of a product is dequantized before it, because "
                   << why << " [kernel]";
      continue;
    }
    if (isRounded) {
      op = changeSums(op, Float32Type::get(op.getContext()), op);
      rows = rowsOf(op, number);
      rows.whyNot(reading);
    }
    Value dequantized = op->getOperand(number);
    multiplyResult(op, rows);
    rows.readIntegers(narrowType(op, number));
    eraseUnread(dequantized);
    remarkOn(op) << "the quantized " << side
                 << " side of a product is converted to floats tile by tile, "
                    "as it is loaded [kernel]";
  }
}

/// Why what reads `value`, perhaps through views, does not load the integers
/// that a map makes it of. Empty for products and kernels, which report that
/// themselves.
static StringRef whyStored(Value value) {
  for (Operation *user : value.getUsers()) {
    if (isa<attn::ConcatOp>(user))
      return "they are concatenated";
    if (isa<attn::ReadOp>(user))
      return "a formula reads them by index";
    if (isa<attn::ViewOp, attn::SliceOp, attn::UnpackOp>(user))
      if (StringRef why = whyStored(user->getResult(0)); !why.empty())
        return why;
  }
  return {};
}

void explainStored(func::FuncOp function) {
  function.walk([](attn::MapOp map) {
    attn::Labels labels = map.getAxisLabels();
    bool isOfIntegers = false;
    for (auto [input, letters] :
         llvm::zip_equal(map.getInputs(), labels.inputs))
      isOfIntegers |= getElementTypeOrSelf(input.getType()).isInteger(8) &&
                      letters == labels.output;
    if (!isOfIntegers || map->hasAttr(kConvertOnLoad) ||
        !isa<FloatType>(getElementTypeOrSelf(map.getType())))
      return;
    if (StringRef why = whyStored(map.getResult()); !why.empty())
      remarkOn(map) << "8-bit integers are dequantized into the workspace, "
                       "because "
                    << why << " [kernel]";
  });
}

} // namespace attnc::schedule
