//===- CpuSchedule.cpp - A CPU schedule as values -------------------------===//
//
// Each rule says what it got and what is legal, for it is read by someone who
// edited a dump or wrote --schedule.
// Tests: test/Schedule/verify-scheduled.mlir
//
//===----------------------------------------------------------------------===//

#include "Cpu/CpuSchedule.h"

#include "Quantized/ConvertOnLoad.h"

#include "attnc/Analysis/Kernel/ComparedScores.h"
#include "attnc/Analysis/Kernel/ViewDigits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;
using namespace attnc::schedule::cpu;

attn::ScheduleAttr
CpuSchedule::toAttr(MLIRContext *context, StringRef isa, int64_t lanes,
                    function_ref<InFlightDiagnostic()> emitError) const {
  int64_t scoreGranule[] = {score.rows, score.vectors};
  int64_t valueGranule[] = {value.rows, value.vectors};
  auto cpu = tile::CpuAttr::getChecked(
      emitError, context, *tile::symbolizeCpuIsa(isa), mapping, lanes,
      ArrayRef(scoreGranule), ArrayRef(valueGranule), unroll, tail, laneSkip,
      pack, partial, featureRows, unit, bf16Terms);
  if (!cpu)
    return {};
  return attn::ScheduleAttr::getChecked(
      emitError, context, form, q, k, chunk, split, attn::RowAxes::Q,
      llvm::APFloat(rescaleThreshold), rescaleIn, weights,
      tile::TargetAttrInterface(cpu));
}

CpuSchedule CpuSchedule::of(attn::ScheduleAttr attr) {
  auto cpu = cast<tile::CpuAttr>(attr.getTarget());
  CpuSchedule s;
  s.form = attr.getForm();
  s.q = attr.getQ();
  s.k = attr.getK();
  s.chunk = attr.getChunk();
  s.split = attr.getSplit();
  s.rescaleThreshold = attr.getRescaleThreshold().convertToDouble();
  s.rescaleIn = attr.getRescaleIn();
  s.weights = attr.getWeights();
  s.score = {cpu.getScoreGranule()[0], cpu.getScoreGranule()[1]};
  s.value = {cpu.getValueGranule()[0], cpu.getValueGranule()[1]};
  s.mapping = cpu.getMapping();
  s.featureRows = cpu.getFeatureRows();
  s.unroll = cpu.getUnroll();
  s.tail = cpu.getTail();
  s.partial = cpu.getPartial();
  s.laneSkip = cpu.getLaneSkip();
  s.pack = cpu.getPack();
  s.unit = cpu.getUnit();
  s.bf16Terms = cpu.getBf16Terms();
  return s;
}

bool CpuSchedule::isPipelined(const KernelShape &shape, int64_t lanes) const {
  constexpr int64_t elements = 32; // in a row of a register
  auto fill = [&](int64_t features) { return features % elements == 0; };
  if (unit != tile::CpuUnit::Matrix || form != attn::ScheduleForm::Online)
    return false;
  return q <= 2 * lanes ||
         (transposesValues() && q % (2 * lanes) == 0 && shape.keyBits == 16 &&
          (packsKeys() || fill(shape.headDim)) &&
          llvm::all_of(shape.productDims, fill));
}

int64_t cpu::tileBytes(const KernelShape &shape, const CpuSchedule &schedule) {
  int64_t width = shape.allDims();
  return shape.accumulateBytes() *
         (schedule.q * (width + schedule.k) + schedule.k * width);
}

static std::string findGranuleProblem(StringRef name, RegisterTile tile,
                                      int64_t blockVectors,
                                      const Target &target) {
  if (blockVectors % tile.vectors != 0)
    return llvm::formatv("{0} has {1} vectors of queries, which do not divide "
                         "the {2} of a block",
                         name, tile.vectors, blockVectors);
  int64_t registers = registersOf(tile, target);
  if (registers <= target.cpu.vectorRegisters)
    return {};
  int64_t most =
      (target.cpu.vectorRegisters - (registers - tile.accumulators())) /
      tile.vectors;
  if (most < 1)
    return llvm::formatv("{0} = [{1}, {2}] needs {3} registers, {4} has {5}; "
                         "use fewer vectors",
                         name, tile.rows, tile.vectors, registers, target.name,
                         target.cpu.vectorRegisters);
  return llvm::formatv(
      "{0} = [{1}, {2}] needs {3} registers, {4} has {5}; with "
      "{2} vectors at most {6} rows fit",
      name, tile.rows, tile.vectors, registers, target.name,
      target.cpu.vectorRegisters, most);
}

