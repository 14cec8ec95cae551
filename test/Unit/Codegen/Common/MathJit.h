//===- MathJit.h - Elementwise functions, compiled in process -------------===//
//
// Compiles one math op by codegen-expand-math and LLVM, for any level that this
// machine can run, and measures its error. The code may refer to no symbol at
// all: a call of libm fails to link. Shared by the tests and by
// attnc-math-accuracy.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TEST_UNIT_CODEGEN_COMMON_MATHJIT_H
#define ATTNC_TEST_UNIT_CODEGEN_COMMON_MATHJIT_H

#include "attnc/Codegen/Common/Passes.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"

namespace attnc::test {

/// A CPU to compile for.
struct MathLevel {
  std::string name;
  std::string cpu;
  codegen::ExpandMathOptions options;
  unsigned bits; // of its widest vector
};

/// x86-64, -v3 and -v4, as far as this machine runs them.
std::vector<MathLevel> runnableLevels();

/// A compiled function, applied to arrays of float or double.
class MathKernel {
public:
  /// `op` without its dialect; no lanes for scalars; `attributes` such as
  /// "{a}".
  static llvm::Expected<std::unique_ptr<MathKernel>>
  compile(llvm::StringRef op, llvm::StringRef element, unsigned lanes,
          const MathLevel &level, llvm::StringRef attributes = "");

  /// `count` elements, a multiple of the lanes.
  void run(const void *in, void *out, int64_t count) const;

  /// Instructions of the function on one vector, without its return and the
  /// loads of constants, which leave a loop.
  unsigned instructions() const { return instructionCount; }

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
  void *entry = nullptr;
  unsigned instructionCount = 0;
};

/// The exact value of a function, for measuring f32 and f64.
struct MathReference {
  llvm::StringRef op;
  double (*f32)(double);
  long double (*f64)(long double);
};
llvm::ArrayRef<MathReference> mathReferences();
const MathReference &mathReference(llvm::StringRef op);

/// |result - exact| in units of the last place of `exact`; infinity where one
/// of both is NaN or the signs of zeros differ.
double ulpError(float result, double exact);
double ulpError(double result, long double exact);

/// The largest error and where it is.
struct MathError {
  double ulp = 0;
  double argument = 0;
};
/// Over the floats whose bits are first, first + stride, ... below 2^32.
MathError measureF32(const MathKernel &kernel, const MathReference &reference,
                     uint64_t stride, uint64_t first = 0);
/// Over `count` doubles, evenly spread over all representations.
MathError measureF64(const MathKernel &kernel, const MathReference &reference,
                     uint64_t count);

} // namespace attnc::test

#endif // ATTNC_TEST_UNIT_CODEGEN_COMMON_MATHJIT_H
