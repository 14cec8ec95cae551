//===- Compile.cpp - Functions as steps, compiled by Halide ---------------===//

#include "attnc/Codegen/Halide/Halide.h"

#include "Device/CheckNumbers.h"
#include "EqualPipelines.h"
#include "Formula.h"
#include "Kernel/Kernel.h"
#include "LoadLibrary.h"
#include "Shim.h"
#include "Side/Normalize.h"
#include "Side/SideOps.h"

#include "attnc/Codegen/Common/Passes.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Interface/Remark.h"
#include "attnc/Target/HalideWords.h"
#include "attnc/Target/Platform.h"
#include "attnc/Target/Target.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"

#include <set>

using namespace mlir;

namespace attnc::halide {
namespace {

/// The functions of a module.
struct ModulePlan {
  std::vector<Interface> interfaces;
  std::vector<FunctionPlan> functions;
  std::vector<std::vector<Step>> steps; // of each function
};

/// Of kernels of form chunked.
using FactorsOfKernels = llvm::MapVector<Operation *, ScoreFactors>;

} // namespace

/// Functions of one scalar that weights need, to be expanded with the others.
static void addMathFunctions(ModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto add = [&](StringRef name, Type type, auto make) {
    auto function =
        func::FuncOp::create(builder, module.getLoc(), nameOfMath(name, type),
                             builder.getFunctionType(type, type));
    function.setPrivate();
    OpBuilder inside = OpBuilder::atBlockEnd(function.addEntryBlock());
    Value value = make(inside, function.getArgument(0));
    func::ReturnOp::create(inside, module.getLoc(), value);
  };
  Location loc = module.getLoc();
  for (Type type : {Type(builder.getF32Type()), Type(builder.getF64Type())}) {
    add("exp", type, [&](OpBuilder &b, Value x) -> Value {
      return math::ExpOp::create(b, loc, x);
    });
    add(kExpAtMostOne, type, [&](OpBuilder &b, Value x) -> Value {
      auto op = math::ExpOp::create(b, loc, x);
      op->setAttr(codegen::kAtMostOne, b.getUnitAttr());
      return op;
    });
    add("exp2", type, [&](OpBuilder &b, Value x) -> Value {
      return math::Exp2Op::create(b, loc, x);
    });
    add("log", type, [&](OpBuilder &b, Value x) -> Value {
      return math::LogOp::create(b, loc, x);
    });
    add("log2", type, [&](OpBuilder &b, Value x) -> Value {
      return math::Log2Op::create(b, loc, x);
    });
  }
}

/// Of struct attnc_slot (Device/slots.h).
static constexpr int64_t kMaxRankOnDevice = 16;

/// Whether an op other than a view needs the elements of `value`.
static bool isReadByOps(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<attn::ViewOp>(user))
      return isReadByOps(user->getResult(0));
    if (auto pack = dyn_cast<attn::PackOp>(user);
        pack && use.getOperandNumber() == 0)
      return isReadByOps(pack);
    return !isa<func::ReturnOp>(user);
  });
}

/// A step before its op is written.
static Step beginStep(const FunctionPlan &plan, const Target &target) {
  Step step;
  step.isDevice = plan.isDevice;
  step.builder.castsHalves = plan.isDevice;
  if (plan.isDevice && !target.device.hasInt64)
    step.builder.indexType = kInt32;
  // Halide's SPIR-V multiplies by reciprocals of 64 bits.
  step.builder.hidesDivisors = target.device.api == "vulkan";
  return step;
}

/// Adds a step to `steps` that is written, if it stores something.
static LogicalResult finishStep(FunctionPlan &plan, const Target &target,
                                Step step, std::vector<Step> &steps) {
  if (failed(checkFixedRanges(plan, step, target)))
    return failure();
  // No name of the user's begins so.
  step.builder.pipeline.symbol = "attnc_" + plan.function.getName().str() +
                                 "_step" + std::to_string(steps.size());
  if (!step.outputs.empty())
    steps.push_back(std::move(step));
  return success();
}

