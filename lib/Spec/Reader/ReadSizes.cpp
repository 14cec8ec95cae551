//===- ReadSizes.cpp - Sizes: numbers, `any`, formulas of each other ------===//

#include "Reader/SpecReader.h"

#include "Proof/Proofs.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace attnc::spec {

/// The formula with derived sizes replaced by theirs.
static ExprPtr inlineSizes(const AttentionSpec &spec, const ExprPtr &e,
                           DenseMap<const Expr *, ExprPtr> &made) {
  if (e->kind == Expr::Size && spec.sizes[e->index].kind == Size::Derived)
    return spec.sizes[e->index].formula;
  if (e->kind != Expr::Apply)
    return e;
  if (ExprPtr known = made.lookup(e.get()))
    return known;
  std::vector<ExprPtr> operands;
  for (const ExprPtr &operand : e->operands)
    operands.push_back(inlineSizes(spec, operand, made));
  return made[e.get()] =
             makeApply(e->op, e->type, std::move(operands), e->range);
}

static ExprPtr inlineSizes(const AttentionSpec &spec, const ExprPtr &e) {
  DenseMap<const Expr *, ExprPtr> made;
  return inlineSizes(spec, e, made);
}

static void collectNames(const Node &node, std::vector<std::string> &names) {
  if (node.kind == Node::Name)
    names.push_back(node.name);
  for (const NodePtr &child : node.children)
    collectNames(*child, names);
  for (const Node::Argument &argument : node.arguments)
    collectNames(*argument.value, names);
}

void SpecReader::addSize(StringRef name, const YamlEntry *entry) {
  unsigned index = spec.sizes.size();
  spec.sizes.emplace_back().name = name.str();
  pending.emplace_back();
  if (!entry || !needScalar(*entry))
    return;
  spec.sizes[index].range = entry->value.range;
  if (entry->value.text == "any")
    return;
  pending[index].formula = parseFormula({entry->value.source(), {}}, report);
  if (pending[index].formula)
    pending[index].state = PendingSize::Waiting;
}

void SpecReader::readNamedSizes() {
  const YamlEntry *sizes = entry(Key::Sizes);
  if (!sizes || !needMap(*sizes))
    return;
  for (const YamlEntry &item : sizes->value.map) {
    if (checkNewName(item.key.text, item.key.range))
      addSize(item.key.text, &item);
    else
      use.refused.insert(item.key.text);
  }
}

void SpecReader::finishSize(unsigned index, const ExprPtr &value) {
  Size &size = spec.sizes[index];
  if (!value->isConstant()) {
    size.kind = Size::Derived;
    size.formula = inlineSizes(spec, value);
    return;
  }
  if (value->integer < 1 || value->integer > maxSize) {
    report.error(Message::SizeValue, size.range,
                 {"'" + size.name + "'", std::to_string(value->integer)});
    return;
  }
  size.kind = Size::Fixed;
  size.value = value->integer;
}

/// Checks the formula of a size after those of the sizes in it.
void SpecReader::resolveSize(unsigned index) {
  PendingSize &size = pending[index];
  if (size.state == PendingSize::Done)
    return;
  if (size.state == PendingSize::Active) {
    report.error(Message::SizeCycle, spec.sizes[index].range,
                 {spec.sizes[index].name});
    size.state = PendingSize::Done;
    return;
  }
  size.state = PendingSize::Active;
  std::vector<std::string> names;
  collectNames(*size.formula, names);
  for (const std::string &name : names)
    if (std::optional<unsigned> other = spec.findSize(name))
      resolveSize(*other);
  if (size.state == PendingSize::Done) // it is part of a cycle
    return;
  size.state = PendingSize::Done;
  const std::string &name = spec.sizes[index].name;
  if (is_contained(names, "any")) {
    report.error(Message::AnyInFormula, size.formula->range);
    return;
  }
  Checker checker(spec, report, use, Scope::ofSizes(name));
  ExprPtr value = checker.check(*size.formula, Type::Int, name);
  if (checker.reportMissing() || !value)
    return;
  spec.offset = makeInt(0); // nothing here can ask for it
  value = proveFormula(spec, report, inlineSizes(spec, value), name,
                       Domain{false, false, false, true}, nullptr);
  if (value)
    finishSize(index, value);
}

/// What only fixed sizes are supported for.
void SpecReader::readFixed(BuiltinSize index) {
  // Vectors of a row are held as a whole: more takes minutes to compile.
  constexpr int64_t mostFeatures = 1 << 16;
  Size &size = spec.sizes[index];
  bool isWide = size.kind == Size::Fixed && size.value > mostFeatures;
  if (isWide && size.range.isValid())
    unsupported(size.range, "'" + size.name + "' above " + Twine(mostFeatures));
  if (size.kind != Size::Fixed && size.range.isValid() && !failed())
    unsupported(size.range, "a run-time '" + size.name + "'");
}

