//===- ImportSpec.cpp - A spec as a graph ---------------------------------===//
//
// The graph of every spec has one shape; what differs is in its regions:
//
//   %q = attn.view      heads split into KV head and group
//   %s = attn.contract  Q @ K, in the accumulate type
//   %t = attn.map       the score formula, then / temperature
//   %m = attn.mask      the mask formula
//   %p = attn.normalize softmax over the allowed keys, the sink as init; or the
//                       weights of another `attention`, maybe divided by a sum
//   %o = attn.contract  P @ V over the allowed keys
//   %O = attn.view      heads merged
//
// Every op carries the place of what it stands for: the contraction that of the
// score formula, the mask that of the mask, scalars that of their node.
// Tests: test/Import
//
//===----------------------------------------------------------------------===//

#include "attnc/Import/Import.h"

#include "Formula/MaskParts.h"
#include "Formula/Normaliser.h"
#include "Formula/SizeFormula.h"
#include "Storage/ImportStorage.h"
#include "Tensor/RowFormulas.h"
#include "Tensor/StateOutput.h"
#include "Tensor/TensorGraph.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Attn/Tf32.h"

#include "attnc/Interface/Attributes.h"
#include "attnc/Spec/Print.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Verifier.h"

#include <utility>

using namespace mlir;
using namespace attnc;
using namespace attnc::import;

namespace {
class SpecImporter {
public:
  SpecImporter(ModuleOp module, const SourceLocations &locations,
               const spec::AttentionSpec &spec, const Interface &interface)
      : module(module), locations(locations), spec(spec), interface(interface),
        here(locations.at(spec.nameRange, module.getLoc())),
        b(here, OpBuilder::atBlockEnd(module.getBody())) {}

  LogicalResult run();

private:
  Attribute size(const SizeExpr &expr);
  Attribute size(spec::BuiltinSize index);
  RankedTensorType tensor(const InterfaceTensor &tensor);
  RankedTensorType tensor(std::initializer_list<spec::BuiltinSize> axes,
                          Type element);
  void attachWishes(func::FuncOp function);
  Location placeOfType(const InterfaceTensor &entry);
  func::FuncOp createFunction();
  void buildGraph(func::FuncOp func);
  void addProduct(RowFormulas &rows, FormulaLeaves &leaves);
  Value buildPairs(RowFormulas &rows, const Normaliser &normaliser);
  Value buildMaskedScores(RowFormulas &rows, Value mask);
  LetteredTensor values(RowFormulas &rows);
  Value buildValues(RowFormulas &rows, Value weights, Value mask);
  Value buildMask(RowFormulas &rows);
  Value buildPlainMask(RowFormulas &rows, const spec::Expr &formula);
  Value buildOutput(TensorGraph &tensors, Value o, mlir::Type type);
  void finish(TensorGraph &tensors, SmallVector<Value> results);
  Value mergeHeads(Value o);
  Value attend(ArrayRef<LetteredTensor> given);
  Value attendOther(const spec::AttentionFormulas &formulas,
                    ArrayRef<LetteredTensor> given);
  Value buildStateOutput(RowFormulas &rows, RankedTensorType type);
  mlir::Type weightType(attn::NormAttr norm);
  attn::NormalizeOp buildWeights(RowFormulas &rows,
                                 const Normaliser &normaliser, Value scores,
                                 Value mask, Type element);
  Location at(const spec::ExprPtr &e) { return locations.at(e->range, here); }

  ModuleOp module;
  const SourceLocations &locations;
  const spec::AttentionSpec &spec;
  const Interface &interface;
  Location here;
  ImplicitLocOpBuilder b;
  Type real;            // the accumulate type
  ValueRange inputs;    // of spec.inputs
  spec::ExprPtr unused; // Q @ K where the score has none
  // Kept: rows remember the nodes that they have written.
  spec::ExprPtr plainValue;
  std::optional<spec::StateFormula> state;
  bool hasFailed = false;
};
} // namespace

// A number, the name of a run-time size, or an expression of such names: two
// sizes that must agree are the same attribute.
Attribute SpecImporter::size(const SizeExpr &expr) {
  SizeExpr resolved = interface.resolve(expr);
  if (std::optional<int64_t> number = resolved.constantValue())
    return b.getI64IntegerAttr(*number);
  return b.getStringAttr(resolved.str());
}

