//===- SpecFixture.h - Evaluating specs in tests ----------------*- C++ -*-===//

#ifndef ATTNC_TEST_UNIT_REFERENCE_SPECFIXTURE_H
#define ATTNC_TEST_UNIT_REFERENCE_SPECFIXTURE_H

#include "attnc/Reference/SpecEvaluator.h"
#include "attnc/Spec/Parse.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <initializer_list>
#include <string>

namespace attnc::formula {

/// The tensors of a call, written in order.
struct Given {
  std::string name;
  llvm::SmallVector<int64_t> shape;
  std::vector<double> reals;
  std::vector<int64_t> integers = {};
};

/// What the one spec of `text`, after its first line, makes of tensors.
inline Arrays
evaluate(const std::string &text, std::initializer_list<Given> tensors,
         std::initializer_list<std::pair<const char *, int>> sizes) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy("attnc: 1\n" + text, "test.yaml"),
      llvm::SMLoc());
  SourceDiagnostics diagnostics(sources);
  auto specs = spec::parseSpecs(sources, diagnostics);
  std::string said;
  llvm::raw_string_ostream os(said);
  diagnostics.print(os);
  EXPECT_TRUE(specs && specs->size() == 1) << said;
  if (!specs)
    return {};
  Arrays given;
  for (const Given &tensor : tensors) {
    Array &array = given[tensor.name];
    array.shape = tensor.shape;
    array.isReal = tensor.integers.empty();
    array.reals.assign(tensor.reals.begin(), tensor.reals.end());
    array.integers = tensor.integers;
    EXPECT_EQ(array.size(),
              int64_t(tensor.reals.size() + tensor.integers.size()))
        << tensor.name;
  }
  llvm::StringMap<int64_t> values;
  for (auto [name, value] : sizes)
    values[name] = value;
  return evaluateSpec(specs->front(), std::move(given), values);
}

inline void expectNear(const Array &array, std::vector<double> values,
                       double error = 1e-12) {
  ASSERT_EQ(array.reals.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i)
    if (std::isfinite(values[i]))
      EXPECT_NEAR(double(array.reals[i]), values[i], error) << "at " << i;
    else if (std::isnan(values[i]))
      EXPECT_TRUE(std::isnan(array.reals[i])) << "at " << i;
    else
      EXPECT_EQ(double(array.reals[i]), values[i]) << "at " << i;
}

} // namespace attnc::formula

#endif // ATTNC_TEST_UNIT_REFERENCE_SPECFIXTURE_H
