//===- DistributeProducts.cpp - Distribute products over row sums ---------===//
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
// The same holds for any formula that is linear in rows: where(k > q, Q, -Q) @
// K is where(k > q, Q @ K, -(Q @ K)), and (K * f[k - q]) @ Q is Q @ K * f[k -
// q]. What is the same for each feature is a number times a row of ones.
//
// Only where the map has more axes than each row in it: a sum of rows of the
// key alone is cheaper before the product. And where the product becomes
// cheaper: (Q - K) @ (Q - K) would be four sums that cancel instead of one, a
// pair of rows times a table more numbers than there are pairs, and so would a
// row times a table that has many more rows than there are keys (or, where the
// key alone chooses, is not much smaller). Tests:
// test/Graph/distribute-products.mlir, distribute-products-expect.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Graph/Passes.h"

#include "Distribute/LinearMap.h"

#include "attnc/Analysis/Regime/Regimes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::graph;

namespace attnc::graph {
#define GEN_PASS_DEF_DISTRIBUTEPRODUCTS
#include "attnc/Graph/Passes.h.inc"
} // namespace attnc::graph

namespace {
/// The product of a term with the other operand.
struct TermProduct {
  Value tensor;
  std::string letters;
};

class Distributor {
public:
  Distributor(attn::ContractOp product, PatternRewriter &rewriter)
      : product(product), rewriter(rewriter) {}
  /// Whether the left (0) or right operand is linear in rows to take apart.
  LogicalResult match(unsigned side);
  void rewrite();

private:
  LogicalResult findMap(unsigned side);
  bool isOfPairs();
  double tableShare(const LinearMap::Term &term, const Regime &at);
  bool areTablesLarge();
  Value ones();
  TermProduct multiply(const LinearMap::Term &term);
  Value elementOf(OpBuilder &b, const TermProduct &made, Value index,
                  ValueRange places);
  LogicalResult refuse(StringRef reason) {
    return rewriter.notifyMatchFailure(product, reason);
  }

  attn::ContractOp product;
  PatternRewriter &rewriter;
  attn::MapOp map;
  Value other;
  std::string otherLetters, mapLetters; // in the product's words
  char summed = 0;
  std::optional<LinearMap> rows;
};
} // namespace

LogicalResult Distributor::findMap(unsigned side) {
  attn::Labels labels = product.getAxisLabels();
  Value operand = side ? product.getRhs() : product.getLhs();
  map = operand.getDefiningOp<attn::MapOp>();
  if (!map || !map->hasOneUse())
    return refuse("the operand is not a map with a single use");
  other = side ? product.getLhs() : product.getRhs();
  mapLetters = labels.inputs[side].str();
  otherLetters = labels.inputs[1 - side].str();
  unsigned sums = 0;
  for (char letter : mapLetters)
    if (!labels.output.contains(letter)) {
      summed = letter;
      ++sums;
    }
  if (sums != 1 || !StringRef(otherLetters).contains(summed))
    return refuse("does not sum over one axis of both operands");
  return success();
}

/// Whether the other operand has all axes of the map, or is a formula of rows
/// with fewer axes, too: then a product with any row is a sum for each pair.
bool Distributor::isOfPairs() {
  bool hasAllAxes = llvm::all_of(mapLetters, [&](char letter) {
    return StringRef(otherLetters).contains(letter);
  });
  auto made = other.getDefiningOp<attn::MapOp>();
  return hasAllAxes ||
         (made && !made.getInputs().empty() &&
          llvm::all_of(made.getAxisLabels().inputs, [&](StringRef letters) {
            return letters.size() < otherLetters.size();
          }));
}

/// So many numbers has the product with a table for each one of this product.
double Distributor::tableShare(const LinearMap::Term &term, const Regime &at) {
  double numbers = 1;
  for (auto [axis, letter] : llvm::enumerate(otherLetters))
    if (letter != summed)
      numbers *= at.sizeOf(attn::axisSize(other.getType(), axis));
  for (auto [axis, letter] : llvm::enumerate(term.letters))
    if (!StringRef(otherLetters).contains(letter))
      numbers *= at.sizeOf(attn::axisSize(term.row.getType(), axis));
  for (unsigned axis = 0; axis < product.getType().getRank(); ++axis)
    numbers /= std::max<int64_t>(
        at.sizeOf(attn::axisSize(product.getType(), axis)), 1);
  return numbers;
}

