//===- LinkParts.cpp - One module of the parts of an object ---------------===//
//
// Parts define the same names. Their functions are renamed, because entry
// descriptors look them up; constants are internal, and the linker renames them
// where they collide. One module instead of one object per part lets LLVM merge
// equal constants and needs no second linker.
// Tests: test/Unit/Emit/PartsTest.cpp
//
//===----------------------------------------------------------------------===//

#include "LinkParts.h"

#include "EntryDescriptor.h"

#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/TargetParser/Triple.h"

using namespace attnc;
using namespace llvm;

std::string attnc::suffixOf(const Part &part, size_t count) {
  return count > 1 ? "." + part.target.label : "";
}

CodegenTarget attnc::machineOf(ArrayRef<Part> parts) {
  CodegenTarget target = parts.front().target;
  if (parts.size() > 1) {
    target.cpu = "";
    target.features = target.baselineFeatures;
    for (const Part &part : parts.drop_front())
      target.systemSymbols += " " + part.target.systemSymbols;
  }
  return target;
}

Error attnc::verifyKernels(const Module &module, StringRef when) {
  std::string text;
  raw_string_ostream stream(text);
  if (verifyModule(module, &stream))
    return createStringError("the module is broken " + when + ": " + text);
  return Error::success();
}

std::string attnc::nameParts(StringRef text, ArrayRef<Part> parts,
                             StringRef comment, EmitKind kind) {
  bool isIr = kind == EmitKind::LlvmIr;
  std::string named = text.str();
  for (const Part &part : parts) {
    // Where the assembly has the label of a function, or the IR its body.
    std::string name = suffixOf(part, parts.size());
    size_t begin = isIr ? named.find("\ndefine ") : 0;
    size_t at = named.find(name + (isIr ? "(" : "\":"), begin);
    if (at == std::string::npos) // a name without hyphens has no quotes
      at = named.find(name + ":", begin);
    size_t line = named.rfind('\n', at);
    if (parts.size() > 1 && at != std::string::npos &&
        line != std::string::npos)
      named.insert(line + 1,
                   (comment + " part " + part.target.label + "\n").str());
  }
  return named;
}

/// Kernels run on `target` alone; entries run on any processor of the triple.
static void setProcessor(Module &module, const CodegenTarget &target) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("tune-cpu", target.cpu);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    if (target.vscale)
      function.addFnAttr(Attribute::getWithVScaleRangeArgs(
          module.getContext(), target.vscale, /*unbounded*/ 0));
    function.setVisibility(GlobalValue::DefaultVisibility);
    function.setDoesNotThrow();
  }
}

static Error prepare(Part &part, size_t count, const DataLayout &layout) {
  Module &module = *part.kernels;
  module.setModuleIdentifier("attnc");
  module.setSourceFileName("attnc");
  module.setTargetTriple(Triple(part.target.triple));
  module.setDataLayout(layout);
  if (Error error = verifyKernels(module, "as it comes from code generation"))
    return error;
  setProcessor(module, part.target);
  for (Function &function : module)
    if (!function.isDeclaration() && count > 1) {
      function.setName(function.getName() + suffixOf(part, count));
      // The linker moves internal functions only if something refers to them.
      function.setLinkage(GlobalValue::ExternalLinkage);
    }
  if (GlobalVariable *device = module.getNamedGlobal(kDeviceName)) {
    device->setName(kDeviceName + suffixOf(part, count));
    device->setLinkage(GlobalValue::ExternalLinkage);
    device->setVisibility(GlobalValue::DefaultVisibility);
  }
  return Error::success();
}

Expected<std::unique_ptr<Module>> attnc::linkParts(MutableArrayRef<Part> parts,
                                                   const DataLayout &layout) {
  for (Part &part : parts)
    if (Error error = prepare(part, parts.size(), layout))
      return std::move(error);
  std::unique_ptr<Module> whole = std::move(parts.front().kernels);
  for (Part &part : parts.drop_front())
    if (Linker::linkModules(*whole, std::move(part.kernels)))
      return createStringError("the parts of the object cannot be linked");
  for (Function &function : *whole)
    if (!function.isDeclaration())
      function.setLinkage(GlobalValue::InternalLinkage);
  // A declaration is of a symbol that objects share, such as the lock of
  // Halide's devices.
  for (GlobalVariable &variable : whole->globals())
    if (!variable.isDeclaration() &&
        variable.getName().starts_with(kDeviceName))
      variable.setLinkage(GlobalValue::InternalLinkage);
  if (parts.front().target.isPositionIndependent)
    whole->setPICLevel(PICLevel::BigPIC);
  return whole;
}
