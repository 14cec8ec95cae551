//===- VerifyProgram.cpp - The contract of stage `tile` -------------------===//
//
// Constraints: Passes.td.
// Tests: test/Dialect/Tile/verify-program.mlir, verify-program-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Tile/Passes.h"
#include "attnc/Dialect/Tile/Tile.h"
#include "attnc/Interface/Interface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc::tile {
#define GEN_PASS_DEF_VERIFYPROGRAM
#include "attnc/Dialect/Tile/Passes.h.inc"
} // namespace attnc::tile

using namespace attnc::tile;

static bool isKnown(Operation *op) {
  if (isa<scf::IfOp, scf::ForOp, scf::YieldOp>(op))
    return true;
  return isa_and_present<TileDialect, arith::ArithDialect, math::MathDialect>(
      op->getDialect());
}

/// verify_program_c3 and c4 for one op.
static LogicalResult verifyOp(Operation *op) {
  if (!isKnown(op)) // c4
    return op->emitOpError(
        "does not belong to stage tile; expected ops of "
        "tile, arith and math, scf.if, scf.for and scf.yield");
  bool inGrid = op->getParentOfType<GridOp>() != nullptr;
  if (isa<GridOp>(op)) {
    if (!isa<ProgramOp>(op->getParentOp())) // c3
      return op->emitOpError("must stand directly in tile.program");
    return success();
  }
  auto isTile = [](Type type) { return isa<TileType>(type); };
  if (!inGrid && (llvm::any_of(op->getOperandTypes(), isTile) ||
                  llvm::any_of(op->getResultTypes(), isTile))) // c4
    return op->emitOpError("computes tiles outside of a tile.grid");
  return success();
}

/// verify_program_c2 for one program.
static LogicalResult verifySignature(ProgramOp program,
                                     const attnc::Interface &interface) {
  auto arguments = program.getBody().getArguments();
  size_t tensors = interface.tensors.size(), sizes = interface.sizes.size();
  if (arguments.size() != tensors + sizes)
    return program.emitOpError()
           << "has " << arguments.size() << " arguments, but its interface has "
           << tensors << " tensors and " << sizes << " sizes";
  for (auto [argument, tensor] : llvm::zip(arguments, interface.tensors)) {
    auto type = dyn_cast<BufType>(argument.getType());
    Type element = attnc::elementType(tensor.dtype, program.getContext());
    if (!type || type.getRank() != tensor.axes.size() ||
        type.getElementType() != element)
      return program.emitOpError()
             << "argument " << argument.getArgNumber() << " is "
             << argument.getType() << ", but tensor '" << tensor.name
             << "' of its interface has " << tensor.axes.size() << " axes of "
             << element;
  }
  for (BlockArgument argument : arguments.drop_front(tensors))
    if (!argument.getType().isIndex())
      return program.emitOpError()
             << "argument " << argument.getArgNumber() << " is "
             << argument.getType() << ", but stands for size '"
             << interface.sizes[argument.getArgNumber() - tensors].name << "'";
  return success();
}

/// Whether an op runs only if the caller passed `buf`.
static bool isGuarded(Operation *op, Value buf) {
  for (auto branch = op->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>()) {
    auto present = branch.getCondition().getDefiningOp<PresentOp>();
    if (present && present.getBuf() == buf &&
        branch.getThenRegion().isAncestor(op->getParentRegion()))
      return true;
  }
  return false;
}

