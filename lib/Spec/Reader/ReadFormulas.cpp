//===- ReadFormulas.cpp - Offset, score, mask, attention ------------------===//

#include "Reader/SpecReader.h"

#include "Cache/UnstoredReads.h"
#include "Proof/Proofs.h"
#include "Reader/AttendLengths.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace attnc::spec {

/// The formula of a key, or of its default.
NodePtr SpecReader::parseKey(Key key, StringRef byDefault) {
  const YamlEntry *written = entry(key);
  if (!written)
    return parseFormula({byDefault, anchor}, report);
  if (!needScalar(*written))
    return nullptr;
  return parseFormula({written->value.source(), {}, /*isOfPairs=*/true},
                      report);
}

ExprPtr SpecReader::readFormula(Key key, StringRef byDefault,
                                const Scope &scope, Type type) {
  NodePtr node = parseKey(key, byDefault);
  if (!node)
    return nullptr;
  Checker checker(spec, report, use, scope);
  ExprPtr formula = checker.check(*node, type, keyName(key));
  return checker.reportMissing() ? nullptr : formula;
}

ExprPtr SpecReader::readRowArgument(const Node *node, StringRef name) {
  if (!node)
    return nullptr;
  Checker checker(spec, report, use, Scope::ofRow(name));
  ExprPtr value = checker.check(*node, Type::Real, name);
  if (checker.reportMissing() || !value)
    return nullptr;
  if (name == "temperature" && value->isConstant() && !(value->real > 0)) {
    report.error(Message::BadArgument, node->range,
                 {"'temperature' of 'softmax'", "positive"});
    return nullptr;
  }
  return value;
}

/// attention: softmax(x, sink=s, temperature=t).
void SpecReader::readSoftmax(const Node &call) {
  const FunctionInfo &softmax = *findFunction("softmax");
  Scope scope = Scope::ofPair("attention");
  scope.score = spec.score;
  scope.rowFunctions = true;
  Checker checker(spec, report, use, scope);
  std::vector<const Node *> bound;
  if (!checker.bind(call, softmax, bound))
    return;
  ExprPtr score = checker.check(*bound[0], Type::Real, "'x' of 'softmax'");
  if (!checker.reportMissing())
    spec.attention = score;
  spec.sink = readRowArgument(bound[1], "sink");
  spec.temperature = readRowArgument(bound[2], "temperature");
  auto isConstant = [](const ExprPtr &e, double value) {
    return e && e->isConstant() && e->real == value;
  };
  if (isConstant(spec.sink, -HUGE_VAL)) // both say nothing
    spec.sink = nullptr;
  if (isConstant(spec.temperature, 1))
    spec.temperature = nullptr;
}

void SpecReader::readAttention() {
  NodePtr node = parseKey(Key::Attention, "softmax(score)");
  if (!node || !spec.score)
    return;
  if (node->kind == Node::Call && node->name == "softmax")
    return readSoftmax(*node);
  Scope scope = Scope::ofPair("attention");
  scope.score = spec.score;
  scope.rowFunctions = true;
  Checker checker(spec, report, use, scope);
  spec.attention = checker.check(*node, Type::Real, "attention");
  spec.isSoftmax = false;
  checker.reportMissing();
}

/// A vector of value_dim; null if it is V itself.
void SpecReader::readValue() {
  const YamlEntry *value = entry(Key::Value);
  if (!value)
    return;
  spec.value =
      readFormula(Key::Value, "V", Scope::ofPair("value"), Type::Vector);
  if (!spec.value)
    return;
  checkRowWidth(spec.value, ValueDim, "'value'", value->value.range, nullptr);
  if (spec.value->kind == Expr::Row && spec.value->row == Row::V)
    spec.value = nullptr;
}

/// What is made of O. Its default may be written.
void SpecReader::readOutput() {
  const YamlEntry *written = entry(Key::Output);
  if (!written || !needScalar(*written))
    return;
  NodePtr node = parseFormula({written->value.source(), {}}, report);
  if (!node || (node->kind == Node::Name && node->name == "O"))
    return;
  spec.output = tensors.checkOutput(*node);
  spec.outputText = written->value.text;
}

