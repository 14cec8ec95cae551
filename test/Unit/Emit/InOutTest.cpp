//===- InOutTest.cpp - Calls that change an input -------------------------===//
//
// A cache is read and written, so it must be a tensor of its own, and a table
// that says where new rows go must leave room for them.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

using namespace attnc;

namespace {

int64_t none(const attnc_call *) { return 0; }

/// x [rows, 4], cache [capacity, 4] in place, past (one number), O [rows, 4].
Interface withCache() {
  Interface f;
  f.name = "f";
  f.title = "rows and a cache";
  f.sizes = {{"rows", {}}, {"capacity", {}}};
  InterfaceTensor x, cache, past, out;
  x.name = "x";
  cache.name = "cache";
  cache.inout = true;
  past.name = "past";
  past.dtype = DType::I32;
  past.range = {SizeExpr::constant(0),
                SizeExpr::size("capacity") - SizeExpr::size("rows")};
  out.name = "O";
  out.role = TensorRole::Output;
  x.axes = out.axes = {SizeExpr::size("rows"), SizeExpr::constant(4)};
  cache.axes = {SizeExpr::size("capacity"), SizeExpr::constant(4)};
  f.tensors = {x, cache, past, out};
  return f;
}

class InOutTest : public testing::Test {
protected:
  InOutTest()
      : compiled(
            withCache(),
            {{{none, [](const attnc_call *, void *, int64_t) {}}}, none, none},
            EntryKind::SanitizedC),
        buffer(256) {
    x = TestTensor(buffer.data(), {3, 4});
    cache = TestTensor(buffer.data() + 64, {8, 4});
    past = TestTensor(&number, {}, 0, 32);
    O = TestTensor(buffer.data() + 192, {3, 4});
  }

  attnc_status call() {
    attnc_runtime runtime = {};
    runtime.size = sizeof runtime;
    runtime.user = &text;
    runtime.report = [](void *user, attnc_status, const char *sentence) {
      *static_cast<std::string *>(user) = sentence;
    };
    text.clear();
    using Entry = attnc_status(const attnc_tensor *, const attnc_tensor *,
                               const attnc_tensor *, const attnc_tensor *,
                               const attnc_runtime *);
    return compiled.get<Entry>()(x.get(), cache.get(), past.get(), O.get(),
                                 &runtime);
  }

  Compiled compiled;
  std::vector<float> buffer;
  int32_t number = 5;
  TestTensor x{nullptr, {}}, cache{nullptr, {}}, past{nullptr, {}},
      O{nullptr, {}};
  std::string text;
};

TEST_F(InOutTest, AcceptsTheLastPlaceThatLeavesRoom) {
  EXPECT_EQ(call(), ATTNC_OK) << text;
}

TEST_F(InOutTest, RefusesAFullCache) {
  number = 6;
  EXPECT_EQ(call(), ATTNC_BAD_VALUE);
  EXPECT_EQ(text, "past is 6, expected 0 .. 5");
  number = -1;
  EXPECT_EQ(call(), ATTNC_BAD_VALUE);
}

TEST_F(InOutTest, RefusesMoreRowsThanTheCacheHas) {
  cache.shape = {2, 4};
  number = 0;
  EXPECT_EQ(call(), ATTNC_BAD_VALUE);
  EXPECT_EQ(
      text,
      "past is 0, expected 0 .. -1: this range is empty, got capacity = 2, "
      "rows = 3");
}

TEST_F(InOutTest, RefusesACacheThatOverlapsAnInput) {
  x.tensor.data = cache.tensor.data;
  EXPECT_EQ(call(), ATTNC_BAD_POINTER);
  EXPECT_EQ(text, "cache: overlaps x");
}

TEST_F(InOutTest, RefusesACacheThatOverlapsAnOutput) {
  O.tensor.data = cache.tensor.data;
  EXPECT_EQ(call(), ATTNC_BAD_POINTER);
  EXPECT_EQ(text, "cache: overlaps O");
}

TEST_F(InOutTest, RefusesARepeatedRow) {
  cache.strides = {0, 1};
  EXPECT_EQ(call(), ATTNC_BAD_STRIDE);
  EXPECT_EQ(text, "cache: strides [0, 1] of shape [8, 4]: an inout tensor "
                  "cannot have stride 0");
}

TEST_F(InOutTest, RefusesRowsThatMeet) {
  cache.strides = {3, 1};
  EXPECT_EQ(call(), ATTNC_BAD_STRIDE);
  EXPECT_EQ(text, "cache: strides [3, 1] of shape [8, 4] let elements of an "
                  "inout tensor overlap");
}

} // namespace
