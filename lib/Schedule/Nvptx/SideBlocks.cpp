//===- SideBlocks.cpp - Blocks of ops outside kernels on GPUs -------------===//
//
//   form dot       a product of two matrices (Side/SideChoice.cpp): a block
//                  multiplies q rows of one operand with e of the other, in
//                  steps of k along the sum;
//   form epilogue  a map of what such a product makes, for nobody else;
//   form element   everything else: one element per thread.
//
// The elements of a row of the result are spread over the columns of fragments,
// so the rows of the block (`lanes`) run along another axis than the last one.
// Tests: test/Schedule/Nvptx/products.mlir
//
//===----------------------------------------------------------------------===//

#include "Nvptx/SideBlocks.h"

#include "Side/SideAxes.h"
#include "Side/SideChoice.h"

#include "attnc/Analysis/Regime/Regimes.h"
#include "attnc/Dialect/Attn/Tf32.h"
#include "attnc/Dialect/Tile/Tile.h"
#include "attnc/Interface/Attributes.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc::schedule::nvptx {

/// The multiple of dims in fragments of mma.m16n8k16.
static constexpr int64_t kFragment = 16;

/// The block of a product. On tensor cores 128 x 64 sums take 64 registers of
/// each thread, and tiles of 32 places of the sum, in four stages, 60 KiB of
/// shared memory, so that two or more blocks are resident. Twice as many sums
/// made code of twice the size that ptxas spilled. Sums by fma are slow in any
/// case, so their blocks are small.
namespace {
struct ProductBlock {
  int64_t warps, rows, e, k, stages;

  int64_t q() const { return warps * rows; }
};
} // namespace
static constexpr ProductBlock kTensorCores{4, 32, 64, 32, 4};
/// Places of twice the bytes: as many bytes in half as many places.
static constexpr ProductBlock kTf32{4, 32, 64, 16, 4};
static constexpr ProductBlock kFma{4, 16, 64, 16, 1};

/// What tensor cores may multiply: both f16, both bf16, or both f32 where the
/// function permits tf32.
static bool usesTensorCores(attn::ContractOp op, const Target &target) {
  Type lhs = getElementTypeOrSelf(op.getLhs().getType());
  Type rhs = getElementTypeOrSelf(op.getRhs().getType());
  SmallVector<Type> types{lhs, rhs, getElementTypeOrSelf(op.getType())};
  return lhs == rhs &&
         (lhs.isF16() || lhs.isBF16() ||
          (lhs.isF32() && attn::allowsTf32(op))) &&
         attn::accumulateType(types).isF32() &&
         target.findUnit(UnitKind::Matrix, DType::F16, DType::F32);
}

static bool isOfF32(attn::ContractOp op) {
  return getElementTypeOrSelf(op.getLhs().getType()).isF32();
}

static ProductBlock blockOf(attn::ContractOp op, const Target &target) {
  if (!usesTensorCores(op, target))
    return kFma;
  return isOfF32(op) ? kTf32 : kTensorCores;
}

/// Fewer rows of fragments where the rows are known, or expected, to be few.
static ProductBlock fitRows(ProductBlock block, int64_t rows) {
  while (block.rows > kFragment && block.warps * block.rows / 2 >= rows)
    block.rows /= 2;
  while (block.warps > 1 && block.q() / 2 >= rows)
    block.warps /= 2;
  return block;
}

/// A size in a regime; nothing if the regime does not say all of it.
static std::optional<int64_t> sizeIn(const Regime &regime, Attribute axis) {
  auto text = dyn_cast_if_present<StringAttr>(axis);
  std::string error;
  auto formula = text ? SizeExpr::parse(text.getValue(), error) : std::nullopt;
  if (!formula || !llvm::all_of(formula->sizeNames(), [&](StringRef name) {
        return regime.sizes.contains(name);
      }))
    return std::nullopt;
  return regime.sizeOf(axis);
}

/// Rows of a product, at least and at most.
namespace {
struct RowRange {
  int64_t least, most;
};
} // namespace