void SpecReader::readFormulas() {
  spec.offset = readFormula(Key::Offset, "kv_len - query_len",
                            Scope::ofBatch("offset"), Type::Int);
  readRows();
  SMRange start = anchor;
  const YamlEntry *keyDim = entry(Key::KeyDim);
  if (keyDim) // a default score that does not fit is this key's matter
    anchor = keyDim->value.range;
  spec.score = readFormula(Key::Score, "Q @ K / sqrt(head_dim)",
                           Scope::ofPair("score"), Type::Real);
  anchor = start;
  spec.mask = readFormula(Key::Mask, "true", Scope::ofPair("mask"), Type::Bool);
  readAttention();
  warnScaledTwice();
  readValue();
  readOutput();
}

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

bool SpecReader::prove(AttentionSpec &own, ExprPtr &formula, StringRef where,
                       Domain domain, const ExprPtr &guard) {
  if (!formula)
    return true;
  ExprPtr proved = proveFormula(own, report, formula, where, domain, guard);
  if (!proved)
    return false;
  formula = proved;
  return true;
}

/// The rows of a cache begin where a table says; an offset that is a matter of
/// sizes alone places the same rows elsewhere.
void SpecReader::warnCacheOffset(const Cache &cache) {
  if (!spec.offset || readsInput(*spec.offset))
    return;
  Prover prover(spec, Domain{true, false, false, true});
  LinearForm apart = prover.linear(spec.offset) - prover.linear(cache.place);
  if (prover.proves(apart) && prover.proves(apart.scaled(-1)))
    return;
  std::string place = printFormula(spec, *cache.place);
  report
      .warning(Message::CacheElsewhere, spec.offset->range,
               {printFormula(spec, *spec.offset), place})
      .fix(place)
      .note(cache.tensor->range, "they are stored here");
}

/// What is made with caches, once all formulas are read.
void SpecReader::checkCaches() {
  llvm::sort(spec.caches, [](const Cache &a, const Cache &b) {
    return a.tensor->operands[0]->index < b.tensor->operands[0]->index;
  });
  checkCacheRows(spec, report);
  Prover prover(spec, Domain{false, false, false, true});
  for (const Cache &cache : spec.caches) {
    bool ofQueries =
        prover.linear(cache.rows) == prover.linear(makeSize(QueryLen));
    if (!ofQueries)
      continue;
    if (entry(Key::Offset)) {
      warnCacheOffset(cache);
      continue;
    }
    report.error(Message::CacheOffset, cache.tensor->range)
        .fix("offset: " + printFormula(spec, *cache.place));
    return;
  }
}

/// Keys that no call has stored yet are masked, if the spec does not say so.
void SpecReader::maskCaches(AttentionSpec &own) {
  if (own.keyRows) // keys of a cache are kv_len; others: checkCacheKeys
    return;
  for (const Cache &cache : own.caches) {
    if (masksUnstored(own, cache))
      continue;
    ExprPtr stored = isStored(cache);
    bool isAll = own.mask->isConstant() && own.mask->boolean;
    own.mask = isAll ? stored
                     : makeApply(Op::And, Type::Bool, {stored, own.mask},
                                 own.mask->range);
  }
}

static constexpr Domain ofQuery{true, true, false, true},
    ofKey{true, false, true, true};

/// The formulas of the file's attention, or of one with other rows.
void SpecReader::proveAttention(AttentionSpec &own) {
  // The offset as the position of a row, so that q cannot overflow either.
  ExprPtr position =
      makeApply(Op::Add, Type::Int,
                {makeVariable(Variable::I, own.offset->range), own.offset},
                own.offset->range);
  if (!prove(own, position, "'offset'", ofQuery, nullptr))
    return;
  own.offset = position->operands[1];
  maskCaches(own);
  prove(own, own.mask, "'mask'", Domain(), nullptr);
  bool scoreAlone = own.attention == own.score;
  prove(own, own.score, "'score'", Domain(), own.mask);
  if (scoreAlone)
    own.attention = own.score;
  else if (!failed()) // it holds the score: errors are told once
    prove(own, own.attention, "'attention'", Domain(), own.mask);
  prove(own, own.value, "'value'", Domain(), own.mask);
  prove(own, own.sink, "'sink'", ofQuery, nullptr);
  prove(own, own.temperature, "'temperature'", ofQuery, nullptr);
}

