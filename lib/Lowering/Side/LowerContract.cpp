//===- LowerContract.cpp - Lower matrix products outside kernels ----------===//
//
// Form dot, for "qd,de->qe" with lanes e and rows q (a block's dims q and e):
//
//   acc = 0
//   for d in steps { acc += tile.dot (load rhs as q:64 k:384,
//                                     load lhs as e:288 k:384) sum(k) }
//   store acc
//
// A map of the operand of the lanes, and products of that operand with vectors,
// may belong to the product (attn.in_product): then the map is applied to the
// operand's tile, and each vector gets a sum of its own, a tile with the lanes
// only, for an epilogue or to be stored.
//
// With attn.tile_rows the whole sum is one step, and a loop goes along the
// rows:
//
//   load lhs as q:64 k:768
//   for e in tiles { store tile.dot (that, load rhs as e:64 k:768) sum(k) }
//
// A product with attn.compensated carries with each sum what rounding has lost
// of the sums of the steps, and adds it in the end.
//
// A fixed sum of at most one step is taken at once. Of several summed letters
// the steps go along the last, block by block for each place of the others: so
// heads that are summed need not follow each other in memory. Maps that are the
// product's epilogue are applied to its tile before it is stored. Each case of
// the op (Cases.cpp) has such a grid.
//
// Form element reads both operands element by element, over all summed letters
// as one dim, whatever the letters are, be there none (an outer product).
// Tests: test/Lowering/Side/side-ops.mlir, tile-rows.mlir,
// test/Lowering/products.mlir
//
//===----------------------------------------------------------------------===//

#include "Formula/CompensatedSum.h"
#include "Formula/ReadElement.h"
#include "Side/SideBlock.h"

#include "attnc/Dialect/Attn/Epilogue.h"
#include "attnc/Dialect/Attn/InProduct.h"
#include "attnc/Dialect/Attn/MapFormula.h"
#include "attnc/Dialect/Attn/NarrowSums.h"
#include "attnc/Dialect/Attn/Panels.h"
#include "attnc/Dialect/Attn/TileRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

namespace {
class ContractLowering {
public:
  ContractLowering(attn::ContractOp op, Storage &storage)
      : op(op), block(op, storage), labels(op.getAxisLabels()) {
    block.addAxes(labels.inputs[0], op.getLhs());
    block.addAxes(labels.inputs[1], op.getRhs());
    block.addAxes(labels.output, op.getResult());
    for (char letter : (labels.inputs[0] + labels.inputs[1]).str())
      if (!labels.output.contains(letter) &&
          !StringRef(block.summed).contains(letter))
        block.summed += letter;
  }

  LogicalResult lowerDot();
  LogicalResult lowerElements();

private:
  Value allowed(OpBuilder &b, const Places &places) {
    return block.read(b, op.getMask(), *op.getMaskLabels(), places);
  }
  Value sizeOf(StringRef letters);
  void orderSummed(StringRef rowLetters);
  FailureOr<BlockBuffer> lanesOperand();
  Value loadLanes(Value k0, Value nk);
  Value loadRows(Value k0, Value nk);
  SmallVector<Value> product(Value k0, Value nk, ValueRange carried);
  Value timesVector(attn::Companion &companion, Value lanes, Value k0, Value nk,
                    Value acc);
  Value sumOfProducts();
  void storeTiles();
  Value sumOfElements();
  SmallVector<Value> sumInSteps();
  SmallVector<Value> sumCompensated(ArrayRef<Value> zeros);
  Value sumOverLetters(Value zero);
  LogicalResult planEpilogues();
  LogicalResult planCompanions();
  bool isForEpilogues(attn::Companion &companion);
  Value applyEpilogues(Value tile);
  Value stored() {
    return epilogues.empty() ? op.getResult()
                             : epilogues.back().map.getResult();
  }

  /// A map on the product's tile, in the words of the product.
  struct Epilogue {
    attn::MapOp map;
    unsigned host;
    SmallVector<std::string> inputs;
    std::string output;
  };

  attn::ContractOp op;
  SideBlock block;
  attn::Labels labels;
  unsigned lanesNumber = 0;    // of form dot: the operand along the lanes
  BlockBuffer onLanes, onRows; // of form dot
  std::optional<attn::Panels> panels; // of the operand along the lanes
  attn::MapOp prologue;               // of the operand along the lanes, or null
  SmallVector<attn::Companion> companions;
  SmallVector<Value> besideSums; // of the companions, in the grid
  std::vector<Epilogue> epilogues;
};
} // namespace

