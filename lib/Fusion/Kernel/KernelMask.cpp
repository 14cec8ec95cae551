//===- KernelMask.cpp - Convert the mask of a graph to a kernel's ---------===//
//
// See KernelMask.h.
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelMask.h"

#include "Kernel/KeyOperand.h"
#include "Kernel/Scalarize.h"

#include "attnc/Dialect/Attn/MapFormula.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

bool attnc::fusion::isOfProducts(Value mask, ArrayRef<PairProduct> products) {
  Operation *op = mask ? mask.getDefiningOp() : nullptr;
  if (llvm::any_of(products, [&](const PairProduct &product) {
        return mask == product.op->getResult(0);
      }))
    return true;
  return isa_and_present<attn::MapOp, attn::ViewOp>(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return isOfProducts(operand, products);
         });
}

/// Whether `whole` is `part` and something else.
static bool implies(Value whole, Value part) {
  if (whole == part)
    return true;
  auto both = whole.getDefiningOp<arith::AndIOp>();
  return both && (implies(both.getLhs(), part) || implies(both.getRhs(), part));
}

/// Of a mask that is a map: a mask of indices that it is a part of, or null.
static LetteredTensor plainPart(const LetteredTensor &mask) {
  LetteredTensor made = skipPermutations(mask);
  auto map = made.tensor.getDefiningOp<attn::MapOp>();
  if (!map)
    return {};
  Block &body = map.getBody().front();
  Value whole = body.getTerminator()->getOperand(0);
  for (auto [i, input] : llvm::enumerate(map.getInputs())) {
    LetteredTensor plain =
        skipPermutations({input, lettersOfInput(map, made.letters, i)});
    if (plain.tensor.getDefiningOp<attn::MaskOp>() &&
        implies(whole, body.getArgument(i)))
      return plain;
  }
  return {};
}

static SmallVector<Value> placesOf(StringRef letters, ValueRange indices) {
  SmallVector<Value> places;
  for (char letter : letters)
    places.push_back(indices[*attn::axisOf("bhgqk", letter)]);
  return places;
}

void attnc::fusion::buildMask(OpBuilder &b, attn::KernelOp kernel, Value mask,
                              StringRef letters,
                              ArrayRef<PairProduct> products) {
  Type real = kernel.getAccumulateType();
  LetteredTensor plain{mask, letters.str()};
  bool selects = isOfProducts(mask, products);
  if (selects)
    plain = plainPart(plain);
  Block *block = addBlock(b, kernel, kernel.getMask());
  Scalarizer masks(b, real, {});
  Value allowed =
      plain.tensor
          ? masks.at(plain.tensor,
                     placesOf(plain.letters, block->getArguments()))
          : arith::ConstantOp::create(b, kernel.getLoc(), b.getBoolAttr(true))
                .getResult();
  attn::YieldOp::create(b, allowed.getLoc(), allowed);
  if (!selects)
    return;
  block = addBlock(b, kernel, kernel.getSelect());
  Scalarizer selected(b, real, productsIn(*block, products), plain.tensor);
  Value kept =
      selected.at(mask, placesOf(letters, block->getArguments().slice(1, 5)));
  attn::YieldOp::create(b, kept.getLoc(), kept);
}
