//===- SideBlocks.cpp - Blocks of ops outside kernels ---------------------===//
//
// What no kernel holds is small beside the kernels' work on pairs, or it is
// there because nothing better was found. So nothing is searched: one rule
// gives a block that suits the level's registers.
//
//   form dot       a product of two matrices (Side/SideChoice.cpp);
//   form epilogue  a map of what such a product makes, for nobody else;
//   form element   everything else.
//
// Vectors run along the last axis of the result if it fills them, or a good
// part of one: then rows are loaded and stored in their own layout. Tests:
// test/Schedule/side-ops.mlir, products.mlir, epilogues.mlir
//
//===----------------------------------------------------------------------===//

#include "Cpu/SideBlocks.h"

#include "Cpu/CostModel.h"
#include "Cpu/CpuSchedule.h"
#include "Cpu/InProduct.h"
#include "Cpu/ProductSizes.h"
#include "Quantized/ConvertOnLoad.h"
#include "Side/SideChoice.h"

#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/Cases.h"
#include "attnc/Dialect/Attn/MapFormula.h"
#include "attnc/Dialect/Attn/TileRows.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace attnc::schedule::cpu {

/// Elements of a block along an axis that is not the lanes', and of a step of a
/// sum: rows of 64 floats fill a few lines of cache.
static constexpr int64_t kRows = 64;
static constexpr int64_t kVectors = 4;

/// Elements of the last axis of a result lie side by side, those of another are
/// loaded one by one: a vector that is filled to a quarter is as good.
static std::optional<char> lanesOfElements(Operation *op, const SideAxes &axes,
                                           int64_t lanes) {
  bool movesElements = isa<attn::MapOp, attn::ConcatOp, attn::AppendOp>(op);
  if (movesElements && !axes.result.empty() &&
      axes.sizeOf(axes.result.back()) * 4 >= lanes)
    return axes.result.back();
  return axes.bestLanes(axes.result, lanes);
}

/// Rows of a block of elements run along the largest other axis, but an open
/// one in front of all may be a batch of one: if an axis of known size fills a
/// block, the rows run along that.
static char rowsOfElements(StringRef letters, const SideAxes &axes) {
  char largest = *axes.largest(letters);
  if (largest != axes.result.front() || axes.sizeOf(largest) < SideAxes::kOpen)
    return largest;
  std::optional<char> other = axes.largest(letters.drop_front());
  return other && axes.sizeOf(*other) >= kRows ? *other : largest;
}

static SideChoice choose(Operation *op, const SideAxes &axes, int64_t lanes) {
  if (auto contract = dyn_cast<attn::ContractOp>(op))
    if (auto dot = chooseDotOf(contract, axes, lanes))
      return *dot;
  SideChoice choice;
  if (std::optional<char> lane = lanesOfElements(op, axes, lanes)) {
    choice.lanes = std::string(1, *lane);
    std::string rest = axes.result;
    llvm::erase(rest, *lane);
    if (isa<attn::MapOp, attn::ConcatOp, attn::AppendOp>(op) && !rest.empty())
      choice.rows = std::string(1, rowsOfElements(rest, axes));
  }
  return choice;
}

/// The register tile with the most products per load.
static RegisterTile bestTile(int64_t vectors, const Target &target) {
  RegisterTile best;
  auto gain = [](RegisterTile t) {
    return double(t.accumulators()) / double(t.rows + t.vectors);
  };
  for (int64_t v = 1; v <= vectors; ++v)
    for (int64_t rows = 1; vectors % v == 0 && rows <= 8; ++rows)
      if (RegisterTile tile{rows, v};
          registersOf(tile, target) <= target.cpu.vectorRegisters &&
          gain(tile) > gain(best))
        best = tile;
  return best;
}

/// Vectors of a block along an axis of `length`. Products take a few more at
/// once rather than leave a rest.
static int64_t vectorsOf(attn::BlockForm form, int64_t length, int64_t lanes) {
  int64_t vectors = std::max<int64_t>((length + lanes - 1) / lanes, 1);
  int64_t most = form == attn::BlockForm::Dot ? kVectors + 2 : kVectors;
  return vectors <= most ? vectors : kVectors;
}

