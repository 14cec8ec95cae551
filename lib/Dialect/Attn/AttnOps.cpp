//===- AttnOps.cpp - Types, builders and syntax of the attn ops -----------===//
//
// Block arguments get the letters of their axes as names, so that a dump reads
// like the formula. Verifiers: AttnVerify.cpp; folds: AttnFold.cpp.
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace mlir;
using namespace attnc::attn;

static ParseResult parseKernelResults(OpAsmParser &parser, Type &o, Type &lse,
                                      Type &row, Type &key, Type &dense,
                                      Attribute &normalize);
static void printKernelResults(OpAsmPrinter &printer, Operation *op, Type o,
                               Type lse, Type row, Type key, Type dense,
                               Attribute normalize);

#define GET_OP_CLASSES
#include "attnc/Dialect/Attn/AttnOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type attnc::attn::accumulateType(TypeRange types) {
  assert(!types.empty() && "no type to ask for a context");
  for (Type type : types)
    if (getElementTypeOrSelf(type).isF64())
      return Float64Type::get(type.getContext());
  return Float32Type::get(types.front().getContext());
}

Type attnc::attn::scalarType(Type tensor, Type accumulate) {
  Type element = getElementTypeOrSelf(tensor);
  if (isa<FloatType>(element))
    return accumulate;
  if (element.isInteger(1))
    return element;
  return IndexType::get(tensor.getContext());
}

RankedTensorType attnc::attn::tensorType(ArrayRef<Attribute> sizes,
                                         Type elementType) {
  SmallVector<int64_t> shape;
  for (Attribute size : sizes) {
    auto number = dyn_cast<IntegerAttr>(size);
    shape.push_back(number ? number.getInt() : ShapedType::kDynamic);
  }
  return RankedTensorType::get(shape, elementType,
                               DimsAttr::get(elementType.getContext(), sizes));
}

Attribute attnc::attn::axisSize(Type tensor, unsigned axis) {
  auto type = cast<RankedTensorType>(tensor);
  if (!type.isDynamicDim(axis))
    return IntegerAttr::get(IntegerType::get(type.getContext(), 64),
                            type.getDimSize(axis));
  DimsAttr dims = DimsAttr::of(type);
  return dims ? dims.getSizes()[axis] : Attribute();
}

//===----------------------------------------------------------------------===//
// Labels and accumulate types
//===----------------------------------------------------------------------===//

// The verifier has refused labels that do not parse.
Labels ContractOp::getAxisLabels() {
  std::string error;
  std::optional<Labels> labels = Labels::parse(getLabels(), error);
  assert(labels && "asked for labels before they are verified");
  return *labels;
}

std::optional<Labels> MapOp::parseAxisLabels(std::string &error) {
  std::optional<Labels> labels = Labels::parse(getLabels(), error);
  if (labels && labels->inputs.empty() && getInputs().size() == 1)
    labels->inputs.push_back(""); // "->h" of a tensor without axes
  return labels;
}

Labels MapOp::getAxisLabels() {
  std::string error;
  std::optional<Labels> labels = parseAxisLabels(error);
  assert(labels && "asked for labels before they are verified");
  return *labels;
}

ViewLabels ViewOp::getViewLabels() {
  std::string error;
  std::optional<ViewLabels> labels = ViewLabels::parse(getLabels(), error);
  assert(labels && "asked for labels before they are verified");
  return *labels;
}

std::string NormalizeOp::getRowLabels() {
  std::string row = getLabels().str();
  llvm::erase(row, getOver().front());
  return row;
}

std::string ReduceOp::getRowLabels() {
  std::string row = getLabels().str();
  llvm::erase(row, getOver().front());
  return row;
}

Type MapOp::getAccumulateType() {
  SmallVector<Type> types(getInputs().getTypes());
  types.push_back(getType());
  return accumulateType(types);
}

Type NormalizeOp::getAccumulateType() {
  return accumulateType(
      {getScores().getType(), getWeights().getType(), getLse().getType()});
}

Type KernelOp::getAccumulateType() {
  SmallVector<Type> types(getOperandTypes());
  llvm::append_range(types, getResultTypes());
  return accumulateType(types);
}

Type KernelOp::getRoundedWeightType() {
  Type accumulate = getAccumulateType();
  NormAttr norm = getNorm();
  bool isBounded =
      !norm || norm.isSoftmax() || norm.getDivide() == NormDivide::None;
  Type type = getProbabilities().value_or(accumulate);
  bool isNarrow =
      type.getIntOrFloatBitWidth() < accumulate.getIntOrFloatBitWidth();
  return isBounded && isNarrow ? type : accumulate;
}

