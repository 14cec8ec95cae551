//===- Link.cpp - Archives and shared libraries of one object -------------===//
//
// An archive is written in the process. A shared library needs the platform's
// start files and libc, and the C compiler driver knows where they are: attnc
// calls it, as other compilers without a linker of their own do.
// Tests: test/Tools/output-libraries.test
//
//===----------------------------------------------------------------------===//

#include "Compile/Link.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

namespace attnc {

llvm::Expected<std::string> makeArchive(llvm::StringRef object,
                                        llvm::StringRef member,
                                        const Platform &platform) {
  llvm::NewArchiveMember entry(llvm::MemoryBufferRef(object, member));
  entry.MemberName = member;
  llvm::Triple triple(platform.triple);
  auto archive = llvm::writeArchiveToBuffer(
      entry, llvm::SymtabWritingMode::NormalSymtab,
      triple.isOSDarwin()          ? llvm::object::Archive::K_DARWIN
      : triple.isOSBinFormatCOFF() ? llvm::object::Archive::K_COFF
                                   : llvm::object::Archive::K_GNU,
      /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    return archive.takeError();
  return (*archive)->getBuffer().str();
}

std::vector<std::string> linkerNames() {
  return {"cc", "clang", "gcc", "clang-" + std::to_string(LLVM_VERSION_MAJOR)};
}

llvm::Expected<std::string> findLinker(llvm::StringRef requested,
                                       const Platform &platform) {
  if (!llvm::Triple(platform.triple).isOSBinFormatELF())
    return llvm::createStringError(
        "attnc links shared libraries for Linux only; write an object or an "
        "archive (-o NAME.a) and link it with the tools of " +
        platform.triple);
  if (requested.empty() && !platform.isHost())
    requested = platform.linker;
  if (!requested.empty()) {
    if (auto path = llvm::sys::findProgramByName(requested))
      return *path;
    return llvm::createStringError("cannot find the linker '" + requested +
                                   "' for the shared library");
  }
  for (const std::string &name : linkerNames())
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  return llvm::createStringError(
      "linking a shared library requires a C compiler; found none of " +
      llvm::join(linkerNames(), ", ") +
      " in PATH; install one, use --linker=PROGRAM, or write an archive (-o "
      "NAME.a)");
}

llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    os << bytes;
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (!code)
    return llvm::Error::success();
  return llvm::createStringError("cannot write '" + path +
                                 "': " + code.message());
}

/// Runs the linker on files of `folder`; its own messages go to stderr.
static llvm::Error runLinker(llvm::StringRef linker, llvm::StringRef input,
                             llvm::StringRef output, llvm::StringRef name) {
  std::string soname = "-Wl,-soname," + name.str();
  llvm::StringRef arguments[] = {
      linker, "-shared", "-Wl,--no-undefined", soname, "-o", output, input};
  std::string reason;
  int status = llvm::sys::ExecuteAndWait(linker, arguments, std::nullopt, {}, 0,
                                         0, &reason);
  if (status == 0)
    return llvm::Error::success();
  if (reason.empty())
    reason = "exit code " + std::to_string(status);
  return llvm::createStringError("'" + linker + "' cannot link '" + name +
                                 "': " + reason);
}

llvm::Expected<std::string> linkShared(llvm::StringRef linker,
                                       llvm::StringRef object,
                                       llvm::StringRef name) {
  llvm::SmallString<128> folder;
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory("attnc", folder))
    return llvm::createStringError("cannot make a temporary directory: " +
                                   code.message());
  llvm::scope_exit remove([&] { llvm::sys::fs::remove_directories(folder); });
  llvm::SmallString<128> input(folder), output(folder);
  llvm::sys::path::append(input, "kernels.o");
  llvm::sys::path::append(output, "library.so");
  if (llvm::Error error = writeFile(input, object))
    return std::move(error);
  if (llvm::Error error = runLinker(linker, input, output, name))
    return std::move(error);
  auto library = llvm::MemoryBuffer::getFile(output);
  if (!library)
    return llvm::createStringError("cannot read the output of '" + linker +
                                   "': " + library.getError().message());
  return (*library)->getBuffer().str();
}

} // namespace attnc
