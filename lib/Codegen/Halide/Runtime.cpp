//===- Runtime.cpp - What Halide's code calls -----------------------------===//
//
// Halide's allocator gets the task's arena, a part of the worker's scratch: a
// stack of blocks with a header each. What does not fit is from malloc, whose
// failure a task cannot report.
//
//===----------------------------------------------------------------------===//

#include "Shim.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace attnc::halide {

// %arena = { next, end, begin, last }. The 64 bytes before a block of the arena
// are { the block before, whether it is free }, before one of malloc what that
// returned. Blocks that are freed out of order go when those after them do.
// iSIZE is size_t.
static constexpr char kRuntime[] = R"(
; halide_buffer_t, halide_dimension_t
%halide_buffer = type { i64, ptr, ptr, i64, i32, i32, ptr, ptr }
%halide_dimension = type { i32, i32, i32, i32 }

declare ptr @malloc(iSIZE)
declare void @free(ptr)
declare void @llvm.trap()

define ptr @halide_malloc(ptr %arena, iSIZE %bytes) {
  %next = load ptr, ptr %arena
  %end.at = getelementptr ptr, ptr %arena, i64 1
  %end = load ptr, ptr %end.at
  %next.int = ptrtoint ptr %next to iSIZE
  %end.int = ptrtoint ptr %end to iSIZE
  %room = sub iSIZE %end.int, %next.int
  %more = add iSIZE %bytes, 191
  %size = and iSIZE %more, -64
  %fits = icmp ule iSIZE %size, %room
  br i1 %fits, label %inside, label %outside
inside:
  %last.at = getelementptr ptr, ptr %arena, i64 3
  %last = load ptr, ptr %last.at
  store ptr %last, ptr %next
  %flag = getelementptr i64, ptr %next, i64 1
  store i64 0, ptr %flag
  store ptr %next, ptr %last.at
  %block = getelementptr i8, ptr %next, i64 64
  %rest = getelementptr i8, ptr %next, iSIZE %size
  store ptr %rest, ptr %arena
  ret ptr %block
outside:
  %raw = call ptr @malloc(iSIZE %size)
  %isnull = icmp eq ptr %raw, null
  br i1 %isnull, label %fail, label %some
fail:
  call void @llvm.trap()
  unreachable
some:
  %raw.int = ptrtoint ptr %raw to iSIZE
  %above = add iSIZE %raw.int, 127
  %aligned = and iSIZE %above, -64
  %offset = sub iSIZE %aligned, %raw.int
  %outer = getelementptr i8, ptr %raw, iSIZE %offset
  %outer.header = getelementptr i8, ptr %outer, i64 -64
  store ptr %raw, ptr %outer.header
  ret ptr %outer
}

define void @halide_free(ptr %arena, ptr %block) {
  %isnull = icmp eq ptr %block, null
  br i1 %isnull, label %done, label %some
some:
  %header = getelementptr i8, ptr %block, i64 -64
  %begin.at = getelementptr ptr, ptr %arena, i64 2
  %begin = load ptr, ptr %begin.at
  %end.at = getelementptr ptr, ptr %arena, i64 1
  %end = load ptr, ptr %end.at
  %isafter = icmp uge ptr %block, %begin
  %isbefore = icmp ult ptr %block, %end
  %isinside = and i1 %isafter, %isbefore
  br i1 %isinside, label %inside, label %outside
inside:
  %flag = getelementptr i64, ptr %header, i64 1
  store i64 1, ptr %flag
  %last.at = getelementptr ptr, ptr %arena, i64 3
  br label %check
check:
  %last = load ptr, ptr %last.at
  %isempty = icmp eq ptr %last, null
  br i1 %isempty, label %done, label %look
look:
  %last.flag = getelementptr i64, ptr %last, i64 1
  %state = load i64, ptr %last.flag
  %isfree = icmp ne i64 %state, 0
  br i1 %isfree, label %pop, label %done
pop:
  %before = load ptr, ptr %last
  store ptr %before, ptr %last.at
  store ptr %last, ptr %arena
  br label %check
outside:
  %raw = load ptr, ptr %header
  call void @free(ptr %raw)
  br label %done
done:
  ret void
}

