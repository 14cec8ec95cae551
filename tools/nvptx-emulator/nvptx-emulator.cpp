//===- nvptx-emulator.cpp - Runs NVPTX-flavoured LLVM IR on the CPU -------===//

#include "Arguments.h"
#include "Launch.h"

#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace llvm;
using namespace attnc::nvptx;

static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("<LLVM IR>"));
static cl::opt<std::string> kernelName("kernel",
                                       cl::desc("Name of the kernel"));
static cl::opt<std::string> gridText("grid", cl::init("1"),
                                     cl::desc("Blocks: x[,y[,z]]"));
static cl::opt<std::string> blockText("block", cl::init("32"),
                                      cl::desc("Threads per block: x[,y[,z]]"));
static cl::opt<unsigned>
    sharedBytes("shared", cl::init(0),
                cl::desc("Bytes of dynamic shared memory"));
static cl::opt<unsigned> seed("seed", cl::init(0),
                              cl::desc("Seed of the order of threads"));
static cl::list<std::string>
    argTexts("arg",
             cl::desc("An argument, in order: in:FILE, inout:FILE, "
                      "out:FILE:BYTES, arg:N, i32:N, i64:N, f32:X or "
                      "map:TENSOR,KEY=VALUE,...; at:N:TENSOR points N bytes "
                      "after the start, also in a map"));

[[noreturn]] static void fail(const Twine &text) {
  errs() << "nvptx-emulator: error: " << text << "\n";
  std::exit(2);
}

static Dim3 parseDim3(StringRef text) {
  Dim3 dim = {1, 1, 1};
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  if (parts.size() > 3)
    fail("expected x[,y[,z]], not '" + text + "'");
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i].getAsInteger(10, dim[i]) || dim[i] == 0)
      fail("expected x[,y[,z]], not '" + text + "'");
  return dim;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(
      argc, argv, "Runs NVPTX-flavoured LLVM IR on the CPU and checks it\n");
  auto context = std::make_unique<LLVMContext>();
  SMDiagnostic diagnostic;
  auto module = parseIRFile(inputFile, diagnostic, *context);
  if (!module) {
    diagnostic.print("nvptx-emulator", errs());
    return 2;
  }
  Arguments arguments;
  for (StringRef text : argTexts)
    if (Error error = arguments.add(text))
      fail(toString(std::move(error)));
  LaunchConfig config{kernelName, parseDim3(gridText), parseDim3(blockText),
                      sharedBytes, seed};
  auto counts = launch(std::move(context), std::move(module), config,
                       arguments.getSlots(), arguments.getBuffers());
  if (!counts)
    fail(toString(counts.takeError()));
  if (Error error = arguments.write())
    fail(toString(std::move(error)));
  for (const auto &[name, count] : *counts)
    outs() << name << ": " << count << "\n";
  return 0;
}
