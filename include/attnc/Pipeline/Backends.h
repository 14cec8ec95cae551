//===- Backends.h - The tables of stages and backends -----------*- C++ -*-===//
//
// Stages up to `scheduled` are shared; each backend continues from there to
// code of its own. Lists of stages, outputs and passes, the parsing of their
// names and the pipelines of attnc-opt are made from these tables, so a backend
// is one entry in Backends.cpp.
// Tests: test/Unit/Pipeline/StageTableTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_PIPELINE_BACKENDS_H
#define ATTNC_PIPELINE_BACKENDS_H

#include "attnc/Pipeline/Stages.h"
#include "attnc/Target/Target.h"

#include "mlir/IR/DialectRegistry.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <optional>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace attnc {

struct Platform;

/// What a host calls to launch a kernel: target, kernel, thread blocks, threads
/// of a block, bytes of shared memory, bytes of the workspace, struct
/// attnc_call, and an array of descriptions of tensor maps with its length
/// (struct attnc_tensor_map, lib/Codegen/NVPTX/Launch/map.h).
using KernelLaunch = void(const char *, const char *, int64_t, int64_t, int64_t,
                          int64_t, const void *, const void *, int64_t);

/// How a stage is made and checked.
struct StageEntry {
  llvm::StringLiteral name;
  /// The passes from the stage before; @word@ stands for what the user chose.
  /// `|` is a comma: the passes before it choose what is multiplied, in which
  /// order. The last pass is the stage's verifier.
  llvm::StringLiteral passes;
  /// The passes that check a dump of the stage when it is read back.
  llvm::StringLiteral verifiers;
  /// The top-level ops of a dump: "tile.program", or "llvm." for a dialect.
  /// Empty where the ops alone do not identify the stage.
  llvm::StringLiteral ops = "";
  /// Checks of a dump that are not passes; null: none.
  mlir::LogicalResult (*verify)(mlir::ModuleOp) = nullptr;
};

/// An output that is not a dump of a stage.
struct OutputEntry {
  llvm::StringLiteral name;   // of --emit
  llvm::StringLiteral suffix; // of default file names
  bool isText;
  /// What the driver makes it with; otherwise the backend prints it.
  enum Tool { None, Assembler, Disassembler } tool = None;
  /// The processors that it exists for; empty: all of the backend.
  llvm::ArrayRef<TargetKind> kinds = {};
};

struct Backend {
  /// As `TargetAttrInterface::getBackend` returns it.
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  /// The kinds of processors that it compiles for.
  llvm::ArrayRef<TargetKind> kinds;
  /// The stages after `scheduled`. Backends may share a stage: the same entry.
  llvm::ArrayRef<const StageEntry *> stages;
  /// What it writes besides dumps of its stages, objects and headers.
  llvm::ArrayRef<OutputEntry> outputs;
  /// Registers what its stages need besides the shared dialects and passes.
  void (*registerDialects)(mlir::DialectRegistry &);
  void (*registerPasses)();
  /// Makes what Emit needs of a part from a module of the last stage, for a
  /// target. Null after an error, which was emitted.
  std::unique_ptr<llvm::Module> (*translate)(mlir::ModuleOp, const Target &,
                                             llvm::LLVMContext &) = nullptr;
  /// The text of an output that is not assembly; nothing after an error.
  std::optional<std::string> (*print)(mlir::ModuleOp, const Target &,
                                      llvm::StringRef output) = nullptr;
  /// See Part (attnc/Emit/Object.h).
  bool isNarrow = false;
  /// Of a device: the module of a part for a host that is this process and
  /// launches kernels by a function (attnc/Codegen/NVPTX/Host.h).
  std::unique_ptr<llvm::Module> (*translateHost)(mlir::ModuleOp, const Target &,
                                                 llvm::LLVMContext &,
                                                 KernelLaunch *) = nullptr;
  /// Of kernels that a part's host functions launch: the output that is their
  /// assembly.
  llvm::StringLiteral assembly = "";
  /// Makes what Emit needs of a part for programs of a platform, of the kernels
  /// as assembly and, unless it is empty, machine code. An assembler is writing
  /// that meanwhile, so it is requested as late as possible; nothing after an
  /// error.
  std::unique_ptr<llvm::Module> (*translateLaunches)(
      mlir::ModuleOp, const Target &, const Platform &host,
      llvm::StringRef assembly,
      llvm::function_ref<std::optional<std::string>()> finishMachineCode,
      llvm::LLVMContext &) = nullptr;
};

/// A name of --emit.
struct OutputKind {
  llvm::StringRef name;
  std::string suffix; // of default file names
  bool isText;
};

/// The shared stages and the backends.
class StageTable {
public:
  /// The arguments outlive the table. A backend lists its stages in the order
  /// in which the backends before it have them.
  StageTable(llvm::ArrayRef<const StageEntry *> shared,
             llvm::ArrayRef<Backend> backends);

  llvm::ArrayRef<const StageEntry *> sharedStages() const { return shared; }
  llvm::ArrayRef<Backend> backends() const { return backendList; }

  const StageEntry &operator[](Stage stage) const {
    return *entries[stage.number()];
  }
  /// All stages: the shared ones, then those of each backend, each once.
  std::vector<Stage> stages() const;
  std::optional<Stage> parse(llvm::StringRef name) const;
  /// The stage that a dump with this op at its top is in, if the op alone
  /// identifies it.
  std::optional<Stage> stageOfOp(llvm::StringRef op) const;

  /// The stages from spec to the last one of `backend`.
  std::vector<Stage> path(const Backend &backend) const;
  /// Each two neighbors on some path, from graph on.
  std::vector<std::pair<Stage, Stage>> steps() const;

  /// Null if there is none.
  const Backend *findBackend(llvm::StringRef name) const;
  /// The first backend that compiles for such processors; null if none does.
  const Backend *backendFor(TargetKind kind) const;
  /// "llvm", for diagnostics.
  std::string listBackends() const;

  /// What --emit accepts, in the order in which a compilation makes it.
  std::vector<OutputKind> outputKinds() const;

private:
  llvm::ArrayRef<const StageEntry *> shared;
  llvm::ArrayRef<Backend> backendList;
  std::vector<const StageEntry *> entries; // by the numbers of stages
};

/// The tables of this compiler.
const StageTable &stageTable();

} // namespace attnc

#endif // ATTNC_PIPELINE_BACKENDS_H
