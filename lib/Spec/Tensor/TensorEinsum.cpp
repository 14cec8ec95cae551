//===- TensorEinsum.cpp - einsum ------------------------------------------===//
//
//   einsum("b q h d, h d r -> b q h r", X, W)
//
// Names of axes are separated by blanks; a name has one size everywhere. Axes
// of one tensor with one name are their diagonal, and `...` are all axes that
// are not named, aligned at the last. With more than two operands products are
// made from the left; the order of products is the compiler's business anyway.
//
//===----------------------------------------------------------------------===//

#include "Tensor/TensorChecker.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace attnc::spec {

namespace {
/// The names of an einsum, then the letters that stand for them.
struct EinsumText {
  using Names = std::vector<std::string>;
  std::vector<Names> lists; // of the operands, then of the result
  std::vector<std::string> letters;
  Names names; // of the letters from 'a' on

  ArrayRef<std::string> operands() const {
    return ArrayRef(letters).drop_back();
  }
  StringRef result() const { return letters.back(); }
};
} // namespace

static constexpr StringLiteral kEllipsis = "...";

static EinsumText::Names namesIn(StringRef list) {
  EinsumText::Names names;
  SmallVector<StringRef> words;
  list.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    names.push_back(word.str());
  return names;
}

/// "b q h d, h d r -> b q h r"; nothing if it is no such text.
static std::optional<EinsumText> parse(StringRef text) {
  EinsumText parsed;
  auto [left, right] = text.split("->");
  if (left.size() == text.size())
    return std::nullopt;
  SmallVector<StringRef> lists;
  left.split(lists, ',');
  lists.push_back(right);
  for (StringRef list : lists) {
    EinsumText::Names names = namesIn(list);
    if (count(names, kEllipsis) > 1 ||
        !all_of(names, [](const std::string &name) {
          return name == kEllipsis || isIdentifier(name);
        }))
      return std::nullopt;
    parsed.lists.push_back(std::move(names));
  }
  return parsed;
}

/// Puts so many axes in the place of `...`: the last ones of the longest.
static void expandEllipsis(EinsumText::Names &names, size_t count) {
  auto place = find(names, kEllipsis);
  if (place == names.end())
    return;
  place = names.erase(place);
  for (size_t i = 1; i <= count; ++i) // no identifiers
    place = names.insert(place, kEllipsis.str() + std::to_string(i));
}

