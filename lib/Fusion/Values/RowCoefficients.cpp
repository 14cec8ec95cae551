//===- RowCoefficients.cpp - Coefficients of rows in a formula ------------===//
//
// See RowCoefficients.h.
//
//===----------------------------------------------------------------------===//

#include "Values/RowCoefficients.h"

#include "Kernel/KeyOperand.h"
#include "Kernel/MapPart.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

bool RowCoefficients::isLocal(Value value) {
  return value.getParentBlock() == &map.getBody().front();
}

bool RowCoefficients::isOfFeature(Value value) {
  return StringRef(lettersOf(map, letters, value)).contains(feature);
}

//===----------------------------------------------------------------------===//
// The rows
//===----------------------------------------------------------------------===//

/// The operands of an op that are as linear as it is; the others are numbers.
SmallVector<unsigned, 2> RowCoefficients::linearOperands(Operation *op) {
  if (isa<arith::NegFOp>(op))
    return {0};
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return {0, 1};
  if (!isa<arith::SelectOp, arith::MulFOp, arith::DivFOp>(op))
    return {};
  bool isFirst = isOfFeature(op->getOperand(0));
  if (isa<arith::SelectOp>(op))
    return isFirst ? SmallVector<unsigned, 2>()
                   : SmallVector<unsigned, 2>{1, 2};
  if (isFirst != isOfFeature(op->getOperand(1)) &&
      (isFirst || isa<arith::MulFOp>(op)))
    return {isFirst ? 0u : 1u};
  return {};
}

/// Whether both values of one region are computed alike.
static bool isSame(Value a, Value b) {
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  return a == b || (x && y && x->getName() == y->getName() &&
                    x->getAttrDictionary() == y->getAttrDictionary() &&
                    x->getResultTypes() == y->getResultTypes() &&
                    llvm::equal(x->getOperands(), y->getOperands(), isSame));
}

/// The letters that rows of the key have among the inputs.
void RowCoefficients::findRowLetters() {
  rowLetters = {over, feature};
  for (unsigned i = 0; i < map.getInputs().size(); ++i) {
    std::string own = lettersOfInput(map, letters, i);
    if (StringRef(own).contains(over) && StringRef(own).contains(feature) &&
        isRowOfKey(own, over, feature, std::nullopt))
      rowLetters += own;
  }
}

bool RowCoefficients::isOfRows(Value value) {
  return llvm::all_of(lettersOf(map, letters, value), [&](char letter) {
    return StringRef(rowLetters).contains(letter);
  });
}

bool RowCoefficients::addRow(Value row) {
  std::string own = lettersOf(map, letters, row);
  if (!isOfRows(row) || !StringRef(own).contains(over) ||
      !StringRef(own).contains(feature))
    return false;
  auto *known =
      llvm::find_if(rows, [&](Value other) { return isSame(row, other); });
  leaves[row] = known - rows.begin();
  if (known == rows.end())
    rows.push_back(row);
  return true;
}

/// What no query makes differ is one row; its sign and numbers are not, so that
/// V and -V are the same one.
bool RowCoefficients::add(Value formula) {
  if (leaves.contains(formula))
    return true;
  Operation *op = formula.getDefiningOp();
  if (!op || !isLocal(formula))
    return addRow(formula);
  SmallVector<unsigned, 2> parts = linearOperands(op);
  bool joins = parts.size() == 2;
  if (parts.empty() || (joins && isOfRows(formula)))
    return addRow(formula);
  combines |= joins;
  return llvm::all_of(parts,
                      [&](unsigned part) { return add(op->getOperand(part)); });
}

bool RowCoefficients::match() {
  findRowLetters();
  return add(map.getBody().front().getTerminator()->getOperand(0)) && combines;
}

//===----------------------------------------------------------------------===//
// Their shares
//===----------------------------------------------------------------------===//

