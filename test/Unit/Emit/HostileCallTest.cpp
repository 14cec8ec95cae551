//===- HostileCallTest.cpp - Calls with any numbers in them ---------------===//
//
// A call never ends the process: tens of thousands of calls with extreme
// extents, strides, types and offsets run through the entry compiled with the
// undefined-behaviour sanitizer, which would end this test.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <limits>
#include <map>
#include <random>

using namespace attnc;

namespace {

int64_t none(const attnc_call *) { return 0; }

Interface batchedRows() {
  Interface f = withDocuments();
  f.name = "f";
  f.tensors.erase(f.tensors.begin() + 3); // the entry reads tables
  return f;
}

class HostileCallTest : public testing::Test {
protected:
  HostileCallTest()
      : compiled(
            batchedRows(),
            {{{none, [](const attnc_call *, void *, int64_t) {}}}, none, none},
            EntryKind::SanitizedC) {}

  int64_t number() {
    static const int64_t most = std::numeric_limits<int64_t>::max();
    static const int64_t extremes[] = {0,    1,        2,         12,
                                       64,   -1,       -64,       1 << 20,
                                       most, most / 4, most / 64, -most - 1};
    return extremes[pick(std::size(extremes))];
  }
  size_t pick(size_t count) {
    return std::uniform_int_distribution<size_t>(0, count - 1)(random);
  }
  /// A good tensor with some numbers replaced.
  void disturb(TestTensor &t) {
    for (int64_t &extent : t.shape)
      if (pick(20) == 0)
        extent = number();
    if (pick(2)) {
      t.strides.resize(t.shape.size());
      for (int64_t &stride : t.strides)
        stride = number();
    }
    if (pick(10) == 0)
      t.tensor.byte_offset = static_cast<uint64_t>(number());
    if (pick(40) == 0)
      t.tensor.dtype.bits = static_cast<uint8_t>(number());
    if (pick(40) == 0)
      t.tensor.data = nullptr;
    if (pick(40) == 0)
      t.shape.push_back(number());
  }

  Compiled compiled;
  std::mt19937 random{11};
};

TEST_F(HostileCallTest, EndsWithAStatus) {
  using Entry = attnc_status(const attnc_tensor *, const attnc_tensor *,
                             const attnc_tensor *, const attnc_tensor *,
                             const attnc_tensor *, const attnc_runtime *);
  std::map<attnc_status, unsigned> counts;
  std::vector<float> memory(1 << 16);
  for (int round = 0; round < 30000; ++round) {
    int64_t rows = static_cast<int64_t>(pick(3)), keys = rows + 2;
    TestTensor Q(memory.data(), {1, 12, rows, 64}),
        K(memory.data() + 8192, {1, 12, keys, 64}),
        V(memory.data() + 16384, {1, 12, keys, 64}),
        O(memory.data() + 32768, {1, 12, rows, 64}),
        lse(memory.data() + 49152, {1, 12, rows});
    for (TestTensor *t : {&Q, &K, &V, &O, &lse})
      if (pick(2))
        disturb(*t);
    ++counts[compiled.get<Entry>()(Q.get(), K.get(), V.get(), O.get(),
                                   pick(4) ? lse.get() : nullptr, nullptr)];
  }
  for (attnc_status status :
       {ATTNC_OK, ATTNC_BAD_POINTER, ATTNC_BAD_RANK, ATTNC_BAD_DTYPE,
        ATTNC_BAD_SHAPE, ATTNC_BAD_STRIDE})
    EXPECT_GT(counts[status], 100u) << attnc_status_text(status);
}

} // namespace