/// A kernel whose keys are in parts: on a CPU their states, then their results
/// in a step of its own, for which all states are needed.
static LogicalResult planSplitKernel(attn::KernelOp kernel, FunctionPlan &plan,
                                     const Target &target, Step step,
                                     std::vector<Step> &steps) {
  KeyParts parts = planParts(kernel, plan);
  KernelJob first{plan.isDevice ? KernelPart::Whole : KernelPart::States,
                  &parts};
  if (failed(emitKernel(kernel, plan, step, first)) ||
      failed(finishStep(plan, target, std::move(step), steps)))
    return failure();
  if (plan.isDevice)
    return success();
  Step merge = beginStep(plan, target);
  if (failed(emitKernel(kernel, plan, merge, {KernelPart::Merge, &parts})))
    return failure();
  return finishStep(plan, target, std::move(merge), steps);
}

/// Linear attention: the states before chunks of keys, then the kernel.
static LogicalResult planChunkedKernel(attn::KernelOp kernel,
                                       FunctionPlan &plan, const Target &target,
                                       const ScoreFactors &factors, Step step,
                                       std::vector<Step> &steps) {
  ChunkStates chunks = planChunks(kernel, factors, plan);
  KernelJob states{KernelPart::Chunks, nullptr, &chunks};
  KernelJob whole{KernelPart::Whole, nullptr, &chunks};
  Step start = beginStep(plan, target);
  if (failed(emitKernel(kernel, plan, start, states)) ||
      failed(finishStep(plan, target, std::move(start), steps)) ||
      failed(emitKernel(kernel, plan, step, whole)))
    return failure();
  return finishStep(plan, target, std::move(step), steps);
}

static LogicalResult planFunction(FunctionPlan &plan, const Target &target,
                                  const FactorsOfKernels &factors,
                                  std::vector<Step> &steps) {
  if (plan.isDevice && failed(refuseWideNumbers(plan.function, target)))
    return failure();
  for (Operation &op : plan.function.getBody().front()) {
    if (isa<attn::AppendOp>(op)) // its result is an argument's memory
      continue;
    bool computes = isa<attn::KernelOp>(op) || attn::BlockAttr::of(&op);
    for (Value result : op.getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType());
          computes && type && isReadByOps(result)) {
        if (plan.isDevice && type.getRank() > kMaxRankOnDevice)
          return op.emitError("the Halide backend supports tensors of at most ")
                 << kMaxRankOnDevice << " axes on devices";
        plan.workspaceOf[result] = plan.workspaces.size();
        plan.workspaces.push_back(type);
      }
  }
  for (Operation &op : plan.function.getBody().front()) {
    Step step = beginStep(plan, target);
    auto kernel = dyn_cast<attn::KernelOp>(op);
    if (!kernel && !attn::BlockAttr::of(&op))
      continue;
    if (kernel && kernel.getSchedule()->getSplit()) {
      if (failed(planSplitKernel(kernel, plan, target, step, steps)))
        return failure();
      continue;
    }
    if (auto found = factors.find(&op); found != factors.end()) {
      if (failed(planChunkedKernel(kernel, plan, target, found->second, step,
                                   steps)))
        return failure();
      continue;
    }
    auto normalize = dyn_cast<attn::NormalizeOp>(op);
    if (failed(kernel      ? emitKernel(kernel, plan, step)
               : normalize ? emitNormalize(normalize, plan, step)
                           : emitSideOp(&op, plan, step)) ||
        failed(finishStep(plan, target, std::move(step), steps)))
      return failure();
  }
  return success();
}

/// Each value of the factors, with the region whose value it is.
static void
visitFactors(attn::KernelOp kernel, ScoreFactors &factors,
             llvm::function_ref<void(Region &region, Value &value)> visit) {
  auto visitProduct = [&](Region &region, ScoreFactors::Product &product) {
    for (auto *list : {&product.ofQuery, &product.ofKey})
      for (ScoreFactors::Factor &factor : *list)
        visit(region, factor.value);
    for (ScoreFactors::Decay &decay : product.decays) {
      visit(region, decay.value);
      if (decay.exponent)
        visit(region, decay.exponent);
    }
  };
  visitProduct(kernel.getScore(), factors.score);
  if (factors.feature)
    visitProduct(kernel.getPairs().front(), *factors.feature);
  Region &mask = kernel.getMask();
  for (auto *list : {&factors.queryMask, &factors.keyMask})
    for (Value &condition : *list)
      visit(mask, condition);
  visit(mask, factors.causal.low);
  visit(mask, factors.causal.high);
}