/// The rows of a product along a letter: its fixed size, or what `expect`
/// lists. A batch of one is what every spec has by default, so it says nothing
/// of products over the batch, or over the tokens of one.
static RowRange countRows(attn::ContractOp op, char letter, int64_t size) {
  Operation *function = op->getParentOfType<func::FuncOp>();
  if (size != SideAxes::kOpen || !function || !function->hasAttr(kExpectAttr))
    return {size, size};
  attn::Labels labels = op.getAxisLabels();
  Attribute axis;
  for (auto [letters, operand] :
       llvm::zip_first(labels.inputs, op->getOperands()))
    if (std::optional<unsigned> place = attn::axisOf(letters, letter))
      axis = attn::axisSize(operand.getType(), *place);
  RowRange rows{SideAxes::kOpen, 1};
  for (Regime &regime : getRegimes(function, /*interface=*/nullptr)) {
    if (regime.sizes.lookup("batch") == 1)
      for (StringRef name : {"batch", "query_tokens", "kv_tokens"})
        regime.sizes.erase(name);
    int64_t size = sizeIn(regime, axis).value_or(SideAxes::kOpen);
    rows = {std::min(rows.least, size), std::max(rows.most, size)};
  }
  return rows;
}

static tile::NvptxAttr makeTarget(MLIRContext *context, const Target &target,
                                  tile::NvptxMapping mapping, int64_t warps,
                                  int64_t rows, int64_t stages,
                                  bool tf32 = false) {
  return tile::NvptxAttr::get(
      context, *tile::symbolizeNvptxArch(target.name), mapping, warps, rows,
      stages, /*fastExp=*/false, /*sharedRows=*/false, /*overlap=*/false,
      /*producers=*/false, /*pingPong=*/false, tf32, tile::NvptxLoads::Async);
}

/// Masked products read their mask element by element, and stay as they are.
static std::optional<SideChoice> chooseProduct(Operation *op,
                                               const SideAxes &axes) {
  auto contract = dyn_cast<attn::ContractOp>(op);
  if (!contract || contract.getMask() || axes.result.empty())
    return std::nullopt;
  return chooseDot(contract, axes, kFragment, axes.result.back());
}

/// The block of a product of matrices with so many rows.
static attn::BlockAttr makeProduct(attn::ContractOp op,
                                   const SideChoice &product, int64_t rows,
                                   const Target &target) {
  MLIRContext *context = op.getContext();
  ProductBlock block = fitRows(blockOf(op, target), rows);
  bool tf32 = isOfF32(op) && usesTensorCores(op, target);
  return attn::BlockAttr::get(
      context, product.form, product.lanes, product.rows, block.q(), block.k,
      block.e, product.inner, /*visited=*/"",
      makeTarget(context, target, tile::NvptxMapping::Fragment, block.warps,
                 block.rows, block.stages, tf32));
}

SmallVector<attn::CaseAttr> chooseCases(Operation *op, attn::BlockAttr block,
                                        const Target &target) {
  SideAxes axes = SideAxes::of(op);
  std::optional<SideChoice> product = chooseProduct(op, axes);
  if (!product || block.getForm() != attn::BlockForm::Dot)
    return {};
  auto contract = cast<attn::ContractOp>(op);
  char lanes = product->lanes[0];
  RowRange rows = countRows(contract, lanes, axes.sizeOf(lanes));
  attn::BlockAttr least = makeProduct(contract, *product, rows.least, target);
  if (least.getQ() >= block.getQ())
    return {};
  return {attn::CaseAttr::get(op->getContext(), product->lanes, least.getQ(),
                              least)};
}

