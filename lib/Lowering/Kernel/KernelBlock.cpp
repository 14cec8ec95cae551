//===- KernelBlock.cpp - One block of queries of a kernel -----------------===//
//
// Tests: test/Lowering/convert-attn-to-tile.mlir,
// test/Lowering/Formula/view-indices.mlir, test/Lowering/scale-place.yaml
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelBlock.h"
#include "Kernel/SplitOperands.h"
#include "Softmax/RoughScores.h"

#include "attnc/Analysis/Kernel/GroupedRows.h"
#include "attnc/Dialect/Attn/ScalePlace.h"
#include "attnc/Dialect/Attn/UnreadProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

static int64_t lastExtent(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape().back();
}

SmallVector<Value, 3> SoftmaxState::values() const {
  SmallVector<Value, 3> values;
  for (Value value : {o, m, l})
    if (value)
      values.push_back(value);
  return values;
}

SoftmaxState SoftmaxState::withValues(ValueRange values) const {
  SoftmaxState state = *this;
  for (Value *value : {&state.o, &state.m, &state.l})
    if (*value) {
      *value = values.front();
      values = values.drop_front();
    }
  return state;
}

/// Whether the sum of the weights is asked for.
static bool needsSum(attn::KernelOp kernel) {
  if (attn::RowAttr row = kernel.getRowKind())
    return row.getKind() == attn::RowKind::Sum;
  if (!kernel.getNorm())
    return false;
  attn::NormAttr norm = kernel.getNorm();
  return norm.getDivide() == attn::NormDivide::Sum ||
         !kernel.getLse().use_empty();
}

static bool needsMax(attn::KernelOp kernel) {
  if (isa<attn::DenseAttr>(kernel.getNormalize()))
    return false;
  if (attn::RowAttr row = kernel.getRowKind())
    return row.getKind() == attn::RowKind::Max;
  return kernel.getNorm().isSoftmax();
}

KernelBlock::KernelBlock(attn::KernelOp kernel, const Scope &scope)
    : kernel(kernel), scope(scope), loc(kernel.getLoc()),
      sizeQ(kernel.getSchedule()->getQ()), sizeK(kernel.getSchedule()->getK()),
      sizeD(lastExtent(kernel.getQ())),
      sizeE(kernel.getV() ? lastExtent(kernel.getV()) : 0),
      accumulate(kernel.getAccumulateType()), hasValues(bool(kernel.getV())),
      hasMax(needsMax(kernel)), hasSum(needsSum(kernel)),
      hasPairs(bool(kernel.getDense())),
      group(kernel.getSchedule()->getRowAxes() == attn::RowAxes::GQ
                ? groupOf(kernel)
                : 1),
      score(kernel.getScore(), scope, /*hasScore=*/true,
            kernel.getNumProducts()),
      mask(kernel.getMask(), scope, /*hasScore=*/false) {
  if (kernel.hasInit())
    init.emplace(kernel.getInit(), scope, /*hasScore=*/false);
  if (kernel.hasGate())
    gate.emplace(kernel.getGate(), scope, /*hasScore=*/true,
                 kernel.getNumProducts());
  if (kernel.hasSelect())
    select.emplace(kernel.getSelect(), scope, /*hasScore=*/true,
                   kernel.getNumProducts());
}

bool KernelBlock::isIdentity() {
  if (isa<attn::DenseAttr>(kernel.getNormalize()))
    return true;
  if (attn::RowAttr row = kernel.getRowKind())
    return row.getKind() == attn::RowKind::Sum;
  return kernel.getNorm().getWeight() == attn::NormWeight::Identity;
}

tile::TileType KernelBlock::tileType(
    std::initializer_list<std::pair<StringRef, int64_t>> dims) {
  return tile::TileType::get(kernel.getContext(), ArrayRef(dims), accumulate);
}

SmallVector<Value> KernelBlock::indices(OpBuilder &builder,
                                        const BlockBuffer &buffer, Value key) {
  auto valueOf = [&](char letter) {
    size_t uniform = StringRef("bhg").find(letter);
    if (uniform != StringRef::npos)
      return bhg[uniform];
    bool isMerged = letter == 'q' && buffer.mergedRows;
    Value place = isMerged        ? zero
                  : letter == 'q' ? q0
                  : letter == 'k' ? key
                                  : zero;
    if (const Sequence *sequence = sequenceOf(buffer, letter))
      return builder.createOrFold<arith::AddIOp>(loc, sequence->begin, place);
    return place;
  };
  SmallVector<Value> places =
      indicesOf(builder, loc, scope, buffer.digits, valueOf);
  if (!buffer.mergedRows)
    return places;
  Value &row = places[*buffer.mergedRows];
  Value heads = arith::ConstantIndexOp::create(builder, loc, group);
  row = builder.createOrFold<arith::MulIOp>(loc, row, heads);
  row = builder.createOrFold<arith::AddIOp>(loc, row, q0);
  return places;
}

