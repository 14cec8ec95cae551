//===- Labels.cpp - Letters of tensor axes --------------------------------===//
//
// See Labels.h.
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Attn/Labels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace attnc::attn;
using llvm::StringRef;

bool attnc::attn::areDistinctLetters(StringRef letters) {
  uint32_t seen = 0;
  for (char c : letters) {
    if (c < 'a' || c > 'z' || (seen >> (c - 'a') & 1))
      return false;
    seen |= 1u << (c - 'a');
  }
  return true;
}

std::optional<unsigned> attnc::attn::axisOf(StringRef letters, char letter) {
  size_t at = letters.find(letter);
  return at == StringRef::npos ? std::nullopt
                               : std::optional<unsigned>(unsigned(at));
}

std::optional<Labels> Labels::parse(StringRef text, std::string &error) {
  if (text.count("->") != 1) {
    error = ("labels '" + text + "' need one '->', as in \"qd,kd->qk\"").str();
    return std::nullopt;
  }
  auto [left, right] = text.split("->");
  Labels labels;
  labels.output = right;
  if (!left.empty())
    left.split(labels.inputs, ',');
  for (StringRef side : llvm::concat<StringRef>(
           labels.inputs, llvm::MutableArrayRef(labels.output))) {
    if (areDistinctLetters(side))
      continue;
    error = ("'" + side + "' in labels '" + text +
             "' is not a list of distinct letters a-z")
                .str();
    return std::nullopt;
  }
  return labels;
}

std::string Labels::str() const {
  return llvm::join(inputs, ",") + "->" + output.str();
}

// "b(hg)qd": b, hg, q, d. Nothing if a bracket or another character is wrong.
static std::optional<ViewLabels::Side> parseSide(StringRef text) {
  ViewLabels::Side side;
  while (!text.empty()) {
    if (text.consume_front("(")) {
      size_t end = text.find(')');
      if (end == StringRef::npos || end == 0)
        return std::nullopt;
      side.push_back(text.take_front(end));
      text = text.drop_front(end + 1);
    } else {
      side.push_back(text.take_front(1));
      text = text.drop_front(1);
    }
  }
  return side;
}

static std::string sortedLetters(const ViewLabels::Side &side) {
  std::string all = llvm::join(side, "");
  llvm::sort(all);
  return all;
}

std::optional<ViewLabels> ViewLabels::parse(StringRef text,
                                            std::string &error) {
  auto fail = [&](const llvm::Twine &what) {
    error = ("labels '" + text + "' " + what).str();
    return std::nullopt;
  };
  if (text.count("->") != 1)
    return fail("need one '->', as in \"b(hg)qd->bhgqd\"");
  auto [left, right] = text.split("->");
  std::optional<Side> input = parseSide(left), output = parseSide(right);
  if (!input || !output)
    return fail("have a bracket that is empty or not closed");
  for (const Side &side : {*input, *output})
    if (!areDistinctLetters(llvm::join(side, "")))
      return fail("have a side that is not a list of distinct letters a-z");
  if (sortedLetters(*input) != sortedLetters(*output))
    return fail("have different letters on the two sides");
  return ViewLabels{*input, *output};
}

std::string ViewLabels::str() const {
  auto sideStr = [](const Side &side) {
    std::string text;
    for (StringRef group : side)
      text += group.size() == 1 ? group.str() : "(" + group.str() + ")";
    return text;
  };
  return sideStr(input) + "->" + sideStr(output);
}
