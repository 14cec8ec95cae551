//===- SideChoice.cpp - Choose the block axes of ops outside kernels ------===//
//
// A contraction is a product of matrices in each place of the other letters if
// an axis of the result comes from each operand and the summed axes from both.
// Blocks run along axes that exist in memory; along any other one
// place is taken after the other, so heads may be summed wherever they lie.
// Tests: test/Schedule/side-ops.mlir, products.mlir
//
//===----------------------------------------------------------------------===//

#include "Side/SideChoice.h"

#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/Epilogue.h"
#include "attnc/Dialect/Attn/MapFormula.h"
#include "attnc/Dialect/Attn/Panels.h"
#include "attnc/Dialect/Attn/StoredView.h"
#include "attnc/Dialect/Tile/Tile.h"

using namespace mlir;

namespace attnc::schedule {

static std::string pick(StringRef letters,
                        llvm::function_ref<bool(char)> keep) {
  std::string kept;
  llvm::copy_if(letters, std::back_inserter(kept), keep);
  return kept;
}

namespace {
/// What can be done along an axis of a tensor, for the memory behind it.
enum class Walk { Nothing, Places, Blocks };
} // namespace

/// The number of places of the letters of a view, or 0 if one is not known.
static int64_t countPlaces(attn::ViewOp view, StringRef letters) {
  int64_t count = 1;
  attn::ViewLabels labels = view.getViewLabels();
  for (char letter : letters) {
    auto *axis = llvm::find(labels.output, StringRef(&letter, 1));
    if (axis == labels.output.end())
      return 0;
    Attribute size =
        attn::axisSize(view.getType(), axis - labels.output.begin());
    auto number = dyn_cast_if_present<IntegerAttr>(size);
    count *= number ? number.getInt() : 0;
  }
  return count;
}

/// The letter of a view's source that an axis of its result is, beside letters
/// of one place; nothing if it is several.
static std::optional<char> letterOf(attn::ViewOp view, unsigned axis) {
  std::optional<char> found;
  StringRef group = view.getViewLabels().output[axis];
  for (char letter : group) {
    auto size = dyn_cast_if_present<IntegerAttr>(view.sizeOf(letter));
    if (group.size() > 1 && size && size.getInt() == 1)
      continue;
    if (found)
      return std::nullopt;
    found = letter;
  }
  return found;
}

/// Views may move an axis or join it with others; where it shares one with axes
/// behind it blocks cannot go along it. Of a shared axis a piece may be taken
/// that cuts none of the axes behind the first. No table may say where rows
/// are.
static Walk walkOf(Value tensor, unsigned axis) {
  Walk walk = Walk::Blocks;
  int64_t behind = 1; // places of the axes behind the first; 0: not known
  while (Operation *op = tensor.getDefiningOp()) {
    if (auto slice = dyn_cast<attn::SliceOp>(op)) {
      int64_t extent = slice.getSource().getType().getDimSize(slice.getAxis());
      if (slice.getAxis() == axis && behind != 1 &&
          (behind == 0 || ShapedType::isDynamic(extent) || extent % behind))
        return Walk::Nothing;
      tensor = slice.getSource();
      continue;
    }
    auto view = dyn_cast<attn::ViewOp>(op);
    if (!view || attn::isStoredView(view) || attn::isPanelView(view))
      break;
    attn::ViewLabels labels = view.getViewLabels();
    std::optional<char> letter = letterOf(view, axis);
    if (!letter)
      return Walk::Nothing;
    auto *place = llvm::find_if(
        labels.input, [&](StringRef group) { return group.contains(*letter); });
    if (place->back() != *letter)
      walk = Walk::Places;
    if (place->size() > 1)
      behind = behind == 1 ? countPlaces(view, place->drop_front()) : 0;
    axis = place - labels.input.begin();
    tensor = view.getSource();
  }
  bool hasTable =
      isa_and_present<attn::UnpackOp, attn::PagesOp>(tensor.getDefiningOp());
  return hasTable ? Walk::Nothing : walk;
}

/// Whether elements along an axis follow each other in memory, if the tensor
/// behind the views lies there in the order of its axes.
static bool isFastest(Value tensor, unsigned axis) {
  while (Operation *op = tensor.getDefiningOp()) {
    auto slice = dyn_cast<attn::SliceOp>(op);
    auto view = dyn_cast<attn::ViewOp>(op);
    auto map = dyn_cast<attn::MapOp>(op); // reads as many elements, in place
    if ((!slice && !view && !(map && isConversionOnLoad(map))) ||
        attn::isStoredView(op) || attn::isPanelView(op))
      break;
    if (view) {
      attn::ViewLabels labels = view.getViewLabels();
      std::optional<char> letter = letterOf(view, axis);
      auto *place = llvm::find_if(labels.input, [&](StringRef group) {
        return letter && group.back() == *letter;
      });
      if (place == labels.input.end())
        return false;
      axis = place - labels.input.begin();
    }
    tensor = op->getOperand(0);
  }
  return axis + 1 == cast<RankedTensorType>(tensor.getType()).getRank();
}

bool liesAcross(Operation *op, char lane) {
  SmallVector<std::pair<std::string, Value>> operands;
  if (auto contract = dyn_cast<attn::ContractOp>(op)) {
    attn::Labels labels = contract.getAxisLabels();
    operands = {{labels.inputs[0].str(), contract.getLhs()},
                {labels.inputs[1].str(), contract.getRhs()}};
  } else if (auto normalize = dyn_cast<attn::NormalizeOp>(op)) {
    operands = {{normalize.getLabels().str(), normalize.getScores()}};
  } else if (auto reduce = dyn_cast<attn::ReduceOp>(op)) {
    operands = {{reduce.getLabels().str(), reduce.getScores()}};
  }
  return llvm::any_of(operands, [&](const auto &operand) {
    auto axis = attn::axisOf(operand.first, lane);
    return axis && !isFastest(operand.second, *axis);
  });
}

namespace {
/// Groups of the letters of a contraction.
class Product {
public:
  Product(attn::ContractOp op, const SideAxes &axes)
      : op(op), labels(op.getAxisLabels()), axes(axes), left(labels.inputs[0]),
        right(labels.inputs[1]) {}

