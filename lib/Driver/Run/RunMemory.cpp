//===- RunMemory.cpp - Tensors as a caller holds them ---------------------===//

#include "Run/RunMemory.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Process.h"

#include <cstring>
#include <numeric>
#include <sys/mman.h>

namespace attnc {

/// Memory order of the axes, slowest first.
static llvm::SmallVector<unsigned>
axisOrder(size_t rank, RunOptions::Strides order, uint64_t variant) {
  llvm::SmallVector<unsigned> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (order == RunOptions::Strides::Bshd && rank >= 3)
    std::swap(axes[1], axes[2]);
  if (order == RunOptions::Strides::Random)
    for (size_t i = rank; i > 1; --i) {
      variant = variant * 6364136223846793005u + 1442695040888963407u;
      std::swap(axes[i - 1], axes[(variant >> 33) % i]);
    }
  return axes;
}

/// Strides in elements; with padding between rows in random order.
void CallTensor::chooseStrides(RunOptions::Strides order, uint64_t variant) {
  strides.assign(shape.size(), 0);
  int64_t step = 1;
  auto axes = axisOrder(shape.size(), order, variant);
  // Spreads the bits of small numbers (SplitMix64's increment).
  uint64_t repeated = (variant + 1) * 0x9e3779b97f4a7c15u >> 32;
  for (unsigned axis : llvm::reverse(axes)) {
    if (order == RunOptions::Strides::Broadcast && (repeated >> axis) % 3 == 0)
      continue; // every place along it is the first
    bool isNegative =
        order == RunOptions::Strides::Negative ||
        (order == RunOptions::Strides::Random && (variant >> axis) % 3 == 0);
    strides[axis] = isNegative ? -step : step;
    step *= std::max<int64_t>(shape[axis], 1);
    if (order == RunOptions::Strides::Random)
      step += (variant >> (axis + 8)) % 4;
  }
}

CallTensor::CallTensor(const InterfaceTensor &declared,
                       llvm::ArrayRef<int64_t> shape, RunOptions::Strides order,
                       uint64_t variant)
    : dtype(declared.dtype), shape(shape.begin(), shape.end()), tensor() {
  // What is written cannot repeat elements.
  bool isDense =
      declared.isWritten() && order == RunOptions::Strides::Broadcast;
  chooseStrides(isDense ? RunOptions::Strides::Bhsd : order, variant);
  int64_t low = 0, high = 0;
  bool isEmpty = false;
  for (auto [extent, stride] : llvm::zip_equal(this->shape, strides)) {
    isEmpty |= extent == 0;
    (stride < 0 ? low : high) += stride * std::max<int64_t>(extent - 1, 0);
  }
  size_t size = dtypeBytes(dtype);
  size_t bytes = isEmpty ? 0 : (high - low + 1) * size;
  size_t page = llvm::sys::Process::getPageSizeEstimate();
  mappedBytes = (bytes + page - 1) / page * page + page;
  void *memory = mmap(nullptr, mappedBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return;
  mapping = static_cast<char *>(memory);
  mprotect(mapping + mappedBytes - page, page, PROT_NONE);
  const DTypeInfo &info = dtypeInfo(dtype);
  tensor.data = mapping + (mappedBytes - page - bytes) - low * int64_t(size);
  tensor.device = {1, 0}; // kDLCPU
  tensor.ndim = static_cast<int32_t>(this->shape.size());
  tensor.dtype = {static_cast<uint8_t>(info.dlpackCode),
                  static_cast<uint8_t>(info.bits), 1};
  tensor.shape = this->shape.data();
  tensor.strides = strides.data();
}

CallTensor::~CallTensor() {
  if (mapping)
    munmap(mapping, mappedBytes);
}

template <typename Visit> void CallTensor::forEach(Visit visit) const {
  if (llvm::is_contained(shape, 0))
    return;
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  auto *base = static_cast<char *>(tensor.data);
  for (int64_t number = 0;; ++number) {
    int64_t offset = 0;
    for (auto [position, stride] : llvm::zip_equal(index, strides))
      offset += position * stride;
    visit(number, base + offset * int64_t(dtypeBytes(dtype)));
    int axis = static_cast<int>(shape.size()) - 1;
    for (; axis >= 0; --axis) {
      if (++index[axis] < shape[axis])
        break;
      index[axis] = 0;
    }
    if (axis < 0)
      return;
  }
}

template <typename T> static void put(char *address, T value) {
  std::memcpy(address, &value, sizeof value);
}
template <typename T> static T get(const char *address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

/// The bits of a 16-bit float; `value` is exact in it.
static uint16_t bitsOf(double value, const llvm::fltSemantics &semantics) {
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

static double fromBits(uint16_t bits, const llvm::fltSemantics &semantics) {
  llvm::APFloat number(semantics, llvm::APInt(16, bits));
  bool losesInfo = false;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

void CallTensor::store(const reference::Tensor &values) {
  forEach([&](int64_t i, char *address) {
    switch (dtype) {
    case DType::F64:
      return put(address, values.real[i]);
    case DType::F32:
      return put(address, static_cast<float>(values.real[i]));
    case DType::F16:
      return put(address, bitsOf(values.real[i], llvm::APFloat::IEEEhalf()));
    case DType::BF16:
      return put(address, bitsOf(values.real[i], llvm::APFloat::BFloat()));
    case DType::I64:
      return put(address, values.integer[i]);
    case DType::I32:
      return put(address, static_cast<int32_t>(values.integer[i]));
    case DType::I8:
    case DType::U8:
    case DType::Bool:
      return put(address, static_cast<uint8_t>(values.integer[i]));
    }
  });
}

void CallTensor::load(reference::Tensor &values) const {
  forEach([&](int64_t i, const char *address) {
    switch (dtype) {
    case DType::F64:
      values.real[i] = get<double>(address);
      return;
    case DType::F32:
      values.real[i] = get<float>(address);
      return;
    case DType::F16:
      values.real[i] =
          fromBits(get<uint16_t>(address), llvm::APFloat::IEEEhalf());
      return;
    case DType::BF16:
      values.real[i] =
          fromBits(get<uint16_t>(address), llvm::APFloat::BFloat());
      return;
    case DType::I64:
      values.integer[i] = get<int64_t>(address);
      return;
    case DType::I32:
      values.integer[i] = get<int32_t>(address);
      return;
    case DType::I8:
      values.integer[i] = get<int8_t>(address);
      return;
    case DType::U8:
    case DType::Bool:
      values.integer[i] = get<uint8_t>(address);
      return;
    }
  });
}

void CallTensor::poison() {
  forEach([&](int64_t, char *address) {
    std::memset(address, 0xff, dtypeBytes(dtype));
  });
}

} // namespace attnc