/// verify_program_c5 for one program.
static LogicalResult verifyOptional(ProgramOp program,
                                    const attnc::Interface &interface) {
  WalkResult result = program.getBody().walk([&](StoreOp store) {
    auto argument = dyn_cast<BlockArgument>(store.getBuf());
    unsigned number = argument ? argument.getArgNumber() : ~0u;
    if (number >= interface.tensors.size() ||
        !interface.tensors[number].nullable || isGuarded(store, store.getBuf()))
      return WalkResult::advance();
    store.emitOpError() << "stores to '" << interface.tensors[number].name
                        << "', which the caller may leave out; put it under "
                           "scf.if of tile.present";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// verify_program_c6 and c7 for one axis of a load or store: a dim of `count`
/// elements from `first` on, all of which are in range if `isWhole`.
static LogicalResult verifyAxis(Operation *op, StringRef axis, int64_t count,
                                Value first, bool isWhole,
                                std::optional<int64_t> size) {
  auto argument = dyn_cast<BlockArgument>(first);
  auto loop = argument
                  ? dyn_cast_or_null<ForOp>(argument.getOwner()->getParentOp())
                  : ForOp();
  bool walks = loop && argument.getOwner()->getParent() == &loop.getBody() &&
               argument.getArgNumber() == 0;
  if (walks && count < int64_t(loop.getStep())) // c6
    return op->emitOpError()
           << "covers " << count << " elements of axis '" << axis
           << "', but the loop steps by " << loop.getStep();
  APInt start;
  if (!isWhole || !size || !matchPattern(first, m_ConstantInt(&start)))
    return success();
  if (start.isNegative() || start.getSExtValue() + count > *size) // c7
    return op->emitOpError()
           << "ends at element " << start.getSExtValue() + count << " of axis '"
           << axis << "', which has " << *size;
  return success();
}

/// verify_program_c6 and c7 for a load or store of `tile`.
template <typename Access>
static LogicalResult verifyAccess(Access access, TileType tile,
                                  ArrayRef<std::optional<int64_t>> sizes) {
  auto buf = cast<BufType>(access.getBuf().getType());
  for (auto [name, count] : llvm::zip(tile.getNames(), tile.getSizes())) {
    std::optional<unsigned> axis = buf.getAxisIndex(name.getValue());
    if (!axis)
      continue;
    bool isWhole = !access.getValidOf(name.getValue());
    std::optional<int64_t> size = sizes.empty() ? std::nullopt : sizes[*axis];
    if (failed(verifyAxis(access, name.getValue(), count,
                          access.getIndices()[*axis], isWhole, size)))
      return failure();
  }
  return success();
}

/// The sizes of a buffer's axes that the interface fixes; empty for a buffer
/// that is no argument.
static SmallVector<std::optional<int64_t>>
fixedSizes(Value buf, ProgramOp program, const attnc::Interface &interface) {
  SmallVector<std::optional<int64_t>> sizes;
  auto argument = dyn_cast<BlockArgument>(buf);
  if (!argument || argument.getOwner()->getParentOp() != program ||
      argument.getArgNumber() >= interface.tensors.size())
    return sizes;
  for (const attnc::SizeExpr &axis :
       interface.tensors[argument.getArgNumber()].axes)
    sizes.push_back(interface.resolve(axis).constantValue());
  return sizes;
}

/// verify_program_c6 and c7 for one program.
static LogicalResult verifyAccesses(ProgramOp program,
                                    const attnc::Interface &interface) {
  WalkResult result = program.getBody().walk([&](Operation *op) -> WalkResult {
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (load.getTable()) // keys in pages: rows of a page are no axis of keys
        return WalkResult::advance();
      return verifyAccess(load, load.getResult().getType(),
                          fixedSizes(load.getBuf(), program, interface));
    }
    if (auto store = dyn_cast<StoreOp>(op))
      return verifyAccess(store, store.getValue().getType(),
                          fixedSizes(store.getBuf(), program, interface));
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// verify_program_c2 and c5 to c7 for a module.
static LogicalResult verifyInterfaces(ModuleOp module) {
  if (!module->hasAttr(attnc::kInterfaceAttr))
    return success();
  FailureOr<std::vector<attnc::Interface>> interfaces =
      attnc::getInterfaces(module);
  if (failed(interfaces))
    return failure();
  SmallVector<ProgramOp> programs(module.getOps<ProgramOp>());
  std::vector<std::string> names;
  for (const attnc::Interface &interface : *interfaces)
    llvm::append_range(names, interface.bodies());
  if (programs.size() != names.size())
    return module.emitError()
           << "holds " << programs.size() << " programs for " << names.size()
           << " functions of attnc.interface";
  for (auto [program, name] : llvm::zip_equal(programs, names)) {
    if (program.getSymName() != name)
      return program.emitOpError()
             << "stands in the place of '" << name << "' of attnc.interface";
    const attnc::Interface &interface =
        *attnc::findInterface(*interfaces, name);
    if (failed(verifySignature(program, interface)) ||
        failed(verifyOptional(program, interface)) ||
        failed(verifyAccesses(program, interface)))
      return failure();
  }
  return success();
}

static LogicalResult verifyModule(ModuleOp module) {
  for (Operation &op : *module.getBody()) {
    auto program = dyn_cast<ProgramOp>(op);
    if (!program) // c1
      return op.emitOpError(
          "does not belong to stage tile; expected tile.program");
    WalkResult result = program.getBody().walk(
        [](Operation *inner) { return WalkResult(verifyOp(inner)); });
    if (result.wasInterrupted())
      return failure();
  }
  return verifyInterfaces(module);
}

namespace {
struct VerifyProgram final
    : attnc::tile::impl::VerifyProgramBase<VerifyProgram> {
  void runOnOperation() override {
    if (failed(verifyModule(getOperation())))
      signalPassFailure();
  }
};
} // namespace
