//===- DistributeProducts.cpp - Products of sums and of gathered rows -----===//
//
// Relative positions add a row of a table to each pair of query and key.
// Written so, every pair has keys of its own:
//
//   %t = attn.map "bhkd->bhqkd" (%K) {%x + attn.read %table[k - q, d]}
//   %s = attn.contract "bhgqd,bhqkd->bhgqk" (%q, %t)
// But a product with a sum is a sum of products, and a product with a gathered
// row is a gathered product: the table has few rows, the pairs are many.
//   %a = attn.contract "bhgqd,bhkd->bhgqk" (%q, %K)
//   %g = attn.contract "bhgqd,ld->bhgql" (%q, %table)
//   %s = attn.map "bhgqk->bhgqk" (%a) {%x + attn.read %g[b, h, g, q, k - q]}
//
// Only where the map has more axes than each row that it adds: a sum of rows of
// the key alone is cheaper before the product. And where the product becomes
// cheaper: (Q - K) @ (Q - K) would be four sums that cancel instead of one.
// Tests: test/Graph/distribute-products.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Graph/Passes.h"

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace attnc;

namespace attnc::graph {
#define GEN_PASS_DEF_DISTRIBUTEPRODUCTS
#include "attnc/Graph/Passes.h.inc"
} // namespace attnc::graph

namespace {
/// A row that the map adds or subtracts: an input, or a row of a table.
struct Term {
  bool isNegative = false;
  Value row;           // the input's tensor, or the table
  std::string letters; // of the row's axes; of a table '?' where it is gathered
  attn::ReadOp read;   // of a table
};

class Distributor {
public:
  Distributor(attn::ContractOp product, PatternRewriter &rewriter)
      : product(product), rewriter(rewriter) {}
  /// Whether the left (0) or right operand is a sum to take apart.
  LogicalResult match(unsigned side);
  void rewrite();

private:
  LogicalResult findMap(unsigned side);
  LogicalResult addTerms(Value sum, bool isNegative);
  LogicalResult addTable(attn::ReadOp read, bool isNegative);
  char letterOf(Value index);
  bool dependsOn(Value value, llvm::function_ref<bool(BlockArgument)> bad);
  Value multiply(const Term &term, std::string &letters);
  Value cloneIndex(OpBuilder &b, Value index, IRMapping &map);
  LogicalResult refuse(StringRef reason) {
    return rewriter.notifyMatchFailure(product, reason);
  }

  attn::ContractOp product;
  PatternRewriter &rewriter;
  attn::MapOp map;
  Value other;
  std::string otherLetters, mapLetters; // in the product's words
  char summed = 0;
  SmallVector<Term> terms;
};
} // namespace

LogicalResult Distributor::findMap(unsigned side) {
  attn::Labels labels = product.getAxisLabels();
  Value operand = side ? product.getRhs() : product.getLhs();
  map = operand.getDefiningOp<attn::MapOp>();
  if (!map || !map->hasOneUse())
    return refuse("the operand is no map with no other use");
  other = side ? product.getLhs() : product.getRhs();
  mapLetters = labels.inputs[side].str();
  otherLetters = labels.inputs[1 - side].str();
  for (char letter : mapLetters)
    if (!labels.output.contains(letter))
      summed = letter;
  if (!summed || !StringRef(otherLetters).contains(summed))
    return refuse("does not sum over an axis of both operands");
  return success();
}

/// The product's letter of a place of the map's region, or '?'.
char Distributor::letterOf(Value index) {
  auto argument = dyn_cast<BlockArgument>(index);
  unsigned inputs = map.getInputs().size();
  if (!argument || argument.getArgNumber() < inputs)
    return '?';
  return mapLetters[argument.getArgNumber() - inputs];
}

bool Distributor::dependsOn(Value value,
                            llvm::function_ref<bool(BlockArgument)> bad) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &map.getBody().front() && bad(argument);
  Operation *op = value.getDefiningOp();
  return op->getBlock() == &map.getBody().front() &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return dependsOn(operand, bad); });
}

LogicalResult Distributor::addTable(attn::ReadOp read, bool isNegative) {
  Term term{isNegative, read.getSource(), "", read};
  unsigned gathered = 0;
  for (auto [axis, index] : llvm::enumerate(read.getIndices())) {
    char letter = letterOf(index);
    auto place = attn::axisOf(mapLetters, letter);
    bool isWhole =
        place &&
        (letter == summed || StringRef(otherLetters).contains(letter)) &&
        attn::axisSize(map.getType(), *place) ==
            attn::axisSize(read.getSource().getType(), axis);
    term.letters += isWhole ? letter : '?';
    gathered += !isWhole;
    auto isBad = [&](BlockArgument argument) {
      return argument.getArgNumber() < map.getInputs().size() ||
             letterOf(argument) == summed;
    };
    if (!isWhole && dependsOn(index, isBad))
      return refuse("an index depends on the feature or on an element");
  }
  if (gathered != 1 || llvm::count(term.letters, summed) != 1 ||
      !isa<FloatType>(getElementTypeOrSelf(read.getSource().getType())))
    return refuse("what it reads is no row of a table by one index");
  terms.push_back(term);
  return success();
}

