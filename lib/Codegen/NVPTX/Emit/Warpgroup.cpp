//===- Warpgroup.cpp - Products of four warps by wgmma --------------------===//
//
// wgmma.m64nNk16 multiplies 64 rows, 16 of each warp, with N columns in shared
// memory. Its accumulator has the elements that the layout gives to the threads
// (PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16"), in the order
//
//   column pair 0 of row g, of row g + 8, column pair 1 of row g, ...
//
// Rows are registers, or panels in shared memory. The instruction is
// asynchronous: results are those of the inline assembly that waits, which ties
// all of them, so that nothing reads them before. It reads shared memory by the
// async proxy, so writers need a fence before the barrier.
// Tests: test/Codegen/NVPTX/wgmma.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace attnc::ptx {

static constexpr int64_t kDepth = 16, kElementBytes = 2;

/// The place of a register of the accumulator among those by row and column.
static int64_t slotOf(int64_t number, int64_t columnSlots) {
  int64_t row = number / 2 % 2, column = number / 4 * 2 + number % 2;
  return row * columnSlots + column;
}

void Emitter::publish(ArrayRef<SharedTile> written) {
  if (llvm::any_of(written, [](const SharedTile &s) { return s.swizzle; }))
    b.assembly("fence.proxy.async.shared::cta;", "~{memory}", {}, {});
  b.barrier();
}

/// PTX ISA, "Matrix Descriptor": address, leading and stride byte offset in
/// units of 16 bytes, and the swizzle. Panels of columns that run along the
/// result are `leading` apart, groups of eight rows `stride`.
Value Emitter::descriptorOf(const SharedTile &held, Value offset) {
  Value address = LLVM::PtrToIntOp::create(b, b.loc, b.getI32Type(),
                                           sharedPointer(held.offset));
  if (held.stage)
    offset = offset ? b.add(offset, held.stage) : held.stage;
  Value begin = b.cast(b.getI64Type(), address);
  if (offset)
    begin = b.add(begin, b.toI64(offset));
  uint64_t mode = held.swizzle == 128 ? 1 : held.swizzle == 64 ? 2 : 3;
  uint64_t fixed = uint64_t(held.panelBytes() / 16) << 16 |
                   uint64_t(8 * held.swizzle / 16) << 32 | mode << 62;
  auto word = [&](uint64_t bits) -> Value {
    return arith::ConstantOp::create(b, b.loc,
                                     b.getI64IntegerAttr(int64_t(bits)));
  };
  Value units = arith::ShRUIOp::create(b, b.loc, begin, word(4));
  units = arith::AndIOp::create(b, b.loc, units, word(0x3fff));
  return arith::OrIOp::create(b, b.loc, units, word(fixed));
}

/// Where places 16 * step.. of the sum begin, in units of a descriptor.
static int64_t stepOffset(const SharedTile &held, bool isTransposed,
                          int64_t step) {
  if (isTransposed)
    return step * kDepth * held.swizzle / 16;
  int64_t column = step * kDepth * kElementBytes;
  return (column / held.swizzle * held.panelBytes() + column % held.swizzle) /
         16;
}

/// The rows as registers, four of each step.
SmallVector<Value> Emitter::packSteps(Value rows, int64_t steps) {
  SmallVector<Value> packed;
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t column : {4 * step, 4 * step + 2})
      for (int64_t row : {0, 1})
        packed.push_back(
            b.bitcast(b.getI32Type(), packRows(rows, row, column)));
  return packed;
}

