//===- RunThreads.h - The threads of the calls of attnc-run -----*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_RUN_RUNTHREADS_H
#define ATTNC_LIB_DRIVER_RUN_RUNTHREADS_H

#include "Compile/Session.h"

#include "attnc_threads.h"

namespace attnc {

class RunThreads {
public:
  RunThreads() = default;
  RunThreads(const RunThreads &) = delete;
  RunThreads &operator=(const RunThreads &) = delete;
  ~RunThreads() { attnc_threads_destroy(pool); }

  /// False after an error, which `session` printed.
  bool start(int64_t count, Session &session) {
    runtime.size = sizeof runtime;
    runtime.threads = 1;
    if (count == 1)
      return true;
    pool = attnc_threads_create(static_cast<int32_t>(count));
    if (!pool)
      return session.fail("cannot start " + llvm::Twine(count) + " threads");
    attnc_threads_use(pool, &runtime);
    return true;
  }

  attnc_runtime runtime = {};

private:
  attnc_threads *pool = nullptr;
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_RUNTHREADS_H
