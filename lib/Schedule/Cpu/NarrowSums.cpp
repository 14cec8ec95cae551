//===- NarrowSums.cpp - Sums of f32 where stage fused allows them ---------===//
//
// Products of f32 take half the time of those of f64. A long sum is compensated
// from step to step. A short one, over features, has steps of a few terms that
// are added up separately, which costs one addition for each step: 8 heads of
// 64, 4096 tokens, Zen 4, 0.78 of the time of f64 (0.73 without steps, 0.89
// with compensation).
//
// What reads a product with its formula, such as the quotient of two sums, is
// computed on its tile, and tiles of a grid have one type: so that formula has
// to be one of f32, too, or the sums stay f64.
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

static bool isF64(Value x) { return getElementTypeOrSelf(x.getType()).isF64(); }

static bool mayBeNarrow(attn::ContractOp op) {
  return op->hasAttr(attn::kNarrowSums) && isF64(op.getResult()) &&
         !isF64(op.getLhs()) && !isF64(op.getRhs());
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

static void setSums(attn::ContractOp op, StringRef way) {
  op->removeAttr(attn::kNarrowSums);
  op->setAttr(way, UnitAttr::get(op.getContext()));
}

/// Sums of f32, widened behind `last`.
static void widenBehind(attn::ContractOp op, Operation *last, StringRef way) {
  setSums(changeSums(op, Float32Type::get(op.getContext()), last), way);
}

/// Whether a map of f64 rounds all it reads to f32 first, and widens what it
/// has computed: then it is a formula of f32.
static bool isOfF32(attn::MapOp map) {
  Block &block = map.getBody().front();
  auto rounds = [](Operation *user) {
    return isa<arith::TruncFOp>(user) && user->getResult(0).getType().isF32();
  };
  auto widened =
      block.getTerminator()->getOperand(0).getDefiningOp<arith::ExtFOp>();
  return !isF64(map.getResult()) && widened && widened->hasOneUse() &&
         widened.getIn().getType().isF32() &&
         llvm::all_of(block.getArguments(), [&](BlockArgument argument) {
           return !isF64(argument) || llvm::all_of(argument.getUsers(), rounds);
         });
}

/// The same map without these roundings, where its inputs are no longer f64.
static void computeInF32(attn::MapOp map) {
  OpBuilder b(map);
  Block &block = map.getBody().front();
  auto made = attn::MapOp::create(
      b, map.getLoc(), cast<RankedTensorType>(map.getType()), map.getLabels(),
      map.getInputs(), [&](OpBuilder &inner, Location at, ValueRange x) {
        IRMapping values;
        values.map(block.getArguments(), x);
        auto widened =
            block.getTerminator()->getOperand(0).getDefiningOp<arith::ExtFOp>();
        for (Operation &op : block.without_terminator()) {
          Value read = isa<arith::TruncFOp>(op) ? op.getOperand(0) : Value();
          if (isa_and_present<BlockArgument>(read))
            values.map(op.getResult(0), values.lookup(read));
          else if (&op != widened)
            inner.clone(op, values);
        }
        attn::YieldOp::create(inner, at, values.lookup(widened.getIn()));
      });
  made->setDiscardableAttrs(map->getDiscardableAttrDictionary());
  map.replaceAllUsesWith(made.getResult());
  map.erase();
}

/// The only op that reads these products, if it is a formula of f32.
static attn::MapOp findFormula(attn::ContractOp product,
                               ArrayRef<attn::Companion> companions) {
  if (!product.getResult().hasOneUse())
    return {};
  auto map = dyn_cast<attn::MapOp>(*product->user_begin());
  auto isSum = [&](Value input) {
    return input == product.getResult() ||
           llvm::any_of(companions, [&](attn::Companion companion) {
             return input == companion.getResult();
           });
  };
  auto isOnlyReader = [&](attn::Companion companion) {
    return llvm::all_of(companion.getResult().getUsers(),
                        [&](Operation *user) { return user == map; });
  };
  return map && isOfF32(map) && llvm::all_of(companions, isOnlyReader) &&
                 llvm::all_of(
                     map.getInputs(),
                     [&](Value input) { return !isF64(input) || isSum(input); })
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
  StringRef way = isShort(product) ? attn::kSeparateSteps : attn::kCompensated;
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
    auto type = cast<RankedTensorType>(op.getType());
    op.getResult().setType(type.clone(Float32Type::get(op.getContext())));
    setSums(op, way);
  }
  computeInF32(formula);
}

} // namespace attnc::schedule::cpu
