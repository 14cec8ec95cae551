//===- EmulatedKernels.cpp - Kernels of a GPU in an emulator --------------===//

#include "Run/EmulatedKernels.h"

#include "Compile/Link.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstring>

namespace attnc {

static EmulatedKernels *running = nullptr;

namespace {
/// lib/Emit/Abi/entry.h
struct Call {
  const int64_t *sizes;
  void *const *data;
  const int64_t *const *strides;
  void *workspace;
  const int64_t *const *shapes;
};

/// lib/Codegen/NVPTX/Launch/map.h
struct Map {
  int64_t address, rank, type, swizzle, sizes[5], strides[5], box[5];
};

/// Memory of an argument: the bytes from the first to the last element.
struct Block {
  char *begin = nullptr;
  int64_t bytes = 0, first = 0;
  bool isWritten = false;
};
} // namespace

llvm::Expected<std::unique_ptr<EmulatedKernels>>
EmulatedKernels::load(llvm::StringRef object, llvm::StringRef code,
                      llvm::ArrayRef<Interface> functions,
                      const Platform &platform) {
  std::unique_ptr<EmulatedKernels> kernels(new EmulatedKernels);
  // Beside this program, or installed.
  static int anchor;
  std::string self = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  llvm::StringRef beside = llvm::sys::path::parent_path(self);
  auto path = llvm::sys::findProgramByName(platform.emulator, {beside});
  if (!path)
    path = llvm::sys::findProgramByName(platform.emulator);
  if (!path)
    return llvm::createStringError("running kernels of " + platform.triple +
                                   " requires '" + platform.emulator +
                                   "', which the build of attnc makes");
  kernels->emulator = *path;
  auto loaded = LoadedObject::load(object);
  if (!loaded)
    return loaded.takeError();
  kernels->object = std::move(*loaded);
  kernels->functions = functions.vec();
  llvm::SmallString<128> made;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("attnc", made))
    return llvm::createStringError("cannot make a temporary directory: " +
                                   error.message());
  kernels->folder = made.str().str();
  if (llvm::Error error = writeFile(kernels->path("kernels.ll"), code))
    return std::move(error);
  return kernels;
}

EmulatedKernels::~EmulatedKernels() {
  if (!folder.empty())
    llvm::sys::fs::remove_directories(folder);
}

std::string EmulatedKernels::path(const llvm::Twine &name) const {
  llvm::SmallString<128> whole(folder);
  llvm::sys::path::append(whole, name);
  return whole.str().str();
}

llvm::Expected<Entry> EmulatedKernels::entry(llvm::StringRef function) {
  auto inner = object->entry(function);
  if (!inner)
    return inner.takeError();
  const Interface *interface = findInterface(functions, function);
  return [this, interface, call = std::move(*inner)](
             llvm::ArrayRef<attnc_tensor *> tensors,
             const attnc_runtime *runtime) -> attnc_status {
    running = this;
    current = interface;
    failure.clear();
    attnc_status status = call(tensors, runtime);
    if (failure.empty())
      return status;
    if (runtime && runtime->report)
      runtime->report(runtime->user, ATTNC_DEVICE_FAILED, failure.c_str());
    return ATTNC_DEVICE_FAILED;
  };
}

void EmulatedKernels::launch(const char *, const char *kernel, int64_t blocks,
                             int64_t threads, int64_t shared, int64_t workspace,
                             const void *call, const void *maps,
                             int64_t mapCount) {
  if (!running->failure.empty())
    return;
  if (llvm::Error error = running->run(kernel, blocks, threads, shared,
                                       workspace, call, maps, mapCount))
    running->failure = llvm::toString(std::move(error));
}

static Block blockOf(const Call &call, size_t number,
                     const InterfaceTensor &tensor) {
  int64_t low = 0, high = 0, size = dtypeBytes(tensor.dtype);
  bool isEmpty = false;
  for (size_t axis = 0; axis < tensor.axes.size(); ++axis) {
    int64_t extent = call.shapes[number][axis];
    int64_t stride = call.strides[number][axis];
    isEmpty |= extent == 0;
    (stride < 0 ? low : high) += stride * (extent - 1);
  }
  char *data = static_cast<char *>(call.data[number]);
  if (!data || isEmpty)
    return {data, 0, 0, false};
  return {data + low * size, (high - low + 1) * size, -low * size,
          tensor.isWritten()};
}

