//===- TensorMapFunctions.cpp - What the host says of tensor maps ---------===//
//
//   i64 @f.grid0.maps(ptr %call, ptr %maps)
//
// fills one struct attnc_tensor_map (Launch/map.h) for each map of the kernel
// @f$grid0, and returns 1 if all tensors of the call have layouts that
// cuTensorMapEncodeTiled accepts: the first axis is contiguous, addresses and
// strides are multiples of 16 bytes, no extent is 0. Else it returns 0, and the
// launch is one of @f$grid0$async. Tests: test/Codegen/NVPTX/tensor-maps.mlir,
// test/Integration/cuda/tensor-maps.test
//
//===----------------------------------------------------------------------===//

#include "TensorMapFunctions.h"

#include "Launch/map.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace attnc::ptx {

using Predicate = Builder::Predicate;

/// CU_TENSOR_MAP_DATA_TYPE_*.
static int64_t typeCode(Type element) { return element.isBF16() ? 9 : 6; }

namespace {
/// Writes one description.
class MapWriter {
public:
  MapWriter(Builder &b, Value record) : b(b), record(record) {}

  /// Whether the buffer can have the map.
  Value write(const TensorMap &map, const Buffer &buffer);

private:
  void put(Value value) {
    b.store(value, b.getI64Type(), record);
    record = b.address(record, b.getI64Type(), b.index(1));
  }
  void putAxes(ArrayRef<Value> values) {
    for (unsigned axis = 0; axis < ATTNC_MAP_AXES; ++axis)
      put(axis < values.size() ? values[axis] : b.index(0));
  }
  void require(Value condition) { fits = b.logicalAnd(fits, condition); }
  void requireUnits(Value bytes) {
    constexpr int64_t kUnit = 16;
    Value rest = arith::AndIOp::create(b, b.loc, bytes, b.index(kUnit - 1));
    require(b.compare(Predicate::eq, rest, 0));
  }

  Builder &b;
  Value record, fits;
};
} // namespace

Value MapWriter::write(const TensorMap &map, const Buffer &buffer) {
  constexpr int64_t kMostExtent = (int64_t(1) << 32) - 1;
  constexpr int64_t kMostStride = (int64_t(1) << 40) - 1, kAnyStride = 16;
  int64_t bytes = Builder::bytesOf(map.element());
  fits = b.compare(Predicate::eq, buffer.strides[map.axes.front()], 1);
  Value address = b.toIndex(
      LLVM::PtrToIntOp::create(b, b.loc, b.getI64Type(), buffer.data));
  requireUnits(address);
  SmallVector<Value> sizes, strides{b.index(bytes)},
      box{b.index(map.swizzle / bytes), b.index(map.rows)};
  auto addSize = [&](Value extent) {
    require(b.compare(Predicate::sgt, extent, 0));
    require(b.compare(Predicate::sle, extent, kMostExtent));
    sizes.push_back(extent);
  };
  addSize(map.columns ? b.index(*map.columns)
                      : buffer.extents[map.axes.front()]);
  for (unsigned axis : ArrayRef(map.axes).drop_front()) {
    Value extent = buffer.extents[axis];
    addSize(extent);
    // Nothing is said of the stride of an axis with one element.
    Value stride =
        b.select(b.compare(Predicate::eq, extent, 1), b.index(kAnyStride),
                 b.mul(buffer.strides[axis], bytes));
    requireUnits(stride);
    require(b.compare(Predicate::sgt, stride, 0));
    require(b.compare(Predicate::sle, stride, kMostStride));
    strides.push_back(stride);
  }
  box.resize(map.axes.size(), b.index(1));
  put(address);
  put(b.index(int64_t(map.axes.size())));
  put(b.index(typeCode(map.element())));
  put(b.index(map.swizzle));
  putAxes(sizes);
  putAxes(strides);
  putAxes(box);
  return fits;
}

Value writeMaps(Builder &b, ArrayRef<TensorMap> maps, Value records,
                llvm::function_ref<Buffer(Value)> bufferOf) {
  Value fits = b.boolean(true);
  for (auto [number, map] : llvm::enumerate(maps)) {
    Value record =
        b.address(records, b.getI8Type(),
                  b.index(int64_t(number * sizeof(attnc_tensor_map))));
    fits = b.logicalAnd(fits,
                        MapWriter(b, record).write(map, bufferOf(map.buffer)));
  }
  return b.select(fits, b.index(1), b.index(0));
}

} // namespace attnc::ptx
