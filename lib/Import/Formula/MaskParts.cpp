//===- MaskParts.cpp - What of a mask is of indices -----------------------===//

#include "Formula/MaskParts.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::import;

spec::ExprPtr import::withinKeys(const spec::AttentionSpec &spec,
                                 const spec::ExprPtr &condition) {
  using namespace spec;
  if (spec.sizes[KvLen].kind != spec::Size::PerSequence)
    return condition;
  llvm::SMRange range = condition ? condition->range : spec.mask->range;
  ExprPtr inside =
      makeApply(spec::Op::Lt, spec::Type::Bool,
                {makeVariable(Variable::K, range), makeSize(KvLen)}, range);
  if (!condition || (condition->isConstant() && condition->boolean))
    return inside;
  return makeApply(spec::Op::And, spec::Type::Bool, {inside, condition}, range);
}

/// Adds each conjunct to those of its kind, once.
static void addParts(RowFormulas &rows, const spec::ExprPtr &e,
                     llvm::SmallPtrSetImpl<const spec::Expr *> &seen,
                     MaskParts &parts) {
  if (!seen.insert(e.get()).second)
    return;
  if (e->isApply(spec::Op::And)) {
    for (const spec::ExprPtr &operand : e->operands)
      addParts(rows, operand, seen, parts);
    return;
  }
  bool isOfPair =
      llvm::any_of(rows.leavesOf(*e).tensors, [](const LetteredTensor &leaf) {
        StringRef letters = leaf.letters;
        return letters.contains('q') && letters.contains('k');
      });
  spec::ExprPtr &all = isOfPair ? parts.ofPairs : parts.plain;
  all =
      all ? makeApply(spec::Op::And, spec::Type::Bool, {all, e}, e->range) : e;
}

MaskParts import::splitMask(RowFormulas &rows,
                            const spec::AttentionSpec &spec) {
  spec::ExprPtr whole = withinKeys(spec, spec.mask);
  MaskParts parts;
  llvm::SmallPtrSet<const spec::Expr *, 8> seen;
  addParts(rows, whole, seen, parts);
  if (!parts.ofPairs)
    parts.plain = whole; // with the places of its nodes
  return parts;
}
