//===- EntryTest.cpp - Tests of what a call refuses and accepts -----------===//
//
// Every status and sentence of the entry, one change of a good call each. Each
// test runs on the object that Emit writes and on the entry as ordinary C with
// undefined behaviour trapped.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <limits>

using namespace attnc;

namespace {

using EntryTest = CallTest;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

TEST_P(EntryTest, RunsAGoodCall) {
  expectOk();
  EXPECT_EQ(seen().sizes, (std::vector<int64_t>{1, 2, 4, 3, 5}));
  EXPECT_TRUE(seen().hasLse);
  EXPECT_EQ(seen().tasks, 2u);
}

TEST_P(EntryTest, RunsWithoutARuntime) {
  EXPECT_EQ(compiled->get<TensorEntry>()(Q.get(), K.get(), V.get(), doc.get(),
                                         O.get(), lse.get(), nullptr),
            ATTNC_OK);
  EXPECT_TRUE(isCopied());
}

TEST_P(EntryTest, DoesNotComputeAnAbsentOutput) {
  passLse = false;
  expectOk();
  EXPECT_FALSE(seen().hasLse);
}

//===----------------------------------------------------------------------===//
// Runtime
//===----------------------------------------------------------------------===//

TEST_P(EntryTest, RefusesARuntimeOfAnotherVersion) {
  runtime.size = 8; // too small to hold `report`
  EXPECT_EQ(call(), ATTNC_BAD_ABI);
  EXPECT_EQ(text, "");
  std::string expected = ", expected " + std::to_string(sizeof(attnc_runtime)) +
                         " (sizeof the struct in this object's header)";
  runtime.size = 100000;
  expectRefused(ATTNC_BAD_ABI, "runtime: size is 100000" + expected);
  runtime.size = 0; // forgotten
  expectRefused(ATTNC_BAD_ABI, "runtime: size is 0" + expected);
}

TEST_P(EntryTest, AcceptsANewerRuntimeWhoseNewFieldsAreZero) {
  struct {
    attnc_runtime known;
    void *added;
  } newer = {runtime, nullptr};
  newer.known.size = sizeof newer;
  auto callNewer = [&] {
    return compiled->get<TensorEntry>()(Q.get(), K.get(), V.get(), doc.get(),
                                        O.get(), lse.get(), &newer.known);
  };
  EXPECT_EQ(callNewer(), ATTNC_OK);
  newer.added = &newer;
  EXPECT_EQ(callNewer(), ATTNC_BAD_ABI);
  EXPECT_EQ(text, "ABI version or struct size mismatch: runtime: sets a field "
                  "that this object is too old to know");
}

TEST_P(EntryTest, RefusesNegativeThreads) {
  runtime.threads = -1;
  expectRefused(ATTNC_BAD_VALUE, "runtime: threads is negative");
}

TEST_P(EntryTest, RefusesThreadsWithoutParallelForAndTheReverse) {
  runtime.threads = 2;
  runtime.parallel_for = nullptr;
  expectRefused(ATTNC_BAD_VALUE,
                "runtime: threads is greater than 1 but parallel_for is NULL; "
                "set it, for example with attnc_threads_use");
  runtime.threads = 0;
  runtime.parallel_for = [](void *, int64_t, void (*)(void *, int64_t),
                            void *) -> attnc_status { return ATTNC_OK; };
  expectRefused(ATTNC_BAD_VALUE,
                "runtime: parallel_for is set but threads is 0; set threads to "
                "the number of workers");
}

TEST_P(EntryTest, AcceptsOneThreadWithoutParallelFor) {
  runtime.threads = 1;
  runtime.parallel_for = nullptr;
  expectOk();
}

TEST_P(EntryTest, RefusesHalfAnAllocator) {
  runtime.allocate = [](void *, size_t, size_t) -> void * { return nullptr; };
  expectRefused(ATTNC_BAD_POINTER,
                "runtime: set both allocate and release, or neither");
}

//===----------------------------------------------------------------------===//
// Pointers, rank, type, device
//===----------------------------------------------------------------------===//

TEST_P(EntryTest, RefusesANullTensor) {
  EXPECT_EQ(compiled->get<TensorEntry>()(Q.get(), nullptr, V.get(), doc.get(),
                                         O.get(), lse.get(), &runtime),
            ATTNC_BAD_POINTER);
  EXPECT_EQ(text, "null or misaligned pointer: K: the tensor is null");
}

TEST_P(EntryTest, RefusesNullData) {
  V.tensor.data = nullptr;
  expectRefused(ATTNC_BAD_POINTER, "V: the data is null");
}

TEST_P(EntryTest, RefusesANullShape) {
  Q.get();
  attnc_tensor broken = Q.tensor;
  broken.shape = nullptr;
  EXPECT_EQ(compiled->get<TensorEntry>()(&broken, K.get(), V.get(), doc.get(),
                                         O.get(), lse.get(), &runtime),
            ATTNC_BAD_POINTER);
  EXPECT_EQ(text, "null or misaligned pointer: Q: the shape is null");
}

TEST_P(EntryTest, RefusesDataThatIsNotAlignedToItsElements) {
  Q.tensor.byte_offset = 2;
  expectRefused(ATTNC_BAD_POINTER,
                "Q: the data is not aligned to its element size");
}

TEST_P(EntryTest, RefusesAnOffsetOutOfTheAddressSpace) {
  Q.tensor.byte_offset = std::numeric_limits<uint64_t>::max() - 3;
  expectRefused(ATTNC_BAD_POINTER,
                "Q: byte_offset leads out of the address space");
}

TEST_P(EntryTest, RefusesAnotherRank) {
  K.shape = {2, 5, 4};
  expectRefused(ATTNC_BAD_RANK, "K: 3 axes, expected 4");
}

TEST_P(EntryTest, RefusesAnotherType) {
  Q.tensor.dtype.bits = 16;
  expectRefused(ATTNC_BAD_DTYPE, "Q: dtype f16, expected f32");
  Q.tensor.dtype = {4, 16, 1};
  expectRefused(ATTNC_BAD_DTYPE, "Q: dtype bf16, expected f32");
  Q.tensor.dtype = {6, 8, 1};
  expectRefused(ATTNC_BAD_DTYPE, "Q: dtype bool, expected f32");
  Q.tensor.dtype = {5, 64, 2};
  expectRefused(ATTNC_BAD_DTYPE,
                "Q: dtype (code 5, 64 bits, 2 lanes), expected f32");
  Q.tensor.dtype = {2, 32, 1};
  doc.tensor.dtype = {1, 32, 1};
  expectRefused(ATTNC_BAD_DTYPE, "doc: dtype u32, expected i32");
}

TEST_P(EntryTest, RefusesAnotherDevice) {
  O.tensor.device.type = 2;
  expectRefused(ATTNC_BAD_DEVICE,
                "O: device type 2, expected the CPU (1, or pinned 3, 11)");
  O.tensor.device.type = 3;
  expectOk();
}

//===----------------------------------------------------------------------===//
// Shapes and conditions
//===----------------------------------------------------------------------===//

TEST_P(EntryTest, RefusesAnotherFixedSize) {
  K.shape = {1, 2, 5, 80};
  expectRefused(ATTNC_BAD_SHAPE, "K: shape [1, 2, 5, 80], expected head_dim 4");
}

TEST_P(EntryTest, RefusesARunTimeSizeThatDiffersBetweenTensors) {
  V.shape = {1, 2, 6, 4};
  expectRefused(ATTNC_BAD_SHAPE,
                "V: shape [1, 2, 6, 4], expected kv_len 5 as in K");
}

TEST_P(EntryTest, RefusesANegativeExtent) {
  Q.shape[2] = -3;
  expectRefused(ATTNC_BAD_SHAPE,
                "Q: shape [1, 2, -3, 4], an extent is negative");
}

TEST_P(EntryTest, RefusesATensorOfMoreThan63Bits) {
  for (TestTensor *t : {&Q, &O, &lse})
    t->shape[2] = kMost / 4;
  expectRefused(ATTNC_BAD_SHAPE, "Q: shape [1, 2, 2305843009213693951, 4], its "
                                 "bytes exceed 63 bits");
}

TEST_P(EntryTest, RefusesABrokenPrecondition) {
  K.shape[2] = V.shape[2] = 2;
  doc.shape[1] = 2;
  expectRefused(ATTNC_BAD_SHAPE,
                "doc[b, q] needs query_len <= kv_len, got query_len = 3, "
                "kv_len = 2");
}

TEST_P(EntryTest, RefusesPositionsOfMoreThan32Bits) {
  for (TestTensor *t : {&K, &V}) {
    t->shape[2] = int64_t(1) << 31;
    t->strides = {0, 0, 0, 1};
  }
  doc.shape[1] = int64_t(1) << 31;
  doc.strides = {0, 0};
  expectRefused(ATTNC_BAD_SHAPE, "kv_len is 2147483648, positions must be in "
                                 "-2**31 .. 2**31 - 1");
}

TEST_P(EntryTest, RunsWithoutElements) {
  for (TestTensor *t : {&K, &V, &Q, &O})
    t->shape[2] = 0;
  doc.shape[1] = lse.shape[2] = 0;
  for (TestTensor *t : {&K, &V, &Q, &O, &doc, &lse})
    t->tensor.data = nullptr;
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_EQ(seen().tasks, 2u); // the kernel decides what no rows mean
  Q.shape[0] = K.shape[0] = V.shape[0] = O.shape[0] = doc.shape[0] =
      lse.shape[0] = 0;
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_EQ(seen().tasks, 0u);
}

//===----------------------------------------------------------------------===//
// Strides and overlap
//===----------------------------------------------------------------------===//

TEST_P(EntryTest, HonoursStridesAndOffsets) {
  std::vector<float> wide(200, -1.0f);
  O.tensor.data = wide.data();
  O.tensor.byte_offset = 8;
  O.strides = {0, 4, 8, 1}; // [query_len, heads, head_dim]; batch is 1
  expectOk();
  EXPECT_EQ(wide[0], -1.0f);
  EXPECT_EQ(wide[2], 1.0f);
}

TEST_P(EntryTest, HonoursNegativeStrides) {
  O.tensor.byte_offset = 2 * 4 * sizeof(float);
  O.strides = {24, 12, -4, 1}; // rows from the last to the first
  expectOk();
  EXPECT_EQ(o[8], q[0]);
}

TEST_P(EntryTest, IgnoresAStrideThatNoElementUses) {
  Q.strides = {kLeast, 12, 4, 1};
  O.strides = {kMost, 12, 4, 1};
  call();
  EXPECT_EQ(text, "");
  EXPECT_EQ(o, q);
}

TEST_P(EntryTest, AcceptsStrideZeroOfAnInput) {
  Q.strides = {0, 0, 4, 1};
  expectOk();
}

TEST_P(EntryTest, RefusesStrideZeroOfAnOutput) {
  O.strides = {24, 0, 4, 1};
  expectRefused(ATTNC_BAD_STRIDE, "O: strides [0, 0, 4, 1] of shape [1, 2, 3, "
                                  "4]: an output cannot have stride 0");
}

TEST_P(EntryTest, RefusesAnOutputThatOverlapsItself) {
  O.strides = {24, 8, 4, 1};
  expectRefused(ATTNC_BAD_STRIDE,
                "O: strides [0, 8, 4, 1] of shape [1, 2, 3, 4] let elements of "
                "an output overlap");
  O.strides = {24, 12, 1, 1};
  expectRefused(ATTNC_BAD_STRIDE,
                "O: strides [0, 12, 1, 1] of shape [1, 2, 3, 4] let elements "
                "of an output overlap");
}

TEST_P(EntryTest, RefusesStridesOutOfTheAddressSpace) {
  K.strides = {24, kMost / 2, 4, 1};
  expectRefused(ATTNC_BAD_STRIDE,
                "K: strides [0, 4611686018427387903, 4, 1] of shape [1, 2, 5, "
                "4] reach outside the address space");
  K.strides = {24, kLeast, 4, 1};
  expectRefused(ATTNC_BAD_STRIDE,
                "K: strides [0, -9223372036854775808, 4, 1] of shape [1, 2, 5, "
                "4] reach outside the address space");
}

TEST_P(EntryTest, LetsTheOutputBeTheQuery) {
  std::vector<float> before = q;
  O.tensor.data = q.data();
  expectOk();
  EXPECT_EQ(q, before);
}

TEST_P(EntryTest, RefusesAnOutputThatIsHalfTheQuery) {
  std::vector<float> shared(40);
  Q.tensor.data = shared.data();
  O.tensor.data = shared.data() + 4;
  expectRefused(ATTNC_BAD_POINTER,
                "O: overlaps Q without being the same tensor");
  O.tensor.data = shared.data();
  O.strides = {24, 4, 8, 1};
  expectRefused(ATTNC_BAD_POINTER,
                "O: overlaps Q without being the same tensor");
}

TEST_P(EntryTest, RefusesAnOutputInAnotherTensor) {
  O.tensor.data = v.data() + 8;
  expectRefused(ATTNC_BAD_POINTER, "O: overlaps V");
  O.tensor.data = o.data();
  lse.tensor.data = o.data() + 23;
  expectRefused(ATTNC_BAD_POINTER, "O: overlaps lse");
}

// One buffer of rows [Q of head 0, 1 | O of head 0, 1]: the spans overlap, the
// bytes do not.
TEST_P(EntryTest, AcceptsSlicesOfTheSameRows) {
  std::vector<float> rows(3 * 16);
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = static_cast<float>(i);
  Q.tensor.data = rows.data();
  O.tensor.data = rows.data() + 8;
  Q.strides = O.strides = {48, 4, 16, 1};
  expectOk();
  O.tensor.data = rows.data() + 7;
  expectRefused(ATTNC_BAD_POINTER,
                "O: overlaps Q without being the same tensor");
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

TEST_P(EntryTest, RefusesAValueOutOfItsRange) {
  documents = {0, 0, 1, 1, 8};
  expectRefused(ATTNC_BAD_VALUE, "doc[0, 4] is 8, expected 0 .. 7");
  documents = {-1, 0, 1, 1, 7};
  expectRefused(ATTNC_BAD_VALUE, "doc[0, 0] is -1, expected 0 .. 7");
}

TEST_P(EntryTest, RefusesValuesThatFall) {
  documents = {0, 3, 1, 1, 7};
  expectRefused(ATTNC_BAD_VALUE,
                "doc[0, 2] is 1 after 3, expected nondecreasing values");
}

TEST_P(EntryTest, ChecksTablesAlongTheirStrides) {
  documents = {0, 99, 1, 99, 2, 99, 3, 99, 4, 99};
  doc.tensor.data = documents.data();
  doc.strides = {10, 2};
  expectOk();
  doc.tensor.byte_offset = 8 * sizeof(int32_t);
  doc.strides = {10, -2};
  expectRefused(ATTNC_BAD_VALUE,
                "doc[0, 1] is 3 after 4, expected nondecreasing values");
}

TEST_P(EntryTest, ChecksEveryRowOfATable) {
  std::vector<int32_t> two = {0, 1, 2, 3, 4, 0, 1, 2, 3, 9};
  for (TestTensor *t : {&Q, &K, &V}) {
    t->shape[0] = 2;
    t->strides = {0, 12, 4, 1};
  }
  std::vector<float> output(48), sums(12);
  O.tensor.data = output.data();
  lse.tensor.data = sums.data();
  O.shape[0] = lse.shape[0] = doc.shape[0] = 2;
  doc.tensor.data = two.data();
  expectRefused(ATTNC_BAD_VALUE, "doc[1, 4] is 9, expected 0 .. 7");
  doc.strides = {0, 1};
  EXPECT_EQ(call(), ATTNC_OK) << text;
}

INSTANTIATE_TEST_SUITE_P(
    , EntryTest, testing::Values(EntryKind::Object, EntryKind::SanitizedC),
    [](const auto &info) {
      return info.param == EntryKind::Object ? "Object" : "SanitizedC";
    });

} // namespace