// A length that differs from sequence to sequence is an axis as long as all
// rows together.
Attribute SpecImporter::size(spec::BuiltinSize index) {
  return size(*sizeFormula(spec, *spec.sizeOf(index)));
}

RankedTensorType SpecImporter::tensor(const InterfaceTensor &tensor) {
  SmallVector<Attribute> sizes;
  for (const SizeExpr &axis : tensor.axes)
    sizes.push_back(size(axis));
  return attn::tensorType(sizes, elementType(tensor.dtype, b.getContext()));
}

RankedTensorType
SpecImporter::tensor(std::initializer_list<spec::BuiltinSize> axes,
                     Type element) {
  SmallVector<Attribute> sizes;
  for (spec::BuiltinSize axis : axes)
    sizes.push_back(size(axis));
  return attn::tensorType(sizes, element);
}

/// What says the element type of an argument.
Location SpecImporter::placeOfType(const InterfaceTensor &entry) {
  std::pair<TensorRole, spec::Row> rows[] = {{TensorRole::Query, spec::Row::Q},
                                             {TensorRole::Key, spec::Row::K},
                                             {TensorRole::Value, spec::Row::V}};
  for (auto [role, row] : rows)
    if (entry.role == role)
      return locations.at(spec.typeRanges[unsigned(row)], here);
  for (const spec::Input &input : spec.inputs) {
    if (input.name != entry.name)
      continue;
    StringRef type(input.typeRange.Start.getPointer(),
                   input.typeRange.End.getPointer() -
                       input.typeRange.Start.getPointer());
    bool isWritten = type.contains(spec::dtypeName(input.dtype));
    return locations.at(isWritten ? input.typeRange : spec.typeRanges[0], here);
  }
  return here;
}

func::FuncOp SpecImporter::createFunction() {
  SmallVector<Type> arguments, results;
  for (const InterfaceTensor &entry : interface.tensors)
    (entry.isOutput() ? results : arguments).push_back(tensor(entry));
  for (const InterfaceTensor &entry : interface.tensors)
    if (entry.inout) // its new value
      results.push_back(tensor(entry));
  auto func =
      func::FuncOp::create(b, spec.name, b.getFunctionType(arguments, results));
  Block *entry = func.addEntryBlock();
  b.setInsertionPointToStart(entry);
  auto declared = llvm::make_filter_range(
      interface.tensors,
      [](const InterfaceTensor &tensor) { return !tensor.isOutput(); });
  for (auto [argument, tensor] :
       llvm::zip_equal(entry->getArguments(), declared))
    argument.setLoc(placeOfType(tensor));
  return func;
}

/// Kernels are made around a product of queries and keys: a score without one
/// gets Q @ K and does not use it.
void SpecImporter::addProduct(RowFormulas &rows, FormulaLeaves &leaves) {
  using namespace spec;
  for (const LetteredTensor &leaf : leaves.tensors)
    if (StringRef(leaf.letters).contains('q') &&
        StringRef(leaf.letters).contains('k'))
      return;
  // Keys of another width have no product with queries, but rows of zeros do.
  if (size(HeadDim) != size(KeyDim)) {
    ExprPtr width = makeSize(HeadDim);
    Value zeros =
        rows.map("bhkd", rows.type("bhkd", width, real), {},
                 [&](FormulaBuilder &build) { return build.constant(0); });
    if (!unused) // kept: rows remember the nodes that they have written
      unused = makeRow(Row::Q);
    Value product = attn::ContractOp::create(
        b, tensor({Batch, KvHeads, Group, QueryLen, KvLen}, real),
        "bhgqd,bhkd->bhgqk", rows.vector(*unused).tensor, zeros);
    leaves.tensors.push_back({product, "bhgqk"});
    return;
  }
  // One node for all uses: rows remember the nodes that they have written.
  if (!unused)
    unused = makeApply(spec::Op::Dot, spec::Type::Real,
                       {makeRow(Row::Q), makeRow(Row::K)});
  leaves.tensors.push_back(rows.vector(*unused));
}

