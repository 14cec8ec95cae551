//===- ReadInputs.cpp - Declarations of inputs ----------------------------===//
//
//   name, ...: [inout | resident] [dtype] [axes] [nondecreasing] [in lo..hi]
//
//===----------------------------------------------------------------------===//

#include "Language/ForeignWords.h"
#include "Reader/SpecReader.h"

#include "Proof/Proofs.h"

#include "attnc/Spec/Print.h"
#include "attnc/Support/Nearest.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

static constexpr unsigned maxRank = 5;

bool SpecReader::readElementType(Input &input, FormulaParser &parser,
                                 SMRange place) {
  const Token &token = parser.peek();
  static constexpr StringLiteral later[] = {"nondecreasing", "in"};
  if (token.kind != Token::Name || is_contained(later, token.spelling)) {
    input.dtype = spec.queryType;
    if (!mixedTypes)
      return true;
    report.error(Message::UntypedInput, place, {input.name});
    return false;
  }
  if (std::optional<DType> dtype = parseDType(token.spelling)) {
    input.dtype = *dtype;
    parser.take();
    return true;
  }
  static constexpr StringRef names[] = {"f64", "f32", "f16", "bf16", "i64",
                                        "i32", "i8",  "u8",  "bool"};
  StringRef fix = findForeignType(token.spelling);
  if (fix.empty())
    fix = nearest(token.spelling, names);
  report
      .error(Message::ElementType, parser.rangeOf(token),
             {token.spelling.str()})
      .note("valid element types: f64 f32 f16 bf16 i64 i32 i8 u8 bool")
      .fix(fix);
  return false;
}

bool SpecReader::readAxes(Input &input, FormulaParser &parser) {
  SMRange open = parser.rangeOf(parser.peek());
  if (!parser.takeIf("["))
    return true;
  if (parser.takeIf("]"))
    return true;
  Scope scope = Scope::ofSizes("axes");
  scope.foldSizes = false;
  bool good = true;
  do {
    NodePtr node = parser.parse();
    if (!node)
      return false;
    if (node->kind == Node::Name && node->name == "any") {
      report.error(Message::AnyAxis, node->range);
      return false;
    }
    Checker checker(spec, report, use, scope);
    ExprPtr axis = checker.check(*node, Type::Int, "an axis");
    if (checker.reportMissing() || !axis) {
      good = false;
      continue;
    }
    if (axis->isConstant() && (axis->integer < 1 || axis->integer > maxSize)) {
      report.error(Message::SizeValue, node->range,
                   {"an axis", std::to_string(axis->integer)});
      return false;
    }
    axis = proveFormula(spec, report, axis, "inputs",
                        Domain{false, false, false, true}, nullptr);
    if (!axis)
      return false;
    // A size that is another one by definition is that axis.
    if (axis->kind == Expr::Size)
      if (const Size &size = spec.sizes[axis->index];
          size.kind == Size::Derived && size.formula->kind == Expr::Size)
        axis = makeSize(size.formula->index, axis->range);
    input.axes.push_back(axis);
  } while (parser.takeIf(","));
  if (!parser.takeIf("]")) {
    parser.expected("',' or ']'");
    return false;
  }
  if (input.axes.size() <= maxRank)
    return good;
  report.error(Message::TooManyAxes, open,
               {input.name, std::to_string(input.axes.size())});
  return false;
}

/// [nondecreasing] [in lo..hi] in any order.
bool SpecReader::readPromises(Input &input, FormulaParser &parser) {
  while (parser.peek().kind != Token::End) {
    if (parser.takeIf("nondecreasing")) {
      input.nondecreasing = true;
      continue;
    }
    if (!parser.takeIf("in")) {
      parser.expected("'nondecreasing', 'in lo..hi' or the end");
      return false;
    }
    ExprPtr ends[2];
    for (unsigned i = 0; i < 2; ++i) {
      if (i && !parser.takeIf("..")) {
        parser.expected("'..'");
        return false;
      }
      NodePtr node = parser.parse();
      if (!node)
        return false;
      Checker checker(spec, report, use, Scope::ofSizes("a range"));
      ends[i] = checker.check(*node, Type::Int, "a range");
      if (checker.reportMissing() || !ends[i])
        return false;
      ends[i] = proveFormula(spec, report, ends[i], "inputs",
                             Domain{false, false, false, true}, nullptr);
      if (!ends[i])
        return false;
    }
    input.low = ends[0];
    input.high = ends[1];
  }
  return true;
}

/// The values of a type of ints that are fewer than those of a size.
static bool isNarrow(DType dtype, int64_t &least, int64_t &most) {
  if (dtype != DType::I8 && dtype != DType::U8 && dtype != DType::I32)
    return false;
  unsigned bits = dtype == DType::I32 ? 31 : dtype == DType::I8 ? 7 : 8;
  most = (int64_t(1) << bits) - 1;
  least = dtype == DType::U8 ? 0 : -most - 1;
  return true;
}

