//===- SteadyMaximum.cpp - Weights before the maximum is known ------------===//
//
// Online softmax subtracts the running maximum m of a row from its scores, so
// weights wait for a pass over the scores of the tile. But any m gives the same
// quotient of sums, as long as no weight overflows. So where the schedule lets
// the maximum stay (rescale_threshold), and weights may err by a part of the
// rounding that follows (exp2 with afn), the weights of a pipelined tile are
// computed with the m of the tiles before, beside the products; those of the
// first tile with the maximum of its first keys. Weights are not negative, so
// each is at most their sum l. Where l gets large, or m is -inf
// because a row has seen no key yet, the tile is done again with its maximum
// (Emit/StagedLoop.cpp).
//
//   largest = reduce max(scores) init(m)               skipped: m; before the
//                                                      first tile: of 16 keys
//   next    = map(largest, m)  largest > m + d ? largest : m
//   weights = map(scores, next) exp2((scores - shift(next)) c) afn
//   l'      = reduce add(weights) init(l * factor)     checked: l' < 2^29
//
// Weights in fixed point could wrap around, so their exponents are checked, too
// (Stages/FixedPointWeights.cpp).
//
// A sum of values is below 2^29 times the largest value, which f32 holds for
// values up to 6e29.
// Tests: test/Codegen/CPU/Emit/steady-maximum.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Plan.h"
#include "Stages/RangedTanh.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace attnc::cpu {

Value yieldedBy(tile::MapOp map) {
  return map.getBody().front().getTerminator()->getOperand(0);
}

/// Whether `next` = map(largest, before) x > y + d ? x : y.
static bool mayStay(Value next, Value largest, Value before) {
  auto map = next.getDefiningOp<tile::MapOp>();
  if (!map || map.getInputs() != ValueRange({largest, before}))
    return false;
  Value x = map.getBody().getArgument(0), y = map.getBody().getArgument(1);
  auto select = yieldedBy(map).getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>()
                        : arith::CmpFOp();
  auto sum = compare ? compare.getRhs().getDefiningOp<arith::AddFOp>()
                     : arith::AddFOp();
  return sum && select.getTrueValue() == x && select.getFalseValue() == y &&
         compare.getPredicate() == arith::CmpFPredicate::OGT &&
         compare.getLhs() == x && sum.getLhs() == y;
}

bool areRoughWeights(Value weights) {
  auto map = weights.getDefiningOp<tile::MapOp>();
  auto exp2 = map ? yieldedBy(map).getDefiningOp<math::Exp2Op>() : nullptr;
  return exp2 &&
         bitEnumContainsAny(exp2.getFastmath(), arith::FastMathFlags::afn);
}

/// The only reduction of a nest.
static tile::ReduceOp onlyReduction(const Item &item, tile::ReduceKind kind) {
  tile::ReduceOp found;
  for (Operation *op : item.ops)
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      if (found || reduce.getKind() != kind)
        return {};
      found = reduce;
    }
  return found;
}

/// The only nest before the paced one that goes over keys.
static std::optional<size_t> scoreNest(const StagedBody &stages,
                                       const std::vector<Item> &items) {
  std::optional<size_t> found;
  for (size_t number : stages.of(Stage::Weights)) {
    const Item &item = items[number];
    if (number == stages.paced || !item.onLanes() || !item.space.dim)
      continue;
    if (found)
      return std::nullopt;
    found = number;
  }
  return found;
}

/// Keys of the first tile whose maximum its weights are made with.
static constexpr int64_t kSampledKeys = 16;

/// A nest for some rows, without results but `result`.
static Item sampleOf(const Item &nest, Value result) {
  Item sample = nest;
  sample.space.size = std::min(nest.space.size, kSampledKeys);
  sample.inside.clear();
  for (Operation *op : nest.ops)
    if (op->getResult(0) != result)
      sample.inside.push_back(op->getResult(0));
  return sample;
}

/// Two nests over the same space as one, without a reduction of the first.
static Item fuse(const Item &first, const Item &second, Operation *without) {
  Item fused{ItemKind::Nest, {}, second.space};
  for (Operation *op : first.ops)
    if (op != without)
      fused.ops.push_back(op);
  for (Operation *op : fused.ops)
    if (llvm::all_of(op->getResult(0).getUsers(), [&](Operation *user) {
          return user == without || llvm::is_contained(first.ops, user) ||
                 llvm::is_contained(second.ops, user);
        }))
      fused.inside.push_back(op->getResult(0));
  llvm::append_range(fused.ops, second.ops);
  return fused;
}

