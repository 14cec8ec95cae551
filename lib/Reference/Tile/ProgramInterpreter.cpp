//===- ProgramInterpreter.cpp - Runs tile programs ------------------------===//

#include "Tile/ProgramInterpreter.h"

#include "Attn/FunctionInterpreter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attnc::reference {

template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::ProgramOp program,
                                            MutableArrayRef<Tensor> tensors,
                                            ArrayRef<bool> present,
                                            ArrayRef<int64_t> sizes) {
  Block &body = program.getBody().front();
  if (body.getNumArguments() != tensors.size() + sizes.size())
    return program.emitError("has ")
           << body.getNumArguments() << " arguments, got "
           << tensors.size() + sizes.size();
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    BlockArgument argument = body.getArgument(i);
    Tile array = toArray<Real>(tensor);
    if (cast<tile::BufType>(argument.getType()).getRank() != array.shape.size())
      return program.emitError("buffer ") << i << " has another rank";
    buffers[argument] = std::move(array);
    presence[argument] = present.empty() || present[i];
    renamed[argument] = argument;
  }
  for (auto [i, size] : llvm::enumerate(sizes))
    scalars[body.getArgument(tensors.size() + i)] = Column<Real>::integer(size);
  if (failed(runBlock(body)))
    return failure();
  for (auto [i, tensor] : llvm::enumerate(tensors))
    tensor = toTensor(buffers[body.getArgument(i)], tensor.element);
  return success();
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::runBlock(Block &block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      break;
    if (failed(runOp(op)))
      return failure();
  }
  return success();
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::runOp(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .template Case<tile::GridOp, tile::ForOp, tile::PhaseOp,
                     tile::WorkspaceOp, tile::RenameOp, tile::LocateOp,
                     tile::LoadOp, tile::StoreOp, tile::SplatOp, tile::DotOp,
                     tile::MapOp, tile::SelectMaskedOp, tile::ReduceOp,
                     tile::RescaleOp, tile::SkewOp, tile::AnyNanOp>(
          [&](auto own) { return run(own); })
      .template Case<scf::IfOp>([&](scf::IfOp) { return runIf(op); })
      .template Case<scf::ForOp>([&](scf::ForOp) { return runPasses(op); })
      .Default([&](Operation *scalar) -> LogicalResult {
        FailureOr<Column<Real>> column = evaluator().evaluate(scalar);
        if (failed(column))
          return failure();
        scalars[scalar->getResult(0)] = std::move(*column);
        return success();
      });
}

template <typename Real>
RegionEvaluator<Real> ProgramInterpreter<Real>::evaluator() {
  return RegionEvaluator<Real>(
      arithmetic,
      [this](Value value) -> const Column<Real> * {
        auto it = scalars.find(value);
        return it == scalars.end() ? nullptr : &it->second;
      },
      [this](Operation *op, ArrayRef<const Column<Real> *> operands) {
        return runOwn(op, operands);
      });
}

/// tile.read and tile.present.
template <typename Real>
FailureOr<Column<Real>>
ProgramInterpreter<Real>::runOwn(Operation *op,
                                 ArrayRef<const Column<Real> *> operands) {
  if (auto present = dyn_cast<tile::PresentOp>(op))
    return Column<Real>::integer(
        presence.lookup(renamed.lookup(present.getBuf())));
  if (auto read = dyn_cast<tile::ReadOp>(op))
    return readClamped(buffer(read.getBuf()), operands, read.getType(),
                       arithmetic);
  if (isa<tile::TableMinOp, tile::TableMaxOp>(op))
    return tableEnd(buffer(op->getOperand(0)), operands,
                    isa<tile::TableMaxOp>(op));
  if (auto bound = dyn_cast<tile::LowerBoundOp>(op))
    return lowerBound(buffer(bound.getBuf()), operands);
  return op->emitOpError("is not known to the reference interpreter");
}

