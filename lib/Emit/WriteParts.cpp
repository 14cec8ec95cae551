//===- WriteParts.cpp - Machine code of parts on several threads ----------===//
//
// Instruction selection and what follows takes more than half of a compile, and
// an LLVMContext belongs to one thread. So the functions of each part get a
// context of their own and become assembly, like the entry, whose text the
// compiler carries; all texts are then assembled into one object. Globals,
// descriptions and entry points are in the last text.
//
//   module   f.grid0.body.x86-64-v4, f.grid0.body.x86-64-v3, f, constants
//   texts    entry | f.grid0.body.x86-64-v4 | f.grid0.body.x86-64-v3
//                  | f, constants
//
// Tests: test/Unit/Emit/WritePartsTest.cpp
//
//===----------------------------------------------------------------------===//

#include "WriteParts.h"

#include "LinkParts.h"
#include "MachineCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/TargetParser/Triple.h"

#include <cstdlib>

using namespace attnc;
using namespace llvm;

namespace {
/// A part, as a thread reads and writes it.
struct Piece {
  const Part *part;
  std::unique_ptr<TargetMachine> machine;
  std::unique_ptr<MCSubtargetInfo> subtarget; // whose code it is
  unsigned firstNumber; // of its functions among those of the object
  std::string text;     // assembly
  std::string error;
  int crash = 0; // the code of a crash, or 0
};
} // namespace

bool attnc::canWriteParts(const Module &module, ArrayRef<Part> parts) {
  return parts.size() > 1 && module.getTargetTriple().isOSBinFormatELF() &&
         !module.getModuleInlineAsm().empty();
}

static bool isOf(const Function &function, const Part &part, size_t count) {
  return !function.isDeclaration() &&
         function.getName().ends_with(suffixOf(part, count));
}

/// A global that another text of the object defines.
static void declare(GlobalValue &value) {
  value.setLinkage(GlobalValue::ExternalLinkage);
  value.setDSOLocal(true);
}

static bool isOfPart(const Function &function, ArrayRef<Part> parts) {
  return any_of(parts, [&](const Part &part) {
    return isOf(function, part, parts.size());
  });
}

/// Leaves the functions of one part in a copy of the module and declares what
/// they use of the rest.
static void keepPart(Module &module, const Part &part, size_t count) {
  StringRef prefix = module.getDataLayout().getPrivateGlobalPrefix();
  SmallVector<GlobalValue *> others;
  for (GlobalValue &value : module.global_values()) {
    auto *function = dyn_cast<Function>(&value);
    if (!value.isDeclaration() && !(function && isOf(*function, part, count)))
      others.push_back(&value);
  }
  for (GlobalValue *value : others) {
    if (auto *function = dyn_cast<Function>(value))
      function->deleteBody();
    else if (auto *variable = dyn_cast<GlobalVariable>(value))
      variable->setInitializer(nullptr);
  }
  for (GlobalValue *value : others) {
    if (value->use_empty()) {
      value->eraseFromParent();
      continue;
    }
    if (value->hasPrivateLinkage()) // only definitions get the prefix
      value->setName("\01" + prefix + value->getName());
    declare(*value);
  }
}

/// Keeps the first message of the code generator.
static void keepError(const DiagnosticInfo *info, void *piece) {
  std::string &error = static_cast<Piece *>(piece)->error;
  if (info->getSeverity() != DS_Error || !error.empty())
    return;
  raw_string_ostream stream(error);
  DiagnosticPrinterRawOStream printer(stream);
  info->print(printer);
}

/// Code of one of `count` parts. `bitcode` has the whole module.
static void compile(Piece &piece, StringRef bitcode, size_t count) {
  LLVMContext context;
  context.setDiagnosticHandlerCallBack(keepError, &piece);
  auto module = parseBitcodeFile(MemoryBufferRef(bitcode, "parts"), context);
  if (!module) {
    piece.error = toString(module.takeError());
    return;
  }
  keepPart(**module, *piece.part, count);
  SmallVector<char, 0> text;
  raw_svector_ostream stream(text);
  if (Error error = writeMachineCode(**module, *piece.machine,
                                     CodeGenFileType::AssemblyFile, stream,
                                     piece.firstNumber))
    piece.error = toString(std::move(error));
  piece.text = stream.str();
}

/// The same; a crash is left to `passOnCrash`.
static void compileSafely(Piece &piece, StringRef bitcode, size_t count) {
  CrashRecoveryContext recovery;
  if (!recovery.RunSafely([&] { compile(piece, bitcode, count); }))
    piece.crash = recovery.RetCode;
}