/// The argument of a map of a tensor whose first byte is `first` bytes after
/// what argument `number` begins with.
static std::string describeMap(const Map &map, size_t number, int64_t first) {
  constexpr int64_t kBFloat16 = 9; // CU_TENSOR_MAP_DATA_TYPE_*
  auto list = [&](const int64_t *values, int64_t from) {
    return llvm::join(
        llvm::map_range(llvm::ArrayRef(values + from, values + map.rank),
                        [](int64_t value) { return std::to_string(value); }),
        "x");
  };
  return "--arg=map:at:" + std::to_string(first) +
         ":arg:" + std::to_string(number) +
         ",type=" + (map.type == kBFloat16 ? "bf16" : "f16") +
         ",sizes=" + list(map.sizes, 0) + ",strides=" + list(map.strides, 1) +
         ",box=" + list(map.box, 0) +
         ",swizzle=" + std::to_string(map.swizzle) + "B";
}

/// The order of the arguments is that of lib/Codegen/NVPTX/Functions.cpp.
llvm::Error EmulatedKernels::run(llvm::StringRef kernel, int64_t blocks,
                                 int64_t threads, int64_t shared,
                                 int64_t workspace, const void *opaque,
                                 const void *maps, int64_t mapCount) {
  const Call &call = *static_cast<const Call *>(opaque);
  std::vector<std::string> arguments = {emulator,
                                        path("kernels.ll"),
                                        ("--kernel=" + kernel).str(),
                                        "--grid=" + std::to_string(blocks),
                                        "--block=" + std::to_string(threads),
                                        "--shared=" + std::to_string(shared)};
  struct File {
    std::string name;
    Block block;
    size_t argument;
  };
  std::vector<File> files;
  size_t words = arguments.size(); // before the arguments of the kernel
  auto addNumber = [&](int64_t number) {
    arguments.push_back("--arg=i64:" + std::to_string(number));
  };
  auto addBlock = [&](const Block &block) -> llvm::Error {
    if (!block.begin) {
      addNumber(0);
      return llvm::Error::success();
    }
    std::string name = path("tensor" + llvm::Twine(files.size()));
    files.push_back({name, block, arguments.size() - words});
    arguments.push_back("--arg=at:" + std::to_string(block.first) + ":" +
                        (block.isWritten ? "inout:" : "in:") + name);
    return writeFile(name, llvm::StringRef(block.begin, size_t(block.bytes)));
  };
  for (auto [number, tensor] : llvm::enumerate(current->tensors)) {
    if (llvm::Error error = addBlock(blockOf(call, number, tensor)))
      return error;
    for (const int64_t *numbers : {call.strides[number], call.shapes[number]})
      for (size_t axis = 0; axis < tensor.axes.size(); ++axis)
        addNumber(numbers[axis]);
  }
  for (size_t size = 0; size < current->sizes.size(); ++size)
    addNumber(call.sizes[size]);
  if (llvm::Error error =
          addBlock({static_cast<char *>(call.workspace), workspace, 0, true}))
    return error;

  for (int64_t number = 0; number < mapCount; ++number) {
    const Map &map = static_cast<const Map *>(maps)[number];
    auto file = llvm::find_if(files, [&](const File &file) {
      int64_t offset =
          map.address - reinterpret_cast<int64_t>(file.block.begin);
      return offset >= 0 && offset < file.block.bytes;
    });
    if (file == files.end())
      return llvm::createStringError(kernel + ": tensor map " +
                                     llvm::Twine(number) + " has no tensor");
    arguments.push_back(describeMap(
        map, file->argument,
        map.address - reinterpret_cast<int64_t>(file->block.begin)));
  }

  std::vector<llvm::StringRef> texts(arguments.begin(), arguments.end());
  std::string reason, errors = path("errors");
  std::optional<llvm::StringRef> redirects[] = {"", "", errors};
  int status = llvm::sys::ExecuteAndWait(emulator, texts, std::nullopt,
                                         redirects, 0, 0, &reason);
  if (status != 0) {
    auto text = llvm::MemoryBuffer::getFile(errors);
    return llvm::createStringError(
        kernel + ": " +
        (text && reason.empty() ? (*text)->getBuffer().trim() : reason));
  }
  for (const auto &[name, block, argument] : files) {
    if (!block.isWritten)
      continue;
    auto bytes = llvm::MemoryBuffer::getFile(name, /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
    if (!bytes || (*bytes)->getBufferSize() != size_t(block.bytes))
      return llvm::createStringError(kernel + ": the emulator wrote no '" +
                                     name + "'");
    std::memcpy(block.begin, (*bytes)->getBufferStart(), size_t(block.bytes));
  }
  return llvm::Error::success();
}

} // namespace attnc
