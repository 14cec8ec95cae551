//===- TileOps.cpp - Builders, names and loop interface of the ops --------===//
//
// Tests: test/Dialect/Tile/ops.mlir
//
//===----------------------------------------------------------------------===//

#include "TileAssembly.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace attnc::tile;

#define GET_OP_CLASSES
#include "attnc/Dialect/Tile/TileOps.cpp.inc"

static SmallVector<StringRef> dimsOf(NamedValues named) {
  return llvm::to_vector(llvm::make_first_range(named));
}

static SmallVector<Value> valuesOf(NamedValues named) {
  return llvm::to_vector(llvm::make_second_range(named));
}

/// The value that belongs to a dim, or null.
static Value lookup(ArrayAttr dims, OperandRange values, StringRef dim) {
  for (auto [name, value] : llvm::zip_equal(dims, values))
    if (cast<StringAttr>(name).getValue() == dim)
      return value;
  return {};
}

Value LoadOp::getValidOf(StringRef dim) {
  return lookup(getValidDims(), getValid(), dim);
}
Value StoreOp::getValidOf(StringRef dim) {
  return lookup(getValidDims(), getValid(), dim);
}
Value SelectMaskedOp::getValidOf(StringRef dim) {
  return lookup(getValidDims(), getValid(), dim);
}
Value AnyNanOp::getValidOf(StringRef dim) {
  return lookup(getValidDims(), getValid(), dim);
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

void ProgramOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                      TargetAttrInterface target, TypeRange types,
                      ArrayRef<StringRef> names) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getTargetAttrName(state.name), target);
  state.addAttribute(getArgNamesAttrName(state.name),
                     builder.getStrArrayAttr(names));
  Block &block = state.addRegion()->emplaceBlock();
  for (Type type : types)
    block.addArgument(type, state.location);
}

void GridOp::build(OpBuilder &builder, OperationState &state,
                   ValueRange extents, ArrayRef<StringRef> names) {
  state.addOperands(extents);
  state.addAttribute(getArgNamesAttrName(state.name),
                     builder.getStrArrayAttr(names));
  Block &block = state.addRegion()->emplaceBlock();
  for (size_t i = 0; i < extents.size(); ++i)
    block.addArgument(builder.getIndexType(), state.location);
}

void ForOp::build(OpBuilder &builder, OperationState &state, ValueRange bounds,
                  ValueRange inits, int64_t step, int64_t partialStep) {
  state.addOperands(bounds);
  state.addOperands(inits);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.step = builder.getI64IntegerAttr(step);
  properties.partial_step = builder.getI64IntegerAttr(partialStep);
  properties.operandSegmentSizes = {static_cast<int32_t>(bounds.size()),
                                    /*within=*/0,
                                    static_cast<int32_t>(inits.size())};
  state.addTypes(inits.getTypes());
  Block &block = state.addRegion()->emplaceBlock();
  block.addArgument(builder.getIndexType(), state.location);
  block.addArgument(builder.getIndexType(), state.location);
  block.addArgument(builder.getI1Type(), state.location);
  for (Value init : inits)
    block.addArgument(init.getType(), state.location);
  state.addRegion();
}

void PhaseOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                    PhaseBuilder body) {
  OpBuilder::InsertionGuard guard(builder);
  state.getOrAddProperties<Properties>().name = builder.getStringAttr(name);
  builder.createBlock(state.addRegion());
  SmallVector<Value> results = body(builder, state.location);
  YieldOp::create(builder, state.location, results);
  state.addTypes(TypeRange(ValueRange(results)));
}

std::optional<RenameOp::Merged> RenameOp::findMerged(Value buf) {
  while (auto rename = buf.getDefiningOp<RenameOp>()) {
    if (rename.getGroup()) {
      auto names = rename.getType().getNames();
      auto axisOf = [&](StringRef name) -> int64_t {
        return llvm::find_if(names, [&](StringAttr n) { return n == name; }) -
               names.begin();
      };
      return Merged{axisOf(*rename.getRows()),
                    rename.getHeads() ? axisOf(*rename.getHeads()) : -1,
                    int64_t(*rename.getGroup())};
    }
    buf = rename.getBuf();
  }
  return std::nullopt;
}

