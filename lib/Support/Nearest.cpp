//===- Nearest.cpp - The word that a misspelt one means -------------------===//

#include "attnc/Support/Nearest.h"

using namespace llvm;

/// Two adjacent letters are exchanged: one error, where edit_distance counts
/// two.
static bool isTransposed(StringRef word, StringRef candidate) {
  if (word.size() != candidate.size())
    return false;
  size_t at = 0;
  while (at < word.size() && word[at] == candidate[at])
    ++at;
  return at + 1 < word.size() && word[at] == candidate[at + 1] &&
         word[at + 1] == candidate[at] &&
         word.substr(at + 2) == candidate.substr(at + 2);
}

StringRef attnc::nearest(StringRef word, ArrayRef<StringRef> candidates) {
  if (word.size() < 3 || word.size() > 64) // no word is as long
    return {};
  // One slip in five letters: none is not rope, nor mean min.
  unsigned limit = 1 + unsigned(word.size()) / 6;
  StringRef best;
  unsigned bestDistance = limit + 1;
  for (StringRef candidate : candidates) {
    unsigned distance = isTransposed(word, candidate)
                            ? 1
                            : word.edit_distance(candidate, true, limit);
    // A word of two letters is near to every other.
    if (distance < bestDistance && distance < candidate.size()) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}
