//===- TensorEinsum.cpp - einsum ------------------------------------------===//
//
//   einsum("b q h d, h d r -> b q h r", X, W)
//
// Names of axes are separated by blanks; a name has one size everywhere. With
// more than two operands products are made from the left; the order of products
// is the compiler's business anyway.
//
//===----------------------------------------------------------------------===//

#include "TensorChecker.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace attnc::spec {

namespace {
/// The names of an einsum as letters.
struct EinsumText {
  std::vector<std::string> operands; // letters
  std::string result;
  std::vector<std::string> names; // of the letters from 'a' on
};
} // namespace

/// "b q h d, h d r -> b q h r"; nothing if it is no such text.
static std::optional<EinsumText> parse(StringRef text) {
  EinsumText parsed;
  auto [left, right] = text.split("->");
  if (left.size() == text.size())
    return std::nullopt;
  auto letters = [&](StringRef list) {
    std::string result;
    SmallVector<StringRef> names;
    list.split(names, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef name : names) {
      auto found = find(parsed.names, name);
      result += char('a' + (found - parsed.names.begin()));
      if (found == parsed.names.end())
        parsed.names.push_back(name.str());
    }
    return result;
  };
  SmallVector<StringRef> lists;
  left.split(lists, ',');
  for (StringRef list : lists)
    parsed.operands.push_back(letters(list));
  size_t known = parsed.names.size();
  parsed.result = letters(right);
  constexpr size_t kMostNames = 25;
  bool isGood = parsed.names.size() == known && known <= kMostNames &&
                all_of(parsed.names, isIdentifier);
  auto isDistinct = [](std::string list) {
    llvm::sort(list);
    return std::adjacent_find(list.begin(), list.end()) == list.end();
  };
  if (!isGood || !isDistinct(parsed.result) ||
      !all_of(parsed.operands, isDistinct))
    return std::nullopt;
  return parsed;
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

TensorPtr TensorChecker::einsum(const Node &node,
                                ArrayRef<const Node *> bound) {
  const Node &text = *bound[0];
  std::optional<EinsumText> parsed;
  if (text.kind == Node::Text)
    parsed = parse(text.name);
  if (!parsed || parsed->operands.size() != bound.size() - 1) {
    report.error(Message::EinsumText, text.range)
        .note("for example  einsum(\"b q h d, h d r -> b q h r\", X, W): names "
              "with blanks between, a list for each tensor, each name of the "
              "result among theirs");
    return nullptr;
  }
  std::map<char, ExprPtr> sizes;
  std::vector<TensorPtr> operands;
  for (auto [child, letters] : zip_equal(drop_begin(bound), parsed->operands)) {
    TensorPtr x = visitTensor(*child);
    if (x)
      x = asReal(x);
    if (!x)
      return nullptr;
    bool fits = letters.size() == x->axes.size();
    std::string other = "names axes: " + std::to_string(letters.size());
    for (size_t i = 0; fits && i < letters.size(); ++i) {
      auto [size, isNew] = sizes.try_emplace(letters[i], x->axes[i]);
      fits = isNew || shapes.isSame(size->second, x->axes[i]);
      if (!fits)
        other = "has '" + parsed->names[letters[i] - 'a'] + "' of size " +
                printFormula(spec, *size->second) + " elsewhere";
    }
    if (!fits) {
      auto &error = report.error(Message::EinsumShape, child->range,
                                 {textOfNode(*child), shapeText(x), other});
      noteInputs(error, {x.get()});
      return nullptr;
    }
    operands.push_back(x);
  }
  if (operands.size() == 1)
    return einsumOfOne(operands[0], parsed->operands[0], parsed->result, node);
  TensorPtr x = operands[0];
  std::string letters = parsed->operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    std::string kept = parsed->result;
    for (const std::string &later : drop_begin(parsed->operands, i + 1))
      kept += later;
    std::string result = i + 1 == operands.size()
                             ? parsed->result
                             : merged(letters, parsed->operands[i], kept);
    Axes axes;
    for (char letter : result)
      axes.push_back(sizes[letter]);
    x = contract(letters + "," + parsed->operands[i] + "->" + result,
                 std::move(axes), x, operands[i], node.range);
    letters = result;
  }
  return x;
}

} // namespace attnc::spec