/// The number of places of letters.
Value ContractLowering::sizeOf(StringRef letters) {
  Value count = arith::ConstantIndexOp::create(block.builder, block.loc, 1);
  for (char letter : letters)
    count = block.builder.createOrFold<arith::MulIOp>(
        block.loc, count, block.sizeOf(block.builder, letter));
  return count;
}

/// Summed letters in the order in which the operand of the rows has them: what
/// lies closest together is summed first. Axes of one element do not count.
void ContractLowering::orderSummed(StringRef rowLetters) {
  std::string summed;
  llvm::copy_if(rowLetters, std::back_inserter(summed), [&](char letter) {
    return StringRef(block.summed).contains(letter) &&
           block.fixedSize(letter) != 1;
  });
  block.summed = summed;
  block.stepAlongLast();
}

/// The operand along the lanes as it lies in memory.
FailureOr<BlockBuffer> ContractLowering::lanesOperand() {
  std::string letters = labels.inputs[lanesNumber].str();
  Value lanes = op->getOperand(lanesNumber);
  if (attn::ViewOp view = attn::findPanelView(lanes)) {
    if (std::string problem = attn::findPanelsProblem(view); !problem.empty())
      return view.emitOpError("has ") << attn::kPanels << ", but " << problem;
    panels = attn::panelsOf(view);
    return block.panels(lanes, letters);
  }
  if (!prologue)
    return block.operand(lanes, letters);
  unsigned elements = *attn::findElements(prologue);
  for (auto [number, input] : llvm::enumerate(prologue.getInputs()))
    if (number != elements &&
        failed(checkElements(prologue, input, block.storage.scope)))
      return failure();
  return block.operand(prologue.getInputs()[elements],
                       attn::lettersOfInput(prologue, letters, elements));
}

Value ContractLowering::loadRows(Value k0, Value nk) {
  Value operand = op->getOperand(1 - lanesNumber);
  return block.load(onRows, "ek", k0, nk,
                    getElementTypeOrSelf(operand.getType()));
}

/// A tile of the operand along the lanes; past `nk` it is 0.
Value ContractLowering::loadLanes(Value k0, Value nk) {
  if (panels)
    return block.loadPanel(onLanes, panels->lanesAxis, k0);
  Type element = getElementTypeOrSelf(op->getOperand(lanesNumber).getType());
  Value loaded = block.load(onLanes, "qk", k0, nk, prologue ? Type() : element);
  if (!prologue)
    return loaded;
  unsigned elements = *attn::findElements(prologue);
  StringRef letters = labels.inputs[lanesNumber];
  Type computed = prologue.getAccumulateType();
  Type made = getElementTypeOrSelf(prologue.getType());
  Value tile = block.map(
      block.tileType("qk"), loaded, k0,
      [&](OpBuilder &b, ValueRange x, const Places &places) {
        SmallVector<Value> arguments;
        for (auto [number, input] : llvm::enumerate(prologue.getInputs()))
          arguments.push_back(
              number == elements
                  ? emitWidened(b, block.loc, x[0], computed)
                  : block.read(b, input,
                               attn::lettersOfInput(prologue, letters, number),
                               places, computed));
        for (char letter : letters)
          arguments.push_back(places.lookup(letter));
        Value y = block.inlined(b, prologue.getBody(), arguments);
        y = emitRounded(b, block.loc, y, made);
        return emitWidened(b, block.loc, y, block.accumulate);
      });
  if (!nk)
    return tile;
  return block.select(
      tile, k0, nk, 0.0, [&](OpBuilder &b, const Places &) -> Value {
        return arith::ConstantOp::create(b, block.loc, b.getBoolAttr(true));
      });
}

/// `acc` and the products of the operand along the lanes with a vector.
Value ContractLowering::timesVector(attn::Companion &companion, Value lanes,
                                    Value k0, Value nk, Value acc) {
  Value terms = block.map(
      block.tileType("qk"), lanes, k0,
      [&](OpBuilder &b, ValueRange x, const Places &places) -> Value {
        Value y =
            block.read(b, companion.getVector(), companion.vector, places);
        Value wide = emitWidened(b, block.loc, x[0], block.accumulate);
        return arith::MulFOp::create(b, block.loc, wide, y);
      });
  if (nk)
    terms = block.select(
        terms, k0, nk, 0.0, [&](OpBuilder &b, const Places &) -> Value {
          return arith::ConstantOp::create(b, block.loc, b.getBoolAttr(true));
        });
  return tile::ReduceOp::create(block.builder, block.loc, block.tileType("q"),
                                tile::ReduceKind::Add, terms, "k", acc);
}