static Value number(OpBuilder &b, Location loc, Type type, double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

static Value truth(OpBuilder &b, Location loc, bool value) {
  return arith::ConstantOp::create(b, loc, b.getBoolAttr(value));
}

/// A sum or a difference. A part that is not there adds 0 of the row.
RowCoefficients::Share RowCoefficients::addShares(OpBuilder &b, Operation *op,
                                                  std::optional<Share> lhs,
                                                  std::optional<Share> rhs) {
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  bool isAlways = (lhs && !lhs->used) || (rhs && !rhs->used);
  auto factorOf = [&](const std::optional<Share> &share) {
    if (!share)
      return number(b, loc, type, 0);
    Value factor = share->factor ? share->factor : number(b, loc, type, 1);
    return share->used && lhs && rhs
               ? arith::SelectOp::create(b, loc, share->used, factor,
                                         number(b, loc, type, 0))
                     .getResult()
               : factor;
  };
  if (isa<arith::AddFOp>(op) && !(lhs && rhs))
    return lhs ? *lhs : *rhs;
  if (isa<arith::SubFOp>(op) && !rhs)
    return *lhs;
  if (!lhs)
    return {arith::NegFOp::create(b, loc, factorOf(rhs)), rhs->used};
  Value operands[] = {factorOf(lhs), factorOf(rhs)};
  Value factor =
      isa<arith::AddFOp>(op)
          ? arith::AddFOp::create(b, loc, operands[0], operands[1]).getResult()
          : arith::SubFOp::create(b, loc, operands[0], operands[1]).getResult();
  Value used;
  if (!isAlways)
    used = arith::OrIOp::create(b, loc, lhs->used, rhs->used);
  return {factor, used};
}

RowCoefficients::Share RowCoefficients::chooseShare(OpBuilder &b,
                                                    Value condition,
                                                    std::optional<Share> lhs,
                                                    std::optional<Share> rhs) {
  Location loc = condition.getLoc();
  auto usedIn = [&](const std::optional<Share> &share) {
    return share && share->used ? share->used : truth(b, loc, !!share);
  };
  Share chosen;
  if ((lhs && lhs->used) || (rhs && rhs->used) || !lhs || !rhs)
    chosen.used =
        arith::SelectOp::create(b, loc, condition, usedIn(lhs), usedIn(rhs));
  if (!lhs || !rhs) {
    chosen.factor = lhs ? lhs->factor : rhs->factor;
    return chosen;
  }
  if (!lhs->factor && !rhs->factor)
    return chosen;
  Type type = (lhs->factor ? lhs : rhs)->factor.getType();
  auto factorOf = [&](const Share &share) {
    return share.factor ? share.factor : number(b, loc, type, 1);
  };
  chosen.factor = arith::SelectOp::create(b, loc, condition, factorOf(*lhs),
                                          factorOf(*rhs));
  return chosen;
}

std::optional<RowCoefficients::Share>
RowCoefficients::build(OpBuilder &b, Value formula, unsigned row) {
  if (auto leaf = leaves.find(formula); leaf != leaves.end())
    return leaf->second == row ? std::optional(Share()) : std::nullopt;
  Operation *op = formula.getDefiningOp();
  Location loc = op->getLoc();
  SmallVector<unsigned, 2> parts = linearOperands(op);
  SmallVector<std::optional<Share>, 2> made;
  for (unsigned part : parts)
    made.push_back(build(b, op->getOperand(part), row));
  if (llvm::none_of(made, [](auto &share) { return share.has_value(); }))
    return std::nullopt;
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return addShares(b, op, made[0], made[1]);
  if (isa<arith::SelectOp>(op))
    return chooseShare(b, op->getOperand(0), made[0], made[1]);
  Share share = *made[0];
  Value factor =
      share.factor ? share.factor : number(b, loc, formula.getType(), 1);
  if (isa<arith::NegFOp>(op))
    return Share{arith::NegFOp::create(b, loc, factor), share.used};
  Value other = op->getOperand(1 - parts[0]);
  if (isa<arith::DivFOp>(op))
    return Share{arith::DivFOp::create(b, loc, factor, other), share.used};
  if (!share.factor)
    return Share{other, share.used};
  return Share{arith::MulFOp::create(b, loc, factor, other), share.used};
}

RowCoefficients::Share RowCoefficients::shareOf(OpBuilder &b, unsigned row) {
  return *build(b, map.getBody().front().getTerminator()->getOperand(0), row);
}
