//===- SessionSchedules.cpp - The schedules of --schedule-file ------------===//
//
// An entry of the file is for one kernel and one microarchitecture. Each is
// used, or there is an error at its place.
// Tests: test/Tools/Schedules
//
//===----------------------------------------------------------------------===//

#include "Compile/Session.h"

#include "attnc/Schedule/KernelSchedules.h"
#include "attnc/Support/Nearest.h"
#include "attnc/Target/Platform.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace attnc {

bool Session::loadScheduleFile() {
  if (options.scheduleFile.empty())
    return true;
  auto text = llvm::MemoryBuffer::getFile(options.scheduleFile);
  if (!text)
    return fail("cannot read the schedule file '" + options.scheduleFile +
                "': " + text.getError().message());
  unsigned id = sources.AddNewSourceBuffer(std::move(*text), llvm::SMLoc());
  SourceDiagnostics diagnostics = makeDiagnostics(sources, options);
  schedules = spec::parseScheduleFile(sources, id, diagnostics);
  diagnostics.print(llvm::errs());
  return schedules.has_value();
}

std::string Session::fingerprint() {
  std::string text;
  llvm::raw_string_ostream os(text);
  module().print(os);
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true, 16);
}

/// The name without the case, which one of the parts may have: "f.case0/2" is
/// "f/2" before functions are split.
static std::string withoutCase(llvm::StringRef name) {
  auto [function, rest] = name.split(".case");
  if (function.size() == name.size())
    return name.str();
  return (function + rest.ltrim("0123456789")).str();
}

/// Whether an entry is for a kernel and a microarchitecture of this session.
static void checkEntry(const spec::ScheduleEntry &entry,
                       llvm::ArrayRef<llvm::StringRef> kernels,
                       llvm::ArrayRef<const Target *> targets,
                       SourceDiagnostics &diagnostics) {
  constexpr llvm::StringLiteral id = "schedule-file";
  if (!llvm::is_contained(kernels, entry.kernel) &&
      !llvm::is_contained(kernels, withoutCase(entry.kernel))) {
    auto &error = diagnostics.error(
        id, entry.kernelRange, "no kernel is named '" + entry.kernel + "'");
    llvm::StringRef similar = nearest(entry.kernel, kernels);
    if (similar.empty())
      error.note("kernels: " + llvm::join(kernels, ", "));
    else
      error.fix(similar);
  }
  std::vector<llvm::StringRef> levels;
  for (const Target *target : targets)
    levels.push_back(target->name);
  if (!lookupTarget(entry.cpu))
    diagnostics.error(id, entry.cpuRange, describeUnknownCpu(entry.cpu))
        .fix(nearest(entry.cpu, levels));
  else if (llvm::none_of(targets, [&](const Target *target) {
             return target->name == entry.cpu;
           }))
    diagnostics
        .error(id, entry.cpuRange,
               "the schedule is for " + entry.cpu + ", but -mcpu is " +
                   joinTargetNames(targets))
        .note("add " + entry.cpu + " to -mcpu, or remove the entry");
}

bool Session::checkSchedules() {
  if (!schedules)
    return true;
  std::vector<NamedKernel> kernels = listKernels(module());
  std::vector<llvm::StringRef> names;
  for (const NamedKernel &kernel : kernels)
    names.push_back(kernel.name);
  SourceDiagnostics diagnostics = makeDiagnostics(sources, options);
  for (const spec::ScheduleEntry &entry : schedules->kernels)
    checkEntry(entry, names, targetList, diagnostics);
  if (!schedules->fingerprint.empty() &&
      schedules->fingerprint != fingerprint())
    diagnostics.warning("stale-schedule", schedules->fingerprintRange,
                        "the input or the compiler has changed since these "
                        "schedules were measured; tune again");
  diagnostics.print(llvm::errs());
  return diagnostics.errors() == 0;
}

/// Where a value of an entry begins.
static Location placeOf(llvm::SMRange range, llvm::SourceMgr &sources,
                        MLIRContext &context) {
  if (!range.isValid())
    return UnknownLoc::get(&context);
  unsigned buffer = sources.FindBufferContainingLoc(range.Start);
  auto [line, column] = sources.getLineAndColumn(range.Start, buffer);
  return FileLineColLoc::get(
      &context, sources.getMemoryBuffer(buffer)->getBufferIdentifier(), line,
      column);
}

void Session::requestSchedules(const SessionPart &part) {
  if (!schedules)
    return;
  std::vector<KernelRequest> requests;
  for (const spec::ScheduleEntry &entry : schedules->kernels)
    if (entry.cpu == part.target->name)
      requests.push_back({entry.kernel, entry.schedule,
                          placeOf(entry.kernelRange, sources, context),
                          placeOf(entry.scheduleRange, sources, context)});
  attnc::requestSchedules(*part.module, requests);
}

} // namespace attnc