/// Names become letters; false if the text does not fit tensors of such ranks.
static bool findLetters(EinsumText &text, ArrayRef<size_t> ranks) {
  constexpr size_t kMostNames = 25;
  size_t longest = 0;
  bool isInOperand = false;
  for (auto [list, rank] : zip(text.lists, ranks))
    if (is_contained(list, kEllipsis)) {
      size_t count = rank + 1 - std::min(rank + 1, list.size());
      expandEllipsis(list, count);
      longest = std::max(longest, count);
      isInOperand = true;
    }
  EinsumText::Names &result = text.lists.back();
  if (is_contained(result, kEllipsis) != isInOperand)
    return false;
  expandEllipsis(result, longest);
  for (const EinsumText::Names &list : text.lists) {
    std::string &letters = text.letters.emplace_back();
    for (const std::string &name : list) {
      auto found = find(text.names, name);
      bool isNew = found == text.names.end();
      letters += char('a' + (found - text.names.begin()));
      if (isNew && &list == &result)
        return false;
      if (isNew)
        text.names.push_back(name);
    }
  }
  std::string sorted = text.result().str();
  llvm::sort(sorted);
  return text.names.size() <= kMostNames &&
         std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

/// Letters of `a`, then those of `b` alone, that `kept` holds.
static std::string merged(StringRef a, StringRef b, StringRef kept) {
  std::string letters;
  for (StringRef list : {a, b})
    for (char letter : list)
      if (kept.contains(letter) && !StringRef(letters).contains(letter))
        letters += letter;
  return letters;
}

/// Sums over what the result lacks, then the order of the result.
TensorPtr TensorChecker::einsumOfOne(TensorPtr x, std::string letters,
                                     StringRef result, const Node &node) {
  for (size_t axis = letters.size(); axis-- > 0;) {
    if (result.contains(letters[axis]))
      continue;
    auto sum = std::make_shared<Tensor>();
    sum->kind = Tensor::Sum;
    sum->dtype = computeType();
    sum->axes = x->axes;
    sum->axes.erase(sum->axes.begin() + ptrdiff_t(axis));
    sum->operands = {x};
    sum->labels = letters + "->";
    letters.erase(axis, 1);
    sum->labels += letters;
    sum->range = node.range;
    x = sum;
  }
  if (letters == result)
    return x;
  Axes axes;
  for (char letter : result)
    axes.push_back(x->axes[letters.find(letter)]);
  return view(letters + "->" + result.str(), std::move(axes), x, node.range);
}

/// Of axes with one name the places where all are the same, as one axis: the
/// sum over the others, of which all elements but one are left out.
TensorPtr TensorChecker::diagonal(TensorPtr x, std::string &letters,
                                  const Node &node) {
  SMRange range = node.range;
  for (size_t axis = letters.size(); axis-- > 0;) {
    size_t first = letters.find(letters[axis]);
    if (first == axis)
      continue;
    ExprPtr isSame =
        makeApply(Op::Eq, Type::Bool,
                  {makePlace(first, range), makePlace(axis, range)}, range);
    ExprPtr element = makeApply(
        Op::Select, Type::Real,
        {isSame, makeElement(0, Type::Real, range), makeReal(0)}, range);
    x = mapOver(x->axes, element, {x}, range, x->dtype);
    x = reduced(Tensor::Sum, x, axis, range);
    letters.erase(axis, 1);
  }
  return x;
}

/// A name of the text; those of the axes of `...` have numbers.
static std::string quote(StringRef name) {
  return name.starts_with(kEllipsis) ? "an axis of '...'"
                                     : ("'" + name + "'").str();
}

TensorPtr TensorChecker::einsum(const Node &node,
                                ArrayRef<const Node *> bound) {
  const Node &text = *bound[0];
  std::optional<EinsumText> parsed;
  if (text.kind == Node::Text)
    parsed = parse(text.name);
  std::vector<TensorPtr> operands;
  SmallVector<size_t> ranks;
  if (parsed && parsed->lists.size() == bound.size())
    for (const Node *child : drop_begin(bound)) {
      TensorPtr x = visitTensor(*child);
      if (x)
        x = asReal(x);
      if (!x)
        return nullptr;
      operands.push_back(x);
      ranks.push_back(x->axes.size());
    }
  if (operands.empty() || !findLetters(*parsed, ranks)) {
    report.error(Message::EinsumText, text.range)
        .note("for example  einsum(\"b q h d, h d r -> b q h r\", X, "
              "W): axis names separated by spaces, one list per "
              "tensor; each name of the result must be unique and "
              "occur in the inputs; '...' matches all other axes, also "
              "in the result");
    return nullptr;
  }
  std::map<char, ExprPtr> sizes;
  for (auto [child, letters, x] :
       zip_equal(drop_begin(bound), parsed->operands(), operands)) {
    bool fits = letters.size() == x->axes.size();
    std::string other = "names axes: " + std::to_string(letters.size());
    for (size_t i = 0; fits && i < letters.size(); ++i) {
      auto [size, isNew] = sizes.try_emplace(letters[i], x->axes[i]);
      fits = isNew || shapes.isSame(size->second, x->axes[i]);
      if (!fits)
        other = "has " + quote(parsed->names[letters[i] - 'a']) + " of size " +
                printFormula(spec, *size->second) + " elsewhere";
    }
    if (!fits) {
      auto &error = report.error(Message::EinsumShape, child->range,
                                 {textOfNode(*child), shapeText(x), other});
      noteInputs(error, {x.get()});
      return nullptr;
    }
  }
  return multiplyAll(parsed->letters, sizes, operands, node);
}

/// Of operands with these letters, the last list of which are the result's.
TensorPtr TensorChecker::multiplyAll(std::vector<std::string> lists,
                                     std::map<char, ExprPtr> &sizes,
                                     std::vector<TensorPtr> operands,
                                     const Node &node) {
  for (auto [letters, x] : zip(lists, operands))
    x = diagonal(x, letters, node);
  const std::string &wanted = lists.back();
  if (operands.size() == 1)
    return einsumOfOne(operands[0], lists[0], wanted, node);
  TensorPtr x = operands[0];
  std::string letters = lists[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    std::string kept;
    for (const std::string &later : drop_begin(lists, i + 1))
      kept += later;
    std::string result =
        i + 1 == operands.size() ? wanted : merged(letters, lists[i], kept);
    Axes axes;
    for (char letter : result)
      axes.push_back(sizes[letter]);
    x = contract(letters + "," + lists[i] + "->" + result, std::move(axes), x,
                 operands[i], node.range);
    letters = result;
  }
  return x;
}

} // namespace attnc::spec
