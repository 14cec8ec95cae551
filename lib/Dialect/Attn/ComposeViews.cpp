//===- ComposeViews.cpp - Two views as one --------------------------------===//
//
// Between two views stands a tensor whose axes the first one may have merged
// and the second one cuts again, each at its own places. An axis is cut at the
// places of both, from the fastest letter on:
//
//   "abyz->ab(yz)" and "ab(hd)->ahbd"       with y = h:   "abyz->aybz"
//   "ab(yz)->abyz" and "abyd->ab(hg)d ..."  with y = h g: "ab(hgd)->..."
//
// Letters that stand side by side in both tensors that are left are one. The
// size of each letter must be that of an axis of one of them, else the views
// stay two: 2 x 6 as 4 x 3.
// Tests: test/Dialect/Attn/canonicalize.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Attn/Attn.h"

using namespace mlir;

namespace attnc::attn {

Attribute ViewOp::sizeOf(char letter) {
  ViewLabels labels = getViewLabels();
  for (auto [side, tensor] :
       {std::pair(labels.input, getSource()), {labels.output, getResult()}})
    for (auto [axis, group] : llvm::enumerate(side))
      if (group == StringRef(&letter, 1))
        return axisSize(tensor.getType(), axis);
  return {};
}

namespace {
/// A part of an axis that neither view cuts: its letter in each.
struct Part {
  char inner, outer;
};

using Groups = SmallVector<std::string>;

class Composition {
public:
  Composition(ViewOp inner, ViewOp outer) : inner(inner), outer(outer) {}

  /// The labels of the view, or nothing.
  std::optional<std::string> labels();

private:
  bool align(StringRef letters, StringRef outerLetters);
  void name();
  bool join();
  bool isKnown(char letter) const;

  ViewOp inner, outer;
  SmallVector<Part> parts;
  Groups input, output;
};
} // namespace

/// The number that a size is, or 0.
static int64_t numberOf(Attribute size) {
  auto number = dyn_cast_if_present<IntegerAttr>(size);
  return number ? number.getInt() : 0;
}

/// Cuts an axis of the tensor between the views into parts, the slowest first.
bool Composition::align(StringRef letters, StringRef outerLetters) {
  size_t known = parts.size();
  auto add = [&](char letter, char other) {
    parts.insert(parts.begin() + known, {letter, other});
  };
  if (letters.size() == 1 || outerLetters.size() == 1) {
    for (char letter : llvm::reverse(letters))
      for (char other : llvm::reverse(outerLetters))
        add(letter, other);
    return true;
  }
  size_t i = letters.size(), o = outerLetters.size();
  Attribute a = inner.sizeOf(letters[i - 1]);
  Attribute b = outer.sizeOf(outerLetters[o - 1]);
  auto nextInner = [&] {
    a = --i ? inner.sizeOf(letters[i - 1]) : Attribute();
  };
  auto nextOuter = [&] {
    b = --o ? outer.sizeOf(outerLetters[o - 1]) : Attribute();
  };
  while (i && o) {
    int64_t first = numberOf(a), second = numberOf(b);
    add(letters[i - 1], outerLetters[o - 1]);
    if (a && a == b) {
      nextInner();
      nextOuter();
    } else if (first && second && second % first == 0) {
      nextInner();
      b = IntegerAttr::get(cast<IntegerAttr>(b).getType(), second / first);
    } else if (first && second && first % second == 0) {
      nextOuter();
      a = IntegerAttr::get(cast<IntegerAttr>(a).getType(), first / second);
    } else {
      return false;
    }
  }
  // What is left on one side has one place.
  for (; i; nextInner()) {
    if (numberOf(a) != 1)
      return false;
    add(letters[i - 1], outerLetters[0]);
  }
  for (; o; nextOuter()) {
    if (numberOf(b) != 1)
      return false;
    add(letters[0], outerLetters[o - 1]);
  }
  return true;
}

/// Gives each part a letter, that of the inner view where it is all of it, and
/// writes both sides with these letters.
void Composition::name() {
  ViewLabels first = inner.getViewLabels(), second = outer.getViewLabels();
  std::string used = llvm::join(first.input, "");
  std::string names;
  for (const Part &part : parts) {
    bool isWhole = llvm::count_if(parts, [&](const Part &other) {
                     return other.inner == part.inner;
                   }) == 1;
    char letter = part.inner;
    for (char fresh = 'a'; !isWhole && fresh <= 'z'; ++fresh)
      if (!StringRef(used).contains(letter = fresh))
        break;
    used += letter;
    names += letter;
  }
  auto write = [&](const ViewLabels::Side &side, char Part::*letterOf) {
    Groups groups;
    for (StringRef group : side) {
      std::string &text = groups.emplace_back();
      for (char letter : group)
        for (auto [part, name] : llvm::zip_equal(parts, names))
          if (part.*letterOf == letter)
            text += name;
    }
    return groups;
  };
  input = write(first.input, &Part::inner);
  output = write(second.output, &Part::outer);
}

/// Makes one letter of the first two that stand side by side in both tensors.
bool Composition::join() {
  for (std::string &group : input)
    for (size_t i = 0; i + 1 < group.size(); ++i)
      for (std::string &other : output)
        if (size_t at = other.find(group.substr(i, 2));
            at != std::string::npos) {
          group.erase(i + 1, 1);
          other.erase(at + 1, 1);
          return true;
        }
  return false;
}

bool Composition::isKnown(char letter) const {
  std::string alone(1, letter);
  return llvm::is_contained(input, alone) || llvm::is_contained(output, alone);
}

std::optional<std::string> Composition::labels() {
  constexpr size_t kLetters = 26;
  for (auto [letters, outerLetters] : llvm::zip_equal(
           inner.getViewLabels().output, outer.getViewLabels().input))
    if (!align(letters, outerLetters))
      return std::nullopt;
  if (parts.size() > kLetters / 2)
    return std::nullopt;
  name();
  while (join()) {
  }
  for (const std::string &group : input)
    if (!llvm::all_of(group, [&](char letter) { return isKnown(letter); }))
      return std::nullopt;
  ViewLabels labels;
  labels.input.append(input.begin(), input.end());
  labels.output.append(output.begin(), output.end());
  return labels.str();
}

LogicalResult ViewOp::canonicalize(ViewOp outer, PatternRewriter &rewriter) {
  auto inner = outer.getSource().getDefiningOp<ViewOp>();
  if (!inner)
    return rewriter.notifyMatchFailure(outer, "source is not a view");
  std::optional<std::string> labels = Composition(inner, outer).labels();
  if (!labels)
    return rewriter.notifyMatchFailure(
        outer, "cuts an axis of its source where no axis is cut");
  rewriter.replaceOpWithNewOp<ViewOp>(outer, outer.getType(), *labels,
                                      inner.getSource());
  return success();
}

} // namespace attnc::attn
