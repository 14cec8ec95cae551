//===- Candidates.cpp - Candidate schedules -------------------------------===//
//
// Blocks of 1 to 8 (or 12, or 32) vectors of queries by 16 to 256 keys, and for
// linear attention chunks of 64 to 256, of 32 or 16 with a formula of a
// feature. The rest follows: the register tiles are those with the cheapest
// product for the block, the tail and the lane skip cost code only and are
// there whenever they can matter, but not in searches by cases. Tests:
// test/Schedule/select-schedule.mlir, test/Schedule/Cpu/search-tail.test
//
//===----------------------------------------------------------------------===//

#include "Cpu/Candidates.h"

#include "Cpu/CostModel.h"

#include "attnc/Analysis/Kernel/SplitKeys.h"
#include "attnc/Target/Terms.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;
using namespace attnc::schedule::cpu;

namespace {
/// Schedules whose keys are split, and the same without.
struct SplitAndWhole {
  SmallVector<CpuSchedule> split, whole;
};

/// Products over features prefetch the next tile. During the last tile of a
/// part that is the first one of the next part, which another thread may
/// compute: whether this is more than a quarter of a part.
static bool prefetchesMuch(const CpuSchedule &s) {
  return s.mapping == tile::CpuMapping::Features && 4 * s.k > kKeysOfPart;
}

/// Where pairs of features are multiplied, tiles of 64 and 128 keys are mostly
/// predicted to take as long, since memory bounds them: the fewer tiles are
/// better. Zen 4, 2 queries of 128 features: 0.79 to 0.88 of the time.
static void preferLongTiles(SmallVector<CpuSchedule> &overFeatures) {
  constexpr int64_t preferred = 128;
  SmallVector<CpuSchedule> first, others;
  for (const CpuSchedule &s : overFeatures)
    (s.unit == tile::CpuUnit::Dot && s.k == preferred ? first : others)
        .push_back(s);
  overFeatures = std::move(first);
  llvm::append_range(overFeatures, others);
}

static SmallVector<CpuSchedule>
concatenate(ArrayRef<const SplitAndWhole *> lists) {
  SmallVector<CpuSchedule> result;
  for (const SplitAndWhole *list : lists) {
    llvm::append_range(result, list->split);
    llvm::append_range(result, list->whole);
  }
  return result;
}

/// Rows of a register tile with whole cache lines of a table of f32.
constexpr int64_t kRowsOfLine = 16;

/// How large a register tile may be.
struct TileLimit {
  int64_t rows = 12, vectors = 8;
  /// Pairs of rows are stored at once.
  bool isEven = false;
  /// What else a row of one vector takes in tiles of so many rows.
  std::function<double(int64_t rows)> cyclesOfRow = {};
};
} // namespace

/// Code of terms stands once for each `rowsOfTerms` rows of the register tile
/// and each vector, and a term takes ten times as long as a product, so that
/// their code is small and fits the caches of decoded instructions. Where other
/// numbers of the score are products, these need more sums at once.
static TileLimit limitOfScores(const KernelShape &shape) {
  auto isOfTerms = [](const attn::KernelOp::Sum &sum) { return sum.pair; };
  auto sums = shape.kernel.getSums();
  if (llvm::none_of(sums, isOfTerms))
    return {};
  return {.rows = llvm::all_of(sums, isOfTerms) ? rowsOfTerms : 2 * rowsOfTerms,
          .vectors = 1};
}