/// What is normalised: a score, or a weight before its division.
Value SpecImporter::buildPairs(RowFormulas &rows,
                               const Normaliser &normaliser) {
  using namespace spec;
  const Expr &formula = *normaliser.pairs;
  RankedTensorType type =
      tensor({Batch, KvHeads, Group, QueryLen, KvLen}, real);
  b.setLoc(locations.at(formula.range, here));
  FormulaLeaves leaves = rows.leavesOf(formula);
  addProduct(rows, leaves);
  if (spec.isSoftmax && spec.temperature)
    rows.addLeaves(*spec.temperature, leaves);
  bool guarded = !normaliser.norm.isSoftmax() && rows.addGuard(formula, leaves);
  return rows.map("bhgqk", type, leaves, [&](FormulaBuilder &build) {
    Value x = build.build(formula);
    if (guarded)
      x = build.zeroWhereNothing(build.build(*spec.score), x);
    if (spec.isSoftmax && spec.temperature)
      x = build.divide(x, build.build(*spec.temperature));
    return x;
  });
}

/// The output `score`: the formula, -inf where the mask is false.
Value SpecImporter::buildMaskedScores(RowFormulas &rows, Value mask) {
  using namespace spec;
  b.setLoc(at(spec.score));
  FormulaLeaves leaves = rows.leavesOf(*spec.score);
  addProduct(rows, leaves);
  leaves.tensors.push_back({mask, "bhgqk"});
  return rows.map(
      "bhgqk", tensor({Batch, KvHeads, Group, QueryLen, KvLen}, real), leaves,
      [&](FormulaBuilder &build, ValueRange x) {
        return build.unlessMasked(x.back(), build.build(*spec.score));
      });
}

/// What keys contribute, with e for its features.
LetteredTensor SpecImporter::values(RowFormulas &rows) {
  if (!spec.value && !plainValue)
    plainValue = spec::makeRow(spec::Row::V);
  LetteredTensor value = rows.vector(spec.value ? *spec.value : *plainValue);
  value.letters.back() = 'e';
  return value;
}

/// Weights times what keys contribute.
Value SpecImporter::buildValues(RowFormulas &rows, Value weights, Value mask) {
  using namespace spec;
  LetteredTensor value = values(rows);
  b.setLoc(here);
  return attn::ContractOp::create(
      b,
      tensor({Batch, KvHeads, Group, QueryLen, ValueDim},
             elementType(*attnc::parseDType(dtypeName(spec.outputType)),
                         b.getContext())),
      b.getStringAttr("bhgqk," + value.letters + "->bhgqe"), weights,
      value.tensor, b.getStringAttr("bhgqk"), mask);
}

/// The mask but for products of queries and keys: numbers of a row or of a key
/// are computed before and read.
Value SpecImporter::buildPlainMask(RowFormulas &rows,
                                   const spec::Expr &formula) {
  using namespace spec;
  b.setLoc(locations.at(formula.range, here));
  FormulaLeaves leaves = rows.leavesOf(formula);
  return attn::MaskOp::create(
      b, tensor({Batch, KvHeads, Group, QueryLen, KvLen}, b.getI1Type()),
      "bhgqk", [&](OpBuilder &builder, Location, ValueRange x) {
        Location place = locations.at(formula.range, here);
        Value value = rows.at(builder, place, formula, leaves, x);
        attn::YieldOp::create(builder, place, value);
      });
}

Value SpecImporter::buildMask(RowFormulas &rows) {
  using namespace spec;
  auto [plain, ofPairs] = splitMask(rows, spec);
  if (!ofPairs)
    return buildPlainMask(rows, *plain);
  if (!plain)
    plain = makeBool(true, spec.mask->range);
  Value mask = buildPlainMask(rows, *plain);
  b.setLoc(locations.at(ofPairs->range, here));
  FormulaLeaves leaves = rows.leavesOf(*ofPairs);
  leaves.nodes.push_back({plain.get(), unsigned(leaves.tensors.size())});
  leaves.tensors.push_back({mask, "bhgqk"});
  ExprPtr both = makeApply(spec::Op::And, spec::Type::Bool, {plain, ofPairs});
  return rows.map(
      "bhgqk", tensor({Batch, KvHeads, Group, QueryLen, KvLen}, b.getI1Type()),
      leaves, [&](FormulaBuilder &build) { return build.build(*both); });
}

