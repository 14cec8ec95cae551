//===- RawEntryTest.cpp - Tests of NAME_raw, _workspace and _describe -----===//

#include "Call.h"

using namespace attnc;

namespace {

// As the header of the signature declares it.
struct RawArgs {
  uint32_t size;
  int64_t batch, query_len, kv_len;
  const float *Q, *K, *V;
  const int32_t *doc;
  float *O, *lse;
  int64_t Q_strides[4], K_strides[4], V_strides[4], doc_strides[2],
      O_strides[4], lse_strides[3];
};

class RawEntryTest : public CallTest {
protected:
  RawEntryTest() {
    args.size = sizeof args;
    args.batch = 1;
    args.query_len = 3;
    args.kv_len = 5;
    args.Q = q.data();
    args.K = k.data();
    args.V = v.data();
    args.doc = documents.data();
    args.O = o.data();
    args.lse = lseData.data();
    auto set = [](int64_t *to, std::initializer_list<int64_t> values) {
      std::copy(values.begin(), values.end(), to);
    };
    set(args.Q_strides, {24, 12, 4, 1});
    set(args.K_strides, {40, 20, 4, 1});
    set(args.V_strides, {40, 20, 4, 1});
    set(args.doc_strides, {5, 1});
    set(args.O_strides, {24, 12, 4, 1});
    set(args.lse_strides, {6, 3, 1});
  }
  attnc_status callRaw() {
    text.clear();
    seen() = Seen();
    using Entry = attnc_status(const RawArgs *, const attnc_runtime *);
    return compiled->get<Entry>("_raw")(&args, &runtime);
  }
  void expectRawRefused(attnc_status status, const std::string &sentence) {
    EXPECT_EQ(callRaw(), status);
    EXPECT_EQ(text, std::string(attnc_status_text(status)) + ": " + sentence);
    EXPECT_EQ(seen().tasks, 0u);
  }

  RawArgs args = {};
};

TEST_P(RawEntryTest, RunsAGoodCall) {
  EXPECT_EQ(callRaw(), ATTNC_OK) << text;
  EXPECT_EQ(o, q);
  EXPECT_EQ(seen().sizes, (std::vector<int64_t>{1, 2, 4, 3, 5}));
  EXPECT_TRUE(seen().hasLse);
}

TEST_P(RawEntryTest, DoesNotComputeAnAbsentOutput) {
  args.lse = nullptr;
  EXPECT_EQ(callRaw(), ATTNC_OK) << text;
  EXPECT_FALSE(seen().hasLse);
}

TEST_P(RawEntryTest, RefusesArgumentsOfAnotherVersion) {
  args.size -= 8;
  expectRawRefused(ATTNC_BAD_ABI,
                   "args: size is " + std::to_string(args.size) +
                       ", expected " + std::to_string(sizeof args) +
                       " (sizeof the struct in this object's header)");
  using Entry = attnc_status(const RawArgs *, const attnc_runtime *);
  EXPECT_EQ(compiled->get<Entry>("_raw")(nullptr, &runtime), ATTNC_BAD_POINTER);
  EXPECT_EQ(text, "null or misaligned pointer: args: the pointer is null");
}

TEST_P(RawEntryTest, RefusesANegativeSize) {
  args.query_len = -1;
  expectRawRefused(ATTNC_BAD_SHAPE,
                   "query_len is -1, a size cannot be negative");
}

TEST_P(RawEntryTest, RefusesNullAndOverlap) {
  args.V = nullptr;
  expectRawRefused(ATTNC_BAD_POINTER, "V: the data is null");
  args.V = v.data();
  args.O = k.data();
  expectRawRefused(ATTNC_BAD_POINTER, "O: overlaps K");
}

TEST_P(RawEntryTest, RefusesZeroStridesOfAnOutput) {
  args.O_strides[1] = 0;
  expectRawRefused(ATTNC_BAD_STRIDE, "O: strides [0, 0, 4, 1] of shape [1, 2, "
                                     "3, 4]: an output cannot have stride 0");
}

TEST_P(RawEntryTest, ChecksTables) {
  documents[4] = 8;
  expectRawRefused(ATTNC_BAD_VALUE, "doc[0, 4] is 8, expected 0 .. 7");
}

INSTANTIATE_TEST_SUITE_P(, RawEntryTest,
                         testing::Values(EntryKind::Object,
                                         EntryKind::SanitizedC));

// A signature with a derived size and an axis that is an expression.
TEST(DerivedSizesTest, AreCheckedAgainstTheRunTimeOnes) {
  Interface f;
  f.name = "f";
  f.title = "derived sizes";
  f.sizes = {{"query_len", SizeExpr::size("kv_len") - SizeExpr::constant(3)},
             {"kv_len", {}}};
  InterfaceTensor table, output;
  table.name = "start";
  table.dtype = DType::I32;
  table.axes = {SizeExpr::size("kv_len") + SizeExpr::constant(1)};
  InterfaceTensor key = table;
  key.name = "K";
  key.axes = {SizeExpr::size("kv_len")};
  output.name = "O";
  output.role = TensorRole::Output;
  output.axes = {SizeExpr::size("query_len")};
  f.tensors = {key, table, output};
  TestKernel kernel = {{{[](const attnc_call *) -> int64_t { return 0; },
                         [](const attnc_call *, void *, int64_t) {}}},
                       [](const attnc_call *) -> int64_t { return 0; },
                       [](const attnc_call *) -> int64_t { return 0; }};
  Compiled compiled(f, kernel, EntryKind::Object);
  using Entry = attnc_status(const attnc_tensor *, const attnc_tensor *,
                             const attnc_tensor *, const attnc_runtime *);
  std::string text;
  attnc_runtime runtime = {};
  runtime.size = sizeof runtime;
  runtime.user = &text;
  runtime.report = [](void *user, attnc_status, const char *sentence) {
    *static_cast<std::string *>(user) = sentence;
  };
  int32_t ints[16] = {};
  float floats[16] = {};
  auto call = [&](int64_t keys, int64_t starts, int64_t rows) {
    TestTensor K(ints, {keys}, 0, 32), start(ints, {starts}, 0, 32),
        O(floats, {rows});
    text.clear();
    return compiled.get<Entry>()(K.get(), start.get(), O.get(), &runtime);
  };
  EXPECT_EQ(call(5, 6, 2), ATTNC_OK) << text;
  EXPECT_EQ(call(5, 5, 2), ATTNC_BAD_SHAPE);
  EXPECT_EQ(text, "start: shape [5], expected kv_len + 1 = 6");
  EXPECT_EQ(call(5, 6, 3), ATTNC_BAD_SHAPE);
  EXPECT_EQ(text, "O: shape [3], expected query_len 2");
  EXPECT_EQ(call(2, 3, 0), ATTNC_BAD_SHAPE);
  EXPECT_EQ(text, "query_len is -1, a size cannot be negative");
}

} // namespace
