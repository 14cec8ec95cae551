//===- Call.h - A call that tests change in one place -----------*- C++ -*-===//
//
// The signature is that of test/Unit/Interface/Examples.h with documents and a
// log-sum-exp; the kernel copies Q to O, so that a call which passes all checks
// shows that its strides arrived.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TEST_UNIT_EMIT_CALL_H
#define ATTNC_TEST_UNIT_EMIT_CALL_H

#include "Jit.h"

#include "../Interface/Examples.h"

#include "gtest/gtest.h"

namespace attnc {

/// A DLPack tensor with its own shape and strides.
struct TestTensor {
  std::vector<int64_t> shape, strides;
  attnc_tensor tensor = {};

  TestTensor(void *data, std::vector<int64_t> shape, uint8_t code = 2,
             uint8_t bits = 32)
      : shape(std::move(shape)) {
    tensor.data = data;
    tensor.device.type = 1;
    tensor.dtype = {code, bits, 1};
  }
  const attnc_tensor *get() {
    tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.shape = shape.data();
    tensor.strides = strides.empty() ? nullptr : strides.data();
    return &tensor;
  }
};

/// What the copying kernel saw.
struct Seen {
  std::vector<int64_t> sizes;
  bool hasLse = false;
  unsigned tasks = 0;
};
Seen &seen();

/// One task per batch and head; no scratch.
const TestKernel &copyKernel();

using TensorEntry = attnc_status(const attnc_tensor *, const attnc_tensor *,
                                 const attnc_tensor *, const attnc_tensor *,
                                 const attnc_tensor *, const attnc_tensor *,
                                 const attnc_runtime *);

/// withDocuments() with 2 heads of 4, batch 1, query_len 3, kv_len 5.
class CallTest : public testing::TestWithParam<EntryKind> {
protected:
  static Interface interface();

  CallTest();
  /// Runs the call; `text` gets the reported sentence.
  attnc_status call();
  /// Expects a status and its sentence.
  void expectRefused(attnc_status status, const std::string &sentence);
  void expectOk();
  /// Whether O holds Q, by their shapes and strides.
  bool isCopied();

  std::vector<float> q, k, v, o, lseData;
  std::vector<int32_t> documents;
  TestTensor Q, K, V, doc, O, lse;
  bool passLse = true;
  attnc_runtime runtime = {};
  std::string text;
  Compiled *compiled;
};

} // namespace attnc

#endif // ATTNC_TEST_UNIT_EMIT_CALL_H
