//===- HalideStrategy.cpp - Schedules of the Halide backend ---------------===//
//
// Two forms, as measured: the whole row of scores in memory where it is short,
// blocks of keys with a running maximum where it is long, in parts where there
// are few queries; for linear attention, states of chunks of keys. Lanes are
// queries; a register tile is two vectors by eight. Those of a few rows may be
// features (FeatureLanes.cpp). Tests: test/Schedule/Halide
//
//===----------------------------------------------------------------------===//

#include "Halide/HalideStrategy.h"

#include "Halide/Chunks.h"
#include "Halide/FeatureLanes.h"
#include "Halide/HalideRequest.h"
#include "Halide/KeySplits.h"
#include "VisitedPairs.h"

#include "attnc/Dialect/Halide/Halide.h"
#include "attnc/Dialect/Tile/TargetAttr.h"
#include "attnc/Target/RegisterTile.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace attnc::schedule::halide {
namespace {

struct HalideStrategy final : Strategy {
  StringRef backend() const override { return "halide"; }
  bool serves(const Target &target) const override {
    return target.kind == TargetKind::Cpu;
  }
  std::optional<attn::RowAxes> findRowAxes(const Target &target,
                                           StringRef text) const override {
    std::string error; // makeCandidates() reports it
    std::optional<HalideRequest> request =
        HalideRequest::parse(text, target.kind, error);
    return request ? request->rowAxes : std::nullopt;
  }
  SmallVector<attn::ScheduleAttr>
  makeCandidates(const KernelShape &shape, const Target &target,
                 StringRef request, std::string &error) const override;
  std::string findMismatch(const KernelShape &shape, const Target &target,
                           attn::ScheduleAttr schedule) const override;
  std::string findProblem(const KernelShape &shape, const Target &target,
                          attn::ScheduleAttr schedule) const override;
  std::string explain(const KernelShape &shape,
                      attn::ScheduleAttr schedule) const override;
  Cost predictCost(const KernelShape &shape, const Target &target,
                   attn::ScheduleAttr schedule,
                   RegimeRanges &ranges) const override;
  attn::BlockAttr chooseBlock(Operation *op,
                              const Target &target) const override;
  std::string findProblem(Operation *op, attn::BlockAttr block,
                          const Target &target) const override;
};

} // namespace

static ::attnc::halide::ScheduleAttr targetOf(attn::ScheduleAttr schedule) {
  return dyn_cast<::attnc::halide::ScheduleAttr>(schedule.getTarget());
}

/// Rows whose scores fit L2 with room for the keys and values.
static int64_t kMostKeysOfRows(const KernelShape &shape, const Target &target,
                               int64_t q) {
  return target.l2Bytes() / (4 * q * shape.accumulateBytes());
}

static constexpr int64_t kKeysOfBlock = 128;

namespace {
/// What candidates differ in.
struct Choice {
  attn::ScheduleForm form;
  int64_t q, split, chunk;
};
} // namespace

/// Keys of a block, a multiple of `step`, not more than those of a part.
static int64_t chooseKeys(const HalideRequest &request, int64_t split,
                          int64_t step) {
  if (request.k)
    return *request.k;
  bool isShort = split >= step && split < kKeysOfBlock;
  return isShort ? split / step * step : kKeysOfBlock;
}

/// Null and a sentence in `error` if requested fields are illegal together.
static attn::ScheduleAttr finish(const KernelShape &shape, Choice choice,
                                 int64_t k,
                                 ::attnc::halide::ScheduleAttr halide,
                                 std::string &error) {
  MLIRContext *context = shape.kernel->getContext();
  ScopedDiagnosticHandler keep(context, [&](Diagnostic &diagnostic) {
    error = diagnostic.str();
    return success();
  });
  return attn::ScheduleAttr::getChecked(
      [&] { return emitError(UnknownLoc::get(context)); }, context, choice.form,
      choice.q, k, choice.chunk, choice.split, attn::RowAxes::Q,
      llvm::APFloat(0.0), attn::RescalePlace::Value, /*weights=*/Type(),
      tile::TargetAttrInterface(halide));
}

