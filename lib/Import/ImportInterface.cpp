//===- ImportInterface.cpp - The signature of a spec's function -----------===//
//
// Sizes, tensors in call order, and what must hold at the call.
// Tests: test/Import/interface.yaml, conditions.yaml
//
//===----------------------------------------------------------------------===//

#include "attnc/Import/Import.h"

#include "Formula/SizeFormula.h"
#include "SourceLocations.h"

#include "attnc/Spec/Print.h"
#include "attnc/Spec/State.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::import;

namespace {
class InterfaceImporter {
public:
  InterfaceImporter(MLIRContext &context, const llvm::SourceMgr &sources,
                    const spec::AttentionSpec &spec)
      : locations(context, sources), spec(spec),
        here(locations.at(spec.nameRange, UnknownLoc::get(&context))) {}

  FailureOr<Interface> run();

private:
  LogicalResult addSizes();
  LogicalResult addInput(const spec::Input &input);
  void addTensor(StringRef name, TensorRole role, spec::DType dtype,
                 std::initializer_list<spec::BuiltinSize> axes);
  LogicalResult placeRows(InterfaceTensor &tensor,
                          const spec::Storage &storage);
  SizeExpr tokensOf(const spec::Storage &storage) const {
    return SizeExpr::size(spec.sizes[storage.tokens].name);
  }
  std::optional<std::pair<SizeExpr, SizeExpr>> rangeOfStarts(unsigned input);
  LogicalResult addOutputs();
  LogicalResult addMade(StringRef name, TensorRole role,
                        const spec::Tensor &made);
  LogicalResult addExtras();
  LogicalResult addState(spec::DType computed);
  LogicalResult addPreconditions();
  void addPositions();
  std::string title() const;

  // The formula as an expression; an error at the formula if it is more.
  std::optional<SizeExpr> convert(const spec::Expr &e, StringRef what,
                                  Location otherwise);
  SizeExpr size(spec::BuiltinSize index) const {
    return SizeExpr::size(spec.sizes[index].name);
  }
  // A caller knows heads and head_dim; the sizes that default to them are named
  // in a sentence only where they differ.
  spec::BuiltinSize nameToSay(spec::BuiltinSize index) const;
  // Over run-time sizes only. (Interface::resolve wants a verified interface.)
  SizeExpr resolve(SizeExpr expr) const;

  SourceLocations locations;
  const spec::AttentionSpec &spec;
  Location here;
  Interface result;
};
} // namespace

static DType storage(spec::DType dtype) {
  std::optional<DType> same = attnc::parseDType(spec::dtypeName(dtype));
  assert(same && "the two lists of element types are the same");
  return *same;
}

std::optional<SizeExpr> InterfaceImporter::convert(const spec::Expr &e,
                                                   StringRef what,
                                                   Location otherwise) {
  std::optional<SizeExpr> expr = sizeFormula(spec, e);
  if (!expr)
    emitError(locations.at(e.range, otherwise))
        << what << " '" << printFormula(spec, e)
        << "' is not supported: integer arithmetic of sizes is [unsupported]";
  return expr;
}

SizeExpr InterfaceImporter::resolve(SizeExpr expr) const {
  // Derived sizes are formulas of sizes that are not derived: two steps.
  for (int step = 0; step < 2; ++step)
    expr = expr.substitute([&](StringRef name) {
      std::optional<unsigned> index = result.sizeIndex(name);
      return index ? result.sizes[*index].value : std::nullopt;
    });
  return expr;
}

spec::BuiltinSize InterfaceImporter::nameToSay(spec::BuiltinSize index) const {
  using namespace spec;
  // The size that a call is asked for is the one that a tensor has to show.
  bool queriesTell = !spec.isArgument(Row::K) && !spec.isArgument(Row::V);
  if (index == QueryLen && queriesTell && resolve(size(index)) == size(KvLen))
    return KvLen;
  BuiltinSize plain = index == KvHeads                       ? Heads
                      : index == KeyDim || index == ValueDim ? HeadDim
                                                             : index;
  bool isSame = resolve(size(plain)) == resolve(size(index));
  bool isFixed = spec.sizes[index].kind != Size::RunTime;
  return isSame && isFixed ? plain : index;
}

