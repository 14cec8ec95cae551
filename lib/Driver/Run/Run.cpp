//===- Run.cpp - The driver of attnc-run ----------------------------------===//
//
// Compiles the spec as attnc does, loads the object's bytes, and runs every
// function at every combination of the sizes asked for.
//
//===----------------------------------------------------------------------===//

#include "Compile/Session.h"
#include "Options/OptionTable.h"
#include "Run/Check/CheckedCall.h"
#include "Run/EmulatedKernels.h"
#include "Run/EmulatedObject.h"
#include "Run/LoadedObject.h"
#include "Run/Model/ModelInstructions.h"
#include "Run/Model/TileModels.h"
#include "Run/RunInput.h"
#include "Run/RunThreads.h"
#include "Run/Tune/Tuner.h"

#include "attnc/Driver/Driver.h"
#include "attnc/Pipeline/CheckStages.h"
#include "attnc/Reference/Tf32.h"
#include "attnc/Schedule/KernelSchedules.h"
#include "attnc/Target/Platform.h"

#include "llvm/Support/raw_ostream.h"

#include <set>

namespace attnc {
namespace {

class Run {
public:
  Run(RunOptions options, CrashReport &crash)
      : options(std::move(options)), session(this->options, crash),
        input(this->options, session) {}
  int run();

private:
  bool compile();
  bool emitObject();
  /// Notes the functions of the IR whose f16 products the matrix unit computes.
  bool findTerms();
  const Interface *functionOfTarget(const RunCase &run) const;
  DType operandOfPeak(const RunCase &run) const;
  void nameCopy(const RunCase &run, BenchResult &bench) const;
  /// Kernels of a GPU run in an emulator, called from this machine.
  bool isEmulated() const {
    return !options.usesDriver.value_or(false) &&
           session.targets().front()->kind == TargetKind::Gpu;
  }
  bool interpretFunction(unsigned index);
  bool tellTiles(unsigned index, const SessionPart &part);
  bool runFunction(unsigned index, RunnableObject &object);
  std::unique_ptr<RunnableObject> makeRunnable();
  bool runParts(RunnableObject &object);
  bool tellTilesOfParts();
  bool runCase(const Interface &function, std::vector<int64_t> sizes,
               const CallPlan &plan, const ReferenceFunctions &reference);
  bool readFiles();