Value KernelBlock::sizeOfRows(OpBuilder &builder, unsigned axis) {
  Type q = kernel.getQ().getType();
  if (group > 1 && axis == 2)
    return arith::ConstantIndexOp::create(builder, loc, 1);
  Value size = scope.sizeOf(builder, loc, attn::axisSize(q, axis));
  if (group == 1 || axis != 3)
    return size;
  Value heads = arith::ConstantIndexOp::create(builder, loc, group);
  return builder.createOrFold<arith::MulIOp>(loc, size, heads);
}

SmallVector<const BlockBuffer *> KernelBlock::buffers() const {
  SmallVector<const BlockBuffer *> all{&q, &k, &v};
  for (const BlockBuffer &tensor : products)
    all.push_back(&tensor);
  for (const BlockOutput &output : outputs)
    all.push_back(&output.buffer);
  return all;
}

const Digit *KernelBlock::findRagged(char letter) const {
  for (const BlockBuffer *buffer : buffers())
    if (const Digit *digit = findTable(buffer->digits, letter))
      return digit;
  return nullptr;
}

const Sequence *KernelBlock::sequenceOf(const BlockBuffer &buffer,
                                        char letter) const {
  return findTable(buffer.digits, letter) ? sequenceOf(letter) : nullptr;
}

const Sequence *KernelBlock::sequenceOf(char letter) const {
  const Digit *digit = findRagged(letter);
  if (!digit)
    return nullptr;
  auto found = sequences.find(scope.values.lookup(digit->table));
  return found == sequences.end() ? nullptr : &found->second;
}

void KernelBlock::emitSequences(OpBuilder &builder) {
  for (const BlockBuffer *buffer : buffers())
    for (char letter : StringRef("qk")) {
      const Digit *digit = findTable(buffer->digits, letter);
      if (!digit)
        continue;
      Value start = scope.values.lookup(digit->table);
      if (sequences.contains(start))
        continue;
      sequences[start] = emitSequence(builder, loc, start, bhg[0]);
    }
}

Value KernelBlock::emitKeys(OpBuilder &builder, const BlockBuffer &buffer,
                            tile::TileType type, const KeyTile &keys) {
  SmallVector<Value> places = indices(builder, buffer, keys.k0);
  const Digit *page = findTable(buffer.digits, 'p');
  if (!page)
    return tile::LoadOp::create(builder, loc, type, buffer.buf, places,
                                {{"k", keys.nk}});
  auto rows = llvm::find_if(buffer.digits, [](const AxisDigits &axis) {
    return axis.front().letter == 'k';
  });
  int64_t pageRows = cast<IntegerAttr>(rows->front().size).getInt();
  return tile::LoadOp::create(
      builder, loc, type, buffer.buf, places, {{"k", keys.nk}},
      scope.values.lookup(page->table), bhg[0], pageRows);
}

/// Tiles of all terms of stored keys or values.
static SmallVector<Value>
loadTerms(OpBuilder &builder, KernelBlock &block, ArrayRef<BlockBuffer> terms,
          std::initializer_list<std::pair<StringRef, int64_t>> dims,
          const KeyTile &keys) {
  tile::TileType type =
      block.tileType(dims).withElementType(builder.getBF16Type());
  SmallVector<Value> tiles;
  for (const BlockBuffer &term : terms)
    tiles.push_back(block.emitKeys(builder, term, type, keys));
  return tiles;
}

/// The name of the features of a tensor of `products`.
static StringRef featureOf(attn::KernelOp kernel, unsigned product) {
  size_t ofFirst = 2 * (kernel.getSums().front().rows.size() - 1);
  return product < ofFirst ? "d" : "f";
}

void KernelBlock::emitHead(OpBuilder &builder) {
  for (Formula *formula :
       {&score, &mask, init ? &*init : nullptr, gate ? &*gate : nullptr,
        select ? &*select : nullptr})
    if (formula) {
      formula->emitUniform(builder, bhg);
      formula->emitQueryTiles(builder, sizeQ, q0);
    }
  for (unsigned i = 0; i < kernel.getProducts().size(); i += 2) {
    Value tensor = kernel.getProducts()[i];
    const BlockBuffer &rows = products[i];
    tile::TileType type =
        tileType({{"q", sizeQ}, {featureOf(kernel, i), lastExtent(tensor)}})
            .withElementType(getElementTypeOrSelf(tensor));
    productRows.push_back(emitRows(builder, rows, type));
  }
}

