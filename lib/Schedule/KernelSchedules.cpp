//===- KernelSchedules.cpp - Schedules of single kernels ------------------===//

#include "attnc/Schedule/KernelSchedules.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Interface/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace attnc {

std::vector<NamedKernel> listKernels(ModuleOp module) {
  std::vector<NamedKernel> kernels;
  for (auto function : module.getOps<func::FuncOp>()) {
    size_t first = kernels.size();
    function.walk([&](attn::KernelOp kernel) {
      kernels.push_back({function.getName().str(), function.getName(), kernel});
    });
    if (kernels.size() - first < 2)
      continue;
    for (size_t i = first; i < kernels.size(); ++i)
      kernels[i].name += "/" + std::to_string(i - first + 1);
  }
  return kernels;
}

void requestSchedule(Operation *kernel, StringRef schedule, Location place) {
  MLIRContext *context = kernel->getContext();
  kernel->setAttr(
      kScheduleAttr,
      ArrayAttr::get(context, {StringAttr::get(context, schedule), place}));
}

std::vector<std::string> candidatesOf(Operation *kernel) {
  std::vector<std::string> texts;
  if (auto list = kernel->getAttrOfType<ArrayAttr>(kCandidatesAttr))
    for (Attribute candidate : list)
      llvm::raw_string_ostream(texts.emplace_back()) << candidate;
  return texts;
}

} // namespace attnc