/// `value` = x factor; 1 and `value` if it is no product with a constant.
static std::pair<Value, double> splitFactor(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return {value, 1};
  for (auto [x, constant] : {std::pair(product.getLhs(), product.getRhs()),
                             std::pair(product.getRhs(), product.getLhs())})
    if (auto factor = constant.getDefiningOp<arith::ConstantOp>())
      return {x, cast<FloatAttr>(factor.getValue()).getValueAsDouble()};
  return {value, 1};
}

/// The only input of a map.
static BlockArgument onlyInput(tile::MapOp map) {
  return map.getInputs().size() == 1 ? map.getBody().getArgument(0)
                                     : BlockArgument();
}

/// Whether a loop carries a maximum of nothing but its scores: a sink is where
/// others start.
static bool startsEmpty(Value maximum) {
  auto carried = cast<BlockArgument>(maximum);
  auto loop = cast<tile::ForOp>(carried.getOwner()->getParentOp());
  auto start =
      loop.getTiedLoopInit(carried)->get().getDefiningOp<tile::SplatOp>();
  return start && start.getValue().isInfinity() &&
         start.getValue().isNegative();
}

/// Scores as factor tanh(scale input) with an approximate tanh in f32.
static std::optional<SteadyMaximum::FixedPoint::Tanh>
findTanh(const SteadyMaximum &steady,
         const SteadyMaximum::FixedPoint &weights) {
  constexpr double mostError = 0.5;
  SteadyMaximum::FixedPoint::Tanh found;
  SmallVector<Operation *> readers = {weights.weights,
                                      steady.largest.getDefiningOp()};
  auto isOnlyRead = [&](Value value) {
    return llvm::is_contained(steady.fused.ops, value.getDefiningOp()) &&
           llvm::all_of(value.getUsers(), [&](Operation *user) {
             return llvm::is_contained(readers, user);
           });
  };
  Value score = weights.score;
  while (auto select = score.getDefiningOp<tile::SelectMaskedOp>()) {
    if (!isOnlyRead(score) || !select.getFill().isInfinity() ||
        !select.getFill().isNegative())
      return std::nullopt;
    readers.push_back(select);
    found.masks.push_back(select);
    score = select.getValue();
  }
  found.map = score.getDefiningOp<tile::MapOp>();
  if (!found.map || !isOnlyRead(score))
    return std::nullopt;
  auto [result, factor] = splitFactor(yieldedBy(found.map));
  auto tanh = result.getDefiningOp<math::TanhOp>();
  if (!tanh || !tanh.getType().isF32() ||
      !bitEnumContainsAny(tanh.getFastmath(), arith::FastMathFlags::afn))
    return std::nullopt;
  auto [input, scale] = splitFactor(tanh.getOperand());
  if (input != onlyInput(found.map))
    return std::nullopt;
  found.input = found.map.getInputs()[0];
  auto before = found.input.getDefiningOp<tile::MapOp>();
  if (before && onlyInput(before) && found.input.hasOneUse() &&
      llvm::is_contained(steady.fused.ops, before))
    if (auto [unscaled, other] = splitFactor(yieldedBy(before));
        unscaled == onlyInput(before)) {
      found.input = before.getInputs()[0];
      scale *= other;
    }
  found.scale = scale;
  found.factor = factor;
  // The difference to the maximum is above -factor (tanh(kMost) + 1), if that
  // is one of scores.
  constexpr double mostPowers = 126;
  found.isBounded =
      startsEmpty(steady.before) &&
      weights.scale * std::abs(factor) * (std::tanh(RangedTanh::kMost) + 1) <
          mostPowers;
  double unit = factor * weights.scale * weights.units;
  if (!(factor * scale > 0) ||
      std::abs(unit) * RangedTanh::kError > mostError ||
      !RangedTanh(scale, unit).fits())
    return std::nullopt;
  return found;
}

/// Rows of a granule beside products divide these.
static constexpr int64_t kMostPacedRows = 8;

