//===- LinearMap.cpp - Formulas that are linear in rows -------------------===//
//
// See LinearMap.h.
//
//===----------------------------------------------------------------------===//

#include "Distribute/LinearMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::graph;

bool LinearMap::isLocal(Value value) {
  return value.getParentBlock() == &map.getBody().front();
}

/// The letter of a place of the map's region, or '?'.
char LinearMap::letterOf(Value index) {
  auto argument = dyn_cast<BlockArgument>(index);
  unsigned inputs = map.getInputs().size();
  if (!argument || !isLocal(index) || argument.getArgNumber() < inputs)
    return '?';
  return letters[argument.getArgNumber() - inputs];
}

bool LinearMap::isOfFeature(Value value) {
  if (!isLocal(value))
    return false;
  if (isa<BlockArgument>(value))
    return StringRef(attn::lettersOf(map, letters, value)).contains(feature);
  if (auto known = ofFeature.find(value); known != ofFeature.end())
    return known->second;
  bool is = llvm::any_of(value.getDefiningOp()->getOperands(),
                         [&](Value operand) { return isOfFeature(operand); });
  return ofFeature[value] = is;
}

//===----------------------------------------------------------------------===//
// What the formula is made of
//===----------------------------------------------------------------------===//

/// Rows that are read by the same indices are one.
void LinearMap::addTerm(Value leaf, const Term &term) {
  auto *known = llvm::find_if(terms, [&](const Term &other) {
    return other.row == term.row && other.letters == term.letters &&
           other.read == term.read;
  });
  leaves[leaf] = known - terms.begin();
  if (known == terms.end())
    terms.push_back(term);
}

StringRef LinearMap::addInput(BlockArgument element) {
  unsigned input = element.getArgNumber();
  if (input >= map.getInputs().size())
    return "a term is the index of the feature";
  std::string named = lettersOfInput(input);
  if (named.size() >= letters.size())
    return "a term has as many axes as the formula";
  addTerm(element, {map.getInputs()[input], named});
  return "";
}

StringRef LinearMap::addTable(attn::ReadOp read) {
  Term term{read.getSource(), ""};
  Value chosen;
  for (auto [axis, index] : llvm::enumerate(read.getIndices())) {
    char letter = letterOf(index);
    auto place = attn::axisOf(letters, letter);
    bool isWhole = place &&
                   (letter == feature || StringRef(other).contains(letter)) &&
                   attn::axisSize(map.getType(), *place) ==
                       attn::axisSize(read.getSource().getType(), axis);
    term.letters += isWhole ? letter : '?';
    if (isWhole)
      continue;
    if (chosen || isOfFeature(index))
      return "it does not read a row of a table by a single index";
    chosen = index;
  }
  if (!chosen || llvm::count(term.letters, feature) != 1 ||
      !isa<FloatType>(getElementTypeOrSelf(read.getSource().getType())))
    return "it does not read a row of a table by a single index";
  std::string choosing = attn::lettersOf(map, letters, chosen);
  if (choosing.empty()) { // one row, whatever the table has
    llvm::erase(term.letters, '?');
    if (term.letters.size() >= letters.size())
      return "a term has as many axes as the formula";
    term.read = read;
  } else if (llvm::all_of(choosing, [&](char letter) {
               return StringRef(other).contains(letter);
             })) {
    return "a table would be multiplied for each pair";
  } else {
    term.isOfOwn = llvm::none_of(choosing, [&](char letter) {
      return StringRef(other).contains(letter);
    });
  }
  addTerm(read, term);
  return "";
}

/// The operands of an op that are as linear as it is; the others are numbers.
SmallVector<unsigned, 2> LinearMap::linearOperands(Operation *op) {
  if (isa<arith::NegFOp>(op))
    return {0};
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return {0, 1};
  bool isFirst = isOfFeature(op->getOperand(0));
  if (isa<arith::SelectOp>(op) && !isFirst)
    return {1, 2};
  if (isa<arith::MulFOp, arith::DivFOp>(op) &&
      isFirst != isOfFeature(op->getOperand(1)) &&
      (isFirst || isa<arith::MulFOp>(op)))
    return {isFirst ? 0u : 1u};
  return {};
}

