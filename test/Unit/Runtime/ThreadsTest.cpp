//===- ThreadsTest.cpp - Tests of the pool of threads ---------------------===//

#include "attnc_threads.h"

#include "gtest/gtest.h"

#include <atomic>
#include <thread>
#include <vector>

namespace {

using Counters = std::vector<std::atomic<int>>;

void countTask(void *context, int64_t task) {
  ++(*static_cast<Counters *>(context))[static_cast<size_t>(task)];
}

/// Whether a loop of `tasks` runs each task once.
bool runsEachOnce(attnc_threads *pool, int64_t tasks) {
  Counters counters(static_cast<size_t>(tasks));
  if (attnc_threads_run(pool, tasks, countTask, &counters) != ATTNC_OK)
    return false;
  for (std::atomic<int> &counter : counters)
    if (counter != 1)
      return false;
  return true;
}

TEST(ThreadsTest, RunsEachTaskOnce) {
  for (int32_t threads : {1, 2, 3, 8}) {
    attnc_threads *pool = attnc_threads_create(threads);
    ASSERT_NE(pool, nullptr);
    EXPECT_EQ(attnc_threads_count(pool), threads);
    for (int64_t tasks : {0, 1, 2, 7, 1000})
      EXPECT_TRUE(runsEachOnce(pool, tasks)) << threads << " " << tasks;
    attnc_threads_destroy(pool);
  }
}

TEST(ThreadsTest, RunsWithoutAPool) {
  EXPECT_EQ(attnc_threads_count(nullptr), 1);
  EXPECT_TRUE(runsEachOnce(nullptr, 5));
  attnc_threads_destroy(nullptr);
}

TEST(ThreadsTest, CountsTheProcessors) {
  attnc_threads *pool = attnc_threads_create(0);
  EXPECT_GE(attnc_threads_count(pool), 1);
  attnc_threads_destroy(pool);
}

TEST(ThreadsTest, WaitsForTheLastTask) {
  attnc_threads *pool = attnc_threads_create(4);
  for (int again = 0; again < 200; ++again)
    ASSERT_TRUE(runsEachOnce(pool, 4));
  attnc_threads_destroy(pool);
}

TEST(ThreadsTest, WakesWorkersThatSleep) {
  attnc_threads *pool = attnc_threads_create(3);
  for (int again = 0; again < 3; ++again) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(runsEachOnce(pool, 3));
  }
  attnc_threads_destroy(pool);
}

TEST(ThreadsTest, ServesSeveralThreadsInTurn) {
  attnc_threads *pool = attnc_threads_create(3);
  std::atomic<int> right{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&] {
      for (int again = 0; again < 50; ++again)
        right += runsEachOnce(pool, 10);
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(right, 150);
  attnc_threads_destroy(pool);
}

TEST(ThreadsTest, FillsARuntime) {
  attnc_threads *pool = attnc_threads_create(2);
  attnc_runtime runtime = {};
  attnc_threads_use(pool, &runtime);
  EXPECT_EQ(runtime.threads, 2);
  Counters counters(9);
  EXPECT_EQ(runtime.parallel_for(runtime.user, 9, countTask, &counters),
            ATTNC_OK);
  for (std::atomic<int> &counter : counters)
    EXPECT_EQ(counter, 1);
  attnc_threads_destroy(pool);
}

} // namespace
