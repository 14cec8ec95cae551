//===- Stack.h - The stack of a fiber -------------------------------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_STACK_H
#define ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_STACK_H

#include "llvm/Support/ErrorHandling.h"

#include <csignal>
#include <cstddef>
#include <sys/mman.h>

namespace attnc::nvptx {

/// A stack with a page below it that no access may reach.
class Stack {
public:
  static constexpr size_t size = 1024 * 1024;

  Stack() {
    void *pages = mmap(nullptr, guardSize + size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages, guardSize, PROT_NONE) != 0)
      llvm::report_bad_alloc_error("no memory for the stack of a thread");
    memory = static_cast<char *>(pages);
  }
  ~Stack() { munmap(memory, guardSize + size); }
  Stack(const Stack &) = delete;
  char *begin() const { return memory + guardSize; }
  bool isGuard(const void *address) const {
    return address >= memory && address < memory + guardSize;
  }

private:
  static constexpr size_t guardSize = 64 * 1024;
  char *memory;
};

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_STACK_H