/// Expands functions of formulas. The factors of linear attention are found
/// before, in the functions themselves; yielded by their regions meanwhile,
/// their values are what they are expanded to afterwards.
static LogicalResult expandMath(ModuleOp module, const Target &target,
                                FactorsOfKernels &factors) {
  module.walk([&](attn::KernelOp kernel) {
    attn::ScheduleAttr schedule = kernel.getSchedule().value_or(nullptr);
    std::string reason;
    if (schedule && schedule.getForm() == attn::ScheduleForm::Chunked)
      if (std::optional<ScoreFactors> found = findScoreFactors(kernel, reason))
        factors[kernel] = std::move(*found);
  });
  for (auto &[op, found] : factors)
    visitFactors(cast<attn::KernelOp>(op), found,
                 [](Region &region, Value &value) {
                   Operation *yield = region.front().getTerminator();
                   yield->insertOperands(yield->getNumOperands(), value);
                 });
  PassManager passes(module.getContext());
  passes.enableVerifier(false); // of what regions yield
  codegen::ExpandMathOptions options;
  options.flushDenormals = target.kind == TargetKind::Cpu; // as the entry says
  // Otherwise they would be calls of libm.
  std::optional<HalideWords> words = findHalideWords(target);
  options.round = !words || words->hasRounding;
  passes.addPass(codegen::createExpandMath(options));
  if (failed(passes.run(module)))
    return failure();
  for (auto &[op, found] : factors)
    visitFactors(cast<attn::KernelOp>(op), found,
                 [](Region &region, Value &value) {
                   Operation *yield = region.front().getTerminator();
                   value = yield->getOperand(1);
                   yield->eraseOperand(1);
                 });
  return success();
}

/// `module` is a copy.
static LogicalResult planModule(ModuleOp module, const Target &target,
                                ModulePlan &plan) {
  FailureOr<std::vector<Interface>> interfaces = getInterfaces(module);
  if (failed(interfaces))
    return failure();
  plan.interfaces = std::move(*interfaces);
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  addMathFunctions(module);
  FactorsOfKernels factors;
  if (failed(expandMath(module, target, factors)))
    return failure();
  for (func::FuncOp function : functions) {
    FunctionPlan &one = plan.functions.emplace_back();
    one.function = function;
    one.isDevice = target.kind == TargetKind::Device;
    one.interface = findInterface(plan.interfaces, function.getName());
    if (!one.interface)
      return function.emitError("has no entry in attnc.interface");
    if (failed(planFunction(one, target, factors, plan.steps.emplace_back())))
      return failure();
  }
  if (target.kind == TargetKind::Cpu)
    shareEqualPipelines(plan.steps);
  return success();
}

/// The processor in Halide's words: what it selects instructions by. The flags
/// of functions are LLVM's own again when Emit has set them. Devices have the
/// runtime; see Plugin.cpp for checks. Empty where the backend has no words for
/// it.
static std::string halideTarget(const Target &target) {
  std::optional<HalideWords> words = findHalideWords(target);
  if (!words)
    return "";
  StringRef runtime =
      target.kind == TargetKind::Device ? "" : "-no_runtime-no_asserts";
  return (words->platform + runtime +
          "-no_bounds_query-strict_float-user_context" + words->features)
      .str();
}

/// The platforms where objects launch kernels of the device `name`.
static std::string listHosts(StringRef name) {
  std::string list;
  for (const Platform &platform : getPlatforms())
    if (const Target *level = platform.findLevel(name);
        level && level->device.hasHostCode)
      list += (list.empty() ? "" : ", ") + platform.triple.str();
  return list;
}

