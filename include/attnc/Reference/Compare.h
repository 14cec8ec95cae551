//===- Compare.h - Values beside those of the reference ---------*- C++ -*-===//
//
// The rule (docs/testing.md): the largest error of an output is at most twice
// that of the plain evaluation in the same types, plus one ulp of the largest
// reference value. Where the plain evaluation of the main output is exact, the
// kernel has to be. Integer inputs are made for that; where a weight is a
// fraction after all (a sink), and for the log-sum-exp, the plain evaluation
// still has exact exponents, while kernels round theirs times log2 e:
// such outputs may be off by 8 ulp. Where one of the two evaluations leaves the
// range of its type and they do not agree on what becomes of it, nothing is
// compared; such places, and NaNs in the reference, are counted and told. So
// the limit is always finite. An output of which less than half was compared
// is not right: nobody knows.
//
// Integers whose scores a type rounds before an exponential are no exact
// inputs: kernels that fold a factor into queries, or multiply in another
// order, round other numbers. What is over the limit then is told so, and is
// not right.
//
// attnc-run compares what kernels write, --check-stages what stages mean.
// Tests: test/Tools/Run/run.test, test/Pipeline/check-stages-inexact.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_REFERENCE_COMPARE_H
#define ATTNC_REFERENCE_COMPARE_H

#include "attnc/Interface/Interface.h"
#include "attnc/Reference/Interpreter.h"
#include "attnc/Reference/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace attnc::reference {

/// Two errors of one size differ by more in one of 200 cases.
inline constexpr double mostByChance = 64;

/// "O[0, 3, 17, 0]" for a row-major position.
std::string placeText(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                      int64_t offset);

/// How far one output is from the reference.
struct OutputCheck {
  double error = 0, plainError = 0;
  double largest = 0;     // the largest reference value
  double ulps = 1;        // of it that are allowed besides
  double ulp = 0;         // one of them
  std::string place;      // of the largest error, "O[0, 3, 17, 0]"
  bool isInPlace = false; // an input that the call changes
  bool isExact = true;    // plain evaluation is exact, so the kernel has to be
  int64_t values = 0;     // but for those of nobody
  int64_t nobodys = 0;    // values of rows that no sequence has: left alone
  int64_t notNumbers = 0; // values that are NaN in the reference, plain or not
  int64_t lost = 0;       // values that one of both evaluations overflows at
  int64_t excused = 0;    // over the limit, but not over their own place's
  double stray = 0;       // the largest error where a value is known exactly
  std::string strayPlace; // of it
  std::string strayRule;  // which value, and why

  /// The part of the values that says whether the kernel is right.
  double compared() const {
    return values ? double(values - notNumbers - lost) / double(values) : 1;
  }
  /// Whether not one value does, or less than half of them.
  bool isUnknown() const { return compared() == 0; }
  bool isMostlyUnknown() const { return compared() < 0.5; }
  double limit() const { return isExact ? 0 : 2 * plainError + ulps * ulp; }
};

/// How far the graph that was imported is from the formulas of its spec, both
/// without roundings.
struct GraphCheck {
  double error = 0, limit = 0;
  std::string place; // of the largest error over the limit

  bool differs() const { return error > limit; }
};

/// All outputs, over one or several draws of inputs.
struct CheckResult {
  std::vector<OutputCheck> outputs;
  /// Of the output whose graph is furthest over its limit.
  GraphCheck graph;
  /// By how much plain evaluation rounds exponents of integer inputs, if that
  /// may be why an output is over its limit; else 0.
  double rounding = 0;

  /// Takes the larger errors of both.
  void merge(const CheckResult &other);
  /// Neither wrong nor right is what had little or nothing to compare.
  bool isWrong() const;
  bool isRight() const;
  bool isExact() const;
  /// The output that is furthest beyond its limit, or the one with the largest
  /// part of it: rows of a cache, which are mostly exact, last.
  const OutputCheck &worst() const;
};

struct OutputError {
  double error = 0;
  int64_t place = -1;
};

/// Whether a kernel can be asked for something at a place: both evaluations are
/// in the range of its type, or agree on the same infinity or on NaN.
bool isCompared(double plain, double wanted, mlir::Type type);

/// The difference at a compared place; NaN and infinities have to agree.
double difference(double got, double wanted);

/// The largest difference at compared places.
OutputError largestError(const Tensor &got, const Tensor &plain,
                         const Tensor &wanted, bool rounds,
                         llvm::function_ref<bool(size_t)> isExcused);

/// The figures of one output of one draw.
OutputCheck compare(const InterfaceTensor &declared, const Tensor &got,
                    const Tensor &plain, const Tensor &wanted, bool isInteger);

/// The graph's `exact` and rounded (`plain`) results beside those of the
/// formulas. The two are equal up to the constants that ops hold, so the limit
/// is that of kernels, with the graph's own roundings as the plain error.
GraphCheck compareGraph(const InterfaceTensor &declared, const Tensor &exact,
                        const Tensor &plain, const Tensor &wanted,
                        bool isInteger);

/// Whether integer inputs did not stay exact up to an exponential: sets
/// `rounding` of a result that is wrong for no other known reason. For a
/// function at stage graph.
mlir::LogicalResult findRounding(mlir::func::FuncOp graph,
                                 llvm::ArrayRef<Tensor> inputs,
                                 const Sizes &sizes, CheckResult &result);

} // namespace attnc::reference

#endif // ATTNC_REFERENCE_COMPARE_H