/// How many times `part` a run-time `whole` is, where that is a fixed number.
static std::optional<int64_t> multiple(const ExprPtr &whole,
                                       const ExprPtr &part) {
  if (sameExpr(*whole, *part))
    return 1;
  if (!whole->isApply(Op::Mul))
    return std::nullopt;
  for (unsigned i : {0, 1})
    if (whole->operands[i]->isConstant() &&
        sameExpr(*whole->operands[1 - i], *part))
      return whole->operands[i]->integer;
  return std::nullopt;
}

/// Heads that are read at run time are a fixed multiple of the KV heads.
void SpecReader::readRunTimeGroups() {
  auto formula = [&](BuiltinSize index) {
    const Size &size = spec.sizes[index];
    return size.kind == Size::Derived ? size.formula
           : size.kind == Size::Fixed ? makeInt(size.value)
                                      : makeSize(index);
  };
  std::optional<int64_t> group = multiple(formula(Heads), formula(KvHeads));
  if (group && *group >= 1) {
    spec.sizes[Group].kind = Size::Fixed;
    spec.sizes[Group].value = *group;
    return;
  }
  const Size &heads = spec.sizes[Heads], &kvHeads = spec.sizes[KvHeads];
  if (!failed())
    report
        .error(Message::GroupRunTime,
               heads.range.isValid() ? heads.range : kvHeads.range)
        .note("for example  kv_heads: any  and  heads: kv_heads * 4");
}

/// kv_heads divides heads.
void SpecReader::readGroups() {
  const Size &heads = spec.sizes[Heads], &kvHeads = spec.sizes[KvHeads];
  if (heads.kind != Size::Fixed || kvHeads.kind != Size::Fixed)
    return readRunTimeGroups();
  Size &group = spec.sizes[Group];
  group.kind = Size::Fixed;
  group.value = std::max<int64_t>(heads.value / kvHeads.value, 1);
  if (heads.value % kvHeads.value == 0)
    return;
  std::string legal;
  ListSeparator comma;
  for (int64_t n = 1, found = 0; n <= heads.value && found < 12; ++n)
    if (heads.value % n == 0) {
      legal += StringRef(comma).str() + std::to_string(n);
      ++found;
    }
  report
      .error(Message::GroupSize,
             kvHeads.range.isValid() ? kvHeads.range : heads.range,
             {std::to_string(kvHeads.value), std::to_string(heads.value)})
      .note(heads.range,
            "'heads' is set here; legal values for kv_heads: " + legal);
}

void SpecReader::readSizes(const YamlNode &document) {
  static constexpr std::pair<unsigned, Key> builtin[] = {
      {Batch, Key::Batch},   {QueryLen, Key::QueryLen}, {KvLen, Key::KvLen},
      {Heads, Key::Heads},   {KvHeads, Key::KvHeads},   {HeadDim, Key::HeadDim},
      {KeyDim, Key::KeyDim}, {ValueDim, Key::ValueDim}};
  for (auto [i, name] : enumerate(builtinSizeNames())) {
    auto found = find_if(builtin, [&](auto &pair) { return pair.first == i; });
    addSize(name, found == std::end(builtin) ? nullptr : entry(found->second));
  }
  addStorageSizes();
  readNamedSizes();
  for (Key key : {Key::Heads, Key::HeadDim})
    if (!entry(key) && !meant.count(keyName(key).str())) {
      SMLoc end = document.map.empty() ? document.range.Start
                                       : document.map.front().key.range.Start;
      report.error(Message::MissingKey, {end, end}, {keyName(key).str()})
          .note("add a line, for example  " + keyName(key) +
                (key == Key::Heads ? ": 12" : ": 64"));
    }
  // The defaults of these are sizes themselves.
  auto byDefault = [&](BuiltinSize size, Key key, BuiltinSize other) {
    resolveSize(other);
    if (entry(key))
      return resolveSize(size);
    SMRange range = spec.sizes[size].range;
    std::string name = spec.sizes[size].name;
    spec.sizes[size] = spec.sizes[other];
    spec.sizes[size].name = name;
    spec.sizes[size].range = range;
    if (spec.sizes[other].kind == Size::RunTime) { // one size, read once
      spec.sizes[size].kind = Size::Derived;
      spec.sizes[size].formula = makeSize(other);
    }
  };
  byDefault(KvHeads, Key::KvHeads, Heads);
  byDefault(KeyDim, Key::KeyDim, HeadDim);
  byDefault(ValueDim, Key::ValueDim, KeyDim);
  readGroups();
  for (unsigned i = 0; i < spec.sizes.size(); ++i)
    resolveSize(i);
  for (BuiltinSize size : {HeadDim, KeyDim, ValueDim})
    readFixed(size);
}

} // namespace attnc::spec
