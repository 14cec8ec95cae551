//===- ModelInstructions.cpp - Calls of instruction models ----------------===//
//
// An intrinsic becomes a function of the module with the same type, which
// passes the addresses of its operands, so that models take vectors of any
// length, whatever registers the host has:
//
//   define internal <16 x float> @model.llvm.x86.avx512bf16.dpbf16ps.512(
//       <16 x float> %0, <32 x bfloat> %1, <32 x bfloat> %2) {
//     ... call void @attnc_model_llvm_x86_...(ptr %result, ptr %arguments)
//   }
//
// Tests: test/Tools/Run/model-instructions.test
//
//===----------------------------------------------------------------------===//

#include "Run/Model/ModelInstructions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <algorithm>

using namespace llvm;

namespace attnc {

std::string modelSymbol(StringRef intrinsic) {
  std::string symbol = "attnc_model_" + intrinsic.str();
  llvm::replace(symbol, '.', '_');
  return symbol;
}

std::string modelSymbols() {
  std::string list;
  for (const InstructionModel &model : getInstructionModels())
    list += (list.empty() ? "" : " ") + modelSymbol(model.intrinsic);
  return list;
}

static Function *defineModel(Module &module, const Function &intrinsic) {
  FunctionType *type = intrinsic.getFunctionType();
  Function *function = Function::Create(type, GlobalValue::InternalLinkage,
                                        "model." + intrinsic.getName(), module);
  function->addFnAttr(Attribute::NoInline);
  LLVMContext &context = module.getContext();
  PointerType *pointer = PointerType::getUnqual(context);
  IRBuilder<> builder(BasicBlock::Create(context, "", function));
  bool hasResult = !type->getReturnType()->isVoidTy();
  Value *result = hasResult
                      ? builder.CreateAlloca(type->getReturnType())
                      : static_cast<Value *>(ConstantPointerNull::get(pointer));
  Value *list =
      builder.CreateAlloca(ArrayType::get(pointer, function->arg_size()));
  for (Argument &argument : function->args()) {
    Value *copy = builder.CreateAlloca(argument.getType());
    builder.CreateStore(&argument, copy);
    builder.CreateStore(
        copy, builder.CreateConstGEP1_32(pointer, list, argument.getArgNo()));
  }
  FunctionCallee model =
      module.getOrInsertFunction(modelSymbol(intrinsic.getName()),
                                 Type::getVoidTy(context), pointer, pointer);
  builder.CreateCall(model, {result, list});
  if (hasResult)
    builder.CreateRet(builder.CreateLoad(type->getReturnType(), result));
  else
    builder.CreateRetVoid();
  return function;
}

Error modelInstructions(Module &kernels) {
  for (Function &function : make_early_inc_range(kernels)) {
    if (!function.isIntrinsic() || function.use_empty() ||
        !function.getName().starts_with("llvm.x86."))
      continue;
    auto hasName = [&](const InstructionModel &model) {
      return model.intrinsic == function.getName();
    };
    if (none_of(getInstructionModels(), hasName))
      return createStringError("no software model of '" + function.getName() +
                               "'");
    function.replaceAllUsesWith(defineModel(kernels, function));
    function.eraseFromParent();
  }
  return Error::success();
}

} // namespace attnc
