//===- Tuner.cpp - attnc-run --tune ---------------------------------------===//
//
// For each microarchitecture and kernel: the candidates that
// attn-select-schedule ranks first are compiled and measured a few at a time,
// next to the automatic choice and the fastest one so far. The file is written
// after each few. At the end the fastest ones are measured once more, and the
// winner is compared with the reference before it is recorded.
//
// Tests: test/Tools/Schedules/tune.test, tune-interrupt.test
//
//===----------------------------------------------------------------------===//

#include "Run/Tune/Tuner.h"

#include "Run/Check/CheckedCall.h"
#include "Run/LoadedObject.h"
#include "Run/RunInput.h"
#include "Run/RunThreads.h"
#include "Run/Tune/Contender.h"
#include "Run/Tune/Interrupt.h"
#include "Run/Tune/TuneFile.h"

#include "Options/OptionTable.h"

#include "attnc/Reference/Tf32.h"
#include "attnc/Schedule/KernelSchedules.h"
#include "attnc/Target/Target.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <set>
#include <tuple>

namespace attnc {
namespace {

/// Candidates that take turns with the automatic choice and the fastest one.
constexpr size_t kBatch = 4;
constexpr unsigned kRounds = 6;
/// Candidates that are measured once more, for longer.
constexpr size_t kFinalists = 3;
constexpr unsigned kFinalRounds = 12;
/// Of the automatic choice's time. What saves less is not a reason to leave it.
constexpr double kWorthwhile = 0.98;

/// A call that reaches the kernel that is tuned.
struct TuneCase {
  std::unique_ptr<RunCase> run;
  ReferenceFunctions reference;
};

/// One kernel for one microarchitecture.
struct TuneTask {
  const Target *target;
  std::string kernel;
  const Interface *function; // of the input
  std::vector<std::string> candidates;
  std::vector<TuneCase> cases;
  spec::ScheduleEntry *entry = nullptr;

  std::vector<RunCase *> runs() const {
    std::vector<RunCase *> runs;
    for (const TuneCase &one : cases)
      runs.push_back(one.run.get());
    return runs;
  }
};

class Tuner {
public:
  Tuner(RunOptions options, CrashReport &crash)
      : options(std::move(options)), crash(crash),
        session(this->options, crash), input(this->options, session),
        file(this->options, session) {}
  int run();

private:
  bool compile();
  bool tunePart(const SessionPart &part);
  bool tune(TuneTask &task);
  bool addCases(TuneTask &task, const SessionPart &part, llvm::StringRef body,
                std::string &sizes);
  std::unique_ptr<Contender> make(const TuneTask &task,
                                  llvm::StringRef schedule);
  bool measure(TuneTask &task, llvm::ArrayRef<std::string> pending);
  bool measureBatch(TuneTask &task, llvm::ArrayRef<std::string> batch);
  bool choose(TuneTask &task);
  bool record(TuneTask &task, const Contender &winner);
  std::optional<bool> check(TuneTask &task, const Contender &winner);
  bool turns(llvm::ArrayRef<Contender *> contenders, const TuneTask &task,
             unsigned rounds);
  void keepFinalists(const TuneTask &task);
  void tell(const llvm::Twine &text, bool isLasting = false);