/// The type of the operands that a unit may multiply in pairs or fours, or
/// nothing: masked products go one by one.
static std::optional<DType> findPairType(attn::ContractOp op) {
  auto isBf16 = [](Value tensor) {
    return getElementTypeOrSelf(tensor.getType()).isBF16();
  };
  if (getElementTypeOrSelf(op.getType()).isF64() || op.getMask())
    return std::nullopt;
  if (isBf16(op.getLhs()) && isBf16(op.getRhs()))
    return DType::BF16;
  if (readsIntegers(op.getLhs()) && readsIntegers(op.getRhs()))
    return DType::I8;
  return std::nullopt;
}

/// The unit of a block's `unit` for the operands of a product, or null.
static const Unit *unitOf(Operation *op, tile::CpuUnit unit,
                          const Target &target) {
  auto contract = dyn_cast<attn::ContractOp>(op);
  std::optional<DType> type =
      contract ? findPairType(contract) : std::optional<DType>();
  if (!type)
    return nullptr;
  // The matrix unit keeps the whole sum of integers, others each step of it.
  if (*type == DType::I8 && unit == tile::CpuUnit::Matrix) {
    std::optional<int64_t> sum = attn::fixedSumOf(contract);
    if (!sum || *sum > mostProductsOf8Bits)
      return nullptr;
  }
  return findPairUnit(target, unit, *type);
}

/// The units that may compute a contraction.
static SmallVector<tile::CpuUnit> unitsFor(Operation *op,
                                           const Target &target) {
  SmallVector<tile::CpuUnit> units{tile::CpuUnit::Fma};
  for (tile::CpuUnit unit : {tile::CpuUnit::Dot, tile::CpuUnit::Matrix})
    if (unitOf(op, unit, target))
      units.push_back(unit);
  return units;
}

/// The unit that computes a block of a product in the fewest cycles; of two
/// that take as many the one that converts nothing. Lengths that are known at
/// run time only fill their blocks.
static tile::CpuUnit chooseUnit(Operation *op, const SideAxes &axes,
                                const SideChoice &choice, RegisterTile tile,
                                int64_t vectors, const Target &target) {
  constexpr int64_t unroll = 4;
  int64_t rows = std::min(axes.sizeOf(choice.rows[0]), kMostRows);
  int64_t depth = std::min(axes.sizeOf(choice.summed), kMostPlaces);
  auto cyclesOf = [&](tile::CpuUnit unit) {
    return unit == tile::CpuUnit::Matrix
               ? matrixCycles(double(rows), double(depth), double(vectors),
                              /*products=*/1, *unitOf(op, unit, target))
               : productCycles(tile, double(rows), double(depth),
                               double(vectors), unroll, target, /*waiting=*/0,
                               unitOf(op, unit, target));
  };
  tile::CpuUnit best = tile::CpuUnit::Fma;
  for (tile::CpuUnit unit : unitsFor(op, target))
    if (cyclesOf(unit) <= cyclesOf(best))
      best = unit;
  return best;
}

namespace {
/// What the blocks of an op depend on.
struct SideShape {
  SideAxes axes;
  unsigned bits; // of what it computes in
  int64_t lanes;
  SideChoice choice;
  int64_t length = 1; // along the lanes
  int64_t vectors;

  SideShape(Operation *op, const Target &target)
      : axes(SideAxes::of(op)), bits(accumulatedBits(op)),
        lanes(target.cpu.lanes(bits)), choice(choose(op, axes, lanes)) {
    if (!choice.lanes.empty())
      length = axes.sizeOf(choice.lanes[0]);
    vectors = vectorsOf(choice.form, length, lanes);
    if (choice.form == attn::BlockForm::Element && !choice.lanes.empty() &&
        liesAcross(op, choice.lanes[0]))
      vectors = 1;
  }