Value KernelBlock::emitRows(OpBuilder &builder, const BlockBuffer &buffer,
                            tile::TileType type) {
  return tile::LoadOp::create(builder, loc, type, buffer.buf,
                              indices(builder, buffer, {}), {{"q", rows}});
}

void KernelBlock::emitInitHead(OpBuilder &builder) {
  if (!init)
    return;
  init->emitUniform(builder, bhg);
  init->emitQueryTiles(builder, sizeQ, q0);
}

Value KernelBlock::emitQuery(OpBuilder &builder) {
  Type element = getElementTypeOrSelf(kernel.getQ());
  tile::TileType type = tileType({{"q", sizeQ}, {"d", sizeD}});
  Value query = emitRows(builder, q, type.withElementType(element));
  double scale = kernel.getScale().convertToDouble();
  if (scale != 1.0 && sumScale() != scale)
    query = emitMap(builder, loc, type, query,
                    [&](OpBuilder &b, ValueRange arguments) -> Value {
                      return arith::MulFOp::create(
                          b, loc, arguments[0],
                          emitReal(b, loc, accumulate, scale));
                    });
  if (storedKeys.size() > 1)
    queryTerms = emitTerms(builder, loc, query, int64_t(storedKeys.size()));
  return query;
}

double KernelBlock::sumScale() {
  bool isNarrow = getElementTypeOrSelf(kernel.getQ()) != accumulate;
  bool ofQueries =
      !kernel.hasPairs() && !isNarrow && attn::scalesQueriesExactly(kernel);
  return ofQueries ? 1.0 : kernel.getScale().convertToDouble();
}

double KernelBlock::weightScale() {
  double scale = sumScale();
  bool isLast = score.isIdentity() && !init && !gate && !select && !states;
  bool isInner = hasMax && !hasPairs && !kernel.getRow();
  // The factor must be finite.
  constexpr double mostScale = 1e37;
  bool isExponent =
      kernel.getNorm() && !isIdentity() && scale > 0 && scale < mostScale;
  return isExponent && isLast && isInner ? scale : 1.0;
}

bool KernelBlock::hasRoughWeights() {
  Type weight = weightType();
  bool isNarrow =
      weight.isBF16() || (weight.isF16() && storedValues.size() > 1);
  return hasValues && isNarrow &&
         llvm::all_of(outputs, [&](const BlockOutput &output) {
           auto type = cast<tile::BufType>(output.buffer.buf.getType());
           return !output.isLse && !output.isPairs && !output.isKey &&
                  !output.isMax && type.getElementType() == weight;
         });
}

/// Sums over features times the scale, where neither queries nor weights have
/// it.
Value KernelBlock::emitScaled(OpBuilder &builder, Value sums) {
  double scale = weightScale() == 1.0 ? sumScale() : 1.0;
  if (scale == 1.0)
    return sums;
  return emitMap(builder, loc, cast<tile::TileType>(sums.getType()), sums,
                 [&](OpBuilder &b, ValueRange arguments) -> Value {
                   return arith::MulFOp::create(
                       b, loc, arguments[0],
                       emitReal(b, loc, accumulate, scale));
                 });
}

/// A formula of the score and further products.
Value KernelBlock::emitFormula(OpBuilder &builder, Formula &formula,
                               Location at, ValueRange products,
                               const KeyTile &keys) {
  SmallVector<Value> inputs(products);
  llvm::append_range(inputs, formula.emitTiles(builder, sizeK, keys.k0));
  tile::TileType type = tileType({{"q", sizeQ}, {"k", sizeK}});
  return tile::MapOp::create(builder, at, type.withElementType(formula.type()),
                             inputs, formula.indices(q0, keys.k0),
                             [&](OpBuilder &b, Location, ValueRange arguments) {
                               return formula.emitElement(b, arguments);
                             });
}

/// Whether the region `select` is true, or null without one.
Value KernelBlock::emitSelected(OpBuilder &builder, ValueRange products,
                                const KeyTile &keys) {
  return select ? emitFormula(builder, *select, kernel.getSelect().getLoc(),
                              products, keys)
                : Value();
}

