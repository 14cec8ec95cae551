//===- Run.cpp - The driver of attnc-run ----------------------------------===//
//
// Compiles the spec as attnc does, loads the object's bytes, and runs every
// function at every combination of the sizes asked for.
//
//===----------------------------------------------------------------------===//

#include "Compile/Session.h"
#include "Options/OptionTable.h"
#include "Run/EmulatedKernels.h"
#include "Run/EmulatedObject.h"
#include "Run/LoadedObject.h"
#include "Run/Model/ModelInstructions.h"
#include "Run/Model/TileModels.h"
#include "Run/RunCase.h"

#include "attnc/Driver/Driver.h"
#include "attnc/Pipeline/CheckStages.h"
#include "attnc/Reference/Tf32.h"
#include "attnc/Target/Platform.h"

#include "attnc_threads.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

namespace attnc {
namespace {

using SizeMap = llvm::StringMap<int64_t>;

/// The function of the module that a call of these sizes would run.
Oracle oracleOf(mlir::ModuleOp module, llvm::ArrayRef<Interface> interfaces,
                llvm::StringRef name, llvm::ArrayRef<int64_t> sizes) {
  Oracle oracle;
  oracle.interface = findInterface(interfaces, name);
  oracle.function =
      module.lookupSymbol<mlir::func::FuncOp>(oracle.interface->bodyAt(sizes));
  oracle.packingInterface =
      findInterface(interfaces, oracle.interface->packing());
  if (oracle.packingInterface)
    oracle.packing =
        module.lookupSymbol<mlir::func::FuncOp>(oracle.packingInterface->name);
  return oracle;
}

class Run {
public:
  Run(RunOptions options, CrashReport &crash)
      : options(std::move(options)), session(this->options, crash) {}
  ~Run() { attnc_threads_destroy(pool); }
  int run();

private:
  bool compile();
  bool emitObject();
  /// Kernels of a GPU run in an emulator, called from this machine.
  bool isEmulated() const {
    return !options.usesDriver.value_or(false) &&
           session.targets().front()->kind == TargetKind::Gpu;
  }
  bool startThreads();
  bool interpretFunction(unsigned index);
  bool tellTiles(unsigned index, const SessionPart &part);
  bool runFunction(unsigned index, RunnableObject &object);
  std::unique_ptr<RunnableObject> makeRunnable();
  bool runParts(RunnableObject &object);
  bool tellTilesOfParts();
  bool runCase(const Interface &function, std::vector<int64_t> sizes,
               const CallPlan &plan, const ReferenceFunctions &reference);
  bool readFiles();
  bool callOnce(RunCase &run, const CallPlan &plan,
                const ReferenceFunctions &reference);
  std::optional<CallPlan> planCall(const Interface &function,
                                   RunnableObject &object);
  bool drawAgain(const RunCase &first, const CallPlan &plan,
                 const ReferenceFunctions &reference, CheckResult &check);
  bool checkSizes();
  const spec::AttentionSpec *specOf(const Interface &function);
  std::vector<SizeMap> combinations(unsigned index);
  std::optional<std::vector<int64_t>> sizesFor(const Interface &function,
                                               const SizeMap &chosen);

