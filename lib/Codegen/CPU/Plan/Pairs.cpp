//===- Pairs.cpp - Products on units for bf16 and 8-bit integers ----------===//
//
// With `unit = dot` an instruction adds the products of two pairs of bf16 to a
// lane's f32. The two elements of a pair are neighbors along the summed dim, so
// a tile with queries in its lanes holds two rows in each row of its slot:
//
// scores:
//   S[key][lane] += Q[d][lane] * K[key][d] + Q[d + 1][lane] * K[key][d + 1]
// values:
//   O[e][lane] += P[k][lane] * V[k][e] + P[k + 1][lane] * V[k + 1][e]
//
// A pair of features of K is 32 adjacent bits of a row, so keys are read in
// place; pairs of rows of V are copied. Both operands of a product change their
// form, so all users of an operand must agree: products that cannot be computed
// in this way exclude others that share an operand.
//
// With `unit = matrix` an instruction makes 16 x 16 sums of 32 products each,
//
//   S[16 keys][16 queries] += K[16 keys][32 features] * Q[16 pairs][16 queries]
//   O[16 e][16 queries] += V^T[16 e][32 keys] * P[16 pairs][16 queries]
//
// with queries along the lanes of the same pairs, and results where the rest of
// the program looks for them.
//
// With features in the lanes, pairs are of features of a key, too, and rows of
// values are zipped in registers (Features/Along.cpp, Features/Across.cpp).
//
// Products of two tiles that are loaded as 8-bit integers are the same with
// sums of 32-bit integers, which are exact, and two or four features per lane,
// as the unit's depth says. Tests: test/Codegen/CPU/pairs.mlir, tiles.mlir,
// test/Codegen/CPU/Memory/integer-products.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Block2D.h"
#include "Plan/ZeroSums.h"

using namespace mlir;

namespace attnc::cpu {

namespace {
class PairPlanner {
public:
  PairPlanner(Plan &plan, tile::CpuAttr target, bool explains)
      : plan(plan), target(target), explains(explains) {}
  LogicalResult run(Block &block);

private:
  StringRef whyNot(tile::DotOp dot) const;
  StringRef whyNotRows(tile::DotOp dot) const;
  StringRef whyNotIntegers(tile::DotOp dot) const;
  StringRef whyNotSums(tile::DotOp dot) const;
  StringRef whyNotShared(tile::DotOp dot) const;
  bool isOverFeatures(tile::DotOp dot) const {
    return featureFormOf(dot, plan) != FeatureForm::None;
  }
  bool isCandidate(tile::DotOp dot) const;
  bool exclude();
  void findNests();
  void explain(tile::DotOp dot, StringRef why) const;