  bool isDot() const { return choice.form == attn::BlockForm::Dot; }
  int64_t rows() const { return axes.sizeOf(choice.rows[0]); }

private:
  static unsigned accumulatedBits(Operation *op) {
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    return attn::accumulateType(types).getIntOrFloatBitWidth();
  }
};

/// The sizes of a block, and what computes it.
struct SideSizes {
  RegisterTile tile = {};
  int64_t q = 0, k = 0, e = 0, partial = 0;
  tile::CpuPack pack = tile::CpuPack::Auto;
  tile::CpuUnit unit = tile::CpuUnit::Fma;
};
} // namespace

static attn::BlockAttr makeBlock(MLIRContext *context, const Target &target,
                                 const SideShape &shape,
                                 const SideSizes &sizes) {
  bool tail = shape.vectors > 1 && sizes.q > shape.lanes &&
              (shape.length == SideAxes::kOpen ||
               shape.length % (shape.vectors * shape.lanes) != 0);
  SmallVector<int64_t> granule{sizes.tile.rows, sizes.tile.vectors};
  auto cpu = tile::CpuAttr::get(
      context, *tile::symbolizeCpuIsa(target.cpu.isa), tile::CpuMapping::Rows,
      shape.lanes, granule, granule, /*unroll=*/4,
      /*tail=*/tail ? shape.lanes : 0, /*laneSkip=*/false, sizes.pack,
      sizes.partial, /*feature_rows=*/0, sizes.unit, /*bf16_terms=*/1);
  const SideChoice &choice = shape.choice;
  return attn::BlockAttr::get(context, choice.form, choice.lanes, choice.rows,
                              sizes.q, sizes.k, sizes.e, choice.inner,
                              /*visited=*/"", cpu);
}

/// A call with so few rows copies what lies along the lanes for nothing: each
/// element is used once per row. Read in place, in blocks so long that memory
/// is read along its pages, it comes at the rate of memory: 16384 x 7168 in f32
/// by one row, Zen 5, 6 GB/s by copies of 64 columns, 15 of 18 in place.
static constexpr int64_t kMostStreamed = 8;
/// Rows of such a block, one register tile if it may have them; of a sum the
/// places that as many rows of memory have.
static constexpr int64_t kStreamedRows = 4, kStreamedPlaces = 8;

/// Weights of [out, in] are read in squares of registers, one row of the weight
/// per lane, that are transposed. One vector of lanes is as many streams as the
/// prefetcher follows: one row by 8192 x 7168, f32, Zen 4, 11 GB/s by copies of
/// 64 rows, 14 by 16 rows at once (as [in, out]), 7 by 32, 1.4 by 64. Squares
/// of fewer than 16 lanes are not taken for bf16, nor any for f16: those were
/// measured with other code, which read pairs of them.
static bool canBeTurned(const SideShape &shape) {
  Type element = getElementTypeOrSelf(shape.choice.onLanes.getType());
  bool isWidened = element.isBF16() && shape.bits == 32 && shape.lanes >= 16;
  return isWidened ||
         (shape.lanes >= 4 && element.getIntOrFloatBitWidth() == shape.bits);
}

/// The longest block that divides the axis of the lanes into vectors of a
/// register tile.
static int64_t longestBlock(const SideShape &shape) {
  constexpr int64_t longest = 1024;
  int64_t tile = kVectors * shape.lanes;
  for (int64_t size = longest / tile * tile; size > tile; size -= tile)
    if (shape.length % size == 0)
      return size;
  return tile;
}

/// The sizes of blocks of which each element along the lanes is read once, if
/// that is better for calls with at most `kMostStreamed` rows.
static std::optional<SideSizes>
sizesOfStreams(Operation *op, const SideShape &shape, const Target &target) {
  if (!shape.isDot() || !isAlone(cast<attn::ContractOp>(op)))
    return std::nullopt;
  int64_t rows = std::clamp<int64_t>(shape.rows(), 1, kStreamedRows);
  SideSizes sizes;
  sizes.e = rows;
  sizes.pack = tile::CpuPack::Never;
  if (shape.choice.inPassing == InPassing::Along) {
    sizes.q = longestBlock(shape);
    sizes.k = kStreamedPlaces;
    sizes.tile = bestTile(shape.vectors, target);
    sizes.tile.rows = std::min(sizes.tile.rows, rows);
  } else if (shape.choice.inPassing == InPassing::Across &&
             canBeTurned(shape)) {
    sizes.tile = {rows, 1};
    sizes.q = sizes.k = shape.lanes;
  } else {
    return std::nullopt;
  }
  sizes.partial = sizes.k;
  return sizes;
}

