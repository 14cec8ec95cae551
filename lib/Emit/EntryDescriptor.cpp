//===- EntryDescriptor.cpp - A function's description as constants --------===//
//
// The structs of Abi/entry.h, field by field, as internal constants. The entry
// is then the same code for all functions, and what differs is data that a
// unit test can also write in C.
// Tests: test/Unit/Emit/ObjectTest.cpp
//
//===----------------------------------------------------------------------===//

#include "EntryDescriptor.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <limits>

using namespace attnc;
using namespace llvm;

// The entry has room for what an Interface may hold.
static_assert(Interface::kMaxRank == ATTNC_MAX_RANK);
static_assert(Interface::kMaxTensors == ATTNC_MAX_TENSORS);
static_assert(Interface::kMaxSizes == ATTNC_MAX_SIZES);
static_assert(SizeExpr::kMaxDepth == ATTNC_MAX_DEPTH);

namespace {
class Writer {
public:
  Writer(Module &module, const Interface &function)
      : module(module), function(function), builder(module.getContext()),
        pointer(PointerType::get(module.getContext(), 0)) {}

  Expected<GlobalVariable *> write(ArrayRef<KernelVariant> variants);

private:
  Constant *i32(int64_t value) {
    return ConstantInt::getSigned(builder.getInt32Ty(), value);
  }
  Constant *i64(int64_t value) {
    return ConstantInt::getSigned(builder.getInt64Ty(), value);
  }
  Constant *null() { return ConstantPointerNull::get(pointer); }
  Constant *record(ArrayRef<Constant *> fields) {
    return ConstantStruct::getAnon(fields);
  }
  /// An offset into the pool of texts.
  Constant *text(const Twine &string);
  /// struct attnc_expr, over run-time and fixed sizes' indices.
  Constant *expr(const SizeExpr &expr);
  /// The same over the indices of all sizes, once the entry has derived them:
  /// for what is told by their names.
  Constant *named(const SizeExpr &expr);
  Constant *noExpr() { return record({i32(0), i32(0)}); }
  /// An array of `bytes`-sized records as an internal constant; null if empty.
  Constant *array(const Twine &name, ArrayRef<Constant *> records,
                  size_t bytes);
  Constant *table(const Twine &name, Constant *value);
  Constant *state();

  Constant *writeSizes();
  Constant *writeTensors(); // fills `axes`
  Constant *writeAxis(const SizeExpr &axis, size_t number);
  Constant *writeConditions();
  Constant *deviceOf(const KernelVariant &variant);
  Expected<Constant *> writeKernel(const KernelVariant &variant, StringRef body,
                                   const InterfaceCase *when);
  Expected<Constant *> writeKernels(ArrayRef<KernelVariant> variants);

  Module &module;
  const Interface &function;
  IRBuilder<> builder;
  PointerType *pointer;
  std::string texts;
  std::vector<int64_t> code;
  std::vector<Constant *> axes;
  size_t conditionCount = 0, kernelCount = 0, kernelsOfPart = 0;
};
} // namespace

Constant *Writer::text(const Twine &string) {
  std::string entry = string.str();
  entry.push_back('\0');
  size_t at = StringRef(texts).find(entry);
  if (at == StringRef::npos) {
    at = texts.size();
    texts += entry;
  }
  return i32(at);
}

Constant *Writer::expr(const SizeExpr &expr) {
  return named(function.resolve(expr));
}

Constant *Writer::named(const SizeExpr &expr) {
  int64_t begin = code.size() / 2;
  for (const SizeExpr::Step &step : expr.postfix()) {
    code.push_back(static_cast<int64_t>(step.op));
    code.push_back(step.op == SizeExpr::Op::Size
                       ? int64_t(*function.sizeIndex(step.name))
                       : step.value);
  }
  return record({i32(begin), i32(expr.postfix().size())});
}

Constant *Writer::table(const Twine &name, Constant *value) {
  auto *global = new GlobalVariable(
      module, value->getType(), /*isConstant=*/true,
      GlobalValue::InternalLinkage, value, function.name + "." + name);
  global->setAlignment(Align(8));
  return global;
}