/// With features in the lanes. An illegal tile is the user's.
static attn::ScheduleAttr makeFeatureSchedule(const KernelShape &shape,
                                              const Target &target,
                                              const HalideRequest &request,
                                              Choice choice,
                                              std::string &error) {
  int64_t lanes = shape.lanes(target);
  FeatureTiles tiles = chooseFeatureTiles(shape, target, request);
  MLIRContext *context = shape.kernel->getContext();
  ::attnc::halide::ScheduleAttr halide;
  {
    ScopedDiagnosticHandler keep(context, [&](Diagnostic &diagnostic) {
      error = diagnostic.str();
      return success();
    });
    halide = ::attnc::halide::ScheduleAttr::getChecked(
        [&] { return emitError(UnknownLoc::get(context)); }, context, lanes,
        ArrayRef<int64_t>{tiles.score.rows, tiles.score.vectors},
        ArrayRef<int64_t>{tiles.value.rows, tiles.value.vectors},
        ::attnc::halide::Mapping::Features);
  }
  if (!halide)
    return {};
  choice.q = tiles.q;
  int64_t step = std::max(lanes, tiles.score.rows);
  return finish(shape, choice, chooseKeys(request, choice.split, step), halide,
                error);
}

static attn::ScheduleAttr makeSchedule(const KernelShape &shape,
                                       const Target &target,
                                       const HalideRequest &request,
                                       Choice choice, std::string &error) {
  int64_t q = choice.q;
  int64_t lanes = shape.lanes(target);
  // With one vector twice as many rows keep the units busy.
  int64_t rows = 4;
  if (registersOf({2 * rows, 2}, target) <= availableRegisters(target))
    rows *= 2;
  int64_t vectors = q % (2 * lanes) == 0 ? 2 : 1;
  if (q == lanes && !request.q)
    rows *= 2;
  RegisterTile tile{rows, vectors};
  // The code of a formula of elements stands once for each accumulator.
  bool isOfFormulas = llvm::any_of(shape.kernel.getSums(),
                                   [](const auto &sum) { return sum.pair; });
  RegisterTile one;
  RegisterTile score = request.score.value_or(isOfFormulas ? one : tile);
  RegisterTile value =
      request.value.value_or(shape.kernel.hasValue() ? one : tile);
  auto halide = ::attnc::halide::ScheduleAttr::get(
      shape.kernel->getContext(), lanes, {score.rows, score.vectors},
      {value.rows, value.vectors}, ::attnc::halide::Mapping::Rows);
  int64_t k = chooseKeys(request, choice.split, score.rows);
  if (choice.chunk && !request.k)
    k = int64_t(llvm::alignTo(q, score.rows));
  return finish(shape, choice, k, halide, error);
}

static bool readsTable(Value value) {
  Operation *op = value.getDefiningOp();
  return op &&
         (isa<attn::ReadOp>(op) || llvm::any_of(op->getOperands(), readsTable));
}

/// Why form chunked is not legal, words that follow "because"; or nothing.
static std::string whyNotChunked(const KernelShape &shape) {
  if (!shape.factors)
    return shape.whyNoFactors;
  const ScoreFactors::Causal &causal = shape.factors->causal;
  if (readsTable(causal.low) || readsTable(causal.high))
    return "which keys a query sees depends on a table, which bounds of "
           "Halide's loops cannot read";
  return {};
}

