//===- AllowedPlaces.cpp - How many places a mask allows ------------------===//

#include "Attn/FunctionInterpreter.h"

using namespace mlir;

namespace attnc::reference {

template <typename Real>
FailureOr<double> FunctionInterpreter<Real>::countAllowed(
    attn::MaskOp mask, func::FuncOp function, ArrayRef<Tensor> inputs) {
  for (auto [argument, tensor] :
       llvm::zip_equal(function.getArguments(), inputs))
    arrays[argument] = toArray<Real>(tensor);
  auto space = spaceOf(mask.getResult(), mask.getLabels(), {});
  if (failed(space))
    return failure();
  // Places along a letter that the formula does not have are alike.
  double alike = 1, places = 1;
  Block &block = mask.getBody().front();
  for (auto [extent, argument] :
       llvm::zip_equal(space->extents, block.getArguments())) {
    if (argument.use_empty() && extent > 0)
      alike *= double(std::exchange(extent, 1));
    places *= double(extent);
  }
  if (places > maxCountedPlaces)
    return failure();
  SmallVector<unsigned> axes =
      llvm::to_vector(llvm::seq<unsigned>(0, space->names.size()));
  SmallVector<int64_t> starts(axes.size(), 0);
  RegionEvaluator<Real> run = evaluator();
  double allowed = 0;
  auto count = [&](int64_t, const Column<Real> &column) {
    for (int64_t lane = 0; lane < space->rowLength(); ++lane)
      allowed += column.integerAt(lane) != 0;
  };
  if (failed(evaluateOver<Real>(*space, block, {}, axes, starts, run, count)))
    return failure();
  return allowed * alike;
}

FailureOr<double> countAllowed(attn::MaskOp mask, ArrayRef<Tensor> inputs,
                               const Sizes &sizes) {
  return FunctionInterpreter<double>(sizes, Arithmetic())
      .countAllowed(mask, mask->getParentOfType<func::FuncOp>(), inputs);
}

} // namespace attnc::reference
