//===- SessionEmit.cpp - Code of all parts --------------------------------===//
//
// Tests: test/Tools/parts.test, test/Codegen/NVPTX/cubin.test
//
//===----------------------------------------------------------------------===//

#include "Compile/Assemble.h"
#include "Compile/Session.h"

#include "attnc/Target/Platform.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace attnc {

const Backend *Session::requestedBackend(const Target &target) const {
  const Backend *own = partBackends.lookup(&target);
  return own ? own : options.backend;
}

const Backend &Session::backendFor(const Target &target) const {
  const Backend *requested = requestedBackend(target);
  return requested ? *requested : *stageTable().backendFor(target.kind);
}

/// Whose programs call the object.
const Platform &Session::hostPlatform() const {
  return currentPlatform->levels.front().kind == TargetKind::Gpu
             ? getHostPlatform()
             : *currentPlatform;
}

/// Each part to the last stage of its backend.
bool Session::advanceToCode() {
  llvm::scope_exit print([&] { printer.print(); });
  return (currentStage >= Stage::Fused || advanceTo(Stage::Fused)) &&
         advanceParts(std::nullopt);
}

/// Starts to make the machine code of a part's kernels; nothing after an error.
/// Null without an assembler, unless that is required.
std::optional<std::unique_ptr<ToolRun>>
Session::startAssembler(const SessionPart &part, llvm::StringRef assembly,
                        bool isRequired) {
  auto failWith = [&](const llvm::Twine &text) {
    fail(text);
    return std::nullopt;
  };
  auto assembler = findAssembler(options.ptxas);
  if (!assembler)
    return failWith(llvm::toString(assembler.takeError()));
  if (!*assembler && isRequired)
    return failWith("machine code of " + part.target->name +
                    " requires ptxas of CUDA, which is not in PATH; install it "
                    "or use --ptxas=PROGRAM");
  emitRemark(part.module.get().getLoc())
      << part.target->name << ": "
      << (*assembler ? "PTX, and machine code by ptxas"
                     : "PTX only: ptxas is not in PATH, so the driver compiles "
                       "the kernels when a program first calls them")
      << " [object]";
  if (!*assembler)
    return nullptr;
  auto run = assemble(**assembler, assembly, *part.target);
  if (!run)
    return failWith(llvm::toString(run.takeError()));
  return std::move(*run);
}

/// The machine code, empty of null; nothing after an error.
std::optional<std::string> Session::finishAssembler(ToolRun *run) {
  if (!run)
    return "";
  auto code = run->finish();
  if (code)
    return std::move(*code);
  fail(llvm::toString(code.takeError()));
  return std::nullopt;
}

std::unique_ptr<llvm::Module>
Session::translateLaunches(const SessionPart &part,
                           llvm::LLVMContext &llvmContext) {
  const Backend &backend = backendFor(*part.target);
  auto text = backend.print(*part.module, *part.target, backend.assembly);
  if (!text)
    return nullptr;
  auto run = startAssembler(part, *text, /*isRequired=*/false);
  if (!run)
    return nullptr;
  emitRemark(part.module.get().getLoc())
      << part.target->name
      << ": calls with tensors on the host copy them to the GPU and back; "
         "tensors on the GPU are not copied [object]";
  return backend.translateLaunches(
      *part.module, *part.target, hostPlatform(), *text,
      [&] { return finishAssembler(run->get()); }, llvmContext);
}

bool Session::emit(EmitKind kind, llvm::SmallVectorImpl<char> &bytes) {
  return emitParts(
      kind, bytes,
      [&](const SessionPart &part, Part &made, llvm::LLVMContext &llvmContext) {
        const Backend &backend = backendFor(*part.target);
        const Platform &host = hostPlatform();
        if (backend.translate) {
          made.target = makeCodegenTarget(*part.target, host);
          return backend.translate(*part.module, *part.target, llvmContext);
        }
        made.target = makeCodegenTarget(host.levels.front(), host);
        made.target.label = part.target->name.str();
        return translateLaunches(part, llvmContext);
      });
}