SmallVector<attn::ScheduleAttr>
HalideStrategy::makeCandidates(const KernelShape &shape, const Target &target,
                               StringRef text, std::string &error) const {
  std::optional<HalideRequest> request =
      HalideRequest::parse(text, target.kind, error);
  if (!request)
    return {};
  int64_t lanes = shape.lanes(target);
  if (request->lanes && *request->lanes != lanes) {
    error = llvm::formatv(
        "the schedule has lanes = {0}, but {1} has {2} for this kernel",
        *request->lanes, target.name, lanes);
    return {};
  }
  std::string whyNot = whyNotChunked(shape);
  if (request->chunk && !request->form && !whyNot.empty()) {
    error = llvm::formatv("invalid schedule: chunk = {0} does not apply, "
                          "because {1}; remove it",
                          *request->chunk, whyNot);
    return {};
  }
  // One vector of queries is a third slower per query, so not beside others.
  bool isFew = shape.mostQueries > 0 && shape.mostQueries <= lanes;
  SmallVector<attn::ScheduleAttr> candidates;
  using ::attnc::halide::Mapping;
  using Form = attn::ScheduleForm;
  auto add = [&](attn::ScheduleForm form, int64_t q, int64_t split,
                 int64_t chunk) {
    bool isRequested =
        request->form.value_or(form) == form &&
        request->mapping.value_or(Mapping::Rows) == Mapping::Rows;
    if (isRequested && error.empty())
      if (attn::ScheduleAttr made = makeSchedule(
              shape, target, *request, {form, q, split, chunk}, error))
        candidates.push_back(made);
  };
  // A request of either excludes form rows, and so do long keys of few queries,
  // as threads do not show in the cost.
  SmallVector<int64_t> splits = listSplits(
      shape, lanes, request->k.value_or(kKeysOfBlock), request->split);
  // A requested chunk without a form is one for form chunked; with another
  // form it is a problem of the attribute, as is split with form chunked.
  bool mayBeRows = request->form || (splits.front() == 0 && !request->chunk);
  bool mayBeOnline = request->form || !request->chunk;
  bool mayBeChunked = request->form || request->chunk ||
                      (whyNot.empty() && request->split.value_or(0) == 0);
  int64_t noChunk = request->chunk.value_or(0);
  auto queriesOf = [&](int64_t vectors) -> SmallVector<int64_t> {
    if (request->q)
      return {*request->q};
    if (isFew)
      return {lanes, vectors * lanes};
    return {vectors * lanes};
  };
  if (mayBeRows)
    for (int64_t q : queriesOf(2))
      add(attn::ScheduleForm::Rows, q, request->split.value_or(0), noChunk);
  for (int64_t q : queriesOf(4)) {
    for (int64_t split : splits)
      if (mayBeOnline)
        add(attn::ScheduleForm::Online, q, split, noChunk);
    if (mayBeChunked)
      for (int64_t chunk : chunksOf(shape, request->chunk))
        add(attn::ScheduleForm::Chunked, q, request->split.value_or(0), chunk);
  }
  // Preferred only if they are faster. Tiles are others there.
  bool mayBeFeatures = request->mapping == Mapping::Features;
  if (!request->mapping && !request->score && !request->value)
    mayBeFeatures = mayBeOnline && isForFeatures(shape) &&
                    request->form.value_or(Form::Online) == Form::Online;
  for (int64_t split : splits)
    if (mayBeFeatures && error.empty())
      if (attn::ScheduleAttr made = makeFeatureSchedule(
              shape, target, *request,
              {request->form.value_or(Form::Online), 0, split, noChunk}, error))
        candidates.push_back(made);
  if (!error.empty())
    return {};
  return candidates;
}

std::string HalideStrategy::explain(const KernelShape &shape,
                                    attn::ScheduleAttr schedule) const {
  if (std::string whyNot = whyNotChunked(shape);
      shape.factors && !whyNot.empty())
    return "linear attention is quadratic, not chunked, because " + whyNot;
  return explainWhole(shape, targetOf(schedule).getLanes(), schedule);
}

std::string HalideStrategy::findMismatch(const KernelShape &shape,
                                         const Target &target,
                                         attn::ScheduleAttr schedule) const {
  ::attnc::halide::ScheduleAttr halide = targetOf(schedule);
  if (!halide) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "has a schedule for " << schedule.getTarget()
        << ", expected #halide.schedule<...>";
    return text;
  }
  if (halide.getLanes() != shape.lanes(target))
    return llvm::formatv(
        "is scheduled for lanes = {0}, but {1} has {2} of {3} bits",
        halide.getLanes(), target.name, shape.lanes(target),
        shape.accumulateBits);
  return {};
}