SmallVector<std::pair<Value, StringRef>, 2> KernelOp::getLetteredResults() {
  SmallVector<std::pair<Value, StringRef>, 2> results;
  for (auto [result, letters] :
       {std::pair<Value, StringRef>{getO(), kLabels[3]},
        {getLse(), kLabels[4]},
        {getRow(), kLabels[4]},
        {getKey(), kLabels[4]},
        {getDense(), kDenseLabels}})
    if (result)
      results.push_back({result, letters});
  return results;
}

StringRef KernelOp::withGroup(StringRef labels) {
  return labels == kLabels[1]   ? "bhgkd"
         : labels == kLabels[2] ? "bhgke"
                                : "bhgkf";
}

static unsigned rankOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

SmallVector<std::pair<Value, StringRef>, 4> KernelOp::getLetteredOperands() {
  SmallVector<std::pair<Value, StringRef>, 4> operands{{getQ(), kLabels[0]},
                                                       {getK(), kLabels[1]}};
  if (getV())
    operands.push_back({getV(), kLabels[2]});
  size_t ofFirst = 2 * (getSums().front().rows.size() - 1); // d is theirs, too
  for (auto [i, tensor] : llvm::enumerate(getProducts()))
    operands.push_back(
        {tensor, i < ofFirst ? kLabels[i % 2] : kProductLabels[i % 2]});
  for (auto &[tensor, letters] : operands)
    if (!letters.contains('g') && rankOf(tensor) > letters.size())
      letters = withGroup(letters);
  return operands;
}

unsigned KernelOp::getKeyAxis() { return rankOf(getK()) - 2; }

bool KernelOp::hasGroupedKeys() {
  return llvm::any_of(getLetteredOperands(), [](auto operand) {
    return operand.second.contains('g') && operand.second.contains('k');
  });
}

// d, b, h, g, q, k
static constexpr unsigned kPairIndices = 6;

unsigned KernelOp::countRows(Region &pair) {
  unsigned arguments = pair.empty() ? 0 : pair.getNumArguments();
  return arguments < kPairIndices + 2 ? 1 : (arguments - kPairIndices) / 2;
}

SmallVector<KernelOp::Sum, 2> KernelOp::getSums() {
  SmallVector<std::pair<Value, Value>> rows{{getQ(), getK()}};
  for (unsigned i = 0; i + 1 < getProducts().size(); i += 2)
    rows.emplace_back(getProducts()[i], getProducts()[i + 1]);
  ArrayRef left(rows);
  SmallVector<Sum, 2> sums;
  auto take = [&](Region *pair, size_t count) {
    count = std::min(count, left.size()); // fewer before verification
    sums.push_back({pair, {left.begin(), left.begin() + count}});
    left = left.drop_front(count);
  };
  for (Region &pair : getPairs())
    take(&pair, countRows(pair));
  while (!left.empty())
    take(nullptr, 1);
  return sums;
}

SmallVector<Type, 6> KernelOp::getPairTypes(unsigned rows) {
  SmallVector<Type, 6> types(2 * rows, getAccumulateType());
  types.append(kPairIndices, IndexType::get(getContext()));
  return types;
}

SmallVector<Type, 6> KernelOp::getBlockTypes(unsigned region) {
  // score (x, b, h, g, q, k), mask (b, h, g, q, k), init (b, h, g, q),
  // ranges (b, h, g, q0, q1), value (x, e, b, h, g, q, k),
  // classify (b, h, g, q0, q1, k0, k1), gate and select (x, b, h, g, q, k);
  // score, gate and select have the other sums behind these; then pairs
  constexpr unsigned kReals[] = {1, 0, 0, 0, 1, 0, 1, 1};
  constexpr unsigned kIndices[] = {5, 5, 4, 5, 6, 7, 5, 5};
  if (region >= std::size(kReals))
    return getPairTypes(countRows((*this)->getRegion(region)));
  SmallVector<Type, 6> types(kReals[region], getAccumulateType());
  types.append(kIndices[region], IndexType::get(getContext()));
  if (isOfProducts((*this)->getRegion(region)))
    types.append(getNumProducts(), getAccumulateType());
  return types;
}

// o, lse, row, key, dense: how many there are of each. Results that do not fit
// are not counted, which the parser and the verifier refuse.
static std::array<int32_t, 5> resultSegments(Attribute normalize,
                                             TypeRange results) {
  if (isa<NormAttr>(normalize)) {
    // o, lse, dense, or without the first or the last of them, or lse and row:
    // these have an axis less than o and dense, and one type.
    auto hasAxes = [&](Type type, int64_t count) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.getRank() == count;
    };
    bool hasDense = results.size() > 1 && hasAxes(results.back(), 5);
    if (results.size() == 2 && results[0] == results[1] &&
        hasAxes(results[0], 4))
      return {0, 1, 1, 0, 0};
    return {results.size() == (hasDense ? 3u : 2u), 1, 0, 0, hasDense};
  }
  if (isa<DenseAttr>(normalize))
    return {0, 0, 0, 0, 1};
  return {0, 0, 1, results.size() == 2, 0};
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

