//===- Plan.cpp - What can be lowered -------------------------------------===//
//
// Refusals that need no look at memory are here, those about views and blocks
// in ViewIndices.cpp and ReadElement.cpp, those about arguments in
// Signature.cpp.
// Tests: test/Lowering/convert-attn-to-tile-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Plan.h"

#include "Formula/ReadElement.h"

#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/Cases.h"
#include "attnc/Dialect/Attn/InProduct.h"
#include "attnc/Dialect/Attn/TileRows.h"
#include "attnc/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

/// An op that makes no tensor of its own: an index, a size, a formula of its
/// users.
static bool isHarmless(Operation &op) {
  if (isa<attn::ViewOp, attn::SliceOp, attn::UnpackOp, attn::PackOp,
          attn::PlaceOp, attn::PagesOp, attn::SizeOp, attn::MaskOp,
          func::ReturnOp>(op))
    return true;
  return isa_and_present<arith::ArithDialect>(op.getDialect()) &&
         llvm::all_of(op.getOperandTypes(), isScalar) &&
         llvm::all_of(op.getResultTypes(), isScalar);
}

/// One block, whose arguments and results are tensors that a program can take.
LogicalResult checkForm(func::FuncOp function) {
  if (function.isDeclaration())
    return function.emitError("has no body to lower");
  if (!function.getBody().hasOneBlock())
    return function.emitError("has control flow, which cannot be lowered");
  for (TypeRange types : {TypeRange(function.getArgumentTypes()),
                          TypeRange(function.getResultTypes())})
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tile::BufType::isElement(tensor.getElementType()))
        return function.emitError()
               << "takes or returns " << type
               << ", which a tile program cannot have as an argument";
    }
  return success();
}

static int64_t lastExtent(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape().back();
}

/// Tile sizes, and what the form asks for.
static LogicalResult checkKernel(attn::KernelOp kernel) {
  std::optional<attn::ScheduleAttr> schedule = kernel.getSchedule();
  if (!schedule)
    return kernel.emitOpError("has no schedule; run attn-select-schedule");
  SmallVector<std::pair<Value, StringRef>, 2> rows{
      {kernel.getQ(), "features of q"}};
  if (kernel.getV())
    rows.push_back({kernel.getV(), "features of v"});
  int64_t q = schedule->getQ(), k = schedule->getK();
  for (auto [operand, what] : rows) {
    int64_t size = lastExtent(operand);
    if (ShapedType::isDynamic(size) || size == 0)
      return kernel.emitOpError()
             << "the " << what << " must have a fixed size of at least 1 to be "
             << "lowered to tiles";
    if (!tile::TileType::fits({q, k}) || !tile::TileType::fits({q, size}) ||
        !tile::TileType::fits({k, size}))
      return kernel.emitOpError()
             << "tiles of q = " << q << ", k = " << k << " and " << size
             << " features are too large; the limit is "
             << tile::TileType::kMaxElements << " elements";
  }
  int64_t keys = cast<RankedTensorType>(kernel.getK().getType())
                     .getDimSize(kernel.getKeyAxis());
  if (schedule->getForm() == attn::ScheduleForm::Rows &&
      (ShapedType::isDynamic(keys) || keys > schedule->getK()))
    return kernel.emitOpError()
           << "form rows needs a fixed kv_len of at most k = "
           << schedule->getK() << "; use form = online";
  for (Type type : kernel->getOperandTypes())
    if (cast<RankedTensorType>(type).getElementTypeBitWidth() >
        kernel.getAccumulateType().getIntOrFloatBitWidth())
      return kernel.emitOpError("has operands wider than its sums");
  return success();
}

/// Every op is a kernel, a side op with a block, or harmless.
static LogicalResult checkOps(func::FuncOp function) {
  bool any = false;
  for (Operation &op : function.getBody().front()) {
    auto map = dyn_cast<attn::MapOp>(op);
    if (isHarmless(op) || (map && isRepeatForKernels(map)))
      continue;
    any = true;
    if (auto kernel = dyn_cast<attn::KernelOp>(op)) {
      if (failed(checkKernel(kernel)))
        return failure();
    } else if (!isa<attn::ContractOp, attn::MapOp, attn::NormalizeOp,
                    attn::ReduceOp, attn::ConcatOp, attn::AppendOp,
                    attn::ScanOp>(op)) {
      return op.emitOpError("has no lowering to tiles");
    } else if (!attn::BlockAttr::of(&op) && !op.hasAttr(attn::kInProduct)) {
      return op.emitOpError("has no attn.block; run attn-select-schedule");
    }
    if (std::string problem = attn::findCasesProblem(&op); !problem.empty())
      return op.emitOpError("has illegal ") << attn::kCases << ": " << problem;
    if (auto contract = dyn_cast<attn::ContractOp>(op))
      if (std::string problem = attn::findTileRowsProblem(contract);
          !problem.empty())
        return op.emitOpError("has illegal ")
               << attn::kTileRows << ": " << problem;
  }
  if (!any)
    return function.emitError("has nothing to compute");
  return success();
}

/// Every size that the lowering needs has a value.
static LogicalResult checkSizes(func::FuncOp function,
                                const Signature &signature) {
  Scope scope;
  for (const std::string &size : signature.sizes)
    scope.sizes[size] = Value();
  auto checkTensor = [&](Operation *op, Value tensor) -> LogicalResult {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    for (int64_t axis = 0; type && axis < type.getRank(); ++axis) {
      Attribute size = attn::axisSize(type, axis);
      if (scope.knows(size))
        continue;
      InFlightDiagnostic error = op->emitOpError();
      error << "has an axis " << axis << " of " << type
            << " whose size is unknown: ";
      if (size)
        return error << size
                     << " is not an expression of sizes of the interface";
      return error << "it is dynamic and has no name in #attn.dims";
    }
    return success();
  };
  WalkResult result = function.walk([&](Operation *op) -> WalkResult {
    if (isa<attn::ReadOp>(op))
      return success();
    if (auto size = dyn_cast<attn::SizeOp>(op)) {
      if (scope.sizes.contains(size.getName()))
        return success();
      return size.emitOpError()
             << "refers to an unknown size of the interface: '"
             << size.getName() << "'";
    }
    for (Value value :
         llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                             SmallVector<Value>(op->getResults())))
      if (failed(checkTensor(op, value)))
        return failure();
    return success();
  });
  return failure(result.wasInterrupted());
}

LogicalResult checkFunction(func::FuncOp function, const Signature &signature) {
  if (failed(checkOps(function)))
    return failure();
  return checkSizes(function, signature);
}

LogicalResult checkReads(func::FuncOp function, const Scope &scope) {
  WalkResult result = function.walk([&](Operation *op) -> WalkResult {
    if (!isa<attn::ReadOp, attn::TableMinOp, attn::TableMaxOp,
             attn::LowerBoundOp>(op))
      return WalkResult::advance();
    return checkElements(op, op->getOperand(0), scope);
  });
  return failure(result.wasInterrupted());
}

} // namespace attnc::lowering