/// Rows of a block on the matrix unit whose sum has short steps, such as one
/// per head: each loads and stores all sums. 1024 x 12 x 64 x 768: 1.45 ms with
/// 576 rows, 1.37 with 288, 1.29 with 192, 1.28 with 128.
static constexpr int64_t kRowsOfShortSteps = 192, kShortStep = 128;

/// Whether a sum has a step for each place of several axes.
static bool sumsSeveralAxes(attn::ContractOp op) {
  attn::Labels labels = op.getAxisLabels();
  int64_t count = 0;
  for (auto [axis, letter] : llvm::enumerate(labels.inputs[0])) {
    auto size = dyn_cast_if_present<IntegerAttr>(
        attn::axisSize(op.getLhs().getType(), unsigned(axis)));
    count += !labels.output.contains(letter) && !(size && size.getInt() == 1);
  }
  return count > 1;
}

/// The sizes of other blocks of a product of matrices.
static SideSizes sizesOfProduct(Operation *op, const SideShape &shape,
                                const Target &target) {
  RegisterTile tile = bestTile(shape.vectors, target);
  tile::CpuUnit unit =
      chooseUnit(op, shape.axes, shape.choice, tile, shape.vectors, target);
  bool alone = isAlone(cast<attn::ContractOp>(op));
  int64_t sum = shape.axes.sizeOf(shape.choice.summed);
  auto sizesWith = [&](tile::CpuUnit unit) {
    return ProductSizes(shape.rows(), sum, tile.rows,
                        alone ? kMostPlaces : kMostPlacesBeside,
                        shape.vectors * shape.lanes * shape.bits / 8,
                        unitOf(op, unit, target), target);
  };
  ProductSizes sizes = sizesWith(unit);
  if (findPairType(cast<attn::ContractOp>(op)) == DType::I8 &&
      (readsUnsigned(shape.choice.onLanes) || sum % sizes.step != 0)) {
    unit = tile::CpuUnit::Fma; // which code generation would use
    sizes = sizesWith(unit);
  }
  if (unit == tile::CpuUnit::Matrix && sizes.step <= kShortStep &&
      sumsSeveralAxes(cast<attn::ContractOp>(op)))
    sizes.rows = std::min(sizes.rows, kRowsOfShortSteps);
  // A register tile reads its few rows once, whatever sets of L1 they are in.
  return {tile,       shape.vectors * shape.lanes, sizes.step,
          sizes.rows, /*partial=*/sizes.step,      tile::CpuPack::Never,
          unit};
}

/// The fewest blocks along the columns that wider ones leave.
static constexpr int64_t kLeastBlocks = 6;

/// Rows of a tile on the matrix unit of which the operand along the lanes is
/// loaded once for many tiles. 1024 x 768 x 2304: 3.5 ms with 32, 3.16 with 64,
/// 3.03 with 128, 4.2 with all of a block.
static constexpr int64_t kMatrixTileRows = 128;

/// Columns of such a block, whose rows L1 holds for all of them
/// (Codegen/CPU/Emit/EmitTiles.cpp); fewer where less than `kLeastBlocks` would
/// be left for threads. 1024 x 768 x 2304: 0.95 of the time with 64 columns,
/// the same as with 256.
static constexpr int64_t kMatrixColumns = 128;

