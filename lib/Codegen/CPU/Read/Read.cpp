//===- Read.cpp - Read tables: one element, a vector, or a gather ---------===//
//
// tile.read clamps each index to its axis, and an empty axis reads 0: the
// buffer of an empty table is a zero in scratch with strides 0 (Grid.cpp), so
// clamping is all that is left to do.
//
// In lanes, three cases: no index depends on the lane (one scalar load), one
// index is the query itself and its axis has stride 1 and is in range (a vector
// load, decided at run time), anything else (a gather: one instruction for
// floats with AVX-512, else a loop over the lanes). A table with an entry per
// query and key is read in pieces (ReadTransposed.cpp).
// Tests: test/Codegen/CPU/reads.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/RegionEmitter.h"

using namespace mlir;

namespace attnc::cpu {

Value Emitter::clampIndex(Value index, Value extent) {
  Value last = ops.sub(extent, ops.index(1));
  return ops.max(ops.min(ops.toIndex(index), last), ops.index(0));
}

/// Element `indices` of a table, clamped.
Value Emitter::readElement(Value buf, ArrayRef<Value> indices) {
  const Buffer &buffer = buffers[buf];
  Value offset = ops.index(0);
  for (auto [index, extent, stride] :
       llvm::zip(indices, buffer.extents, buffer.strides))
    offset = ops.add(offset, ops.mul(clampIndex(index, extent), stride));
  Type type = memoryType(buffer.element);
  Value pointer = ops.address(buffer.data, type, offset);
  return fromMemory(ops.load(type, pointer, memoryBytes(buffer.element)),
                    buffer.element);
}

/// Halves the range of sequences until one is left; its length in bits is the
/// number of turns.
void Emitter::emitLocate(tile::LocateOp locate) {
  Value number = scalars.lookup(locate.getNumber()), zero = ops.index(0);
  Value start = locate.getStart();
  Value origin = readElement(start, zero);
  auto firstOf = [&](Value sequence) {
    Value begin = ops.sub(readElement(start, sequence), origin);
    return ops.add(ops.floorDiv(begin, locate.getStep()), sequence);
  };
  Type i64 = ops.getI64Type();
  Value sequences = ops.sub(buffers[start].extents[0], ops.index(1));
  Value leading = LLVM::CountLeadingZerosOp::create(
      ops, ops.loc, i64, ops.toI64(sequences), /*is_zero_poison=*/false);
  Value turns = ops.sub(ops.index(64), ops.toIndex(leading));
  SmallVector<Value> range =
      ops.loop(zero, turns, 1, {zero, sequences},
               [&](Value, ValueRange ends) -> SmallVector<Value> {
                 Value middle = ops.floorDiv(ops.add(ends[0], ends[1]), 2);
                 Value isBelow = ops.compare(arith::CmpIPredicate::sle,
                                             firstOf(middle), number);
                 return {ops.select(isBelow, middle, ends[0]),
                         ops.select(isBelow, ends[1], middle)};
               });
  scalars.map(locate.getSequence(), range[0]);
  scalars.map(locate.getBlock(), ops.sub(number, firstOf(range[0])));
}

/// The axis along which the lanes of a read follow each other, if all other
/// indices are the same in all lanes.
std::optional<unsigned>
RegionEmitter::contiguousAxis(tile::ReadOp, ArrayRef<LaneValue> indices) {
  std::optional<unsigned> axis;
  for (auto [i, index] : llvm::enumerate(indices)) {
    if (!index.onLanes())
      continue;
    if (axis || index.vector || index.stride != 1)
      return std::nullopt;
    axis = i;
  }
  return axis;
}

LaneValue RegionEmitter::emitRead(tile::ReadOp read,
                                  ArrayRef<LaneValue> indices) {
  if (llvm::none_of(indices, [](auto &i) { return i.onLanes(); })) {
    SmallVector<Value> values;
    for (LaneValue index : indices)
      values.push_back(scalar(index));
    return {emitter.readElement(read.getBuf(), values)};
  }
  const auto &tables = emitter.plan.smallTables;
  if (auto table = tables.find(read); table != tables.end()) {
    Value places = lanes(indices[table->second.axis], 32);
    return {readSmallTable(table->second, places), 0, 0, true};
  }
  std::optional<unsigned> axis = contiguousAxis(read, indices);
  if (!axis)
    return {gather(read, indices), 0, 0, true};
  const Buffer &buffer = emitter.buffers[read.getBuf()];
  LaneValue along = indices[*axis];
  Value first = ops.add(ops.toIndex(along.value), along.offset);
  Value end = ops.add(first, emitter.lanes());
  Value inRange = ops.logicalAnd(
      ops.compare(arith::CmpIPredicate::sge, first, ops.index(0)),
      ops.compare(arith::CmpIPredicate::sle, end, buffer.extents[*axis]));
  Value direct =
      ops.logicalAnd(inRange, ops.compare(arith::CmpIPredicate::eq,
                                          buffer.strides[*axis], ops.index(1)));
  Type result = read.getResult().getType();
  Type held = isa<FloatType>(result) ? emitter.accumulator()
              : result.isIndex()     ? Type(ops.getI64Type())
                                     : result;
  auto loadVector = [&] {
    Value offset = first;
    for (auto [i, index] : llvm::enumerate(indices))
      if (i != *axis)
        offset = ops.add(offset, ops.mul(emitter.clampIndex(scalar(index),
                                                            buffer.extents[i]),
                                         buffer.strides[i]));
    Type type = emitter.memoryType(buffer.element);
    Value pointer = ops.address(buffer.data, type, offset);
    Value raw = ops.load(emitter.laneVector(type), pointer,
                         emitter.memoryBytes(buffer.element));
    return emitter.fromMemory(raw, buffer.element);
  };
  Value value = ops.choose(emitter.laneVector(held), direct, loadVector,
                           [&] { return gather(read, indices); });
  return {value, 0, 0, true};
}

/// Elements that the instruction set collects by itself.
static bool hasGather(const CpuTraits &traits, Type element) {
  return traits.hasGather && isa<FloatType>(element) &&
         element.getIntOrFloatBitWidth() >= 32;
}

/// Element offsets go through scratch, so that the code is one short loop
/// instead of a chain of inserts per lane.
Value RegionEmitter::gather(tile::ReadOp read, ArrayRef<LaneValue> indices) {
  const Buffer &buffer = emitter.buffers[read.getBuf()];
  int64_t count = emitter.lanes();
  Type i64 = ops.getI64Type();
  Value offsets;
  for (auto [index, extent, stride] :
       llvm::zip(indices, buffer.extents, buffer.strides)) {
    Value offset;
    if (!index.onLanes()) {
      offset = ops.broadcast(
          ops.toI64(ops.mul(emitter.clampIndex(scalar(index), extent), stride)),
          count);
    } else {
      auto splat = [&](Value v) { return ops.broadcast(ops.toI64(v), count); };
      Value last = splat(ops.sub(extent, ops.index(1)));
      Value clamped =
          ops.max(ops.min(lanes(index, 64), last), splat(ops.index(0)));
      offset = ops.mul(clamped, splat(stride));
    }
    offsets = offsets ? ops.add(offsets, offset) : offset;
  }
  Type raw = emitter.memoryType(buffer.element);
  if (hasGather(emitter.traits(), buffer.element)) {
    Type pointers = ops.vector(count, buffer.data.getType());
    Value places = LLVM::GEPOp::create(ops, ops.loc, pointers, raw, buffer.data,
                                       ArrayRef<LLVM::GEPArg>(offsets));
    VectorType type = emitter.laneVector(raw);
    Value all = ops.broadcast(ops.boolean(true), count);
    Value collected = LLVM::masked_gather::create(
        ops, ops.loc, type, places, all, ops.zero(type),
        emitter.memoryBytes(buffer.element));
    return emitter.fromMemory(collected, buffer.element);
  }
  Type byte = ops.getI8Type();
  Value offsetStore =
      ops.address(emitter.scratch, byte, ops.index(emitter.plan.gatherOffsets));
  Value elementStore = ops.address(emitter.scratch, byte,
                                   ops.index(emitter.plan.gatherElements));
  ops.store(offsets, offsetStore, 64);
  ops.loop(ops.index(0), ops.index(count), 1, [&](Value lane) {
    Value offset = ops.load(i64, ops.address(offsetStore, i64, lane), 8);
    Value element = ops.load(raw, ops.address(buffer.data, raw, offset),
                             emitter.memoryBytes(buffer.element));
    ops.store(element, ops.address(elementStore, raw, lane),
              emitter.memoryBytes(buffer.element));
  });
  Value vector = ops.load(emitter.laneVector(raw), elementStore, 64);
  return emitter.fromMemory(vector, buffer.element);
}

} // namespace attnc::cpu
