//===- InProduct.cpp - Ops computed in the blocks of a product ------------===//
//
// See InProduct.h.
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Attn/InProduct.h"

#include "attnc/Dialect/Attn/MapFormula.h"

using namespace mlir;

namespace attnc::attn {

static bool hasLetters(StringRef letters, StringRef all) {
  return llvm::all_of(letters,
                      [&](char letter) { return all.contains(letter); });
}

/// The letters of an operand that the result lacks, in the operand's order.
static std::string summedOf(ContractOp op, unsigned operand) {
  Labels labels = op.getAxisLabels();
  std::string summed;
  for (char letter : labels.inputs[operand])
    if (!labels.output.contains(letter))
      summed += letter;
  return summed;
}

std::optional<unsigned> findElements(MapOp map) {
  Labels labels = map.getAxisLabels();
  for (auto [number, input] : llvm::enumerate(map.getInputs()))
    if (isa<FloatType>(getElementTypeOrSelf(input.getType())) &&
        labels.inputs[number].size() == labels.output.size() &&
        hasLetters(labels.inputs[number], labels.output))
      return number;
  return std::nullopt;
}

std::optional<Companion> matchCompanion(ContractOp vectorProduct,
                                        ContractOp matrixProduct,
                                        unsigned operand) {
  Value shared = matrixProduct->getOperand(operand);
  Labels own = vectorProduct.getAxisLabels(),
         host = matrixProduct.getAxisLabels();
  if (vectorProduct == matrixProduct || vectorProduct.getMask() ||
      vectorProduct.getLhs() == vectorProduct.getRhs())
    return std::nullopt;
  for (unsigned number : {0u, 1u}) {
    StringRef letters = own.inputs[number], rest = own.inputs[1 - number];
    if (vectorProduct->getOperand(number) != shared ||
        !hasLetters(rest, letters) || summedOf(vectorProduct, number).empty())
      continue;
    auto renamed = [&](StringRef of) {
      return renameLetters(of, letters, host.inputs[operand]);
    };
    if (renamed(summedOf(vectorProduct, number)) !=
        summedOf(matrixProduct, operand))
      continue;
    return Companion{vectorProduct, number, renamed(rest), renamed(own.output)};
  }
  return std::nullopt;
}

MapOp findPrologue(ContractOp product, unsigned operand) {
  auto map = product->getOperand(operand).getDefiningOp<MapOp>();
  return map && map->hasAttr(kInProduct) ? map : MapOp();
}

/// Whether a product between the companion and `product` could compute it, too.
static bool belongsToEarlier(const Companion &companion, ContractOp product) {
  Value shared = companion.product->getOperand(companion.shared);
  return llvm::any_of(shared.getUses(), [&](OpOperand &use) {
    auto other = dyn_cast<ContractOp>(use.getOwner());
    ContractOp vectors = companion.product;
    return other && other != product && !other->hasAttr(kInProduct) &&
           vectors->isBeforeInBlock(other) && other->isBeforeInBlock(product) &&
           matchCompanion(vectors, other, use.getOperandNumber());
  });
}

SmallVector<Companion> findCompanions(ContractOp product, unsigned operand,
                                      bool marked) {
  SmallVector<Companion> found;
  for (Operation *user : product->getOperand(operand).getUsers()) {
    auto other = dyn_cast<ContractOp>(user);
    if (!other || (marked && !other->hasAttr(kInProduct)))
      continue;
    std::optional<Companion> companion =
        matchCompanion(other, product, operand);
    if (companion && other->isBeforeInBlock(product) &&
        !belongsToEarlier(*companion, product))
      found.push_back(*companion);
  }
  // Users come in the order of uses; code is to be the same each time.
  llvm::sort(found, [](const Companion &a, const Companion &b) {
    ContractOp first = a.product, second = b.product;
    return first->isBeforeInBlock(second);
  });
  return found;
}

Operation *lastEpilogue(ContractOp product) {
  Operation *last = product;
  while (last->getResult(0).hasOneUse()) {
    auto map = dyn_cast<MapOp>(*last->getResult(0).user_begin());
    if (!map)
      break;
    last = map;
  }
  return last;
}

} // namespace attnc::attn