/// The tile with the fewest cycles for a product of `rows` by `depth`, which is
/// also used for `partialRows`.
static RegisterTile chooseTile(const Target &target, int64_t blockVectors,
                               int64_t rows, int64_t partialRows, int64_t depth,
                               const Unit *unit, TileLimit limit = {}) {
  // Products of 16-bit integers are added by an instruction of their own.
  int64_t products =
      unit && unit->operand == DType::I8 && unit->depth == 2 ? 1 : 0;
  RegisterTile best;
  double leastCost = 0;
  // Wide before tall: fewer addresses of rows.
  for (int64_t vectors = std::min(blockVectors, limit.vectors); vectors >= 1;
       --vectors) {
    if (blockVectors % vectors != 0)
      continue;
    for (int64_t r = 1; r <= limit.rows; ++r) {
      RegisterTile tile{r, vectors};
      if (registersOf(tile, target) + products > target.cpu.vectorRegisters ||
          (limit.isEven && r % 2 != 0))
        continue;
      double others =
          limit.cyclesOfRow ? double(blockVectors) * limit.cyclesOfRow(r) : 0;
      double cost = 0;
      for (int64_t n : {rows, partialRows})
        if (n > 0)
          cost +=
              others + productCycles(tile, double(n), double(depth),
                                     double(blockVectors), 1, target, 0, unit) /
                           double(n);
      if (leastCost != 0 && cost >= leastCost)
        continue;
      leastCost = cost;
      best = tile;
    }
  }
  return best;
}

/// The fewest steps per turn of the inner loop that do not slow it down.
static int64_t chooseUnroll(const Target &target, RegisterTile a,
                            RegisterTile b) {
  auto cycles = [&](int64_t unroll) {
    return cyclesPerStep(a, unroll, target) + cyclesPerStep(b, unroll, target);
  };
  int64_t best = 1;
  for (int64_t unroll : {2, 4})
    if (cycles(unroll) < 0.98 * cycles(best))
      best = unroll;
  return best;
}

/// The weights' type that is requested, or else that of a unit: weights times
/// their gates are rounded to bf16 where a product with V is of bf16.
static Type weightsFor(const KernelShape &shape, tile::CpuUnit unit,
                       Type requested) {
  attn::KernelOp kernel = shape.kernel;
  if (requested || unit == tile::CpuUnit::Fma || !kernel.hasGate() ||
      !kernel.getV() || !getElementTypeOrSelf(kernel.getV()).isBF16())
    return requested;
  Type rounded = kernel.getRoundedWeightType();
  return rounded.isBF16() ? rounded : requested;
}

/// Terms of operands with the form, the weights and the unit of a schedule: the
/// matrix unit multiplies f16, and f32 where results are bf16, as sums of two
/// bf16.
static int64_t termsFor(const KernelShape &shape, const Target &target,
                        CpuSchedule s, const ScheduleRequest &request) {
  s.bf16Terms = s.unit == tile::CpuUnit::Matrix ? 2 : 1;
  PairedProducts paired = findPairedProducts(shape, target, s);
  bool splits =
      paired.states || paired.scoreProducts > 1 || paired.valueProducts > 1;
  return request.bf16Terms.value_or(splits ? 2 : 1);
}

/// The units that may compute a kernel in a form: the matrix unit, if there are
/// products for it, and the dot-product unit, if there are and it is not slower
/// than fmas, or fmas.
static SmallVector<tile::CpuUnit> unitsFor(const KernelShape &shape,
                                           const Target &target, Type weights,
                                           attn::ScheduleForm form,
                                           const ScheduleRequest &request) {
  if (request.unit)
    return {*request.unit};
  auto applies = [&](tile::CpuUnit unit) {
    CpuSchedule s;
    s.form = form;
    s.weights = weightsFor(shape, unit, weights);
    s.unit = unit;
    s.bf16Terms = termsFor(shape, target, s, request);
    return whyNoPairs(shape, target, s).empty();
  };
  const Unit *fma = target.findUnit(DType::F32, DType::F32);
  CpuSchedule withDot;
  withDot.form = form;
  withDot.weights = weightsFor(shape, tile::CpuUnit::Dot, weights);
  withDot.unit = tile::CpuUnit::Dot;
  PairedProducts paired = findPairedProducts(shape, target, withDot);
  SmallVector<const Unit *> dots(paired.scores);
  dots.push_back(paired.value);
  bool isFaster = llvm::all_of(dots, [&](const Unit *dot) {
    return !dot || dot->flopsPerCycle >= fma->flopsPerCycle;
  });
  SmallVector<tile::CpuUnit> units;
  if (applies(tile::CpuUnit::Matrix))
    units.push_back(tile::CpuUnit::Matrix);
  units.push_back(isFaster && applies(tile::CpuUnit::Dot) ? tile::CpuUnit::Dot
                                                          : tile::CpuUnit::Fma);
  return units;
}