/// What was `carried` and the products of `nk` places of the stepped letter
/// from `k0` on: the product's own (nothing is carried: from 0), and those of
/// its companions.
SmallVector<Value> ContractLowering::product(Value k0, Value nk,
                                             ValueRange carried) {
  Value acc = carried.empty() ? Value() : carried[0];
  Value a = loadLanes(k0, nk);
  Value b = loadRows(k0, nk);
  Value where;
  if (op.getMask())
    where = block.map(block.tileType("qk", block.builder.getI1Type()), {}, k0,
                      [&](OpBuilder &inner, ValueRange, const Places &places) {
                        return allowed(inner, places);
                      });
  SmallVector<Value> sums{tile::DotOp::create(
      block.builder, block.loc, block.tileType("qe"), a, b, "k", acc, where)};
  for (auto [number, companion] : llvm::enumerate(companions)) {
    Value start = carried.empty()
                      ? tile::SplatOp::create(block.builder, block.loc,
                                              block.tileType("q"), 0.0)
                            .getResult()
                      : carried[number + 1];
    sums.push_back(timesVector(companion, a, k0, nk, start));
  }
  return sums;
}

/// The sum over several letters: one number counts the blocks of the last for
/// all places of the others.
Value ContractLowering::sumOverLetters(Value zero) {
  OpBuilder &b = block.builder;
  Location loc = block.loc;
  StringRef outer = StringRef(block.summed).drop_back();
  char last = block.summed.back();
  std::optional<int64_t> fixed = block.fixedSize(last);
  Value step = arith::ConstantIndexOp::create(b, loc, block.summedSize);
  Value size = block.sizeOf(b, last);
  Value blocks = b.createOrFold<arith::CeilDivSIOp>(loc, size, step);
  Value count = b.createOrFold<arith::MulIOp>(loc, sizeOf(outer), blocks);
  return block.loopOverNumbers(
      count, zero, [&](Value number, ValueRange carried) {
        Value place = b.createOrFold<arith::FloorDivSIOp>(loc, number, blocks);
        Value whole = b.createOrFold<arith::MulIOp>(loc, place, blocks);
        Value inner = b.createOrFold<arith::SubIOp>(loc, number, whole);
        Value k0 = b.createOrFold<arith::MulIOp>(loc, inner, step);
        Value nk;
        if (!fixed || *fixed % block.summedSize) {
          Value left = arith::SubIOp::create(b, loc, size, k0);
          nk = arith::MinSIOp::create(b, loc, left, step);
        }
        Places places;
        block.splitPlace(b, place, outer, places);
        for (auto [letter, at] : places)
          block.placeLetter(letter, at);
        return product(k0, nk, carried);
      })[0];
}

/// The tile of the result, after the grid was opened.
Value ContractLowering::sumOfProducts() {
  std::optional<int64_t> fixed = block.fixedSize(block.summed.back());
  bool isShort = fixed && *fixed > 0 && *fixed <= block.block.getK();
  block.summedSize = isShort ? *fixed : block.block.getK();
  if (isShort && block.summed.size() == 1) {
    Value zero = arith::ConstantIndexOp::create(block.builder, block.loc, 0);
    SmallVector<Value> sums = product(zero, {}, {});
    besideSums.assign(sums.begin() + 1, sums.end());
    return sums[0];
  }
  if (block.summed.size() > 1)
    return sumOverLetters(tile::SplatOp::create(block.builder, block.loc,
                                                block.tileType("qe"), 0.0));
  SmallVector<Value> sums = sumInSteps();
  besideSums.assign(sums.begin() + 1, sums.end());
  return sums[0];
}

/// The sum over the stepped letter, and those of the companions.
SmallVector<Value> ContractLowering::sumInSteps() {
  SmallVector<Value> zeros{tile::SplatOp::create(block.builder, block.loc,
                                                 block.tileType("qe"), 0.0)};
  for (size_t i = 0; i < companions.size(); ++i)
    zeros.push_back(tile::SplatOp::create(block.builder, block.loc,
                                          block.tileType("q"), 0.0));
  if (op->hasAttr(attn::kCompensated))
    return sumCompensated(zeros);
  std::optional<int64_t> fixed = block.fixedSize(block.summed.back());
  bool hasRest = !fixed || *fixed % block.summedSize;
  return block.loop(sizeOf(block.summed), block.summedSize, zeros,
                    [&](Value k0, Value nk, ValueRange carried) {
                      return product(k0, hasRest ? nk : Value(), carried);
                    });
}

