//===- RunTest.cpp - Tests of memory, workers and arithmetic state --------===//
//
// The function reverses a vector through the shared workspace: the second grid
// is right only if all of the first is done.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <pmmintrin.h>

#include <atomic>
#include <cfenv>
#include <cstring>
#include <mutex>
#include <thread>

using namespace attnc;

namespace {

constexpr unsigned kFlushBits = 0x8040; // FTZ, DAZ
constexpr int64_t kScratch = 100;

std::atomic<bool> flushedInBody{true}, flushedInCallback{false};
std::atomic<bool> scratchIsAligned{true};
std::vector<int64_t> *order = nullptr; // of the tasks of the second grid

int64_t tasks(const attnc_call *call) { return call->sizes[0]; }
int64_t scratch(const attnc_call *) { return kScratch; }
int64_t workspace(const attnc_call *call) { return 4 * call->sizes[0]; }

void touchScratch(void *memory, int64_t task) {
  if (reinterpret_cast<uintptr_t>(memory) % 64)
    scratchIsAligned = false;
  // A neighbour's scratch would be overwritten here, or a race be seen.
  std::memset(memory, static_cast<int>(task), kScratch);
}

void stage(const attnc_call *call, void *memory, int64_t task) {
  if ((_mm_getcsr() & kFlushBits) != kFlushBits)
    flushedInBody = false;
  touchScratch(memory, task);
  static_cast<float *>(call->workspace)[task] =
      static_cast<const float *>(call->data[0])[task * call->strides[0][0]];
}

void reverse(const attnc_call *call, void *memory, int64_t task) {
  touchScratch(memory, task);
  if (order)
    order->push_back(task);
  static_cast<float *>(call->data[1])[task * call->strides[1][0]] =
      static_cast<float *>(call->workspace)[call->sizes[0] - 1 - task];
}

Interface reverser(DType dtype = DType::F32) {
  Interface f;
  f.name = "reverse";
  f.title = "a reversed vector";
  f.sizes = {{"n", {}}};
  InterfaceTensor in, out;
  in.name = "Q";
  in.role = TensorRole::Query;
  in.dtype = out.dtype = dtype;
  in.axes = out.axes = {SizeExpr::size("n")};
  out.name = "O";
  out.role = TensorRole::Output;
  f.tensors = {in, out};
  return f;
}

using Entry = attnc_status(const attnc_tensor *, const attnc_tensor *,
                           const attnc_runtime *);
using Body = void(void *, int64_t);

class RunTest : public testing::TestWithParam<EntryKind> {
public:
  RunTest()
      : RunTest({{{tasks, stage}, {tasks, reverse}}, scratch, workspace}) {}
  explicit RunTest(TestKernel kernel)
      : compiled(reverser(), std::move(kernel), GetParam()), in(64), out(64),
        Q(in.data(), {64}), O(out.data(), {64}) {
    for (size_t i = 0; i < in.size(); ++i)
      in[i] = static_cast<float>(i);
    runtime.size = sizeof runtime;
    runtime.user = this;
    runtime.report = [](void *user, attnc_status, const char *sentence) {
      static_cast<RunTest *>(user)->noteCallback();
      static_cast<RunTest *>(user)->text = sentence;
    };
    flushedInBody = scratchIsAligned = true;
    flushedInCallback = false;
  }
  void noteCallback() {
    if (_mm_getcsr() & kFlushBits)
      flushedInCallback = true;
  }
  attnc_status call() {
    std::fill(out.begin(), out.end(), -1.0f);
    text.clear();
    return compiled.get<Entry>()(Q.get(), O.get(), &runtime);
  }
  bool isReversed() { return std::equal(in.begin(), in.end(), out.rbegin()); }
  size_t bytes(int64_t n, int32_t threads) {
    return compiled.get<size_t(int64_t, int32_t)>("_workspace")(n, threads);
  }
  void useThreads(int32_t threads) {
    runtime.threads = threads;
    runtime.parallel_for = [](void *user, int64_t count, Body *body,
                              void *context) -> attnc_status {
      static_cast<RunTest *>(user)->noteCallback();
      static_cast<RunTest *>(user)->workers = count;
      std::vector<std::thread> pool;
      for (int64_t task = 0; task < count; ++task)
        pool.emplace_back(body, context, task);
      for (std::thread &thread : pool)
        thread.join();
      return ATTNC_OK;
    };
  }
  /// A pool of one thread that runs the workers one after the other.
  void useOneThreadBackwards(int32_t threads) {
    useThreads(threads);
    runtime.parallel_for = [](void *, int64_t count, Body *body,
                              void *context) -> attnc_status {
      while (count > 0)
        body(context, --count);
      return ATTNC_OK;
    };
  }