  RunOptions options;
  Session session;
  RunInput input;
  /// The reference of large cases, and what its functions take: a later pass
  /// may give the object's function other inputs.
  mlir::OwningOpRef<mlir::ModuleOp> fused;
  std::vector<Interface> fusedInterfaces;
  llvm::SmallString<0> bytes;
  /// For each level the functions that multiply f16 as terms of bf16.
  std::set<std::pair<const Target *, std::string>> withTerms;
  TensorFiles files;
  RunThreads threads;
  attnc_runtime &runtime = threads.runtime;
  /// Whose part of the object is called.
  const Target *target = nullptr;
};

} // namespace

/// The object's bytes, and copies of the module for the reference.
bool Run::compile() {
  std::optional<StageChecker> checker;
  if (options.checkStages) {
    checker.emplace(session.pipelineOptions(), llvm::outs());
    checker->specs = session.specs();
    for (const auto &[name, values] : options.sizes)
      if (!values.empty())
        checker->sizes[name] = values.front();
    checker->dumpFolder =
        (session.specs().empty() ? session.interfaces().front().name
                                 : session.specs().front().name) +
        ".check-stages";
  }
  if (!input.import())
    return false;
  if (options.interpret)
    return true;
  if (session.stage() < Stage::Fused && !session.advanceTo(Stage::Fused))
    return false;
  if (options.mask) {
    bool isDone = session.stage() == Stage::Scheduled ||
                  session.advanceTo(Stage::Scheduled);
    session.pipelineOptions().instrument = nullptr;
    return isDone && !(checker && checker->failed());
  }
  fused = session.module().clone();
  fusedInterfaces = session.interfaces().vec();
  if (session.targets().front()->kind != TargetKind::Gpu)
    for (mlir::ModuleOp module : {input.graph(), *fused})
      reference::forbidTf32(module); // no backend of CPUs rounds to it
  bool isDone = (!options.benchSeconds || findTerms()) && emitObject();
  session.pipelineOptions().instrument = nullptr;
  return isDone && !(checker && checker->failed());
}

bool Run::findTerms() {
  if (session.stage() > Stage::Scheduled || !session.canMake("scheduled"))
    return true;
  if (!session.advanceTo(Stage::Scheduled))
    return false;
  for (const SessionPart &part : session.parts())
    for (const NamedKernel &one : listKernels(part.module.get()))
      if (multipliesTerms(one.kernel))
        withTerms.emplace(part.target, one.body.str());
  return true;
}

/// The function in the part that is called: each part has its own cases. Null
/// in a session without parts.
const Interface *Run::functionOfTarget(const RunCase &run) const {
  for (const SessionPart &part : session.parts())
    if (part.target == target)
      return findInterface(part.interfaces, run.function.name);
  return nullptr;
}

/// The type of what the unit multiplies.
DType Run::operandOfPeak(const RunCase &run) const {
  const Interface *function = functionOfTarget(run);
  return function && withTerms.count({target, function->bodyAt(run.sizes)})
             ? DType::BF16
             : run.productType();
}

/// Which copy of the function the calls run, if there are several.
void Run::nameCopy(const RunCase &run, BenchResult &bench) const {
  const Interface *function = functionOfTarget(run);
  if (!function || function->cases.empty())
    return;
  bench.copy = function->bodyAt(run.sizes);
  bench.when = "all other sizes";
  for (auto [body, entry] : llvm::zip(function->bodies(), function->cases))
    if (body == bench.copy)
      bench.when = entry.str();
}

bool Run::emitObject() {
  if (isEmulated())
    return session.emitLaunches(&EmulatedKernels::launch, bytes);
  if (options.modelInstructions)
    return session.emitForHost(modelInstructions, modelSymbols(), bytes);
  return session.emit(EmitKind::Object, bytes);
}

/// The arrays of --input, and the sizes that they give.
bool Run::readFiles() {
  if (options.inputFiles.empty() && options.savedFiles.empty())
    return true;
  if (input.functions().size() != 1)
    return session.fail(
        "--input and --save require a spec with a single function");
  const Interface &function = input.functions().front();
  auto read =
      TensorFiles::read(function, options.inputFiles, options.savedFiles);
  if (!read)
    return session.fail(llvm::toString(read.takeError()));
  files = std::move(*read);
  auto sizes = files.sizes(function);
  if (!sizes)
    return session.fail(llvm::toString(sizes.takeError()));
  size_t cases = 1;
  for (const auto &[name, values] : options.sizes) {
    cases *= values.size();
    auto given = sizes->find(name);
    if (given != sizes->end() &&
        llvm::any_of(values, [&](int64_t n) { return n != given->second; }))
      return session.fail("--size conflicts with the files of --input: " +
                          name + " is " + llvm::Twine(given->second));
  }
  if (cases != 1 && !options.savedFiles.empty())
    return session.fail(
        "--save requires a single combination of sizes, --size has " +
        llvm::Twine(cases));
  for (const auto &size : *sizes)
    options.sizes.emplace_back(size.first().str(),
                               std::vector<int64_t>{size.second});
  return true;
}

bool Run::runCase(const Interface &function, std::vector<int64_t> sizes,
                  const CallPlan &plan, const ReferenceFunctions &reference) {
  if (!input.checkMemory(function, sizes))
    return false;
  RunCase run(function, std::move(sizes), options, options.seed,
              session.mlirContext());
  CheckedCaller caller(options, session, runtime, files);
  if (!caller.call(run, plan, reference))
    return false;
  // Of several parts the best one runs last.
  if (llvm::Error error = run.save(files))
    return session.fail(llvm::toString(std::move(error)));
  std::optional<CheckResult> check;
  if (options.check) {
    check = caller.check(run, plan, reference);
    if (!check)
      return false;
  }
  std::optional<BenchResult> bench;
  if (options.benchSeconds) {
    auto result =
        run.bench(plan, runtime, reference, *target, operandOfPeak(run));
    if (mlir::failed(result))
      return session.fail("the benchmark could not be run");
    bench = *result;
    nameCopy(run, *bench);
  }
  reportCase(run, options, *target, check, bench);
  return !check || check->isRight();
}

bool Run::runFunction(unsigned index, RunnableObject &object) {
  const Interface &function = input.functions()[index];
  auto plan = planCall(session.interfaces(), function, object);
  if (!plan)
    return session.fail("internal error: " + llvm::toString(plan.takeError()));
  bool isRight = true;
  for (const SizeMap &chosen : input.combinations(index)) {
    auto sizes = input.sizesFor(function, chosen);
    if (!sizes)
      return false;
    ReferenceFunctions reference{
        oracleOf(input.graph(), input.functions(), function.name, *sizes),
        oracleOf(*fused, fusedInterfaces, function.name, *sizes),
        input.specOf(function)};
    isRight &= runCase(function, std::move(*sizes), *plan, reference);
  }
  return isRight;
}

/// --interpret: the reference in the place of the kernel.
bool Run::interpretFunction(unsigned index) {
  const Interface &function = input.functions()[index];
  for (const SizeMap &chosen : input.combinations(index)) {
    auto sizes = input.sizesFor(function, chosen);
    if (!sizes)
      return false;
    ReferenceFunctions reference{
        oracleOf(input.graph(), input.functions(), function.name, *sizes),
        Oracle(), input.specOf(function)};
    RunCase run(function, std::move(*sizes), options, options.seed,
                session.mlirContext());
    if (llvm::Error error = run.take(files))
      return session.fail(llvm::toString(std::move(error)));
    if (llvm::Error error = run.checkPreconditions())
      return session.fail(llvm::toString(std::move(error)));
    if (mlir::failed(run.interpret(reference)))
      return session.fail("the reference could not be computed");
    if (llvm::Error error = run.save(files))
      return session.fail(llvm::toString(std::move(error)));
    llvm::outs() << function.name << "  " << run.describeSizes()
                 << ", evaluated in float64\n";
  }
  return true;
}

/// --mask: the tiles of the kernels instead of their results.
bool Run::tellTiles(unsigned index, const SessionPart &part) {
  const Interface &function = input.functions()[index];
  for (const SizeMap &chosen : input.combinations(index)) {
    auto sizes = input.sizesFor(function, chosen);
    if (!sizes)
      return false;
    Oracle oracle =
        oracleOf(*part.module, part.interfaces, function.name, *sizes);
    RunCase run(function, std::move(*sizes), options, options.seed,
                session.mlirContext());
    if (llvm::Error error = run.take(files))
      return session.fail(llvm::toString(std::move(error)));
    if (llvm::Error error = run.checkPreconditions())
      return session.fail(llvm::toString(std::move(error)));
    auto tiles = run.countTiles(oracle);
    if (mlir::failed(tiles))
      return session.fail("the tiles could not be counted");
    reportTiles(run, options, *part.target, *tiles);
  }
  return true;
}

bool Run::tellTilesOfParts() {
  bool isDone = true;
  for (const SessionPart &part : session.parts())
    for (unsigned i = 0; i < input.functions().size(); ++i)
      isDone &= tellTiles(i, part);
  return isDone;
}

/// The object in this process, or in an emulator if it is of another platform.
std::unique_ptr<RunnableObject> Run::makeRunnable() {
  const Platform &ofTarget = platformOf(*session.targets().front());
  bool isOfGpu = session.targets().front()->kind == TargetKind::Gpu;
  if (isEmulated()) {
    std::string code;
    llvm::raw_string_ostream os(code);
    if (!session.printOutput("nvptx-ir", os))
      return nullptr;
    auto kernels =
        EmulatedKernels::load(bytes, code, session.interfaces(), ofTarget);
    if (kernels)
      return std::move(*kernels);
    session.fail(llvm::toString(kernels.takeError()));
    return nullptr;
  }
  // Objects for GPUs alone are compiled for this machine.
  if (session.platform().isHost() ||
      (isOfGpu && &session.platform() == &ofTarget)) {
    auto object = LoadedObject::load(bytes);
    if (object)
      return std::move(*object);
    session.fail("internal error: " + llvm::toString(object.takeError()));
    return nullptr;
  }
  for (const Target *one : session.targets())
    if (one->kind == TargetKind::Device) {
      session.fail("cannot run kernels for '" + one->name + "' of " +
                   session.platform().triple +
                   " on this machine; compile an object with attnc and link it "
                   "there");
      return nullptr;
    }
  auto object =
      EmulatedObject::link(bytes, session.interfaces(), session.platform());
  if (object)
    return std::move(*object);
  session.fail(llvm::toString(object.takeError()));
  return nullptr;
}

/// Runs each part that this machine can run; the best one is timed and saved.
bool Run::runParts(RunnableObject &object) {
  llvm::ArrayRef<const Target *> all = session.targets();
  std::vector<const Target *> able = all.vec();
  if (session.platform().isHost() && !options.modelInstructions)
    llvm::erase_if(able, [features = getHostFeatures()](const Target *one) {
      llvm::StringRef missing = findMissingFeature(*one, features);
      if (!missing.empty())
        llvm::errs() << one->name << " is not run: this processor lacks "
                     << missing << '\n';
      return !missing.empty();
    });
  if (able.empty())
    return session.fail("this processor supports no part of the object; "
                        "--model-instructions runs it in software models");
  std::optional<double> seconds = options.benchSeconds;
  bool isRight = true;
  for (const Target *one : able) {
    target = one;
    object.setProcessor(*one);
    runtime.cpu = all.size() > 1 ? target->name.data() : nullptr;
    options.benchSeconds = target == able.back() ? seconds : std::nullopt;
    for (unsigned i = 0; i < input.functions().size(); ++i)
      isRight &= runFunction(i, object);
  }
  return isRight;
}

int Run::run() {
  if (std::optional<int> code = input.load())
    return *code;
  if (!compile() || !readFiles() || !threads.start(options.threads, session))
    return 1;
  bool isRight = true;
  if (options.mask)
    return tellTilesOfParts() ? 0 : 1;
  if (options.interpret) {
    for (unsigned i = 0; i < input.functions().size(); ++i)
      isRight &= interpretFunction(i);
    return isRight ? 0 : 1;
  }
  std::unique_ptr<RunnableObject> object = makeRunnable();
  return object && runParts(*object) ? 0 : 1;
}

int runAttncRun(int argc, const char *const *argv) {
  useColors(std::nullopt);
  Parsed<RunOptions> parsed = parseRunCommandLine(
      llvm::ArrayRef<const char *>(argv, argc).drop_front());
  if (parsed.exitCode)
    return finishTool("attnc-run", *parsed.exitCode);
  useColors(parsed.options.color);
  CrashReport crash("attnc-run", parsed.options);
  return finishTool("attnc-run", runWithCrashReport(crash, [&] {
                      if (!parsed.options.tune.empty())
                        return runTuner(std::move(parsed.options), crash);
                      return Run(std::move(parsed.options), crash).run();
                    }));
}

} // namespace attnc
