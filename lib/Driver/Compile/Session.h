//===- Session.h - One input on its way through the stages ------*- C++ -*-===//
//
// Reads the input, holds the module, and moves it along the arrow. Both tools
// use it.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_COMPILE_SESSION_H
#define ATTNC_LIB_DRIVER_COMPILE_SESSION_H

#include "Compile/Diagnostics.h"
#include "Options/CommandLine.h"

#include "attnc/Emit/Object.h"
#include "attnc/Interface/Interface.h"
#include "attnc/Pipeline/Stages.h"
#include "attnc/Spec/Spec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace attnc {

class Session {
public:
  Session(llvm::StringRef tool, const CommonOptions &options);

  /// Reads the input, a dump of `stage` or a spec. False after an error, which
  /// was printed.
  bool load(Stage stage);
  /// Brings the module to `stage`. False after an error.
  bool advanceTo(Stage stage);
  /// The object, assembly or LLVM IR of the module, which is advanced to the
  /// last stage of its backend before.
  bool emit(EmitKind kind, llvm::SmallVectorImpl<char> &bytes);

  /// The specs, if the input was one.
  llvm::ArrayRef<spec::AttentionSpec> specs() const { return specList; }
  mlir::ModuleOp module() { return *moduleRef; }
  Stage stage() const { return currentStage; }
  llvm::ArrayRef<Interface> interfaces() const { return interfaceList; }
  llvm::ArrayRef<Remark> remarks() const { return printer.remarks(); }
  /// The line of the input where each function begins.
  std::vector<unsigned> firstLines() const;
  /// What the passes are told; may be changed before advanceTo.
  PipelineOptions &pipelineOptions() { return pipeline; }
  const Target &target() const { return *pipeline.target; }
  /// Prints a table of where the time went when the session ends (--time).
  void startTiming();

  /// "TOOL: error: TEXT" on the standard error; gives false.
  bool fail(const llvm::Twine &text);

private:
  bool loadSpec();
  bool loadDump(Stage stage);
  bool checkDumpText();
  bool adoptModule();

  llvm::StringRef tool;
  const CommonOptions &options;
  mlir::DialectRegistry registry;
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  DiagnosticPrinter printer;
  PipelineOptions pipeline;
  std::vector<spec::AttentionSpec> specList;
  mlir::OwningOpRef<mlir::ModuleOp> moduleRef;
  std::vector<Interface> interfaceList;
  Stage currentStage = Stage::Spec;
  mlir::DefaultTimingManager timing; // prints when it is destroyed
  mlir::TimingScope total;           // ends before
};

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_COMPILE_SESSION_H
