//===- TensorShapes.cpp - Axes of tensors that meet -----------------------===//

#include "Tensor/TensorShapes.h"

#include "Proof/Prover.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace attnc::spec {

bool TensorShapes::isSame(const ExprPtr &a, const ExprPtr &b) const {
  if (sameExpr(*a, *b))
    return true;
  Prover prover(spec, Domain{false, false, false, true});
  LinearForm difference = prover.linear(a) - prover.linear(b);
  return prover.proves(difference) && prover.proves(difference.scaled(-1));
}

/// A size that is another one by name: `query_len: kv_len`.
static ExprPtr resolve(const AttentionSpec &spec, const ExprPtr &e) {
  if (e->kind == Expr::Size && spec.sizes[e->index].kind == Size::Derived)
    return spec.sizes[e->index].formula;
  return e;
}

bool TensorShapes::isSameName(const ExprPtr &a, const ExprPtr &b) const {
  return sameExpr(*resolve(spec, a), *resolve(spec, b));
}

std::optional<int64_t> TensorShapes::number(const ExprPtr &size) const {
  if (size->isApply(Op::FloorDiv) || size->isApply(Op::Mod)) {
    std::optional<int64_t> a = number(size->operands[0]);
    std::optional<int64_t> b = number(size->operands[1]);
    if (!a || !b || *a < 0 || *b < 1)
      return std::nullopt;
    return size->op == Op::Mod ? *a % *b : *a / *b;
  }
  Prover prover(spec, Domain{false, false, false, true});
  LinearForm form = prover.linear(size);
  if (!form.isConstant())
    return std::nullopt;
  return form.constant;
}

ExprPtr TensorShapes::quotient(const ExprPtr &whole,
                               const ExprPtr &part) const {
  if (whole->isApply(Op::Mul))
    for (unsigned i : {0, 1})
      if (isSameName(whole->operands[i], part))
        return whole->operands[1 - i];
  std::optional<int64_t> all = number(whole), one = number(part);
  if (all && one) {
    if (*one < 1 || *all % *one != 0)
      return nullptr;
    return makeInt(*all / *one, whole->range);
  }
  // Maybe a product of the part with a size that has a name.
  for (unsigned index = 0; index < spec.sizes.size(); ++index)
    if (isSame(whole, makeApply(Op::Mul, Type::Int, {part, makeSize(index)})))
      return makeSize(index, whole->range);
  return nullptr;
}

ExprPtr TensorShapes::product(const ExprPtr &a, const ExprPtr &b) const {
  if (a->isConstant() && b->isConstant())
    return makeInt(a->integer * b->integer);
  return makeApply(Op::Mul, Type::Int, {a, b});
}

static std::optional<std::vector<unsigned>>
embedBy(ArrayRef<ExprPtr> small, ArrayRef<ExprPtr> large,
        function_ref<bool(const ExprPtr &, const ExprPtr &)> isOne) {
  std::vector<unsigned> places(small.size());
  size_t place = large.size();
  for (size_t i = small.size(); i-- > 0; places[i] = unsigned(place)) {
    do {
      if (place == 0)
        return std::nullopt;
      --place;
    } while (!isOne(small[i], large[place]));
  }
  return places;
}

std::optional<std::vector<unsigned>>
TensorShapes::embed(ArrayRef<ExprPtr> small, ArrayRef<ExprPtr> large) const {
  for (bool byName : {true, false})
    if (auto places =
            embedBy(small, large, [&](const ExprPtr &a, const ExprPtr &b) {
              return isOne(a, b, byName);
            }))
      return places;
  return std::nullopt;
}

std::vector<unsigned> TensorShapes::placesOf(const ExprPtr &size,
                                             ArrayRef<ExprPtr> axes) const {
  std::vector<unsigned> places;
  for (bool byName : {true, false}) {
    for (unsigned i = 0; i < axes.size(); ++i)
      if (isOne(axes[i], size, byName))
        places.push_back(i);
    if (!places.empty())
      break;
  }
  return places;
}

Axes TensorShapes::merge(ArrayRef<ExprPtr> a, ArrayRef<ExprPtr> b) const {
  if (embed(b, a))
    return a.vec();
  if (embed(a, b))
    return b.vec();
  // Peel off what only one of them has, from the right.
  auto isIn = [&](const ExprPtr &axis, ArrayRef<ExprPtr> axes) {
    return any_of(axes, [&](auto &other) { return isSame(axis, other); });
  };
  if (!isIn(b.back(), a)) {
    Axes rest = merge(a, b.drop_back());
    rest.push_back(b.back());
    return rest;
  }
  Axes rest =
      merge(a.drop_back(), isSame(a.back(), b.back()) ? b.drop_back() : b);
  rest.push_back(a.back());
  return rest;
}

std::string TensorShapes::text(ArrayRef<ExprPtr> axes) const {
  std::string text = "[";
  ListSeparator comma;
  for (const ExprPtr &axis : axes)
    text += StringRef(comma).str() + printFormula(spec, *axis);
  return text + "]";
}

std::string lettersFrom(char first, size_t n) {
  std::string letters;
  for (size_t i = 0; i < n; ++i)
    letters += char(first + i);
  return letters;
}

} // namespace attnc::spec