LogicalResult InterfaceImporter::addSizes() {
  for (const spec::Size &size : spec.sizes) {
    if (size.kind == spec::Size::PerSequence)
      continue;
    InterfaceSize entry;
    entry.name = size.name;
    if (size.kind == spec::Size::Fixed)
      entry.value = SizeExpr::constant(size.value);
    if (size.kind == spec::Size::Derived) {
      entry.value =
          convert(*size.formula, "size", locations.at(size.range, here));
      if (!entry.value)
        return failure();
    }
    result.sizes.push_back(std::move(entry));
  }
  return success();
}

void InterfaceImporter::addTensor(
    StringRef name, TensorRole role, spec::DType dtype,
    std::initializer_list<spec::BuiltinSize> axes) {
  InterfaceTensor tensor;
  tensor.name = name.str();
  tensor.role = role;
  tensor.dtype = storage(dtype);
  for (spec::BuiltinSize axis : axes)
    tensor.axes.push_back(
        SizeExpr::size(spec.sizes[spec.axisOf(nameToSay(axis))].name));
  result.tensors.push_back(std::move(tensor));
}

/// From [batch, heads, rows, features] to how the rows are stored.
LogicalResult InterfaceImporter::placeRows(InterfaceTensor &tensor,
                                           const spec::Storage &storage) {
  using spec::Storage;
  if (storage.kind == Storage::Dense)
    return success();
  tensor.rowTable = spec.inputs[storage.table].name;
  if (storage.kind == Storage::Ragged) {
    tensor.rows = RowLayout::Ragged;
    tensor.axes.erase(tensor.axes.begin() + 2);
    tensor.axes[0] = tokensOf(storage);
    return success();
  }
  std::optional<SizeExpr> pages = convert(*spec.pages(), "number of pages",
                                          locations.at(storage.range, here));
  if (!pages)
    return failure();
  tensor.rows = RowLayout::Paged;
  tensor.axes[0] = *pages;
  tensor.axes[2] = SizeExpr::constant(storage.pageRows);
  return success();
}

/// A table of starts points into every tensor that it describes.
std::optional<std::pair<SizeExpr, SizeExpr>>
InterfaceImporter::rangeOfStarts(unsigned input) {
  std::optional<SizeExpr> last;
  for (const spec::Storage &storage : {spec.queryStorage, spec.kvStorage}) {
    if (storage.kind != spec::Storage::Ragged || storage.table != input)
      continue;
    SizeExpr tokens = tokensOf(storage);
    last = last ? SizeExpr::binary(SizeExpr::Op::Min, *last, tokens) : tokens;
  }
  if (!last)
    return std::nullopt;
  return std::pair(SizeExpr::constant(0), *last);
}

LogicalResult InterfaceImporter::addInput(const spec::Input &input) {
  Location loc = locations.at(input.typeRange, here);
  InterfaceTensor tensor;
  tensor.name = input.name;
  tensor.role = TensorRole::Input;
  tensor.dtype = storage(input.dtype);
  tensor.inout = input.inout;
  tensor.resident = input.resident;
  tensor.nondecreasing = input.nondecreasing;
  for (const spec::ExprPtr &axis : input.axes) {
    std::optional<SizeExpr> expr = convert(*axis, "axis", loc);
    if (!expr)
      return failure();
    tensor.axes.push_back(*expr);
  }
  if (input.low && input.high) {
    std::optional<SizeExpr> low = convert(*input.low, "bound", loc);
    std::optional<SizeExpr> high = convert(*input.high, "bound", loc);
    if (!low || !high)
      return failure();
    tensor.range = {*low, *high};
  } else {
    tensor.range = rangeOfStarts(&input - spec.inputs.data());
  }
  result.tensors.push_back(std::move(tensor));
  return success();
}