/// The same with what rounding loses from step to step. Of a sum that is no
/// number or infinite nothing is known to be lost.
SmallVector<Value> ContractLowering::sumCompensated(ArrayRef<Value> zeros) {
  OpBuilder &b = block.builder;
  size_t count = zeros.size();
  SmallVector<Value> starts(zeros);
  llvm::append_range(starts, zeros);
  SmallVector<Value> ends =
      block.loop(sizeOf(block.summed), block.summedSize, starts,
                 [&](Value k0, Value nk, ValueRange carried) {
                   SmallVector<Value> next(2 * count);
                   for (auto [i, x] : llvm::enumerate(product(k0, nk, {})))
                     std::tie(next[i], next[count + i]) =
                         emitSum(b, block.loc, carried[i], carried[count + i],
                                 /*ratio=*/{}, x);
                   return next;
                 });
  SmallVector<Value> totals;
  for (size_t i = 0; i < count; ++i)
    totals.push_back(tile::MapOp::create(
        b, block.loc, cast<tile::TileType>(ends[i].getType()),
        ValueRange{ends[i], ends[count + i]}, tile::NamedValues(),
        [&](OpBuilder &inner, Location loc, ValueRange x) -> Value {
          Value total = arith::AddFOp::create(inner, loc, x[0], x[1]);
          Value unknown = arith::CmpFOp::create(
              inner, loc, arith::CmpFPredicate::UNO, x[1], x[1]);
          return arith::SelectOp::create(inner, loc, unknown, x[0], total);
        }));
  return totals;
}

/// Finds the maps that are applied to the product's tile, and where the last
/// one's result goes.
LogicalResult ContractLowering::planEpilogues() {
  Value result = op.getResult();
  std::string made = labels.output.str();
  while (attn::MapOp map = attn::findEpilogue(result)) {
    Epilogue epilogue{map, *attn::findHost(map), {}, {}};
    attn::Labels own = map.getAxisLabels();
    StringRef inside = own.inputs[epilogue.host];
    auto renamed = [&](StringRef letters) {
      return attn::renameLetters(letters, inside, made);
    };
    for (auto [number, letters] : llvm::enumerate(own.inputs)) {
      Value input = map.getInputs()[number];
      if (number != epilogue.host &&
          failed(checkElements(map, input, block.storage.scope)))
        return failure();
      epilogue.inputs.push_back(renamed(letters));
    }
    epilogue.output = renamed(own.output);
    made = epilogue.output;
    result = map.getResult();
    epilogues.push_back(std::move(epilogue));
  }
  return block.addResult(result, made, /*inLoop=*/op->hasAttr(attn::kTileRows));
}

/// Whether only epilogues read the sums of a companion: nobody stores them.
bool ContractLowering::isForEpilogues(attn::Companion &companion) {
  return llvm::all_of(companion.getResult().getUsers(), [&](Operation *user) {
    return llvm::any_of(epilogues, [&](const Epilogue &epilogue) {
      return epilogue.map == user;
    });
  });
}

/// Finds the products with vectors that are made in the same blocks.
LogicalResult ContractLowering::planCompanions() {
  companions = attn::findCompanions(op, lanesNumber);
  for (attn::Companion &companion : companions) {
    block.made.push_back(companion.getResult());
    if (failed(checkElements(companion.product, companion.getVector(),
                             block.storage.scope)) ||
        (!isForEpilogues(companion) &&
         failed(block.addResult(companion.getResult(), companion.output))))
      return failure();
  }
  return success();
}

/// Each map of the tile, rounded as if it went through memory.
Value ContractLowering::applyEpilogues(Value tile) {
  for (Epilogue &epilogue : epilogues) {
    attn::MapOp map = epilogue.map;
    Type made = getElementTypeOrSelf(map.getInputs()[epilogue.host].getType());
    tile = block.rounded(tile, made);
    Type element = getElementTypeOrSelf(map.getType());
    SmallVector<Value> tiles{tile};
    SmallVector<std::optional<unsigned>> tileOf; // of each input
    for (auto [number, input] : llvm::enumerate(map.getInputs())) {
      auto *beside = llvm::find_if(companions, [&](attn::Companion &companion) {
        return companion.getResult() == input;
      });
      std::optional<unsigned> place;
      if (number == epilogue.host) {
        place = 0;
      } else if (beside != companions.end()) {
        place = tiles.size();
        tiles.push_back(block.rounded(besideSums[beside - companions.begin()],
                                      getElementTypeOrSelf(input.getType())));
      }
      tileOf.push_back(place);
    }
    tile = block.map(
        block.tileType("qe", element), tiles, {},
        [&](OpBuilder &b, ValueRange x, const Places &places) {
          SmallVector<Value> arguments;
          for (auto [number, letters] : llvm::enumerate(epilogue.inputs))
            arguments.push_back(
                tileOf[number]
                    ? emitWidened(b, block.loc, x[*tileOf[number]],
                                  block.accumulate)
                    : block.read(b, map.getInputs()[number], letters, places));
          for (char letter : epilogue.output)
            arguments.push_back(places.lookup(letter));
          Value y = block.inlined(b, map.getBody(), arguments);
          return emitRounded(b, block.loc, y, element);
        });
  }
  return tile;
}