/// The output `state`.
Value SpecImporter::buildStateOutput(RowFormulas &rows, RankedTensorType type) {
  using namespace spec;
  b.setLoc(locations.at(spec.stateRange, here));
  StateProblem problem;
  state = findState(spec, problem);
  StateParts parts;
  parts.keys = stateKeys(rows, spec, *state, real);
  parts.values = values(rows);
  parts.hasSum = state->hasSum;
  ExprPtr allowed = withinKeys(spec, state->allowed);
  FormulaLeaves leaves = allowed ? rows.leavesOf(*allowed) : FormulaLeaves();
  if (allowed)
    parts.allowed = attn::MaskOp::create(
        b, tensor({Batch, KvHeads, KvLen}, b.getI1Type()), "bhk",
        [&](OpBuilder &builder, Location, ValueRange x) {
          Location place = at(allowed);
          Value value = rows.at(builder, place, *allowed, leaves,
                                {x[0], x[1], Value(), Value(), x[2]});
          attn::YieldOp::create(builder, place, value);
        });
  return buildState(b, parts, type);
}

/// The type that weights are rounded to before they multiply values: that of
/// the values, if none says else. What is no softmax may have weights that such
/// a type is too small for, except bf16, which has the range of f32, if results
/// are rounded to it, too.
mlir::Type SpecImporter::weightType(attn::NormAttr norm) {
  bool isBf16 = spec.valueType == spec::DType::BF16 &&
                spec.outputType == spec::DType::BF16;
  bool fits = norm.isSoftmax() ||
              (isBf16 && norm.getDivide() == attn::NormDivide::None);
  if (!spec.probabilities && !fits)
    return real;
  spec::DType type = spec.probabilities.value_or(spec.valueType);
  return elementType(*attnc::parseDType(dtypeName(type)), b.getContext());
}

attn::NormalizeOp SpecImporter::buildWeights(RowFormulas &rows,
                                             const Normaliser &normaliser,
                                             Value scores, Value mask,
                                             Type element) {
  using namespace spec;
  const Expr *rest = normaliser.init.get();
  b.setLoc(rest ? locations.at(rest->range, here) : here);
  FormulaLeaves leaves = rest ? rows.leavesOf(*rest) : FormulaLeaves();
  auto init = [&](OpBuilder &builder, Location, ValueRange x) {
    Value value = rows.at(builder, b.getLoc(), *rest, leaves, x);
    attn::YieldOp::create(builder, b.getLoc(), value);
  };
  attn::RegionBuilder build = init;
  return attn::NormalizeOp::create(
      b, tensor({Batch, KvHeads, Group, QueryLen, KvLen}, element),
      tensor({Batch, KvHeads, Group, QueryLen}, real), "bhgqk", "k",
      normaliser.norm, scores, mask,
      rest ? build : attn::RegionBuilder(nullptr));
}

/// O as formulas of tensors have it.
Value SpecImporter::mergeHeads(Value o) {
  using namespace spec;
  RankedTensorType merged = tensor({Batch, Heads, QueryLen, ValueDim},
                                   getElementTypeOrSelf(o.getType()));
  Value rows = attn::ViewOp::create(b, merged, "bhgqe->b(hg)qe", o);
  return packedRows(b, b.getLoc(), spec.queryStorage, inputs, rows);
}

/// The file's attention on other tensors.
Value SpecImporter::attend(ArrayRef<LetteredTensor> given) {
  using namespace spec;
  SmallVector<mlir::Type> types;
  for (const LetteredTensor &tensor : given)
    types.push_back(tensor.tensor.getType());
  mlir::Type before = real;
  real = attn::accumulateType(types);
  // What has no place of its own is where it is asked for.
  Location whole = std::exchange(here, b.getLoc());
  Value none[3];
  RowFormulas rows(b, locations, spec, interface, none, inputs, real);
  for (Row row : {Row::Q, Row::K, Row::V})
    rows.setRow(row, given[unsigned(row)]);
  Value mask = buildMask(rows);
  rows.setMask([&] { return mask; });
  Normaliser normaliser = findNormaliser(b.getContext(), spec);
  Value scores = buildPairs(rows, normaliser);
  attn::NormalizeOp norm =
      buildWeights(rows, normaliser, scores, mask, weightType(normaliser.norm));
  Value o = buildValues(rows, norm.getWeights(), mask);
  hasFailed |= rows.failed();
  real = before;
  here = whole;
  return mergeHeads(o);
}