/// Sets the sizes of a block on the matrix unit, if half of L2 holds its rows,
/// and returns the rows of a tile; else 0.
static int64_t setMatrixTiles(attn::ContractOp op, const SideShape &shape,
                              int64_t sum, SideSizes &sizes,
                              const Target &target) {
  int64_t operandBytes = findPairType(op) == DType::I8 ? 1 : 2;
  int64_t most =
      std::min(2 * kMostRows, target.l2Bytes() / 2 / (sum * operandBytes));
  most = most / kMatrixTileRows * kMatrixTileRows;
  if (most < kMostRows || shape.rows() <= kMatrixTileRows)
    return 0;
  sizes.e = std::min(shape.rows(), most);
  if (shape.length < SideAxes::kOpen && shape.length % kMatrixColumns == 0 &&
      shape.length / kMatrixColumns >= kLeastBlocks)
    sizes.q = kMatrixColumns;
  return kMatrixTileRows;
}

/// Blocks of fmas whose sums are complete: their operand along the lanes stays
/// in L2, a few rows are read for all of its columns, and sums go to memory
/// once. Sapphire Rapids, 1024 x 768 x 2304, f32, a kernel in C: 79 % of the
/// peak with 64 columns, 288 rows and two steps, whose products alone take 97;
/// 82 with complete sums, 85 with 128 columns and 512 rows, 87 with 256. Tiles
/// of 12 to 48 rows are the same. Shorter sums, and an L2 of less than 2 MB,
/// were not measured. Wider blocks than the least leave several ones for
/// threads.
static constexpr int64_t kColumnsOfFmas = 256, kRowsOfFmas = 512,
                         kRegisterTiles = 4, kLeastSum = 256,
                         kLeastL2 = 2 << 20;

/// Sets the sizes of a block of fmas, if half of L2 holds its columns, and
/// returns the rows of a tile; else 0.
static int64_t setFmaTiles(const SideShape &shape, int64_t sum,
                           SideSizes &sizes, const Target &target) {
  int64_t rows = kRegisterTiles * sizes.tile.rows;
  if (target.l2Bytes() < kLeastL2 || shape.rows() <= rows ||
      shape.length >= SideAxes::kOpen)
    return 0;
  int64_t least = shape.vectors * shape.lanes, columns = 0;
  int64_t most =
      std::min(kColumnsOfFmas, target.l2Bytes() / 2 / (sum * shape.bits / 8));
  for (int64_t size = least; size <= most; size += least)
    if (size == least ||
        (shape.length % size == 0 && shape.length / size >= kLeastBlocks))
      columns = size;
  if (!columns)
    return 0;
  sizes.q = columns;
  sizes.e = std::min(shape.rows(), kRowsOfFmas);
  return rows;
}

/// The rows of a tile of a product that is computed tile by tile of its rows,
/// because its whole sum is known; else 0. Sets the block's sizes.
static int64_t setTiled(Operation *op, const SideShape &shape, SideSizes &sizes,
                        const Target &target) {
  auto contract = cast<attn::ContractOp>(op);
  std::optional<int64_t> sum = attn::fixedSumOf(contract);
  if (!isAlone(contract) || contract.getMask() || !sum || *sum < 2 ||
      *sum > kMostOfBlock)
    return 0;
  int64_t rows = 0;
  if (sizes.unit == tile::CpuUnit::Matrix)
    rows = setMatrixTiles(contract, shape, *sum, sizes, target);
  else if (sizes.unit == tile::CpuUnit::Fma && *sum >= kLeastSum)
    rows = setFmaTiles(shape, *sum, sizes, target);
  if (rows)
    sizes.k = sizes.partial = *sum;
  return rows;
}

/// Columns of a block on the matrix unit whose sum has several steps.
/// The rows of such a block do not fit L2 for the whole sum, so they come from
/// L3 once per block. 1024 x 3072 x 768: 5.8 ms with blocks of 64 columns and
/// 576 rows, 4.9 with 128 columns, 4.1 with 256 and 256 rows; the steps of
/// these, their rows and sums are 0.9 MB.
static constexpr int64_t kWideColumns = 256;