  RunOptions options;
  Session session;
  mlir::OwningOpRef<mlir::ModuleOp> graph, fused;
  /// As the input says: passes may add functions that others need.
  std::vector<Interface> functions;
  llvm::SmallString<0> bytes;
  TensorFiles files;
  attnc_runtime runtime = {};
  attnc_threads *pool = nullptr;
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
  // What a dump of a later stage means is the reference of earlier ones.
  if (session.stage() < Stage::Graph && !session.advanceTo(Stage::Graph))
    return false;
  graph = session.module().clone();
  functions = session.interfaces().vec();
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
  if (session.targets().front()->kind != TargetKind::Gpu)
    for (mlir::ModuleOp module : {*graph, *fused})
      reference::forbidTf32(module); // no backend of CPUs rounds to it
  bool isDone = emitObject();
  session.pipelineOptions().instrument = nullptr;
  return isDone && !(checker && checker->failed());
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
  if (functions.size() != 1)
    return session.fail(
        "--input and --save require a spec with a single function");
  const Interface &function = functions.front();
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

/// The spec of a function; null if the input is a dump.
const spec::AttentionSpec *Run::specOf(const Interface &function) {
  auto found = llvm::find_if(session.specs(), [&](const auto &spec) {
    return spec.name == function.name;
  });
  return found == session.specs().end() ? nullptr : &*found;
}

static bool isRunTimeSize(const spec::AttentionSpec &spec,
                          llvm::StringRef name) {
  auto size = spec.findSize(name);
  return size && spec.sizes[*size].kind == spec::Size::RunTime;
}

/// The values that each case gives the run-time sizes: those of the first
/// regime of `expect`, replaced by the products of --size and by --input.
std::vector<SizeMap> Run::combinations(unsigned index) {
  SizeMap first; // a dump has none
  if (index < session.specs().size()) {
    const spec::AttentionSpec &spec = session.specs()[index];
    if (!spec.expect.empty())
      for (auto [size, value] : spec.expect.front().sizes)
        first[spec.sizes[size].name] = value;
  }
  std::vector<SizeMap> cases = {first};
  for (const auto &[name, values] : options.sizes) {
    if (index < session.specs().size() &&
        !isRunTimeSize(session.specs()[index], name))
      continue; // another function's
    std::vector<SizeMap> next;
    for (const SizeMap &one : cases)
      for (int64_t value : values) {
        next.push_back(one);
        next.back()[name] = value;
      }
    cases = std::move(next);
  }
  return cases;
}

std::optional<std::vector<int64_t>> Run::sizesFor(const Interface &function,
                                                  const SizeMap &chosen) {
  std::vector<int64_t> runtime;
  for (const std::string &name : function.runtimeSizes()) {
    auto it = chosen.find(name);
    if (it == chosen.end()) {
      session.fail("size '" + name + "' of " + function.name +
                   " has no value; set it with --size " + name + "=N");
      return std::nullopt;
    }
    runtime.push_back(it->second);
  }
  auto sizes = function.evaluateSizes(runtime);
  if (!sizes)
    session.fail("the sizes are inconsistent with those that " + function.name +
                 " derives from them");
  return sizes;
}

/// Fills the tensors and calls the function.
bool Run::callOnce(RunCase &run, const CallPlan &plan,
                   const ReferenceFunctions &reference) {
  if (llvm::Error error = run.take(files))
    return session.fail(llvm::toString(std::move(error)));
  if (llvm::Error error = run.prepare())
    return session.fail(llvm::toString(std::move(error)));
  run.forgetUnstoredRows(reference.graph.function, files);
  if (plan.packing)
    if (llvm::Error error = run.pack(plan, runtime))
      return session.fail(llvm::toString(std::move(error)));
  if (llvm::Error error = run.call(plan, runtime))
    return session.fail(llvm::toString(std::move(error)));
  if (std::string fault = takeTileFault(); !fault.empty())
    return session.fail(run.function.name +
                        ": the processor would fault: " + fault);
  return true;
}

/// Rows that the error rule needs to mean something, and the draws of inputs
/// that a case with fewer rows may take for them.
static constexpr double wantedRows = 256;
static constexpr unsigned maxDraws = 16;

/// Calls and checks further draws of the inputs until there are enough rows.
bool Run::drawAgain(const RunCase &first, const CallPlan &plan,
                    const ReferenceFunctions &reference, CheckResult &check) {
  double rows = first.rows();
  for (unsigned draw = 1;
       rows > 0 && rows * draw < wantedRows && draw < maxDraws; ++draw) {
    RunCase run(first.function, first.sizes, options, options.seed + draw,
                session.mlirContext());
    if (!callOnce(run, plan, reference))
      return false;
    auto result = run.check(reference, /*comparesGraph=*/false);
    if (mlir::failed(result))
      return session.fail("the reference could not be computed");
    check.merge(*result);
  }
  return true;
}

/// Each element is held as the caller's, as a double, and for the results of
/// both references.
static double bytesFor(const Interface &function,
                       llvm::ArrayRef<int64_t> sizes) {
  auto value = [&](llvm::StringRef name) -> std::optional<int64_t> {
    auto index = function.sizeIndex(name);
    return index ? std::optional<int64_t>(sizes[*index]) : std::nullopt;
  };
  double elements = 0;
  for (const InterfaceTensor &tensor : function.tensors) {
    double product = 1;
    for (const SizeExpr &axis : tensor.axes)
      product *= double(std::max<int64_t>(axis.evaluate(value).value_or(0), 0));
    elements += product;
  }
  return elements * 4 * sizeof(double);
}

static double physicalMemory() {
  return double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
}

bool Run::runCase(const Interface &function, std::vector<int64_t> sizes,
                  const CallPlan &plan, const ReferenceFunctions &reference) {
  double bytes = bytesFor(function, sizes), machine = physicalMemory();
  if (bytes > machine)
    return session.fail(
        llvm::formatv("{0}: the tensors and their references require {1:F1} "
                      "GiB, but the machine has {2:F1} GiB",
                      function.name, bytes / 0x1p30, machine / 0x1p30));
  RunCase run(function, std::move(sizes), options, options.seed,
              session.mlirContext());
  if (!callOnce(run, plan, reference))
    return false;
  // Of several parts the best one runs last.
  if (llvm::Error error = run.save(files))
    return session.fail(llvm::toString(std::move(error)));
  std::optional<CheckResult> check;
  if (options.check) {
    auto result = run.check(reference, /*comparesGraph=*/true);
    if (mlir::failed(result))
      return session.fail("the reference could not be computed");
    check = *result;
    if (!drawAgain(run, plan, reference, *check))
      return false;
  }
  std::optional<BenchResult> bench;
  if (options.benchSeconds) {
    auto result = run.bench(plan, runtime, reference, *target);
    if (mlir::failed(result))
      return session.fail("the benchmark could not be run");
    bench = *result;
  }
  reportCase(run, options, *target, check, bench);
  return !check || check->isRight();
}

/// A dump's function takes what its interface says. One of a spec may have to
/// be called with weights that another one packs.
std::optional<CallPlan> Run::planCall(const Interface &function,
                                      RunnableObject &object) {
  CallPlan plan;
  auto find = [&](llvm::StringRef name, Entry &entry) {
    auto found = object.entry(name);
    if (!found)
      return session.fail("internal error: " +
                          llvm::toString(found.takeError()));
    entry = std::move(*found);
    return true;
  };
  plan.function = findInterface(session.interfaces(), function.name);
  if (!find(function.name, plan.entry))
    return std::nullopt;
  if (plan.function->packing() == function.packing())
    return plan;
  plan.packing = findInterface(session.interfaces(), plan.function->packing());
  if (!find(plan.packing->name, plan.packEntry))
    return std::nullopt;
  return plan;
}

bool Run::runFunction(unsigned index, RunnableObject &object) {
  const Interface &function = functions[index];
  auto plan = planCall(function, object);
  if (!plan)
    return false;
  bool isRight = true;
  for (const SizeMap &chosen : combinations(index)) {
    auto sizes = sizesFor(function, chosen);
    if (!sizes)
      return false;
    ReferenceFunctions reference{
        oracleOf(*graph, functions, function.name, *sizes),
        oracleOf(*fused, session.interfaces(), function.name, *sizes),
        specOf(function)};
    isRight &= runCase(function, std::move(*sizes), *plan, reference);
  }
  return isRight;
}

/// --interpret: the reference in the place of the kernel.
bool Run::interpretFunction(unsigned index) {
  const Interface &function = functions[index];
  for (const SizeMap &chosen : combinations(index)) {
    auto sizes = sizesFor(function, chosen);
    if (!sizes)
      return false;
    ReferenceFunctions reference{
        oracleOf(*graph, functions, function.name, *sizes), Oracle(),
        specOf(function)};
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
  const Interface &function = functions[index];
  for (const SizeMap &chosen : combinations(index)) {
    auto sizes = sizesFor(function, chosen);
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
    for (unsigned i = 0; i < functions.size(); ++i)
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
    for (unsigned i = 0; i < functions.size(); ++i)
      isRight &= runFunction(i, object);
  }
  return isRight;
}

bool Run::startThreads() {
  runtime.size = sizeof runtime;
  runtime.threads = 1;
  if (options.threads == 1)
    return true;
  pool = attnc_threads_create(static_cast<int32_t>(options.threads));
  if (!pool)
    return session.fail("cannot start " + llvm::Twine(options.threads) +
                        " threads");
  attnc_threads_use(pool, &runtime);
  return true;
}

/// Each size of --size is one of some function.
bool Run::checkSizes() {
  const auto &specs = session.specs();
  auto isWrong = [&](const auto &given) {
    return llvm::none_of(specs, [&](const spec::AttentionSpec &spec) {
      return isRunTimeSize(spec, given.first);
    });
  };
  auto wrong = llvm::find_if(options.sizes, isWrong);
  if (specs.empty() || wrong == options.sizes.end())
    return true;
  llvm::SetVector<llvm::StringRef> names;
  for (const spec::AttentionSpec &spec : specs)
    for (const spec::Size &size : spec.sizes)
      if (size.kind == spec::Size::RunTime)
        names.insert(size.name);
  return session.fail(
      "--size: " +
      (specs.size() == 1 ? specs[0].name + " has no" : "no function has a") +
      " run-time size '" + wrong->first + "'" +
      (names.empty() ? ": all are fixed"
                     : "; run-time sizes: " + llvm::join(names, ", ")));
}

int Run::run() {
  std::optional<Stage> from = options.inputStage;
  if (!from)
    from = stageOfName(options.input);
  if (!from || *from > Stage::Scheduled)
    return session.fail("attnc-run accepts a spec or, with -x, a dump of stage "
                        "graph, fused or scheduled"),
           2;
  std::string refusal = refuseForDump(options, *from);
  if (!refusal.empty())
    return session.fail(refusal), 2;
  if (!session.load(*from))
    return 1;
  refusal = refuseForTargets(options, session.targets());
  if (!refusal.empty())
    return session.fail(refusal), 2;
  if (!checkSizes())
    return 2;
  if (*from == Stage::Spec && session.specs().empty())
    return session.fail("the input contains no spec"), 1;
  if (!compile() || !readFiles() || !startThreads())
    return 1;
  bool isRight = true;
  if (options.mask)
    return tellTilesOfParts() ? 0 : 1;
  if (options.interpret) {
    for (unsigned i = 0; i < functions.size(); ++i)
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
                      return Run(std::move(parsed.options), crash).run();
                    }));
}

} // namespace attnc
