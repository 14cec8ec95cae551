//===- ChoosePartTest.cpp - Tests of which part of an object runs ---------===//
//
// A function with three made-up parts, of which this processor supports the
// last two: what calls run by default and what a name in the runtime or in the
// environment changes.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <cstdlib>

using namespace attnc;

namespace {

int ran = 0;

template <int number> TestKernel numbered() {
  return {{{[](const attnc_call *) -> int64_t { return 1; },
            [](const attnc_call *, void *, int64_t) { ran = number; }}},
          [](const attnc_call *) -> int64_t { return 64 * number; },
          [](const attnc_call *) -> int64_t { return 0; }};
}

Interface vector() {
  Interface f;
  f.name = "vector";
  f.title = "a vector";
  f.sizes = {{"n", {}}};
  InterfaceTensor in, out;
  in.name = "Q";
  in.role = TensorRole::Query;
  in.axes = out.axes = {SizeExpr::size("n")};
  out.name = "O";
  out.role = TensorRole::Output;
  f.tensors = {in, out};
  return f;
}

class ChoosePartTest : public testing::Test {
protected:
  ChoosePartTest() {
    runtime.size = sizeof runtime;
    runtime.user = &text;
    runtime.report = [](void *user, attnc_status, const char *sentence) {
      *static_cast<std::string *>(user) = sentence;
    };
    unsetenv("ATTNC_CPU");
  }
  ~ChoosePartTest() override { unsetenv("ATTNC_CPU"); }

  attnc_status call() {
    text.clear();
    ran = 0;
    float in[2] = {}, out[2] = {};
    TestTensor Q(in, {2}), O(out, {2});
    using Entry = attnc_status(const attnc_tensor *, const attnc_tensor *,
                               const attnc_runtime *);
    return compiled.get<Entry>()(Q.get(), O.get(), &runtime);
  }
  size_t workspace() {
    return compiled.get<size_t(int64_t, int32_t)>("_workspace")(2, 1);
  }

  Compiled compiled{vector(),
                    {{numbered<1>(), "avxneconvert amx-fp16"}, // on none so far
                     {numbered<2>(), "sse2"},
                     {numbered<3>(), ""}}};
  attnc_runtime runtime = {};
  std::string text;
};

TEST_F(ChoosePartTest, RunsTheFirstPartThatTheProcessorSupports) {
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_EQ(ran, 2);
}

TEST_F(ChoosePartTest, RunsThePartThatTheRuntimeNames) {
  runtime.cpu = "part2";
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_EQ(ran, 3);
  runtime.cpu = nullptr; // one call only
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_EQ(ran, 2);
}

TEST_F(ChoosePartTest, RefusesANameOfNoPart) {
  runtime.cpu = "part";
  EXPECT_EQ(call(), ATTNC_NO_TARGET);
  EXPECT_EQ(text, "runtime: cpu: this object has no part 'part'; the object's "
                  "parts are part0, part1, part2");
  runtime.cpu = "";
  EXPECT_EQ(call(), ATTNC_NO_TARGET);
  std::string longName(5000, 'x');
  runtime.cpu = longName.c_str();
  EXPECT_EQ(call(), ATTNC_NO_TARGET);
  EXPECT_EQ(text, "runtime: cpu: this object has no part '" +
                      std::string(40, 'x') +
                      "'; the object's parts are part0, part1, part2");
  EXPECT_EQ(ran, 0);
}

TEST_F(ChoosePartTest, RefusesAPartThatTheProcessorDoesNotSupport) {
  runtime.cpu = "part0";
  EXPECT_EQ(call(), ATTNC_NO_TARGET);
  EXPECT_EQ(text, "runtime: cpu: this processor does not support 'part0'; the "
                  "object's parts are part0, part1, part2");
  EXPECT_EQ(ran, 0);
}

TEST_F(ChoosePartTest, RunsThePartThatTheEnvironmentNames) {
  setenv("ATTNC_CPU", "part2", 1);
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_EQ(ran, 3);
  runtime.cpu = "part1"; // the runtime comes first
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_EQ(ran, 2);
}

TEST_F(ChoosePartTest, ReadsTheEnvironmentOnce) {
  EXPECT_EQ(call(), ATTNC_OK) << text;
  setenv("ATTNC_CPU", "part2", 1);
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_EQ(ran, 2);
}

TEST_F(ChoosePartTest, IgnoresAnEmptyVariable) {
  setenv("ATTNC_CPU", "", 1);
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_EQ(ran, 2);
}

TEST_F(ChoosePartTest, RefusesWhatTheEnvironmentNames) {
  setenv("ATTNC_CPU", "zen9", 1);
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(call(), ATTNC_NO_TARGET);
    EXPECT_EQ(text, "ATTNC_CPU: this object has no part 'zen9'; the object's "
                    "parts are part0, part1, part2");
  }
  EXPECT_EQ(ran, 0);
}

