//===- VisitedBlocks.cpp - Blocks of rows that kernels visit --------------===//
//
//   %k = attn.contract ... {attn.block = #attn.block<..., visited = "k">}
// becomes
//   tile.grid (..., %j, ...) {
//     ... the first and the last key that any row of the kernel visits
//     scf.if ... it is no block before or behind these {
//
// Tests: test/Lowering/Side/visited-blocks.yaml
//
//===----------------------------------------------------------------------===//

#include "Formula/Formula.h"
#include "Side/SideBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc::lowering {

/// Where the block begins along a letter, and where it ends.
std::pair<Value, Value> SideBlock::extentAlong(char letter) {
  Value first = uniform.lookup(letter);
  Value count = arith::ConstantIndexOp::create(builder, loc, 1);
  if (block.getLanes() == StringRef(&letter, 1)) {
    first = q0;
    count = nq;
  } else if (block.getRows() == StringRef(&letter, 1)) {
    first = e0;
    count =
        ne ? ne : arith::ConstantIndexOp::create(builder, loc, rowsOfTile());
  }
  // A part of attn.concat is stored after the parts before it.
  if (Value by = shifts.lookup(letter))
    first = arith::AddIOp::create(builder, loc, first, by);
  return {first, arith::AddIOp::create(builder, loc, first, count)};
}

/// Segments of keys that any row of the kernel visits: firsts and ends.
SmallVector<std::pair<Value, Value>, 2>
SideBlock::emitSegments(const RowReader &reader, StringRef letters) {
  attn::KernelOp kernel = reader.kernel;
  Block &ranges = kernel.getRanges().front();
  IRMapping map;
  for (unsigned i : {0, 1, 2}) {
    Value place = zero;
    if (reader.needed[i] && uniform.contains(letters[*reader.axes[i]]))
      place = uniform.lookup(letters[*reader.axes[i]]);
    map.map(ranges.getArgument(i), place);
  }
  map.map(ranges.getArgument(3), zero);
  map.map(ranges.getArgument(4),
          storage.scope.sizeOf(builder, loc,
                               attn::axisSize(kernel.getQ().getType(), 3)));
  OperandRange bounds = ranges.getTerminator()->getOperands();
  emitScalars(builder, ranges, bounds, storage.scope, map);
  SmallVector<std::pair<Value, Value>, 2> segments;
  for (unsigned i = 0; i + 3 < bounds.size(); i += 4)
    segments.emplace_back(map.lookup(bounds[i]), map.lookup(bounds[i + 3]));
  return segments;
}

/// Rows behind the last one that is visited are no rows of the block.
void SideBlock::branchOnVisits() {
  const VisitedRows *visited = storage.visited.lookup(op->getResult(0));
  if (block.getVisited().empty() || !visited)
    return;
  std::string letters = visitedLetters(op);
  char along = letters[visited->axis];
  auto [first, end] = extentAlong(along);
  Value any =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
  Value stop = zero;
  auto less = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, a, b);
  };
  for (const RowReader &reader : visited->readers)
    for (auto [from, to] : emitSegments(reader, letters)) {
      Value inside =
          arith::AndIOp::create(builder, loc, less(from, end), less(first, to));
      any = arith::OrIOp::create(builder, loc, any, inside);
      stop = arith::MaxSIOp::create(builder, loc, stop, to);
    }
  auto branch = scf::IfOp::create(builder, loc, any);
  builder.setInsertionPointToStart(branch.thenBlock());
  if (ne && block.getRows() == StringRef(&along, 1))
    ne = arith::MinSIOp::create(
        builder, loc, ne, arith::SubIOp::create(builder, loc, stop, first));
}

} // namespace attnc::lowering
