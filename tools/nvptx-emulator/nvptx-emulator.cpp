//===- nvptx-emulator.cpp - Runs NVPTX-flavoured LLVM IR on the CPU -------===//

#include "Launch.h"

#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>

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
             cl::desc("An argument, in order: in:FILE, out:FILE:BYTES, i32:N, "
                      "i64:N or f32:X"));

/// A buffer in memory of its own, so that overruns hit no other buffer.
struct Tensor {
  std::string file; // written after the launch, unless empty
  void *data = nullptr;
  uint64_t bytes = 0;
};

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

static Tensor makeTensor(StringRef kind, StringRef text) {
  Tensor tensor;
  std::unique_ptr<MemoryBuffer> contents;
  if (kind == "in") {
    auto file = MemoryBuffer::getFile(text, /*IsText=*/false);
    if (!file)
      fail("cannot read '" + text + "'");
    contents = std::move(*file);
    tensor.bytes = contents->getBufferSize();
  } else {
    auto [file, size] = text.rsplit(':');
    tensor.file = file.str();
    if (size.getAsInteger(10, tensor.bytes))
      fail("expected out:FILE:BYTES");
  }
  // 256 bytes is the alignment of the CUDA allocator.
  constexpr uint64_t most = uint64_t(1) << 40;
  if (tensor.bytes <= most)
    tensor.data = std::aligned_alloc(256, (tensor.bytes + 511) / 256 * 256);
  if (!tensor.data)
    fail("no memory for a buffer of " + Twine(tensor.bytes) + " bytes");
  std::memset(tensor.data, 0xff, tensor.bytes);
  if (contents)
    std::memcpy(tensor.data, contents->getBufferStart(), tensor.bytes);
  return tensor;
}

static uint64_t parseScalar(StringRef kind, StringRef text) {
  int64_t integer = 0;
  double number = 0;
  if ((kind == "i32" || kind == "i64") && !text.getAsInteger(10, integer))
    return kind == "i32" ? static_cast<uint32_t>(integer) : integer;
  if (kind == "f32" && !text.getAsDouble(number))
    return fromFloat(static_cast<float>(number));
  fail("unknown argument '" + kind + ":" + text + "'");
}

static void writeTensor(const Tensor &tensor) {
  std::error_code error;
  raw_fd_ostream file(tensor.file, error);
  if (error)
    fail("cannot write '" + Twine(tensor.file) + "'");
  file.write(static_cast<const char *>(tensor.data), tensor.bytes);
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
  std::vector<Tensor> tensors;
  std::vector<Buffer> buffers;
  std::vector<uint64_t> args;
  for (StringRef text : argTexts) {
    auto [kind, value] = text.split(':');
    if (kind != "in" && kind != "out") {
      args.push_back(parseScalar(kind, value));
      continue;
    }
    tensors.push_back(makeTensor(kind, value));
    args.push_back(reinterpret_cast<uint64_t>(tensors.back().data));
    buffers.push_back({args.back(), tensors.back().bytes});
  }
  LaunchConfig config{kernelName, parseDim3(gridText), parseDim3(blockText),
                      sharedBytes, seed};
  auto counts =
      launch(std::move(context), std::move(module), config, args, buffers);
  if (!counts)
    fail(toString(counts.takeError()));
  for (const Tensor &tensor : tensors)
    if (!tensor.file.empty())
      writeTensor(tensor);
  for (const auto &[name, count] : *counts)
    outs() << name << ": " << count << "\n";
  return 0;
}