static void buildRegion(OpBuilder &builder, OperationState &state,
                        Region &region, TypeRange types, RegionBuilder body) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locs(types.size(), state.location);
  Block *block = builder.createBlock(&region, region.end(), types, locs);
  body(builder, state.location, block->getArguments());
}

void MapOp::build(OpBuilder &builder, OperationState &state, Type result,
                  StringRef labels, ValueRange inputs, RegionBuilder body) {
  state.addOperands(inputs);
  state.addTypes(result);
  state.getOrAddProperties<Properties>().labels = builder.getStringAttr(labels);
  SmallVector<Type> tensors(inputs.getTypes());
  tensors.push_back(result);
  Type accumulate = accumulateType(tensors);
  SmallVector<Type> types;
  for (Type input : inputs.getTypes())
    types.push_back(scalarType(input, accumulate));
  size_t axes = labels.size() - labels.find("->") - 2;
  types.append(axes, builder.getIndexType());
  buildRegion(builder, state, *state.addRegion(), types, body);
}

void MaskOp::build(OpBuilder &builder, OperationState &state, Type result,
                   StringRef labels, RegionBuilder body) {
  state.addTypes(result);
  state.getOrAddProperties<Properties>().labels = builder.getStringAttr(labels);
  SmallVector<Type> types(labels.size(), builder.getIndexType());
  buildRegion(builder, state, *state.addRegion(), types, body);
}

void NormalizeOp::build(OpBuilder &builder, OperationState &state, Type weights,
                        Type lse, StringRef labels, StringRef over,
                        NormAttr norm, Value scores, Value mask,
                        RegionBuilder init) {
  state.addOperands(scores);
  if (mask)
    state.addOperands(mask);
  state.addTypes({weights, lse});
  auto &properties = state.getOrAddProperties<Properties>();
  properties.labels = builder.getStringAttr(labels);
  properties.over = builder.getStringAttr(over);
  properties.norm = norm;
  Region *region = state.addRegion();
  SmallVector<Type> types(labels.size() - 1, builder.getIndexType());
  if (init)
    buildRegion(builder, state, *region, types, init);
}

void ReduceOp::build(OpBuilder &builder, OperationState &state,
                     TypeRange results, StringRef labels, StringRef over,
                     RowAttr kind, Value scores, Value mask) {
  state.addOperands(scores);
  if (mask)
    state.addOperands(mask);
  state.addTypes(results);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.labels = builder.getStringAttr(labels);
  properties.over = builder.getStringAttr(over);
  properties.kind = kind;
}

void KernelOp::build(OpBuilder &builder, OperationState &state,
                     TypeRange results, Value q, Value k, Value v,
                     Attribute normalize, double scale, Type probabilities,
                     ValueRange products, unsigned pairs) {
  state.addOperands({q, k});
  if (v)
    state.addOperands(v);
  state.addOperands(products);
  state.addTypes(results);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {1, 1, v ? 1 : 0,
                                    static_cast<int32_t>(products.size())};
  properties.normalize = normalize;
  properties.scale = builder.getF64FloatAttr(scale);
  if (probabilities)
    properties.probabilities = TypeAttr::get(probabilities);
  properties.resultSegmentSizes = resultSegments(normalize, results);
  constexpr unsigned kRegions = 8; // score to select
  for (unsigned i = 0; i < kRegions + pairs; ++i)
    state.addRegion();
}

std::optional<bool> MaskOp::getConstant() {
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  APInt value;
  if (!matchPattern(yield.getValue(), m_ConstantInt(&value)))
    return std::nullopt;
  return !value.isZero();
}

//===----------------------------------------------------------------------===//
// Names in dumps
//===----------------------------------------------------------------------===//

using SetName = OpAsmSetValueNameFn;

// Before verification a region may have any number of arguments.
static void nameArguments(Region &region, StringRef labels, SetName setName) {
  if (region.empty())
    return;
  for (auto [argument, letter] :
       llvm::zip(region.front().getArguments(), labels))
    setName(argument, StringRef(&letter, 1));
}

void MapOp::getAsmBlockArgumentNames(Region &region, SetName setName) {
  std::string error;
  std::optional<Labels> labels = Labels::parse(getLabels(), error);
  size_t inputs = getInputs().size();
  if (!labels || region.empty() || region.getNumArguments() < inputs)
    return;
  ArrayRef<BlockArgument> arguments = region.front().getArguments();
  for (BlockArgument argument : arguments.take_front(inputs))
    setName(argument, "x");
  for (auto [argument, letter] :
       llvm::zip(arguments.drop_front(inputs), labels->output))
    setName(argument, StringRef(&letter, 1));
}