/// The same for other numbers of rows: as in a file that has these.
Value SpecImporter::attendOther(const spec::AttentionFormulas &formulas,
                                ArrayRef<LetteredTensor> given) {
  spec::AttentionSpec own = spec;
  static_cast<spec::AttentionFormulas &>(own) = formulas;
  SpecImporter importer(module, locations, own, interface);
  importer.b.restoreInsertionPoint(b.saveInsertionPoint());
  importer.b.setLoc(b.getLoc());
  importer.inputs = inputs;
  Value o = importer.attend(given);
  hasFailed |= importer.hasFailed;
  return o;
}

/// What `output` makes of O, or without it.
Value SpecImporter::buildOutput(TensorGraph &tensors, Value o,
                                mlir::Type type) {
  if (o)
    tensors.setResult(mergeHeads(o));
  Value output = tensors.buildAs(*spec.output, getElementTypeOrSelf(type));
  hasFailed |= tensors.failed();
  return output;
}

/// Returns the results of the attention, tensors of `let`, and caches.
void SpecImporter::finish(TensorGraph &tensors, SmallVector<Value> results) {
  auto func = cast<func::FuncOp>(b.getBlock()->getParentOp());
  for (const spec::ExtraOutput &extra : spec.extras) {
    mlir::Type stored = func.getResultTypes()[results.size()];
    results.push_back(
        tensors.buildAs(*extra.tensor, getElementTypeOrSelf(stored)));
  }
  hasFailed |= tensors.failed();
  for (const spec::Cache &cache : spec.caches)
    results.push_back(tensors.build(*cache.tensor));
  func::ReturnOp::create(b, results);
}

void SpecImporter::buildGraph(func::FuncOp func) {
  using namespace spec;
  ValueRange left = func.getArguments();
  SmallVector<Value> given;
  for (Row row : {Row::Q, Row::K, Row::V}) {
    bool isArgument = spec.isArgument(row);
    given.push_back(isArgument ? left.front() : Value());
    left = left.drop_front(isArgument);
  }
  FunctionType type = func.getFunctionType();
  TensorGraph tensors(b, locations, spec, interface, given, left);
  inputs = tensors.buildTables();
  SmallVector<mlir::Type> types{type.getResult(0)};
  for (Value tensor : given)
    if (tensor)
      types.push_back(tensor.getType());
  tensors.setAttention(
      [&](const AttentionFormulas *formulas, ArrayRef<LetteredTensor> rows) {
        return formulas ? attendOther(*formulas, rows) : attend(rows);
      });
  SmallVector<Value> results;
  if (!spec.hasResult()) {
    results.push_back(buildOutput(tensors, Value(), type.getResult(0)));
    return finish(tensors, results);
  }
  std::optional<LetteredTensor> defined[3];
  for (Row row : {Row::Q, Row::K, Row::V})
    if (spec.rows[unsigned(row)].tensor) {
      defined[unsigned(row)] = tensors.buildRow(row);
      types.push_back(defined[unsigned(row)]->tensor.getType());
    }
  real = attn::accumulateType(types);

  for (auto [index, storage, heads, length, width] :
       {std::tuple(0, &spec.queryStorage, Heads, QueryLen, HeadDim),
        std::tuple(1, &spec.kvStorage, KvHeads, KvLen, KeyDim),
        std::tuple(2, &spec.kvStorage, KvHeads, KvLen, ValueDim)})
    if (given[index])
      given[index] =
          denseRows(b, here, *storage, inputs, given[index],
                    {size(Batch), size(heads), size(length), size(width)});

  RowFormulas rows(b, locations, spec, interface, given, inputs, real);
  for (Row row : {Row::Q, Row::K, Row::V})
    if (defined[unsigned(row)])
      rows.setRow(row, *defined[unsigned(row)]);
  Value mask; // made where it is needed first
  auto getMask = [&] {
    Location before = b.getLoc();
    if (!mask)
      mask = buildMask(rows);
    b.setLoc(before);
    return mask;
  };
  rows.setMask(getMask);
  Normaliser normaliser = findNormaliser(b.getContext(), spec);
  Value scores = buildPairs(rows, normaliser);
  getMask();
  attn::NormalizeOp norm =
      buildWeights(rows, normaliser, scores, mask, weightType(normaliser.norm));
  Value weights = norm.getWeights(), lse = norm.getLse();
  Value o = buildValues(rows, weights, mask);
  auto addResult = [&](Value tensor, StringRef letters, double outside = 0) {
    SmallVector<Attribute> sizes{size(Batch), size(Heads)};
    for (char letter : letters)
      sizes.push_back(size(letter == 'q'   ? QueryLen
                           : letter == 'k' ? KvLen
                                           : ValueDim));
    std::string labels = ("bhg" + letters + "->b(hg)" + letters).str();
    mlir::Type merged = attn::tensorType(sizes, getElementTypeOrSelf(tensor));
    Value dense = attn::ViewOp::create(b, merged, labels, tensor);
    if (letters.ends_with("k"))
      dense = placedKeys(b, here, spec.kvStorage, inputs, dense, outside);
    mlir::Type stored = type.getResult(results.size());
    results.push_back(storedRows(b, here, spec.queryStorage, inputs, dense,
                                 cast<RankedTensorType>(stored)));
  };
  if (spec.output)
    results.push_back(buildOutput(tensors, o, type.getResult(0)));
  else
    addResult(o, "qe");
  if (!spec.output && !spec.extras.empty()) // they may use O
    tensors.setResult(mergeHeads(o));
  if (spec.lse)
    addResult(lse, "q");
  if (spec.attentionOutput)
    addResult(buildWeights(rows, normaliser, scores, mask, real).getWeights(),
              "qk");
  if (spec.scoreOutput)
    addResult(buildMaskedScores(rows, mask), "qk", -HUGE_VAL);
  if (spec.stateOutput)
    results.push_back(buildStateOutput(
        rows, cast<RankedTensorType>(type.getResult(results.size()))));
  hasFailed |= rows.failed();
  finish(tensors, results);
}

