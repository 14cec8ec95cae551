//===- SideOps.cpp - Blocks of ops beside the kernels ---------------------===//
//
// What no kernel holds is small beside the kernels' work on pairs, or it is
// there because nothing better was found. So nothing is searched: one rule
// gives a block that suits the level's registers.
//
//   form dot      a product of two matrices: one summed axis, and an axis of
//                 the result from each operand, all of which lie in memory as
//                 axes of their own;
//   form element  everything else.
//
// Vectors lie along the last axis of the result if it fills them: then rows are
// loaded and stored as they lie in memory.
// Tests: test/Schedule/side-ops.mlir
//
//===----------------------------------------------------------------------===//

#include "SideOps.h"

#include "CpuSchedule.h"

#include "attnc/Dialect/Attn/AttnMove.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace attnc::schedule {

bool isSideOp(Operation *op) {
  return isa<attn::ContractOp, attn::MapOp, attn::NormalizeOp, attn::ReduceOp,
             attn::ConcatOp, attn::AppendOp>(op);
}

namespace {
/// The letters of a side op and their sizes.
struct Axes {
  std::string result; // letters along which vectors may lie
  llvm::SmallDenseMap<char, int64_t> sizes; // dynamic ones: kOpen

  static constexpr int64_t kOpen = 1 << 20;

  void add(StringRef letters, Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    for (auto [letter, size] : llvm::zip(letters, type.getShape()))
      sizes[letter] = ShapedType::isDynamic(size) ? kOpen : size;
  }
  int64_t sizeOf(char letter) const { return sizes.lookup(letter); }

  /// The letter that fills vectors best; of equals the last one.
  std::optional<char> bestLanes(StringRef letters, int64_t lanes) const {
    std::optional<char> best;
    for (char letter : letters)
      if (!best ||
          std::min(sizeOf(letter), lanes) >= std::min(sizeOf(*best), lanes))
        best = letter;
    return best;
  }
  std::optional<char> largest(StringRef letters) const {
    std::optional<char> best;
    for (char letter : letters)
      if (!best || sizeOf(letter) >= sizeOf(*best))
        best = letter;
    return best;
  }
};

/// Which axes a block goes along.
struct Choice {
  attn::BlockForm form = attn::BlockForm::Element;
  std::string lanes, rows;
};
} // namespace

static std::string pick(StringRef letters,
                        llvm::function_ref<bool(char)> keep) {
  std::string kept;
  llvm::copy_if(letters, std::back_inserter(kept), keep);
  return kept;
}

static Axes axesOf(Operation *op) {
  Axes axes;
  if (auto normalize = dyn_cast<attn::NormalizeOp>(op)) {
    axes.add(normalize.getLabels(), normalize.getScores());
    axes.result = normalize.getRowLabels();
    return axes;
  }
  if (auto reduce = dyn_cast<attn::ReduceOp>(op)) {
    axes.add(reduce.getLabels(), reduce.getScores());
    axes.result = reduce.getRowLabels();
    return axes;
  }
  if (auto append = dyn_cast<attn::AppendOp>(op)) {
    // A block is of one place of `at`: its rows follow each other.
    axes.add(append.getLabels(), append.getRows());
    axes.result = pick(append.getLabels(), [&](char l) {
      return !append.getAtLabels().contains(l);
    });
    return axes;
  }
  attn::Labels labels;
  if (auto contract = dyn_cast<attn::ContractOp>(op)) {
    labels = contract.getAxisLabels();
    axes.add(labels.inputs[0], contract.getLhs());
    axes.add(labels.inputs[1], contract.getRhs());
  } else {
    auto map = dyn_cast<attn::MapOp>(op);
    labels =
        map ? map.getAxisLabels() : cast<attn::ConcatOp>(op).getAxisLabels();
    axes.add(labels.output, op->getResult(0));
  }
  axes.result = labels.output.str();
  return axes;
}

/// Whether an axis of a tensor is an axis of the memory behind it: views only
/// move it, and no table says where rows are.
static bool liesInMemory(Value tensor, unsigned axis) {
  while (isa_and_present<attn::ViewOp, attn::SliceOp>(tensor.getDefiningOp())) {
    if (auto slice = tensor.getDefiningOp<attn::SliceOp>()) {
      tensor = slice.getSource();
      continue;
    }
    auto view = tensor.getDefiningOp<attn::ViewOp>();
    attn::ViewLabels labels = view.getViewLabels();
    StringRef letter = labels.output[axis];
    auto *place = llvm::find(labels.input, letter);
    if (letter.size() != 1 || place == labels.input.end())
      return false;
    axis = place - labels.input.begin();
    tensor = view.getSource();
  }
  return !isa_and_present<attn::UnpackOp, attn::PagesOp>(
      tensor.getDefiningOp());
}

