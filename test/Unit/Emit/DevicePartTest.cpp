//===- DevicePartTest.cpp - Tests of parts with memory of their own -------===//
//
// A function with parts for two made-up devices and one for the host, and one
// without the latter: which part a call takes by the memory of its tensors,
// what a device is asked, in which order, and what it reports.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <cstdlib>
#include <cstring>

using namespace attnc;

namespace {

/// What the devices were asked, in order.
std::string trace;
/// The failure of a function, or ATTNC_OK.
attnc_status openFails, beginFails, bodyFails, endFails;
attnc_device_call seenCall;
void *seenWorkspace, *seenData;
attnc_span seenSpans[ATTNC_MAX_TENSORS];
/// Of the last tensor: its shape and strides.
std::vector<int64_t> seenNumbers;

int32_t failWith(attnc_failure *failure, attnc_status status,
                 const char *text) {
  if (status == ATTNC_OK)
    return 1;
  failure->status = status;
  std::strcpy(failure->text, text);
  return 0;
}

template <int number>
int32_t open(attnc_device_call *call, attnc_failure *failure) {
  trace += "open" + std::to_string(number) + " ";
  seenCall = *call;
  return failWith(failure, number == 1 ? openFails : ATTNC_OK,
                  "made-up: no device");
}

int32_t read(attnc_device_call *, void *to, const void *from, int64_t offset,
             int64_t bytes, attnc_failure *) {
  trace += "read ";
  std::memcpy(to, static_cast<const char *>(from) + offset, size_t(bytes));
  return 1;
}

int32_t begin(attnc_call *call) {
  trace += "begin ";
  seenCall = *call->device;
  for (int32_t t = 0; t < seenCall.function->tensor_count; ++t)
    seenSpans[t] = seenCall.spans[t];
  return failWith(call->failure, beginFails, "made-up: no memory");
}

void end(attnc_call *call) {
  trace += "end ";
  if (call->failure->status == ATTNC_OK)
    failWith(call->failure, endFails, "made-up: no copy");
}

void close(attnc_device_call *) { trace += "close "; }

template <int number>
constexpr attnc_device device = {2, open<number>, read, begin, end, close};

void recordNumbers(const attnc_call &call) {
  const attnc_function &function = *call.device->function;
  int32_t last = function.tensor_count - 1, rank = function.tensors[last].rank;
  seenNumbers.clear();
  for (const int64_t *numbers : {call.shapes[last], call.strides[last]})
    seenNumbers.insert(seenNumbers.end(), numbers, numbers + rank);
}

template <int number> TestKernel kernel() {
  TestKernel made = {{{[](const attnc_call *) -> int64_t { return 1; },
                       [](const attnc_call *call, void *, int64_t) {
                         trace += "run" + std::to_string(number) + " ";
                         seenWorkspace = call->workspace;
                         seenData = call->data[0];
                         if (call->device)
                           recordNumbers(*call);
                         failWith(call->failure, bodyFails,
                                  "made-up: no launch");
                       }}},
                     [](const attnc_call *) -> int64_t { return 0; },
                     [](const attnc_call *) -> int64_t { return 192; }};
  if (number < 3)
    made.device = &device<number>;
  return made;
}

/// A part that takes handles.
constexpr attnc_device handles = {4, open<4>, read, begin, end, close};

TestKernel handleKernel() {
  TestKernel made = kernel<4>();
  made.device = &handles;
  return made;
}

Interface indices() {
  Interface f;
  f.name = "indices";
  f.title = "indices";
  f.sizes = {{"n", {}}};
  InterfaceTensor in, out;
  in.name = "Q";
  in.role = TensorRole::Input;
  in.dtype = DType::I32;
  in.range = {{SizeExpr::constant(0), SizeExpr::constant(9)}};
  in.axes = out.axes = {SizeExpr::size("n")};
  out.name = "O";
  out.role = TensorRole::Output;
  f.tensors = {in, out};
  return f;
}

/// indices() with an output that may be left out.
Interface optional() {
  Interface f = indices();
  InterfaceTensor lse = f.tensors.back();
  lse.name = "lse";
  lse.nullable = true;
  lse.axes.push_back(SizeExpr::constant(3));
  f.tensors.push_back(lse);
  return f;
}

/// Leaves bytes that are not zero on the stack, where the entry has its frame.
__attribute__((noinline)) void soilStack() {
  volatile char bytes[65536];
  for (volatile char &byte : bytes)
    byte = 0x55;
}

class DevicePartTest : public testing::Test {
protected:
  DevicePartTest() {
    openFails = beginFails = bodyFails = endFails = ATTNC_OK;
    runtime.size = sizeof runtime;
    runtime.user = &text;
    runtime.report = [](void *user, attnc_status, const char *sentence) {
      *static_cast<std::string *>(user) += sentence;
    };
    unsetenv("ATTNC_CPU");
  }
  ~DevicePartTest() override { unsetenv("ATTNC_CPU"); }