void LoadOp::build(OpBuilder &builder, OperationState &state, TileType type,
                   Value buf, ValueRange indices, NamedValues valid) {
  build(builder, state, type, buf, indices, valuesOf(valid), Value(),
        ValueRange(), builder.getStrArrayAttr(dimsOf(valid)), IntegerAttr());
}

void LoadOp::build(OpBuilder &builder, OperationState &state, TileType type,
                   Value buf, ValueRange indices, NamedValues valid,
                   Value table, ValueRange tableIndices, int64_t pageRows) {
  build(builder, state, type, buf, indices, valuesOf(valid), table,
        tableIndices, builder.getStrArrayAttr(dimsOf(valid)),
        builder.getI64IntegerAttr(pageRows));
}

void StoreOp::build(OpBuilder &builder, OperationState &state, Value value,
                    Value buf, ValueRange indices, NamedValues valid) {
  build(builder, state, value, buf, indices, valuesOf(valid),
        builder.getStrArrayAttr(dimsOf(valid)));
}

void SplatOp::build(OpBuilder &builder, OperationState &state, TileType type,
                    double value) {
  build(builder, state, type, builder.getF64FloatAttr(value));
}

void AnyNanOp::build(OpBuilder &builder, OperationState &state, Value value,
                     NamedValues valid) {
  build(builder, state, builder.getI1Type(), value, valuesOf(valid),
        builder.getStrArrayAttr(dimsOf(valid)));
}

/// Fills a scalar region: one argument per operand's element, then one index
/// per `at` dim, then the ops of `body`, then the yield.
static void buildBody(OpBuilder &builder, OperationState &state,
                      ValueRange inputs, size_t numIndices, BodyBuilder body) {
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(state.addRegion());
  for (Value input : inputs)
    block->addArgument(cast<TileType>(input.getType()).getElementType(),
                       state.location);
  for (size_t i = 0; i < numIndices; ++i)
    block->addArgument(builder.getIndexType(), state.location);
  Value result = body(builder, state.location, block->getArguments());
  YieldOp::create(builder, state.location, result);
}

void DotOp::build(OpBuilder &builder, OperationState &state, TileType type,
                  Value lhs, Value rhs, StringRef sum, Value acc, Value mask,
                  NamedValues at, BodyBuilder term, ValueRange others) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.sum = builder.getStringAttr(sum);
  properties.at_dims = builder.getStrArrayAttr(dimsOf(at));
  properties.operandSegmentSizes = {1,
                                    1,
                                    acc != nullptr,
                                    mask != nullptr,
                                    static_cast<int32_t>(others.size()),
                                    static_cast<int32_t>(at.size())};
  state.addOperands({lhs, rhs});
  if (acc)
    state.addOperands(acc);
  if (mask)
    state.addOperands(mask);
  state.addOperands(others);
  state.addOperands(valuesOf(at));
  state.addTypes(type);
  if (!term) {
    state.addRegion();
    return;
  }
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(state.addRegion());
  for (size_t i = 0; i < 2 + others.size(); ++i)
    block->addArgument(type.getElementType(), state.location);
  for (size_t i = 0; i < at.size(); ++i)
    block->addArgument(builder.getIndexType(), state.location);
  Value result = term(builder, state.location, block->getArguments());
  YieldOp::create(builder, state.location, result);
}

void MapOp::build(OpBuilder &builder, OperationState &state, TileType type,
                  ValueRange inputs, NamedValues at, BodyBuilder body) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.at_dims = builder.getStrArrayAttr(dimsOf(at));
  properties.operandSegmentSizes = {static_cast<int32_t>(inputs.size()),
                                    static_cast<int32_t>(at.size())};
  state.addOperands(inputs);
  state.addOperands(valuesOf(at));
  state.addTypes(type);
  buildBody(builder, state, inputs, at.size(), body);
}