bool Session::emitForHost(
    llvm::function_ref<llvm::Error(llvm::Module &)> prepare,
    const std::string &symbols, llvm::SmallVectorImpl<char> &bytes) {
  const Target &host = currentPlatform->selectLevel(getHostFeatures());
  return emitParts(
      EmitKind::Object, bytes,
      [&](const SessionPart &part, Part &made,
          llvm::LLVMContext &llvmContext) -> std::unique_ptr<llvm::Module> {
        made.target = makeCodegenTarget(host, *currentPlatform);
        made.target.label = part.target->name.str();
        made.target.systemSymbols += " " + symbols;
        const Backend &backend = backendFor(*part.target);
        if (!backend.translate) {
          fail("the code of backend '" + backend.name + "' for " +
               part.target->name + " cannot run on the host");
          return nullptr;
        }
        auto kernels =
            backend.translate(*part.module, *part.target, llvmContext);
        if (!kernels)
          return nullptr;
        if (llvm::Error error = prepare(*kernels)) {
          fail(llvm::toString(std::move(error)));
          return nullptr;
        }
        return kernels;
      });
}

bool Session::emitLaunches(KernelLaunch *launch,
                           llvm::SmallVectorImpl<char> &bytes) {
  const Platform &host = getHostPlatform();
  return emitParts(
      EmitKind::Object, bytes,
      [&](const SessionPart &part, Part &made, llvm::LLVMContext &llvmContext) {
        made.target = makeCodegenTarget(host.levels.front(), host);
        made.target.label = part.target->name.str();
        return backendFor(*part.target)
            .translateHost(*part.module, *part.target, llvmContext, launch);
      });
}

/// Why a backend writes no objects, with what it writes; empty if it does.
static std::string whyNoObject(const Backend &backend) {
  if (backend.translate || backend.translateLaunches)
    return "";
  std::string text = "backend '" + backend.name.str() + "' makes no objects";
  if (!backend.outputs.empty())
    text += "; use --emit=" + backend.outputs.front().name.str();
  return text;
}

/// Says which parts some processors pass over.
static void explainSlowParts(Location location, llvm::ArrayRef<Part> parts) {
  for (const Part &part : parts)
    if (const CodegenTarget &target = part.target;
        !target.slowPairFeatures.empty())
      emitRemark(location)
          << target.label << ": processors of level " << target.slowPairLabel
          << " and later run another part, because their dot-product unit for "
             "bf16 is slower than the fmas of that part [object]";
}

bool Session::emitParts(EmitKind kind, llvm::SmallVectorImpl<char> &bytes,
                        MakePart make) {
  if (!advanceToCode())
    return false;
  for (const SessionPart &part : partList)
    if (std::string why = whyNoObject(backendFor(*part.target)); !why.empty())
      return fail(why);
  llvm::scope_exit print([&] { printer.print(); });
  llvm::LLVMContext llvmContext;
  TimingScope phase = total.nest("translation to LLVM IR");
  std::vector<Part> parts;
  for (const SessionPart &part : llvm::reverse(partList)) { // best first
    Part &made = parts.emplace_back();
    made.isNarrow = backendFor(*part.target).isNarrow;
    made.device = part.target->kind;
    for (const Interface &function : part.interfaces)
      made.cases[function.name] = function.cases;
    printer.startPart(partList.size() > 1 ? part.target->name : "");
    made.kernels = make(part, made, llvmContext);
    printer.startPart("");
    if (!made.kernels)
      return false;
  }
  findSlowParts(parts);
  explainSlowParts(partList.front().module.get().getLoc(), parts);
  llvm::raw_svector_ostream os(bytes);
  llvm::Error error = emitObject(std::move(parts), interfaceList, os, kind,
                                 [&](llvm::StringRef name) {
                                   phase.stop();
                                   phase = total.nest(name.str());
                                 });
  if (!error)
    return true;
  bool isRefusal = false;
  std::string reason;
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &why) {
    isRefusal = why.convertToErrorCode() == std::errc::not_supported;
    reason = why.message();
  });
  if (isRefusal)
    return fail(reason + " [unsupported]");
  if (loadedStage != lastStage(pipeline))
    return fail("internal error: " + reason);
  return fail("the dump cannot be compiled for its attnc.target " +
              joinTargetNames(targetList) + ": " + reason);
}

static const OutputEntry *findOutput(const Backend &backend,
                                     llvm::StringRef name) {
  const OutputEntry *found =
      llvm::find_if(backend.outputs, [&](const OutputEntry &output) {
        return output.name == name;
      });
  return found == backend.outputs.end() ? nullptr : found;
}

bool Session::hasOutput(const Target &target, llvm::StringRef name) const {
  return findOutput(backendFor(target), name);
}

