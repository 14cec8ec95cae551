//===- Translate.cpp - The two ends of the pipeline -----------------------===//

#include "attnc/Pipeline/Translate.h"

#include "attnc/Import/Import.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace attnc {

OwningOpRef<ModuleOp> importModule(MLIRContext &context,
                                   const llvm::SourceMgr &sources,
                                   llvm::ArrayRef<spec::AttentionSpec> specs) {
  return importSpecs(context, sources, specs);
}

std::unique_ptr<llvm::Module> translateToLlvm(ModuleOp module,
                                              llvm::LLVMContext &context) {
  return translateModuleToLLVMIR(module, context, "attnc");
}

} // namespace attnc
