//===- Session.h - One input on its way through the stages ------*- C++ -*-===//
//
// Reads the input, holds the module, and moves it along the arrow. Up to stage
// fused all processors share one module; then each has its own, a part. Both
// tools use it.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_COMPILE_SESSION_H
#define ATTNC_LIB_DRIVER_COMPILE_SESSION_H

#include "Compile/Assemble.h"
#include "Compile/CrashReport.h"
#include "Compile/Diagnostics.h"
#include "Options/CommandLine.h"

#include "attnc/Emit/Object.h"
#include "attnc/Interface/Interface.h"
#include "attnc/Pipeline/Backends.h"
#include "attnc/Pipeline/Stages.h"
#include "attnc/Spec/ScheduleFile.h"
#include "attnc/Spec/Spec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace attnc {

/// The module for one processor.
struct SessionPart {
  const Target *target = nullptr;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Stage stage = Stage::Fused;
  std::vector<Interface> interfaces;
};

class Session {
public:
  /// `crash` is kept up to date; both arguments outlive the session.
  Session(const CommonOptions &options, CrashReport &crash);

  /// Reads the input, a dump of `stage` or a spec; a dump of several parts has
  /// lines `// -----` between them. False after an error, which was printed.
  bool load(Stage stage);
  /// The same of a text that is in memory.
  bool load(std::unique_ptr<llvm::MemoryBuffer> text, Stage stage);
  /// Brings the module, or each part, to `stage`. False after an error.
  bool advanceTo(Stage stage);
  /// The object, assembly or LLVM IR of all parts, which are advanced to the
  /// last stage of their backend before.
  bool emit(EmitKind kind, llvm::SmallVectorImpl<char> &bytes);
  /// An object for this machine's best level, whichever the parts are for:
  /// `prepare` has made their kernels independent of what that level lacks.
  /// They may call `symbols`, separated by blanks.
  bool emitForHost(llvm::function_ref<llvm::Error(llvm::Module &)> prepare,
                   const std::string &symbols,
                   llvm::SmallVectorImpl<char> &bytes);
  /// An object of this machine whose grids are launched by `launch`, of a
  /// backend for devices.
  bool emitLaunches(KernelLaunch *launch, llvm::SmallVectorImpl<char> &bytes);

  /// Whether the backends of all parts have this stage, or that of one part
  /// this output. False also for outputs of tools that are not installed.
  bool canMake(llvm::StringRef name) const;
  /// An output of the backend that is neither a stage nor made by Emit, for
  /// each part that has it.
  bool printOutput(llvm::StringRef name, llvm::raw_ostream &os);

  /// Requests schedules as --schedule-file does; before stage scheduled.
  void setSchedules(spec::ScheduleFile file) { schedules = std::move(file); }
  /// A hash of the module at stage fused: of the input and of what the compiler
  /// makes of it.
  std::string fingerprint();

  /// The specs, if the input was one.
  llvm::ArrayRef<spec::AttentionSpec> specs() const { return specList; }
  /// The module that all processors share, up to stage fused; then that of the
  /// weakest one.
  mlir::ModuleOp module() {
    return partList.empty() ? *moduleRef : *partList.front().module;
  }
  /// From stage scheduled on; the order is that of -mcpu, weakest first.
  llvm::ArrayRef<SessionPart> parts() const { return partList; }
  /// Prints the module, or all parts with lines `// -----` between them.
  void print(llvm::raw_ostream &os);
  Stage stage() const { return currentStage; }
  /// Those of all parts; `kernels` lists the kernels of the best part first.
  llvm::ArrayRef<Interface> interfaces() const { return interfaceList; }
  llvm::ArrayRef<Remark> remarks() const { return printer.remarks(); }
  /// The line of the input where each function begins.
  std::vector<unsigned> firstLines() const;
  /// What the passes are told; may be changed before advanceTo.
  PipelineOptions &pipelineOptions() { return pipeline; }
  const Platform &platform() const { return *currentPlatform; }
  /// The processors, weakest first.
  llvm::ArrayRef<const Target *> targets() const { return targetList; }
  mlir::MLIRContext *mlirContext() { return &context; }
  /// Prints a table of where the time went when the session ends (--time).
  void startTiming();

  /// "TOOL: error: TEXT" on the standard error; gives false.
  bool fail(const llvm::Twine &text);

private:
  using MakePart = llvm::function_ref<std::unique_ptr<llvm::Module>(
      const SessionPart &, Part &, llvm::LLVMContext &)>;
  bool emitParts(EmitKind kind, llvm::SmallVectorImpl<char> &bytes,
                 MakePart make);
  /// The part's own or that of --backend; null: the target's first.
  const Backend *requestedBackend(const Target &target) const;
  const Backend &backendFor(const Target &target) const;
  const Platform &hostPlatform() const;
  bool hasOutput(const Target &target, llvm::StringRef name) const;
  bool advanceToCode();
  std::unique_ptr<llvm::Module> translateLaunches(const SessionPart &part,
                                                  llvm::LLVMContext &context);
  std::optional<std::string> makeOutput(const SessionPart &part,
                                        llvm::StringRef name);
  std::optional<std::unique_ptr<ToolRun>>
  startAssembler(const SessionPart &part, llvm::StringRef assembly,
                 bool isRequired);
  std::optional<std::string> finishAssembler(ToolRun *run);
  bool loadSpec();
  bool loadDump(Stage stage);
  bool checkDumpText();
  bool loadParts(llvm::ArrayRef<llvm::StringRef> texts, Stage stage);
  bool loadPart(llvm::StringRef text, Stage stage);
  bool loadScheduleFile();
  bool checkSchedules();
  void requestSchedules(const SessionPart &part);
  bool adoptModule();
  bool adoptBackend(mlir::ModuleOp module, const Target &target, Stage stage);
  bool adoptParts();
  bool checkTargets(llvm::ArrayRef<const Target *> ofDump);
  const Target *targetOfDump(mlir::ModuleOp module);
  void split();
  void chooseBackend(const SessionPart &part);
  std::string whyNot(const Backend &backend, const SessionPart &part,
                     bool translates, std::optional<double> &cycles);
  /// To the stage, or each to the last one of its backend.
  bool advanceParts(std::optional<Stage> stage);

  const CommonOptions &options;
  CrashReport &crash;
  mlir::DialectRegistry registry;
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  DiagnosticPrinter printer;
  PipelineOptions pipeline;
  std::vector<spec::AttentionSpec> specList;
  std::optional<spec::ScheduleFile> schedules;
  mlir::OwningOpRef<mlir::ModuleOp> moduleRef;
  std::vector<SessionPart> partList;
  /// Of parts whose backend neither --backend nor their target determines.
  llvm::DenseMap<const Target *, const Backend *> partBackends;
  const Platform *currentPlatform = nullptr;
  std::vector<const Target *> targetList;
  std::vector<Interface> interfaceList;
  Stage currentStage = Stage::Spec;
  Stage loadedStage = Stage::Spec;   // of the input
  mlir::DefaultTimingManager timing; // prints when it is destroyed
  mlir::TimingScope total;           // ends before
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_COMPILE_SESSION_H