Constant *Writer::array(const Twine &name, ArrayRef<Constant *> records,
                        [[maybe_unused]] size_t bytes) {
  if (records.empty())
    return null();
  Type *type = records[0]->getType();
  assert((module.getDataLayout().getPointerSize() != sizeof(void *) ||
          module.getDataLayout().getTypeAllocSize(type) == bytes) &&
         "the record differs from the struct of entry.h");
  return table(
      name, ConstantArray::get(ArrayType::get(type, records.size()), records));
}

Constant *Writer::writeSizes() {
  SmallVector<Constant *> records;
  for (const InterfaceSize &size : function.sizes) {
    if (!size.isRuntime()) {
      records.push_back(record({text(size.name), i32(0), i32(-1), i32(-1),
                                expr(*size.value), i64(0)}));
      continue;
    }
    Interface::Binding binding = *function.bindingOf(size.name);
    records.push_back(record({text(size.name), i32(1), i32(binding.tensor),
                              i32(binding.axis), noExpr(), i64(binding.less)}));
  }
  return array("sizes", records, sizeof(attnc_size_info));
}

Constant *Writer::writeAxis(const SizeExpr &axis, size_t number) {
  std::optional<StringRef> name = axis.sizeName();
  std::optional<unsigned> index =
      name ? function.sizeIndex(*name) : std::nullopt;
  bool isRuntime = index && function.sizes[*index].isRuntime();
  Constant *label = name ? text(*name + " ")
                    : axis.constantValue()
                        ? text("axis " + Twine(number) + " = ")
                        : text(axis.str() + " = ");
  return record({label, i32(isRuntime ? int64_t(*index) : -1), expr(axis)});
}

/// What sentences call a tensor. Of packed weights also where they come from: a
/// caller may have passed the weights themselves.
static std::string calledName(const InterfaceTensor &tensor) {
  return tensor.packedBy.empty()
             ? tensor.name
             : tensor.name + " (computed by " + tensor.packedBy + ")";
}

Constant *Writer::writeTensors() {
  SmallVector<Constant *> records;
  for (const InterfaceTensor &tensor : function.tensors) {
    int64_t firstAxis = axes.size();
    for (auto [number, axis] : llvm::enumerate(tensor.axes))
      axes.push_back(writeAxis(axis, number));
    int flags = (tensor.isOutput() ? ATTNC_TENSOR_OUTPUT : 0) |
                (tensor.nullable ? ATTNC_TENSOR_NULLABLE : 0) |
                (tensor.nondecreasing ? ATTNC_TENSOR_NONDECREASING : 0) |
                (tensor.range ? ATTNC_TENSOR_RANGE : 0) |
                (tensor.inout ? ATTNC_TENSOR_INOUT : 0);
    std::optional<unsigned> mayBe = function.tensorIndex(tensor.mayBe);
    const DTypeInfo &dtype = dtypeInfo(tensor.dtype);
    records.push_back(
        record({text(calledName(tensor)), i32(firstAxis),
                i32(tensor.axes.size()), i32(flags), i32(dtype.dlpackCode),
                i32(dtype.bits), i32(mayBe ? int64_t(*mayBe) : -1), i32(0),
                tensor.range ? expr(tensor.range->first) : noExpr(),
                tensor.range ? expr(tensor.range->second) : noExpr()}));
  }
  return array("tensors", records, sizeof(attnc_tensor_info));
}

Constant *Writer::writeConditions() {
  SmallVector<Constant *> records;
  for (const InterfacePrecondition &condition : function.preconditions)
    records.push_back(
        record({i32(ATTNC_CONDITION_LESS_EQUAL), text(condition.sentence),
                named(condition.lhs), named(condition.rhs)}));
  for (const SizeExpr &position : function.positions) {
    Constant *value = expr(position);
    records.push_back(record(
        {i32(ATTNC_CONDITION_POSITION), text(position.str()), value, value}));
  }
  conditionCount = records.size();
  return array("conditions", records, sizeof(attnc_condition));
}