; Of dims, extents are given. Without strides the tensor is dense. A tensor with
; an empty axis is read as if it had zeros: those of %zero.
define void @attnc_fill_buffer(ptr %buffer, ptr %dims, i64 %rank, ptr %strides,
                               ptr %data, ptr %zero) noinline {
  store %halide_buffer zeroinitializer, ptr %buffer
  %rank.at = getelementptr %halide_buffer, ptr %buffer, i64 0, i32 5
  %rank.int = trunc i64 %rank to i32
  store i32 %rank.int, ptr %rank.at
  %dims.at = getelementptr %halide_buffer, ptr %buffer, i64 0, i32 6
  store ptr %dims, ptr %dims.at
  %isdense = icmp eq ptr %strides, null
  br label %axes
axes:
  %left = phi i64 [ %rank, %0 ], [ %axis, %step ]
  %dense = phi i64 [ 1, %0 ], [ %next, %step ]
  %isfilled = phi i1 [ true, %0 ], [ %isalso, %step ]
  %isdone = icmp eq i64 %left, 0
  br i1 %isdone, label %end, label %one
one:
  %axis = sub i64 %left, 1
  br i1 %isdense, label %step, label %given
given:
  %stride.at = getelementptr i64, ptr %strides, i64 %axis
  %stride.given = load i64, ptr %stride.at
  br label %step
step:
  %stride = phi i64 [ %dense, %one ], [ %stride.given, %given ]
  %stride.int = trunc i64 %stride to i32
  %dim = getelementptr %halide_dimension, ptr %dims, i64 %axis
  %extent.at = getelementptr %halide_dimension, ptr %dim, i64 0, i32 1
  %extent = load i32, ptr %extent.at
  %filled = insertvalue %halide_dimension zeroinitializer, i32 %extent, 1
  %whole = insertvalue %halide_dimension %filled, i32 %stride.int, 2
  store %halide_dimension %whole, ptr %dim
  %extent.wide = zext i32 %extent to i64
  %next = mul i64 %dense, %extent.wide
  %ispositive = icmp sgt i32 %extent, 0
  %isalso = and i1 %isfilled, %ispositive
  br label %axes
end:
  %host.at = getelementptr %halide_buffer, ptr %buffer, i64 0, i32 2
  %host = select i1 %isfilled, ptr %data, ptr %zero
  store ptr %host, ptr %host.at
  br i1 %isfilled, label %done, label %clear
clear:
  %number = phi i64 [ 0, %end ], [ %after, %clear ]
  %cleared = getelementptr %halide_dimension, ptr %dims, i64 %number, i32 2
  store i32 0, ptr %cleared
  %after = add i64 %number, 1
  %islast = icmp eq i64 %after, %rank
  br i1 %islast, label %done, label %clear
done:
  ret void
}

define i32 @halide_error_out_of_memory(ptr %arena) {
  call void @llvm.trap()
  unreachable
}
)";

/// Makes a function of the module a declaration. Its definition stays, with the
/// name `kept`, if that is not empty.
static void undefine(llvm::Function *function, StringRef kept) {
  llvm::Function *declared = llvm::Function::Create(
      function->getFunctionType(), GlobalValue::ExternalLinkage, "",
      *function->getParent());
  declared->takeName(function);
  function->replaceAllUsesWith(declared);
  if (kept.empty()) {
    function->eraseFromParent();
    return;
  }
  function->setName(kept);
  function->setLinkage(GlobalValue::ExternalLinkage);
}

/// Definitions of `text` replace those of the module; it finds the replaced one
/// of `f` as `attnc_original_f` where it declares that.
static void link(Module &module, StringRef text) {
  SMDiagnostic error;
  std::unique_ptr<Module> runtime =
      parseAssemblyString(text, error, module.getContext());
  if (!runtime)
    reportFatalInternalError(error.getMessage());
  runtime->setTargetTriple(module.getTargetTriple());
  runtime->setDataLayout(module.getDataLayout());
  for (const llvm::Function &function : *runtime) {
    llvm::Function *replaced = module.getFunction(function.getName());
    if (function.isDeclaration() || !replaced || replaced->isDeclaration())
      continue;
    std::string original = "attnc_original_" + function.getName().str();
    undefine(replaced, runtime->getFunction(original) ? original : "");
  }
  Linker::linkModules(module, std::move(runtime));
}

void addRuntime(Module &module) {
  std::string text = kRuntime;
  std::string size =
      "i" + std::to_string(module.getDataLayout().getPointerSizeInBits());
  for (size_t at; (at = text.find("iSIZE")) != std::string::npos;)
    text.replace(at, strlen("iSIZE"), size);
  link(module, text);
}

#include "DeviceRuntimes.inc" // kDeviceRuntimes

/// Links a C file of Device, compiled for the module's platform.
static void linkRuntime(Module &module, StringRef name) {
  const Triple &triple = module.getTargetTriple();
  StringRef platform = triple.isOSDarwin()    ? "arm64-apple-macosx11.0.0"
                       : triple.isOSWindows() ? "x86_64-pc-windows-msvc"
                       : triple.isWasm()      ? "wasm32-unknown-unknown"
                                              : "x86_64-unknown-linux-gnu";
  for (const auto &[key, text] : kDeviceRuntimes)
    if (key == (name + "-" + platform).str())
      link(module, std::string(text.data(), text.size())); // ends with a 0
}

/// Moves the calls of constructors into a function that launch.c calls.
static void addConstructor(Module &module) {
  llvm::Function *construct = module.getFunction("attnc_device_construct");
  BasicBlock *block = BasicBlock::Create(module.getContext(), "", construct);
  GlobalVariable *list = module.getNamedGlobal("llvm.global_ctors");
  if (list) {
    for (Use &entry : cast<ConstantArray>(list->getInitializer())->operands()) {
      auto *one = cast<llvm::Function>(
          cast<ConstantStruct>(entry)->getOperand(1)->stripPointerCasts());
      CallInst::Create(one->getFunctionType(), one, "", block);
    }
    list->eraseFromParent();
  }
  ReturnInst::Create(module.getContext(), block);
}

