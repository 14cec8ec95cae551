//===- ReadUse.cpp - What is declared must be of use ----------------------===//

#include "Reader/SpecReader.h"

#include "Proof/Prover.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

/// A formula that is written says something of O, and something uses O.
void SpecReader::checkFormulaUse() {
  auto report = [&](Key key, StringRef reason) {
    if (const YamlEntry *written = entry(key))
      this->report.error(Message::UnusedFormula, written->key.range,
                         {keyName(key).str(), reason.str()});
  };
  spec.readsScore = use.score || spec.scoreOutput;
  if (!spec.usesAttention())
    for (Key key : {Key::Score, Key::Mask, Key::Attention, Key::Value})
      report(key, "no formula uses O or 'attend'");
  else if (!spec.readsScore)
    report(Key::Score, "'attention' does not read it");
}

static bool usesSize(const Expr &e, unsigned size) {
  return anyNode(e, [&](const Expr &x) {
    return x.kind == Expr::Size && x.index == size;
  });
}

/// A size of which no extent of a tensor tells what it is.
void SpecReader::reportUnbound(unsigned index) {
  const Size &size = spec.sizes[index];
  auto &error = report.error(Message::UnboundSize, size.range, {size.name});
  // `kv_len: P + query_len`: the call reads kv_len, so P is the difference.
  for (const Size &other : spec.sizes) {
    if (other.kind != Size::Derived || !other.formula->isApply(Op::Add))
      continue;
    for (unsigned i : {0, 1}) {
      const Expr &term = *other.formula->operands[i];
      const Expr &rest = *other.formula->operands[1 - i];
      if (term.kind != Expr::Size || term.index != index ||
          usesSize(rest, index))
        continue;
      error
          .note(other.range, "a call reads '" + other.name +
                                 "' from its tensors: remove this formula")
          .fix(other.name + " - " +
               (rest.kind == Expr::Apply ? "(" + printFormula(spec, rest) + ")"
                                         : printFormula(spec, rest)));
      return;
    }
  }
  for (const Input &input : spec.declaredInputs())
    for (const ExprPtr &axis : input.axes)
      if (usesSize(*axis, index)) { // so an input is no way out
        error.note(axis->range,
                   "'" + printFormula(spec, *axis) +
                       "' does not determine it: use a constant, or an axis of "
                       "exactly '" +
                       size.name + "'");
        return;
      }
  error
      .note("declare a run-time number that is not the extent of a "
            "tensor (such as a window) as an input without axes: '" +
            size.name + ": i32'")
      .fix("move it under 'inputs:'    " + size.name + ": i32");
}

/// Every input and every run-time size must be of use.
void SpecReader::checkUse() {
  checkFormulaUse();
  for (auto [i, input] : enumerate(spec.declaredInputs()))
    if (!use.inputs.count(i))
      report.error(Message::UnusedInput, input.nameRange, {input.name});
  for (const auto &[name, definition] : use.let)
    if (!definition.used)
      report.error(Message::UnusedDefinition, definition.range, {name});
  for (auto [i, size] : enumerate(spec.sizes)) {
    if (i < NumBuiltinSizes || size.kind != Size::RunTime || size.implied)
      continue;
    // An axis, or an axis less a number.
    Prover prover(spec, Domain{false, false, false, true});
    LinearForm self = prover.linear(makeSize(i));
    bool isAxis = any_of(spec.declaredInputs(), [&](const Input &input) {
      return any_of(input.axes, [&](const ExprPtr &axis) {
        return (prover.linear(axis) - self).isConstant();
      });
    });
    ExprPtr pages = spec.pages();
    isAxis |= pages && pages->kind == Expr::Size && pages->index == i;
    if (!isAxis)
      reportUnbound(i);
  }
}

void fixLengths(SourceDiagnostic &error, const AttentionSpec &spec,
                BuiltinSize length) {
  BuiltinSize other = length == QueryLen ? KvLen : QueryLen;
  const Size &set = spec.sizes[other];
  bool isSet = spec.sizes[length].range.isValid() &&
               spec.sizes[length].kind != Size::RunTime;
  if (isSet || (set.kind == Size::Derived && usesSize(*set.formula, length)))
    return;
  error.note("in self-attention both lengths are equal")
      .fix(length == QueryLen ? "query_len: kv_len" : "kv_len: query_len");
}

/// batch, query_len and kv_len are read from tensors of the call.
void SpecReader::checkLengths() {
  // `query_len: kv_len` reads the keys of the rows of queries.
  auto isOf = [&](unsigned index, unsigned length) {
    const Size &size = spec.sizes[length];
    return index == length ||
           (size.kind == Size::Derived && size.formula->kind == Expr::Size &&
            size.formula->index == index);
  };
  auto isAxis = [&](unsigned index) {
    for (auto [row, length] :
         {std::pair(Row::Q, QueryLen), std::pair(Row::K, KvLen),
          std::pair(Row::V, KvLen)})
      if (spec.isArgument(row) && (index == Batch || isOf(index, length)))
        return true;
    bool hasStarts = spec.queryStorage.kind == Storage::Ragged ||
                     spec.kvStorage.kind == Storage::Ragged;
    if (index == Batch && hasStarts)
      return true;
    return any_of(spec.declaredInputs(), [&](const Input &input) {
      return any_of(input.axes, [&](const ExprPtr &axis) {
        return axis->kind == Expr::Size && axis->index == index;
      });
    });
  };
  for (unsigned index : {Batch, QueryLen, KvLen}) {
    const Size &size = spec.sizes[index];
    if (size.kind != Size::RunTime || isAxis(index))
      continue;
    auto &error =
        report.error(Message::UnboundLength,
                     size.range.isValid() ? size.range : anchor, {size.name});
    unsigned other = index == QueryLen ? KvLen : QueryLen;
    if (index != Batch && isAxis(other))
      fixLengths(error, spec, BuiltinSize(index));
    else
      error.note("declare an input with this axis under 'inputs:'");
  }
}

} // namespace attnc::spec
