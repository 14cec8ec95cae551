//===- AttendLengths.cpp - Attention of other numbers of rows -------------===//

#include "Reader/AttendLengths.h"

#include "llvm/ADT/DenseMap.h"

using namespace llvm;

namespace attnc::spec {

namespace {
/// Replaces query_len and kv_len; nodes that are shared stay so.
class Replacement {
public:
  explicit Replacement(const OtherRows &rows) : rows(rows) {}

  ExprPtr visit(const ExprPtr &e) {
    if (!e)
      return nullptr;
    if (ExprPtr known = made.lookup(e.get()))
      return known;
    ExprPtr replaced = replace(e);
    return made[e.get()] = replaced;
  }

private:
  ExprPtr replace(const ExprPtr &e) {
    if (e->kind == Expr::Size) {
      const ExprPtr &size = e->index == QueryLen ? rows.queries
                            : e->index == KvLen  ? rows.keys
                                                 : e;
      return size ? size : e;
    }
    std::vector<ExprPtr> operands;
    for (const ExprPtr &operand : e->operands)
      operands.push_back(visit(operand));
    if (operands == e->operands)
      return e;
    if (e->kind == Expr::Load)
      return makeLoad(e->index, e->type, std::move(operands), e->range);
    return makeApply(e->op, e->type, std::move(operands), e->range);
  }

  const OtherRows &rows;
  DenseMap<const Expr *, ExprPtr> made;
};
} // namespace

AttentionFormulas withRows(const AttentionFormulas &formulas,
                           const OtherRows &rows) {
  AttentionFormulas result = formulas;
  Replacement replacement(rows);
  for (ExprPtr *formula :
       {&result.score, &result.mask, &result.value, &result.attention,
        &result.temperature, &result.sink, &result.offset})
    *formula = replacement.visit(*formula);
  result.queryRows = rows.queries;
  result.keyRows = rows.keys;
  return result;
}

} // namespace attnc::spec
