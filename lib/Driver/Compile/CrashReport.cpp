//===- CrashReport.cpp - What a crash leaves behind -----------------------===//

#include "Compile/CrashReport.h"

#include "Options/OptionTable.h"

#include "attnc/Support/Version.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstring>

namespace attnc {

/// False if that fails.
static bool write(llvm::raw_fd_ostream &os, llvm::StringRef text) {
  os << text;
  os.flush();
  bool isWritten = !os.has_error();
  os.clear_error();
  return isWritten;
}

/// "yaml", or "tile.mlir" for a dump whose name tells its stage.
static std::string suffixOf(llvm::StringRef input) {
  llvm::StringRef name = llvm::sys::path::filename(input);
  llvm::StringRef last = llvm::sys::path::extension(name);
  if (last == ".mlir" && stageOfName(input))
    last = name.take_back(
        last.size() +
        llvm::sys::path::extension(llvm::sys::path::stem(name)).size());
  return last.empty() ? "yaml" : last.drop_front().str();
}

/// A script with the same command on the copy of the input.
static std::string commandOn(const CrashReport &report, llvm::StringRef copy) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "#!/bin/sh\n# " << report.tool << ' ' << getVersion();
  if (llvm::StringRef commit = getCommit(); !commit.empty())
    os << " (commit " << commit << ')';
  os << '\n' << report.tool;
  for (const std::string &argument : report.arguments) {
    os << ' ';
    llvm::sys::printArg(os, argument == report.input ? copy : argument,
                        /*Quote=*/true);
  }
  os << '\n';
  return text;
}

/// Writes attnc-crash-XXXXXX.yaml and .sh to the directory of temporary files.
/// Their paths; none if they cannot be written.
static std::vector<std::string> writeFiles(const CrashReport &report) {
  llvm::SmallString<128> path;
  std::string suffix = suffixOf(report.input);
  int file = -1;
  if (llvm::sys::fs::createTemporaryFile("attnc-crash", suffix, file, path))
    return {};
  llvm::raw_fd_ostream input(file, /*shouldClose=*/true);
  std::string command = (path.str().drop_back(suffix.size() + 1) + ".sh").str();
  std::error_code code;
  llvm::raw_fd_ostream script(command, code, llvm::sys::fs::CD_CreateNew);
  if (code || !write(input, report.text) ||
      !write(script, commandOn(report, path)))
    return {};
  return {path.str().str(), std::move(command)};
}

static void tell(const CrashReport &report, int code) {
  std::string text = "internal error: exit code " + std::to_string(code);
  if (code > 128) // a signal's number, as a shell counts it
    text = (llvm::Twine("internal error: signal ") + llvm::Twine(code - 128) +
            " (" + strsignal(code - 128) + ")")
               .str();
  if (!report.pass.empty())
    text += " in pass '" + report.pass + "'";
  printError(report.tool, text);
  std::vector<std::string> files = writeFiles(report);
  llvm::errs() << "This is a bug in " << report.tool
               << ". Please report it with "
               << (files.empty() ? "the input and the command line; no copy of "
                                   "them could be written.\n"
                                 : "these files, which reproduce it:\n");
  for (const std::string &path : files)
    llvm::errs() << "  " << path << '\n';
}

/// The handlers of LLVM run on the stack that overflowed unless told otherwise.
static void handleOnOwnStack(llvm::MutableArrayRef<char> memory) {
  stack_t stack = {};
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  sigaltstack(&stack, nullptr);
  for (int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP}) {
    struct sigaction action;
    sigaction(signal, nullptr, &action);
    action.sa_flags |= SA_ONSTACK;
    sigaction(signal, &action, nullptr);
  }
}

int runWithCrashReport(const CrashReport &report,
                       llvm::function_ref<int()> compile) {
  static char memory[1 << 16];
  llvm::CrashRecoveryContext::Enable();
  llvm::scope_exit disable([] { llvm::CrashRecoveryContext::Disable(); });
  handleOnOwnStack(memory);
  llvm::CrashRecoveryContext context;
  int result = 1;
  if (context.RunSafely([&] { result = compile(); }))
    return result;
  tell(report, context.RetCode);
  return 1;
}

} // namespace attnc
