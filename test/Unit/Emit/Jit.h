//===- Jit.h - Functions with kernels written in C++ ------------*- C++ -*-===//
//
// The tests of the entry need kernels that record what they are given. Here
// they are plain functions of the test: the module's kernels jump to their
// addresses, so everything between the C signature and the kernel is the real
// thing. It runs twice: as the object that Emit writes, and with the entry
// compiled as ordinary C with sanitizers in place of the embedded assembly.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TEST_UNIT_EMIT_JIT_H
#define ATTNC_TEST_UNIT_EMIT_JIT_H

#include "attnc/Emit/Object.h"

#include "Abi/entry.h"

#include <memory>
#include <string>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace attnc {

struct TestGrid {
  int64_t (*tasks)(const attnc_call *call);
  void (*body)(const attnc_call *call, void *scratch, int64_t task);
  int64_t (*units)(const attnc_call *call) = nullptr;
};

struct TestKernel {
  std::vector<TestGrid> grids;
  int64_t (*scratch)(const attnc_call *call);
  int64_t (*workspace)(const attnc_call *call);
  /// Those of the function's cases; this one is for all other sizes.
  std::vector<TestKernel> cases = {};
  /// Of a part with memory of its own.
  const attnc_device *device = nullptr;
  /// What each worker calls.
  void (*begin)(void *scratch) = nullptr;
  void (*end)() = nullptr;
};

/// The textual module whose functions call the addresses in `kernel`; `suffix`
/// names one of several micro-architectures.
std::string kernelModule(llvm::StringRef name, const TestKernel &kernel,
                         llvm::StringRef suffix = "");

/// x86-64 without any extension.
CodegenTarget baselineTarget();

/// The only part of an object.
std::vector<Part> onePart(std::unique_ptr<llvm::Module> kernels,
                          const CodegenTarget &target);

/// What runs behind the C signature.
enum class EntryKind { Object, SanitizedC };

/// One function, compiled and loaded; lives as long as it is called.
class Compiled {
public:
  Compiled(const Interface &function, const TestKernel &kernel, EntryKind kind,
           const CodegenTarget &target = baselineTarget());
  /// Several kernels, best first, each with the features that it needs and,
  /// after a '|', those that make it the last choice; behind the sanitized
  /// entry.
  Compiled(const Interface &function,
           const std::vector<std::pair<TestKernel, std::string>> &variants);
  ~Compiled();

  /// NAME + suffix as a function pointer.
  template <typename Type> Type *get(llvm::StringRef suffix = "") {
    return reinterpret_cast<Type *>(address(suffix));
  }

private:
  void loadWithSanitizedEntry(const Interface &function,
                              const std::string &module,
                              llvm::ArrayRef<std::string> needs,
                              const std::string &label);
  uint64_t address(llvm::StringRef suffix);

  std::string name;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace attnc

#endif // ATTNC_TEST_UNIT_EMIT_JIT_H
