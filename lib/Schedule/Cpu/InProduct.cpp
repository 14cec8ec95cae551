//===- InProduct.cpp - Ops computed in the blocks of a product ------------===//
//
// What a map makes for one product of matrices passes through memory once in
// each direction, and a product with a vector reads its matrix for a few FLOPs
// per element. Where one block of rows holds all of a product's, its blocks
// load each element of the operand along the lanes once, so both are done
// there. Linear attention over 4096 keys, 8 heads of 64, Emerald Rapids:
// phi(Q), phi(K), the sum of phi(K) and phi(Q) times it took 9 of 22 ms by
// themselves.
//
// Where sums of f64 may be narrow (attnc/Dialect/Attn/NarrowSums.h), products
// of f32 take half the time; what they give is widened for those who read it.
//
// Tests: test/Schedule/Cpu/in-product.mlir
//
//===----------------------------------------------------------------------===//

#include "Cpu/InProduct.h"

#include "Side/SideOps.h"

#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/Cases.h"
#include "attnc/Dialect/Attn/InProduct.h"
#include "attnc/Dialect/Attn/NarrowSums.h"

using namespace mlir;

namespace attnc::schedule::cpu {

static Type accumulateOf(attn::ContractOp op) {
  return attn::accumulateType(
      {op.getLhs().getType(), op.getRhs().getType(), op.getType()});
}

static int64_t lanesOf(attn::ContractOp op, const Target &target) {
  return target.cpu.lanes(accumulateOf(op).getIntOrFloatBitWidth());
}

/// The axes of a product with lanes along an operand, or nothing.
static std::optional<SideChoice> chooseDotAlong(attn::ContractOp op,
                                                const SideAxes &axes,
                                                int64_t lanes,
                                                unsigned operand) {
  attn::Labels labels = op.getAxisLabels();
  StringRef letters = labels.inputs[operand];
  std::optional<SideChoice> choice = chooseDot(op, axes, lanes);
  if (choice && !letters.contains(choice->lanes))
    choice = chooseDot(op, axes, lanes, choice->lanes[0]);
  return choice && letters.contains(choice->lanes) ? choice : std::nullopt;
}

/// Whether each element of an operand is loaded once: all rows are in one
/// block, and no other axis is of the other operand alone.
static bool loadsOnce(attn::ContractOp op, unsigned operand,
                      const SideAxes &axes, const SideChoice &choice) {
  attn::Labels labels = op.getAxisLabels();
  StringRef letters = labels.inputs[operand];
  int64_t summed = llvm::count_if(
      letters, [&](char letter) { return !labels.output.contains(letter); });
  return summed == 1 && !op.getMask() &&
         axes.sizeOf(choice.rows[0]) <= kMostRows &&
         llvm::all_of(labels.output, [&](char letter) {
           return letters.contains(letter) ||
                  choice.rows == StringRef(&letter, 1);
         });
}

/// Whether a tensor is in memory before `op` is lowered.
static bool isMadeBefore(Value tensor, Operation *op) {
  Operation *made = tensor.getDefiningOp();
  if (!made)
    return true;
  if (!made->isBeforeInBlock(op))
    return false;
  if (isa<attn::ViewOp, attn::SliceOp>(made))
    return isMadeBefore(made->getOperand(0), op);
  if (!made->hasAttr(attn::kInProduct))
    return true;
  auto vectors = dyn_cast<attn::ContractOp>(made);
  return vectors && llvm::any_of(vectors->getOperands(), [&](Value shared) {
           return llvm::any_of(shared.getUses(), [&](OpOperand &use) {
             auto product = dyn_cast<attn::ContractOp>(use.getOwner());
             return product &&
                    llvm::any_of(
                        attn::findCompanions(product, use.getOperandNumber()),
                        [&](const attn::Companion &companion) {
                          return companion.product == vectors;
                        }) &&
                    attn::lastEpilogue(product)->isBeforeInBlock(op);
           });
         });
}

namespace {
/// A product of matrices and one of its operands.
class Place {
public:
  Place(attn::ContractOp product, unsigned operand, const Target &target)
      : product(product), operand(operand), axes(SideAxes::of(product)),
        choice(
            chooseDotAlong(product, axes, lanesOf(product, target), operand)) {}

