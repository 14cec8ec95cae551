//===- Call.cpp - A call that tests change in one place -------------------===//

#include "Call.h"

#include <map>
#include <numeric>

using namespace attnc;

Seen &attnc::seen() {
  static Seen value;
  return value;
}

static int64_t headTasks(const attnc_call *call) {
  return call->sizes[0] * call->sizes[1];
}

static void copyHead(const attnc_call *call, void *, int64_t task) {
  const int64_t *sizes = call->sizes, *from = call->strides[0],
                *to = call->strides[4];
  const auto *q = static_cast<const float *>(call->data[0]);
  auto *o = static_cast<float *>(call->data[4]);
  int64_t b = task / sizes[1], h = task % sizes[1];
  for (int64_t i = 0; i < sizes[3]; ++i)
    for (int64_t d = 0; d < sizes[2]; ++d)
      o[b * to[0] + h * to[1] + i * to[2] + d * to[3]] =
          q[b * from[0] + h * from[1] + i * from[2] + d * from[3]];
  seen().sizes.assign(sizes, sizes + 5);
  seen().hasLse = call->data[5] != nullptr;
  ++seen().tasks;
}

static int64_t none(const attnc_call *) { return 0; }

const TestKernel &attnc::copyKernel() {
  static const TestKernel kernel = {{{headTasks, copyHead}}, none, none};
  return kernel;
}

Interface CallTest::interface() {
  Interface f = withDocuments();
  f.name = "f";
  f.sizes[1].value = SizeExpr::constant(2);
  f.sizes[2].value = SizeExpr::constant(4);
  f.tensors[3].range = {SizeExpr::constant(0), SizeExpr::constant(7)};
  return f;
}

static void report(void *user, attnc_status status, const char *text) {
  *static_cast<std::string *>(user) =
      std::string(attnc_status_text(status)) + ": " + text;
}

// Compiling takes tens of milliseconds, so each kind of entry is made once.
static Compiled &compileOnce(EntryKind kind, const Interface &f) {
  static std::map<EntryKind, std::unique_ptr<Compiled>> all;
  std::unique_ptr<Compiled> &entry = all[kind];
  if (!entry)
    entry = std::make_unique<Compiled>(f, copyKernel(), kind);
  return *entry;
}

CallTest::CallTest()
    : q(24), k(40), v(40), o(24), lseData(6), documents{0, 0, 1, 1, 7},
      Q(q.data(), {1, 2, 3, 4}), K(k.data(), {1, 2, 5, 4}),
      V(v.data(), {1, 2, 5, 4}), doc(documents.data(), {1, 5}, 0, 32),
      O(o.data(), {1, 2, 3, 4}), lse(lseData.data(), {1, 2, 3}) {
  std::iota(q.begin(), q.end(), 1.0f);
  runtime.size = sizeof(runtime);
  runtime.user = &text;
  runtime.report = report;
  compiled = &compileOnce(GetParam(), interface());
}

attnc_status CallTest::call() {
  text.clear();
  seen() = Seen();
  return compiled->get<TensorEntry>()(Q.get(), K.get(), V.get(), doc.get(),
                                      O.get(), passLse ? lse.get() : nullptr,
                                      &runtime);
}

void CallTest::expectRefused(attnc_status status, const std::string &sentence) {
  EXPECT_EQ(call(), status);
  EXPECT_EQ(text, std::string(attnc_status_text(status)) + ": " + sentence);
  EXPECT_EQ(seen().tasks, 0u);
}

void CallTest::expectOk() {
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_EQ(text, "");
  EXPECT_TRUE(isCopied());
}

bool CallTest::isCopied() {
  auto at = [](TestTensor &t, int64_t h, int64_t i, int64_t d) {
    std::vector<int64_t> s =
        t.strides.empty()
            ? std::vector<int64_t>{0, t.shape[2] * t.shape[3], t.shape[3], 1}
            : t.strides;
    char *data = static_cast<char *>(t.tensor.data) + t.tensor.byte_offset;
    return reinterpret_cast<float *>(data)[h * s[1] + i * s[2] + d * s[3]];
  };
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t i = 0; i < Q.shape[2]; ++i)
      for (int64_t d = 0; d < 4; ++d)
        if (at(Q, h, i, d) != at(O, h, i, d))
          return false;
  return true;
}
