//===- OverlapTest.cpp - Overlap of layouts against brute force -----------===//
//
// The entry decides by arithmetic on strides. Here thousands of small layouts
// in one buffer are also decided by listing every element: what overlaps is
// always refused, and what lies apart in memory is always accepted.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <random>
#include <set>

using namespace attnc;

namespace {

int64_t none(const attnc_call *) { return 0; }

/// Q and O, both [a, b, c] of i8.
Interface threeAxes() {
  Interface f;
  f.name = "f";
  f.title = "two tensors of three axes";
  f.sizes = {{"a", {}}, {"b", {}}, {"c", {}}};
  InterfaceTensor in, out;
  in.name = "Q";
  in.role = TensorRole::Query;
  out.name = "O";
  out.role = TensorRole::Output;
  in.dtype = out.dtype = DType::I8;
  in.axes = out.axes = {SizeExpr::size("a"), SizeExpr::size("b"),
                        SizeExpr::size("c")};
  f.tensors = {in, out};
  return f;
}

struct Layout {
  int64_t offset;
  std::vector<int64_t> strides;
};

/// Offsets of all elements, with repetitions.
std::multiset<int64_t> elements(const Layout &layout,
                                const std::vector<int64_t> &shape) {
  std::multiset<int64_t> all;
  for (int64_t a = 0; a < shape[0]; ++a)
    for (int64_t b = 0; b < shape[1]; ++b)
      for (int64_t c = 0; c < shape[2]; ++c)
        all.insert(layout.offset + a * layout.strides[0] +
                   b * layout.strides[1] + c * layout.strides[2]);
  return all;
}

class OverlapTest : public testing::Test {
protected:
  static constexpr int64_t kMiddle = 4096;

  OverlapTest()
      : compiled(
            threeAxes(),
            {{{none, [](const attnc_call *, void *, int64_t) {}}}, none, none},
            EntryKind::SanitizedC),
        buffer(2 * kMiddle) {}

  attnc_status call(const std::vector<int64_t> &shape, const Layout &in,
                    const Layout &out) {
    TestTensor Q(buffer.data() + kMiddle + in.offset, shape, 0, 8);
    TestTensor O(buffer.data() + kMiddle + out.offset, shape, 0, 8);
    Q.strides = in.strides;
    O.strides = out.strides;
    using Entry = attnc_status(const attnc_tensor *, const attnc_tensor *,
                               const attnc_runtime *);
    return compiled.get<Entry>()(Q.get(), O.get(), nullptr);
  }

  Compiled compiled;
  std::vector<int8_t> buffer;
  std::mt19937 random{7};
};

TEST_F(OverlapTest, NeverAcceptsAnElementWrittenTwiceOrReadElsewhere) {
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  unsigned accepted = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<int64_t> shape = {pick(1, 3), pick(1, 4), pick(1, 4)};
    Layout in = {pick(-60, 60), {pick(-30, 30), pick(-9, 9), pick(-4, 4)}};
    Layout out = {pick(-60, 60), {pick(-30, 30), pick(-9, 9), pick(-4, 4)}};
    if (pick(0, 1)) // rows of one buffer, side by side
      out.strides = in.strides;
    std::multiset<int64_t> read = elements(in, shape),
                           written = elements(out, shape);
    bool isTwice =
        std::set(written.begin(), written.end()).size() != written.size();
    bool isShared = std::any_of(written.begin(), written.end(),
                                [&](int64_t e) { return read.count(e); });
    bool isApart =
        *written.rbegin() < *read.begin() || *read.rbegin() < *written.begin();
    attnc_status status = call(shape, in, out);
    ++(status == ATTNC_OK ? accepted : refused);
    if (isTwice)
      ASSERT_EQ(status, ATTNC_BAD_STRIDE) << "round " << round;
    else if (isShared)
      ASSERT_NE(status, ATTNC_OK) << "round " << round;
    else if (isApart)
      ASSERT_NE(status, ATTNC_BAD_POINTER) << "round " << round;
  }
  EXPECT_GT(accepted, 1000u);
  EXPECT_GT(refused, 1000u);
}

TEST_F(OverlapTest, AcceptsEveryOrderOfAxes) {
  std::vector<int64_t> shape = {2, 3, 4}, order = {0, 1, 2};
  do {
    Layout out = {0, {0, 0, 0}};
    int64_t stride = 1;
    for (int64_t axis : order) {
      out.strides[axis] = stride;
      stride *= shape[axis];
    }
    EXPECT_EQ(call(shape, {100, {12, 4, 1}}, out), ATTNC_OK);
  } while (std::next_permutation(order.begin(), order.end()));
}

} // namespace
