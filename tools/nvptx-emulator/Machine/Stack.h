//===- Stack.h - The stack of a fiber -------------------------------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_STACK_H
#define ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_STACK_H

#include <csignal>
#include <cstddef>

namespace attnc::nvptx {

/// A stack with a page below it that no access may reach.
class Stack {
public:
  static constexpr size_t size = 1024 * 1024;

  Stack();
  ~Stack();
  Stack(const Stack &) = delete;
  char *begin() const { return memory + guardSize; }
  bool isGuard(const void *address) const;

private:
  static constexpr size_t guardSize = 64 * 1024;
  char *memory;
};

/// Calls `handler` for SIGSEGV on a stack of its own: fibers have no room for
/// a handler when their stacks overflow.
void handleFaults(void (*handler)(int, siginfo_t *, void *));

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_STACK_H