/// Operands are packed before a kernel only where all calls that `expect` lists
/// have several blocks of queries.
static constexpr int64_t fewestToPack = 64;

/// Whether blocks of several groups may read values in place, in passes over
/// keys that stay in L2. Where all keys of a head do, a single group is as
/// fast, and faster with masks.
static bool mayHavePasses(const KernelShape &shape, const Target &target,
                          int64_t terms) {
  int64_t bits = terms * (shape.headDim * shape.keyBits +
                          shape.valueDim * shape.valueBits);
  return shape.mostKeysOfBlock * bits / 8 > 3 * target.l2Bytes() / 4;
}

/// By how much scores may exceed the running maximum before the sums of values
/// are rescaled, which takes the matrix unit a pass over memory. Weights are up
/// to e^2, so that the largest one is rounded to bf16, too; but then a second
/// weight is at least e^-2 of it, and a row of such weights has rounding errors
/// of this size in any case.
static constexpr double steadyGrowth = 2;

/// Whether nothing but weights depends on the running maximum of a softmax,
/// which are rounded to bf16 or to terms of it.
static bool mayKeepMaximum(const KernelShape &shape,
                           const PairedProducts &paired) {
  attn::KernelOp kernel = shape.kernel;
  return shape.isSoftmax() && !kernel.getRow() && !kernel.hasPairs() &&
         kernel.getV() &&
         (kernel.getRoundedWeightType().isBF16() || paired.valueProducts > 1);
}

/// What a grid packs before a kernel of pipelined tiles: values, whose tiles
/// would be transposed, and keys, if their tiles would be copied for longer or
/// they have several terms.
static tile::CpuPack choosePack(const CpuSchedule &s, const KernelShape &shape,
                                const Target &target,
                                const ScheduleRequest &request) {
  bool values = whyNotTransposed(shape, target, s).empty();
  bool isSplit = findPairedProducts(shape, target, s).scoreProducts > 1;
  bool keys = (isSplit || isPackingFaster(shape, s)) &&
              whyNotPackedKeys(shape, target, s).empty();
  CpuSchedule packed = s;
  packed.pack = keys     ? values ? tile::CpuPack::Both : tile::CpuPack::Keys
                : values ? tile::CpuPack::Transposed
                         : tile::CpuPack::Auto;
  int64_t lanes = shape.lanes(target);
  if (s.form == attn::ScheduleForm::Chunked)
    return isSplit && keys ? tile::CpuPack::Keys : tile::CpuPack::Auto;
  bool isSingle = s.q <= 2 * lanes;
  // The unit multiplies terms only if they are packed, so the cost decides.
  if (s.bf16Terms > 1 && (isSingle || request.unit))
    return packed.pack;
  int64_t fewest = isSingle ? fewestToPack : std::max(fewestToPack, s.q);
  return packed.isPipelined(shape, lanes) && shape.leastQueries >= fewest &&
                 (isSingle ||
                  mayHavePasses(shape, target, isSplit ? s.bf16Terms : 1))
             ? packed.pack
             : tile::CpuPack::Auto;
}

