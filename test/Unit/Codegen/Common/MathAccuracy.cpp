//===- MathAccuracy.cpp - Measure the elementwise functions ---------------===//
//
// Prints the table of docs/math-accuracy.md: for each function the largest
// error in f32 over every argument (or every n-th), and its cost.
//
// usage: attnc-math-accuracy LEVEL STRIDE [FUNCTION...]
//   LEVEL   x86-64, x86-64-v3 or x86-64-v4
//   STRIDE  1: all 2^32 floats, about a minute for each function; a power of
//           two leaves out the low bits, so take 257 for a quick look
//
//===----------------------------------------------------------------------===//

#include "MathJit.h"

#include "llvm/Support/Format.h"

#include <chrono>

using namespace attnc::test;

/// Nanoseconds for `lanes` elements, arrays in the first-level cache.
template <typename T>
static double timeFor(const MathKernel &kernel, unsigned lanes) {
  constexpr int64_t count = 1024;
  alignas(64) static T in[count], out[count];
  for (int64_t i = 0; i < count; ++i)
    in[i] = static_cast<T>((i % 2 ? 1.0 : -1.0) * (0.1 + i % 400 * 0.01));
  double best = 1e30;
  for (int repetition = 0; repetition < 200; ++repetition) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 50; ++i)
      kernel.run(in, out, count);
    std::chrono::duration<double, std::nano> time =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() * lanes / (50.0 * count));
  }
  return best;
}

static int report(const MathLevel &level, const MathReference &reference,
                  bool f64, uint64_t stride) {
  unsigned lanes = level.bits / (f64 ? 64 : 32);
  auto kernel =
      MathKernel::compile(reference.op, f64 ? "f64" : "f32", lanes, level);
  if (!kernel) {
    llvm::logAllUnhandledErrors(kernel.takeError(), llvm::errs());
    return 1;
  }
  MathError error =
      f64 ? measureF64(**kernel, reference, (uint64_t(1) << 32) / stride)
          : measureF32(**kernel, reference, stride);
  unsigned per = f64 ? 8 : 16;
  llvm::outs() << "| " << reference.op << " | " << (f64 ? "f64" : "f32")
               << " | " << llvm::format("%.2f", error.ulp) << " | "
               << llvm::format("%.9g", error.argument) << " | "
               << (*kernel)->instructions() << " | "
               << llvm::format("%.2f", f64 ? timeFor<double>(**kernel, per)
                                           : timeFor<float>(**kernel, per))
               << " |\n";
  llvm::outs().flush();
  return 0;
}

int main(int argc, char **argv) {
  uint64_t stride = 0;
  if (argc < 3 || llvm::StringRef(argv[2]).getAsInteger(10, stride) ||
      stride == 0) {
    llvm::errs() << "usage: attnc-math-accuracy LEVEL STRIDE [FUNCTION...]\n";
    return 2;
  }
  for (const MathLevel &level : runnableLevels()) {
    if (level.name != argv[1])
      continue;
    llvm::outs() << "| function | type | max ulp | at | instructions | "
                    "ns per 16 (f64: 8) |\n|---|---|---|---|---|---|\n";
    int failures = 0;
    for (const MathReference &reference : mathReferences()) {
      llvm::ArrayRef<char *> names(argv + 3, argv + argc);
      if (!names.empty() && !llvm::is_contained(names, reference.op))
        continue;
      failures += report(level, reference, false, stride);
      failures +=
          report(level, reference, true, std::max<uint64_t>(stride, 64));
    }
    return failures ? 1 : 0;
  }
  llvm::errs() << "attnc-math-accuracy: this machine cannot run '" << argv[1]
               << "'\n";
  return 2;
}