/// `x`, or `fill` where the mask allows nothing or `selected` is false.
Value KernelBlock::emitMasked(OpBuilder &builder, Value x, Value selected,
                              const KeyTile &keys, double fill) {
  if (selected) {
    auto type = cast<tile::TileType>(x.getType());
    x = emitMap(builder, kernel.getSelect().getLoc(), type, {x, selected},
                [&](OpBuilder &b, ValueRange arguments) -> Value {
                  Type element = type.getElementType();
                  Value none = arith::ConstantOp::create(
                      b, loc,
                      isa<FloatType>(element)
                          ? cast<TypedAttr>(b.getFloatAttr(element, fill))
                          : cast<TypedAttr>(b.getBoolAttr(fill != 0)));
                  return arith::SelectOp::create(b, loc, arguments[1],
                                                 arguments[0], none);
                });
  }
  return tile::SelectMaskedOp::create(
      builder, kernel.getMask().getLoc(), x,
      mask.emitTiles(builder, sizeK, keys.k0), mask.indices(q0, keys.k0),
      {{"k", keys.nk}}, keys.partial, fill,
      [&](OpBuilder &b, Location, ValueRange arguments) {
        return mask.emitElement(b, arguments);
      });
}

/// The products of the queries and a tile of keys, the kernel's own first.
SmallVector<Value> KernelBlock::emitSums(OpBuilder &builder, Value query,
                                         const KeyTile &keys) {
  SmallVector<Value> sums;
  unsigned first = 0;
  for (attn::KernelOp::Sum &sum : kernel.getSums()) {
    if (first == 0 && !attn::readsFirstSum(kernel)) {
      sums.push_back(tile::SplatOp::create(
          builder, loc, tileType({{"q", sizeQ}, {"k", sizeK}}), 0.0));
      first += sum.rows.size();
      continue;
    }
    Value made = emitSum(builder, sum, first, query, keys);
    sums.push_back(first == 0 ? emitScaled(builder, made) : made);
    first += sum.rows.size();
  }
  return sums;
}

Value KernelBlock::emitScores(OpBuilder &builder, Value query,
                              const KeyTile &keys, Value *gates) {
  SmallVector<Value> sums = emitSums(builder, query, keys);
  Value selected = emitSelected(builder, sums, keys);
  if (gate && gates)
    *gates = emitMasked(
        builder,
        emitFormula(builder, *gate, kernel.getGate().getLoc(), sums, keys),
        selected, keys, 0.0);
  Value x = sums.front();
  if (!score.isIdentity()) {
    x = emitFormula(builder, score, kernel.getScore().getLoc(), sums, keys);
    if (hasRoughWeights() && weightType().isBF16())
      markRough(x.getDefiningOp<tile::MapOp>(),
                isIdentity() ? RoughResult::Weight : RoughResult::Exponent);
  }
  double fill = isIdentity() ? 0.0 : -std::numeric_limits<double>::infinity();
  if (auto dense = dyn_cast<attn::DenseAttr>(kernel.getNormalize()))
    fill = dense.getFill().convertToDouble();
  return emitMasked(builder, x, selected, keys, fill);
}

Value KernelBlock::emitSum(OpBuilder &builder, attn::KernelOp::Sum &sum,
                           unsigned first, Value query, const KeyTile &keys) {
  tile::TileType scores = tileType({{"q", sizeQ}, {"k", sizeK}});
  Region *pair = sum.pair;
  if (first == 0 && storedKeys.size() > 1)
    return emitTermProducts(builder, loc, scores, queryTerms,
                            loadTerms(builder, *this, storedKeys,
                                      {{"k", sizeK}, {"d", sizeD}}, keys),
                            "d", /*acc=*/Value(), TermProducts::All);
  SmallVector<Value> tiles, elements; // rows and keys in turn
  StringRef feature = first == 0 ? "d" : "f";
  for (auto [i, rows] : llvm::enumerate(sum.rows)) {
    unsigned number = first + i;
    auto isUnused = [&](unsigned place) {
      return i != 0 && pair->getArgument(2 * i + place).use_empty();
    };
    if (!isUnused(0)) {
      tiles.push_back(number == 0 ? query : productRows[number - 1]);
      if (pair)
        elements.push_back(pair->getArgument(2 * i));
    }
    if (isUnused(1))
      continue;
    const BlockBuffer &buffer = number != 0          ? products[2 * number - 1]
                                : storedKeys.empty() ? k
                                                     : storedKeys.front();
    auto type = tile::TileType::get(
        kernel.getContext(), {{"k", sizeK}, {feature, lastExtent(rows.second)}},
        getElementTypeOrSelf(rows.second));
    tiles.push_back(emitKeys(builder, buffer, type, keys));
    if (pair)
      elements.push_back(pair->getArgument(2 * i + 1));
  }
  if (!pair)
    return tile::DotOp::create(builder, loc, scores, tiles[0], tiles[1],
                               feature, /*acc=*/Value(), /*mask=*/Value());
  return tile::DotOp::create(
      builder, pair->getLoc(), scores, tiles[0], tiles[1], feature,
      /*acc=*/Value(), /*mask=*/Value(),
      {{feature, zero}, {"q", q0}, {"k", keys.k0}},
      [&](OpBuilder &b, Location, ValueRange arguments) {
        IRMapping map;
        // The elements, then d b h g q k, of which b h g are this block's.
        map.map(elements, arguments.take_front(elements.size()));
        ValueRange places = pair->getArguments().take_back(6);
        map.map(places.front(), arguments[elements.size()]);
        map.map(places.slice(1, 3), bhg);
        map.map(places.take_back(2), arguments.take_back(2));
        Value term = pair->front().getTerminator()->getOperand(0);
        emitScalars(b, pair->front(), term, scope, map);
        return map.lookup(term);
      },
      ValueRange(tiles).drop_front(2));
}

