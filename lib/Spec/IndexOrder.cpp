//===- IndexOrder.cpp - Variables that index the axis of another one ------===//

#include "IndexOrder.h"

#include "Language.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace attnc::spec {

/// A size that is another one by definition is that one.
static unsigned original(const AttentionSpec &spec, unsigned size) {
  const Size &info = spec.sizes[size];
  bool isOther = info.kind == Size::Derived && info.formula->kind == Expr::Size;
  return isOther ? info.formula->index : size;
}

std::optional<unsigned> sizeOfIndex(const AttentionSpec &spec,
                                    const Expr &index) {
  if (index.kind != Expr::Variable)
    return std::nullopt;
  switch (index.variable) {
  case Variable::B:
    return original(spec, Batch);
  case Variable::H:
    return original(spec, Heads);
  case Variable::G:
    return original(spec, KvHeads);
  case Variable::I:
    return original(spec, QueryLen);
  case Variable::Q:
  case Variable::K:
    return original(spec, KvLen);
  }
  return std::nullopt;
}

std::optional<unsigned> countedAxis(const AttentionSpec &spec,
                                    const Expr &axis) {
  static constexpr unsigned counted[] = {Batch, Heads, KvHeads, QueryLen,
                                         KvLen};
  if (axis.kind != Expr::Size)
    return std::nullopt;
  unsigned size = original(spec, axis.index);
  return is_contained(counted, size) ? std::optional(size) : std::nullopt;
}

/// Whether the index runs along an axis of that size. The row of a query does
/// along its tensor as i, and along the keys as q.
static bool countsAlong(const AttentionSpec &spec, const Expr &index,
                        unsigned size) {
  bool isPosition =
      index.kind == Expr::Variable && index.variable == Variable::Q;
  return sizeOfIndex(spec, index) == size || (isPosition && size == QueryLen);
}

/// The indices in the order of the axes, as text; empty if that is none.
static std::string inOrder(const AttentionSpec &spec, const Expr &load) {
  const Input &input = spec.inputs[load.index];
  std::vector<std::string> texts;
  std::vector<bool> taken(load.operands.size());
  for (size_t axis = 0; axis < load.operands.size(); ++axis) {
    std::optional<unsigned> size = countedAxis(spec, *input.axes[axis]);
    bool found = false;
    for (auto [i, index] : enumerate(load.operands)) {
      found = size && !taken[i] && countsAlong(spec, *index, *size);
      if (!found)
        continue;
      taken[i] = true;
      bool isRow = sizeOfIndex(spec, *index) != size;
      texts.push_back(isRow ? "i" : printFormula(spec, *index));
      break;
    }
    if (!found)
      return "";
  }
  return input.name + "[" + join(texts, ", ") + "]";
}

static std::string axesOf(const AttentionSpec &spec, const Input &input) {
  std::vector<std::string> texts;
  for (const ExprPtr &axis : input.axes)
    texts.push_back(printFormula(spec, *axis));
  return "[" + join(texts, ", ") + "]";
}

bool checkIndexOrder(const AttentionSpec &spec, Report &report,
                     const Expr &load) {
  const Input &input = spec.inputs[load.index];
  if (input.made) // its axes are not written anywhere
    return true;
  for (auto [axis, index] : enumerate(load.operands)) {
    std::optional<unsigned> own = sizeOfIndex(spec, *index);
    std::optional<unsigned> here = countedAxis(spec, *input.axes[axis]);
    if (!own || !here || own == here)
      continue;
    bool hasOwn = false, ownIsTaken = false;
    for (auto [other, otherIndex] : enumerate(load.operands)) {
      bool isOwn = countedAxis(spec, *input.axes[other]) == own;
      hasOwn |= isOwn;
      ownIsTaken |= isOwn && sizeOfIndex(spec, *otherIndex) == own;
    }
    if (!hasOwn || ownIsTaken)
      continue;
    bool isWritten = Report::textOf(load.range).ends_with("]");
    report
        .error(Message::IndexSwapped, load.range,
               {printFormula(spec, *index), spec.sizes[*own].name,
                spec.sizes[*here].name, input.name})
        .fix(isWritten ? inOrder(spec, load) : "")
        .note(input.typeRange,
              "the order of its axes is " + axesOf(spec, input));
    return false;
  }
  return true;
}

void warnForeignIndex(const AttentionSpec &spec, Report &report,
                      const Expr &load, unsigned axis,
                      const std::string &condition) {
  const Input &input = spec.inputs[load.index];
  const Expr &index = *load.operands[axis];
  std::optional<unsigned> own = sizeOfIndex(spec, index);
  std::optional<unsigned> here = countedAxis(spec, *input.axes[axis]);
  bool isRow = index.kind == Expr::Variable && index.variable == Variable::I;
  // The rows of queries may well be the first places of the keys.
  if (input.made || !own || !here || own == here || (isRow && *here == KvLen))
    return;
  auto &warning =
      report.warning(Message::IndexForeign, index.range,
                     {printFormula(spec, index), spec.sizes[*own].name,
                      spec.sizes[*here].name, input.name, condition});
  std::string ordered = inOrder(spec, load);
  bool isWritten = Report::textOf(load.range).ends_with("]");
  if (isWritten && !ordered.empty() && ordered != printFormula(spec, load))
    warning.note("with each index at its own axis: " + ordered);
  else if (index.kind == Expr::Variable && index.variable == Variable::Q &&
           *here == QueryLen)
    warning.note("the row of a query in its tensor is i");
  warning.note(input.typeRange, "'" + input.name + "' is declared here");
}

} // namespace attnc::spec