LogicalResult Distributor::addTerms(Value sum, bool isNegative) {
  if (auto argument = dyn_cast<BlockArgument>(sum)) {
    attn::Labels labels = map.getAxisLabels();
    unsigned input = argument.getArgNumber();
    if (input >= labels.inputs.size())
      return refuse("an index is a term");
    std::string letters;
    for (char letter : labels.inputs[input])
      letters += mapLetters[*attn::axisOf(labels.output, letter)];
    if (!StringRef(letters).contains(summed) ||
        letters.size() >= mapLetters.size())
      return refuse("a term has as many axes as the sum");
    terms.push_back({isNegative, map.getInputs()[input], letters, {}});
    return success();
  }
  Operation *op = sum.getDefiningOp();
  if (auto read = dyn_cast<attn::ReadOp>(op))
    return addTable(read, isNegative);
  if (!isa<arith::AddFOp, arith::SubFOp>(op))
    return refuse("the map is no sum of rows");
  if (failed(addTerms(op->getOperand(0), isNegative)))
    return failure();
  return addTerms(op->getOperand(1), isNegative != isa<arith::SubFOp>(op));
}

LogicalResult Distributor::match(unsigned side) {
  if (product.getMask())
    return refuse("has a mask");
  if (failed(findMap(side)))
    return failure();
  Type real = attn::accumulateType(product->getOperandTypes());
  if (getElementTypeOrSelf(product.getType()) != real ||
      getElementTypeOrSelf(map.getType()) != real)
    return refuse("rounds the product or the sum");
  auto yield = cast<attn::YieldOp>(map.getBody().front().getTerminator());
  if (failed(addTerms(yield.getValue(), false)))
    return failure();
  bool hasAllAxes = llvm::all_of(mapLetters, [&](char letter) {
    return StringRef(otherLetters).contains(letter);
  });
  unsigned rows =
      llvm::count_if(terms, [](const Term &term) { return !term.read; });
  return hasAllAxes && rows > 1
             ? refuse("each term's product would be as large as this one")
             : success();
}

/// The other operand times a row, whole or for each row of the table.
Value Distributor::multiply(const Term &term, std::string &letters) {
  constexpr StringLiteral kNames = "abcdefghijklmnopqrstuvwxyz";
  std::string used = otherLetters + mapLetters, right = term.letters;
  char fresh = kNames[kNames.find_first_not_of(used)];
  std::replace(right.begin(), right.end(), '?', fresh);
  SmallVector<Attribute> sizes;
  for (auto [side, tensor] : {std::pair(StringRef(otherLetters), other),
                              {StringRef(right), term.row}})
    for (auto [axis, letter] : llvm::enumerate(side))
      if (letter != summed && !StringRef(letters).contains(letter)) {
        letters += letter;
        sizes.push_back(attn::axisSize(tensor.getType(), axis));
      }
  Type type = attn::tensorType(sizes, getElementTypeOrSelf(product.getType()));
  return attn::ContractOp::create(rewriter, product.getLoc(), type,
                                  otherLetters + "," + right + "->" + letters,
                                  other, term.row);
}

Value Distributor::cloneIndex(OpBuilder &b, Value index, IRMapping &places) {
  if (Value known = places.lookupOrNull(index))
    return known;
  Operation *op = index.getDefiningOp();
  if (!op || op->getBlock() != &map.getBody().front())
    return index;
  for (Value operand : op->getOperands())
    cloneIndex(b, operand, places);
  b.clone(*op, places);
  return places.lookup(index);
}

void Distributor::rewrite() {
  StringRef out = product.getAxisLabels().output;
  SmallVector<Value> inputs, tables(terms.size());
  SmallVector<std::string> letters(terms.size());
  std::string labels;
  rewriter.setInsertionPoint(product);
  for (auto [i, term] : llvm::enumerate(terms)) {
    Value made = multiply(term, letters[i]);
    if (term.read) {
      tables[i] = made;
      continue;
    }
    inputs.push_back(made);
    labels += (labels.empty() ? "" : ",") + letters[i];
  }
  auto body = [&](OpBuilder &b, Location loc, ValueRange x) {
    ValueRange indices = x.take_back(out.size());
    IRMapping places;
    for (auto [axis, letter] : llvm::enumerate(mapLetters))
      if (letter != summed)
        places.map(map.getBody().getArgument(map.getInputs().size() + axis),
                   indices[*attn::axisOf(out, letter)]);
    Value sum;
    unsigned next = 0;
    for (auto [i, term] : llvm::enumerate(terms)) {
      Value value;
      if (!term.read) {
        value = x[next++];
      } else {
        SmallVector<Value> at;
        for (char letter : letters[i])
          if (std::optional<unsigned> axis = attn::axisOf(out, letter))
            at.push_back(indices[*axis]);
        Value index = term.read.getIndices()[term.letters.find('?')];
        at.push_back(cloneIndex(b, index, places));
        value =
            attn::ReadOp::create(b, loc, term.read.getType(), tables[i], at);
      }
      if (!sum)
        sum = term.isNegative ? arith::NegFOp::create(b, loc, value).getResult()
                              : value;
      else if (term.isNegative)
        sum = arith::SubFOp::create(b, loc, sum, value);
      else
        sum = arith::AddFOp::create(b, loc, sum, value);
    }
    attn::YieldOp::create(b, loc, sum);
  };
  Value made =
      attn::MapOp::create(rewriter, product.getLoc(), product.getType(),
                          labels + "->" + out.str(), inputs, body);
  rewriter.replaceOp(product, made);
}

static LogicalResult distribute(attn::ContractOp product,
                                PatternRewriter &rewriter) {
  for (unsigned side : {0, 1}) {
    Distributor distributor(product, rewriter);
    if (failed(distributor.match(side)))
      continue;
    distributor.rewrite();
    return success();
  }
  return failure();
}

namespace {
struct DistributeProducts final
    : graph::impl::DistributeProductsBase<DistributeProducts> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(distribute);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