/// The weights of the nest `fused` as exp2((x - m) c), if c > 0 is constant and
/// their only users are the sum and a rounding to bf16 for a product.
static std::optional<SteadyMaximum::FixedPoint>
findFixedPoint(const SteadyMaximum &steady, const Plan &plan) {
  auto sum = steady.sum.getDefiningOp<tile::ReduceOp>();
  SteadyMaximum::FixedPoint found;
  found.weights = sum.getInput().getDefiningOp<tile::MapOp>();
  if (!plan.accumulator.isF32() || plan.lanes != kTileRows ||
      steady.fused.space.size % kMostPacedRows != 0)
    return std::nullopt;
  Value weights = found.weights.getResult();
  for (Operation *user : weights.getUsers()) {
    if (user == sum)
      continue;
    auto map = dyn_cast<tile::MapOp>(user);
    auto truncate =
        map ? yieldedBy(map).getDefiningOp<arith::TruncFOp>() : nullptr;
    if (found.rounded || !truncate || map.getInputs().size() != 1 ||
        truncate.getIn() != map.getBody().getArgument(0) ||
        truncate.getRoundingmode() || !isOnlyPaired(map.getResult(), plan) ||
        !llvm::is_contained(steady.fused.ops, user))
      return std::nullopt;
    found.rounded = map;
  }
  Value power =
      yieldedBy(found.weights).getDefiningOp<math::Exp2Op>().getOperand();
  if (auto scaled = power.getDefiningOp<arith::MulFOp>()) {
    auto factor = scaled.getRhs().getDefiningOp<arith::ConstantOp>();
    if (!factor)
      return std::nullopt;
    found.scale = cast<FloatAttr>(factor.getValue()).getValueAsDouble();
    power = scaled.getLhs();
  }
  auto difference = power.getDefiningOp<arith::SubFOp>();
  auto score = difference ? dyn_cast<BlockArgument>(difference.getLhs())
                          : BlockArgument();
  auto maximum = difference ? dyn_cast<BlockArgument>(difference.getRhs())
                            : BlockArgument();
  unsigned tiles = found.weights.getInputs().size();
  if (!found.rounded || !score || !maximum || score.getArgNumber() >= tiles ||
      maximum.getArgNumber() >= tiles || !(found.scale > 0))
    return std::nullopt;
  found.score = found.weights.getInputs()[score.getArgNumber()];
  found.maximum = found.weights.getInputs()[maximum.getArgNumber()];
  // The maximum itself, or with 0 instead of -inf.
  auto shift = found.maximum.getDefiningOp<tile::MapOp>();
  if (found.maximum != steady.next &&
      !(shift && shift.getInputs() == ValueRange(steady.next)))
    return std::nullopt;
  found.tanh = findTanh(steady, found);
  return found;
}

std::optional<SteadyMaximum> findSteadyMaximum(tile::ForOp loop,
                                               const StagedBody &stages,
                                               const Plan &plan) {
  Block &body = loop.getBody().front();
  const std::vector<Item> &items = plan.items.find(&body)->second;
  std::optional<size_t> nest = scoreNest(stages, items);
  const Item &paced = items[stages.paced];
  if (!nest || items[*nest].space != paced.space)
    return std::nullopt;
  SteadyMaximum steady;
  steady.nest = *nest;
  auto largest = onlyReduction(items[*nest], tile::ReduceKind::Max);
  auto sum = onlyReduction(paced, tile::ReduceKind::Add);
  if (!largest || !sum)
    return std::nullopt;
  steady.largest = largest;
  steady.sum = sum;
  steady.before = largest.getInit();
  auto carried = llvm::find(loop.getRegionIterArgs(), steady.before);
  if (carried == loop.getRegionIterArgs().end())
    return std::nullopt;
  size_t place = carried - loop.getRegionIterArgs().begin();
  steady.next = body.getTerminator()->getOperand(place);
  if (!mayStay(steady.next, steady.largest, steady.before) ||
      !areRoughWeights(sum.getInput()))
    return std::nullopt;
  steady.fused = fuse(items[*nest], paced, largest);
  steady.fixedPoint = findFixedPoint(steady, plan);
  steady.sample = sampleOf(items[*nest], largest);
  return steady;
}

bool dependOnDistance(tile::ForOp loop) {
  auto skews = loop.getBody().front().getOps<tile::SkewOp>();
  return llvm::any_of(skews, [](tile::SkewOp skew) {
    return isa<FloatType>(skew.getValue().getType().getElementType());
  });
}

} // namespace attnc::cpu
