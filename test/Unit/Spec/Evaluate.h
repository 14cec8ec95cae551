//===- Evaluate.h - Checked formulas on small sizes -----------------------===//
//
// What a kernel computes, one pair of query and key after the other, with a
// watch on every index and divisor.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TEST_UNIT_SPEC_EVALUATE_H
#define ATTNC_TEST_UNIT_SPEC_EVALUATE_H

#include "attnc/Spec/Spec.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// The one spec of a text, or nothing (then `said` has the diagnostics).
std::optional<attnc::spec::AttentionSpec> parse(const std::string &text,
                                                std::string *said = nullptr);

/// The canonical text of a spec.
std::string print(const attnc::spec::AttentionSpec &spec);

class Evaluator {
public:
  /// Sizes by name; values of tables come from the seed, within their ranges.
  Evaluator(const attnc::spec::AttentionSpec &spec,
            std::map<std::string, int64_t> sizes, unsigned seed)
      : spec(spec), runTime(std::move(sizes)), seed(seed) {}

  /// Whether the call is legal: all preconditions hold.
  bool legal();
  /// Evaluates the mask, and the score where it holds, for all pairs; and all
  /// again one row and one key past the end, where nothing may divide by 0.
  void run();

  std::vector<std::string> wrong; // indices out of range, divisors of 0
  size_t loads = 0;               // indices that were looked at

private:
  struct Value {
    int64_t integer = 0;
    bool boolean = false;
    double real = 0;
  };
  Value evaluate(const attnc::spec::Expr &e, bool guarded);
  Value apply(const attnc::spec::Expr &e, bool guarded);
  Value load(const attnc::spec::Expr &e, bool guarded);
  int64_t ints(const attnc::spec::Expr &e, int64_t a, int64_t b, int64_t c);
  int64_t sizeOf(unsigned index);

  const attnc::spec::AttentionSpec &spec;
  std::map<std::string, int64_t> runTime;
  unsigned seed;
  int64_t b = 0, h = 0, i = 0, k = 0;
};

#endif // ATTNC_TEST_UNIT_SPEC_EVALUATE_H