attn::BlockAttr chooseBlock(Operation *op, const Target &target) {
  MLIRContext *context = op->getContext();
  if (auto map = dyn_cast<attn::MapOp>(op))
    if (attn::BlockAttr block = chooseEpilogue(map))
      return block;
  SideAxes axes = SideAxes::of(op);
  if (std::optional<SideChoice> product = chooseProduct(op, axes)) {
    auto contract = cast<attn::ContractOp>(op);
    char lanes = product->lanes[0];
    RowRange rows = countRows(contract, lanes, axes.sizeOf(lanes));
    return makeProduct(contract, *product, rows.most, target);
  }
  auto nvptx = makeTarget(context, target, tile::NvptxMapping::Thread,
                          /*warps=*/4, /*rows=*/32, /*stages=*/1);
  std::optional<char> lanes = axes.bestLanes(axes.result, nvptx.getBlockRows());
  return attn::BlockAttr::get(
      context, attn::BlockForm::Element,
      lanes ? StringRef(&*lanes, 1) : StringRef(), /*rows=*/"",
      /*q=*/nvptx.getBlockRows(), /*k=*/kFragment, nvptx);
}

/// What a dump may say of a product that no choice comes near.
static std::string findProductProblem(Operation *op, attn::BlockAttr block,
                                      tile::NvptxAttr nvptx,
                                      const Target &target) {
  std::optional<SideChoice> best = chooseProduct(op, SideAxes::of(op));
  if (!best || block.getLanes() != best->lanes || block.getRows() != best->rows)
    return best ? llvm::formatv("form = dot is possible with lanes = '{0}' and "
                                "rows = '{1}' only; use form = element",
                                best->lanes, best->rows)
                : std::string("form = dot requires a product of two matrices "
                              "without a mask; use form = element");
  if (nvptx.getMapping() != tile::NvptxMapping::Fragment)
    return "form = dot requires mapping = fragment";
  auto contract = cast<attn::ContractOp>(op);
  bool mayUseTensorCores = usesTensorCores(contract, target);
  if (nvptx.getTf32() && !(isOfF32(contract) && mayUseTensorCores))
    return "tf32 = true needs operands of f32 and a spec with `precision: "
           "{tf32: true}`; legal is false";
  if (nvptx.getStages() > 1 &&
      !(mayUseTensorCores && nvptx.getTf32() == isOfF32(contract)))
    return "stages above 1 need products on tensor cores; legal "
           "is 1";
  constexpr int64_t most = 256;
  for (auto [name, size] : {std::pair<StringRef, int64_t>("k", block.getK()),
                            {"e", block.getRowsOfBlock()}})
    if (size % kFragment || size > most)
      return llvm::formatv("{0} = {1} is not a multiple of {2} up to {3}", name,
                           size, kFragment, most);
  return {};
}

static std::string findElementProblem(Operation *op, attn::BlockAttr block,
                                      tile::NvptxAttr nvptx) {
  if (!block.getRows().empty() ||
      nvptx.getMapping() != tile::NvptxMapping::Thread)
    return "form = element requires mapping = thread and no rows";
  std::string letters = SideAxes::of(op).result;
  if (!StringRef(letters).contains(block.getLanes()) ||
      block.getLanes().empty() != letters.empty())
    return llvm::formatv("'{0}' is not an axis of the result '{1}'",
                         block.getLanes(), letters);
  return {};
}

std::string findProblem(Operation *op, attn::BlockAttr block,
                        const Target &target) {
  auto nvptx = dyn_cast<tile::NvptxAttr>(block.getTarget());
  if (!nvptx)
    return "its target is not #tile.nvptx";
  if (StringRef arch = tile::stringifyNvptxArch(nvptx.getArch());
      arch != target.name)
    return llvm::formatv("its target must have arch = {0}", target.name);
  if (block.getForm() == attn::BlockForm::Epilogue)
    return findEpilogueProblem(op, block);
  if (block.getQ() != nvptx.getBlockRows())
    return llvm::formatv("q = {0} is not warps * rows = {1}", block.getQ(),
                         nvptx.getBlockRows());
  return block.getForm() == attn::BlockForm::Dot
             ? findProductProblem(op, block, nvptx, target)
             : findElementProblem(op, block, nvptx);
}

} // namespace attnc::schedule::nvptx