  Compiled compiled;
  std::vector<float> in, out;
  TestTensor Q, O;
  attnc_runtime runtime = {};
  std::string text;
  int64_t workers = 0;
  std::vector<size_t> allocated;
  unsigned released = 0;
};

TEST_P(RunTest, RunsGridsInOrderOnOneThread) {
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_TRUE(isReversed());
  EXPECT_TRUE(scratchIsAligned);
}

TEST_P(RunTest, RunsOnWorkersWithABarrierBetweenGrids) {
  for (int32_t threads : {2, 3, 8}) {
    useThreads(threads);
    EXPECT_EQ(call(), ATTNC_OK) << text;
    EXPECT_EQ(workers, threads);
    EXPECT_TRUE(isReversed());
  }
}

TEST_P(RunTest, NeverHasMoreWorkersThanTasks) {
  useThreads(1000);
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_EQ(workers, 64);
}

TEST_P(RunTest, DoesNotDependOnTheOrderOfAPool) {
  useOneThreadBackwards(4);
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_TRUE(isReversed());
}

// Neighbors share keys and values: they stay with one worker while it can.
TEST_P(RunTest, GivesAWorkerItsShareThenThoseOfOthers) {
  useThreads(4);
  runtime.parallel_for = [](void *, int64_t, Body *body,
                            void *context) -> attnc_status {
    body(context, 2);
    return ATTNC_OK;
  };
  std::vector<int64_t> tasksInOrder, expected;
  order = &tasksInOrder;
  EXPECT_EQ(call(), ATTNC_OK) << text;
  order = nullptr;
  for (int64_t task = 32; task < 48; ++task)
    expected.push_back(task);
  for (int64_t first : {48, 0, 16})
    for (int64_t task = first; task < first + 16; ++task)
      expected.push_back(task);
  EXPECT_EQ(tasksInOrder, expected);
}

TEST_P(RunTest, BalancesMoreWorkersThanShares) {
  useThreads(1000);
  in.resize(200);
  out.resize(200);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i);
  Q = TestTensor(in.data(), {200});
  O = TestTensor(out.data(), {200});
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_EQ(workers, 200);
  EXPECT_TRUE(isReversed());
}

//===----------------------------------------------------------------------===//
// Joined grids
//===----------------------------------------------------------------------===//

/// Tasks of a joined grid, as (grid, task).
using Ran = std::pair<int, int64_t>;
std::mutex sequenceMutex;
std::vector<Ran> sequence;
std::atomic<int64_t> staged[64]; // tasks of the first grid in each unit

void note(int grid, int64_t task) {
  std::lock_guard<std::mutex> lock(sequenceMutex);
  sequence.push_back({grid, task});
}

/// Half as many tasks as the first grid.
int64_t halfTasks(const attnc_call *call) { return call->sizes[0] / 2; }
/// Units of 4 tasks of the first grid and 2 of the second one.
int64_t quarter(const attnc_call *call) { return call->sizes[0] / 4; }

void stageUnit(const attnc_call *call, void *memory, int64_t task) {
  note(0, task);
  stage(call, memory, task);
  staged[task / 4] += 1;
}

/// Reads two elements of its unit, which must have been stored.
void copyUnit(const attnc_call *call, void *memory, int64_t task) {
  note(1, task);
  touchScratch(memory, task);
  bool isReady = staged[task / 2] == 4;
  for (int64_t i = 2 * task; i < 2 * task + 2; ++i)
    static_cast<float *>(call->data[1])[i * call->strides[1][0]] =
        isReady ? static_cast<float *>(call->workspace)[i] : -2.0f;
}

class JoinedTest : public RunTest {
public:
  JoinedTest()
      : RunTest({{{tasks, stageUnit}, {halfTasks, copyUnit, quarter}},
                 scratch,
                 workspace}) {}
  attnc_status callJoined() {
    sequence.clear();
    for (auto &count : staged)
      count = 0;
    return call();
  }
  bool isCopied() { return in == out; }
};