/// Queries of a pass where lanes are features, the preferred one first: as many
/// as the fewest that a regime has. A pass of four takes as long as one of
/// fewer where K and V come from memory, and regimes with more need fewer
/// passes.
static SmallVector<int64_t> featureRowsOf(const KernelShape &shape,
                                          int64_t lanes,
                                          const ScheduleRequest &request) {
  if (request.featureRows)
    return {*request.featureRows};
  constexpr int64_t ofMemory = 4;
  int64_t few = shape.leastQueries ? shape.leastQueries : 1;
  int64_t most = std::min<int64_t>(lanes, 8);
  int64_t least = std::min(int64_t(llvm::bit_ceil(uint64_t(few))), most);
  if (least < ofMemory && ofMemory <= most && shape.mostQueries > least)
    return {least, ofMemory};
  return {least};
}

/// Fills in what follows from form, q, k, partial and unit.
static void complete(CpuSchedule &s, tile::CpuMapping mapping,
                     const KernelShape &shape, const Target &target,
                     const ScheduleRequest &request) {
  int64_t lanes = shape.lanes(target);
  int64_t vectors = std::max<int64_t>(s.q / lanes, 1);
  bool isRows = s.form == attn::ScheduleForm::Rows;
  bool isMatrix = s.unit == tile::CpuUnit::Matrix;
  PairedProducts paired = findPairedProducts(shape, target, s);
  auto dotUnit = [&](const Unit *unit) { return isMatrix ? nullptr : unit; };
  TileLimit limit = limitOfScores(shape), valueLimit;
  limit.isEven = s.unit != tile::CpuUnit::Fma && paired.value;
  // Where registers hold whole lines of tables; see below for the matrix unit.
  if (!shape.costs.tables.empty() && !isMatrix && limit.rows > rowsOfTerms &&
      registersOf({kRowsOfLine, 1}, target) <= availableRegisters(target)) {
    limit.rows = std::max(limit.rows, kRowsOfLine);
    limit.cyclesOfRow = [&](int64_t rows) {
      return shape.lineCycles(rows, target);
    };
  }
  // The matrix unit takes two vectors at once, and few scores stay in L1. The
  // granule's rows matter for elementwise ops only.
  for (TileLimit *one : {&limit, &valueLimit})
    if (isMatrix)
      one->rows = std::min<int64_t>(one->rows, 8),
      one->vectors = std::min<int64_t>(one->vectors, 2);
  s.score = request.score.value_or(
      chooseTile(target, vectors, s.k, isRows ? 0 : s.partial, shape.headDim,
                 dotUnit(paired.scores[0]), limit));
  s.value =
      request.value.value_or(chooseTile(target, vectors, shape.valueDim, 0, s.k,
                                        dotUnit(paired.value), valueLimit));
  s.unroll = request.unroll.value_or(chooseUnroll(target, s.score, s.value));
  // A search has about six times the code of a softmax, most of a compile; few
  // queries have blocks of their own where the function has cases.
  bool hasCases = shape.interface && !shape.interface->cases.empty();
  bool hasTail = s.q > lanes && !(isSearch(shape.kernel) && hasCases) &&
                 !(shape.fixedQueries && *shape.fixedQueries % s.q == 0);
  s.laneSkip =
      request.laneSkip.value_or(!isRows && s.q > lanes && shape.rangesMove);
  s.mapping = mapping;
  s.pack = request.pack.value_or(choosePack(s, shape, target, request));
  // Pipelined blocks of several groups leave out groups without queries.
  bool leavesOut = mapping == tile::CpuMapping::Rows && s.q > 2 * lanes &&
                   s.isPipelined(shape, lanes);
  s.tail = request.tail.value_or(hasTail && !leavesOut ? lanes : 0);
  s.split = request.split.value_or(0);
  if (mapping == tile::CpuMapping::Features)
    s.featureRows = featureRowsOf(shape, lanes, request).front();
  else
    s.featureRows = request.featureRows.value_or(0); // which must be 0
  s.rescaleThreshold = request.rescaleThreshold.value_or(
      isMatrix && mayKeepMaximum(shape, paired) ? steadyGrowth : 0);
  s.rescaleIn = request.rescaleIn.value_or(attn::RescalePlace::Value);
}

