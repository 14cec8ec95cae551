//===- NarrowSums.cpp - Sums of f32 where stage fused allows them ---------===//
//
// Products of f32 take half the time of those of f64. A long sum is compensated
// from step to step. A short one, over features, has steps of a few terms that
// are added up separately, which costs one addition for each step: 8 heads of
// 64, 4096 tokens, Zen 4, 0.77 of the time of f64 (0.73 without steps, 1.01
// with compensation).
//
// What reads a product with its formula, such as the quotient of two sums, is
// computed on its tile, and tiles of a grid have one type: so that formula has
// to become one of f32, too, or the sums stay f64.
//
//===----------------------------------------------------------------------===//

#include "Cpu/NarrowSums.h"

#include "Side/SideOps.h"

#include "attnc/Dialect/Attn/NarrowSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace attnc::schedule::cpu {

/// The longest sum whose steps need no compensation.
static constexpr int64_t kShortSum = 256;

static bool isF64(Value tensor) {
  return getElementTypeOrSelf(tensor.getType()).isF64();
}

/// The same elements in the type in which they were made: what a map widens to
/// f64; null for other tensors of f64.
static Value unwidened(Value tensor) {
  if (!isF64(tensor))
    return tensor;
  auto map = tensor.getDefiningOp<attn::MapOp>();
  if (!map || map.getInputs().size() != 1)
    return {};
  Block &block = map.getBody().front();
  bool isCopy = block.getTerminator()->getOperand(0) == block.getArgument(0);
  attn::Labels labels = map.getAxisLabels();
  Value input = map.getInputs()[0];
  return isCopy && labels.inputs[0] == labels.output && !isF64(input) ? input
                                                                      : Value();
}

static bool mayBeNarrow(attn::ContractOp op) {
  return op->hasAttr(attn::kNarrowSums) && isF64(op.getResult()) &&
         unwidened(op.getLhs()) && unwidened(op.getRhs());
}

/// Whether a sum over one axis of fixed size needs no compensation.
static bool isShort(attn::ContractOp op) {
  attn::Labels labels = op.getAxisLabels();
  int64_t length = 1;
  for (auto [axis, letter] : llvm::enumerate(labels.inputs[0])) {
    if (labels.output.contains(letter))
      continue;
    auto size = dyn_cast_if_present<IntegerAttr>(
        attn::axisSize(op.getLhs().getType(), unsigned(axis)));
    length *= size ? size.getInt() : kShortSum + 1;
  }
  return length <= kShortSum;
}

static StringRef wayOfSums(attn::ContractOp op) {
  return isShort(op) ? attn::kSeparateSteps : attn::kCompensated;
}

/// Reads operands as they were before they were widened.
static void readUnwidened(attn::ContractOp op) {
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *widening = operand.get().getDefiningOp();
    Value narrow = unwidened(operand.get());
    if (narrow == operand.get())
      continue;
    operand.set(narrow);
    if (widening->use_empty())
      widening->erase();
  }
}

static void setSums(attn::ContractOp op, StringRef way) {
  op->removeAttr(attn::kNarrowSums);
  op->setAttr(way, UnitAttr::get(op.getContext()));
}

/// Sums of f32, widened behind `last`.
static void widenBehind(attn::ContractOp op, Operation *last, StringRef way) {
  readUnwidened(op);
  attn::ContractOp made =
      changeSums(op, Float32Type::get(op.getContext()), last);
  setSums(made, way);
}

/// Whether the formula of a map of f64 is one of f32 as well: arithmetic with
/// constants that f32 has, and a result that is no f64.
static bool canBeF32(attn::MapOp map) {
  return !isF64(map.getResult()) &&
         llvm::all_of(map.getBody().front(), [](Operation &op) {
           if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
             auto value = dyn_cast<FloatAttr>(constant.getValue());
             return value && double(float(value.getValueAsDouble())) ==
                                 value.getValueAsDouble();
           }
           return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp,
                      arith::DivFOp, arith::CmpFOp, arith::SelectOp,
                      attn::YieldOp>(op);
         });
}

/// Computes a map in f32, whose inputs are no longer f64.
static void computeInF32(attn::MapOp map) {
  OpBuilder b(map);
  Type f32 = b.getF32Type();
  auto made = attn::MapOp::create(
      b, map.getLoc(), cast<RankedTensorType>(map.getType()), map.getLabels(),
      map.getInputs(), [&](OpBuilder &inner, Location, ValueRange arguments) {
        IRMapping values;
        values.map(map.getBody().front().getArguments(), arguments);
        for (Operation &op : map.getBody().front()) {
          Operation *copy = inner.clone(op, values);
          for (Value result : copy->getResults())
            if (result.getType().isF64())
              result.setType(f32);
          if (auto constant = dyn_cast<arith::ConstantOp>(copy))
            constant.setValueAttr(inner.getFloatAttr(
                f32, cast<FloatAttr>(constant.getValue()).getValueAsDouble()));
        }
      });
  made->setDiscardableAttrs(map->getDiscardableAttrDictionary());
  map.replaceAllUsesWith(made.getResult());
  map.erase();
}

/// The only op that reads these products, if it is a map that f32 can compute.
static attn::MapOp findFormula(attn::ContractOp product,
                               ArrayRef<attn::Companion> companions) {
  if (!product.getResult().hasOneUse())
    return {};
  auto map = dyn_cast<attn::MapOp>(*product->user_begin());
  auto isOnlyReader = [&](attn::ContractOp op) {
    return llvm::all_of(op->getUsers(),
                        [&](Operation *user) { return user == map; });
  };
  bool readsSums = map && llvm::all_of(map.getInputs(), [&](Value input) {
                     return !isF64(input) || input == product.getResult() ||
                            llvm::any_of(companions, [&](auto &companion) {
                              attn::ContractOp vectors = companion.product;
                              return input == vectors.getResult();
                            });
                   });
  return readsSums && canBeF32(map) &&
                 llvm::all_of(companions,
                              [&](const attn::Companion &companion) {
                                return isOnlyReader(companion.product);
                              })
             ? map
             : attn::MapOp();
}

void narrowSums(attn::ContractOp product,
                ArrayRef<attn::Companion> companions) {
  if (!mayBeNarrow(product) ||
      !llvm::all_of(companions, [&](const attn::Companion &companion) {
        return mayBeNarrow(companion.product);
      }))
    return;
  StringRef way = wayOfSums(product);
  Operation *last = attn::lastEpilogue(product);
  if (last == product) {
    for (const attn::Companion &companion : companions)
      widenBehind(companion.product, product, way);
    return widenBehind(product, product, way);
  }
  attn::MapOp formula = findFormula(product, companions);
  if (!formula)
    return;
  SmallVector<attn::ContractOp> sums{product};
  for (const attn::Companion &companion : companions)
    sums.push_back(companion.product);
  for (attn::ContractOp op : sums) {
    readUnwidened(op);
    auto type = cast<RankedTensorType>(op.getType());
    op.getResult().setType(type.clone(Float32Type::get(op.getContext())));
    setSums(op, way);
  }
  computeInF32(formula);
}

} // namespace attnc::schedule::cpu