TEST_P(JoinedTest, RunsUnitByUnitOnOneThread) {
  EXPECT_EQ(callJoined(), ATTNC_OK) << text;
  EXPECT_TRUE(isCopied());
  std::vector<Ran> expected;
  for (int64_t unit = 0; unit < 16; ++unit) {
    for (int64_t i = 0; i < 4; ++i)
      expected.push_back({0, 4 * unit + i});
    for (int64_t i = 0; i < 2; ++i)
      expected.push_back({1, 2 * unit + i});
  }
  EXPECT_EQ(sequence, expected);
}

// Two and three workers have four units or more each, others wait between
// grids.
TEST_P(JoinedTest, StoresAUnitBeforeItIsReadOnWorkers) {
  for (int32_t threads : {2, 3, 8, 40}) {
    useThreads(threads);
    for (int round = 0; round < 20; ++round) {
      EXPECT_EQ(callJoined(), ATTNC_OK) << text;
      EXPECT_TRUE(isCopied());
      EXPECT_EQ(sequence.size(), 96u);
    }
  }
}

TEST_P(JoinedTest, RunsUnderAPoolOfOneThread) {
  useOneThreadBackwards(4);
  EXPECT_EQ(callJoined(), ATTNC_OK) << text;
  EXPECT_TRUE(isCopied());
  EXPECT_EQ(sequence.front(), Ran(0, 48)); // the share of the last worker
}

//===----------------------------------------------------------------------===//
// Registers that all tasks need
//===----------------------------------------------------------------------===//

thread_local bool isConfigured = false;
std::atomic<int> configurations{0}, missing{0};

void configure(void *memory) {
  missing += isConfigured;
  std::memset(memory, 1, kScratch);
  isConfigured = true;
  ++configurations;
}

void release() {
  missing += !isConfigured;
  isConfigured = false;
}

void stageConfigured(const attnc_call *call, void *memory, int64_t task) {
  missing += !isConfigured;
  stage(call, memory, task);
}

class BeginTest : public RunTest {
public:
  BeginTest()
      : RunTest({.grids = {{tasks, stageConfigured}, {tasks, reverse}},
                 .scratch = scratch,
                 .workspace = workspace,
                 .begin = configure,
                 .end = release}) {
    configurations = missing = 0;
  }
};

TEST_P(BeginTest, BeginsAndEndsEachGridOnOneThread) {
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_TRUE(isReversed());
  EXPECT_EQ(configurations, 2);
  EXPECT_EQ(missing, 0);
  EXPECT_FALSE(isConfigured);
}

TEST_P(BeginTest, BeginsAndEndsOnEachWorker) {
  useThreads(3);
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_TRUE(isReversed());
  EXPECT_EQ(configurations, 2 * 3);
  EXPECT_EQ(missing, 0);
}

TEST_P(RunTest, HandsOnTheStatusOfAPool) {
  useThreads(4);
  runtime.parallel_for = [](void *, int64_t, Body *, void *) -> attnc_status {
    return ATTNC_NO_MEMORY;
  };
  EXPECT_EQ(call(), ATTNC_NO_MEMORY);
  EXPECT_EQ(text, "runtime: parallel_for failed");
}

