//===- TuneFile.cpp - The schedule file that --tune continues -------------===//

#include "Run/Tune/TuneFile.h"

#include "Compile/Outputs.h"

#include "attnc/Support/Version.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>

namespace attnc {

static constexpr llvm::StringLiteral kRemedy =
    "; remove it, or write to another file";

/// The name that the system has for the processor, or else LLVM's.
static std::string hostProcessor() {
  // Files of /proc have no size, so that they are read as streams.
  if (auto text = llvm::MemoryBuffer::getFileAsStream("/proc/cpuinfo"))
    for (llvm::StringRef line : llvm::split((*text)->getBuffer(), '\n'))
      if (line.consume_front("model name"))
        if (std::string name = line.trim(" \t:").str(); !name.empty()) {
          std::replace(name.begin(), name.end(), '\'', ' ');
          return name;
        }
  return llvm::sys::getHostCPUName().str();
}

bool TuneFile::open(llvm::StringRef fingerprint) {
  const std::string &path = options.tune;
  if (llvm::sys::fs::exists(path)) {
    if (!llvm::sys::fs::is_regular_file(path))
      return session.fail("'" + path +
                          "' is not a regular file, so --tune cannot continue "
                          "from it; write to another file");
    auto text = llvm::MemoryBuffer::getFile(path);
    if (!text)
      return session.fail("cannot read the schedule file '" + path +
                          "': " + text.getError().message());
    llvm::SourceMgr sources;
    unsigned id = sources.AddNewSourceBuffer(std::move(*text), llvm::SMLoc());
    SourceDiagnostics diagnostics = makeDiagnostics(sources, options);
    auto read = spec::parseScheduleFile(sources, id, diagnostics);
    diagnostics.print(llvm::errs());
    if (!read)
      return false;
    file = std::move(*read);
    if (file.compiler != getVersion())
      return session.fail("'" + path + "' was measured with version '" +
                          file.compiler + "' of attnc, this is " +
                          getVersion() + kRemedy);
    if (file.fingerprint != fingerprint)
      return session.fail("'" + path +
                          "' was measured for another input, or with another "
                          "compiler: its fingerprint is '" +
                          file.fingerprint + "', expected " + fingerprint +
                          kRemedy);
  }
  file.compiler = getVersion().str();
  file.fingerprint = fingerprint.str();
  return write();
}

spec::ScheduleEntry *TuneFile::entryOf(llvm::StringRef kernel,
                                       llvm::StringRef cpu,
                                       llvm::StringRef sizes) {
  std::string processor = hostProcessor();
  spec::ScheduleEntry *entry = file.find(kernel, cpu);
  if (!entry) {
    entry = &file.kernels.emplace_back();
    entry->kernel = kernel.str();
    entry->cpu = cpu.str();
    entry->sizes = sizes.str();
    entry->processor = processor;
    entry->threads = options.threads;
    return entry;
  }
  std::string was, is;
  if (entry->sizes != sizes)
    was = "at sizes '" + entry->sizes + "'", is = ("'" + sizes + "'").str();
  else if (entry->threads != options.threads)
    was = "with threads " + std::to_string(entry->threads),
    is = std::to_string(options.threads);
  else if (entry->processor != processor)
    was = "on the processor '" + entry->processor + "'",
    is = "'" + processor + "'";
  else
    return entry;
  session.fail("'" + options.tune + "' has measurements of " + kernel +
               " for " + cpu + " " + was + ", but this run has " + is +
               "; remove the entry, or write to another file");
  return nullptr;
}

bool TuneFile::write() {
  std::string text;
  llvm::raw_string_ostream os(text);
  spec::printScheduleFile(os, file);
  Outputs outputs;
  outputs.add(options.tune, std::move(text));
  if (llvm::Error error = outputs.write())
    return session.fail(llvm::toString(std::move(error)));
  return true;
}

} // namespace attnc