/// What is read without having been written shows as a NaN, or as an integer
/// that nothing computes.
template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::WorkspaceOp op) {
  Tile array;
  for (Value size : op.getSizes())
    array.shape.push_back(std::max<int64_t>(integer(size), 0));
  array.isReal = isa<FloatType>(op.getType().getElementType());
  array.resize();
  llvm::fill(array.data.reals, std::numeric_limits<Real>::quiet_NaN());
  llvm::fill(array.data.integers, std::numeric_limits<int64_t>::min());
  buffers[op.getResult()] = std::move(array);
  presence[op.getResult()] = true;
  renamed[op.getResult()] = op.getResult();
  return success();
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::RenameOp op) {
  Value source = renamed.lookup(op.getBuf());
  renamed[op.getResult()] = source;
  return success();
}

template <typename Real>
auto ProgramInterpreter<Real>::buffer(Value buf) -> Tile & {
  Tile &array = buffers[renamed.lookup(buf)];
  array.names.clear();
  for (StringAttr name : cast<tile::BufType>(buf.getType()).getNames())
    array.names.push_back(name.str());
  return array;
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::GridOp op) {
  Space space;
  for (Value extent : op.getExtents()) {
    space.names.push_back(std::to_string(space.names.size()));
    space.extents.push_back(std::max<int64_t>(integer(extent), 0));
  }
  space.names.push_back("instance");
  space.extents.push_back(1);
  return forEachRow(space, [&](ArrayRef<int64_t> index) {
    Block &body = op.getBody().front();
    for (auto [argument, position] :
         llvm::zip_equal(body.getArguments(), index.drop_back()))
      scalars[argument] = Column<Real>::integer(position);
    return runBlock(body);
  });
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::runTile(tile::ForOp op, int64_t start,
                                                int64_t count, bool partial) {
  scalars[op.getKeyStart()] = Column<Real>::integer(start);
  scalars[op.getKeyCount()] = Column<Real>::integer(count);
  scalars[op.getPartial()] = Column<Real>::integer(partial);
  Block &body = op.getBody().front();
  if (failed(runBlock(body)))
    return failure();
  // All yielded values before any argument: one may be another's argument.
  forward(op, body);
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    copy(result, body.getArgument(tile::ForOp::kNumLoopArgs + i));
  return success();
}

/// The class of the keys [from, to); 1 without a `classify`.
template <typename Real>
FailureOr<int64_t> ProgramInterpreter<Real>::classOf(tile::ForOp op,
                                                     int64_t from, int64_t to) {
  if (!op.hasClassify())
    return 1;
  auto columns =
      evaluator().run(op.getClassify().front(),
                      {Column<Real>::integer(from), Column<Real>::integer(to)});
  if (failed(columns))
    return failure();
  return columns->front().integerAt(0);
}

/// The keys [from, to) in tiles that need the mask, as far as `classify` does
/// not know better.
template <typename Real>
LogicalResult ProgramInterpreter<Real>::runPieces(tile::ForOp op, int64_t from,
                                                  int64_t to) {
  int64_t step = op.getStep(), partialStep = op.getPartialStep();
  int64_t pieceSize = op.hasClassify() ? step : std::max<int64_t>(to - from, 1);
  for (int64_t piece = from; piece < to; piece += pieceSize) {
    int64_t end = std::min(piece + pieceSize, to);
    FailureOr<int64_t> whole = classOf(op, piece, end);
    if (failed(whole))
      return failure();
    if (*whole == 0)
      continue;
    if (*whole == 2 && end - piece == step) {
      if (failed(runTile(op, piece, step, false)))
        return failure();
      continue;
    }
    for (int64_t key = piece; key < end; key += partialStep) {
      int64_t count = std::min(partialStep, end - key);
      FailureOr<int64_t> part = classOf(op, key, key + count);
      if (failed(part) || (*part && failed(runTile(op, key, count, true))))
        return failure();
    }
  }
  return success();
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::ForOp op) {
  Block &body = op.getBody().front();
  for (auto [i, init] : llvm::enumerate(op.getInits())) {
    copy(init, body.getArgument(tile::ForOp::kNumLoopArgs + i));
    copy(init, op.getResult(i));
  }
  int64_t step = op.getStep();
  for (unsigned i = 0; i < op.getNumSegments(); ++i) {
    ValueRange bounds = op.getSegment(i);
    int64_t anyLo = integer(bounds[0]), anyHi = integer(bounds[3]);
    if (anyLo >= anyHi)
      continue;
    int64_t allLo = std::clamp(integer(bounds[1]), anyLo, anyHi);
    int64_t allHi = std::clamp(integer(bounds[2]), allLo, anyHi);
    int64_t full = (allHi - allLo) / step;
    if (full == 0)
      allLo = anyLo;
    if (failed(runPieces(op, anyLo, allLo)))
      return failure();
    for (int64_t tile = 0; tile < full; ++tile)
      if (failed(runTile(op, allLo + tile * step, step, false)))
        return failure();
    if (failed(runPieces(op, allLo + full * step, anyHi)))
      return failure();
  }
  return success();
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::run(tile::PhaseOp op) {
  Block &body = op.getBody().front();
  if (failed(runBlock(body)))
    return failure();
  forward(op, body);
  return success();
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::runIf(Operation &op) {
  auto branch = cast<scf::IfOp>(op);
  Region &region = integer(branch.getCondition()) ? branch.getThenRegion()
                                                  : branch.getElseRegion();
  if (region.empty())
    return success();
  if (failed(runBlock(region.front())))
    return failure();
  forward(&op, region.front());
  return success();
}

template <typename Real>
LogicalResult ProgramInterpreter<Real>::runPasses(Operation &op) {
  auto loop = cast<scf::ForOp>(op);
  for (auto [init, argument, result] : llvm::zip_equal(
           loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
    copy(init, argument);
    copy(init, result);
  }
  int64_t last = integer(loop.getUpperBound());
  int64_t step = integer(loop.getStep());
  for (int64_t i = integer(loop.getLowerBound()); i < last; i += step) {
    scalars[loop.getInductionVar()] = Column<Real>::integer(i);
    if (failed(runBlock(*loop.getBody())))
      return failure();
    // All yielded values before any argument: one may be another's argument.
    forward(&op, *loop.getBody());
    for (auto [result, argument] :
         llvm::zip_equal(loop.getResults(), loop.getRegionIterArgs()))
      copy(result, argument);
  }
  return success();
}

template <typename Real>
void ProgramInterpreter<Real>::forward(Operation *op, Block &block) {
  if (op->getNumResults() == 0)
    return;
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), block.getTerminator()->getOperands()))
    copy(value, result);
}

template <typename Real>
void ProgramInterpreter<Real>::copy(Value from, Value to) {
  if (isa<tile::TileType>(from.getType())) {
    Tile value = tiles[from];
    tiles[to] = std::move(value);
  } else {
    Column<Real> value = scalars[from];
    scalars[to] = std::move(value);
  }
}

template <typename Real>
int64_t ProgramInterpreter<Real>::integer(Value value) {
  return scalars[value].integerAt(0);
}

template class ProgramInterpreter<double>;
template class ProgramInterpreter<long double>;

LogicalResult interpret(tile::ProgramOp program,
                        MutableArrayRef<Tensor> tensors, ArrayRef<bool> present,
                        ArrayRef<int64_t> sizes, Precision precision,
                        Comparisons comparisons) {
  Arithmetic arithmetic{precision == Precision::Rounded, 0,
                        comparisons == Comparisons::Typed};
  if (precision == Precision::Extended)
    return ProgramInterpreter<long double>(arithmetic)
        .run(program, tensors, present, sizes);
  return ProgramInterpreter<double>(arithmetic)
      .run(program, tensors, present, sizes);
}

} // namespace attnc::reference