bool Session::canMake(llvm::StringRef name) const {
  if (auto stage = parseStage(name))
    return llvm::all_of(targetList, [&](const Target *target) {
      return llvm::is_contained(stageTable().path(backendFor(*target)), *stage);
    });
  for (const Target *target : targetList)
    if (const OutputEntry *own = findOutput(backendFor(*target), name)) {
      bool needsAssembler = own->tool != OutputEntry::None;
      auto assembler = findAssembler(options.ptxas);
      bool isFound = assembler && *assembler;
      llvm::consumeError(assembler.takeError());
      return (!needsAssembler || isFound) &&
             (own->tool != OutputEntry::Disassembler || findDisassembler());
    }
  return llvm::none_of(stageTable().backends(), [&](const Backend &other) {
    return findOutput(other, name);
  });
}

/// An output of one part; nothing after an error.
std::optional<std::string> Session::makeOutput(const SessionPart &part,
                                               llvm::StringRef name) {
  const Backend &backend = backendFor(*part.target);
  OutputEntry::Tool tool = findOutput(backend, name)->tool;
  auto text = backend.print(
      *part.module, *part.target,
      tool == OutputEntry::None ? name : llvm::StringRef(backend.assembly));
  if (!text || tool == OutputEntry::None)
    return text;
  std::optional<std::string> disassembler;
  if (tool == OutputEntry::Disassembler &&
      !(disassembler = findDisassembler())) {
    fail("--emit=" + name +
         " requires nvdisasm or cuobjdump of CUDA; neither "
         "is in PATH");
    return std::nullopt;
  }
  auto run = startAssembler(part, *text, /*isRequired=*/true);
  auto code = run ? finishAssembler(run->get()) : std::nullopt;
  if (!code || !disassembler)
    return code;
  auto listing = disassemble(*disassembler, *code);
  if (listing)
    return std::move(*listing);
  fail(llvm::toString(listing.takeError()));
  return std::nullopt;
}

/// The first platform's levels of these kinds: "sm_80 or sm_90a", the first of
/// more than two.
static std::string findLevels(llvm::ArrayRef<TargetKind> kinds) {
  for (const Platform &platform : getPlatforms()) {
    std::vector<llvm::StringRef> names;
    for (const Target &level :
         llvm::concat<const Target>(platform.levels, platform.devices))
      if (llvm::is_contained(kinds, level.kind))
        names.push_back(level.name);
    if (!names.empty())
      return names.size() > 2 ? names.front().str()
                              : llvm::join(names, " or -mcpu=");
  }
  return "";
}

/// What has this output of --emit, as "; use ...". Backends that write kernels
/// have different outputs for them.
static std::string whoHas(llvm::StringRef name, const Backend &own,
                          TargetKind kind) {
  for (const Backend &other : stageTable().backends()) {
    const OutputEntry *output = findOutput(other, name);
    if (!output || !other.print)
      continue;
    bool isOfSome = !output->kinds.empty();
    llvm::ArrayRef<TargetKind> kinds = isOfSome ? output->kinds : other.kinds;
    if (llvm::is_contained(kinds, kind))
      return ("; use --backend=" + other.name).str();
    if (std::string levels = findLevels(kinds); !levels.empty())
      return "; use -mcpu=" + levels +
             (isOfSome && !own.assembly.empty()
                  ? ", or --emit=" + own.outputs.front().name.str()
                  : "");
  }
  return "";
}

bool Session::printOutput(llvm::StringRef name, llvm::raw_ostream &os) {
  std::vector<const Target *> having;
  llvm::copy_if(targetList, std::back_inserter(having),
                [&](const Target *target) { return hasOutput(*target, name); });
  const Backend &backend = backendFor(*targetList.front());
  if (having.empty() || !backendFor(*having.front()).print)
    return fail("--emit=" + name + " is not available from backend '" +
                backend.name + "'" +
                whoHas(name, backend, targetList.front()->kind));
  if (!findOutput(backendFor(*having.front()), name)->isText &&
      having.size() > 1)
    return fail("--emit=" + name +
                " is code of one processor, but -mcpu names " +
                joinTargetNames(having));
  if (!advanceToCode())
    return false;
  llvm::scope_exit print([&] { printer.print(); });
  bool isFirst = true;
  for (const SessionPart &part : partList) {
    if (!hasOutput(*part.target, name))
      continue;
    auto text = makeOutput(part, name);
    if (!text)
      return false;
    os << (isFirst ? "" : "// -----\n") << *text;
    isFirst = false;
  }
  return true;
}

} // namespace attnc