TEST_P(RunTest, NoticesAPoolThatDoesNotRunTheTasks) {
  useThreads(4);
  runtime.parallel_for = [](void *, int64_t, Body *, void *) -> attnc_status {
    return ATTNC_OK;
  };
  EXPECT_EQ(call(), ATTNC_DEVICE_FAILED);
  EXPECT_EQ(text, "runtime: parallel_for returned before all tasks ran");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_P(RunTest, TellsTheBytesOfAWorkspace) {
  EXPECT_EQ(bytes(64, 1), 4u * 64 + 128);
  EXPECT_EQ(bytes(65, 1), 320u + 128); // each part rounded up to 64
  // A page behind each part, so that no worker prefetches lines of another.
  EXPECT_EQ(bytes(65, 3), 320u + 3 * 128 + 4 * 4096);
  EXPECT_EQ(bytes(64, 0), bytes(64, 1));
  EXPECT_EQ(bytes(-1, 1), 0u);
  EXPECT_EQ(bytes(std::numeric_limits<int64_t>::max() / 4, 1), 0u);
}

TEST_P(RunTest, UsesTheWorkspaceOfTheCaller) {
  alignas(64) char memory[1024];
  runtime.workspace = memory;
  runtime.workspace_bytes = bytes(64, 1);
  runtime.allocate = [](void *, size_t, size_t) -> void * { abort(); };
  runtime.release = [](void *, void *) { abort(); };
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_TRUE(isReversed());
}

TEST_P(RunTest, RefusesAWorkspaceThatIsTooSmallOrNotAligned) {
  alignas(64) char memory[1024];
  runtime.workspace = memory;
  runtime.workspace_bytes = bytes(64, 1) - 1;
  EXPECT_EQ(call(), ATTNC_NO_MEMORY);
  EXPECT_EQ(text, "runtime: the workspace is too small, this call needs 384 "
                  "bytes");
  runtime.workspace = memory + 8;
  runtime.workspace_bytes = sizeof memory - 8;
  EXPECT_EQ(call(), ATTNC_BAD_POINTER);
  EXPECT_EQ(text, "runtime: the workspace is not aligned to 64 bytes");
}

TEST_P(RunTest, UsesTheAllocatorOfTheCaller) {
  useThreads(2);
  runtime.allocate = [](void *user, size_t size, size_t alignment) -> void * {
    auto *self = static_cast<RunTest *>(user);
    self->noteCallback();
    EXPECT_EQ(alignment, 64u);
    self->allocated.push_back(size);
    return std::aligned_alloc(64, size);
  };
  runtime.release = [](void *user, void *block) {
    static_cast<RunTest *>(user)->noteCallback();
    ++static_cast<RunTest *>(user)->released;
    std::free(block);
  };
  EXPECT_EQ(call(), ATTNC_OK) << text;
  EXPECT_EQ(allocated, (std::vector<size_t>{bytes(64, 2)}));
  EXPECT_EQ(released, 1u);
}

TEST_P(RunTest, SaysWhenThereIsNoMemory) {
  runtime.allocate = [](void *, size_t, size_t) -> void * { return nullptr; };
  runtime.release = [](void *, void *) { abort(); };
  EXPECT_EQ(call(), ATTNC_NO_MEMORY);
  EXPECT_EQ(text, "cannot allocate a workspace of 384 bytes");
}

TEST_P(RunTest, ReturnsAMisalignedBlockAndRefuses) {
  alignas(64) static char memory[1024];
  runtime.allocate = [](void *, size_t, size_t) -> void * {
    return memory + 4;
  };
  runtime.release = [](void *user, void *block) {
    EXPECT_EQ(block, memory + 4);
    ++static_cast<RunTest *>(user)->released;
  };
  EXPECT_EQ(call(), ATTNC_BAD_POINTER);
  EXPECT_EQ(released, 1u);
}

//===----------------------------------------------------------------------===//
// Arithmetic state
//===----------------------------------------------------------------------===//

TEST_P(RunTest, FlushesSubnormalsInKernelsOnly) {
  useThreads(3);
  unsigned before = _mm_getcsr();
  EXPECT_EQ(call(), ATTNC_OK);
  EXPECT_TRUE(flushedInBody);
  EXPECT_FALSE(flushedInCallback);
  EXPECT_EQ(_mm_getcsr(), before);
}

TEST_P(RunTest, LeavesTheRoundingOfTheCallerAlone) {
  fesetround(FE_UPWARD);
  EXPECT_EQ(call(), ATTNC_OK);
  int rounding = fegetround();
  fesetround(FE_TONEAREST);
  EXPECT_EQ(rounding, FE_UPWARD);
}

TEST(RunDoubleTest, KeepsSubnormalsOfDoubles) {
  static std::atomic<unsigned> state;
  TestKernel kernel = {{{tasks, [](const attnc_call *, void *,
                                   int64_t) { state = _mm_getcsr(); }}},
                       [](const attnc_call *) -> int64_t { return 0; },
                       [](const attnc_call *) -> int64_t { return 0; }};
  Compiled compiled(reverser(DType::F64), kernel, EntryKind::Object);
  double in[2] = {}, out[2] = {};
  TestTensor Q(in, {2}, 2, 64), O(out, {2}, 2, 64);
  EXPECT_EQ(compiled.get<Entry>()(Q.get(), O.get(), nullptr), ATTNC_OK);
  EXPECT_EQ(state & kFlushBits, 0u);
}

//===----------------------------------------------------------------------===//
// Processor
//===----------------------------------------------------------------------===//

TEST_P(RunTest, RefusesAProcessorThatLacksAFeature) {
  CodegenTarget target = baselineTarget();
  target.requiredFeatures = "avxneconvert avxifma amx-fp16"; // on none so far
  target.label = "some later level";
  Compiled none(reverser(), {{{tasks, stage}}, scratch, workspace}, GetParam(),
                target);
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(none.get<Entry>()(Q.get(), O.get(), &runtime), ATTNC_NO_TARGET);
    EXPECT_EQ(
        text,
        "this processor supports none of the parts of this object: some later "
        "level");
  }
  EXPECT_EQ((none.get<size_t(int64_t, int32_t)>("_workspace")(64, 1)), 0u);
}

