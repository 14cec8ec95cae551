//===- ProofsTest.cpp - What is proved, by brute force --------------------===//
//
// Random formulas with indices and divisors: every one that is accepted is
// evaluated for all small sizes that its preconditions allow, and none may
// read out of range or divide by 0. Each is printed and read again, too.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

#include "gtest/gtest.h"

#include <random>

using namespace attnc::spec;

namespace {
/// Makes formulas as text.
class Formulas {
public:
  explicit Formulas(unsigned seed) : random(seed) {}

  std::string integer(int depth) {
    static const char *const leaves[] = {
        "k", "q",      "i",         "h", "b",     "g",    "k", "q",
        "i", "kv_len", "query_len", "n", "0",     "1",    "2", "3",
        "8", "t[b]",   "u[k]",      "w", "batch", "group"};
    if (depth == 0)
      return leaves[pick(std::size(leaves))];
    std::string a = integer(depth - 1), b = integer(depth - 1);
    switch (pick(14)) {
    case 0:
    case 1:
      return "(" + a + " + " + b + ")";
    case 2:
    case 3:
      return "(" + a + " - " + b + ")";
    case 4:
      return "(" + a + " * " + b + ")";
    case 5:
      return "(" + a + " // " + divisor(depth - 1) + ")";
    case 6:
      return "(" + a + " % " + divisor(depth - 1) + ")";
    case 7:
      return "min(" + a + ", " + b + ")";
    case 8:
      return "max(" + a + ", " + b + ")";
    case 9:
      return "clamp(" + a + ", 0, " + b + ")";
    case 10:
      return "abs(" + a + ")";
    case 11:
      return "where(" + truth(depth - 1) + ", " + a + ", " + b + ")";
    case 12:
      return "-" + a;
    default:
      return integer(0);
    }
  }

  /// Where row 0 stands: a key of the spec.
  std::string position() {
    static const char *const keys[] = {"", "offset: 0\n", "offset: t[b]\n",
                                       "query_len: kv_len\n",
                                       "offset: t[b] - query_len\n"};
    return keys[pick(std::size(keys))];
  }

  std::string divisor(int depth) {
    static const char *const leaves[] = {"2", "3", "n", "kv_len", "-3", "w"};
    return pick(3) ? leaves[pick(std::size(leaves))] : integer(depth);
  }

  std::string truth(int depth) {
    static const char *const comparisons[] = {" < ",  " <= ", " > ",
                                              " >= ", " == ", " != "};
    if (depth > 0 && !pick(3))
      return "(" + truth(depth - 1) + (pick(2) ? " and " : " or ") +
             truth(depth - 1) + ")";
    if (depth > 0 && !pick(6)) { // the same entry with and without a guard
      std::string same = entry(depth - 1);
      return "((" + truth(depth - 1) + " and " + same + " < 3) or " + same +
             " > 1)";
    }
    if (depth > 0 && !pick(6))
      return "(not " + truth(depth - 1) + ")";
    if (!pick(3))
      return "(" + entry(depth) + comparisons[pick(6)] + integer(0) + ")";
    return "(" + integer(std::max(depth - 1, 0)) + comparisons[pick(6)] +
           integer(std::max(depth - 1, 0)) + ")";
  }

  /// An entry of a table, often with an index that fits.
  std::string entry(int depth) {
    auto fits = [&](const char *extent) {
      std::string index = integer(std::max(depth, 0));
      return pick(2) ? index : "clamp(" + index + ", 0, " + extent + " - 1)";
    };
    switch (pick(4)) {
    case 0:
      return "doc[b, " + fits("kv_len") + "]";
    case 1:
      return "x[" + fits("16") + "]";
    case 2:
      return "y[" + fits("n") + "]";
    default:
      return "z[h, " + fits("(2 * n + 1)") + "]";
    }
  }

private:
  size_t pick(size_t count) { return random() % count; }
  std::mt19937 random;
};
} // namespace

static std::string specText(Formulas &formulas) {
  return formulas.position() +
         "attnc: 1\nname: f\nheads: 4\nkv_heads: 2\nhead_dim: 8\n"
         "sizes: {n: any}\nmask: true and " +
         formulas.truth(3) + "\nscore: Q @ K + " + formulas.entry(2) + " + " +
         formulas.integer(2) +
         " + 0 * (doc[b, k] + x[0] + y[max(n, 1) - 1 - max(n - 1, 0)] + z[h, "
         "0] + t[b] + u[k] + w)\n"
         "inputs:\n  doc: i32[batch, kv_len]\n  x: i32[16]\n  y: i32[n]\n"
         "  z: i32[heads, 2 * n + 1]\n  t: i32[batch] in 0..kv_len\n"
         "  u: i32[kv_len] in 0..3\n  w: i32 in 1..2\n";
}

/// All sizes up to a few, that the spec takes.
static void evaluateAll(const AttentionSpec &spec, const std::string &text,
                        size_t &calls, size_t &loads) {
  for (int64_t rows : {0, 1, 2, 5})
    for (int64_t keys : {0, 1, 3, 5, 17})
      for (int64_t n : {0, 1, 4, 17}) {
        Evaluator evaluator(
            spec,
            {{"batch", 2}, {"query_len", rows}, {"kv_len", keys}, {"n", n}},
            unsigned(rows + keys * 7 + n * 91));
        if (!evaluator.legal())
          continue;
        evaluator.run();
        ++calls;
        loads += evaluator.loads;
        ASSERT_TRUE(evaluator.wrong.empty())
            << evaluator.wrong.front() << " at query_len " << rows
            << ", kv_len " << keys << ", n " << n << "\n"
            << text << print(spec);
      }
}

TEST(Proofs, AcceptedFormulasReadInRange) {
  Formulas formulas(20261121);
  size_t accepted = 0, calls = 0, loads = 0;
  for (int i = 0; i < 120; ++i) {
    std::string text = specText(formulas);
    std::string said;
    auto spec = parse(text, &said);
    if (!spec) {
      ASSERT_TRUE(said.find("[index-range]") != std::string::npos ||
                  said.find("[division]") != std::string::npos ||
                  said.find("[overflow]") != std::string::npos)
          << text << said;
      continue;
    }
    ++accepted;
    evaluateAll(*spec, text, calls, loads);
    if (HasFatalFailure())
      return;
    auto again = parse(print(*spec));
    ASSERT_TRUE(again) << text << print(*spec);
    ASSERT_EQ(print(*again), print(*spec)) << text;
  }
  EXPECT_GT(accepted, 30u);
  EXPECT_GT(calls, 1000u);
  EXPECT_GT(loads, 100000u);
}
