//===- FunctionWriter.h - Writes functions around pipelines -----*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_FUNCTIONWRITER_H
#define ATTNC_LIB_CODEGEN_HALIDE_FUNCTIONWRITER_H

#include "Step.h"

#include "attnc/Dialect/Attn/Attn.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <map>

namespace attnc::halide {

/// Fields of struct attnc_call (lib/Emit/Abi/entry.h), all pointers.
enum CallField { kSizes, kData, kStrides, kWorkspace, kShapes, kFailure };

/// Where halide_buffer_t has its fields (HalideRuntime.h): a uint64_t, two
/// pointers, a uint64_t, two numbers of 32 bits, two pointers.
struct BufferLayout {
  int64_t host, rank, dims, bytes;
  explicit BufferLayout(int64_t pointer)
      : host(8 + pointer), rank(8 + 2 * pointer + 12), dims(rank + 4),
        bytes(dims + 2 * pointer) {}
};
inline constexpr int64_t kDimBytes = 16;
/// At least those of struct attnc_slot (Device/slots.h).
inline constexpr int64_t kSlotBytes = 512;

/// The tensors that the steps of a function for a device use.
struct DeviceSlots {
  struct Slot {
    Place place;
    bool isWritten = false;
    size_t lastStep = 0; // that uses it
  };
  std::vector<Slot> list;

  explicit DeviceSlots(llvm::ArrayRef<Step> steps) {
    for (auto [number, step] : llvm::enumerate(steps)) {
      for (Place place : step.inputs)
        slotOf(place).lastStep = number;
      for (Place place : step.outputs) {
        Slot &slot = slotOf(place);
        slot.lastStep = number;
        slot.isWritten = true;
      }
    }
  }
  /// The index in `list`.
  size_t find(Place place) const {
    return size_t(
        llvm::find_if(list,
                      [&](const Slot &slot) { return slot.place == place; }) -
        list.begin());
  }

private:
  Slot &slotOf(Place place) {
    size_t number = find(place);
    if (number == list.size())
      list.push_back({place});
    return list[number];
  }
};

/// Writes the functions that the entry calls (see Shim.cpp, and for devices
/// Device/DeviceFunction.cpp).
class FunctionWriter {
public:
  FunctionWriter(llvm::Module &module, const FunctionPlan &plan,
                 llvm::ArrayRef<Step> steps)
      : module(module), plan(plan), ir(module.getContext()),
        pointerBytes(module.getDataLayout().getPointerSize()),
        layout(pointerBytes) {
    for (const Step &step : steps)
      for (auto *places : {&step.inputs, &step.outputs})
        for (Place place : *places)
          ++uses[{place.isWorkspace, place.number}];
  }

  void writeTasks(const Step &step, size_t number);
  void writeBody(const Step &step, size_t number);
  /// The tasks and bodies of a function for a device.
  void writeDevice(llvm::ArrayRef<Step> steps);
  void writeScratch(llvm::ArrayRef<Step> steps);
  void writeWorkspace();

private:
  void begin(const llvm::Twine &suffix, llvm::Type *result,
             llvm::ArrayRef<llvm::Type *> parameters);
  llvm::Value *i64(int64_t value) { return ir.getInt64(value); }
  llvm::Value *field(CallField number) {
    llvm::Value *at = ir.CreateConstGEP1_64(ir.getPtrTy(), call, number);
    return ir.CreateLoad(ir.getPtrTy(), at);
  }
  llvm::Value *entry(CallField number, unsigned index) {
    llvm::Value *at =
        ir.CreateConstGEP1_64(ir.getPtrTy(), field(number), index);
    return ir.CreateLoad(ir.getPtrTy(), at);
  }
  llvm::Value *sizeOf(mlir::Attribute size);
  llvm::Value *namedSize(llvm::StringRef name);
  llvm::Value *extentOf(mlir::Attribute size) {
    return ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, sizeOf(size),
                                    i64(0));
  }
  llvm::Value *extentOf(const Coordinate &one);
  llvm::Value *bytesOf(mlir::RankedTensorType type);
  llvm::Value *offsetOf(unsigned workspace);
  llvm::Function *writePart(const llvm::Twine &suffix, unsigned pointers,
                            bool isShared,
                            llvm::function_ref<void(llvm::Function *)> write);
  llvm::Function *fillOfType(mlir::RankedTensorType type);
  llvm::Function *fillOf(Place place);
  llvm::Value *bufferOf(Place place, llvm::Value *zero);
  llvm::Value *emptyBuffer();
  llvm::Value *numberBuffer(llvm::Value *host);
  llvm::Value *valueOf(llvm::StringRef parameter,
                       const llvm::StringMap<llvm::Value *> &coordinates);
  void describe(llvm::Value *slot, const DeviceSlots::Slot &one);
  llvm::Value *slotAt(llvm::Value *base, size_t number) {
    return ir.CreateConstGEP1_64(ir.getInt8Ty(), base,
                                 kSlotBytes * int64_t(number));
  }
  llvm::Value *callDevice(llvm::StringRef name,
                          llvm::ArrayRef<llvm::Value *> arguments,
                          llvm::Type *result = nullptr);
  void writeDeviceStep(const Step &step, size_t number,
                       const DeviceSlots &slots);
  llvm::Value *wideIndices(const Step &step, const DeviceSlots &slots,
                           llvm::Value *base);
  llvm::Value *tasksOf(const Step &step);
  llvm::Value *hasWork(const Step &step);
  void repeatExactly(llvm::FunctionCallee pipeline,
                     llvm::SmallVector<llvm::Value *> arguments,
                     llvm::Value *nans, size_t exact, int64_t reruns);
  llvm::Value *arenaIn(llvm::Value *scratch, llvm::Value *bytes);
  llvm::Value *scratchBytes(const Step &step);
  llvm::StringMap<llvm::Value *> coordinatesOf(const Step &step,
                                               llvm::Value *task);
  void storeAt(llvm::Value *base, int64_t offset, llvm::Value *value) {
    ir.CreateStore(value, ir.CreateConstGEP1_64(ir.getInt8Ty(), base, offset));
  }

  llvm::Module &module;
  const FunctionPlan &plan;
  llvm::IRBuilder<> ir;
  int64_t pointerBytes;
  BufferLayout layout;
  llvm::Function *function = nullptr;
  llvm::Value *call = nullptr;
  /// How many steps use a place, by `isWorkspace` and the number.
  std::map<std::pair<bool, unsigned>, unsigned> uses;
  std::map<std::pair<bool, unsigned>, llvm::Function *> fills;
  llvm::DenseMap<mlir::Type, llvm::Function *> fillsOfTypes;
};

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_FUNCTIONWRITER_H
