//===- ImportSpec.cpp - A spec as a graph ---------------------------------===//
//
// The graph of every spec has one shape; what differs is in its regions:
//
//   %q = attn.view      heads split into KV head and group
//   %s = attn.contract  Q @ K, in the accumulate type
//   %t = attn.map       the score formula, then / temperature
//   %m = attn.mask      the mask formula
//   %p = attn.normalize softmax over the allowed keys, the sink as init
//   %o = attn.contract  P @ V over the allowed keys
//   %O = attn.view      heads merged
//
// Every op carries the place of what it stands for: the contraction that of the
// score formula, the mask that of the mask, scalars that of their node.
// Tests: test/Import
//
//===----------------------------------------------------------------------===//

#include "attnc/Import/Import.h"

#include "RowFormulas.h"

#include "attnc/Dialect/Attn/Attn.h"

#include "attnc/Spec/Print.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Verifier.h"

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
  Attribute size(spec::BuiltinSize index) {
    return size(SizeExpr::size(spec.sizes[index].name));
  }
  RankedTensorType tensor(const InterfaceTensor &tensor);
  RankedTensorType tensor(std::initializer_list<spec::BuiltinSize> axes,
                          Type element);
  void attachWishes(func::FuncOp function);
  func::FuncOp createFunction();
  void buildGraph(func::FuncOp func);
  void addProduct(RowFormulas &rows, FormulaLeaves &leaves);
  Value buildScores(RowFormulas &rows);
  Value buildValues(RowFormulas &rows, Value weights, Value mask);
  Value buildMask();
  std::pair<Value, Value> buildWeights(Value scores, Value mask, Type element);
  // Adds `formula` at the end of a region.
  void yield(OpBuilder &builder, const spec::Expr &formula,
             const FormulaScope &scope);
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

func::FuncOp SpecImporter::createFunction() {
  SmallVector<Type> arguments, results;
  for (const InterfaceTensor &entry : interface.tensors)
    (entry.isOutput() ? results : arguments).push_back(tensor(entry));
  auto func =
      func::FuncOp::create(b, spec.name, b.getFunctionType(arguments, results));
  b.setInsertionPointToStart(func.addEntryBlock());
  return func;
}

void SpecImporter::yield(OpBuilder &builder, const spec::Expr &formula,
                         const FormulaScope &scope) {
  Location loc = locations.at(formula.range, here);
  FormulaBuilder build(builder, loc, locations, spec, real, scope);
  Value value = build.build(formula);
  hasFailed |= build.failed();
  attn::YieldOp::create(builder, loc, value);
}

/// Kernels are made around a product of queries and keys: a score without one
/// gets Q @ K and does not use it.
void SpecImporter::addProduct(RowFormulas &rows, FormulaLeaves &leaves) {
  using namespace spec;
  for (const LetteredTensor &leaf : leaves.tensors)
    if (StringRef(leaf.letters).contains('q') &&
        StringRef(leaf.letters).contains('k'))
      return;
  if (size(HeadDim) != size(KeyDim)) {
    hasFailed = true;
    emitError(at(spec.score)) << "a score without a product of Q and K needs "
                                 "a key_dim that is head_dim";
    return;
  }
  unused = makeApply(spec::Op::Dot, spec::Type::Real,
                     {makeRow(Row::Q), makeRow(Row::K)});
  leaves.tensors.push_back(rows.vector(*unused));
}

Value SpecImporter::buildScores(RowFormulas &rows) {
  using namespace spec;
  RankedTensorType type =
      tensor({Batch, KvHeads, Group, QueryLen, KvLen}, real);
  b.setLoc(at(spec.score));
  FormulaLeaves leaves = rows.leavesOf(*spec.score);
  addProduct(rows, leaves);
  return rows.map("bhgqk", type, leaves, [&](FormulaBuilder &formula) {
    Value score = formula.build(*spec.score);
    if (!spec.temperature)
      return score;
    return formula.divide(score, formula.build(*spec.temperature));
  });
}

/// Weights times what keys contribute.
Value SpecImporter::buildValues(RowFormulas &rows, Value weights, Value mask) {
  using namespace spec;
  ExprPtr formula = spec.value ? spec.value : makeRow(Row::V);
  LetteredTensor value = rows.vector(*formula);
  value.letters.back() = 'e';
  b.setLoc(here);
  return attn::ContractOp::create(
      b,
      tensor({Batch, KvHeads, Group, QueryLen, ValueDim},
             elementType(*attnc::parseDType(dtypeName(spec.outputType)),
                         b.getContext())),
      b.getStringAttr("bhgqk," + value.letters + "->bhgqe"), weights,
      value.tensor, b.getStringAttr("bhgqk"), mask);
}

Value SpecImporter::buildMask() {
  using namespace spec;
  b.setLoc(at(spec.mask));
  return attn::MaskOp::create(
      b, tensor({Batch, KvHeads, Group, QueryLen, KvLen}, b.getI1Type()),
      "bhgqk", [&](OpBuilder &builder, Location, ValueRange x) {
        FormulaScope scope{x[0], x[1], x[2], x[3], x[4], inputs};
        yield(builder, *spec.mask, scope);
      });
}

std::pair<Value, Value> SpecImporter::buildWeights(Value scores, Value mask,
                                                   Type element) {
  using namespace spec;
  b.setLoc(spec.sink ? at(spec.sink) : here);
  auto init = [&](OpBuilder &builder, Location, ValueRange x) {
    FormulaScope scope{x[0], x[1], x[2], x[3], {}, inputs};
    yield(builder, *spec.sink, scope);
  };
  attn::RegionBuilder build = init;
  auto op = attn::NormalizeOp::create(
      b, tensor({Batch, KvHeads, Group, QueryLen, KvLen}, element),
      tensor({Batch, KvHeads, Group, QueryLen}, real), "bhgqk", "k",
      attn::NormAttr::softmax(b.getContext()), scores, mask,
      spec.sink ? build : attn::RegionBuilder(nullptr));
  return {op.getWeights(), op.getLse()};
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
  inputs = left;
  FunctionType type = func.getFunctionType();
  SmallVector<mlir::Type> tensors{type.getResult(0)};
  for (Value tensor : given)
    if (tensor)
      tensors.push_back(tensor.getType());
  real = attn::accumulateType(tensors);

  RowFormulas rows(b, locations, spec, interface, given, inputs, real);
  Value scores = buildScores(rows);
  Value mask = buildMask();
  // Weights are rounded to the type of what they multiply.
  attnc::DType weightType = *attnc::parseDType(dtypeName(spec.valueType));
  auto [weights, lse] =
      buildWeights(scores, mask, elementType(weightType, b.getContext()));
  Value o = buildValues(rows, weights, mask);
  hasFailed |= rows.failed();
  SmallVector<Value> results;
  results.push_back(
      attn::ViewOp::create(b, type.getResult(0), "bhgqe->b(hg)qe", o));
  if (spec.lse)
    results.push_back(
        attn::ViewOp::create(b, type.getResult(1), "bhgq->b(hg)q", lse));
  func::ReturnOp::create(b, results);
}

LogicalResult SpecImporter::run() {
  func::FuncOp function = createFunction();
  attachWishes(function);
  buildGraph(function);
  return failure(hasFailed);
}

/// What the spec says about speed, for attn-select-schedule.
void SpecImporter::attachWishes(func::FuncOp function) {
  if (!spec.schedule.empty())
    function->setAttr("attnc.schedule", b.getStringAttr(spec.schedule));
  SmallVector<Attribute> regimes;
  if (spec.expectGiven)
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
    function->setAttr("attnc.expect", b.getArrayAttr(regimes));
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