static void setWide(attn::ContractOp op, const SideShape &shape,
                    SideSizes &sizes) {
  int64_t multiple = kVectors * shape.lanes;
  if (!isAlone(op) || sumsSeveralAxes(op) || shape.length <= multiple ||
      sizes.k >= shape.axes.sizeOf(shape.choice.summed))
    return;
  int64_t blocks = llvm::divideCeil(shape.length, kWideColumns);
  sizes.q = llvm::alignTo(llvm::divideCeil(shape.length, blocks), multiple);
  sizes.e = std::min(sizes.e, kMostRows);
}

/// The block of an op by itself; `tileRows`: attn.tile_rows of a product, or 0.
static attn::BlockAttr chooseAlone(Operation *op, const Target &target,
                                   int64_t *tileRows = nullptr) {
  SideShape shape(op, target);
  SideSizes sizes;
  if (!shape.isDot())
    sizes = {bestTile(shape.vectors, target), shape.vectors * shape.lanes,
             kRows, /*e=*/0, /*partial=*/16};
  else if (auto streams = sizesOfStreams(op, shape, target);
           streams && shape.rows() <= kMostStreamed)
    sizes = *streams;
  else
    sizes = sizesOfProduct(op, shape, target);
  int64_t tiled = shape.isDot() ? setTiled(op, shape, sizes, target) : 0;
  if (sizes.unit == tile::CpuUnit::Matrix && !tiled)
    setWide(cast<attn::ContractOp>(op), shape, sizes);
  if (tileRows)
    *tileRows = tiled;
  return makeBlock(op->getContext(), target, shape, sizes);
}

SmallVector<attn::CaseAttr> chooseCases(Operation *op, attn::BlockAttr block,
                                        const Target &target) {
  if (block.getForm() != attn::BlockForm::Dot)
    return {};
  SideShape shape(op, target);
  std::optional<SideSizes> streams = sizesOfStreams(op, shape, target);
  if (!streams || shape.rows() < SideAxes::kOpen)
    return {};
  MLIRContext *context = op->getContext();
  return {attn::CaseAttr::get(context, block.getRows(), kMostStreamed,
                              makeBlock(context, target, shape, *streams))};
}

attn::BlockAttr chooseBlock(Operation *op, const Target &target) {
  if (auto map = dyn_cast<attn::MapOp>(op))
    if (attn::BlockAttr block = chooseEpilogue(map))
      return block;
  int64_t tileRows = 0;
  attn::BlockAttr block = chooseAlone(op, target, &tileRows);
  op->removeAttr(attn::kTileRows); // which an earlier choice may have set
  if (tileRows)
    op->setAttr(attn::kTileRows,
                IntegerAttr::get(IndexType::get(op->getContext()), tileRows));
  return block;
}

std::string explainUnit(Operation *op, attn::BlockAttr block,
                        const Target &target) {
  auto contract = dyn_cast<attn::ContractOp>(op);
  auto cpu = dyn_cast<tile::CpuAttr>(block.getTarget());
  if (!contract || !cpu || unitsFor(op, target).size() == 1)
    return {};
  bool ofIntegers = findPairType(contract) == DType::I8;
  StringRef type = ofIntegers ? "8-bit integers" : "bf16";
  std::string converted = (type + " converted to f32").str();
  std::string unit =
      cpu.getUnit() == tile::CpuUnit::Dot
          ? (ofIntegers ? "dot products of " + type : type + " dot products")
                .str()
      : cpu.getUnit() == tile::CpuUnit::Matrix
          ? (type + " on the matrix unit").str()
          : converted;
  if (block.getForm() != attn::BlockForm::Dot)
    return llvm::formatv("{0}: {1}, element by element, {2}", target.name,
                         contract.getLabels(), unit);
  std::string others;
  for (attn::CaseAttr own : attn::casesOf(op))
    if (cpu.getUnit() != tile::CpuUnit::Fma)
      others +=
          llvm::formatv("; {0} for at most {1} rows", converted, own.getMost());
  return llvm::formatv(
      "{0}: {1}, blocks of {2} x {3} with sums over {4}, {5}{6}", target.name,
      contract.getLabels(), block.getE(), block.getQ(), block.getK(), unit,
      others);
}

