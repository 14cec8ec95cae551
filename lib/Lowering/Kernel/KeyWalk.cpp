//===- KeyWalk.cpp - Iteration over a kernel's keys -----------------------===//
//
//   attn.kernel ... ranges { ... } classify { ... }
// becomes
//   ... the segments, and the least and greatest entries of the queries ...
//   tile.for (...) in [...] ... { ... } classify (%k0, %k1) {
//     ... what depends on the keys
//     tile.yield %class : index
//   }
//
// Tests: test/Lowering/key-walk.mlir
//
//===----------------------------------------------------------------------===//

#include "Kernel/KeyWalk.h"
#include "Kernel/PackedOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace attnc::lowering {

/// The arguments (b, h, g, q0, q1) of a region.
static void mapBlock(IRMapping &map, Block &region, KernelBlock &block) {
  map.map(region.getArguments().take_front(3), block.bhg);
  map.map(region.getArgument(3), block.q0);
  map.map(region.getArgument(4), block.q1);
}

/// Values of `classify` that do not depend on k0 and k1 and are used by some
/// that do.
static SmallVector<Value> findFixed(Block &classify) {
  llvm::DenseSet<Value> moving(classify.args_begin() + 5, classify.args_end());
  auto isMoving = [&](Value v) { return moving.contains(v); };
  SmallVector<Value> fixed;
  for (Operation &op : classify) {
    bool isEnd = op.hasTrait<OpTrait::IsTerminator>();
    if (!isEnd && llvm::none_of(op.getOperands(), isMoving))
      continue;
    moving.insert(op.result_begin(), op.result_end());
    for (Value operand : op.getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (def && def->getBlock() == &classify && !isMoving(operand) &&
          !def->hasTrait<OpTrait::ConstantLike>())
        fixed.push_back(operand);
    }
  }
  return fixed;
}

/// Ranges end within the axis of keys, which for ragged keys holds those of all
/// sequences.
static void endWithSequence(OpBuilder &builder, KernelBlock &block,
                            SmallVectorImpl<Value> &segments) {
  if (!block.sequenceOf('k'))
    return;
  for (unsigned last = 3; last < segments.size(); last += 4)
    segments[last] =
        arith::MinSIOp::create(builder, block.loc, segments[last], block.kvLen);
}

/// Whether a segment has keys.
static Value hasKeys(OpBuilder &builder, Location loc, ValueRange segment) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                               segment[0], segment[3]);
}

/// The tiles of a segment start at blocks of stored values: the first ones have
/// keys more, which are masked, and full tiles start later. Keys of earlier
/// segments among them are visited there only.
static void alignToBlocks(OpBuilder &builder, KernelBlock &block,
                          SmallVectorImpl<Value> &segments) {
  if (block.storedValues.empty())
    return;
  Location loc = block.loc;
  Value size = arith::ConstantIndexOp::create(builder, loc, kPackedDepth);
  auto align = [&](Value &bound, auto divide) {
    if (matchPattern(bound, m_Zero()))
      return;
    bound = builder.createOrFold<arith::MulIOp>(loc, divide(bound), size);
  };
  auto choose = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  };
  for (unsigned first = 0; first < segments.size(); first += 4) {
    Value any = segments.size() > 4
                    ? hasKeys(builder, loc, ArrayRef(segments).slice(first, 4))
                    : Value();
    align(segments[first], [&](Value bound) -> Value {
      return builder.createOrFold<arith::FloorDivSIOp>(loc, bound, size);
    });
    align(segments[first + 1], [&](Value bound) -> Value {
      return builder.createOrFold<arith::CeilDivSIOp>(loc, bound, size);
    });
    if (!any)
      continue;
    Value start = segments[first], &end = segments[first + 3];
    end = choose(any, end, start); // an empty segment stays empty
    for (unsigned last = 3; last < first; last += 4) {
      Value least = arith::MinSIOp::create(builder, loc, segments[last], start);
      segments[last] = choose(any, least, segments[last]);
    }
  }
}

/// The keys that may be loaded next to those of each segment: all that other
/// segments do not visit.
static SmallVector<Value> findRoom(OpBuilder &builder, KernelBlock &block,
                                   ArrayRef<Value> segments) {
  Location loc = block.loc;
  if (segments.size() == 4)
    return {block.zero, block.kvLen};
  SmallVector<Value> room(segments.size() / 2), any;
  Value low = block.zero, high = block.kvLen;
  for (unsigned i = 0; i < room.size(); i += 2) {
    ArrayRef<Value> segment = segments.slice(2 * i, 4);
    any.push_back(hasKeys(builder, loc, segment));
    room[i] = low;
    low = arith::SelectOp::create(builder, loc, any.back(), segment[3], low);
  }
  for (unsigned i = room.size(); i > 0; i -= 2) {
    room[i - 1] = high;
    high = arith::SelectOp::create(builder, loc, any[i / 2 - 1],
                                   segments[2 * i - 4], high);
  }
  return room;
}