  attnc_status call(Compiled &object, int32_t type = 2, int32_t id = 0) {
    text.clear();
    trace.clear();
    TestTensor Q(in, {2}, 0), O(out, {2});
    Q.tensor.device = O.tensor.device = {type, id};
    if (otherType)
      O.tensor.device.type = otherType;
    using Entry = attnc_status(const attnc_tensor *, const attnc_tensor *,
                               const attnc_runtime *);
    return object.get<Entry>()(Q.get(), O.get(), &runtime);
  }

  Compiled mixed{indices(),
                 {{kernel<1>(), ""}, {kernel<2>(), ""}, {kernel<3>(), ""}}};
  Compiled devices{indices(), {{kernel<1>(), ""}, {kernel<2>(), ""}}};
  attnc_runtime runtime = {};
  std::string text;
  int32_t in[2] = {3, 4}, otherType = 0;
  float out[2] = {};
};

TEST_F(DevicePartTest, RunsOnTheHostIfTensorsAreThere) {
  EXPECT_EQ(call(mixed, 1), ATTNC_OK) << text;
  EXPECT_EQ(trace, "run3 ");
  EXPECT_EQ(call(mixed, 3), ATTNC_OK) << text; // pinned
  EXPECT_EQ(trace, "run3 ");
}

TEST_F(DevicePartTest, RunsOnTheDeviceIfTensorsAreThere) {
  EXPECT_EQ(call(mixed, 2, 5), ATTNC_OK) << text;
  EXPECT_EQ(trace, "open1 read begin run1 end close ");
  EXPECT_EQ(seenCall.ordinal, 5);
  EXPECT_TRUE(seenCall.is_on_device);
  EXPECT_EQ(seenCall.workspace_bytes, 192);
  EXPECT_EQ(call(mixed, 13), ATTNC_OK) << text; // managed
  EXPECT_EQ(trace, "open1 read begin run1 end close ");
}

TEST_F(DevicePartTest, CopiesTensorsOfTheHostIfNoPartRunsThere) {
  EXPECT_EQ(call(devices, 1), ATTNC_OK) << text;
  EXPECT_EQ(trace, "open1 begin run1 end close ");
  EXPECT_LT(seenCall.ordinal, 0);
  EXPECT_FALSE(seenCall.is_on_device);
}

TEST_F(DevicePartTest, TriesTheNextPartForAnotherProcessor) {
  openFails = ATTNC_NO_TARGET;
  EXPECT_EQ(call(mixed), ATTNC_OK) << text;
  EXPECT_EQ(trace, "open1 open2 read begin run2 end close ");
  EXPECT_EQ(text, "");
  runtime.cpu = "part0";
  EXPECT_EQ(call(mixed), ATTNC_NO_TARGET);
  EXPECT_EQ(text, "made-up: no device");
}

TEST_F(DevicePartTest, ReportsEachFailureOnceAndCleansUp) {
  openFails = ATTNC_DEVICE_FAILED;
  EXPECT_EQ(call(mixed), ATTNC_DEVICE_FAILED);
  EXPECT_EQ(trace + text, "open1 made-up: no device");
  openFails = ATTNC_OK;
  beginFails = ATTNC_NO_MEMORY;
  EXPECT_EQ(call(mixed), ATTNC_NO_MEMORY);
  EXPECT_EQ(trace + text, "open1 read begin end close made-up: no memory");
  beginFails = ATTNC_OK;
  bodyFails = ATTNC_DEVICE_FAILED;
  EXPECT_EQ(call(mixed), ATTNC_DEVICE_FAILED);
  EXPECT_EQ(trace + text, "open1 read begin run1 end close made-up: no launch");
  bodyFails = ATTNC_OK;
  endFails = ATTNC_DEVICE_FAILED;
  EXPECT_EQ(call(mixed), ATTNC_DEVICE_FAILED);
  EXPECT_EQ(trace + text, "open1 read begin run1 end close made-up: no copy");
}

TEST_F(DevicePartTest, ChecksTablesOnTheDevice) {
  in[1] = 10;
  EXPECT_EQ(call(mixed), ATTNC_BAD_VALUE);
  EXPECT_EQ(trace + text, "open1 read close Q[1] is 10, expected 0 .. 9");
}

TEST_F(DevicePartTest, PassesTheWorkspaceOfTheCaller) {
  alignas(64) char memory[192];
  runtime.workspace = memory;
  runtime.workspace_bytes = sizeof memory;
  EXPECT_EQ(call(mixed), ATTNC_OK) << text;
  EXPECT_EQ(seenWorkspace, memory);
  EXPECT_EQ(seenCall.workspace_bytes, 0);
  // It is memory of the host here.
  EXPECT_EQ(call(devices, 1), ATTNC_OK) << text;
  EXPECT_EQ(seenCall.workspace_bytes, 192);
}

// A kernel of a device gets all numbers as arguments.
TEST_F(DevicePartTest, ZeroesTheNumbersOfAnAbsentTensor) {
  Compiled object(optional(), {{kernel<1>(), ""}, {kernel<2>(), ""}});
  TestTensor Q(in, {2}, 0), O(out, {2});
  Q.tensor.device = O.tensor.device = {2, 0};
  using Entry = attnc_status(const attnc_tensor *, const attnc_tensor *,
                             const attnc_tensor *, const attnc_runtime *);
  soilStack();
  EXPECT_EQ(object.get<Entry>()(Q.get(), O.get(), nullptr, &runtime), ATTNC_OK)
      << text;
  EXPECT_EQ(seenNumbers, std::vector<int64_t>(4, 0));
  struct {
    uint32_t size;
    int64_t n;
    const int32_t *Q;
    float *O, *lse;
    int64_t strides[4];
  } args = {sizeof args, 2, in, out, nullptr, {1, 1, 3, 1}};
  using Raw = attnc_status(const void *, const attnc_runtime *);
  seenNumbers.clear();
  soilStack();
  EXPECT_EQ(object.get<Raw>("_raw")(&args, &runtime), ATTNC_OK) << text;
  EXPECT_EQ(seenNumbers, std::vector<int64_t>(4, 0));
}

TEST_F(DevicePartTest, RefusesTensorsInSeveralMemories) {
  otherType = 1;
  EXPECT_EQ(call(mixed), ATTNC_BAD_DEVICE);
  EXPECT_EQ(text, "O: device type 1, id 0, but the tensors before it have type "
                  "2, id 0");
  otherType = 8;
  EXPECT_EQ(call(mixed), ATTNC_BAD_DEVICE);
  EXPECT_EQ(text, "O: device type 8, expected the CPU (1, or pinned 3, 11) or "
                  "CUDA (2, or managed 13)");
}

TEST_F(DevicePartTest, RefusesANamedPartThatDoesNotReachTheTensors) {
  runtime.cpu = "part2";
  EXPECT_EQ(call(mixed), ATTNC_BAD_DEVICE);
  EXPECT_EQ(text, "runtime: cpu: the part 'part2' runs on the CPU, but the "
                  "tensors have device type 2");
  runtime.cpu = nullptr;
  setenv("ATTNC_CPU", "part2", 1);
  EXPECT_EQ(call(mixed), ATTNC_BAD_DEVICE);
  EXPECT_EQ(text,
            "ATTNC_CPU: the part 'part2' runs on the CPU, but the tensors "
            "have device type 2");
}

// The data of a tensor is the handle of a buffer, here its address.
TEST_F(DevicePartTest, PassesHandlesAndOffsets) {
  Compiled object(indices(), {{kernel<1>(), ""}, {handleKernel(), ""}});
  int32_t buffer[64] = {}, other[64] = {};
  buffer[5] = 9;
  buffer[3] = 8;
  auto call = [&](void *output, uint64_t offset, int64_t stride) {
    TestTensor Q(buffer, {2}, 0), O(out, {2});
    Q.tensor.device = O.tensor.device = {4, 0};
    Q.tensor.byte_offset = 20;
    Q.strides = {stride};
    O.tensor.data = output;
    O.tensor.byte_offset = offset;
    text.clear();
    trace.clear();
    using Entry = attnc_status(const attnc_tensor *, const attnc_tensor *,
                               const attnc_runtime *);
    return object.get<Entry>()(Q.get(), O.get(), &runtime);
  };
  EXPECT_EQ(call(other, 20, -2), ATTNC_OK) << text;
  EXPECT_EQ(trace, "open4 read begin run4 end close ");
  EXPECT_EQ(seenData, buffer);
  EXPECT_EQ(seenSpans[0].low, 12u);
  EXPECT_EQ(seenSpans[0].first, 20u);
  EXPECT_EQ(seenSpans[0].high, 24u);
  EXPECT_EQ(seenSpans[1].first, 20u);
  EXPECT_EQ(seenCall.workspace_bytes, 192);
  EXPECT_EQ(call(buffer, 24, -2), ATTNC_OK) << text;
  EXPECT_EQ(call(buffer, 16, -2), ATTNC_BAD_POINTER);
  EXPECT_EQ(text, "O: overlaps Q");
  EXPECT_EQ(call(buffer, 24, -6), ATTNC_BAD_STRIDE);
  EXPECT_EQ(
      text,
      "Q: strides [-6] of shape [2] reach before the begin of the buffer");
  buffer[3] = 10;
  EXPECT_EQ(call(other, 20, -2), ATTNC_BAD_VALUE);
  EXPECT_EQ(text, "Q[1] is 10, expected 0 .. 9");
}

TEST_F(DevicePartTest, RefusesANamedPartOfAnotherDevice) {
  Compiled object(indices(), {{kernel<1>(), ""}, {handleKernel(), ""}});
  runtime.cpu = "part1";
  EXPECT_EQ(call(object), ATTNC_BAD_DEVICE);
  EXPECT_EQ(text, "runtime: cpu: the part 'part1' cannot access the tensors, "
                  "which have device type 2");
}

TEST_F(DevicePartTest, RunsANamedPartWithTensorsOfTheHost) {
  runtime.cpu = "part1";
  EXPECT_EQ(call(mixed, 1), ATTNC_OK) << text;
  EXPECT_EQ(trace, "open2 begin run2 end close ");
}

} // namespace
