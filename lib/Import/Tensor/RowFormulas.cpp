//===- RowFormulas.cpp - Vectors of formulas as tensors -------------------===//
//
// See RowFormulas.h.
//
//===----------------------------------------------------------------------===//

#include "Tensor/RowFormulas.h"

#include "Formula/SizeFormula.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Spec/Print.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::import;
using spec::Expr;
using Fn = spec::Op;

RowFormulas::RowFormulas(ImplicitLocOpBuilder &builder,
                         const SourceLocations &locations,
                         const spec::AttentionSpec &spec,
                         const Interface &interface, ArrayRef<Value> arguments,
                         ValueRange inputs, Type real)
    : b(builder), locations(locations), spec(spec), interface(interface),
      arguments(arguments), inputs(inputs), real(real) {}

Value RowFormulas::refuse(const Expr &e, const Twine &reason) {
  hasFailed = true;
  emitError(locations.at(e.range, b.getLoc()))
      << "'" << printFormula(spec, e) << "' " << reason << " [unsupported]";
  return {};
}

//===----------------------------------------------------------------------===//
// Letters and sizes
//===----------------------------------------------------------------------===//

Attribute RowFormulas::size(const Expr &e) {
  std::optional<SizeExpr> expr = sizeFormula(spec, e);
  SizeExpr resolved = interface.resolve(expr ? *expr : SizeExpr());
  if (std::optional<int64_t> number = resolved.constantValue())
    return b.getI64IntegerAttr(*number);
  return b.getStringAttr(resolved.str());
}

Attribute RowFormulas::sizeOf(char letter) {
  constexpr std::pair<char, spec::BuiltinSize> kSizes[] = {
      {'b', spec::Batch},
      {'h', spec::KvHeads},
      {'g', spec::Group},
      {'q', spec::QueryLen},
      {'k', spec::KvLen}};
  const auto *found = llvm::find_if(
      kSizes, [&](const auto &pair) { return pair.first == letter; });
  return size(*spec.sizeOf(found->second));
}

RankedTensorType RowFormulas::type(StringRef letters,
                                   ArrayRef<spec::ExprPtr> features,
                                   Type element) {
  SmallVector<Attribute> sizes;
  for (char letter : letters.drop_back(features.size()))
    sizes.push_back(sizeOf(letter));
  for (const spec::ExprPtr &feature : features)
    sizes.push_back(size(*feature));
  return attn::tensorType(sizes, element);
}

/// The letters of indices among `letters`, each once, as kernels order them.
std::string RowFormulas::inOrder(StringRef letters) {
  std::string ordered;
  for (char letter : StringRef("bhgqk"))
    if (letters.contains(letter))
      ordered += letter;
  return ordered;
}

static std::string lettersOf(const spec::AttentionSpec &spec,
                             spec::Variable variable) {
  const spec::Size &group = spec.sizes[spec::Group];
  bool isAlone = group.kind == spec::Size::Fixed && group.value == 1;
  switch (variable) {
  case spec::Variable::B:
    return "b";
  case spec::Variable::H:
    return isAlone ? "h" : "hg";
  case spec::Variable::G:
    return "h";
  case spec::Variable::I:
  case spec::Variable::Q:
    return "q";
  case spec::Variable::K:
    return "k";
  }
  llvm_unreachable("all variables are listed");
}

/// Adds the letters that the scalars of a formula depend on; tensors in it are
/// leaves, whose letters are known.
void RowFormulas::addLetters(const Expr &e, std::string &letters) {
  auto add = [&](const Expr &node) {
    // The length of a ragged sequence is read from the table of starts.
    if (node.kind == Expr::Size &&
        spec.sizes[node.index].kind == spec::Size::PerSequence)
      letters += 'b';
    if (node.kind != Expr::Variable)
      return false;
    letters += lettersOf(spec, node.variable);
    if (node.variable == spec::Variable::Q)
      addLetters(*spec.offset, letters);
    return false;
  };
  anyNode(e, add, [&](const Expr &node) { return isTensor(node); });
}

//===----------------------------------------------------------------------===//
// Rows and inputs
//===----------------------------------------------------------------------===//