StringRef LinearMap::add(Value formula) {
  if (leaves.contains(formula))
    return "";
  if (!isOfFeature(formula)) {
    addTerm(formula, {Value(), std::string(1, feature)});
    return letters.size() > 1 ? "" : "it is a single row";
  }
  if (auto element = dyn_cast<BlockArgument>(formula))
    return addInput(element);
  Operation *op = formula.getDefiningOp();
  if (auto read = dyn_cast<attn::ReadOp>(op))
    return addTable(read);
  SmallVector<unsigned, 2> parts = linearOperands(op);
  for (unsigned part : parts)
    if (StringRef reason = add(op->getOperand(part)); !reason.empty())
      return reason;
  return parts.empty() ? "the map is not linear in rows" : "";
}

StringRef LinearMap::match() {
  return add(map.getBody().front().getTerminator()->getOperand(0));
}

//===----------------------------------------------------------------------===//
// The formula of products
//===----------------------------------------------------------------------===//

/// A number of the pair, and what it is made of.
static Value cloneNumber(OpBuilder &b, Value number, Block &source,
                         IRMapping &numbers) {
  if (Value known = numbers.lookupOrNull(number))
    return known;
  Operation *op = number.getDefiningOp();
  if (!op || op->getBlock() != &source)
    return number;
  for (Value operand : op->getOperands())
    cloneNumber(b, operand, source, numbers);
  b.clone(*op, numbers);
  return numbers.lookup(number);
}

Value LinearMap::makeRow(OpBuilder &b, Term term) {
  SmallVector<Attribute> sizes;
  for (char letter : term.letters)
    sizes.push_back(
        attn::axisSize(map.getType(), *attn::axisOf(letters, letter)));
  Type real = getElementTypeOrSelf(map.getType());
  return attn::MapOp::create(
      b, map.getLoc(), attn::tensorType(sizes, real), "->" + term.letters,
      ValueRange(), [&](OpBuilder &b, Location loc, ValueRange places) {
        IRMapping numbers;
        SmallVector<Value> at;
        for (Value index : term.read.getIndices()) {
          auto axis = attn::axisOf(term.letters, letterOf(index));
          at.push_back(
              axis ? places[*axis]
                   : cloneNumber(b, index, map.getBody().front(), numbers));
        }
        Value element = attn::ReadOp::create(b, loc, real, term.row, at);
        attn::YieldOp::create(b, loc, element);
      });
}

Value LinearMap::buildLeaf(OpBuilder &b, Value leaf, unsigned term,
                           IRMapping &numbers, ElementOf element) {
  Block &source = map.getBody().front();
  size_t chosen = terms[term].letters.find('?');
  if (chosen != std::string::npos) {
    Value index = leaf.getDefiningOp<attn::ReadOp>().getIndices()[chosen];
    return element(term, cloneNumber(b, index, source, numbers));
  }
  Value product = element(term, Value());
  if (terms[term].row)
    return product;
  Value number = cloneNumber(b, leaf, source, numbers);
  return arith::MulFOp::create(b, leaf.getLoc(), product, number);
}

Value LinearMap::build(OpBuilder &b, Value formula, IRMapping &numbers,
                       IRMapping &made, ElementOf element) {
  if (Value known = made.lookupOrNull(formula))
    return known;
  Value result;
  if (auto *leaf = leaves.find(formula); leaf != leaves.end()) {
    result = buildLeaf(b, formula, leaf->second, numbers, element);
  } else {
    Operation *op = formula.getDefiningOp();
    IRMapping operands;
    SmallVector<unsigned, 2> linear = linearOperands(op);
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      operands.map(operand, llvm::is_contained(linear, i)
                                ? build(b, operand, numbers, made, element)
                                : cloneNumber(b, operand, map.getBody().front(),
                                              numbers));
    result = b.clone(*op, operands)->getResult(0);
  }
  made.map(formula, result);
  return result;
}

Value LinearMap::build(OpBuilder &b, IRMapping &numbers, ElementOf element) {
  IRMapping made;
  return build(b, map.getBody().front().getTerminator()->getOperand(0), numbers,
               made, element);
}