bool SpecReader::checkPromises(const Input &input) {
  bool ints = !isFloat(input.dtype) && input.dtype != DType::Bool;
  if ((input.nondecreasing || input.low) && !ints) {
    report.error(Message::PromiseType, input.typeRange,
                 {input.nondecreasing ? "nondecreasing" : "in lo..hi",
                  dtypeName(input.dtype).str()});
    return false;
  }
  if (input.nondecreasing && input.axes.empty()) {
    report.error(Message::PromiseAxis, input.typeRange);
    return false;
  }
  if (input.low && input.low->isConstant() && input.high->isConstant() &&
      input.low->integer > input.high->integer) {
    report.error(Message::EmptyRange, input.low->range,
                 {std::to_string(input.low->integer),
                  std::to_string(input.high->integer)});
    return false;
  }
  int64_t least = 0, most = 0;
  if (input.low && isNarrow(input.dtype, least, most) &&
      ((input.low->isConstant() && input.low->integer < least) ||
       (input.high->isConstant() && input.high->integer > most))) {
    SMRange place = input.low->range;
    place.End = input.high->range.End;
    report.error(Message::RangeOfType, place,
                 {Report::textOf(place).str(), dtypeName(input.dtype).str(),
                  std::to_string(least), std::to_string(most)});
    return false;
  }
  return true;
}

/// Whether a formula of sizes is one number for all calls.
static bool isFixed(const AttentionSpec &spec, const Expr &expr) {
  return !anyNode(expr, [&](const Expr &e) {
    if (e.kind != Expr::Size)
      return false;
    const Size &size = spec.sizes[e.index];
    return size.kind != Size::Fixed &&
           (size.kind != Size::Derived || !isFixed(spec, *size.formula));
  });
}

/// What is made of it once has to fit all calls.
bool SpecReader::checkResident(const Input &input) {
  if (!input.resident)
    return true;
  for (const ExprPtr &axis : input.axes)
    if (!isFixed(spec, *axis)) {
      report
          .error(Message::ResidentAxis, axis->range,
                 {input.name, Report::textOf(axis->range).str()})
          .note("resident inputs are shared by all calls and cannot have "
                "batch or row axes; for a per-call input, remove "
                "'resident'");
      return false;
    }
  return true;
}

bool SpecReader::readInputType(Input &input, const YamlNode &type) {
  SourceText source{type.source(), {}};
  std::vector<Token> tokens;
  if (!tokenize(source, report, tokens))
    return false;
  FormulaParser parser(source, tokens, report);
  SMRange first = parser.rangeOf(parser.peek());
  input.inout = parser.takeIf("inout");
  input.resident = !input.inout && parser.takeIf("resident");
  if (!readElementType(input, parser, type.range))
    return false;
  if (input.inout && !isFloat(input.dtype)) {
    report
        .error(Message::Unsupported, first,
               {"an 'inout' input of type " + dtypeName(input.dtype).str()})
        .note("caches hold f32, f16, bf16 or f64");
    return false;
  }
  if (parser.peek().is("(") && source.text.ends_with(")")) {
    StringRef axes = source.text.substr(parser.peek().begin + 1).drop_back();
    report
        .error(Message::Expected,
               source.at(parser.peek().begin, type.text.size()),
               {"axes in brackets", "'(" + axes.str() + ")'"})
        .fix("[" + axes.str() + "]");
    return false;
  }
  return readAxes(input, parser) && readPromises(input, parser) &&
         checkPromises(input) && checkResident(input);
}

void SpecReader::readInput(StringRef name, SMRange nameRange,
                           const YamlNode &type) {
  if (!checkNewName(name, nameRange)) {
    use.refused.insert(name.str());
    return;
  }
  Input input;
  input.name = name.str();
  input.nameRange = nameRange;
  input.typeRange = type.range;
  if (readInputType(input, type))
    spec.inputs.push_back(std::move(input));
  else
    use.refused.insert(name.str());
}

void SpecReader::readInputs() {
  const YamlEntry *inputs = entry(Key::Inputs);
  if (!inputs)
    return;
  if (!needMap(*inputs))
    return;
  spec.offset = makeInt(0); // axes cannot ask for it
  for (const YamlEntry &item : inputs->value.map) {
    SmallVector<StringRef> names;
    StringRef text =
        item.key.verbatim ? item.key.source() : StringRef(item.key.text);
    text.split(names, ',');
    bool readable = item.value.kind != YamlNode::List && needScalar(item);
    if (item.value.kind == YamlNode::List) { // inside `inputs: {...}`
      SMLoc open = item.value.range.Start;
      report.error(Message::YamlFlow, {open, open});
    }
    for (StringRef name : names) {
      name = name.trim();
      SMRange range = item.key.range;
      if (item.key.verbatim)
        range = {SMLoc::getFromPointer(name.begin()),
                 SMLoc::getFromPointer(name.end())};
      if (readable)
        readInput(name, range, item.value);
      else
        use.refused.insert(name.str());
    }
  }
}

} // namespace attnc::spec