/// Weights times a formula of values.
Value KernelBlock::emitContributions(OpBuilder &builder, Value p, Value value,
                                     const KeyTile &keys, Value acc,
                                     Value where) {
  Block &region = kernel.getValue().front();
  return tile::DotOp::create(
      builder, kernel.getValue().getLoc(), outType(), p, value, "k", acc, where,
      {{"e", zero}, {"q", q0}, {"k", keys.k0}},
      [&](OpBuilder &b, Location at, ValueRange arguments) -> Value {
        IRMapping map;
        // An element and its place, then b h g, then query and key.
        map.map(region.getArguments().take_front(2), arguments.slice(1, 2));
        map.map(region.getArguments().slice(2, 3), bhg);
        map.map(region.getArguments().take_back(2), arguments.take_back(2));
        Value made = region.getTerminator()->getOperand(0);
        emitScalars(b, region, made, scope, map);
        return arith::MulFOp::create(b, at, arguments[0], map.lookup(made));
      });
}

Value KernelBlock::emitUnmasked(OpBuilder &builder, Value query, Value pairs,
                                const KeyTile &keys) {
  Value selected;
  if (select) // again: this is rare
    selected = emitSelected(builder, emitSums(builder, query, keys), keys);
  else if (mask.isAlwaysTrue())
    return pairs;
  return emitMasked(builder, pairs, selected, keys, 0.0);
}

Value KernelBlock::emitAllowed(OpBuilder &builder, Value query,
                               const KeyTile &keys) {
  tile::TileType type = tileType({{"q", sizeQ}, {"k", sizeK}})
                            .withElementType(builder.getI1Type());
  Value all = tile::SplatOp::create(builder, loc, type, 1.0);
  return emitUnmasked(builder, query, all, keys);
}

Value KernelBlock::emitValues(OpBuilder &builder, Value p, const KeyTile &keys,
                              Value acc, Value where) {
  auto type =
      tile::TileType::get(kernel.getContext(), {{"k", sizeK}, {"e", sizeE}},
                          getElementTypeOrSelf(kernel.getV()));
  // The second try of a block masks products, which a unit cannot.
  bool isStored = !storedValues.empty() && !where;
  if (isStored && storedValues.size() > 1)
    return emitTermProducts(
        builder, loc, outType(),
        emitTerms(builder, loc, p, int64_t(storedValues.size())),
        loadTerms(builder, *this, storedValues, {{"k", sizeK}, {"e", sizeE}},
                  keys),
        "k", acc, hasMax ? TermProducts::Leading : TermProducts::All);
  Value value =
      emitKeys(builder, isStored ? storedValues.front() : v, type, keys);
  if (kernel.hasValue())
    return emitContributions(builder, p, value, keys, acc, where);
  if (int64_t terms = countWeightTerms(*this); terms > 1 && !where)
    return emitTermProducts(builder, loc, outType(),
                            emitTerms(builder, loc, p, terms), value, "k", acc,
                            TermProducts::All);
  return tile::DotOp::create(builder, loc, outType(), p, value, "k", acc,
                             where);
}

Value emitMap(OpBuilder &builder, Location loc, tile::TileType type,
              ValueRange inputs,
              llvm::function_ref<Value(OpBuilder &, ValueRange)> body) {
  return tile::MapOp::create(builder, loc, type, inputs, tile::NamedValues(),
                             [&](OpBuilder &b, Location, ValueRange arguments) {
                               return body(b, arguments);
                             });
}

Value emitReal(OpBuilder &builder, Location loc, Type type, double value) {
  return arith::ConstantOp::create(builder, loc, FloatAttr::get(type, value));
}

} // namespace attnc::lowering