Constant *Writer::deviceOf(const KernelVariant &variant) {
  GlobalVariable *device =
      module.getNamedGlobal((kDeviceName + variant.suffix).str());
  return device ? device : null();
}

Expected<Constant *> Writer::writeKernel(const KernelVariant &variant,
                                         StringRef body,
                                         const InterfaceCase *when) {
  Expected<unsigned> count = countGrids(module, body, variant.suffix);
  if (!count)
    return count.takeError();
  auto part = [&](const Twine &name) {
    return cast_if_present<Constant>(
        module.getFunction((body + "." + name + variant.suffix).str()));
  };
  auto optional = [&](const Twine &name) {
    Constant *found = part(name);
    return found ? found : null();
  };
  SmallVector<Constant *> grids;
  for (unsigned g = 0; g < *count; ++g) {
    std::string grid = ("grid" + Twine(g)).str();
    grids.push_back(record({part(grid + ".tasks"), part(grid + ".body"),
                            optional(grid + ".units")}));
  }
  return record(
      {ConstantDataArray::get(module.getContext(),
                              ArrayRef<uint32_t>(variant.needs)),
       ConstantDataArray::get(module.getContext(),
                              ArrayRef<uint32_t>(variant.slowOn)),
       i32(*count), text(variant.label),
       i32(variant.isNarrow ? ATTNC_KERNEL_NARROW : 0),
       array("grids" + Twine(kernelCount++), grids, sizeof(attnc_grid)),
       part("scratch"), part("workspace"), when ? expr(when->lhs) : noExpr(),
       when ? expr(when->rhs) : noExpr(), deviceOf(variant), optional("begin"),
       optional("end")});
}

/// The function with the cases of a part.
static Interface withCasesOf(const Interface &function,
                             const KernelVariant &variant) {
  Interface own = function;
  auto found = variant.cases.find(function.name);
  if (found != variant.cases.end())
    own.cases = found->second;
  return own;
}

/// The kernels of each part; a part with fewer cases than another repeats its
/// last kernel, which no call reaches.
Expected<Constant *> Writer::writeKernels(ArrayRef<KernelVariant> variants) {
  for (const KernelVariant &variant : variants)
    kernelsOfPart =
        std::max(kernelsOfPart, withCasesOf(function, variant).bodies().size());
  SmallVector<Constant *> records;
  for (const KernelVariant &variant : variants) {
    Interface own = withCasesOf(function, variant);
    std::vector<std::string> bodies = own.bodies();
    for (size_t number = 0; number < kernelsOfPart; ++number) {
      bool isCase = number < own.cases.size();
      auto kernel =
          writeKernel(variant, bodies[std::min(number, bodies.size() - 1)],
                      isCase ? &own.cases[number] : nullptr);
      if (!kernel)
        return kernel.takeError();
      records.push_back(*kernel);
    }
  }
  return array("kernels", records, sizeof(attnc_kernel));
}

/// What the entry knows of the processor; all functions of an object share it.
Constant *Writer::state() {
  if (GlobalVariable *known = module.getNamedGlobal("attnc.state"))
    return known;
  return new GlobalVariable(module, builder.getInt32Ty(), /*isConstant=*/false,
                            GlobalValue::InternalLinkage, i32(0),
                            "attnc.state");
}

Expected<GlobalVariable *> Writer::write(ArrayRef<KernelVariant> variants) {
  if (variants.size() > ATTNC_MAX_PARTS)
    return createStringError("an object has at most " +
                             Twine(int(ATTNC_MAX_PARTS)) + " parts");
  // Before the pools: these fill them.
  Constant *sizes = writeSizes();
  Constant *tensors = writeTensors();
  Constant *conditions = writeConditions();
  Expected<Constant *> kernels = writeKernels(variants);
  if (!kernels)
    return kernels.takeError();
  bool isDouble = llvm::any_of(function.tensors, [](const InterfaceTensor &t) {
    return t.role == TensorRole::Output && t.dtype == DType::F64;
  });
  unsigned pointerBytes = module.getDataLayout().getPointerSize();
  Constant *value = record(
      {table("text", ConstantDataArray::getString(module.getContext(), texts)),
       table("code", ConstantDataArray::get(module.getContext(),
                                            ArrayRef<int64_t>(code))),
       sizes, tensors, array("axes", axes, sizeof(attnc_axis_info)), conditions,
       *kernels, state(), i32(function.sizes.size()),
       i32(function.tensors.size()), i32(conditionCount), i32(kernelCount),
       i32(rawArgsBytes(function, pointerBytes)),
       i32(isDouble ? 0 : ATTNC_FUNCTION_FLUSHES), i32(variants.size()),
       i32(kernelsOfPart)});
  assert((pointerBytes != sizeof(void *) ||
          module.getDataLayout().getTypeAllocSize(value->getType()) ==
              sizeof(attnc_function)) &&
         "the record differs from the struct of entry.h");
  return cast<GlobalVariable>(table("function", value));
}