/// Which tensors a call accepts besides those of the host (1), in DLPack's
/// types of devices; launch.c defines `attnc_device` without.
static void setTensorType(Module &module, StringRef api) {
  GlobalVariable *device = module.getNamedGlobal("attnc_device");
  int type = StringSwitch<int>(api)
                 .Cases({"opencl", "opencl-embedded"}, 4)
                 .Case("vulkan", 7)
                 .Default(1);
  if (!device)
    return;
  auto *value = cast<ConstantStruct>(device->getInitializer());
  SmallVector<Constant *> fields;
  for (Use &field : value->operands())
    fields.push_back(cast<Constant>(field));
  fields[0] = ConstantInt::getSigned(fields[0]->getType(), type);
  device->setInitializer(ConstantStruct::get(value->getType(), fields));
  device->setConstant(true);
}

/// Calls of `name` first ask `question` with some of its arguments, and return
/// 1 where the answer is 0. Halide's context is the failure of the call.
static void guard(Module &module, StringRef name, StringRef question,
                  ArrayRef<unsigned> asked) {
  llvm::Function *original = module.getFunction(name);
  if (!original || original->isDeclaration())
    return;
  llvm::Function *guarded =
      llvm::Function::Create(original->getFunctionType(),
                             GlobalValue::InternalLinkage, "guarded", module);
  original->replaceAllUsesWith(guarded);
  LLVMContext &context = module.getContext();
  IRBuilder<> ir(BasicBlock::Create(context, "", guarded));
  BasicBlock *calls = BasicBlock::Create(context, "", guarded);
  BasicBlock *fails = BasicBlock::Create(context, "", guarded);
  SmallVector<Value *> operands;
  for (unsigned number : asked)
    operands.push_back(guarded->getArg(number));
  Value *isOk = ir.CreateCall(module.getFunction(question), operands);
  ir.CreateCondBr(ir.CreateIsNotNull(isOk), calls, fails);
  ir.SetInsertPoint(calls);
  SmallVector<Value *> arguments(llvm::make_pointer_range(guarded->args()));
  ir.CreateRet(ir.CreateCall(original, arguments));
  ir.SetInsertPoint(fails);
  ir.CreateRet(ir.getInt32(1));
}

/// Launches and allocations of the device ask launch.c first.
static void guardDevice(Module &module, StringRef api) {
  std::string prefix = ("halide_" + api + "_").str();
  // The context, then after the kernel's state and name the groups.
  guard(module, prefix + "run", "attnc_device_may_launch", {0, 3, 4, 5});
  guard(module, prefix + "device_malloc", "attnc_device_may_allocate", {0, 1});
}

void addDeviceRuntime(Module &module, StringRef api) {
  linkRuntime(module, "host");
  linkRuntime(module, "launch");
  linkRuntime(module, "slots");
  if (api == "vulkan") {
    linkRuntime(module, "vulkan");
    linkRuntime(module, "vulkan_tensors");
  } else if (api.starts_with("opencl")) {
    linkRuntime(module, "opencl");
  }
  setTensorType(module, api);
  addConstructor(module);
  for (StringRef name :
       {"cuda", "opencl", "vulkan", "metal", "d3d12compute", "webgpu"})
    guardDevice(module, name);
  // Nothing keeps what is not called. Halide would release its contexts when
  // the process ends, when drivers may be gone already.
  for (StringRef list :
       {"llvm.used", "llvm.compiler.used", "llvm.global_dtors"})
    if (GlobalVariable *variable = module.getNamedGlobal(list))
      variable->eraseFromParent();
  for (GlobalVariable &variable : module.globals())
    if (!variable.isDeclaration() && !variable.getName().starts_with("llvm.")) {
      variable.setLinkage(GlobalValue::InternalLinkage);
      variable.setComdat(nullptr);
    }
  for (GlobalAlias &alias : module.aliases())
    alias.setLinkage(GlobalValue::InternalLinkage);
  for (llvm::Function &function : module) {
    if (!function.isDeclaration())
      function.setComdat(nullptr);
    // What Halide's runtime for macOS was compiled with needs a symbol of libc.
    for (auto attribute : {Attribute::StackProtect, Attribute::StackProtectReq,
                           Attribute::StackProtectStrong})
      function.removeFnAttr(attribute);
  }
}

void finishModule(Module &module) {
  if (NamedMDNode *options = module.getModuleFlagsMetadata())
    options->eraseFromParent(); // Emit sets its own
  FastMathFlags flags;
  flags.setAllowContract();
  for (llvm::Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (isa<FPMathOperator>(instruction)) {
          instruction.copyFastMathFlags(flags);
          instruction.setMetadata(LLVMContext::MD_fpmath, nullptr);
        }
}

} // namespace attnc::halide