/// The whole sum for tiles of rows, after the grid was opened.
void ContractLowering::storeTiles() {
  Value start = arith::ConstantIndexOp::create(block.builder, block.loc, 0);
  block.summedSize = *block.fixedSize(block.summed[0]);
  Value a = loadLanes(start, {});
  block.loopOverRows(*attn::tileRowsOf(op), [&] {
    Value b = loadRows(start, {});
    Value sum =
        tile::DotOp::create(block.builder, block.loc, block.tileType("qe"), a,
                            b, "k", Value(), Value());
    block.store(applyEpilogues(sum), stored());
  });
}

LogicalResult ContractLowering::lowerDot() {
  bool lanesAreLeft = labels.inputs[0].contains(block.block.getLanes());
  orderSummed(labels.inputs[lanesAreLeft]);
  lanesNumber = lanesAreLeft ? 0 : 1;
  prologue = attn::findPrologue(op, lanesNumber);
  unsigned rowsNumber = 1 - lanesNumber;
  auto lanes = lanesOperand();
  auto rows =
      block.operand(op->getOperand(rowsNumber), labels.inputs[rowsNumber]);
  if (failed(lanes) || failed(rows) || failed(planEpilogues()) ||
      failed(planCompanions()))
    return failure();
  onLanes = *lanes;
  onRows = *rows;
  block.forEachCase([&] {
    block.open(labels.output);
    if (op->hasAttr(attn::kTileRows) && block.block == attn::BlockAttr::of(op))
      return storeTiles();
    Value sums = sumOfProducts();
    for (auto [companion, sum] : llvm::zip_equal(companions, besideSums))
      if (!isForEpilogues(companion))
        block.store(sum, companion.getResult());
    block.store(applyEpilogues(sums), stored());
  });
  return success();
}

LogicalResult ContractLowering::lowerElements() {
  if (failed(checkElements(op, op.getLhs(), block.storage.scope)) ||
      failed(checkElements(op, op.getRhs(), block.storage.scope)) ||
      failed(block.addResult(op.getResult(), labels.output)))
    return failure();
  // A product that sums nothing has one place to visit.
  block.summedSize = block.summed.empty() ? 1 : 16;
  block.forEachCase([&] {
    block.open(labels.output);
    block.store(sumOfElements(), op.getResult());
  });
  return success();
}

/// The tile of the result, after the grid was opened.
Value ContractLowering::sumOfElements() {
  auto product = [&](OpBuilder &b, const Places &places) -> Value {
    Value x = block.read(b, op.getLhs(), labels.inputs[0], places);
    Value y = block.read(b, op.getRhs(), labels.inputs[1], places);
    return arith::MulFOp::create(b, block.loc, x, y);
  };
  tile::TileType type = block.tileType("q");
  Value zero = tile::SplatOp::create(block.builder, block.loc, type, 0.0);
  return block.loop(
      sizeOf(block.summed), block.summedSize, zero,
      [&](Value k0, Value nk, ValueRange carried) {
        Value x =
            block.map(block.tileType("qk"), {}, k0,
                      [&](OpBuilder &b, ValueRange, const Places &places) {
                        return product(b, places);
                      });
        Value kept = block.select(
            x, k0, nk, 0.0, [&](OpBuilder &b, const Places &places) -> Value {
              if (op.getMask())
                return allowed(b, places);
              return arith::ConstantOp::create(b, block.loc,
                                               b.getBoolAttr(true));
            });
        return SmallVector<Value>{tile::ReduceOp::create(
            block.builder, block.loc, type, tile::ReduceKind::Add, kept, "k",
            carried[0])};
      })[0];
}

LogicalResult lowerContract(attn::ContractOp op, Storage &storage) {
  ContractLowering lowering(op, storage);
  return attn::BlockAttr::of(op).getForm() == attn::BlockForm::Dot
             ? lowering.lowerDot()
             : lowering.lowerElements();
}

} // namespace attnc::lowering
