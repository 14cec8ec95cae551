//===- KernelSchedules.cpp - Schedules of single kernels ------------------===//

#include "attnc/Schedule/KernelSchedules.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Tile/Tile.h"
#include "attnc/Interface/Attributes.h"
#include "attnc/Interface/Remark.h"

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

bool multipliesTerms(Operation *kernel) {
  std::optional<attn::ScheduleAttr> schedule =
      cast<attn::KernelOp>(kernel).getSchedule();
  auto cpu = schedule ? dyn_cast<tile::CpuAttr>(schedule->getTarget())
                      : tile::CpuAttr();
  return cpu && cpu.getBf16Terms() > 1;
}

void requestSchedules(ModuleOp module, ArrayRef<KernelRequest> requests) {
  MLIRContext *context = module.getContext();
  NamedAttrList list;
  for (const KernelRequest &one : requests)
    list.set(one.kernel,
             ArrayAttr::get(context, {StringAttr::get(context, one.schedule),
                                      LocationAttr(one.place),
                                      LocationAttr(one.namePlace)}));
  module->setAttr(kScheduleAttr, list.getDictionary(context));
}

LogicalResult takeRequests(ModuleOp module) {
  auto requests = module->getAttrOfType<DictionaryAttr>(kScheduleAttr);
  if (!requests)
    return success();
  std::vector<NamedKernel> kernels = listKernels(module);
  for (NamedAttribute request : requests) {
    auto isNamed = [&](const NamedKernel &one) {
      return one.name == request.getName().getValue();
    };
    if (llvm::any_of(kernels, isNamed))
      continue;
    auto place = cast<LocationAttr>(cast<ArrayAttr>(request.getValue())[2]);
    InFlightDiagnostic error = emitError(Location(place));
    error << "no kernel is named '" << request.getName().getValue()
          << "'; kernels: ";
    llvm::interleaveComma(kernels, error,
                          [&](const NamedKernel &one) { error << one.name; });
    return error << " [schedule-file]";
  }
  for (const NamedKernel &one : kernels) {
    auto request = requests.getAs<ArrayAttr>(one.name);
    bool isChosen = request && !cast<StringAttr>(request[0]).empty();
    if (isChosen)
      one.kernel->setAttr(kScheduleAttr, request);
    else
      remarkOn(one.kernel) << "the schedule is chosen automatically, because "
                           << (request ? "tuning of " + one.name +
                                             " was not finished"
                                       : "the schedule file has no entry for " +
                                             one.name)
                           << " [schedule]";
  }
  module->removeAttr(kScheduleAttr);
  return success();
}

std::vector<std::string> candidatesOf(Operation *kernel) {
  std::vector<std::string> texts;
  if (auto list = kernel->getAttrOfType<ArrayAttr>(kCandidatesAttr))
    for (Attribute candidate : list)
      llvm::raw_string_ostream(texts.emplace_back()) << candidate;
  return texts;
}

} // namespace attnc