  Plan &plan;
  tile::CpuAttr target;
  bool explains;
  /// With an operand of bf16, or with two of 8-bit integers.
  SmallVector<tile::DotOp> dots;
  const Unit *ofBf16 = nullptr, *ofIntegers = nullptr;
  /// By op the number of its nest.
  DenseMap<Operation *, unsigned> nests;
};
} // namespace

static Value queriesOf(tile::DotOp dot) {
  bool lhsOnLanes = dot.getLhs().getType().hasDim(kLaneDim);
  return lhsOnLanes ? dot.getLhs() : dot.getRhs();
}

tile::LoadOp loadedRows(tile::DotOp dot) {
  bool lhsOnLanes = dot.getLhs().getType().hasDim(kLaneDim);
  Value rows = lhsOnLanes ? dot.getRhs() : dot.getLhs();
  return rows.getDefiningOp<tile::LoadOp>();
}

tile::DotOp firstOfSum(tile::DotOp dot) {
  while (auto before = dot.getAcc() ? dot.getAcc().getDefiningOp<tile::DotOp>()
                                    : tile::DotOp()) {
    if (!before->hasOneUse())
      break;
    dot = before;
  }
  return dot;
}

/// Whether the sum runs over the rows that are loaded: keys of values.
static bool isAcrossRows(tile::DotOp dot) {
  return rowAndColumn(loadedRows(dot)).first.getValue() == dot.getSum();
}

/// Whether both operands are loaded as 8-bit integers.
static bool isOfIntegers(tile::DotOp dot) {
  auto isInteger = [](tile::LoadOp load) {
    return load && load.getBuf().getType().getElementType().isInteger(8);
  };
  return isInteger(queriesOf(dot).getDefiningOp<tile::LoadOp>()) &&
         isInteger(loadedRows(dot));
}

bool isOnlyPaired(Value tile, const Plan &plan) {
  return plan.pairTiles.contains(tile) &&
         llvm::all_of(tile.getUsers(), [&](Operation *user) {
           return plan.pairDots.contains(user) || isa<tile::StoreOp>(user);
         });
}

void PairPlanner::findNests() {
  nests.clear();
  unsigned number = 0;
  for (auto &[block, items] : plan.items)
    for (const Item &item : items) {
      ++number;
      if (item.kind == ItemKind::Nest)
        for (Operation *op : item.ops)
          nests[op] = number;
    }
}

/// Why a product cannot be computed by pairs because of the rows that it loads;
/// else an empty text.
StringRef PairPlanner::whyNotRows(tile::DotOp dot) const {
  tile::LoadOp load = loadedRows(dot);
  auto [row, column] = rowAndColumn(load);
  Type stored = load.getBuf().getType().getElementType();
  if (isOverFeatures(dot) && !stored.isBF16())
    return "rows are not stored as bf16";
  if (!stored.isBF16() && !stored.isInteger(8)) // which bf16 holds
    return "rows are not stored as bf16";
  bool isLoaded = queriesOf(dot).getDefiningOp<tile::LoadOp>() != nullptr;
  if (load.getValidOf(column) &&
      (load.getTable() || !(isLoaded || isAcrossRows(dot))))
    return "its number of features is known at run time only";
  auto loop = dot->getParentOfType<tile::ForOp>();
  bool isOdd = loop && loop.getPartialStep() % 2 != 0 && target.getLaneSkip();
  if (isAcrossRows(dot) && isOdd)
    return "lanes skip odd numbers of keys";
  return "";
}

/// The same for a product of integers.
StringRef PairPlanner::whyNotIntegers(tile::DotOp dot) const {
  auto queries = queriesOf(dot).getDefiningOp<tile::LoadOp>();
  tile::LoadOp rows = loadedRows(dot);
  if (queries.getType().getRank() != 2)
    return "it has a single element per query";
  if (isAcrossRows(dot))
    return "its sum runs over rows";
  if (queries.getValidOf(dot.getSum()) || rows.getValidOf(dot.getSum()))
    return "its number of features is known at run time only";
  if (queries.getBuf().getType().getElementType().isUnsignedInteger())
    return "its operand along the lanes is unsigned";
  if (*queries.getType().getDimSize(dot.getSum()) > mostProductsOf8Bits)
    return "its sums exceed 32 bits";
  return ofIntegers->kind == UnitKind::Matrix ? whyNotSums(dot) : "";
}

/// The result of the loop that carries the sums of a product from zero on and
/// does nothing else with them; without such a loop the product's own result.
/// Nothing if the sums start elsewhere.
static Value finalSumsOf(tile::DotOp dot) {
  Value start = dot.getAcc();
  auto splat = start ? start.getDefiningOp<tile::SplatOp>() : tile::SplatOp();
  if (!start || (splat && splat.getValue().isZero()))
    return dot.getResult();
  auto loop = dyn_cast<tile::ForOp>(start.getParentBlock()->getParentOp());
  if (!loop || !isCarriedFromZero(loop, start) || !start.hasOneUse() ||
      !dot->hasOneUse())
    return {};
  size_t number = llvm::find(loop.getRegionIterArgs(), start) -
                  loop.getRegionIterArgs().begin();
  OpOperand &use = *dot->use_begin();
  bool isYielded =
      isa<tile::YieldOp>(use.getOwner()) && use.getOperandNumber() == number;
  return isYielded ? loop.getResult(number) : Value();
}

/// The sums of a matrix unit are integers in scratch, which only ops that
/// convert them may read.
StringRef PairPlanner::whyNotSums(tile::DotOp dot) const {
  Value sums = finalSumsOf(dot);
  if (!sums)
    return "its sums start at others";
  auto loop = sums.getDefiningOp<tile::ForOp>();
  if (loop && loop.getNumSegments() != 1)
    return "its sums may exceed 32 bits";
  if (loop) {
    std::optional<int64_t> begin = constantOf(loop.getSegment(0)[0]),
                           end = constantOf(loop.getSegment(0)[3]);
    int64_t size = *cast<tile::TileType>(queriesOf(dot).getType())
                        .getDimSize(dot.getSum());
    if (!begin || !end ||
        llvm::divideCeil(*end - *begin, loop.getPartialStep()) * size >
            mostProductsOf8Bits)
      return "its sums may exceed 32 bits";
  }
  for (Operation *user : sums.getUsers())
    if (!isa<tile::MapOp, tile::SelectMaskedOp, tile::ReduceOp, tile::StoreOp>(
            user))
      return "its sums are the operand of another product, or of a loop";
  return "";
}

StringRef PairPlanner::whyNot(tile::DotOp dot) const {
  if (dot.getMask())
    return "its products are masked";
  if (isOfIntegers(dot))
    return whyNotIntegers(dot);
  if (cast<tile::TileType>(dot.getLhs().getType()).getElementType() !=
      cast<tile::TileType>(dot.getRhs().getType()).getElementType())
    return "its operands have different types";
  Value queries = queriesOf(dot);
  if (cast<tile::TileType>(queries.getType()).getRank() != 2)
    return "it has a single element per query";
  Operation *made = queries.getDefiningOp();
  auto load = dyn_cast_or_null<tile::LoadOp>(made);
  if (!load &&
      !isa_and_present<tile::MapOp, tile::SelectMaskedOp, tile::RescaleOp>(
          made))
    return "its operand is neither loaded nor computed by a map";
  auto start = dot.getAcc() ? dot.getAcc().getDefiningOp<tile::SplatOp>()
                            : tile::SplatOp();
  if (target.getUnit() == tile::CpuUnit::Matrix && start &&
      !start.getValue().isZero())
    return "its sums start at a constant";
  Type stored = load ? load.getBuf().getType().getElementType() : Type();
  if (load && !stored.isBF16() && !stored.isInteger(8))
    return "its operand is not stored as bf16 features";
  // The last pair of an odd number is completed by 0 in both operands.
  if (load &&
      load.getValidOf(dot.getSum()) != loadedRows(dot).getValidOf(dot.getSum()))
    return "its number of features is known at run time only";
  return whyNotRows(dot);
}

/// Why users of its operands do not allow pairs.
StringRef PairPlanner::whyNotShared(tile::DotOp dot) const {
  Value queries = queriesOf(dot);
  auto isPaired = [&](Operation *user) {
    auto other = dyn_cast<tile::DotOp>(user);
    return other && plan.pairDots.contains(other);
  };
  // Rows are read as they are stored, unless other ops read a copy in f32.
  if (isOverFeatures(dot) &&
      !llvm::all_of(loadedRows(dot)->getUsers(), [&](Operation *user) {
        auto other = dyn_cast<tile::DotOp>(user);
        return other && (isOverFeatures(other) || isPaired(other));
      }))
    return "other ops use its rows";
  // Copies of the queries are in pairs, their tile and the rows are not. So
  // either all products that are along features are by pairs, or others are.
  if (featureFormOf(dot, plan) == FeatureForm::Along) {
    bool agree = llvm::all_of(queries.getUsers(), [&](Operation *user) {
      auto other = dyn_cast<tile::DotOp>(user);
      bool isAlong = other && featureFormOf(other, plan) == FeatureForm::Along;
      return !other || isPaired(other) == isAlong;
    });
    return agree ? "" : "other products use its operand";
  }
  unsigned nest = nests.lookup(queries.getDefiningOp());
  for (Operation *user : queries.getUsers()) {
    bool isInNest = nest && nests.lookup(user) == nest;
    if (!isInNest &&
        (!isPaired(user) || cast<tile::DotOp>(user).getSum() != dot.getSum()))
      return "other ops use its operand";
  }
  if (isOverFeatures(dot))
    return "";
  for (Operation *user : loadedRows(dot)->getUsers())
    if (!isPaired(user) ||
        isAcrossRows(cast<tile::DotOp>(user)) != isAcrossRows(dot))
      return "other ops use its rows";
  return "";
}

void PairPlanner::explain(tile::DotOp dot, StringRef why) const {
  if (explains && !dot.getMask()) // else a second try, where a result is a NaN
    dot.emitRemark() << "computes a product of "
                     << (isOfIntegers(dot) ? "8-bit integers" : "bf16")
                     << " in f32, because " << why << " [kernel]";
}

/// Removes products until the users of all operands agree. Returns whether
/// there was one.
bool PairPlanner::exclude() {
  bool changed = true, hasRemoved = false;
  while (changed) {
    changed = false;
    for (tile::DotOp dot : dots) {
      if (!plan.pairDots.contains(dot))
        continue;
      StringRef why = whyNotShared(dot);
      if (why.empty())
        continue;
      plan.pairDots.erase(dot);
      changed = hasRemoved = true;
      explain(dot, why);
    }
  }
  return hasRemoved;
}

/// Whether a block of bf16 is only loaded into lanes and stored along them. Its
/// columns are transposed in pairs.
static bool isTransposedCopy(tile::StoreOp store) {
  auto load = store.getValue().getDefiningOp<tile::LoadOp>();
  if (!load || !store.getValue().hasOneUse() || load.getTable() ||
      !load.getBuf().getType().getElementType().isBF16() ||
      !load.getType().getElementType().isBF16() ||
      store.getBuf().getType().getElementType() !=
          load.getType().getElementType())
    return false;
  std::optional<Space> space = spaceOf(load.getType());
  return space && space->lanes && space->dim &&
         store.getBuf().getType().getNames().back() == kLaneDim &&
         !tile::RenameOp::findMerged(store.getBuf());
}

/// Whether a grid that packs an operand of a matrix unit stores the columns of
/// such a copy: the axis along the lanes is not the last one of the tensor.
static bool packsColumns(tile::StoreOp store, const Plan &plan,
                         tile::CpuAttr target) {
  auto load = store.getValue().getDefiningOp<tile::LoadOp>();
  return isTransposedCopy(store) && !plan.hasTiles &&
         target.getUnit() == tile::CpuUnit::Matrix &&
         store->getBlock() == load->getBlock() && !mayFollow(load.getBuf()) &&
         !tile::RenameOp::findMerged(load.getBuf());
}

/// Whether a map rounds what is stored to bf16, and nothing else reads it:
/// results whose rows are contiguous, or terms of operands (with a rounding
/// mode of their own) along the lanes.
static bool isRoundedResult(tile::StoreOp store, const Plan &plan) {
  auto map = store.getValue().getDefiningOp<tile::MapOp>();
  auto rounding =
      map ? yieldedBy(map).getDefiningOp<arith::TruncFOp>() : arith::TruncFOp();
  if (!rounding || !store.getValue().hasOneUse() ||
      !store.getBuf().getType().getElementType().isBF16())
    return false;
  bool isAlongLanes = store.getBuf().getType().getNames().back() == kLaneDim;
  bool isPaired = isAlongLanes ? rounding.getRoundingmode().has_value() &&
                                     !tile::RenameOp::findMerged(store.getBuf())
                               : !plan.pairDots.empty();
  auto type = cast<tile::TileType>(map.getResult().getType());
  std::optional<Space> space = spaceOf(type);
  return isPaired && type.getElementType().isBF16() && space && space->lanes &&
         space->dim;
}

/// Whether a unit might compute a product, by the types of its operands.
bool PairPlanner::isCandidate(tile::DotOp dot) const {
  auto isBf16 = [](Value tile) {
    return cast<tile::TileType>(tile.getType()).getElementType().isBF16();
  };
  bool isReadOnce = plan.streamed.contains(queriesOf(dot).getDefiningOp());
  if (dot.hasTerm() || isReadOnce)
    return false;
  if (isOfIntegers(dot))
    return ofIntegers && !isOverFeatures(dot);
  constexpr int64_t leastLanes = 4; // which RowOrder::Zipped interleaves
  if (isOverFeatures(dot) && ofBf16 &&
      (ofBf16->kind != UnitKind::DotProduct || plan.lanes < leastLanes))
    return false;
  return ofBf16 && (isBf16(dot.getLhs()) || isBf16(dot.getRhs()));
}

LogicalResult PairPlanner::run(Block &block) {
  if (!plan.accumulator.isF32())
    return success();
  ofBf16 = findPairUnit(block.getParentOp(), target, DType::BF16);
  ofIntegers = findPairUnit(block.getParentOp(), target, DType::I8);
  block.walk([&](tile::DotOp dot) {
    if (isCandidate(dot))
      dots.push_back(dot);
  });
  for (tile::DotOp dot : dots) {
    StringRef why = whyNot(dot);
    if (why.empty())
      plan.pairDots.insert(dot);
    else
      explain(dot, why);
  }
  // A product of the matrix unit is in no nest; one that is removed is again.
  plan.hasTiles =
      target.getUnit() == tile::CpuUnit::Matrix && !plan.pairDots.empty();
  do {
    if (plan.hasTiles && failed(planItems(block, plan)))
      return failure();
    findNests();
  } while (exclude() && plan.hasTiles);
  plan.hasTiles &= !plan.pairDots.empty();
  for (tile::DotOp dot : dots) {
    if (!plan.pairDots.contains(dot))
      continue;
    if (featureFormOf(dot, plan) != FeatureForm::Along)
      plan.pairTiles.insert(queriesOf(dot));
    if (isOfIntegers(dot))
      plan.integerTiles[queriesOf(dot)] = plan.integerTiles[loadedRows(dot)] =
          ofIntegers;
    if (isOfIntegers(dot) && plan.hasTiles)
      plan.integerSums.insert(finalSumsOf(dot));
    if (plan.hasTiles)
      plan.tileRows[loadedRows(dot)] = {};
    else if (isAcrossRows(dot) && !isOverFeatures(dot))
      plan.pairRows[loadedRows(dot)] = {};
  }
  if (ofBf16)
    block.walk([&](tile::StoreOp store) {
      if (isTransposedCopy(store) || isRoundedResult(store, plan))
        plan.pairTiles.insert(store.getValue());
      if (packsColumns(store, plan, target))
        plan.transposedCopies.insert(store.getValue());
    });
  return success();
}

LogicalResult planPairs(Block &block, Plan &plan, tile::CpuAttr target,
                        bool explains) {
  return PairPlanner(plan, target, explains).run(block);
}

} // namespace attnc::cpu