KeyWalk::KeyWalk(OpBuilder &builder, KernelBlock &block) {
  attn::KernelOp kernel = block.kernel;
  if (kernel.hasRanges()) {
    Block &region = kernel.getRanges().front();
    IRMapping map;
    mapBlock(map, region, block);
    OperandRange bounds = region.getTerminator()->getOperands();
    emitScalars(builder, region, bounds, block.scope, map);
    for (Value bound : bounds)
      segments.push_back(map.lookup(bound));
    endWithSequence(builder, block, segments);
    alignToBlocks(builder, block, segments);
    // Only pipelined tiles gain from it.
    bool isPacked = !block.storedValues.empty() || !block.storedKeys.empty();
    if (isPacked && !kernel.hasClassify())
      within = findRoom(builder, block, segments);
  } else {
    Value full = block.mask.isAlwaysTrue() ? block.kvLen : block.zero;
    segments = {block.zero, block.zero, full, block.kvLen};
  }
  if (!kernel.hasClassify())
    return;
  classifies = true;
  Block &region = kernel.getClassify().front();
  mapBlock(classified, region, block);
  IRMapping map = classified;
  SmallVector<Value> fixed = findFixed(region);
  emitScalars(builder, region, fixed, block.scope, map);
  for (Value value : fixed)
    classified.map(value, map.lookup(value));
}

SmallVector<Value> KeyWalk::emitGaps(OpBuilder &builder,
                                     KernelBlock &block) const {
  Location loc = block.loc;
  SmallVector<Value> gaps;
  auto add = [&](Value begin, Value end) {
    gaps.append({begin, begin, end, end});
  };
  Value begin = block.zero;
  for (unsigned i = 0; i < segments.size() && !classifies; i += 4) {
    if (begin != block.zero || !matchPattern(segments[i], m_Zero()))
      add(begin,
          arith::MinSIOp::create(builder, loc, segments[i], block.kvLen));
    begin = arith::MaxSIOp::create(builder, loc, begin, segments[i + 3]);
  }
  add(begin, block.kvLen);
  return gaps;
}

/// Leaves out the keys before `first` of what may be loaded.
static void startRoomAt(OpBuilder &builder, Location loc,
                        SmallVectorImpl<Value> &within, Value first) {
  for (unsigned low = 0; low < within.size(); low += 2)
    within[low] =
        low == 0 ? first
                 : arith::MaxSIOp::create(builder, loc, within[low], first);
}

void KeyWalk::startAt(OpBuilder &builder, Location loc, Value first) {
  for (unsigned begin = 0; begin < segments.size(); begin += 4)
    segments[begin] =
        arith::MaxSIOp::create(builder, loc, segments[begin], first);
  startRoomAt(builder, loc, within, first);
}

void KeyWalk::clamp(OpBuilder &builder, Location loc, Value first, Value end) {
  for (Value &bound : segments) {
    Value least = arith::MaxSIOp::create(builder, loc, bound, first);
    bound = arith::MinSIOp::create(builder, loc, least, end);
  }
  startRoomAt(builder, loc, within, first);
  for (unsigned high = 1; high < within.size(); high += 2)
    within[high] = arith::MinSIOp::create(builder, loc, within[high], end);
}

void KeyWalk::emitClassify(OpBuilder &builder, KernelBlock &block,
                           tile::ForOp loop) const {
  attn::KernelOp kernel = block.kernel;
  if (!classifies)
    return;
  OpBuilder::InsertionGuard guard(builder);
  Location loc = kernel.getClassify().getLoc();
  Type index = builder.getIndexType();
  Block *to = builder.createBlock(&loop.getClassify(), Region::iterator(),
                                  {index, index}, {loc, loc});
  Block &region = kernel.getClassify().front();
  IRMapping map = classified;
  map.map(region.getArgument(5), to->getArgument(0));
  map.map(region.getArgument(6), to->getArgument(1));
  Value yielded = region.getTerminator()->getOperand(0);
  emitScalars(builder, region, yielded, block.scope, map);
  tile::YieldOp::create(builder, loc, map.lookup(yielded));
}

SmallVector<Value>
emitPasses(OpBuilder &builder, Location loc, unsigned passes, ValueRange inits,
           llvm::function_ref<SmallVector<Value>(ValueRange)> body) {
  auto number = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto loop = scf::ForOp::create(builder, loc, number(0), number(passes),
                                 number(1), inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(builder, loc, body(loop.getRegionIterArgs()));
  return loop.getResults();
}

} // namespace attnc::lowering