LogicalResult SpecImporter::run() {
  func::FuncOp function = createFunction();
  attachWishes(function);
  buildGraph(function);
  return failure(hasFailed);
}

/// What the spec says about speed, for attn-select-schedule.
void SpecImporter::attachWishes(func::FuncOp function) {
  if (spec.tf32)
    function->setAttr(attn::kTf32Attr, b.getUnitAttr());
  if (!spec.schedule.empty()) {
    function->setAttr(kScheduleAttr, b.getStringAttr(spec.schedule));
    // For messages about it; the first place is that of the function.
    function->setLoc(b.getFusedLoc(
        {function.getLoc(), locations.at(spec.scheduleRange, here)},
        b.getStringAttr("schedule")));
  }
  SmallVector<Attribute> regimes;
  for (const spec::Regime &regime : spec.expect) {
    SmallVector<NamedAttribute> fields;
    for (auto [size, value] : regime.sizes)
      fields.push_back(
          b.getNamedAttr(spec.sizes[size].name, b.getI64IntegerAttr(value)));
    fields.push_back(
        b.getNamedAttr("weight", b.getF64FloatAttr(regime.weight)));
    regimes.push_back(b.getDictionaryAttr(fields));
  }
  if (!regimes.empty())
    function->setAttr(kExpectAttr, b.getArrayAttr(regimes));
}

OwningOpRef<ModuleOp> attnc::importSpecs(MLIRContext &context,
                                         const llvm::SourceMgr &sources,
                                         ArrayRef<spec::AttentionSpec> specs) {
  context.loadDialect<attn::AttnDialect, func::FuncDialect>();
  SourceLocations locations(context, sources);
  Location top = specs.empty() ? UnknownLoc::get(&context)
                               : locations.at(specs.front().nameRange,
                                              UnknownLoc::get(&context));
  OwningOpRef<ModuleOp> module = ModuleOp::create(top);
  std::vector<Interface> interfaces;
  bool hasFailed = false;
  for (const spec::AttentionSpec &spec : specs) {
    FailureOr<Interface> interface = importInterface(context, sources, spec);
    if (failed(interface) ||
        failed(SpecImporter(*module, locations, spec, *interface).run())) {
      hasFailed = true;
      continue;
    }
    interfaces.push_back(std::move(*interface));
  }
  if (hasFailed)
    return nullptr;
  if (failed(verifySymbols(interfaces, [&] { return emitError(top); })))
    return nullptr;
  setInterfaces(*module, interfaces);
  if (failed(verify(*module)))
    return nullptr;
  return module;
}