Expected<GlobalVariable *>
attnc::addDescriptor(Module &module, const Interface &function,
                     ArrayRef<KernelVariant> variants) {
  return Writer(module, function).write(variants);
}

namespace {
/// Checks the types of a part's functions.
class FunctionChecker {
public:
  FunctionChecker(const Module &module, StringRef suffix)
      : module(module), suffix(suffix) {}
  bool has(const Twine &name) const { return find(name); }
  /// Functions that count: tasks, bytes, parts.
  Error checkCount(const Twine &name) const {
    return check(name, FunctionType::get(i64, {pointer}, false));
  }
  Error checkBody(const Twine &name) const {
    return check(name, FunctionType::get(none, {pointer, pointer, i64}, false));
  }
  Error checkBegin(const Twine &name) const {
    return check(name, FunctionType::get(none, {pointer}, false));
  }
  Error checkEnd(const Twine &name) const {
    return check(name, FunctionType::get(none, {}, false));
  }

private:
  const Function *find(const Twine &name) const {
    return module.getFunction((name + suffix).str());
  }
  Error check(const Twine &name, FunctionType *expected) const {
    std::string full = (name + suffix).str();
    const Function *function = module.getFunction(full);
    if (!function || function->isDeclaration())
      return createStringError("the kernels define no function '" + full + "'");
    if (function->getFunctionType() != expected)
      return createStringError("the kernels' function '" + full +
                               "' has another type than the entry calls");
    return Error::success();
  }

  const Module &module;
  StringRef suffix;
  Type *none = Type::getVoidTy(module.getContext());
  Type *i64 = Type::getInt64Ty(module.getContext());
  Type *pointer = PointerType::get(module.getContext(), 0);
};
} // namespace

Expected<unsigned> attnc::countGrids(const Module &module, StringRef name,
                                     StringRef suffix) {
  FunctionChecker checker(module, suffix);
  for (StringRef part : {".scratch", ".workspace"})
    if (Error error = checker.checkCount(name + part))
      return error;
  if (checker.has(name + ".begin")) {
    if (Error error = checker.checkBegin(name + ".begin"))
      return error;
    if (Error error = checker.checkEnd(name + ".end"))
      return error;
  }
  for (unsigned count = 0;; ++count) {
    std::string grid = (name + ".grid" + Twine(count)).str();
    bool isLast = !checker.has(grid + ".tasks") && !checker.has(grid + ".body");
    if (isLast && count > 0)
      return count;
    if (Error error = checker.checkCount(grid + ".tasks"))
      return error;
    if (Error error = checker.checkBody(grid + ".body"))
      return error;
    if (checker.has(grid + ".units"))
      if (Error error = checker.checkCount(grid + ".units"))
        return error;
  }
}

uint32_t attnc::rawArgsBytes(const Interface &function, unsigned pointerBytes) {
  uint64_t bytes = sizeof(uint32_t), align = std::max(4u, pointerBytes);
  auto field = [&](uint64_t size, uint64_t count) {
    if (!count)
      return;
    bytes = alignTo(bytes, size) + size * count;
    align = std::max(align, size);
  };
  field(8, function.runtimeSizes().size());
  field(pointerBytes, function.tensors.size());
  for (const InterfaceTensor &tensor : function.tensors)
    field(8, tensor.axes.size());
  return alignTo(bytes, align);
}