void SelectMaskedOp::build(OpBuilder &builder, OperationState &state,
                           Value value, ValueRange inputs, NamedValues at,
                           NamedValues valid, Value partial, double fill,
                           BodyBuilder body) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.at_dims = builder.getStrArrayAttr(dimsOf(at));
  properties.valid_dims = builder.getStrArrayAttr(dimsOf(valid));
  properties.fill = builder.getF64FloatAttr(fill);
  properties.operandSegmentSizes = {1, static_cast<int32_t>(inputs.size()),
                                    static_cast<int32_t>(at.size()),
                                    static_cast<int32_t>(valid.size()), 1};
  state.addOperands(value);
  state.addOperands(inputs);
  state.addOperands(valuesOf(at));
  state.addOperands(valuesOf(valid));
  state.addOperands(partial);
  state.addTypes(value.getType());
  buildBody(builder, state, inputs, at.size(), body);
}

//===----------------------------------------------------------------------===//
// Names of block arguments in dumps
//===----------------------------------------------------------------------===//

/// Names as they were written, as far as there are any.
static void setNames(Region &region, std::optional<ArrayAttr> names,
                     OpAsmSetValueNameFn setNameFn) {
  if (!names || region.empty())
    return;
  for (auto [argument, name] : llvm::zip(region.getArguments(), *names))
    setNameFn(argument, cast<StringAttr>(name).getValue());
}

void ProgramOp::getAsmBlockArgumentNames(Region &region,
                                         OpAsmSetValueNameFn setNameFn) {
  setNames(region, getArgNames(), setNameFn);
}

void GridOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setNameFn) {
  setNames(region, getArgNames(), setNameFn);
}

void ForOp::getAsmBlockArgumentNames(Region &region,
                                     OpAsmSetValueNameFn setNameFn) {
  if (&region == &getClassify()) {
    static constexpr StringLiteral ends[] = {"k0", "k1"};
    for (auto [argument, name] : llvm::zip(region.getArguments(), ends))
      setNameFn(argument, name);
    return;
  }
  static constexpr StringLiteral names[] = {"k0", "nk", "partial"};
  for (auto [i, argument] : llvm::enumerate(region.getArguments()))
    setNameFn(argument, i < kNumLoopArgs ? names[i] : StringLiteral("carried"));
}

/// Elements are x, indices have the names of their dims.
static void nameScalars(Region &region, size_t numInputs, ArrayAttr dims,
                        OpAsmSetValueNameFn setNameFn) {
  for (auto [i, argument] : llvm::enumerate(region.getArguments()))
    if (i < numInputs)
      setNameFn(argument, "x");
    else if (i - numInputs < dims.size())
      setNameFn(argument, cast<StringAttr>(dims[i - numInputs]).getValue());
}

void DotOp::getAsmBlockArgumentNames(Region &region,
                                     OpAsmSetValueNameFn setNameFn) {
  if (!region.empty())
    nameScalars(region, getTiles().size(), getAtDims(), setNameFn);
}

SmallVector<TypedValue<TileType>> DotOp::getTiles() {
  SmallVector<TypedValue<TileType>> tiles{getLhs(), getRhs()};
  for (Value other : getOthers())
    tiles.push_back(cast<TypedValue<TileType>>(other));
  return tiles;
}

void MapOp::getAsmBlockArgumentNames(Region &region,
                                     OpAsmSetValueNameFn setNameFn) {
  nameScalars(region, getInputs().size(), getAtDims(), setNameFn);
}

void SelectMaskedOp::getAsmBlockArgumentNames(Region &region,
                                              OpAsmSetValueNameFn setNameFn) {
  nameScalars(region, getInputs().size(), getAtDims(), setNameFn);
}

//===----------------------------------------------------------------------===//
// tile.for as a loop of upstream's passes
//===----------------------------------------------------------------------===//

SmallVector<Region *> ForOp::getLoopRegions() { return {&getBody()}; }

MutableArrayRef<OpOperand> ForOp::getInitsMutable() {
  return getOperation()->getOpOperands().take_back(getInitValues().size());
}

Block::BlockArgListType ForOp::getRegionIterArgs() {
  return getBody().getArguments().drop_front(kNumLoopArgs);
}

std::optional<MutableArrayRef<OpOperand>> ForOp::getYieldedValuesMutable() {
  return getBody().front().getTerminator()->getOpOperands();
}

std::optional<ResultRange> ForOp::getLoopResults() { return getResults(); }
