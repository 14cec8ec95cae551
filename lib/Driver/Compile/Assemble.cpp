//===- Assemble.cpp - Machine code of GPUs by NVIDIA's tools --------------===//
//
// LLVM has no assembler for NVIDIA's machine code: ptxas writes it, nvdisasm
// and cuobjdump print it. Tests: test/Codegen/NVPTX/cubin.test
//
//===----------------------------------------------------------------------===//

#include "Compile/Assemble.h"

#include "Compile/Link.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

namespace attnc {

llvm::Expected<std::optional<std::string>>
findAssembler(llvm::StringRef requested) {
  auto path =
      llvm::sys::findProgramByName(requested.empty() ? "ptxas" : requested);
  if (path && llvm::sys::fs::can_execute(*path)) // a path is not looked for
    return std::optional(*path);
  if (requested.empty())
    return std::nullopt;
  return llvm::createStringError("cannot find the program '" + requested +
                                 "' of --ptxas");
}

std::optional<std::string> findDisassembler() {
  for (llvm::StringRef name : {"nvdisasm", "cuobjdump"})
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  return std::nullopt;
}

/// Runs a tool on the file `input`, where `arguments` have "@in" and "@out",
/// and returns the file `@out`, or, without that, the standard output.
static llvm::Expected<std::string> runTool(llvm::StringRef tool,
                                           llvm::StringRef bytes,
                                           std::vector<std::string> arguments) {
  llvm::SmallString<128> folder;
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory("attnc", folder))
    return llvm::createStringError("cannot make a temporary directory: " +
                                   code.message());
  llvm::scope_exit remove([&] { llvm::sys::fs::remove_directories(folder); });
  auto path = [&](llvm::StringRef name) {
    llvm::SmallString<128> whole(folder);
    llvm::sys::path::append(whole, name);
    return whole.str().str();
  };
  std::string input = path("kernels"), output = path("output");
  std::string printed = path("printed"), errors = path("errors");
  if (llvm::Error error = writeFile(input, bytes))
    return std::move(error);
  bool hasOutput = llvm::is_contained(arguments, "@out");
  llvm::replace(arguments, std::string("@in"), input);
  llvm::replace(arguments, std::string("@out"), output);
  std::vector<llvm::StringRef> texts = {tool};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::optional<llvm::StringRef> redirects[] = {"", printed, errors};
  std::string reason;
  int status = llvm::sys::ExecuteAndWait(tool, texts, std::nullopt, redirects,
                                         0, 0, &reason);
  if (status != 0) {
    auto text = llvm::MemoryBuffer::getFile(errors);
    if (reason.empty())
      reason = "exit code " + std::to_string(status);
    if (text && !(*text)->getBuffer().trim().empty())
      reason = (*text)->getBuffer().trim().str();
    return llvm::createStringError("'" + tool + "' failed: " + reason);
  }
  auto made = llvm::MemoryBuffer::getFile(hasOutput ? output : printed,
                                          /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!made)
    return llvm::createStringError("'" + tool + "' wrote no output");
  return (*made)->getBuffer().str();
}

llvm::Expected<std::string> assemble(llvm::StringRef assembler,
                                     llvm::StringRef ptx, const Target &gpu) {
  return runTool(assembler, ptx,
                 {("-arch=" + gpu.llvmCpu).str(), "@in", "-o", "@out"});
}

llvm::Expected<std::string> disassemble(llvm::StringRef disassembler,
                                        llvm::StringRef cubin) {
  if (llvm::sys::path::stem(disassembler) == "cuobjdump")
    return runTool(disassembler, cubin, {"-sass", "@in"});
  return runTool(disassembler, cubin, {"-c", "@in"});
}

} // namespace attnc