TEST_F(ChoosePartTest, RefusesAPartOfTheEnvironmentThatCannotRun) {
  setenv("ATTNC_CPU", "part0", 1);
  EXPECT_EQ(call(), ATTNC_NO_TARGET);
  EXPECT_EQ(text, "ATTNC_CPU: this processor does not support 'part0'; the "
                  "object's parts are part0, part1, part2");
}

TEST_F(ChoosePartTest, NeedsMemoryForAnyPartThatCanRun) {
  EXPECT_EQ(workspace(), 3u * 64); // of part2, though calls run part1
}

TEST_F(ChoosePartTest, AcceptsARuntimeWithoutTheField) {
  runtime.size = offsetof(attnc_runtime, cpu);
  runtime.cpu = "beyond the caller's struct";
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_EQ(ran, 2);
}

TEST_F(ChoosePartTest, RefusesHalfAField) {
  runtime.size = offsetof(attnc_runtime, cpu) + 4;
  EXPECT_EQ(call(), ATTNC_BAD_ABI);
}

/// The part of `compiled` that a call runs.
int runPart(Compiled &compiled, const char *name) {
  attnc_runtime runtime = {};
  runtime.size = sizeof runtime;
  runtime.cpu = name;
  float in[2] = {}, out[2] = {};
  TestTensor Q(in, {2}), O(out, {2});
  using Entry = attnc_status(const attnc_tensor *, const attnc_tensor *,
                             const attnc_runtime *);
  ran = 0;
  EXPECT_EQ(compiled.get<Entry>()(Q.get(), O.get(), &runtime), ATTNC_OK);
  return ran;
}

TEST(ChooseSlowPartTest, PrefersAnotherPart) {
  Compiled parts(vector(), {{numbered<1>(), "sse2|sse2"},
                            {numbered<2>(), "sse2|sse2 amx-fp16"},
                            {numbered<3>(), ""}});
  EXPECT_EQ(runPart(parts, nullptr), 2); // the processor lacks amx-fp16
  EXPECT_EQ(runPart(parts, "part0"), 1);
}

TEST(ChooseSlowPartTest, RunsIfThereIsNoOther) {
  Compiled parts(vector(), {{numbered<1>(), "sse2|sse2"},
                            {numbered<2>(), "avxneconvert amx-fp16"},
                            {numbered<3>(), "|sse2"}});
  EXPECT_EQ(runPart(parts, nullptr), 1);
}

TEST(ChooseNoPartTest, NamesWhatTheKernelsRequire) {
  Compiled none(vector(), {{numbered<1>(), "avxneconvert amx-fp16"},
                           {numbered<2>(), "avxifma amx-fp16"}});
  std::string text;
  attnc_runtime runtime = {};
  runtime.size = sizeof runtime;
  runtime.user = &text;
  runtime.report = [](void *user, attnc_status, const char *sentence) {
    *static_cast<std::string *>(user) = sentence;
  };
  float in[2] = {}, out[2] = {};
  TestTensor Q(in, {2}), O(out, {2});
  using Entry = attnc_status(const attnc_tensor *, const attnc_tensor *,
                             const attnc_runtime *);
  EXPECT_EQ(none.get<Entry>()(Q.get(), O.get(), &runtime), ATTNC_NO_TARGET);
  EXPECT_EQ(text, "this processor supports none of the parts of this object: "
                  "part0 or part1");
  EXPECT_EQ((none.get<size_t(int64_t, int32_t)>("_workspace")(2, 1)), 0u);
}

} // namespace
