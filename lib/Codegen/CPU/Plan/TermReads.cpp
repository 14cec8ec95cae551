//===- TermReads.cpp - Tables that terms read by query --------------------===//
//
// The term of a product is computed for a few keys at a time, feature by
// feature. A table that it reads by query and feature, such as the decays
//
//   sum over d of Q[q, d] * exp(G[q, d] - G[k, d]) * K[k, d]
//
// has queries a row apart, so each vector is a gather, of which each few keys
// would repeat all. Such reads are done once for all keys of a tile, into
// scratch (Read/TermReads.cpp). Tests: test/Codegen/CPU/Plan/term-reads.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/TermReads.h"

#include "attnc/Target/Terms.h"

using namespace mlir;

namespace attnc::cpu {

static void addSlice(Value value, Block &term,
                     llvm::SetVector<Operation *> &slice) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &term || slice.contains(op))
    return;
  for (Value operand : op->getOperands())
    addSlice(operand, term, slice);
  slice.insert(op);
}

llvm::SetVector<Operation *> sliceOfRead(tile::ReadOp read) {
  llvm::SetVector<Operation *> slice;
  addSlice(read.getResult(), *read->getBlock(), slice);
  return slice;
}

namespace {
/// On which arguments of a term a value depends.
enum Dependence { kOnLanes = 1, kOnSum = 2, kOnOthers = 4 };
} // namespace

static unsigned dependenceOf(Value value, tile::DotOp dot) {
  Block &term = dot.getTerm().front();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &term)
      return 0;
    size_t tiles = term.getNumArguments() - dot.getAt().size();
    if (argument.getArgNumber() < tiles)
      return kOnOthers;
    auto dim =
        cast<StringAttr>(dot.getAtDims()[argument.getArgNumber() - tiles]);
    return dim == kLaneDim       ? kOnLanes
           : dim == dot.getSum() ? kOnSum
                                 : kOnOthers;
  }
  unsigned all = 0;
  if (value.getParentBlock() == &term)
    for (Value operand : value.getDefiningOp()->getOperands())
      all |= dependenceOf(operand, dot);
  return all;
}

/// Whether a read has a row of the table for each query, and the place in it is
/// the same for all of them: lanes that follow each other are no gather.
static bool isByQuery(tile::ReadOp read, tile::DotOp dot) {
  unsigned depends = dependenceOf(read.getResult(), dot);
  return isa<FloatType>(read.getType()) && (depends & kOnLanes) &&
         !(depends & kOnOthers) &&
         !(dependenceOf(read.getIndices().back(), dot) & kOnLanes);
}

void planTermReads(Block &block, Plan &plan) {
  block.walk([&](tile::DotOp dot) {
    std::optional<Space> space =
        spaceOf(cast<tile::TileType>(dot.getResult().getType()));
    if (!dot.hasTerm() || !space || space->size <= rowsOfTerms)
      return; // each vector is read once anyway
    auto sum = StringAttr::get(dot.getContext(), dot.getSum());
    int64_t elements = *dot.getLhs().getType().getDimSize(sum) * plan.lanes;
    int64_t bytes = elements * plan.accumulator.getIntOrFloatBitWidth() / 8;
    for (auto read : dot.getTerm().front().getOps<tile::ReadOp>())
      if (isByQuery(read, dot)) {
        plan.bytes = int64_t(llvm::alignTo(plan.bytes, 64));
        plan.termReads[read] = plan.bytes;
        plan.bytes += llvm::alignTo(bytes, 64);
      }
  });
}

} // namespace attnc::cpu