/// c10
static std::string findChunkProblem(const KernelShape &shape,
                                    const CpuSchedule &s) {
  constexpr int64_t mostKeys = 4096;
  if (s.form != attn::ScheduleForm::Chunked)
    return {};
  if (!shape.factors)
    return "form = chunked does not apply, because " + shape.whyNoFactors +
           "; use form = online";
  if (s.chunk < 1 || s.chunk > mostKeys)
    return llvm::formatv("chunk = {0} is not within 1 .. {1}", s.chunk,
                         mostKeys);
  return {};
}

const Unit *cpu::findPairUnit(const Target &target, tile::CpuUnit unit,
                              DType operand) {
  if (unit == tile::CpuUnit::Fma)
    return nullptr;
  UnitKind kind =
      unit == tile::CpuUnit::Dot ? UnitKind::DotProduct : UnitKind::Matrix;
  return target.findUnit(kind, operand,
                         operand == DType::I8 ? DType::I32 : DType::F32);
}

/// Whether a formula of the kernel may give a number for a NaN.
static bool hidesNan(attn::KernelOp kernel) {
  return kernel
      ->walk([](Operation *op) {
        return isa<arith::CmpFOp, arith::MaxNumFOp, arith::MinNumFOp,
                   arith::FPToSIOp, arith::FPToUIOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

PairedProducts cpu::findPairedProducts(const KernelShape &shape,
                                       const Target &target,
                                       const CpuSchedule &s) {
  attn::KernelOp kernel = shape.kernel;
  auto isBf16 = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getElementType().isBF16();
  };
  // Of the kernel's own operands, whose terms a grid stores. A NaN in the state
  // tells of infinities, which are no sums of terms.
  bool showsNan = !kernel.getRow() && !kernel.getDense() && !hidesNan(kernel);
  // Operands of f32 have two terms, 16 bits, where results are rounded to 8.
  // So do those that the kernel computes: weights, and states.
  bool splitsF32 = s.unit == tile::CpuUnit::Matrix && s.bf16Terms > 1 &&
                   kernel.getV() && !shape.value && isBf16(kernel.getV()) &&
                   isBf16(kernel.getO());
  bool isChunked = s.form == attn::ScheduleForm::Chunked;
  auto isSplit = [&](Value tensor) {
    Type element = getElementTypeOrSelf(tensor);
    return s.bf16Terms > 1 && showsNan &&
           (element.isF16() || (splitsF32 && isChunked && element.isF32()));
  };
  const Unit *ofBf16 = findPairUnit(target, s.unit),
             *ofIntegers = findPairUnit(target, s.unit, DType::I8);
  PairedProducts paired;
  bool mayPair = shape.accumulateBits == 32 && (!isChunked || splitsF32);
  for (const attn::KernelOp::Sum &sum : kernel.getSums()) {
    auto [q, k] = sum.rows.front();
    const Unit *unit = nullptr;
    bool isFirst = paired.scores.empty();
    if (mayPair && !sum.pair &&
        ((isBf16(q) && isBf16(k)) || (isFirst && isSplit(q) && isSplit(k))))
      unit = ofBf16;
    else if (mayPair && !sum.pair && readsIntegers(q) && readsIntegers(k))
      unit = ofIntegers;
    if (isFirst && unit == ofBf16 && isSplit(k))
      paired.scoreProducts = s.bf16Terms * s.bf16Terms;
    paired.scores.push_back(unit);
  }
  if (!kernel.getV() || !mayPair || shape.value)
    return paired;
  Type rounded = s.weights ? s.weights : kernel.getWeightType();
  if (isBf16(kernel.getV()) && rounded.isBF16())
    paired.value = ofBf16;
  // Those of a softmax are f32 on request only.
  if (splitsF32 && rounded.isF32() && !shape.isSoftmax()) {
    paired.value = ofBf16;
    paired.valueProducts = s.bf16Terms;
  }
  if (splitsF32 && isChunked) {
    paired.states = ofBf16;
    paired.keyStateProducts = s.bf16Terms;
    paired.queryStateProducts = s.bf16Terms * s.bf16Terms - 1;
  }
  // Two terms of weights have 16 bits.
  if (isSplit(kernel.getV()) && kernel.getRoundedWeightType().isF16()) {
    paired.value = ofBf16;
    // Of a softmax all but the product of the last terms.
    paired.valueProducts =
        s.bf16Terms * s.bf16Terms - (shape.isSoftmax() ? 1 : 0);
  }
  return paired;
}

std::string cpu::whyNoPairs(const KernelShape &shape, const Target &target,
                            const CpuSchedule &s) {
  bool hasBf16 = findPairUnit(target, s.unit),
       hasIntegers = findPairUnit(target, s.unit, DType::I8);
  bool ofIntegers =
      hasIntegers && llvm::any_of(shape.kernel.getSums(), [](auto &sum) {
        return readsIntegers(sum.rows.front().first);
      });
  if (!hasBf16 && !ofIntegers)
    return llvm::formatv("{0} has no {1} unit for bf16", target.name,
                         s.unit == tile::CpuUnit::Dot ? "dot-product"
                                                      : "matrix");
  if (s.form == attn::ScheduleForm::Chunked &&
      (s.unit != tile::CpuUnit::Matrix || s.bf16Terms == 1))
    return "form = chunked computes all products in the type of the states, "
           "unless unit = matrix splits them with bf16_terms = 2";
  if (!findPairedProducts(shape, target, s).any())
    return "the kernel has no product of two bf16 operands";
  if (comparesScores(shape.kernel))
    return "kernels of the function compare scores, which must be summed in "
           "one order";
  return {};
}

/// The same of one operand by number, since K may be the same value as V:
/// `name` are keys or values.
static std::string whyNotPackedOperand(const KernelShape &shape,
                                       const CpuSchedule &s, unsigned number,
                                       const Unit *unit, StringRef name) {
  attn::KernelOp kernel = shape.kernel;
  if (s.unit != tile::CpuUnit::Matrix)
    return llvm::formatv("only the matrix unit reads {0} in this layout", name);
  if (s.form == attn::ScheduleForm::Rows)
    return "form = rows has no tiles that read them";
  if (s.mapping == tile::CpuMapping::Features)
    return "mapping = features reads them with features in its lanes";
  if (!unit)
    return llvm::formatv("the matrix unit does not multiply the {0}", name);
  auto [operand, letters] = kernel.getLetteredOperands()[number];
  Value root;
  auto digits = digitsOfOperand(operand, letters, root, /*report=*/false);
  if (readsIntegers(operand))
    return llvm::formatv("the {0} are stored as integers", name);
  if (failed(digits) || hasTable(*digits))
    return llvm::formatv("the {0} are ragged or in pages", name);
  if (letters.contains('g'))
    return llvm::formatv("the {0} differ among the heads of a group", name);
  return {};
}

std::string cpu::whyNotPackedKeys(const KernelShape &shape,
                                  const Target &target, const CpuSchedule &s) {
  return whyNotPackedOperand(shape, s, /*number=*/1,
                             findPairedProducts(shape, target, s).scores[0],
                             "keys");
}

std::string cpu::whyNotTransposed(const KernelShape &shape,
                                  const Target &target, const CpuSchedule &s) {
  constexpr int64_t block = 32;
  attn::KernelOp kernel = shape.kernel;
  if (s.form == attn::ScheduleForm::Chunked)
    return "form = chunked reads values in place for its states";
  std::string why =
      whyNotPackedOperand(shape, s, /*number=*/2,
                          findPairedProducts(shape, target, s).value, "values");
  if (!why.empty())
    return why;
  if (kernel.hasClassify())
    return "the mask has classes of tiles";
  if (s.k % block != 0 || s.partial % block != 0)
    return llvm::formatv("k and partial must be multiples of {0}, got k = {1} "
                         "and partial = {2}",
                         block, s.k, s.partial);
  if (s.split % block != 0)
    return llvm::formatv("split must be a multiple of {0}, got {1}", block,
                         s.split);
  return {};
}

/// c24
static std::string findTermProblem(const KernelShape &shape,
                                   const Target &target, const CpuSchedule &s) {
  if (s.bf16Terms == 1)
    return {};
  attn::KernelOp kernel = shape.kernel;
  PairedProducts paired = findPairedProducts(shape, target, s);
  auto isStored = [](Value tensor) {
    return !getElementTypeOrSelf(tensor).isBF16();
  };
  bool ofScores = paired.scoreProducts > 1 && isStored(kernel.getK()),
       ofValues = paired.valueProducts > 1 && isStored(kernel.getV());
  if (!ofScores && !ofValues && !paired.states && paired.valueProducts == 1)
    return llvm::formatv("bf16_terms = {0} does not apply, because the matrix "
                         "unit computes no product of two f16 operands; use "
                         "bf16_terms = 1",
                         s.bf16Terms);
  if ((ofScores && !s.packsKeys()) || (ofValues && !s.transposesValues()))
    return llvm::formatv("bf16_terms = {0} requires that a grid stores the "
                         "terms of {1}; use pack = {2}",
                         s.bf16Terms,
                         ofScores ? ofValues ? "keys and values" : "keys"
                                  : "values",
                         ofScores ? ofValues ? "both" : "keys" : "transposed");
  return {};
}

/// c16
static std::string findFeatureProblem(const KernelShape &shape,
                                      const Target &target,
                                      const CpuSchedule &s) {
  if (s.mapping != tile::CpuMapping::Features)
    return {};
  if (s.form == attn::ScheduleForm::Chunked)
    return "mapping = features does not apply to form = chunked; use form = "
           "online";
  auto isProduct = [](const auto &formula) { return !formula; };
  if (llvm::none_of(shape.sums, isProduct) && shape.value)
    return "mapping = features does not apply, because scores and values are "
           "sums of formulas, not products; use mapping = rows";
  if (comparesScores(shape.kernel))
    return "mapping = features does not apply, because kernels of the function "
           "compare scores, which must be summed in one order; use mapping = "
           "rows";
  int64_t lanes = shape.lanes(target);
  if (s.q != lanes && s.tail != lanes)
    return llvm::formatv("mapping = features needs blocks of one vector of "
                         "queries; use q = {0} or tail = {0}",
                         lanes);
  return {};
}

std::string cpu::findProblem(const KernelShape &shape, const Target &target,
                             const CpuSchedule &s) {
  constexpr int64_t mostQueries = 1024;
  int64_t lanes = shape.lanes(target);
  if (s.q < lanes || s.q > mostQueries || s.q % lanes != 0) // c4
    return llvm::formatv("q = {0} is not a multiple of the {1} lanes of {2}; "
                         "legal values: {1}, {3}, ..., {4}",
                         s.q, lanes, target.name, 2 * lanes, mostQueries);
  constexpr int64_t mostKeys = 4096, mostUnroll = 64;
  if (s.k < 1 || s.k > mostKeys)
    return llvm::formatv("k = {0} is not within 1 .. {1}", s.k, mostKeys);
  if (s.unroll < 1 || s.unroll > mostUnroll)
    return llvm::formatv("unroll = {0} is not within 1 .. {1}", s.unroll,
                         mostUnroll);
  for (auto [name, tile] :
       {std::pair<StringRef, RegisterTile>("score_granule", s.score),
        {"value_granule", s.value}}) {
    std::string problem =
        findGranuleProblem(name, tile, s.q / lanes, target); // c4, c5
    if (!problem.empty())
      return problem;
  }
  if (s.rescaleThreshold > kMostRescaleThreshold) // c12
    return llvm::formatv("rescale_threshold = {0} is above {1}; the weights of "
                         "a row, up to e ** threshold, would overflow",
                         s.rescaleThreshold, kMostRescaleThreshold);
  if (s.partial < 1 || s.partial > s.k) // c6
    return llvm::formatv("partial = {0} is not within the {1} keys of a tile",
                         s.partial, s.k);
  if (s.tail < 0 || s.tail > s.q || s.tail % lanes != 0) // c6
    return llvm::formatv("tail = {0} is not a multiple of the {1} lanes up to "
                         "q = {2}; 0 disables it",
                         s.tail, lanes, s.q);
  if (s.form == attn::ScheduleForm::Rows) { // c7
    if (!shape.fixedKeys)
      return "form = rows has all keys in one tile, so kv_len must be fixed "
             "in the spec; use form = online";
    if (*shape.fixedKeys > s.k)
      return llvm::formatv("form = rows has all keys in one tile, but there "
                           "are {0} and k = {1}; use k = {0} or form = online",
                           *shape.fixedKeys, s.k);
  }
  if (std::string problem = findChunkProblem(shape, s); !problem.empty())
    return problem;
  if (std::string problem = findFeatureProblem(shape, target, s);
      !problem.empty())
    return problem;
  if (s.unit != tile::CpuUnit::Fma) { // c17
    std::string why = whyNoPairs(shape, target, s);
    if (!why.empty())
      return llvm::formatv(
          "unit = {0} does not apply, because {1}; use unit = fma",
          tile::stringifyCpuUnit(s.unit), why);
  }
  if (std::string problem = findTermProblem(shape, target, s); !problem.empty())
    return problem;
  std::string whyNotPacked; // c22
  if (s.packsKeys())
    whyNotPacked = whyNotPackedKeys(shape, target, s);
  if (s.transposesValues() && whyNotPacked.empty())
    whyNotPacked = whyNotTransposed(shape, target, s);
  if (!whyNotPacked.empty())
    return llvm::formatv("pack = {0} does not apply, because {1}; use pack = "
                         "auto",
                         tile::stringifyCpuPack(s.pack), whyNotPacked);
  // A kernel with very wide heads has no tile that small: the least is legal.
  CpuSchedule least;
  least.q = lanes;
  least.k = leastKeys;
  int64_t bytes = tileBytes(shape, s);
  int64_t limit = std::max(target.l2Bytes() / 2, tileBytes(shape, least));
  if (bytes > limit) // c8
    return llvm::formatv("tiles of q = {0} and k = {1} take {2} KiB, the limit "
                         "is {3} KiB (half of the L2 of {4}); reduce "
                         "either",
                         s.q, s.k, bytes / 1024, limit / 1024, target.name);
  return {};
}