/// Starts the product as one group; `sums` are added to it where there are any,
/// and `packed` are its rows if they were packed before. Results are valid
/// after waitForWgmma.
SmallVector<Value> Emitter::issueWgmma(tile::DotOp dot, ValueRange sums,
                                       ValueRange packed) {
  Value rows = dot.getLhs(), columns = dot.getRhs();
  if (!dot.getLhs().getType().hasDim(kRowDim))
    std::swap(rows, columns);
  auto rowType = cast<tile::TileType>(rows.getType());
  SharedTile right = toShared(columns);
  bool isTransposed = right.dims.back() != dot.getSum();
  int64_t slots = layout.columnSlots(dot.getType()), count = 2 * slots;
  int64_t steps = layout.padded(*rowType.getDimSize(dot.getSum())) / kDepth;
  std::optional<SharedTile> left = tiles[rows].shared;
  if (left && !left->swizzle)
    left.reset();

  SmallVector<Value> args(sums);
  // Written by the first of several wgmma, while the others read: no operand
  // may share a register with a result.
  SmallVector<std::string> constraints(count, "=&f");
  for (size_t i = 0; i < sums.size(); ++i)
    constraints.push_back(std::to_string(i));
  int64_t firstLeft = count + int64_t(sums.size());
  if (left) {
    int64_t warpgroupBytes = 64 * left->swizzle;
    args.push_back(
        descriptorOf(*left, b.mul(b.floorDiv(warp, 4), warpgroupBytes)));
    constraints.push_back("l");
  } else {
    if (packed.empty())
      llvm::append_range(args, packSteps(rows, steps));
    else
      llvm::append_range(args, packed);
    constraints.append(4 * steps, "r");
  }
  int64_t rightNumber = firstLeft + (left ? 1 : 4 * steps);
  args.push_back(descriptorOf(right, {}));
  constraints.push_back("l");

  auto list = [](int64_t first, int64_t size) {
    return "{" +
           llvm::join(llvm::map_range(
                          llvm::seq(first, first + size),
                          [](int64_t i) { return "$" + std::to_string(i); }),
                      ", ") +
           "}";
  };
  StringRef type = rowType.getElementType().isBF16() ? "bf16" : "f16";
  std::string text = "{\n.reg .b64 da, db;\n";
  for (int64_t step = 0; step < steps; ++step) {
    std::string a = left ? "da" : list(firstLeft + 4 * step, 4);
    if (left)
      text += llvm::formatv("add.s64 da, ${0}, {1};\n", firstLeft,
                            stepOffset(*left, false, step));
    text += llvm::formatv("add.s64 db, ${0}, {1};\n", rightNumber,
                          stepOffset(right, isTransposed, step));
    text += llvm::formatv("wgmma.mma_async.sync.aligned.m64n{0}k16.f32.{1}.{1} "
                          "{2}, {3}, db, {4}, 1, 1, {5}{6};\n",
                          4 * slots, type, list(0, count), a,
                          step > 0 || !sums.empty() ? 1 : 0, left ? "0, " : "",
                          isTransposed ? 1 : 0);
  }
  b.intrinsic("wgmma.fence.sync.aligned", {});
  SmallVector<Type> results(count, b.getF32Type());
  SmallVector<Value> registers =
      b.assembly(text + "}", llvm::join(constraints, ","), results, args);
  b.intrinsic("wgmma.commit_group.sync.aligned", {});
  return registers;
}

/// Waits until at most `pending` later groups are in flight.
SmallVector<Value> Emitter::waitForWgmma(int64_t pending,
                                         ValueRange registers) {
  SmallVector<std::string> constraints(registers.size(), "=f");
  for (size_t i = 0; i < registers.size(); ++i)
    constraints.push_back(std::to_string(i));
  constraints.push_back("~{memory}");
  return b.assembly(
      llvm::formatv("wgmma.wait_group.sync.aligned {0};", pending).str(),
      llvm::join(constraints, ","), SmallVector<Type>(registers.getTypes()),
      registers);
}

/// The registers of a tile in the order of an accumulator.
SmallVector<Value> Emitter::accumulatorOf(Value tile) {
  int64_t slots = layout.columnSlots(cast<tile::TileType>(tile.getType()));
  SmallVector<Value> flat = flatten(tile), sums;
  for (int64_t i = 0; i < 2 * slots; ++i)
    sums.push_back(flat[slotOf(i, slots)]);
  return sums;
}

void Emitter::defineAccumulator(Value tile, ValueRange registers) {
  int64_t slots = layout.columnSlots(cast<tile::TileType>(tile.getType()));
  SmallVector<Value> places(registers.size());
  for (auto [i, value] : llvm::enumerate(registers))
    places[slotOf(i, slots)] = value;
  define(tile, [&](const Place &place) {
    return places[place.row * slots + place.column];
  });
}

void Emitter::emitWgmma(tile::DotOp dot) {
  SmallVector<Value> sums;
  if (dot.getAcc())
    sums = accumulatorOf(dot.getAcc());
  defineAccumulator(dot, waitForWgmma(0, issueWgmma(dot, sums)));
}

} // namespace attnc::ptx