/// The axes of a product of matrices, or nothing.
static std::optional<Choice> chooseDot(attn::ContractOp op, const Axes &axes,
                                       int64_t lanes) {
  attn::Labels labels = op.getAxisLabels();
  StringRef left = labels.inputs[0], right = labels.inputs[1];
  StringRef out = labels.output, where = op.getMaskLabels().value_or("");
  auto inMemory = [&](char letter) {
    for (auto [letters, tensor] :
         {std::pair(left, op.getLhs()), {right, op.getRhs()}})
      if (auto axis = attn::axisOf(letters, letter))
        if (!liesInMemory(tensor, *axis))
          return false;
    return true;
  };
  std::string summed;
  for (char letter :
       (left + pick(right, [&](char l) { return !left.contains(l); })).str())
    if (!out.contains(letter) && axes.sizeOf(letter) != 1)
      summed += letter;
  if (summed.size() != 1 || !left.contains(summed) || !right.contains(summed) ||
      !inMemory(summed[0]))
    return std::nullopt;
  std::string ofLeft = pick(out, [&](char l) {
    return left.contains(l) && !right.contains(l) && inMemory(l);
  });
  std::string ofRight = pick(out, [&](char l) {
    return right.contains(l) && !left.contains(l) && inMemory(l);
  });
  if (ofLeft.empty() || ofRight.empty())
    return std::nullopt;
  // The rows of a masked product cannot be rows of its mask.
  auto rowsBeside = [&](char lane) {
    StringRef rest = StringRef(ofLeft).contains(lane) ? ofRight : ofLeft;
    return pick(rest, [&](char l) { return !where.contains(l); });
  };
  std::string candidates = pick(out, [&](char l) {
    return StringRef(ofLeft + ofRight).contains(l) && !rowsBeside(l).empty();
  });
  std::optional<char> lane = axes.bestLanes(candidates, lanes);
  if (!lane)
    return std::nullopt;
  return Choice{attn::BlockForm::Dot, std::string(1, *lane),
                std::string(1, *axes.largest(rowsBeside(*lane)))};
}

static Choice choose(Operation *op, const Axes &axes, int64_t lanes) {
  if (auto contract = dyn_cast<attn::ContractOp>(op))
    if (auto dot = chooseDot(contract, axes, lanes))
      return *dot;
  Choice choice;
  if (std::optional<char> lane = axes.bestLanes(axes.result, lanes)) {
    choice.lanes = std::string(1, *lane);
    std::string rest = pick(axes.result, [&](char l) { return l != *lane; });
    if (isa<attn::MapOp, attn::ConcatOp, attn::AppendOp>(op) && !rest.empty())
      choice.rows = std::string(1, *axes.largest(rest));
  }
  return choice;
}

/// The register tile with the most products per load.
static RegisterTile bestTile(int64_t vectors, const CpuTarget &target) {
  RegisterTile best;
  auto gain = [](RegisterTile t) {
    return double(t.accumulators()) / double(t.rows + t.vectors);
  };
  for (int64_t v = 1; v <= vectors; ++v)
    for (int64_t rows = 1; vectors % v == 0 && rows <= 8; ++rows)
      if (RegisterTile tile{rows, v};
          registersOf(tile, target) <= target.vectorRegisters &&
          gain(tile) > gain(best))
        best = tile;
  return best;
}

/// Elements of a block along an axis that is not the lanes', and of a step of a
/// sum: rows of 64 floats fill a few lines of cache.
static constexpr int64_t kRows = 64;
static constexpr int64_t kVectors = 4;

attn::BlockAttr chooseBlock(Operation *op, const CpuTarget &target) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  int64_t lanes =
      target.lanes(attn::accumulateType(types).getIntOrFloatBitWidth());
  Axes axes = axesOf(op);
  Choice choice = choose(op, axes, lanes);
  int64_t length = choice.lanes.empty() ? 1 : axes.sizeOf(choice.lanes[0]);
  int64_t vectors =
      std::clamp<int64_t>((length + lanes - 1) / lanes, 1, kVectors);
  RegisterTile tile = bestTile(vectors, target);
  bool tail =
      vectors > 1 && (length == Axes::kOpen || length % (vectors * lanes) != 0);
  MLIRContext *context = op->getContext();
  auto cpu = tile::CpuAttr::get(
      context, *tile::symbolizeCpuIsa(target.isa), tile::CpuMapping::Rows,
      lanes, {tile.rows, tile.vectors}, {tile.rows, tile.vectors},
      /*unroll=*/4, /*tail=*/tail ? lanes : 0, /*laneSkip=*/false,
      tile::CpuPack::Auto, /*partial=*/16);
  return attn::BlockAttr::get(context, choice.form, choice.lanes, choice.rows,
                              vectors * lanes, kRows, cpu);
}

std::string findProblem(Operation *op, attn::BlockAttr block,
                        const CpuTarget &target) {
  attn::BlockAttr best = chooseBlock(op, target);
  auto cpu = dyn_cast<tile::CpuAttr>(block.getTarget());
  auto own = cast<tile::CpuAttr>(best.getTarget());
  if (!cpu || cpu.getIsa() != own.getIsa() || cpu.getLanes() != own.getLanes())
    return llvm::formatv("its target must have isa = {0}, lanes = {1}",
                         target.isa, own.getLanes());
  if (block.getQ() % cpu.getLanes())
    return llvm::formatv("q = {0} is no multiple of the {1} lanes",
                         block.getQ(), cpu.getLanes());
  Axes axes = axesOf(op);
  for (StringRef letter : {block.getLanes(), block.getRows()})
    if (!StringRef(axes.result).contains(letter))
      return llvm::formatv("'{0}' is no axis of the result '{1}'", letter,
                           axes.result);
  if (block.getLanes().empty() != axes.result.empty())
    return "vectors lie along an axis of the result if it has one";
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

} // namespace attnc::schedule