void MaskOp::getAsmBlockArgumentNames(Region &region, SetName setName) {
  nameArguments(region, getLabels(), setName);
}

void NormalizeOp::getAsmBlockArgumentNames(Region &region, SetName setName) {
  if (!getOver().empty())
    nameArguments(region, getRowLabels(), setName);
}

void KernelOp::getAsmBlockArgumentNames(Region &region, SetName setName) {
  if (&region == &getRanges() || &region == &getClassify()) {
    constexpr StringLiteral kNames[] = {"b", "h", "g", "q0", "q1", "k0", "k1"};
    if (!region.empty())
      for (auto [argument, name] :
           llvm::zip(region.front().getArguments(), kNames))
        setName(argument, name);
    return;
  }
  for (BlockArgument argument : region.getArguments().drop_front(
           std::min<size_t>(region.getNumArguments(), 6)))
    if (isOfProducts(region))
      setName(argument, "y");
  bool isPair =
      llvm::any_of(getPairs(), [&](Region &pair) { return &pair == &region; });
  std::string elements;
  for (unsigned i = 0; isPair && i < countRows(region); ++i)
    elements += "xy";
  nameArguments(region,
                isOfProducts(region)     ? "xbhgqk"
                : isPair                 ? elements + "dbhgqk"
                : &region == &getValue() ? "xebhgqk"
                                         : "bhgqk",
                setName);
}

void NormalizeOp::getAsmResultNames(SetName setName) {
  setName(getWeights(), "p");
  setName(getLse(), "lse");
}

void ReduceOp::getAsmResultNames(SetName setName) {
  setName(getRow(), "row");
  if (getKey())
    setName(getKey(), "key");
}

void KernelOp::getAsmResultNames(SetName setName) {
  for (auto [result, name] : {std::pair<Value, StringRef>{getO(), "o"},
                              {getLse(), "lse"},
                              {getRow(), "row"},
                              {getKey(), "key"},
                              {getDense(), "dense"}})
    if (result)
      setName(result, name);
}

void SizeOp::getAsmResultNames(SetName setName) {
  setName(getResult(), getName());
}

//===----------------------------------------------------------------------===//
// attn.kernel ... -> (TYPE, TYPE) normalize #attn.norm<...>
//===----------------------------------------------------------------------===//

// What the results are depends on the attribute behind them.
static ParseResult parseKernelResults(OpAsmParser &parser, Type &o, Type &lse,
                                      Type &row, Type &key, Type &dense,
                                      Attribute &normalize) {
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArrow() ||
      parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::Paren,
          [&] { return parser.parseType(types.emplace_back()); }) ||
      parser.parseKeyword("normalize") || parser.parseAttribute(normalize))
    return failure();
  if (!isa<NormAttr, RowAttr, DenseAttr>(normalize))
    return parser.emitError(loc) << "a kernel normalizes by #attn.norm, "
                                    "#attn.row or #attn.dense, got "
                                 << normalize;
  auto segments = resultSegments(normalize, types);
  if (std::accumulate(segments.begin(), segments.end(), size_t(0)) !=
      types.size()) // kernel_c8
    return parser.emitError(loc)
           << normalize << " does not give " << types.size() << " results";
  Type *kinds[] = {&o, &lse, &row, &key, &dense};
  const Type *next = types.begin();
  for (auto [count, kind] : llvm::zip_equal(segments, kinds))
    if (count)
      *kind = *next++;
  return success();
}

static void printKernelResults(OpAsmPrinter &printer, Operation *op, Type, Type,
                               Type, Type, Type, Attribute normalize) {
  printer << "-> (" << op->getResultTypes() << ") normalize " << normalize;
}

//===----------------------------------------------------------------------===//
// attn.yield_ranges [(%any_lo, %all_lo, %all_hi, %any_hi), ...]
//===----------------------------------------------------------------------===//

ParseResult YieldRangesOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> bounds;
  auto segment = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    size_t before = bounds.size();
    if (parser.parseOperandList(bounds, OpAsmParser::Delimiter::Paren))
      return failure();
    if (bounds.size() - before != 4) // yield_ranges_c1
      return parser.emitError(loc)
             << "a segment is (any_lo, all_lo, all_hi, any_hi), got "
             << bounds.size() - before << " values";
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, segment) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.resolveOperands(bounds, parser.getBuilder().getIndexType(),
                             result.operands))
    return failure();
  return success();
}

void YieldRangesOp::print(OpAsmPrinter &printer) {
  printer << " [";
  llvm::interleaveComma(llvm::seq(getNumSegments()), printer, [&](unsigned i) {
    printer << '(' << getSegment(i) << ')';
  });
  printer << ']';
  printer.printOptionalAttrDict((*this)->getAttrs());
}