/// A crash of a thread becomes one of this thread, whose caller reports it.
static void passOnCrash(ArrayRef<Piece> pieces) {
  for (const Piece &piece : pieces)
    if (piece.crash) {
      if (CrashRecoveryContext *recovery = CrashRecoveryContext::GetCurrent())
        recovery->HandleExit(piece.crash);
      std::abort();
    }
}

/// Whether a line of assembly is about the file, which the last text describes.
static bool isAboutFile(StringRef line) {
  line = line.trim();
  return line.starts_with(".file") || line.starts_with(".ident") ||
         line.starts_with(".addrsig") ||
         line.starts_with(".section\t\".note.GNU-stack\"");
}

/// The labels of the module's private globals.
static StringSet<> listPrivate(const Module &module) {
  StringSet<> names;
  StringRef prefix = module.getDataLayout().getPrivateGlobalPrefix();
  for (const GlobalValue &value : module.global_values())
    if (value.hasPrivateLinkage())
      names.insert((prefix + value.getName()).str());
  return names;
}

/// Whether each text has labels of this name of its own. Those of blocks and
/// constants (.LBB3_1, .LCPI3_0) have the number of their function.
static bool isOfText(StringRef label, const StringSet<> &privateNames) {
  return isLower(label.drop_front(2).front()) && !privateNames.contains(label);
}

/// Appends the text's number to the labels of a line that need it.
static void renameLabels(StringRef line, size_t number,
                         const StringSet<> &privateNames, std::string &result) {
  for (size_t at; (at = line.find(".L")) != StringRef::npos;) {
    bool isQuoted = at > 0 && line[at - 1] == '"';
    bool isBegin = at == 0 || !(isAlnum(line[at - 1]) || line[at - 1] == '_');
    size_t end = line.find_if(
        [&](char c) {
          return isQuoted ? c == '"'
                          : !isAlnum(c) && !StringRef("._$").contains(c);
        },
        at);
    StringRef label = line.slice(at, end);
    result += line.take_front(at);
    result += label;
    if (isBegin && label.size() > 2 && isOfText(label, privateNames))
      result += "." + std::to_string(number);
    line = line.drop_front(at + label.size());
  }
  result += line;
  result += '\n';
}

/// Makes the text a part of another one.
static std::string isolate(StringRef text, size_t number,
                           const StringSet<> &privateNames) {
  std::string result;
  result.reserve(text.size());
  for (StringRef line : split(text, '\n'))
    if (!isAboutFile(line))
      renameLabels(line, number, privateNames, result);
  return result;
}

namespace {
/// Assembles texts one after the other into an object.
class Assembler {
public:
  Assembler(TargetMachine &machine, raw_pwrite_stream &out);

  /// `subtarget` is that of the text's code.
  Error add(StringRef text, const MCSubtargetInfo &subtarget);
  void finish() { streamer->finish(); }

private:
  TargetMachine &machine;
  const MCTargetOptions &options;
  std::string message;
  SourceMgr sources;
  MCContext context;
  std::unique_ptr<MCObjectFileInfo> sections;
  std::unique_ptr<MCStreamer> streamer;
  bool isFirst = true;
};
} // namespace

Assembler::Assembler(TargetMachine &machine, raw_pwrite_stream &out)
    : machine(machine), options(machine.Options.MCOptions),
      context(machine.getTargetTriple(), machine.getMCAsmInfo(),
              machine.getMCRegisterInfo(), machine.getMCSubtargetInfo(),
              &sources, &options),
      sections(machine.getTarget().createMCObjectFileInfo(
          context, machine.isPositionIndependent())) {
  sources.setDiagHandler(
      [](const SMDiagnostic &diagnostic, void *text) {
        raw_string_ostream stream(*static_cast<std::string *>(text));
        diagnostic.print(nullptr, stream, /*ShowColors=*/false);
      },
      &message);
  context.setObjectFileInfo(sections.get());
  const llvm::Target &target = machine.getTarget();
  const MCSubtargetInfo &subtarget = *machine.getMCSubtargetInfo();
  std::unique_ptr<MCAsmBackend> backend(target.createMCAsmBackend(
      subtarget, *machine.getMCRegisterInfo(), options));
  std::unique_ptr<MCObjectWriter> writer = backend->createObjectWriter(out);
  std::unique_ptr<MCCodeEmitter> emitter(
      target.createMCCodeEmitter(*machine.getMCInstrInfo(), context));
  streamer.reset(target.createMCObjectStreamer(
      machine.getTargetTriple(), context, std::move(backend), std::move(writer),
      std::move(emitter), subtarget));
}