  /// Whether ops may be computed in the blocks.
  bool isPossible() const {
    return choice && loadsOnce(product, operand, axes, *choice);
  }
  SmallVector<attn::Companion> listCompanions() const;
  /// The map that makes the operand for the product and these companions.
  attn::MapOp findMap(ArrayRef<attn::Companion> companions) const;

private:
  mutable attn::ContractOp product;
  unsigned operand;
  SideAxes axes;
  std::optional<SideChoice> choice;
};
} // namespace

SmallVector<attn::Companion> Place::listCompanions() const {
  Operation *last = attn::lastEpilogue(product);
  SmallVector<attn::Companion> kept =
      attn::findCompanions(product, operand, /*marked=*/false);
  llvm::erase_if(kept, [&](attn::Companion &companion) {
    bool isLate =
        llvm::any_of(companion.getResult().getUsers(), [&](Operation *user) {
          // Epilogues read the tile.
          bool maybeEpilogue =
              isa<attn::MapOp>(user) && product->isBeforeInBlock(user);
          return !maybeEpilogue && !last->isBeforeInBlock(user);
        });
    return isLate || accumulateOf(companion.product) != accumulateOf(product) ||
           !isMadeBefore(companion.getVector(), product);
  });
  return kept;
}

attn::MapOp Place::findMap(ArrayRef<attn::Companion> companions) const {
  Value tensor = product->getOperand(operand);
  auto map = tensor.getDefiningOp<attn::MapOp>();
  std::optional<unsigned> elements =
      map ? attn::findElements(map) : std::nullopt;
  if (!elements || !isa<FloatType>(getElementTypeOrSelf(map.getType())) ||
      map.getInputs()[*elements].getDefiningOp<attn::ContractOp>())
    return {};
  bool isRead = llvm::all_of(tensor.getUsers(), [&](Operation *user) {
    return user == product.getOperation() ||
           llvm::any_of(companions, [&](const attn::Companion &companion) {
             return companion.product == user;
           });
  });
  bool isReady = llvm::all_of(map->getOperands(), [&](Value input) {
    return isMadeBefore(input, product);
  });
  return isRead && isReady && product.getLhs() != product.getRhs()
             ? map
             : attn::MapOp();
}

static void mark(Operation *op, StringRef attribute) {
  op->setAttr(attribute, UnitAttr::get(op->getContext()));
}

/// A product with the sums of f32, widened behind `last`.
static void narrow(attn::ContractOp product, Operation *last) {
  attn::ContractOp made =
      changeSums(product, Float32Type::get(product.getContext()), last);
  made->removeAttr(attn::kNarrowSums);
  mark(made, attn::kCompensated);
}

/// Narrows a product and its companions, if all of them may be.
static void narrowAll(attn::ContractOp product,
                      ArrayRef<attn::Companion> companions) {
  auto mayBeNarrow = [](attn::ContractOp op) {
    auto isF64 = [](Value x) {
      return getElementTypeOrSelf(x.getType()).isF64();
    };
    return op->hasAttr(attn::kNarrowSums) && isF64(op.getResult()) &&
           !isF64(op.getLhs()) && !isF64(op.getRhs());
  };
  if (!mayBeNarrow(product) ||
      !llvm::all_of(companions, [&](const attn::Companion &companion) {
        return mayBeNarrow(companion.product);
      }))
    return;
  for (const attn::Companion &companion : companions)
    narrow(companion.product, attn::lastEpilogue(product));
  narrow(product, product);
}

void placeInProducts(func::FuncOp function, const Target &target) {
  SmallVector<attn::ContractOp> products(
      function.getBody().front().getOps<attn::ContractOp>());
  for (attn::ContractOp product : products) {
    if (product->hasAttr(attn::kInProduct) || attn::BlockAttr::of(product))
      continue;
    for (unsigned operand : {0u, 1u}) {
      Place place(product, operand, target);
      if (!place.isPossible())
        continue;
      SmallVector<attn::Companion> companions = place.listCompanions();
      if (companions.empty())
        continue;
      if (attn::MapOp map = place.findMap(companions))
        mark(map, attn::kInProduct);
      for (attn::Companion &companion : companions)
        mark(companion.product, attn::kInProduct);
      narrowAll(product, companions);
      break; // the lanes are along one operand
    }
  }
}

/// The operand with which marked ops belong to a product.
static std::optional<unsigned> findOperand(attn::ContractOp op) {
  for (unsigned operand : {0u, 1u})
    if (attn::findPrologue(op, operand) ||
        !attn::findCompanions(op, operand).empty())
      return operand;
  return std::nullopt;
}

bool isAlone(attn::ContractOp op) {
  return !op->hasAttr(attn::kCompensated) && !findOperand(op);
}

std::optional<SideChoice> chooseDotOf(attn::ContractOp op, const SideAxes &axes,
                                      int64_t lanes) {
  std::optional<unsigned> operand = findOperand(op);
  return operand ? chooseDotAlong(op, axes, lanes, *operand)
                 : chooseDot(op, axes, lanes);
}

/// Whether the block of a product has the lanes of an operand with which other
/// ops are computed, and all rows, so that none of them is computed twice.
static bool hasPlace(attn::ContractOp product, unsigned operand) {
  attn::Labels labels = product.getAxisLabels();
  auto hasAll = [&](attn::BlockAttr block) {
    return llvm::all_of(block.getRows(), [&](char row) {
      auto size = dyn_cast_if_present<IntegerAttr>(
          attn::axisSize(product.getType(), *attn::axisOf(labels.output, row)));
      return size && size.getInt() <= block.getRowsOfBlock();
    });
  };
  // None: not chosen yet.
  return llvm::all_of(attn::blocksOf(product), [&](attn::BlockAttr block) {
    return block.getForm() == attn::BlockForm::Dot &&
           labels.inputs[operand].contains(block.getLanes()) && hasAll(block);
  });
}

std::string findPlaceProblem(Operation *op, const Target &target) {
  auto function = op->getParentOfType<func::FuncOp>();
  for (auto product : function.getBody().front().getOps<attn::ContractOp>()) {
    std::optional<unsigned> operand = findOperand(product);
    if (!operand || product->hasAttr(attn::kInProduct))
      continue;
    Place place(product, *operand, target);
    if (!place.isPossible())
      continue;
    SmallVector<attn::Companion> companions = place.listCompanions();
    bool isCompanion =
        llvm::any_of(companions, [&](const attn::Companion &companion) {
          return companion.product == op;
        });
    if (!isCompanion && place.findMap(companions) != op)
      continue;
    return hasPlace(product, *operand)
               ? ""
               : "the block of the product that computes it has other lanes, "
                 "another form or not all rows; remove the attribute";
  }
  return "no product of matrices computes it in its blocks; remove the "
         "attribute";
}

} // namespace attnc::schedule::cpu
