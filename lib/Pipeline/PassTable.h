//===- PassTable.h - Passes of each stage as text ---------------*- C++ -*-===//

#ifndef ATTNC_LIB_PIPELINE_PASSTABLE_H
#define ATTNC_LIB_PIPELINE_PASSTABLE_H

#include "attnc/Pipeline/Backends.h"

namespace attnc {

/// Makes the passes of the table known to the text form of pipelines. May be
/// called again.
void registerAllPasses();

/// The passes that make `stage` from the one before it, with the options put
/// in, as attnc-opt --pass-pipeline takes them.
std::string stagePasses(Stage stage, const PipelineOptions &options,
                        const StageTable &table = stageTable());

/// The entries of the stages that all backends share.
llvm::ArrayRef<const StageEntry *> sharedStages();

/// Checks that something reads each attribute that is no op's own. Errors were
/// emitted.
mlir::LogicalResult verifyAttributes(mlir::ModuleOp module);

/// Checks a dump of stage llvm: functions that the entry calls, no others.
mlir::LogicalResult verifyLlvm(mlir::ModuleOp module);

/// The first of the passes that make stage fused: they choose what is
/// multiplied, in which order, in which case of a function.
std::string orderingPasses(const PipelineOptions &options);
/// The others.
std::string fusingPasses(const PipelineOptions &options);

/// Runs passes, given as text, for what is counted on the way: they tell
/// nothing of their choices, since the module itself will take this way, too.
/// Errors were emitted.
mlir::LogicalResult
runQuietly(mlir::ModuleOp module, const std::string &passes,
           llvm::function_ref<void(mlir::PassManager &)> configure);

} // namespace attnc

#endif // ATTNC_LIB_PIPELINE_PASSTABLE_H