/// Whether one product for each pair costs less than those with the tables. It
/// is made by a kernel feature by feature: 8 numbers of a product with a table
/// take as long (512 queries and keys of 32 features on AVX2;
/// with 1 query about 20). Rows that an index of the map's own axes chooses are
/// no more than its places: they are put together and multiplied like keys,
/// which takes as long as to find a number for each pair, unless the table is
/// small.
bool Distributor::areTablesLarge() {
  constexpr double kOfOwn = 0.25;
  bool isOfOwn =
      llvm::all_of(rows->getTerms(),
                   [](const LinearMap::Term &term) { return term.isOfOwn; });
  double kNumbersPerPair = isOfOwn ? kOfOwn : 8;
  double sum = 0, weights = 0;
  for (const Regime &at :
       getRegimes(product->getParentOfType<func::FuncOp>(), nullptr)) {
    for (const LinearMap::Term &term : rows->getTerms())
      if (StringRef(term.letters).contains('?'))
        sum += at.weight * tableShare(term, at);
    weights += at.weight;
  }
  return sum > kNumbersPerPair * weights;
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
  rows.emplace(map, mapLetters, summed, otherLetters);
  if (StringRef reason = rows->match(); !reason.empty())
    return refuse(reason);
  if (areTablesLarge())
    return refuse("its tables have many more rows than there are pairs");
  return rows->getTerms().size() > 1 && isOfPairs()
             ? refuse("each term's product would be as large as this one")
             : success();
}

/// A row of ones.
Value Distributor::ones() {
  Type real = getElementTypeOrSelf(map.getType());
  Attribute size =
      attn::axisSize(map.getType(), *attn::axisOf(mapLetters, summed));
  return attn::MapOp::create(
      rewriter, product.getLoc(), attn::tensorType(size, real),
      "->" + std::string(1, summed), ValueRange(),
      [&](OpBuilder &b, Location loc, ValueRange) {
        attn::YieldOp::create(
            b, loc,
            arith::ConstantOp::create(b, loc, b.getFloatAttr(real, 1.0)));
      });
}

/// The other operand times a row, whole or for each row of the table.
TermProduct Distributor::multiply(const LinearMap::Term &term) {
  constexpr StringLiteral kNames = "abcdefghijklmnopqrstuvwxyz";
  std::string used = otherLetters + mapLetters, right = term.letters, letters;
  char fresh = kNames[kNames.find_first_not_of(used)];
  std::replace(right.begin(), right.end(), '?', fresh);
  Value row = term.read  ? rows->makeRow(rewriter, term)
              : term.row ? term.row
                         : ones();
  SmallVector<Attribute> sizes;
  for (auto [side, tensor] :
       {std::pair(StringRef(otherLetters), other), {StringRef(right), row}})
    for (auto [axis, letter] : llvm::enumerate(side))
      if (letter != summed && !StringRef(letters).contains(letter)) {
        letters += letter;
        sizes.push_back(attn::axisSize(tensor.getType(), axis));
      }
  Type type = attn::tensorType(sizes, getElementTypeOrSelf(product.getType()));
  Value made = attn::ContractOp::create(
      rewriter, product.getLoc(), type,
      otherLetters + "," + right + "->" + letters, other, row);
  return {made, letters};
}

/// Of a table's product the row that `index` chooses, at the result's places.
Value Distributor::elementOf(OpBuilder &b, const TermProduct &made, Value index,
                             ValueRange places) {
  SmallVector<Value> at;
  for (char letter : made.letters)
    if (auto axis = attn::axisOf(product.getAxisLabels().output, letter))
      at.push_back(places[*axis]);
  at.push_back(index);
  return attn::ReadOp::create(b, product.getLoc(),
                              getElementTypeOrSelf(made.tensor.getType()),
                              made.tensor, at);
}

void Distributor::rewrite() {
  StringRef out = product.getAxisLabels().output;
  rewriter.setInsertionPoint(product);
  SmallVector<Value> inputs;
  SmallVector<unsigned> numbers; // inputs of the map
  std::string labels;
  auto addInput = [&](Value tensor, StringRef letters) {
    inputs.push_back(tensor);
    labels += ((inputs.size() > 1 ? "," : "") + letters).str();
  };
  for (auto [i, input] : llvm::enumerate(map.getInputs()))
    if (std::string letters = rows->lettersOfInput(i);
        !StringRef(letters).contains(summed)) {
      numbers.push_back(i);
      addInput(input, letters);
    }
  SmallVector<TermProduct> products;
  SmallVector<unsigned> argumentOf;
  for (const LinearMap::Term &term : rows->getTerms()) {
    products.push_back(multiply(term));
    argumentOf.push_back(inputs.size());
    if (!StringRef(term.letters).contains('?'))
      addInput(products.back().tensor, products.back().letters);
  }
  auto body = [&](OpBuilder &b, Location loc, ValueRange x) {
    ValueRange places = x.take_back(out.size());
    IRMapping known;
    for (auto [argument, input] : llvm::enumerate(numbers))
      known.map(map.getBody().getArgument(input), x[argument]);
    for (auto [axis, letter] : llvm::enumerate(mapLetters))
      if (letter != summed)
        known.map(map.getBody().getArgument(map.getInputs().size() + axis),
                  places[*attn::axisOf(out, letter)]);
    Value formula =
        rows->build(b, known, [&](unsigned term, Value index) -> Value {
          return index ? elementOf(b, products[term], index, places)
                       : x[argumentOf[term]];
        });
    attn::YieldOp::create(b, loc, formula);
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