LetteredTensor RowFormulas::argument(spec::Row row) {
  Value tensor = arguments[unsigned(row)];
  if (row != spec::Row::Q)
    return {tensor, "bhkd"};
  spec::ExprPtr width = spec::makeSize(spec::HeadDim);
  RankedTensorType split = type("bhgqd", width, getElementTypeOrSelf(tensor));
  return {attn::ViewOp::create(b, split, "b(hg)qd->bhgqd", tensor), "bhgqd"};
}

LetteredTensor RowFormulas::row(spec::Row row) {
  auto index = unsigned(row);
  const spec::ExprPtr &definition = spec.definitions[index];
  bool isArgument = !definition || isDefining[index];
  std::optional<LetteredTensor> &known =
      isArgument ? given[index] : rows[index];
  if (known)
    return *known;
  if (isArgument)
    return *(known = argument(row));
  isDefining[index] = true;
  LetteredTensor defined = vector(*definition);
  isDefining[index] = false;
  return *(known = defined);
}

/// "b(hg)" if the indices are those that run over the axes: then the input is
/// the tensor itself. Features are not among the letters.
std::optional<std::string> RowFormulas::axesOfLoad(const Expr &e) {
  std::string groups, seen;
  for (auto [index, axis] : llvm::zip(e.operands, spec.inputs[e.index].axes)) {
    if (index->kind != Expr::Variable || index->variable == spec::Variable::Q)
      return std::nullopt;
    std::string letters = lettersOf(spec, index->variable);
    if (StringRef(seen).find_first_of(letters) != StringRef::npos)
      return std::nullopt;
    Attribute whole = letters == "hg" ? size(*spec::makeSize(spec::Heads))
                                      : sizeOf(letters.front());
    if (size(*axis) != whole)
      return std::nullopt;
    seen += letters;
    groups += letters.size() == 1 ? letters : "(" + letters + ")";
  }
  return groups;
}

/// An input whose indices run over its axes.
LetteredTensor RowFormulas::load(const Expr &e) {
  std::vector<spec::ExprPtr> features = spec.axesOf(e);
  std::string last = features.size() == 1 ? "d" : "cd";
  std::string groups = *axesOfLoad(e), letters;
  llvm::copy_if(groups, std::back_inserter(letters),
                [](char c) { return c != '(' && c != ')'; });
  Value tensor = inputs[e.index];
  if (groups != letters)
    tensor = attn::ViewOp::create(
        b,
        type(letters + last, features, getElementTypeOrSelf(tensor.getType())),
        groups + last + "->" + letters + last, tensor);
  return {tensor, letters + last};
}

