//===- VerifyLlvm.cpp - The contract of stage `llvm` ----------------------===//
//
// The entry of an object calls the functions of each kernel by their names and
// types, and the object needs libc only. A dump that was edited is checked for
// both when it is read back; without this, Emit would fail or the linker would.
// Tests: test/Pipeline/verified-dumps.test
//
//===----------------------------------------------------------------------===//

#include "PassTable.h"

#include "attnc/Interface/Attributes.h"
#include "attnc/Interface/Interface.h"
#include "attnc/Target/Target.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace attnc {

/// Whether a call names a function of the module, so nothing else is linked.
static bool callsFunctionOf(ModuleOp module, LLVM::CallOp call) {
  std::optional<StringRef> callee = call.getCallee();
  return callee && module.lookupSymbol<LLVM::LLVMFuncOp>(*callee);
}

/// The feature that an instruction of AVX-512, AVX-VNNI or AMX requires, or an
/// empty text: llvm.x86.avx512bf16.dpbf16ps.512 requires avx512bf16,
/// llvm.x86.avx512.vpermi2var.ps.512 avx512f, llvm.x86.tileloadd64 amx-tile.
/// Extensions without a name of their own are listed. VPDPBUSD of 256 bits has
/// an encoding of avxvnni and one of avx512vnni; levels use the former.
static std::string featureOf(StringRef name) {
  if (!name.consume_front("llvm.x86."))
    return {};
  if (name.starts_with("avx512.vpdp"))
    return name.ends_with(".512") ? "avx512vnni" : "avxvnni";
  if (name == "avx2.pmadd.wd")
    return "avx2";
  if (name.starts_with("avx512.permvar.qi") ||
      name.starts_with("avx512.pmultishift"))
    return "avx512vbmi";
  if (name.consume_front("avx512")) {
    StringRef extension = name.split('.').first;
    return "avx512" + (extension.empty() ? "f" : extension.str());
  }
  if (name == "tdpbf16ps")
    return "amx-bf16";
  if (name == "tdpbssd" || name == "tdpbusd")
    return "amx-int8";
  bool isTile =
      llvm::is_contained({"ldtilecfg", "tilerelease", "tileloadd64",
                          "tileloaddt164", "tilestored64", "tilezero"},
                         name);
  return isTile ? "amx-tile" : "";
}

static bool hasInstruction(const Target &target, StringRef name) {
  std::string feature = featureOf(name);
  auto isAmong = [&](StringRef features) {
    return llvm::is_contained(llvm::split(features, ' '), feature);
  };
  return !feature.empty() &&
         (isAmong(target.requiredFeatures) || isAmong(target.matrixFeatures));
}

/// LLVM encodes the number of a tile register unchecked, and TDPBF16PS faults
/// where two of its registers are the same.
static LogicalResult verifyRegisters(LLVM::CallIntrinsicOp call) {
  constexpr int64_t registerCount = 8;
  llvm::SmallSet<int64_t, 4> numbers;
  for (Value operand : call.getArgs()) {
    if (!operand.getType().isInteger(8))
      continue;
    APInt number;
    if (!matchPattern(operand, m_ConstantInt(&number)) ||
        number.uge(registerCount))
      return call.emitOpError("has a tile register that is no constant from 0 "
                              "to ")
             << registerCount - 1;
    if (!numbers.insert(number.getSExtValue()).second)
      return call.emitOpError("has the tile register ")
             << number.getSExtValue() << " twice";
  }
  return success();
}

/// An instruction by its name, or text of the assembler: LLVM aborts where the
/// processor lacks it. Code generation makes those of AVX-512 and AMX only.
static LogicalResult verifyInstruction(ModuleOp module, Operation *op) {
  if (isa<LLVM::InlineAsmOp>(op))
    return op->emitOpError("is not allowed; kernels have no inline assembly");
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  constexpr StringRef noInstructions[] = {"llvm.arithmetic.fence",
                                          "llvm.expect"};
  if (!call || llvm::is_contained(noInstructions, call.getIntrin()))
    return success();
  auto name = module->getAttrOfType<StringAttr>(kTargetAttr);
  const Target *target = name ? lookupTarget(name.getValue()) : nullptr;
  if (target && hasInstruction(*target, call.getIntrin()))
    return StringRef(featureOf(call.getIntrin())).starts_with("amx")
               ? verifyRegisters(call)
               : success();
  return op->emitOpError("calls ")
         << call.getIntrin() << ", which "
         << (target ? target->name : "a dump without attnc.target")
         << " does not have";
}

/// Only ops of LLVM, every function with a body, no call of anything else.
static LogicalResult verifyOps(ModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    if (op == module)
      return WalkResult::advance();
    if (!isa_and_present<LLVM::LLVMDialect>(op->getDialect()))
      return op->emitOpError(
          "does not belong to stage llvm; expected ops of the LLVM dialect");
    auto call = dyn_cast<LLVM::CallOp>(op);
    if (isa<LLVM::InvokeOp>(op) || (call && !callsFunctionOf(module, call)))
      return op->emitOpError(
          "is not allowed; kernels call only functions of their module");
    if (failed(verifyInstruction(module, op)))
      return WalkResult::interrupt();
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (function && function.isExternal())
      return op->emitOpError("has no body; an object needs libc only");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult verifyFunction(ModuleOp module, const std::string &name,
                                    LLVM::LLVMFunctionType expected) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function)
    return module.emitError("stage llvm needs the function '") << name << "'";
  if (function.getFunctionType() != expected)
    return function.emitOpError("has the type ")
           << function.getFunctionType() << ", expected " << expected;
  return success();
}

LogicalResult verifyLlvm(ModuleOp module) {
  FailureOr<std::vector<Interface>> interfaces = getInterfaces(module);
  if (failed(interfaces) || failed(verifyOps(module)))
    return failure();
  MLIRContext *context = module.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = IntegerType::get(context, 64);
  auto count = LLVM::LLVMFunctionType::get(i64, {pointer});
  Type none = LLVM::LLVMVoidType::get(context);
  auto body = LLVM::LLVMFunctionType::get(none, {pointer, pointer, i64});
  auto begin = LLVM::LLVMFunctionType::get(none, {pointer});
  auto end = LLVM::LLVMFunctionType::get(none, {});
  for (const Interface &interface : *interfaces)
    for (const std::string &name : interface.bodies()) {
      if (failed(verifyFunction(module, name + ".scratch", count)) ||
          failed(verifyFunction(module, name + ".workspace", count)))
        return failure();
      if (module.lookupSymbol(name + ".begin") &&
          (failed(verifyFunction(module, name + ".begin", begin)) ||
           failed(verifyFunction(module, name + ".end", end))))
        return failure();
      for (unsigned grid = 0;; ++grid) {
        std::string prefix = name + ".grid" + std::to_string(grid);
        if (grid && !module.lookupSymbol(prefix + ".tasks") &&
            !module.lookupSymbol(prefix + ".body"))
          break;
        if (failed(verifyFunction(module, prefix + ".tasks", count)) ||
            failed(verifyFunction(module, prefix + ".body", body)))
          return failure();
        if (module.lookupSymbol(prefix + ".units") &&
            failed(verifyFunction(module, prefix + ".units", count)))
          return failure();
      }
    }
  return success();
}

} // namespace attnc