/// The same for each `attend` of other numbers of rows.
void SpecReader::proveOtherRows(const AttentionFormulas &written) {
  for (const OtherRows &rows : tensors.otherRows()) {
    AttentionSpec own = spec;
    static_cast<AttentionFormulas &>(own) = withRows(written, rows);
    auto text = [&](StringRef name, const ExprPtr &size) {
      return size ? (name + " is " + printFormula(spec, *size)).str() : "";
    };
    std::string queries = text("query_len", rows.queries),
                keys = text("kv_len", rows.keys);
    StringRef between = rows.queries && rows.keys ? " and " : "";
    Report::About about(
        report, rows.range,
        ("in this 'attend' " + Twine(queries) + between + keys).str());
    proveAttention(own);
    spec.preconditions = std::move(own.preconditions);
    *rows.formulas = std::move(own);
  }
}

/// Only of a spec without errors so far: every formula is there.
void SpecReader::proveFormulas() {
  AttentionFormulas written = spec;
  prove(spec, spec.definitions[unsigned(Row::Q)], "'Q'", ofQuery, nullptr);
  prove(spec, spec.definitions[unsigned(Row::K)], "'K'", ofKey, nullptr);
  prove(spec, spec.definitions[unsigned(Row::V)], "'V'", ofKey, nullptr);
  proveAttention(spec);
  if (!failed())
    proveOtherRows(written);
  if (!failed())
    checkCacheIndices(spec, report);
  if (!failed())
    checkCacheKeys(spec, report);
  if (failed())
    return;
  warnOffset();
  warnMaskInScore();
  warnEmptyMask();
  warnOpenWindow();
}

/// A conjunct `k < length[b]`, or null.
static const Expr *lengthAtom(const Expr &e) {
  if (e.isApply(Op::And)) {
    const Expr *found = lengthAtom(*e.operands[0]);
    return found ? found : lengthAtom(*e.operands[1]);
  }
  auto isKey = [](const Expr &x) {
    return x.kind == Expr::Variable && x.variable == Variable::K;
  };
  auto isLength = [](const Expr &x) {
    return x.kind == Expr::Load && x.operands.size() == 1 &&
           x.operands[0]->kind == Expr::Variable &&
           x.operands[0]->variable == Variable::B;
  };
  if (e.isApply(Op::Lt) && isKey(*e.operands[0]) && isLength(*e.operands[1]))
    return &e;
  if (e.isApply(Op::Gt) && isLength(*e.operands[0]) && isKey(*e.operands[1]))
    return &e;
  return nullptr;
}

/// Rows that are positioned by query_len, keys that end by batch: q is probably
/// not meant to count from the end of the padding.
void SpecReader::warnOffset() {
  const Expr *atom = lengthAtom(*spec.mask);
  bool offsetIsZero =
      sameExpr(*spec.offset, *makeInt(0)) ||
      (spec.sizes[QueryLen].kind == Size::Derived &&
       sameExpr(*spec.sizes[QueryLen].formula, *makeSize(KvLen)));
  if (!atom || entry(Key::Offset) || offsetIsZero ||
      !dependsOn(*spec.mask, Variable::Q))
    return;
  const Expr &length = atom->operands[0]->kind == Expr::Load
                           ? *atom->operands[0]
                           : *atom->operands[1];
  report.warning(Message::OffsetOfPadding, atom->range)
      .note("for right-padded queries, set 'offset' to 0 or to a "
            "per-sequence length")
      .fix("offset: " + printFormula(spec, length) + " - query_len");
}

} // namespace attnc::spec