// Which of three kernels ran.
int ran = 0;
template <int number> TestKernel numbered() {
  return {{{tasks, [](const attnc_call *, void *, int64_t) { ran = number; }}},
          [](const attnc_call *) -> int64_t { return 64 * number; },
          [](const attnc_call *) -> int64_t { return 0; }};
}

TEST(DispatchTest, TakesTheFirstKernelThatTheProcessorRuns) {
  Compiled several(reverser(), {{numbered<1>(), "avxneconvert amx-fp16"},
                                {numbered<2>(), "sse2"},
                                {numbered<3>(), ""}});
  float in[2] = {}, out[2] = {};
  TestTensor Q(in, {2}), O(out, {2});
  EXPECT_EQ(several.get<Entry>()(Q.get(), O.get(), nullptr), ATTNC_OK);
  EXPECT_EQ(ran, 2);
  // Enough for each kernel that the processor runs.
  EXPECT_EQ((several.get<size_t(int64_t, int32_t)>("_workspace")(2, 1)), 192u);
}

// n <= 4, 16 <= n, and the rest.
class CasesTest : public testing::TestWithParam<EntryKind> {
protected:
  static Interface function() {
    Interface f = reverser();
    SizeExpr n = SizeExpr::size("n");
    f.cases = {{n, SizeExpr::constant(4)}, {SizeExpr::constant(16), n}};
    return f;
  }
  static TestKernel kernel() {
    TestKernel rest = numbered<3>();
    rest.cases = {numbered<1>(), numbered<2>()};
    return rest;
  }
  int numberAt(int64_t n) {
    std::vector<float> in(n), out(n);
    TestTensor Q(in.data(), {n}), O(out.data(), {n});
    EXPECT_EQ(compiled.get<Entry>()(Q.get(), O.get(), nullptr), ATTNC_OK);
    return ran;
  }
  size_t bytes(int64_t n) {
    return compiled.get<size_t(int64_t, int32_t)>("_workspace")(n, 1);
  }

  Compiled compiled{function(), kernel(), GetParam()};
};

TEST_P(CasesTest, RunsTheFirstCaseThatHolds) {
  EXPECT_EQ(numberAt(4), 1);
  EXPECT_EQ(numberAt(5), 3);
  EXPECT_EQ(numberAt(15), 3);
  EXPECT_EQ(numberAt(16), 2);
}

TEST_P(CasesTest, AsksForTheMemoryOfTheCase) {
  EXPECT_EQ(bytes(4), 64u);
  EXPECT_EQ(bytes(8), 192u);
  EXPECT_EQ(bytes(20), 128u);
}

TEST(DispatchTest, TellsCasesOfOneProcessorFromThoseOfAnother) {
  Interface f = reverser();
  f.cases = {{SizeExpr::size("n"), SizeExpr::constant(4)}};
  TestKernel later = numbered<2>(), now = numbered<4>();
  later.cases = {numbered<1>()};
  now.cases = {numbered<3>()};
  Compiled several(f, {{later, "avxneconvert amx-fp16"}, {now, "sse2"}});
  float in[8] = {}, out[8] = {};
  TestTensor few(in, {2}), fewOut(out, {2}), many(in, {8}), manyOut(out, {8});
  several.get<Entry>()(few.get(), fewOut.get(), nullptr);
  EXPECT_EQ(ran, 3);
  several.get<Entry>()(many.get(), manyOut.get(), nullptr);
  EXPECT_EQ(ran, 4);
}

INSTANTIATE_TEST_SUITE_P(, CasesTest,
                         testing::Values(EntryKind::Object,
                                         EntryKind::SanitizedC));
INSTANTIATE_TEST_SUITE_P(, RunTest,
                         testing::Values(EntryKind::Object,
                                         EntryKind::SanitizedC));
INSTANTIATE_TEST_SUITE_P(, BeginTest,
                         testing::Values(EntryKind::Object,
                                         EntryKind::SanitizedC));
INSTANTIATE_TEST_SUITE_P(, JoinedTest,
                         testing::Values(EntryKind::Object,
                                         EntryKind::SanitizedC));

} // namespace