std::string HalideStrategy::findProblem(const KernelShape &shape,
                                        const Target &target,
                                        attn::ScheduleAttr schedule) const {
  constexpr int64_t mostQueries = 256;
  ::attnc::halide::ScheduleAttr halide = targetOf(schedule);
  int64_t lanes = halide.getLanes(), q = schedule.getQ(), k = schedule.getK();
  if (schedule.getForm() == attn::ScheduleForm::Chunked)
    if (std::string whyNot = whyNotChunked(shape); !whyNot.empty())
      return "form = chunked does not apply, because " + whyNot +
             "; use form = online";
  if (schedule.getChunk() > kMostKeys)
    return llvm::formatv("chunk = {0} is not within 1 .. {1}",
                         schedule.getChunk(), kMostKeys);
  if (schedule.getWeights())
    return "the Halide backend does not use 'weights'; remove it";
  if (k > kMostKeys)
    return llvm::formatv("k = {0} is not within 1 .. {1}", k, kMostKeys);
  if (halide.hasFeatureLanes())
    return findFeatureProblem(shape, target, schedule);
  if (q % lanes != 0 || q > mostQueries)
    return llvm::formatv("q = {0} is not a multiple of the {1} lanes of {2}; "
                         "legal values: {1}, {3}, ..., {4}",
                         q, lanes, target.name, 2 * lanes, mostQueries);
  for (auto [name, tile] : {std::pair<StringRef, ArrayRef<int64_t>>(
                                "score_tile", halide.getScoreTile()),
                            {"value_tile", halide.getValueTile()}}) {
    if ((q / lanes) % tile[1] != 0)
      return llvm::formatv("{0} has {1} vectors of queries, which do not "
                           "divide the {2} of a block",
                           name, tile[1], q / lanes);
    int64_t needed = registersOf({tile[0], tile[1]}, target);
    if (needed > availableRegisters(target))
      return llvm::formatv("{0} = [{1}, {2}] needs {3} registers, {4} has {5}",
                           name, tile[0], tile[1], needed, target.name,
                           availableRegisters(target));
  }
  if (schedule.getForm() != attn::ScheduleForm::Rows &&
      k % halide.getScoreTile()[0] != 0)
    return llvm::formatv("k = {0} is not a multiple of the {1} keys of "
                         "score_tile",
                         k, halide.getScoreTile()[0]);
  return {};
}

/// Vector operations of a pair beside the products, weighted as in
/// KernelShape.h. Nothing is hoisted, and masks are evaluated everywhere.
static double operationsOfPair(const KernelShape &shape) {
  const ElementCosts &costs = shape.costs;
  double operations = costs.score + costs.scoreDistance + costs.scoreKey +
                      costs.mask + costs.maskDistance + costs.maskKey +
                      costs.weight;
  for (auto [number, formula] : llvm::enumerate(shape.sums))
    if (formula)
      operations +=
          double(number ? shape.productDims[number - 1] : shape.headDim) *
          (formula->vector + formula->scalar);
  if (shape.value)
    operations +=
        double(shape.valueDim) * (shape.value->vector + shape.value->scalar);
  return operations;
}

/// Features of a pair's products, weighted by how much longer they take than
/// with tiles that keep the units busy: each sum waits for its own last one.
static double featuresOfPair(const KernelShape &shape, const Target &target,
                             ::attnc::halide::ScheduleAttr halide) {
  auto waiting = [&](ArrayRef<int64_t> tile) {
    return std::max(1.0, double(accumulatorsInFlight(target)) /
                             double(tile[0] * tile[1]));
  };
  double value = double(shape.valueDim);
  return (double(shape.allDims()) - value) * waiting(halide.getScoreTile()) +
         value * waiting(halide.getValueTile());
}

/// Cycles to make the states before all chunks but the last, and to start
/// blocks from them; `products` are cycles of a product of each lane.
static double costOfStates(const KernelShape &shape,
                           attn::ScheduleAttr schedule, RegimeRanges &ranges,
                           int64_t lanes, double products) {
  constexpr double perKey = 20, perVector = 6, perColumn = 8;
  double chunk = double(schedule.getChunk());
  double vectors = std::ceil(double(shape.headDim) / double(lanes));
  double columns = double(shape.valueDim) + 1;
  double keys = std::max<double>(double(ranges.getKeys()) - 1, 0);
  double formula = 0;
  if (shape.sums.front())
    formula = shape.sums.front()->vector + shape.sums.front()->scalar;
  double made = std::floor(keys / chunk) *
                (chunk * vectors * columns * products +
                 chunk * (perKey + (perVector + formula) * vectors) +
                 vectors * columns * perColumn);
  double queries = std::max<double>(1, double(ranges.getQueries()));
  double rows = std::ceil(queries / double(schedule.getQ())) *
                double(schedule.getQ() / lanes);
  double started =
      rows * double(shape.headDim) * (columns * products + perVector + formula);
  return made / double(shape.sharing) + started;
}