static LogicalResult compile(ModuleOp module, const Target &target,
                             Wanted wanted, ModulePlan &plan,
                             Compiled &result) {
  Program program;
  program.isDevice = target.kind == TargetKind::Device;
  if (program.isDevice && wanted == Wanted::Bitcode &&
      !target.device.hasHostCode)
    return module.emitError("cannot write an object for the device '")
           << target.name
           << "' on this platform; use --target=" << listHosts(target.name)
           << ", or --emit=kernels for the source of its kernels only";
  if (!program.isDevice && wanted == Wanted::Kernels)
    return module.emitError("'")
           << target.name
           << "' is no device; --emit=kernels writes the source "
              "of a device's kernels, for example -mcpu=opencl";
  program.target = halideTarget(target);
  if (program.target.empty())
    return module.emitError("the Halide backend does not support the level '")
           << target.name << "' yet";
  program.hasUniformLoads = findHalideWords(target)->hasUniformLoads;
  std::set<StringRef> written;
  for (const std::vector<Step> &steps : plan.steps)
    for (const Step &step : steps)
      if (written.insert(step.builder.pipeline.symbol).second)
        program.pipelines.push_back(step.builder.pipeline);
  if (program.pipelines.empty())
    return module.emitError("the Halide backend does not support functions "
                            "that compute nothing yet");
  llvm::Expected<CompileFunction *> library = loadLibrary();
  if (!library)
    return module.emitError() << llvm::toString(library.takeError());
  (*library)(program, wanted, result);
  if (!result.error.empty())
    return plan.functions.front().function.emitError()
           << "internal error: " << result.error;
  return success();
}

/// Tensors of the host are on the device from the first step that uses them to
/// the last one.
static void reportCopies(func::FuncOp function, ArrayRef<Step> steps) {
  std::set<unsigned> in, out;
  for (const Step &step : steps) {
    for (Place place : step.inputs)
      if (!place.isWorkspace)
        in.insert(place.number);
    for (Place place : step.outputs)
      if (!place.isWorkspace) {
        in.insert(place.number);
        out.insert(place.number);
      }
  }
  remarkOn(function) << "a call with host tensors copies " << in.size()
                     << " tensors to the device and " << out.size()
                     << " back, in " << steps.size()
                     << (steps.size() == 1 ? " step" : " steps") << " [limit]";
}

std::unique_ptr<llvm::Module> compileToLlvm(ModuleOp module,
                                            const Target &target,
                                            llvm::LLVMContext &context) {
  OwningOpRef<ModuleOp> copy = module.clone();
  ModulePlan plan;
  Compiled result;
  if (failed(planModule(*copy, target, plan)) ||
      failed(compile(*copy, target, Wanted::Bitcode, plan, result)))
    return nullptr;
  std::unique_ptr<llvm::Module> linked;
  for (llvm::StringRef bitcode : result.bitcode) {
    auto parsed = llvm::parseBitcodeFile(
        llvm::MemoryBufferRef(bitcode, "halide"), context);
    if (!parsed) {
      module.emitError("internal error: Halide's bitcode: ")
          << llvm::toString(parsed.takeError());
      return nullptr;
    }
    if (!linked)
      linked = std::move(*parsed);
    else if (llvm::Linker::linkModules(*linked, std::move(*parsed))) {
      module.emitError("internal error: Halide's modules cannot be linked");
      return nullptr;
    }
  }
  llvm::Module &whole = *linked;
  if (target.kind == TargetKind::Device)
    addDeviceRuntime(whole, target.device.api);
  else
    addRuntime(whole);
  for (auto [function, steps] : llvm::zip(plan.functions, plan.steps)) {
    addFunction(whole, function, steps);
    if (function.isDevice)
      reportCopies(function.function, steps);
  }
  finishModule(whole);
  return linked;
}

static std::optional<std::string> print(ModuleOp module, const Target &target,
                                        Wanted wanted) {
  OwningOpRef<ModuleOp> copy = module.clone();
  ModulePlan plan;
  Compiled result;
  if (failed(planModule(*copy, target, plan)) ||
      failed(compile(*copy, target, wanted, plan, result)))
    return std::nullopt;
  return wanted == Wanted::Kernels ? result.kernels
         : wanted == Wanted::Page  ? result.page
                                   : result.statement;
}

std::optional<std::string> printStatements(ModuleOp module,
                                           const Target &target) {
  return print(module, target, Wanted::Statement);
}

std::optional<std::string> printPage(ModuleOp module, const Target &target) {
  return print(module, target, Wanted::Page);
}

std::optional<std::string> printKernels(ModuleOp module, const Target &target) {
  return print(module, target, Wanted::Kernels);
}

} // namespace attnc::halide
