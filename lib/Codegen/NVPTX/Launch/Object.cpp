//===- Object.cpp - The part of an object with kernels of a GPU -----------===//
//
//   @f$grid0.kernel = internal global { "f$grid0", handles, devices, image }
//   void @f.grid0.body(ptr %call, ptr %scratch, i64 %task) {
//     attnc_cuda_launch(@f$grid0.kernel, blocks, threads, shared, %call, %maps,
//                       count)
//   }
//
// with PTX and cubin as constants, and launch.c, compiled for the host when the
// compiler was built. Kernels for tensors without tensor maps are PTX only:
// most programs never launch one, and machine code of both would take twice the
// time to compile and twice the space. Tests: test/Integration/cuda
//
//===----------------------------------------------------------------------===//

#include "attnc/Codegen/NVPTX/Host.h"
#include "attnc/Codegen/NVPTX/Ptx.h"

#include "HostModule.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

#include "Launchers.inc" // kLaunchers

namespace attnc::ptx {

/// struct attnc_cuda_kernel: its name, a handle and devices for each image, and
/// whether it is one for tensors without tensor maps.
static llvm::Constant *addKernel(llvm::IRBuilder<> &b,
                                 const llvm::Function &kernel) {
  constexpr unsigned images = 3;
  llvm::Module &module = *b.GetInsertBlock()->getModule();
  bool isOtherwise =
      llvm::any_of(*kernel.getParent(), [&](const llvm::Function &other) {
        return other.getFnAttribute("attnc.otherwise").getValueAsString() ==
               kernel.getName();
      });
  SmallVector<llvm::Constant *> fields{b.CreateGlobalString(kernel.getName())};
  fields.append(images, llvm::ConstantPointerNull::get(b.getPtrTy()));
  fields.append(images, b.getInt64(0));
  fields.push_back(b.getInt64(isOtherwise));
  llvm::Constant *value = llvm::ConstantStruct::getAnon(fields);
  return new llvm::GlobalVariable(module, value->getType(),
                                  /*isConstant=*/false,
                                  llvm::GlobalValue::InternalLinkage, value,
                                  kernel.getName() + ".kernel");
}

/// What launch.c declares `extern`.
static void defineImages(llvm::Module &module, const Target &target,
                         StringRef ptx, StringRef otherwise, StringRef cubin) {
  llvm::LLVMContext &context = module.getContext();
  auto define = [&](StringRef name, llvm::Constant *value) {
    return new llvm::GlobalVariable(
        module, value->getType(),
        /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage, value, name);
  };
  auto number = [&](StringRef name, unsigned bits, int64_t value) {
    define(name, llvm::ConstantInt::getSigned(
                     llvm::IntegerType::get(context, bits), value));
  };
  define("attnc_cuda_ptx", llvm::ConstantDataArray::getString(context, ptx));
  define("attnc_cuda_otherwise",
         llvm::ConstantDataArray::getString(context, otherwise));
  define("attnc_cuda_cubin",
         llvm::ConstantDataArray::getString(context, cubin, /*AddNull=*/false))
      ->setAlignment(llvm::Align(64));
  define("attnc_cuda_target",
         llvm::ConstantDataArray::getString(context, target.name));
  number("attnc_cuda_cubin_bytes", 64, cubin.size());
  // sm_90a: 9.0 and no other.
  StringRef digits = target.name.drop_until(llvm::isDigit);
  number("attnc_cuda_is_exact", 32, digits.consume_back("a"));
  unsigned capability = 0;
  (void)digits.getAsInteger(10, capability);
  number("attnc_cuda_capability", 32, capability);
}

static LogicalResult linkLauncher(ModuleOp module, llvm::Module &part,
                                  const Platform &host) {
  const auto *found = llvm::find_if(kLaunchers, [&](const auto &launcher) {
    return launcher.first == host.triple;
  });
  if (found == std::end(kLaunchers))
    return module.emitError("objects of ")
           << host.triple << " cannot launch kernels of NVIDIA GPUs";
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> launcher = llvm::parseAssemblyString(
      std::string(found->second), error, part.getContext());
  if (!launcher)
    return module.emitError("internal error: the launcher: ")
           << error.getMessage();
  launcher->setTargetTriple(part.getTargetTriple());
  launcher->setDataLayout(part.getDataLayout());
  if (llvm::Linker::linkModules(part, std::move(launcher)))
    return module.emitError("internal error: the launcher cannot be linked");
  return success();
}

std::unique_ptr<llvm::Module>
makeObjectModule(ModuleOp module, const Target &target, const Platform &host,
                 StringRef ptx,
                 llvm::function_ref<std::optional<std::string>()> finishCubin,
                 llvm::LLVMContext &context) {
  std::unique_ptr<llvm::Module> part =
      translateHost(module, context,
                    [](llvm::IRBuilder<> &b, const llvm::Function &kernel,
                       const LaunchValues &values) {
                      llvm::Type *i32 = b.getInt32Ty(), *i64 = b.getInt64Ty();
                      llvm::Type *pointer = b.getPtrTy();
                      llvm::FunctionCallee launch =
                          b.GetInsertBlock()->getModule()->getOrInsertFunction(
                              "attnc_cuda_launch", i32, pointer, i64, i64, i64,
                              pointer, pointer, i64);
                      llvm::Value *done = b.CreateCall(
                          launch, {addKernel(b, kernel), values.blocks,
                                   values.threads, values.shared, values.call,
                                   values.maps, b.getInt64(values.mapCount)});
                      return b.CreateICmpEQ(done, b.getInt32(0));
                    });
  if (!part)
    return nullptr;
  std::optional<std::string> otherwise =
      printKernels(module, target, kOtherwisePtx);
  if (!otherwise)
    return nullptr;
  if (!otherwise->empty())
    emitRemark(module.getLoc())
        << target.name
        << ": kernels for keys and values that have no tensor maps are PTX "
           "only; the driver compiles them when a call first needs one "
           "[object]";
  std::optional<std::string> cubin = finishCubin();
  if (!cubin)
    return nullptr;
  defineImages(*part, target, ptx, *otherwise, *cubin);
  if (failed(linkLauncher(module, *part, host)))
    return nullptr;
  if (llvm::NamedMDNode *flags = part->getModuleFlagsMetadata())
    flags->eraseFromParent(); // Emit sets its own
  for (llvm::GlobalVariable &variable : part->globals())
    if (!variable.isDeclaration()) // Emit looks for attnc_device by its name
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
  return part;
}

} // namespace attnc::ptx