/// `all`, or the one value that was asked for.
static SmallVector<int64_t> choices(std::optional<int64_t> requested,
                                    ArrayRef<int64_t> all) {
  if (requested)
    return {*requested};
  return SmallVector<int64_t>(all);
}

/// The most keys of a tile on the matrix unit: with more of them the scores and
/// weights of two vectors leave L1 too little for the rest (hand-written
/// kernels were fastest with 128 keys, or as many as features). Pipelined tiles
/// have two copies: 64 keys were up to 1.6 times as fast as 96 and 128.
static int64_t mostKeysOf(const KernelShape &shape, tile::CpuUnit unit,
                          bool isPipelined) {
  if (unit != tile::CpuUnit::Matrix)
    return std::numeric_limits<int64_t>::max();
  if (isPipelined)
    return 64;
  return std::max<int64_t>(128, llvm::alignTo(shape.headDim, 32));
}

/// The most queries of a block. Values that are not transposed before the
/// kernel are so once for a block of the matrix unit, so 12 vectors are faster
/// there. Pipelined blocks of 16 and 32 vectors read keys and values of long
/// contexts less often.
static int64_t mostQueriesOf(tile::CpuUnit unit, int64_t lanes,
                             bool isPipelined, const ScheduleRequest &request) {
  int64_t ofMatrix = isPipelined ? 32 : 12;
  return request.q.value_or((unit == tile::CpuUnit::Matrix ? ofMatrix : 8) *
                            lanes);
}

/// Terms take as long for each vector of queries: more of them only add code,
/// for tails and skipped lanes, unless they share what a state makes of them.
static SmallVector<int64_t> queriesOfBlocks(const KernelShape &shape,
                                            const Target &target) {
  int64_t lanes = shape.lanes(target);
  if (limitOfScores(shape).vectors == 1 && !shape.factors)
    return {lanes};
  SmallVector<int64_t> queries;
  for (int64_t vectors : {4, 2, 3, 6, 8, 1, 12, 16, 32})
    queries.push_back(vectors * lanes);
  return queries;
}

/// Whether calls may leave a large block a few vectors of queries, which run in
/// pieces of one: the matrix unit computes them faster together.
static bool hasSlowPieces(const CpuSchedule &s, const KernelShape &shape,
                          int64_t lanes) {
  return s.unit == tile::CpuUnit::Matrix && s.q > 2 * lanes &&
         shape.mostQueries > lanes;
}

/// Keys between two states, the preferred number first. Pairs of formulas are
/// dear, so there are few of them. Chunks of 16 take twice the workspace of
/// those of 32, and as long on Intel; where one vector operation starts in a
/// cycle (Zen 4), 0.84 times as long with 64 features.
static SmallVector<int64_t> chunksOf(const KernelShape &shape,
                                     const Target &target) {
  SmallVector<int64_t> chunks{128, 64, 256};
  if (!shape.sums.front())
    return chunks;
  chunks.push_back(32);
  if (operationsPerCycle(target) == 1)
    chunks.push_back(16);
  return chunks;
}

