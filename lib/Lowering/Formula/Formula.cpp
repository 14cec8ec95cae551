//===- Formula.cpp - Regions of a kernel as scalar ops and maps -----------===//
//
//   score { ^bb0(%x, %b, %h, %g, %q, %k):
//     %s = attn.read %slope[%h]     %z = attn.read %bias[%h, %q]
//     yield %x * %s + %z }
// becomes, for one block of queries,
//   %s = tile.read %slope[%h]                                  (once)
//   %z = tile.map () at(q = %q0) { tile.read %bias[%h, %q] }   (once per row)
//   ... in the loop: tile.map (%x, %z) { %x * %s + %z }
//
// What depends on q - k only has as many values in a tile as it has diagonals:
// a map over the distances of the tile's pairs computes each once, and a skew
// gives it to the pairs.
//
// Tests: test/Lowering/Formula/dependence-split.mlir
//
//===----------------------------------------------------------------------===//

#include "Formula/Formula.h"

#include "Formula/ReadElement.h"

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace attnc::lowering {

/// The ops of `block` that `roots` need and `given` has not got. `roots` and
/// what they need are added to `needed`.
static void findNeeded(Block &block, ValueRange roots,
                       llvm::function_ref<bool(Value)> given,
                       llvm::DenseSet<Value> &needed) {
  for (Value root : roots)
    if (!given(root))
      needed.insert(root);
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (llvm::any_of(op.getResults(),
                     [&](Value result) { return needed.contains(result); }))
      for (Value operand : op.getOperands())
        if (!given(operand))
          needed.insert(operand);
}

/// The op of tile that asks the same about a table, with the same operands; or
/// nothing.
static StringRef tileTableOp(Operation &op) {
  if (isa<attn::TableMinOp>(op))
    return tile::TableMinOp::getOperationName();
  if (isa<attn::TableMaxOp>(op))
    return tile::TableMaxOp::getOperationName();
  return isa<attn::LowerBoundOp>(op) ? tile::LowerBoundOp::getOperationName()
                                     : StringRef();
}

static void cloneScalar(OpBuilder &builder, Operation &op, const Scope &scope,
                        IRMapping &map) {
  if (auto size = dyn_cast<attn::SizeOp>(op)) {
    map.map(size.getResult(), scope.sizes.lookup(size.getName()));
    return;
  }
  for (Value operand : op.getOperands())
    if (!map.contains(operand) && scope.values.contains(operand))
      map.map(operand, scope.values.lookup(operand));
  if (StringRef name = tileTableOp(op); !name.empty()) {
    OperationState state(op.getLoc(), name);
    for (Value operand : op.getOperands())
      state.addOperands(map.lookup(operand));
    state.addTypes(op.getResultTypes());
    map.map(op.getResult(0), builder.create(state)->getResult(0));
    return;
  }
  auto read = dyn_cast<attn::ReadOp>(op);
  if (!read) {
    builder.clone(op, map);
    return;
  }
  SmallVector<Value> indices;
  for (Value index : read.getIndices())
    indices.push_back(map.lookup(index));
  map.map(read.getResult(), emitRead(builder, read.getLoc(), read.getSource(),
                                     indices, read.getType(), scope));
}

void emitScalars(OpBuilder &builder, Block &block, ValueRange roots,
                 const Scope &scope, IRMapping &map) {
  llvm::DenseSet<Value> needed;
  findNeeded(
      block, roots, [&](Value value) { return map.contains(value); }, needed);
  for (Operation &op : block.without_terminator())
    if (llvm::any_of(op.getResults(),
                     [&](Value result) { return needed.contains(result); }))
      cloneScalar(builder, op, scope, map);
  for (Value root : roots) // yields a value from outside of the region
    if (!map.contains(root))
      map.map(root, scope.values.lookup(root));
}

static DependenceSplit splitRegion(Region &region, bool hasScore,
                                   unsigned products) {
  SmallVector<unsigned> bits;
  if (hasScore)
    bits.push_back(OnPair);
  bits.append({OnNothing, OnNothing, OnNothing, OnQuery, OnKey});
  bits.append(products, OnPair);
  return splitByDependence(region.front(), bits);
}

Formula::Formula(Region &region, const Scope &scope, bool hasScore,
                 unsigned products)
    : block(region.front()), scope(scope), hasScore(hasScore),
      products(products), split(splitRegion(region, hasScore, products)) {
  auto given = [&](Value value) {
    return llvm::is_contained(split.uniform, value) ||
           llvm::is_contained(split.onQuery, value) ||
           llvm::is_contained(split.onKey, value) ||
           llvm::is_contained(split.onDistance, value);
  };
  llvm::DenseSet<Value> needed;
  findNeeded(block, yielded(), given, needed);
  unsigned query = hasScore + 3;
  usesQuery = needed.contains(argument(query));
  usesKey = query + 1 < block.getNumArguments() &&
            needed.contains(argument(query + 1));
}

Value Formula::argument(unsigned number) const {
  return block.getArgument(number);
}

Value Formula::yielded() const { return block.getTerminator()->getOperand(0); }

bool Formula::isAlwaysTrue() const { return matchPattern(yielded(), m_One()); }

bool Formula::isIdentity() const {
  return hasScore && yielded() == argument(0);
}

void Formula::emitUniform(OpBuilder &builder, ValueRange bhg) {
  for (auto [i, value] : llvm::enumerate(bhg))
    uniform.map(argument(hasScore + i), value);
  IRMapping map = uniform;
  emitScalars(builder, block, split.uniform, scope, map);
  for (Value value : split.uniform)
    uniform.map(value, map.lookup(value));
}

/// A map over one dim that computes one value of the formula.
static Value emitTile(OpBuilder &builder, Value value, StringRef dim,
                      int64_t size, Value start, tile::BodyBuilder body) {
  auto type =
      tile::TileType::get(builder.getContext(), {{dim, size}}, value.getType());
  return tile::MapOp::create(builder, value.getLoc(), type, ValueRange(),
                             {{dim, start}}, body);
}

void Formula::emitQueryTiles(OpBuilder &builder, int64_t size, Value q0) {
  queries = size;
  this->q0 = q0;
  for (Value value : split.onQuery)
    queryTiles.push_back(
        emitTile(builder, value, "q", size, q0,
                 [&](OpBuilder &inner, Location, ValueRange arguments) {
                   IRMapping map = uniform;
                   map.map(argument(hasScore + 3), arguments[0]);
                   emitScalars(inner, block, value, scope, map);
                   return map.lookup(value);
                 }));
}

/// The first distance is that of the first query and the last key. A part of
/// the distance has the value at (q, k) that it has at (q - k, 0).
Value Formula::emitDistances(OpBuilder &builder, Value value, int64_t keys,
                             Value k0) {
  Location loc = value.getLoc();
  Value last = arith::AddIOp::create(
      builder, loc, k0, arith::ConstantIndexOp::create(builder, loc, keys - 1));
  Value first = arith::SubIOp::create(builder, loc, q0, last);
  Value distances =
      emitTile(builder, value, tile::kDistanceDim, queries + keys - 1, first,
               [&](OpBuilder &inner, Location, ValueRange arguments) {
                 IRMapping map = uniform;
                 map.map(argument(hasScore + 3), arguments[0]);
                 map.map(argument(hasScore + 4),
                         arith::ConstantIndexOp::create(inner, loc, 0));
                 emitScalars(inner, block, value, scope, map);
                 return map.lookup(value);
               });
  auto type = tile::TileType::get(
      builder.getContext(), {{"q", queries}, {"k", keys}}, value.getType());
  return tile::SkewOp::create(builder, loc, type, distances, "q", "k");
}

SmallVector<Value> Formula::emitTiles(OpBuilder &builder, int64_t size,
                                      Value k0) {
  SmallVector<Value> tiles = queryTiles;
  for (Value value : split.onKey)
    tiles.push_back(
        emitTile(builder, value, "k", size, k0,
                 [&](OpBuilder &inner, Location, ValueRange arguments) {
                   IRMapping map = uniform;
                   map.map(argument(hasScore + 4), arguments[0]);
                   emitScalars(inner, block, value, scope, map);
                   return map.lookup(value);
                 }));
  for (Value value : split.onDistance)
    tiles.push_back(emitDistances(builder, value, size, k0));
  return tiles;
}

SmallVector<std::pair<StringRef, Value>> Formula::indices(Value q0,
                                                          Value k0) const {
  SmallVector<std::pair<StringRef, Value>> result;
  if (usesQuery)
    result.emplace_back("q", q0);
  if (usesKey)
    result.emplace_back("k", k0);
  return result;
}

Value Formula::emitElement(OpBuilder &builder, ValueRange arguments) const {
  IRMapping map = uniform;
  if (hasScore) {
    map.map(argument(0), arguments.front());
    arguments = arguments.drop_front();
  }
  for (Value product : block.getArguments().take_back(products)) {
    map.map(product, arguments.front());
    arguments = arguments.drop_front();
  }
  for (ArrayRef<Value> values :
       {ArrayRef<Value>(split.onQuery), ArrayRef<Value>(split.onKey),
        ArrayRef<Value>(split.onDistance)})
    for (Value value : values) {
      map.map(value, arguments.front());
      arguments = arguments.drop_front();
    }
  if (usesQuery) {
    map.map(argument(hasScore + 3), arguments.front());
    arguments = arguments.drop_front();
  }
  if (usesKey)
    map.map(argument(hasScore + 4), arguments.front());
  emitScalars(builder, block, yielded(), scope, map);
  return map.lookup(yielded());
}

} // namespace attnc::lowering