  RunOptions options;
  CrashReport &crash;
  Session session;
  RunInput input;
  TuneFile file;
  /// The reference of large cases, and what its functions take: a later pass
  /// may give the object's function other inputs.
  mlir::OwningOpRef<mlir::ModuleOp> fused;
  std::vector<Interface> fusedInterfaces;
  RunThreads threads;
  TensorFiles noFiles;
  /// Of the kernel that is tuned: the automatic choice, and the fastest others.
  std::unique_ptr<Contender> automatic;
  std::vector<std::unique_ptr<Contender>> fastest;
  /// Schedules of this processor's other kernels.
  spec::ScheduleFile chosen;
  bool isTerminal = llvm::sys::Process::StandardErrIsDisplayed();
};

} // namespace

/// A line on the standard error, which the next one replaces on a terminal
/// unless it lasts.
void Tuner::tell(const llvm::Twine &text, bool isLasting) {
  if (isTerminal)
    llvm::errs() << "\r\x1b[K";
  llvm::errs() << text << (isTerminal && !isLasting ? "" : "\n");
}

/// "q = 32", ... of an attribute; those of its target are among them.
static std::vector<std::string> fieldsOf(llvm::StringRef schedule) {
  schedule.consume_front("#attn.schedule<");
  std::vector<std::string> fields(1);
  int depth = 0;
  for (char c : schedule) {
    depth += c == '[';
    depth -= c == ']';
    if (c == '<') // target = #tile.cpu<
      fields.back().clear();
    else if (c == ',' && depth == 0)
      fields.emplace_back();
    else if (c != '>' && !(c == ' ' && fields.back().empty()))
      fields.back() += c;
  }
  return fields;
}

/// q, k, and the fields that differ from those of the automatic choice.
static std::string brief(llvm::StringRef schedule, llvm::StringRef automatic) {
  std::vector<std::string> others = fieldsOf(automatic);
  std::string text;
  for (llvm::StringRef field : fieldsOf(schedule))
    if (field.starts_with("q = ") || field.starts_with("k = ") ||
        !llvm::is_contained(others, field))
      text += (text.empty() ? "" : ", ") + field.str();
  return text;
}

bool Tuner::compile() {
  if (!input.import() ||
      (session.stage() < Stage::Fused && !session.advanceTo(Stage::Fused)))
    return false;
  fused = session.module().clone();
  fusedInterfaces = session.interfaces().vec();
  for (mlir::ModuleOp module : {input.graph(), *fused})
    reference::forbidTf32(module); // no backend of CPUs rounds to it
  if (!file.open(session.fingerprint()))
    return false;
  session.pipelineOptions().candidates = options.tuneCandidates;
  return session.advanceTo(Stage::Scheduled);
}

/// The calls of the task's function that run `body`, and their sizes as text.
bool Tuner::addCases(TuneTask &task, const SessionPart &part,
                     llvm::StringRef body, std::string &sizes) {
  const Interface &function = *task.function;
  unsigned index = &function - input.functions().data();
  std::set<std::vector<int64_t>> seen;
  for (const SizeMap &chosen : input.combinations(index, true)) {
    auto values = input.sizesFor(function, chosen);
    if (!values)
      return false;
    const Interface *scheduled = findInterface(part.interfaces, function.name);
    if (!scheduled || scheduled->bodyAt(*values) != body ||
        !seen.insert(*values).second)
      continue;
    if (!input.checkMemory(function, *values))
      return false;
    ReferenceFunctions reference{
        oracleOf(input.graph(), input.functions(), function.name, *values),
        oracleOf(*fused, fusedInterfaces, function.name, *values),
        input.specOf(function)};
    auto run = std::make_unique<RunCase>(function, *values, options,
                                         options.seed, session.mlirContext());
    if (llvm::Error error = run->prepare())
      return session.fail(llvm::toString(std::move(error)));
    sizes += (sizes.empty() ? "" : "; ") + run->describeSizes();
    task.cases.push_back({std::move(run), reference});
  }
  return true;
}

/// The object of the task's function with this schedule; null if it cannot be
/// compiled, which was printed.
std::unique_ptr<Contender> Tuner::make(const TuneTask &task,
                                       llvm::StringRef schedule) {
  RunOptions quiet = options;
  quiet.targets = {task.target};
  quiet.warningsAreErrors = false;
  for (llvm::StringRef name : warningNames())
    quiet.hiddenWarnings.push_back(name.str());
  Session one(quiet, crash);
  spec::ScheduleFile schedules = chosen;
  spec::ScheduleEntry &entry = schedules.kernels.emplace_back();
  entry.kernel = task.kernel;
  entry.cpu = task.target->name.str();
  entry.schedule = schedule.str();
  llvm::SmallString<0> bytes;
  if (!one.load(input.stage()))
    return nullptr;
  one.setSchedules(std::move(schedules));
  if (!one.emit(EmitKind::Object, bytes))
    return nullptr;
  auto contender = std::make_unique<Contender>();
  contender->schedule = schedule.str();
  contender->interfaces = one.interfaces().vec();
  auto object = LoadedObject::load(bytes);
  if (!object) {
    session.fail(llvm::toString(object.takeError()));
    return nullptr;
  }
  contender->object = std::move(*object);
  auto plan =
      planCall(contender->interfaces, *task.function, *contender->object);
  if (!plan) {
    session.fail(llvm::toString(plan.takeError()));
    return nullptr;
  }
  contender->plan = std::move(*plan);
  return contender;
}

bool Tuner::turns(llvm::ArrayRef<Contender *> contenders, const TuneTask &task,
                  unsigned rounds) {
  if (llvm::Error error =
          measureInTurns(contenders, task.runs(), threads.runtime, rounds))
    return session.fail(llvm::toString(std::move(error)));
  return !Interrupt::signal();
}

/// Sorts the fastest contenders by what the file has of them.
void Tuner::keepFinalists(const TuneTask &task) {
  auto timeOf = [&](const std::unique_ptr<Contender> &one) {
    for (const spec::MeasuredSchedule &measured : task.entry->candidates)
      if (measured.schedule == one->schedule)
        return measured.relativeTime;
    return 1.0;
  };
  llvm::sort(fastest, [&](const auto &a, const auto &b) {
    return timeOf(a) < timeOf(b);
  });
  if (fastest.size() > kFinalists)
    fastest.resize(kFinalists);
}

bool Tuner::measureBatch(TuneTask &task, llvm::ArrayRef<std::string> batch) {
  std::vector<Contender *> contenders = {automatic.get()};
  if (!fastest.empty())
    contenders.push_back(fastest.front().get());
  std::vector<std::unique_ptr<Contender>> made;
  for (const std::string &schedule : batch) {
    if (Interrupt::signal())
      return false;
    auto one = schedule == automatic->schedule ? nullptr : make(task, schedule);
    if (one)
      contenders.push_back(made.emplace_back(std::move(one)).get());
    else if (schedule != automatic->schedule)
      tell(task.kernel + ", " + task.target->name +
               ": skipped, not compiled: " +
               brief(schedule, automatic->schedule),
           true);
  }
  if (!turns(contenders, task, kRounds))
    return false;
  size_t before = task.entry->candidates.size();
  if (llvm::is_contained(batch, automatic->schedule))
    task.entry->candidates.push_back({automatic->schedule, 1});
  for (auto &one : made) {
    task.entry->candidates.push_back(
        {one->schedule, one->relativeTo(*automatic)});
    fastest.push_back(std::move(one));
  }
  for (size_t i = before; i < task.entry->candidates.size(); ++i) {
    const spec::MeasuredSchedule &measured = task.entry->candidates[i];
    tell(llvm::formatv("{0}, {1}: {2} of {3} measured, relative time {4:F3}: "
                       "{5}",
                       task.kernel, task.target->name, i + 1,
                       task.candidates.size(), measured.relativeTime,
                       brief(measured.schedule, automatic->schedule)));
  }
  keepFinalists(task);
  return file.write();
}

/// Measures the candidates that the file does not have yet.
bool Tuner::measure(TuneTask &task, llvm::ArrayRef<std::string> pending) {
  fastest.clear();
  automatic = make(task, task.candidates.front());
  if (!automatic)
    return false;
  std::vector<spec::MeasuredSchedule> known = task.entry->candidates;
  llvm::sort(known, [](const auto &a, const auto &b) {
    return std::tie(a.relativeTime, a.schedule) <
           std::tie(b.relativeTime, b.schedule);
  });
  for (const spec::MeasuredSchedule &one : known)
    if (fastest.size() < kFinalists && one.schedule != automatic->schedule)
      if (auto made = make(task, one.schedule))
        fastest.push_back(std::move(made));
  while (!pending.empty()) {
    size_t count = std::min(kBatch, pending.size());
    if (!measureBatch(task, pending.take_front(count)))
      return false;
    pending = pending.drop_front(count);
  }
  return true;
}

/// Whether the results of a schedule are correct; nothing after an error.
std::optional<bool> Tuner::check(TuneTask &task, const Contender &winner) {
  CheckedCaller caller(options, session, threads.runtime, noFiles);
  for (TuneCase &one : task.cases) {
    RunCase run(*task.function, one.run->sizes, options, options.seed,
                session.mlirContext());
    if (!caller.call(run, winner.plan, one.reference))
      return std::nullopt;
    std::optional<CheckResult> result =
        caller.check(run, winner.plan, one.reference);
    if (!result)
      return std::nullopt;
    if (!result->isRight())
      return false;
  }
  return true;
}

bool Tuner::record(TuneTask &task, const Contender &winner) {
  spec::ScheduleEntry &entry = *task.entry;
  entry.schedule = winner.schedule;
  entry.milliseconds = 1e3 * winner.totalSeconds();
  entry.automaticMilliseconds = 1e3 * automatic->totalSeconds();
  spec::ScheduleEntry &own = chosen.kernels.emplace_back();
  own.kernel = entry.kernel;
  own.cpu = entry.cpu;
  own.schedule = entry.schedule;
  if (isTerminal)
    tell("", true);
  llvm::outs() << llvm::formatv(
      "{0}  {1}: {2:F3} ms, automatic choice {3:F3} ms, candidates: {4}\n"
      "  {5}\n",
      task.kernel, task.target->name, entry.milliseconds,
      entry.automaticMilliseconds, entry.candidates.size(), entry.schedule);
  llvm::outs().flush();
  return file.write();
}

/// The fastest of the finalists whose results are correct.
bool Tuner::choose(TuneTask &task) {
  std::vector<Contender *> contenders = {automatic.get()};
  for (const auto &one : fastest)
    contenders.push_back(one.get());
  if (!turns(contenders, task, kFinalRounds))
    return false;
  std::vector<Contender *> order;
  for (Contender *one : llvm::drop_begin(contenders))
    if (one->relativeTo(*automatic) < kWorthwhile)
      order.push_back(one);
  llvm::sort(order, [&](const Contender *a, const Contender *b) {
    return a->relativeTo(*automatic) < b->relativeTo(*automatic);
  });
  order.push_back(automatic.get());
  for (const Contender *one : order) {
    tell(task.kernel + ", " + task.target->name +
         ": comparing with the reference: " +
         brief(one->schedule, automatic->schedule));
    std::optional<bool> isRight = check(task, *one);
    if (!isRight)
      return false;
    if (*isRight)
      return record(task, *one);
    tell("error: the results of this schedule of " + task.kernel +
             " are wrong: " + one->schedule,
         true);
  }
  return session.fail("no schedule of " + task.kernel +
                      " gives correct results");
}

bool Tuner::tune(TuneTask &task) {
  std::vector<std::string> pending;
  for (const std::string &one : task.candidates)
    if (llvm::none_of(task.entry->candidates, [&](const auto &measured) {
          return measured.schedule == one;
        }))
      pending.push_back(one);
  size_t known = task.candidates.size() - pending.size();
  tell(llvm::formatv("{0}, {1}: candidates: {2}, measured before: {3}",
                     task.kernel, task.target->name, task.candidates.size(),
                     known),
       true);
  if (pending.empty() && !task.entry->schedule.empty()) {
    spec::ScheduleEntry done;
    done.kernel = task.kernel;
    done.cpu = task.entry->cpu;
    done.schedule = task.entry->schedule;
    chosen.kernels.push_back(std::move(done));
    return true;
  }
  return measure(task, pending) && choose(task);
}

bool Tuner::tunePart(const SessionPart &part) {
  chosen = {};
  for (const NamedKernel &one : listKernels(*part.module)) {
    const Interface *function = nullptr;
    for (const Interface &candidate : input.functions()) {
      const Interface *scheduled =
          findInterface(part.interfaces, candidate.name);
      if (scheduled && llvm::is_contained(scheduled->bodies(), one.body))
        function = &candidate;
    }
    TuneTask task{part.target, one.name, function, candidatesOf(one.kernel),
                  {},          nullptr};
    std::string sizes;
    if (function && !addCases(task, part, one.body, sizes))
      return false;
    if (task.cases.empty() || task.candidates.empty()) {
      tell(one.name + ", " + part.target->name + ": not tuned, because " +
               (function ? "no call at these sizes runs it"
                         : "it is not a kernel of a function of the input"),
           true);
      continue;
    }
    task.entry = file.entryOf(one.name, part.target->name, sizes);
    if (!task.entry || !tune(task))
      return false;
  }
  return true;
}

int Tuner::run() {
  if (std::optional<int> code = input.load())
    return *code;
  if (input.stage() == Stage::Scheduled)
    return session.fail("--tune chooses schedules, but the input is a dump of "
                        "stage scheduled; start from stage fused"),
           2;
  if (options.input == "-")
    return session.fail("--tune compiles the input several times and cannot "
                        "read it from the standard input"),
           2;
  std::vector<const Target *> able;
  for (const Target *one : session.targets()) {
    llvm::StringRef missing = findMissingFeature(*one, getHostFeatures());
    if (missing.empty())
      able.push_back(one);
    else
      tell(one->name + " is not tuned: this processor lacks " + missing, true);
  }
  if (able.empty())
    return session.fail("this processor runs no microarchitecture of -mcpu"), 1;
  Interrupt interrupt;
  if (!compile() || !threads.start(options.threads, session))
    return 1;
  for (const SessionPart &part : session.parts())
    if (llvm::is_contained(able, part.target) && !tunePart(part)) {
      int signal = Interrupt::signal();
      if (!signal)
        return 1;
      tell("interrupted; run the same command again to continue " +
               options.tune,
           true);
      return 128 + signal;
    }
  return 0;
}

int runTuner(RunOptions options, CrashReport &crash) {
  return Tuner(std::move(options), crash).run();
}

} // namespace attnc
