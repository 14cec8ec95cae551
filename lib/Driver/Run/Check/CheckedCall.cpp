//===- CheckedCall.cpp - Calls that are compared with the reference -------===//

#include "Run/Check/CheckedCall.h"

#include "Run/Model/TileModels.h"

namespace attnc {

Oracle oracleOf(mlir::ModuleOp module, llvm::ArrayRef<Interface> interfaces,
                llvm::StringRef name, llvm::ArrayRef<int64_t> sizes) {
  Oracle oracle;
  oracle.interface = findInterface(interfaces, name);
  oracle.function =
      module.lookupSymbol<mlir::func::FuncOp>(oracle.interface->bodyAt(sizes));
  if (!oracle.function) // of a stage before the cases were made
    oracle.function = module.lookupSymbol<mlir::func::FuncOp>(name);
  oracle.packingInterface =
      findInterface(interfaces, oracle.interface->packing());
  if (oracle.packingInterface)
    oracle.packing =
        module.lookupSymbol<mlir::func::FuncOp>(oracle.packingInterface->name);
  return oracle;
}

llvm::Expected<CallPlan> planCall(llvm::ArrayRef<Interface> ofObject,
                                  const Interface &function,
                                  RunnableObject &object) {
  CallPlan plan;
  plan.function = findInterface(ofObject, function.name);
  auto entry = object.entry(function.name);
  if (!entry)
    return entry.takeError();
  plan.entry = std::move(*entry);
  if (plan.function->packing() == function.packing())
    return plan;
  plan.packing = findInterface(ofObject, plan.function->packing());
  auto packing = object.entry(plan.packing->name);
  if (!packing)
    return packing.takeError();
  plan.packEntry = std::move(*packing);
  return plan;
}

bool CheckedCaller::call(RunCase &run, const CallPlan &plan,
                         const ReferenceFunctions &reference) {
  if (llvm::Error error = run.take(files))
    return session.fail(llvm::toString(std::move(error)));
  if (llvm::Error error = run.prepare())
    return session.fail(llvm::toString(std::move(error)));
  run.forgetUnstoredRows(reference.graph.function, files);
  if (plan.packing)
    if (llvm::Error error = run.pack(plan, runtime))
      return session.fail(llvm::toString(std::move(error)));
  if (llvm::Error error = run.call(plan, runtime))
    return session.fail(llvm::toString(std::move(error)));
  if (std::string fault = takeTileFault(); !fault.empty())
    return session.fail(run.function.name +
                        ": the processor would fault: " + fault);
  return true;
}

/// Rows that the error rule needs to mean something, and the draws of inputs
/// that a case with fewer rows may take for them.
static constexpr double wantedRows = 256;
static constexpr unsigned maxDraws = 16;

/// Calls and checks further draws of the inputs until there are enough rows.
bool CheckedCaller::drawAgain(const RunCase &first, const CallPlan &plan,
                              const ReferenceFunctions &reference,
                              CheckResult &check) {
  double rows = first.rows();
  for (unsigned draw = 1;
       rows > 0 && rows * draw < wantedRows && draw < maxDraws; ++draw) {
    RunCase run(first.function, first.sizes, options, options.seed + draw,
                session.mlirContext());
    if (!call(run, plan, reference))
      return false;
    auto result = run.check(reference, /*comparesGraph=*/false);
    if (mlir::failed(result))
      return session.fail("the reference could not be computed");
    check.merge(*result);
  }
  return true;
}

std::optional<CheckResult>
CheckedCaller::check(RunCase &run, const CallPlan &plan,
                     const ReferenceFunctions &reference) {
  auto result = run.check(reference, /*comparesGraph=*/true);
  if (mlir::failed(result)) {
    session.fail("the reference could not be computed");
    return std::nullopt;
  }
  CheckResult check = *result;
  if (!drawAgain(run, plan, reference, check))
    return std::nullopt;
  return check;
}

} // namespace attnc
