//===- KernelGrid.cpp - The grid of one kernel ----------------------------===//
//
// The forms are in SoftmaxOnline.cpp and SoftmaxRows.cpp.
// Tests: test/Lowering/convert-attn-to-tile.mlir (and -invalid)
//
//===----------------------------------------------------------------------===//

#include "Chunk/ChunkStates.h"
#include "Kernel/KeyParts.h"
#include "Kernel/PackedOperands.h"

#include "attnc/Analysis/Kernel/GroupedRows.h"
#include "attnc/Analysis/Kernel/SplitKeys.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc::lowering {

/// Which sequence and which block of it an instance is about, and the rows of
/// the block.
static void findBlock(OpBuilder &builder, KernelBlock &block, Value number,
                      Value queries) {
  Location loc = block.loc;
  if (const Digit *ragged = block.findRagged('q')) {
    auto place = tile::LocateOp::create(
        builder, loc, builder.getIndexType(), builder.getIndexType(), number,
        block.scope.values.lookup(ragged->table), block.sizeQ);
    block.bhg[0] = place.getSequence();
    number = place.getBlock();
  }
  block.emitSequences(builder);
  Value size = arith::ConstantIndexOp::create(builder, loc, block.sizeQ);
  block.q0 = arith::MulIOp::create(builder, loc, number, size);
  const Sequence *sequence = block.sequenceOf('q');
  if (sequence)
    queries = sequence->length;
  Value left = arith::SubIOp::create(builder, loc, queries, block.q0);
  block.rows = arith::MinSIOp::create(builder, loc, left, size);
  if (sequence) // a block behind the last row
    block.rows = arith::MaxSIOp::create(builder, loc, block.rows, block.zero);
  block.q1 = arith::AddIOp::create(builder, loc, block.q0, block.rows);
}

/// Extents and names of the grid's axes: batch, KV heads, group members and
/// blocks of queries. A group of one has no axis, nor one whose heads are rows,
/// and the blocks of ragged queries are those of all sequences. `parts` of the
/// keys, if there are some, are the last axis.
static tile::GridOp makeGrid(OpBuilder &builder, KernelBlock &block,
                             Value queries, Value parts) {
  Location loc = block.loc;
  Type q = block.kernel.getQ().getType();
  auto extent = [&](unsigned axis) { return block.sizeOfRows(builder, axis); };
  Value step = arith::ConstantIndexOp::create(builder, loc, block.sizeQ);
  SmallVector<Value> extents{extent(0), extent(1)};
  SmallVector<StringRef> names{"b", "h"};
  if (cast<RankedTensorType>(q).getDimSize(2) != 1 && block.group == 1) {
    extents.push_back(extent(2));
    names.push_back("g");
  }
  bool ragged = block.findRagged('q');
  extents.push_back(
      ragged ? countBlocks(builder, loc, extents[0], queries, step)
             : builder.createOrFold<arith::CeilDivSIOp>(loc, queries, step));
  names.push_back("i");
  if (parts) {
    extents.push_back(parts);
    names.push_back("s");
  }
  return tile::GridOp::create(builder, loc,
                              ArrayRef(extents).drop_front(ragged),
                              ArrayRef(names).drop_front(ragged));
}

/// Makes the grid and fills in the block's places. The number of the part, if
/// there are `parts`.
static Value createGrid(OpBuilder &builder, tile::ProgramOp program,
                        KernelBlock &block, tile::TargetAttrInterface target,
                        Value parts = {}) {
  Location loc = block.loc;
  Value queries = block.sizeOfRows(builder, 3);
  tile::GridOp grid = makeGrid(builder, block, queries, parts);
  if (target != program.getTarget())
    grid.setTargetAttr(target);
  if (block.kernel.hasRanges()) // later queries may see more keys
    grid.setDescending(grid.getExtents().size() - (parts ? 2 : 1));

  builder.setInsertionPointToStart(&grid.getBody().front());
  SmallVector<Value> places(grid.getBody().getArguments());
  Value part = parts ? places.pop_back_val() : Value();
  if (block.findRagged('q'))
    places.insert(places.begin(), Value()); // found by the block's number
  bool grouped = places.size() == 4;
  block.zero = arith::ConstantIndexOp::create(builder, loc, 0);
  block.bhg = {places[0], places[1], grouped ? places[2] : block.zero};
  findBlock(builder, block, places.back(), queries);
  const Sequence *keys = block.sequenceOf('k');
  block.kvLen =
      keys ? keys->length
           : block.scope.sizeOf(builder, loc,
                                attn::axisSize(block.kernel.getK().getType(),
                                               block.kernel.getKeyAxis()));
  return part;
}

static char sameName(char letter) { return letter; }