SmallVector<CpuSchedule> cpu::makeCandidates(const KernelShape &shape,
                                             const Target &target,
                                             const ScheduleRequest &request,
                                             Type weights) {
  using Form = attn::ScheduleForm;
  constexpr int64_t mostKeysOfRows = 512;
  int64_t lanes = shape.lanes(target);
  SmallVector<int64_t> queries =
      choices(request.q, queriesOfBlocks(shape, target));

  // Where a regime has fewer queries than a vector has lanes, those can be
  // features: preferred only if that is faster. Long keys are split where every
  // regime is so, for others need no more instances: preferred unless that is
  // slower, for threads beyond the first do not show in the cost.
  bool isFew = shape.leastQueries > 0 && shape.leastQueries <= lanes;
  bool isLong = isFew && shape.mostQueries <= lanes &&
                shape.mostKeysSeen >= 2 * kKeysOfPart &&
                whyNotSplit(shape.kernel).empty();
  auto units = unitsFor(shape, target, weights, Form::Online, request),
       unitsOfChunks = unitsFor(shape, target, weights, Form::Chunked, request);
  SplitAndWhole overRows, overFeatures;
  auto push = [&](SplitAndWhole &list, CpuSchedule s) {
    bool isPipelined = s.isPipelined(shape, lanes);
    if ((isLong && !request.k && prefetchesMuch(s)) ||
        s.q > mostQueriesOf(s.unit, lanes, isPipelined, request) ||
        (!request.k && s.form != Form::Rows &&
         s.k > mostKeysOf(shape, s.unit, isPipelined)))
      return;
    list.whole.push_back(s);
    if (!isLong || request.split || s.form != Form::Online)
      return;
    s.split = llvm::alignTo(kKeysOfPart, s.k);
    list.split.push_back(s);
  };
  auto addFor = [&](tile::CpuUnit unit, Form form, int64_t q, int64_t k,
                    int64_t partial, int64_t chunk) {
    CpuSchedule s;
    s.unit = unit;
    s.weights = weightsFor(shape, unit, weights);
    s.form = form;
    s.bf16Terms = termsFor(shape, target, s, request);
    s.q = q;
    s.k = k;
    s.chunk = chunk;
    s.partial = partial;
    if (request.mapping) {
      complete(s, *request.mapping, shape, target, request);
      push(overRows, s);
      return;
    }
    complete(s, tile::CpuMapping::Rows, shape, target, request);
    push(overRows, s);
    if (!isFew || form == Form::Chunked)
      return;
    complete(s, tile::CpuMapping::Features, shape, target, request);
    if ((s.q == lanes || s.tail == lanes) &&
        (request.q || !hasSlowPieces(s, shape, lanes)))
      for (int64_t rows : featureRowsOf(shape, lanes, request))
        s.featureRows = rows, push(overFeatures, s);
  };
  auto add = [&](Form form, int64_t q, int64_t k, int64_t partial,
                 int64_t chunk) {
    for (tile::CpuUnit unit : form == Form::Chunked ? unitsOfChunks : units)
      addFor(unit, form, q, k, partial, chunk);
  };
  auto may = [&](Form form, bool otherwise) {
    return request.form ? *request.form == form : otherwise;
  };
  bool mayBeChunked =
      may(Form::Chunked, shape.factors.has_value() || request.chunk);
  bool mayBeOnline = may(Form::Online, !request.chunk);
  int64_t noChunk = request.chunk.value_or(0); // which findProblem refuses
  SmallVector<int64_t> chunks = chunksOf(shape, target);
  bool mayBeRows = shape.fixedKeys && *shape.fixedKeys >= 1 &&
                   *shape.fixedKeys <= request.k.value_or(mostKeysOfRows);
  for (int64_t q : queries) {
    if (request.form ? *request.form == Form::Rows : mayBeRows) {
      int64_t k = request.k.value_or(shape.fixedKeys.value_or(leastKeys));
      add(Form::Rows, q, std::max<int64_t>(k, 1),
          request.partial.value_or(
              std::min<int64_t>(16, std::max<int64_t>(k, 1))),
          noChunk);
    }
    if (request.form == Form::Rows)
      continue;
    for (int64_t k :
         choices(request.k, {64, 32, 48, 96, 128, 192, 256, leastKeys}))
      for (int64_t partial : choices(request.partial, {16, 32, 8}))
        if (request.partial || partial <= std::max<int64_t>(k, 8)) {
          int64_t least = std::min(partial, request.partial ? partial : k);
          if (mayBeOnline)
            add(Form::Online, q, k, least, noChunk);
          for (int64_t chunk : choices(request.chunk, chunks))
            if (mayBeChunked && (request.k || request.chunk || k <= chunk))
              add(Form::Chunked, q, k, least, chunk);
        }
  }
  preferLongTiles(overFeatures.split);
  preferLongTiles(overFeatures.whole);
  return concatenate({&overRows, &overFeatures});
}
