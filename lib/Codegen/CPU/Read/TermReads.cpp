//===- TermReads.cpp - Read tables by query once for all keys -------------===//
//
// See Plan/TermReads.cpp for which reads these are.
//
//===----------------------------------------------------------------------===//

#include "Plan/TermReads.h"
#include "Emit/RegionEmitter.h"

using namespace mlir;

namespace attnc::cpu {

/// Where the copy of a read has the lanes of an element of the sum.
static Value placeOf(Ops &ops, Value scratch, int64_t offset, Type lanes,
                     Value n) {
  Value copy = ops.address(scratch, ops.getI8Type(), ops.index(offset));
  return ops.address(copy, lanes, n);
}

static unsigned bytesOf(Type lanes) {
  auto vector = cast<VectorType>(lanes);
  return unsigned(vector.getNumElements() * vector.getElementTypeBitWidth() /
                  8);
}

void RegionEmitter::copyTermReads(Emitter &emitter, const Item &item,
                                  Window window) {
  for (Operation *op : item.ops)
    if (auto dot = dyn_cast<tile::DotOp>(op); dot && dot.hasTerm())
      for (auto read : dot.getTerm().front().getOps<tile::ReadOp>())
        if (emitter.plan.termReads.contains(read))
          copyTermRead(emitter, dot, read, item, window);
}

void RegionEmitter::copyTermRead(Emitter &emitter, tile::DotOp dot,
                                 tile::ReadOp read, const Item &item,
                                 Window window) {
  Ops &ops = emitter.ops;
  auto sum = StringAttr::get(dot.getContext(), dot.getSum());
  int64_t size = *dot.getLhs().getType().getDimSize(sum);
  Value count = emitter.extentOf(sum, size);
  Type lanes = emitter.laneVector(emitter.accumulator());
  ops.loop(emitter.beginOf(sum), count ? count : ops.index(size), 1,
           [&](Value n) {
             Granule place(item, window, ops.index(0));
             RegionEmitter region(emitter, place);
             region.bindTermPositions(dot, n);
             for (Operation *op : sliceOfRead(read))
               region.evaluate(op);
             ops.store(region.lanes(region.at(read.getResult(), 0, 0)),
                       placeOf(ops, emitter.scratch,
                               emitter.plan.termReads.lookup(read), lanes, n),
                       bytesOf(lanes));
           });
}

void RegionEmitter::bindTermPositions(tile::DotOp dot, Value n) {
  Block &term = dot.getTerm().front();
  for (auto [argument, dim, start] :
       llvm::zip_equal(term.getArguments().take_back(dot.getAt().size()),
                       dot.getAtDims().getAsRange<StringAttr>(), dot.getAt())) {
    Value first = emitter.scalars.lookup(start);
    if (dim.getValue() == dot.getSum())
      bindPosition(argument, ops.add(first, n));
    else
      bindPositions(argument, dim, first);
  }
}

void RegionEmitter::bindTermReads(tile::DotOp dot, Value n) {
  Type lanes = emitter.laneVector(emitter.accumulator());
  for (auto read : dot.getTerm().front().getOps<tile::ReadOp>())
    if (auto copy = emitter.plan.termReads.find(read);
        copy != emitter.plan.termReads.end())
      bindVectors(
          read.getResult(),
          ops.load(lanes, placeOf(ops, emitter.scratch, copy->second, lanes, n),
                   bytesOf(lanes)));
}

} // namespace attnc::cpu
