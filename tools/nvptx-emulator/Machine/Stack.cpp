//===- Stack.cpp - The stack of a fiber -----------------------------------===//

#include "Stack.h"

#include "llvm/Support/ErrorHandling.h"

#include <sys/mman.h>

using namespace attnc::nvptx;

Stack::Stack() {
  void *pages = mmap(nullptr, guardSize + size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages, guardSize, PROT_NONE) != 0)
    llvm::report_bad_alloc_error("no memory for the stack of a thread");
  memory = static_cast<char *>(pages);
}

Stack::~Stack() { munmap(memory, guardSize + size); }

bool Stack::isGuard(const void *address) const {
  return address >= memory && address < memory + guardSize;
}

void attnc::nvptx::handleFaults(void (*handler)(int, siginfo_t *, void *)) {
  static char room[64 * 1024];
  stack_t alternative = {};
  alternative.ss_sp = room;
  alternative.ss_size = sizeof room;
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
}