/// Fills in where q, k and v lie and where the results go.
static LogicalResult bindTensors(KernelBlock &block, Storage &storage) {
  attn::KernelOp kernel = block.kernel;
  block.products.resize(kernel.getProducts().size());
  SmallVector<BlockBuffer *> buffers{&block.q, &block.k};
  if (kernel.getV())
    buffers.push_back(&block.v);
  for (BlockBuffer &product : block.products)
    buffers.push_back(&product);
  for (auto [operand, place] :
       llvm::zip_equal(kernel.getLetteredOperands(), buffers)) {
    auto buffer = storage.operand(kernel, operand.first, operand.second,
                                  sameName, block.group);
    if (failed(buffer))
      return failure();
    *place = *buffer;
  }
  for (auto [result, letters] : kernel.getLetteredResults()) {
    auto places = storage.destinations(
        result, letters, sameName, Storage::Copies::ButSequences, block.group);
    if (failed(places))
      return failure();
    bool isRow = letters == attn::KernelOp::kLabels[4];
    bool isPairs = result == kernel.getDense();
    for (const Destination &place : *places)
      block.outputs.push_back({place.buffer, isRow, place.wantedFor, isPairs,
                               result == kernel.getKey(),
                               kernel.getLse() && result == kernel.getRow()});
  }
  return success();
}

static SoftmaxState emitForm(OpBuilder &builder, KernelBlock &block) {
  attn::RowAttr row = block.kernel.getRowKind();
  if (row && row.getKind() == attn::RowKind::Simplex)
    return {{}, emitSimplex(builder, block), {}};
  if (row && row.getKind() == attn::RowKind::Rank) {
    RowRank rank = emitRank(builder, block, row.getN());
    block.key = rank.key;
    return {{}, rank.score, {}};
  }
  if (block.kernel.getSchedule()->getForm() == attn::ScheduleForm::Rows)
    return emitRows(builder, block);
  return emitOnline(builder, block);
}

/// Two grids: one whose instances visit a part of the keys each, and one that
/// merges their states.
static void lowerParts(OpBuilder &builder, KernelBlock &block,
                       Storage &storage) {
  KernelBlock merged = block;
  KeyParts parts(builder, block);
  tile::TargetAttrInterface target = block.kernel.getSchedule()->getTarget(),
                            mergeTarget = target;
  if (block.hasValues && target.getMergeTarget(block.sizeE)) {
    mergeTarget = target.getMergeTarget(block.sizeE);
    parts.layAlongFeatures(merged, storage.program);
  }
  SmallVector<Value, 1> wanted = storage.wantedFor(block.kernel);
  {
    OpBuilder::InsertionGuard guard(builder);
    Value number =
        createGrid(builder, storage.program, block, target, parts.getCount());
    branchOnWanted(builder, block.loc, wanted);
    parts.emitStart(builder, block, number);
    block.emitHead(builder);
    parts.emitStore(builder, block, emitOnline(builder, block), number);
  }
  createGrid(builder, storage.program, merged, mergeTarget);
  branchOnWanted(builder, merged.loc, wanted);
  if (merged.isOneRow && merged.sequenceOf('q')) { // it may have no row
    Value hasRow =
        arith::CmpIOp::create(builder, merged.loc, arith::CmpIPredicate::sgt,
                              merged.rows, merged.zero);
    auto branch = scf::IfOp::create(builder, merged.loc, hasRow);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  if (!merged.isOneRow)
    merged.emitInitHead(builder);
  merged.emitOutputs(builder, parts.emitMerged(builder, merged));
}

/// Rewrites the formulas of a kernel whose rows are those of all heads of a
/// group.
static LogicalResult mergeRows(attn::KernelOp kernel) {
  if (kernel.getSchedule()->getRowAxes() != attn::RowAxes::GQ)
    return success();
  if (StringRef why = whyNotGrouped(kernel); !why.empty())
    return kernel.emitOpError(
               "has row_axes = gq, which does not apply, because ")
           << why;
  mergeRowsOfRegions(kernel, groupOf(kernel));
  return success();
}

LogicalResult lowerKernel(attn::KernelOp kernel, Storage &storage) {
  if (failed(mergeRows(kernel)))
    return failure();
  KernelBlock block(kernel, storage.scope);
  if (failed(bindTensors(block, storage)))
    return failure();
  OpBuilder builder = OpBuilder::atBlockEnd(&storage.program.getBody().front());
  if (failed(storePackedOperands(builder, block, storage)))
    return failure();
  if (kernel.getSchedule()->getSplit()) {
    std::string why = whyNotSplit(kernel);
    if (!why.empty())
      return kernel.emitOpError("has a split, which does not apply, because ")
             << why;
    lowerParts(builder, block, storage);
    return success();
  }
  std::optional<ChunkStates> states;
  if (kernel.getSchedule()->getForm() == attn::ScheduleForm::Chunked) {
    std::string reason;
    std::optional<ScoreFactors> factors = findScoreFactors(kernel, reason);
    if (!factors)
      return kernel.emitOpError("has form chunked, which does not apply, ")
             << "because " << reason;
    states.emplace(std::move(*factors), block);
    if (failed(states->emitGrid(builder, storage)))
      return failure();
    block.states = &*states;
  }
  createGrid(builder, storage.program, block,
             kernel.getSchedule()->getTarget());
  branchOnWanted(builder, block.loc, storage.wantedFor(kernel));
  block.emitHead(builder);
  if (states)
    states->emitStart(builder);
  SoftmaxState state = emitForm(builder, block);
  block.emitOutputs(builder, state);
  return success();
}

} // namespace attnc::lowering