Cost HalideStrategy::predictCost(const KernelShape &shape, const Target &target,
                                 attn::ScheduleAttr schedule,
                                 RegimeRanges &ranges) const {
  // Shares of the peak that products have, cycles of an operation over those
  // of the instruction, and cycles of converting a 16-bit element of K or V for
  // a register tile; by measurements, docs/stages/halide.md.
  constexpr double shareOfRows = 0.74, shareOfOnline = 0.75, shareBeyond = 0.32;
  constexpr double slowdown = 1.7, perConversion = 1.75;
  bool isRows = schedule.getForm() == attn::ScheduleForm::Rows;
  // Form online visits whole blocks of keys, smaller ones where it masks.
  int64_t step = targetOf(schedule).getPartialStep(schedule.getK());
  bool isChunked = usesStates(shape, schedule, ranges);
  double pairs = countVisitedPairs(schedule.getQ(), isRows ? 1 : step, ranges,
                                   isChunked ? schedule.getChunk() : 0);
  double rowPairs = ranges.getNeededPairs();
  double queries = std::max<double>(1, ranges.getQueries());
  double share = !isRows ? shareOfOnline
                 : rowPairs / queries <=
                         double(kMostKeysOfRows(shape, target, schedule.getQ()))
                     ? shareOfRows
                     : shareBeyond;
  double peak = target.unitFor(shape.accumulateType()).flopsPerCycle;
  double vectors = pairs / double(shape.lanes(target));
  double narrow =
      double(shape.keyBits < shape.accumulateBits ? shape.headDim : 0) +
      double(shape.valueBits < shape.accumulateBits ? shape.valueDim : 0);
  Cost cost;
  bool overFeatures = targetOf(schedule).hasFeatureLanes();
  cost.products = overFeatures
                      ? costOfFeatures(shape, target, schedule, pairs)
                      : 2 * pairs *
                            featuresOfPair(shape, target, targetOf(schedule)) /
                            (peak * share);
  cost.weights =
      vectors *
      (slowdown * operationsOfPair(shape) / operationsPerCycle(target) +
       perConversion * narrow / double(targetOf(schedule).getScoreTile()[1]));
  if (isChunked)
    cost.states =
        costOfStates(shape, schedule, ranges, shape.lanes(target),
                     2 * double(shape.lanes(target)) / (peak * share));
  // Transposed queries, and states that are stored and merged.
  double parts = countParts(schedule, ranges);
  cost.overhead = 1 + (parts - 1) * 2 * double(shape.allDims()) *
                          std::ceil(queries / double(schedule.getQ())) *
                          double(schedule.getQ()) / double(shape.lanes(target));
  if (isForFeatures(shape))
    cost.memory =
        waitForKeys(shape, target, schedule, ranges, pairs, cost.total());
  double needed = 2 * rowPairs * double(shape.allDims()) / peak;
  cost.peakFraction = needed / cost.total();
  cost.visitedPairs = pairs;
  VisitedTiles tiles =
      countVisitedTiles(schedule.getQ(), schedule.getK(), ranges);
  bool masksAll = isRows && tiles.skipped + tiles.partial > 0;
  cost.skippedTiles = tiles.skipped;
  cost.partialTiles = masksAll ? tiles.visited() : tiles.partial;
  cost.fullTiles = masksAll ? 0 : tiles.full;
  return cost;
}

attn::BlockAttr HalideStrategy::chooseBlock(Operation *op,
                                            const Target &target) const {
  MLIRContext *context = op->getContext();
  int64_t lanes = target.unitFor(DType::F32).rows;
  auto halide = ::attnc::halide::ScheduleAttr::get(
      context, lanes, {1, 1}, {1, 1}, ::attnc::halide::Mapping::Rows);
  return attn::BlockAttr::get(context, attn::BlockForm::Element, /*lanes=*/"",
                              /*rows=*/"", /*q=*/lanes, /*k=*/1, halide);
}

std::string HalideStrategy::findProblem(Operation *, attn::BlockAttr block,
                                        const Target &) const {
  if (!isa<::attnc::halide::ScheduleAttr>(block.getTarget()))
    return "its target is not #halide.schedule";
  return {};
}

const Strategy &getStrategy() {
  static const HalideStrategy strategy;
  return strategy;
}

} // namespace attnc::schedule::halide