/// [batch, kv_heads, features, value_dim], and a column for the sum.
LogicalResult InterfaceImporter::addState(spec::DType computed) {
  using namespace spec;
  StateProblem problem;
  std::optional<StateFormula> state = findState(spec, problem);
  assert(state && "the front end has found it");
  std::optional<SizeExpr> features =
      convert(*spec.axesOf(*state->keys)[0], "axis",
              locations.at(state->keys->range, here));
  if (!features)
    return failure();
  addTensor("state", TensorRole::Extra, computed, {Batch, KvHeads});
  InterfaceTensor &tensor = result.tensors.back();
  SizeExpr columns = size(nameToSay(ValueDim));
  tensor.axes.push_back(*features);
  tensor.axes.push_back(state->hasSum ? columns + SizeExpr::constant(1)
                                      : columns);
  tensor.nullable = true;
  return success();
}

LogicalResult InterfaceImporter::addOutputs() {
  using namespace spec;
  if (spec.output) {
    if (failed(addMade("Y", TensorRole::Output, *spec.output)))
      return failure();
    return addExtras();
  }
  addTensor("O", TensorRole::Output, spec.outputType,
            {Batch, Heads, QueryLen, ValueDim});
  (void)placeRows(result.tensors.back(), spec.queryStorage);
  // In place is possible where O has the very shape of Q: a row of O is written
  // after the same row of Q is read, and by the same task. What else is made of
  // pairs may be computed later, and would read O for Q.
  InterfaceTensor &output = result.tensors.back();
  if (resolve(size(ValueDim)) == resolve(size(HeadDim)) &&
      spec.isArgument(Row::Q) && spec.queryType == spec.outputType &&
      !spec.attentionOutput && !spec.scoreOutput && spec.extras.empty())
    output.mayBe = "Q";
  return addExtras();
}

/// What a formula of tensors makes: the axes are those of the formula.
LogicalResult InterfaceImporter::addMade(StringRef name, TensorRole role,
                                         const spec::Tensor &made) {
  InterfaceTensor output;
  output.name = name.str();
  output.role = role;
  output.dtype = storage(spec.outputType);
  Location loc = locations.at(made.range, here);
  for (const spec::ExprPtr &axis : made.axes) {
    std::optional<SizeExpr> expr = convert(*axis, "axis", loc);
    if (!expr)
      return failure();
    output.axes.push_back(*expr);
  }
  result.tensors.push_back(std::move(output));
  return success();
}

LogicalResult InterfaceImporter::addExtras() {
  using namespace spec;
  bool isDouble = llvm::is_contained(
      {spec.queryType, spec.keyType, spec.valueType, spec.outputType},
      spec::DType::F64);
  spec::DType computed = isDouble ? spec::DType::F64 : spec::DType::F32;
  auto addExtra = [&](bool wanted, StringRef name,
                      std::initializer_list<BuiltinSize> axes) {
    if (!wanted)
      return;
    addTensor(name, TensorRole::Extra, computed, axes);
    (void)placeRows(result.tensors.back(), spec.queryStorage);
    result.tensors.back().nullable = true;
  };
  addExtra(spec.lse, "lse", {Batch, Heads, QueryLen});
  addExtra(spec.attentionOutput, "attention", {Batch, Heads, QueryLen, KvLen});
  addExtra(spec.scoreOutput, "score", {Batch, Heads, QueryLen, KvLen});
  if (spec.stateOutput && failed(addState(computed)))
    return failure();
  for (const ExtraOutput &extra : spec.extras) {
    if (failed(addMade(extra.name, TensorRole::Extra, *extra.tensor)))
      return failure();
    result.tensors.back().nullable = true;
  }
  return success();
}

LogicalResult InterfaceImporter::addPreconditions() {
  for (const spec::Precondition &precondition : spec.preconditions) {
    auto pairs = sizeConditions(spec, *precondition.condition);
    if (!pairs)
      return emitError(locations.at(precondition.range, here))
             << "the condition '" << precondition.text << "' that "
             << precondition.reason
             << " needs is not supported: comparisons of integer arithmetic "
                "of sizes are [unsupported]";
    for (auto &[lhs, rhs] : *pairs)
      result.preconditions.push_back(
          {lhs, rhs, precondition.reason + " needs " + precondition.text});
  }
  return success();
}