/// An input read at computed indices.
LetteredTensor RowFormulas::read(const Expr &e) {
  std::vector<spec::ExprPtr> features = spec.axesOf(e);
  std::string letters;
  for (const spec::ExprPtr &operand : e.operands)
    addLetters(*operand, letters);
  letters = inOrder(letters) + (features.size() == 1 ? "d" : "cd");
  Value tensor = map(letters, type(letters, features, real), {},
                     [&](FormulaBuilder &formula) { return formula.build(e); });
  return {tensor, letters};
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool RowFormulas::isTensor(const Expr &e) {
  if (e.kind == Expr::Row || e.isApply(Fn::Dot) || e.isApply(Fn::L2Norm) ||
      (e.kind == Expr::Apply && spec::isRowFunction(e.op)))
    return true;
  bool hasAxes = spec::isVector(e.type) || e.type == spec::Type::Matrix;
  return e.kind == Expr::Load && hasAxes && axesOfLoad(e);
}

void RowFormulas::addLeaf(const Expr &e, FormulaLeaves &leaves) {
  LetteredTensor tensor = vector(e);
  auto *same = llvm::find_if(leaves.tensors, [&](const LetteredTensor &other) {
    return other.tensor == tensor.tensor && other.letters == tensor.letters;
  });
  leaves.nodes.push_back({&e, unsigned(same - leaves.tensors.begin())});
  if (same == leaves.tensors.end())
    leaves.tensors.push_back(tensor);
}

void RowFormulas::addLeaves(const Expr &e, FormulaLeaves &leaves) {
  auto isLeaf = [&](const Expr &node) { return isTensor(node); };
  auto take = [&](const Expr &node) {
    if (isLeaf(node))
      addLeaf(node, leaves);
    return false;
  };
  anyNode(e, take, isLeaf);
}

FormulaLeaves RowFormulas::leavesOf(const Expr &e) {
  FormulaLeaves leaves;
  addLeaves(e, leaves);
  return leaves;
}

Value RowFormulas::map(StringRef letters, Type result,
                       const FormulaLeaves &leaves,
                       llvm::function_ref<Value(FormulaBuilder &)> formula) {
  return map(letters, result, leaves,
             [&](FormulaBuilder &build, ValueRange) { return formula(build); });
}

Value RowFormulas::map(
    StringRef letters, Type result, const FormulaLeaves &leaves,
    llvm::function_ref<Value(FormulaBuilder &, ValueRange)> formula) {
  SmallVector<Value> operands;
  SmallVector<StringRef> names;
  for (const LetteredTensor &leaf : leaves.tensors) {
    operands.push_back(leaf.tensor);
    names.push_back(leaf.letters);
  }
  std::string labels = llvm::join(names, ",") + "->" + letters.str();
  return attn::MapOp::create(
      b, result, labels, operands,
      [&](OpBuilder &builder, Location loc, ValueRange x) {
        ValueRange scalars = x.take_front(operands.size());
        ValueRange places = x.drop_front(operands.size());
        auto place = [&](char letter) -> Value {
          std::optional<unsigned> axis = attn::axisOf(letters, letter);
          return axis ? places[*axis] : Value();
        };
        FormulaScope scope{place('b'), place('h'), place('g'),
                           place('q'), place('k'), inputs};
        for (char letter : {'c', 'd'})
          if (Value index = place(letter))
            scope.features.push_back(index);
        FormulaBuilder build(builder, loc, locations, spec, real, scope);
        for (auto [node, leaf] : leaves.nodes)
          build.bind(*node, scalars[leaf]);
        Value value = formula(build, scalars);
        hasFailed |= build.failed();
        attn::YieldOp::create(builder, loc, value);
      });
}

Value RowFormulas::at(OpBuilder &builder, Location loc, const Expr &e,
                      const FormulaLeaves &leaves, ValueRange places) {
  Value key = places.size() > 4 ? places[4] : Value();
  FormulaScope scope{places[0], places[1], places[2], places[3], key, inputs};
  FormulaBuilder formula(builder, loc, locations, spec, real, scope);
  SmallVector<Value> elements;
  for (const LetteredTensor &leaf : leaves.tensors) {
    SmallVector<Value> indices;
    for (char letter : leaf.letters)
      indices.push_back(places[*attn::axisOf("bhgqk", letter)]);
    Type type = attn::scalarType(leaf.tensor.getType(), real);
    elements.push_back(
        attn::ReadOp::create(builder, loc, type, leaf.tensor, indices));
  }
  for (auto [node, leaf] : leaves.nodes)
    formula.bind(*node, elements[leaf]);
  Value value = formula.build(e);
  hasFailed |= formula.failed();
  return value;
}

LetteredTensor RowFormulas::elementwise(const Expr &e) {
  FormulaLeaves leaves = leavesOf(e);
  std::string letters;
  addLetters(e, letters);
  for (const LetteredTensor &leaf : leaves.tensors)
    letters += leaf.letters;
  letters = inOrder(letters) + "d";
  Value tensor = map(letters, type(letters, spec.axesOf(e), real), leaves,
                     [&](FormulaBuilder &formula) { return formula.build(e); });
  return {tensor, letters};
}

/// An operand of a product: of reals, no wider than they are computed.
LetteredTensor RowFormulas::operand(const Expr &e) {
  LetteredTensor operand = vector(e);
  Type element = getElementTypeOrSelf(operand.tensor.getType());
  if (element.isF64() && !real.isF64())
    refuse(e, "has elements of f64 in a kernel of f32, which is not supported");
  if (isa<FloatType>(element))
    return operand;
  FormulaLeaves leaves;
  leaves.nodes.push_back({&e, 0});
  leaves.tensors.push_back(operand);
  operand.tensor =
      map(operand.letters, type(operand.letters, spec.axesOf(e), real), leaves,
          [&](FormulaBuilder &formula) { return formula.build(e); });
  return operand;
}

/// u @ v, W @ v, v @ W.
LetteredTensor RowFormulas::product(const Expr &e) {
  LetteredTensor left = operand(*e.operands[0]);
  LetteredTensor right = operand(*e.operands[1]);
  std::string letters = inOrder(left.letters + right.letters);
  if (letters.empty() && e.type == spec::Type::Real) { // one for all: per head
    left.letters = "hd";
    FormulaLeaves leaves;
    leaves.nodes.push_back({e.operands[0].get(), 0});
    leaves.tensors.push_back({left.tensor, "d"});
    left.tensor = map(
        "hd", type("hd", spec.axesOf(*e.operands[0]), real), leaves,
        [&](FormulaBuilder &formula) { return formula.build(*e.operands[0]); });
    letters = "h";
  }
  std::string result = letters;
  if (e.operands[0]->type == spec::Type::Matrix) { // sums over d
    result += 'c';
  } else if (e.operands[1]->type == spec::Type::Matrix) { // sums over c
    left.letters.back() = 'c';
    result += 'd';
  }
  if (std::optional<LetteredTensor> stored =
          storedProduct(e, left, right, result))
    return *stored;
  std::string labels = left.letters + "," + right.letters + "->" + result;
  RankedTensorType sums =
      type(result,
           e.type == spec::Type::Real ? std::vector<spec::ExprPtr>()
                                      : spec.axesOf(e),
           real);
  Value tensor =
      attn::ContractOp::create(b, sums, labels, left.tensor, right.tensor);
  return {tensor, e.type == spec::Type::Real ? letters : letters + "d"};
}

/// v / max(sqrt(v @ v), eps)
LetteredTensor RowFormulas::norm(const Expr &e) {
  LetteredTensor v = operand(*e.operands[0]);
  std::string letters = inOrder(v.letters);
  if (letters.empty()) {
    refuse(e, "is the norm of a vector that is the same everywhere, which is "
              "not supported");
    return v;
  }
  RankedTensorType lengths = type(letters, {}, real);
  std::string labels = v.letters + "," + v.letters + "->" + letters;
  Value squares =
      attn::ContractOp::create(b, lengths, labels, v.tensor, v.tensor);
  FormulaLeaves leaves;
  leaves.tensors = {v, {squares, letters}};
  // The second operand stands for the sum of squares.
  leaves.nodes = {{e.operands[0].get(), 0}, {&e, 1}};
  Value tensor =
      map(v.letters, type(v.letters, spec.axesOf(e), real), leaves,
          [&](FormulaBuilder &formula) { return formula.normalized(e); });
  return {tensor, v.letters};
}

LetteredTensor RowFormulas::vector(const Expr &e) {
  if (auto known = built.find(&e); known != built.end())
    return known->second;
  // Rows may mean something else inside of definitions.
  bool isDefinition = llvm::is_contained(isDefining, true);
  for (const Expr *other : written)
    if (!isDefinition && sameExpr(e, *other)) {
      LetteredTensor same = built.lookup(other);
      return built[&e] = same;
    }
  Location before = b.getLoc();
  if (e.kind != Expr::Row)
    b.setLoc(locations.at(e.range, before));
  LetteredTensor tensor;
  if (e.kind == Expr::Row)
    tensor = row(e.row);
  else if (e.kind == Expr::Load)
    tensor = axesOfLoad(e) ? load(e) : read(e);
  else if (e.isApply(Fn::Dot))
    tensor = product(e);
  else if (e.isApply(Fn::L2Norm))
    tensor = norm(e);
  else if (e.kind == Expr::Apply && spec::isRowFunction(e.op))
    tensor = rowFunction(e);
  else
    tensor = elementwise(e);
  b.setLoc(before);
  built[&e] = tensor;
  if (!isDefinition)
    written.push_back(&e);
  return tensor;
}