  std::optional<SideChoice> choose(int64_t lanes,
                                   std::optional<char> avoided) const;

private:
  Walk walkAlong(char letter) const {
    Walk walk = Walk::Blocks;
    for (auto [letters, tensor] :
         {std::pair(left, op.getLhs()), {right, op.getRhs()}})
      if (auto axis = attn::axisOf(letters, letter))
        walk = std::min(walk, walkOf(tensor, *axis));
    return walk;
  }
  bool hasBlocks(char letter) const {
    return walkAlong(letter) == Walk::Blocks;
  }
  /// The summed letters in the order of an operand.
  std::string summedOf(StringRef letters) const {
    return pick(letters, [&](char letter) {
      return !labels.output.contains(letter) && axes.sizeOf(letter) != 1;
    });
  }

  mutable attn::ContractOp op;
  attn::Labels labels;
  const SideAxes &axes;
  StringRef left, right;
};
} // namespace

std::optional<SideChoice> Product::choose(int64_t lanes,
                                          std::optional<char> avoided) const {
  StringRef out = labels.output, where = op.getMaskLabels().value_or("");
  for (char letter : (left + right).str())
    if (axes.sizeOf(letter) != 1 && walkAlong(letter) == Walk::Nothing)
      return std::nullopt;
  std::string summed = summedOf(left), summedRight = summedOf(right);
  if (summed.empty() || summed.size() != summedRight.size() ||
      !llvm::all_of(summed, [&](char l) { return right.contains(l); }))
    return std::nullopt;
  auto onlyOf = [&](StringRef operand, StringRef other) {
    return pick(out, [&](char l) {
      return operand.contains(l) && !other.contains(l) && hasBlocks(l);
    });
  };
  std::string ofLeft = onlyOf(left, right), ofRight = onlyOf(right, left);
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
  if (avoided && candidates.size() > 1)
    llvm::erase(candidates, *avoided);
  std::optional<char> lane = axes.bestLanes(candidates, lanes);
  if (!lane)
    return std::nullopt;
  StringRef rowLetters = left.contains(*lane) ? right : left;
  SideChoice choice{
      attn::BlockForm::Dot, std::string(1, *lane),
      std::string(1, *axes.largest(rowsBeside(*lane))),
      pick(out, [&](char l) { return l != *lane && !rowLetters.contains(l); }),
      summedOf(rowLetters).back()};
  bool lanesAreLeft = left.contains(*lane);
  StringRef letters = lanesAreLeft ? left : right;
  choice.onLanes = lanesAreLeft ? op.getLhs() : op.getRhs();
  auto follow = [&](char letter) {
    return isFastest(choice.onLanes, *attn::axisOf(letters, letter));
  };
  if (!op.getMask())
    choice.inPassing = follow(*lane) ? InPassing::Along
                       : summed.size() == 1 && follow(choice.summed)
                           ? InPassing::Across
                           : InPassing::No;
  return hasBlocks(choice.summed) ? std::optional(choice) : std::nullopt;
}

std::optional<SideChoice> chooseDot(attn::ContractOp op, const SideAxes &axes,
                                    int64_t lanes,
                                    std::optional<char> avoided) {
  return Product(op, axes).choose(lanes, avoided);
}

attn::BlockAttr chooseEpilogue(attn::MapOp map) {
  std::optional<unsigned> host = attn::findHost(map);
  if (!host)
    return {};
  Operation *op = map.getInputs()[*host].getDefiningOp();
  attn::BlockAttr block = attn::BlockAttr::of(op);
  StringRef inside = map.getAxisLabels().inputs[*host];
  StringRef made = isa<attn::MapOp>(op)
                       ? cast<attn::MapOp>(op).getAxisLabels().output
                       : cast<attn::ContractOp>(op).getAxisLabels().output;
  auto renamed = [&](StringRef letters) {
    return attn::renameLetters(letters, made, inside);
  };
  return attn::BlockAttr::get(
      map.getContext(), attn::BlockForm::Epilogue, renamed(block.getLanes()),
      renamed(block.getRows()), block.getQ(), block.getK(), block.getE(),
      renamed(block.getInner()), /*visited=*/"", block.getTarget());
}

std::string findEpilogueProblem(Operation *op, attn::BlockAttr block) {
  auto map = dyn_cast<attn::MapOp>(op);
  attn::BlockAttr own = map ? chooseEpilogue(map) : attn::BlockAttr();
  if (!own)
    return "form = epilogue requires a map that is the only use of a product "
           "of form dot; use form = element";
  if (block == own)
    return {};
  std::string text = "form = epilogue requires the block of the product: ";
  llvm::raw_string_ostream(text) << own;
  return text;
}

} // namespace attnc::schedule