void InterfaceImporter::addPositions() {
  bool raggedQueries = spec.queryStorage.kind == spec::Storage::Ragged;
  bool raggedKeys = spec.kvStorage.kind == spec::Storage::Ragged;
  result.positions = {
      raggedQueries ? tokensOf(spec.queryStorage) : size(spec::QueryLen),
      raggedKeys ? tokensOf(spec.kvStorage) : size(spec::KvLen)};
  // An offset from a table is bounded by the front end's own rules.
  std::optional<SizeExpr> offset = sizeFormula(spec, *spec.offset);
  if (!offset)
    return;
  result.positions.push_back(*offset);
  if (raggedQueries) // a sequence has at most all rows
    result.positions.push_back(*offset + tokensOf(spec.queryStorage));
  else if (*offset !=
           size(spec::KvLen) - size(spec::QueryLen)) // else it is kv_len
    result.positions.push_back(*offset + size(spec::QueryLen));
}

std::string InterfaceImporter::title() const {
  auto text = [&](spec::BuiltinSize index) {
    return resolve(size(index)).str();
  };
  std::string heads = text(spec::Heads), kvHeads = text(spec::KvHeads);
  std::string title =
      heads + (heads == "1" ? " head of " : " heads of ") + text(spec::HeadDim);
  if (kvHeads != heads)
    title += " on " + kvHeads + (kvHeads == "1" ? " KV head" : " KV heads");
  title += ", " + spec::dtypeName(spec.queryType).str();
  if (spec.queryStorage.kind == spec::Storage::Ragged)
    title += ", ragged";
  if (spec.kvStorage.kind == spec::Storage::Paged)
    title += ", pages of " + std::to_string(spec.kvStorage.pageRows);
  constexpr size_t kLongest = 60;
  std::string mask = titleOfMask(spec);
  bool isComment =
      StringRef(mask).contains("/*") || StringRef(mask).contains("*/");
  if (mask != "mask true" && mask.size() <= kLongest && !isComment)
    title += ", " + mask;
  return title;
}

FailureOr<Interface> InterfaceImporter::run() {
  using namespace spec;
  result.name = spec.name;
  if (failed(addSizes()))
    return failure();
  auto addRows = [&](Row row, StringRef name, TensorRole role,
                     spec::DType dtype, const Storage &storage,
                     std::initializer_list<BuiltinSize> axes) {
    if (!spec.isArgument(row))
      return success();
    addTensor(name, role, dtype, axes);
    return placeRows(result.tensors.back(), storage);
  };
  if (failed(addRows(Row::Q, "Q", TensorRole::Query, spec.queryType,
                     spec.queryStorage, {Batch, Heads, QueryLen, HeadDim})) ||
      failed(addRows(Row::K, "K", TensorRole::Key, spec.keyType, spec.kvStorage,
                     {Batch, KvHeads, KvLen, KeyDim})) ||
      failed(addRows(Row::V, "V", TensorRole::Value, spec.valueType,
                     spec.kvStorage, {Batch, KvHeads, KvLen, ValueDim})))
    return failure();
  for (const spec::Input &input : spec.declaredInputs())
    if (failed(addInput(input)))
      return failure();
  if (failed(addOutputs()) || failed(addPreconditions()))
    return failure();
  addPositions();
  result.title = title();
  llvm::raw_string_ostream text(result.spec);
  printSpecs(text, spec);
  if (failed(result.verify([&] { return emitError(here); })))
    return failure();
  return std::move(result);
}

FailureOr<Interface> attnc::importInterface(MLIRContext &context,
                                            const llvm::SourceMgr &sources,
                                            const spec::AttentionSpec &spec) {
  return InterfaceImporter(context, sources, spec).run();
}