static std::string findLetterProblem(attn::BlockAttr block,
                                     const SideAxes &axes) {
  SmallVector<StringRef> letters{block.getLanes(), block.getRows()};
  for (size_t i = 0; i < block.getInner().size(); ++i)
    letters.push_back(block.getInner().substr(i, 1));
  for (StringRef letter : letters)
    if (!StringRef(axes.result).contains(letter))
      return llvm::formatv("'{0}' is not an axis of the result '{1}'", letter,
                           axes.result);
  if (block.getLanes().empty() != axes.result.empty())
    return "vectors must run along an axis of the result if there is one";
  return {};
}

/// c13: sizes that a dump may say.
static std::string findSizeProblem(attn::BlockAttr block, tile::CpuAttr cpu,
                                   const Target &target) {
  for (auto [name, size] : {std::pair<StringRef, int64_t>("q", block.getQ()),
                            {"k", block.getK()},
                            {"e", block.getE()}})
    if (size > kMostOfBlock)
      return llvm::formatv("{0} = {1} is above {2}", name, size, kMostOfBlock);
  for (auto [name, granule] : {std::pair<StringRef, ArrayRef<int64_t>>(
                                   "score_granule", cpu.getScoreGranule()),
                               {"value_granule", cpu.getValueGranule()}}) {
    int64_t registers = registersOf({granule[0], granule[1]}, target);
    if (registers > target.cpu.vectorRegisters)
      return llvm::formatv("{0} = [{1}, {2}] needs {3} registers, {4} has {5}",
                           name, granule[0], granule[1], registers, target.name,
                           target.cpu.vectorRegisters);
  }
  return {};
}

std::string findProblem(Operation *op, attn::BlockAttr block,
                        const Target &target) {
  attn::BlockAttr best = chooseAlone(op, target);
  auto cpu = dyn_cast<tile::CpuAttr>(block.getTarget());
  auto own = cast<tile::CpuAttr>(best.getTarget());
  if (!cpu || cpu.getIsa() != own.getIsa() || cpu.getLanes() != own.getLanes())
    return llvm::formatv("its target must have isa = {0}, lanes = {1}",
                         target.cpu.isa, own.getLanes());
  if (block.getQ() % cpu.getLanes())
    return llvm::formatv("q = {0} is not a multiple of the {1} lanes",
                         block.getQ(), cpu.getLanes());
  if (std::string problem = findSizeProblem(block, cpu, target);
      !problem.empty())
    return problem;
  if (cpu.getUnit() != tile::CpuUnit::Fma && // c17
      block.getForm() != attn::BlockForm::Epilogue &&
      (block.getForm() != attn::BlockForm::Dot ||
       !llvm::is_contained(unitsFor(op, target), cpu.getUnit())))
    return llvm::formatv(
        "unit = {0} requires form = dot, two operands of bf16 or of 8-bit "
        "integers, no mask, and such a unit of {1}; use unit = fma",
        tile::stringifyCpuUnit(cpu.getUnit()), target.name);
  std::string problem = findLetterProblem(block, SideAxes::of(op));
  if (!problem.empty())
    return problem;
  if (auto contract = dyn_cast<attn::ContractOp>(op))
    if (problem = attn::findTileRowsProblem(contract); !problem.empty())
      return (attn::kTileRows + ": " + problem).str();
  if (block.getForm() == attn::BlockForm::Epilogue)
    return findEpilogueProblem(op, block);
  if (block.getForm() == attn::BlockForm::Dot &&
      (best.getForm() != attn::BlockForm::Dot ||
       StringRef(block.getLanes().str() + block.getRows().str())
               .find_first_not_of(best.getLanes().str() +
                                  best.getRows().str()) != StringRef::npos))
    return llvm::formatv("form = dot is possible with lanes = '{0}' and rows = "
                         "'{1}' only, or not at all; use form = element",
                         best.getLanes(), best.getRows());
  return {};
}

} // namespace attnc::schedule::cpu