Error Assembler::add(StringRef text, const MCSubtargetInfo &subtarget) {
  unsigned buffer = sources.AddNewSourceBuffer(
      MemoryBuffer::getMemBufferCopy(text, "assembly"), SMLoc());
  std::unique_ptr<MCAsmParser> parser(createMCAsmParser(
      sources, context, *streamer, *machine.getMCAsmInfo(), buffer));
  std::unique_ptr<MCTargetAsmParser> target(
      machine.getTarget().createMCAsmParser(
          subtarget, *parser, *machine.getMCInstrInfo(), options));
  parser->setTargetParser(*target);
  bool hasFailed = parser->Run(/*NoInitialTextSection=*/!isFirst,
                               /*NoFinalize=*/true);
  isFirst = false;
  if (hasFailed || context.hadError())
    return createStringError("the assembler refuses the code: " + message);
  return Error::success();
}

static Expected<std::vector<Piece>> listPieces(const Module &module,
                                               ArrayRef<Part> parts,
                                               const CodegenTarget &target) {
  std::vector<Piece> pieces(parts.size());
  unsigned number = 0;
  for (auto [part, piece] : zip_equal(parts, pieces)) {
    auto machine = createMachine(target);
    if (!machine)
      return machine.takeError();
    piece.part = &part;
    piece.machine = std::move(*machine);
    piece.subtarget.reset(piece.machine->getTarget().createMCSubtargetInfo(
        module.getTargetTriple(), part.target.cpu, part.target.features));
    piece.firstNumber = number;
    number += count_if(module, [&](const Function &function) {
      return isOf(function, part, parts.size());
    });
  }
  return pieces;
}

/// Removes the bodies of the parts' functions and returns how many there were.
static unsigned takeParts(Module &module, ArrayRef<Part> parts) {
  unsigned count = 0;
  for (Function &function : module) {
    if (!isOfPart(function, parts))
      continue;
    function.deleteBody();
    declare(function);
    ++count;
  }
  return count;
}

/// Other names of functions, such as constructors of Halide's runtime, are no
/// symbols of the object: their users get the function itself.
static void replaceAliases(Module &module) {
  for (GlobalAlias &alias : make_early_inc_range(module.aliases()))
    if (alias.isDiscardableIfUnused()) {
      alias.replaceAllUsesWith(alias.getAliasee());
      alias.eraseFromParent();
    }
}

/// At most one for each processor that the process may use.
static ThreadPoolStrategy countThreads(size_t most) {
  ThreadPoolStrategy strategy = hardware_concurrency(unsigned(most));
  strategy.Limit = true;
  return strategy;
}

Error attnc::writeParts(Module &module, ArrayRef<Part> parts,
                        const CodegenTarget &target, TargetMachine &machine,
                        raw_pwrite_stream &out) {
  replaceAliases(module);
  auto pieces = listPieces(module, parts, target);
  if (!pieces)
    return pieces.takeError();
  std::string entry = module.getModuleInlineAsm();
  module.setModuleInlineAsm("");
  SmallVector<char, 0> bitcode;
  raw_svector_ostream bitcodeStream(bitcode);
  // Register allocation depends on the order of uses.
  WriteBitcodeToFile(module, bitcodeStream,
                     /*ShouldPreserveUseListOrder=*/true);
  StringSet<> privateNames = listPrivate(module);
  DefaultThreadPool pool(countThreads(parts.size()));
  for (Piece &piece : *pieces)
    pool.async(
        [&] { compileSafely(piece, bitcodeStream.str(), parts.size()); });
  unsigned firstNumber = takeParts(module, parts);
  SmallVector<char, 0> rest;
  raw_svector_ostream stream(rest);
  Error error = writeMachineCode(module, machine, CodeGenFileType::AssemblyFile,
                                 stream, firstNumber);
  pool.wait();
  passOnCrash(*pieces);
  if (error)
    return error;
  Assembler assembler(machine, out);
  if (Error error = assembler.add(entry, *machine.getMCSubtargetInfo()))
    return error;
  for (auto [index, piece] : enumerate(*pieces)) {
    if (!piece.error.empty()) // of the first part that has one
      return createStringError(piece.error);
    if (Error error = assembler.add(isolate(piece.text, index, privateNames),
                                    *piece.subtarget))
      return error;
  }
  if (Error error = assembler.add(stream.str(), *machine.getMCSubtargetInfo()))
    return error;
  assembler.finish();
  return Error::success();
}
