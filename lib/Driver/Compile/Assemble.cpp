//===- Assemble.cpp - Machine code of GPUs by NVIDIA's tools --------------===//
//
// LLVM has no assembler for NVIDIA's machine code: ptxas writes it, nvdisasm
// and cuobjdump print it. Tests: test/Codegen/NVPTX/cubin.test
//
//===----------------------------------------------------------------------===//

#include "Compile/Assemble.h"

#include "Compile/Link.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

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

std::string ToolRun::path(llvm::StringRef name) const {
  llvm::SmallString<128> whole(folder);
  llvm::sys::path::append(whole, name);
  return whole.str().str();
}

llvm::Expected<std::unique_ptr<ToolRun>>
ToolRun::start(llvm::StringRef tool, llvm::StringRef bytes,
               std::vector<std::string> arguments) {
  llvm::SmallString<128> folder;
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory("attnc", folder))
    return llvm::createStringError("cannot make a temporary directory: " +
                                   code.message());
  auto run = std::make_unique<ToolRun>();
  run->tool = tool.str();
  run->folder = folder.str().str();
  std::string input = run->path("kernels"), printed = run->path("printed");
  std::string errors = run->path("errors");
  if (llvm::Error error = writeFile(input, bytes))
    return std::move(error);
  bool hasOutput = llvm::is_contained(arguments, "@out");
  run->output = hasOutput ? run->path("output") : printed;
  llvm::replace(arguments, std::string("@in"), input);
  llvm::replace(arguments, std::string("@out"), run->output);
  std::vector<llvm::StringRef> texts = {tool};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::optional<llvm::StringRef> redirects[] = {"", printed, errors};
  std::string reason;
  bool isFailed = false;
  run->process = llvm::sys::ExecuteNoWait(tool, texts, std::nullopt, redirects,
                                          0, &reason, &isFailed);
  if (isFailed)
    return llvm::createStringError("'" + tool + "' failed: " + reason);
  return run;
}

/// Its exit code.
int ToolRun::wait(std::string &reason) {
  if (process.Pid == llvm::sys::ProcessInfo::InvalidPid)
    return 0;
  llvm::sys::ProcessInfo ended =
      llvm::sys::Wait(process, /*SecondsToWait=*/std::nullopt, &reason);
  process = {};
  return ended.ReturnCode;
}

ToolRun::~ToolRun() {
  std::string reason;
  wait(reason); // it writes to the folder
  llvm::sys::fs::remove_directories(folder);
}

llvm::Expected<std::string> ToolRun::finish() {
  std::string reason;
  if (int status = wait(reason)) {
    auto text = llvm::MemoryBuffer::getFile(path("errors"));
    if (reason.empty())
      reason = "exit code " + std::to_string(status);
    if (text && !(*text)->getBuffer().trim().empty())
      reason = (*text)->getBuffer().trim().str();
    return llvm::createStringError("'" + tool + "' failed: " + reason);
  }
  auto made = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!made)
    return llvm::createStringError("'" + tool + "' wrote no output");
  return (*made)->getBuffer().str();
}

llvm::Expected<std::unique_ptr<ToolRun>>
assemble(llvm::StringRef assembler, llvm::StringRef ptx, const Target &gpu) {
  return ToolRun::start(assembler, ptx,
                        {("-arch=" + gpu.llvmCpu).str(), "@in", "-o", "@out"});
}

llvm::Expected<std::string> disassemble(llvm::StringRef disassembler,
                                        llvm::StringRef cubin) {
  std::vector<std::string> arguments = {"-c", "@in"};
  if (llvm::sys::path::stem(disassembler) == "cuobjdump")
    arguments.front() = "-sass";
  auto run = ToolRun::start(disassembler, cubin, std::move(arguments));
  return run ? (*run)->finish() : run.takeError();
}

} // namespace attnc
