//===- Driver.cpp - A libcuda.so.1 whose device is nvptx-emulator ---------===//
//
// The functions that objects of attnc call, and those with which a test makes
// tensors of the device. Streams are lazy: what is queued runs when somebody
// synchronizes, so a program that does not wait for its results does not get
// them. Settings, all in the environment:
//
//   MOCK_CUDA_KERNELS     file with the LLVM IR of the kernels
//   MOCK_CUDA_CAPABILITY  of each device: 80 (the default) is 8.0
//   MOCK_CUDA_DEVICES     their number: 1
//   MOCK_CUDA_IS_OLD      the function that refuses cubins: cuLibraryLoadData, or
//                         with lazy loading cuKernelGetFunction
//   MOCK_CUDA_FAIL        FUNCTION=CODE[@N]: its call number N (0: the first)
//                         and all later ones return the code
//   MOCK_CUDA_LOG         file to which calls are appended
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>

using namespace mock;

namespace {

enum {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinary = 209,
  kInvalidPtx = 218,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kContextIsDestroyed = 709,
  kLaunchFailed = 719
};

constexpr std::pair<int, std::pair<const char *, const char *>> kErrors[] = {
    {kInvalidValue, {"CUDA_ERROR_INVALID_VALUE", "invalid argument"}},
    {kOutOfMemory, {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"}},
    {100, {"CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"}},
    {kInvalidDevice, {"CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"}},
    {kInvalidImage,
     {"CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"}},
    {kInvalidContext, {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"}},
    {kNoBinary,
     {"CUDA_ERROR_NO_BINARY_FOR_GPU",
      "no kernel image is available for execution on the device"}},
    {kInvalidPtx, {"CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"}},
    {kInvalidHandle,
     {"CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"}},
    {kNotFound, {"CUDA_ERROR_NOT_FOUND", "named symbol not found"}},
    {kNotReady, {"CUDA_ERROR_NOT_READY", "device not ready"}},
    {kIllegalAddress,
     {"CUDA_ERROR_ILLEGAL_ADDRESS",
      "an illegal memory access was encountered"}},
    {kContextIsDestroyed,
     {"CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"}},
    {kLaunchFailed,
     {"CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"}}};

struct Context {
  int device = 0;
};

struct Kernel {
  const Image *image = nullptr;
  std::string name;
  std::map<int, unsigned> sharedBytes; // by device
};

struct Stream {
  Context *context = nullptr;
  std::deque<std::function<int()>> work;
};

struct Event {
  std::optional<std::chrono::steady_clock::time_point> time;
};

struct Driver {
  std::recursive_mutex mutex;
  Memory memory;
  std::map<int, Context *> primaries;
  std::set<Context *> contexts;
  std::deque<Image> images;
  std::deque<Kernel> kernels;
  std::map<void *, Stream> streams; // null is the default one
  std::map<std::string, unsigned> calls;
  int failure = kSuccess; // of a launch; every later call returns it
};

thread_local std::vector<Context *> current;

Driver &driver() {
  static Driver *one = new Driver; // drivers do not end before their callers
  return *one;
}

int numberOf(const char *variable, int otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

void log(const char *format, ...) {
  const char *path = std::getenv("MOCK_CUDA_LOG");
  std::FILE *file = path ? std::fopen(path, "a") : nullptr;
  if (!file)
    return;
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(file, format, arguments);
  va_end(arguments);
  std::fputc('\n', file);
  std::fclose(file);
}

/// The code that MOCK_CUDA_FAIL has for this call.
int plannedFailure(const std::string &function) {
  unsigned number = driver().calls[function]++;
  const char *text = std::getenv("MOCK_CUDA_FAIL");
  std::string plan = text ? text : "";
  if (plan.compare(0, function.size() + 1, function + "=") != 0)
    return kSuccess;
  std::string code = plan.substr(function.size() + 1);
  size_t at = code.find('@');
  unsigned first =
      at == std::string::npos ? 0 : unsigned(std::atoi(&code[at + 1]));
  return number >= first ? std::atoi(code.c_str()) : kSuccess;
}

bool isRefused(const Image &image, const std::string &function) {
  const char *refusing = std::getenv("MOCK_CUDA_IS_OLD");
  return !image.isPtx && refusing && refusing == function;
}

/// Begins a function of the interface: locks, and returns what must fail.
#define ENTER(function)                                                        \
  std::lock_guard<std::recursive_mutex> guard(driver().mutex);                 \
  if (int code = plannedFailure(#function))                                    \
    return code;                                                               \
  if (driver().failure)                                                        \
    return driver().failure;

/// The same for what needs a context.
#define ENTER_CONTEXT(function)                                                \
  ENTER(function)                                                              \
  if (current.empty())                                                         \
    return kInvalidContext;                                                    \
  if (!driver().contexts.count(current.back()))                                \
    return kContextIsDestroyed;

int enqueue(void *stream, std::function<int()> work) {
  auto found = driver().streams.find(stream);
  if (stream && found == driver().streams.end())
    return kInvalidHandle;
  driver().streams[stream].work.push_back(std::move(work));
  return kSuccess;
}

int drain(void *stream) {
  Driver &d = driver();
  auto found = d.streams.find(stream);
  if (found == d.streams.end())
    return stream ? kInvalidHandle : kSuccess;
  std::deque<std::function<int()>> &work = found->second.work;
  while (!work.empty() && !d.failure) {
    d.failure = work.front()();
    work.pop_front();
  }
  return d.failure;
}

int runLaunch(const Launch &launch) {
  const char *file = std::getenv("MOCK_CUDA_KERNELS");
  std::string error = emulate(file ? file : "", launch, driver().memory);
  if (error.empty())
    return kSuccess;
  log("fault: %s", error.c_str());
  return error.find("no address") != std::string::npos ? kIllegalAddress
                                                       : kLaunchFailed;
}

} // namespace

extern "C" {

int cuInit(unsigned) {
  ENTER(cuInit)
  return numberOf("MOCK_CUDA_DEVICES", 1) > 0 ? kSuccess : 100;
}

int cuGetErrorName(int code, const char **text) {
  *text = nullptr;
  for (const auto &[number, texts] : kErrors)
    if (number == code)
      *text = texts.first;
  return *text ? kSuccess : kInvalidValue;
}

int cuGetErrorString(int code, const char **text) {
  *text = nullptr;
  for (const auto &[number, texts] : kErrors)
    if (number == code)
      *text = texts.second;
  return *text ? kSuccess : kInvalidValue;
}

int cuDeviceGet(int *device, int ordinal) {
  ENTER(cuDeviceGet)
  *device = ordinal;
  bool isThere = ordinal >= 0 && ordinal < numberOf("MOCK_CUDA_DEVICES", 1);
  return isThere ? kSuccess : kInvalidDevice;
}

int cuDeviceGetAttribute(int *value, int attribute, int) {
  ENTER(cuDeviceGetAttribute)
  int capability = numberOf("MOCK_CUDA_CAPABILITY", 80);
  switch (attribute) {
  case 75:
    *value = capability / 10;
    return kSuccess;
  case 76:
    *value = capability % 10;
    return kSuccess;
  case 38: // bytes of the L2
    *value = 1024;
    return kSuccess;
  default:
    return kInvalidValue;
  }
}

int cuDevicePrimaryCtxRetain(Context **context, int device) {
  ENTER(cuDevicePrimaryCtxRetain)
  log("cuDevicePrimaryCtxRetain device %d", device);
  Context *&primary = driver().primaries[device];
  if (!primary)
    primary = new Context{device};
  driver().contexts.insert(primary);
  *context = primary;
  return kSuccess;
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *isActive) {
  ENTER(cuDevicePrimaryCtxGetState)
  *flags = 0;
  *isActive = driver().primaries[device] != nullptr;
  return kSuccess;
}

int cuCtxGetCurrent(Context **context) {
  ENTER(cuCtxGetCurrent)
  *context = current.empty() ? nullptr : current.back();
  return kSuccess;
}

int cuCtxGetDevice(int *device) {
  ENTER_CONTEXT(cuCtxGetDevice)
  *device = current.back()->device;
  return kSuccess;
}

/// A destroyed primary context can be pushed, but nothing can be done in it
/// until somebody retains the next one, which has another address here.
int cuCtxPushCurrent_v2(Context *context) {
  ENTER(cuCtxPushCurrent)
  bool isPrimaryActive = driver().primaries[context->device];
  if (!driver().contexts.count(context) && isPrimaryActive)
    return kInvalidContext;
  current.push_back(context);
  return kSuccess;
}

int cuCtxPopCurrent_v2(Context **context) {
  std::lock_guard<std::recursive_mutex> guard(driver().mutex);
  if (current.empty())
    return kInvalidContext;
  *context = current.back();
  current.pop_back();
  return kSuccess;
}

int cuStreamGetCtx(void *stream, Context **context) {
  ENTER(cuStreamGetCtx)
  auto found = driver().streams.find(stream);
  if (!stream || found == driver().streams.end())
    return kInvalidHandle;
  *context = found->second.context;
  return kSuccess;
}

int cuLibraryLoadData(const Image **library, const void *code, int *, void **,
                      unsigned, int *, void **, unsigned) {
  ENTER(cuLibraryLoadData)
  Image image;
  if (!readImage(code, image))
    return kInvalidImage;
  log("cuLibraryLoadData %s", image.isPtx ? "PTX" : "cubin");
  if (isRefused(image, "cuLibraryLoadData"))
    return kNoBinary;
  if (image.isPtx &&
      image.capability > unsigned(numberOf("MOCK_CUDA_CAPABILITY", 80)))
    return kInvalidPtx;
  driver().images.push_back(std::move(image));
  *library = &driver().images.back();
  return kSuccess;
}

int cuLibraryGetKernel(Kernel **kernel, const Image *library,
                       const char *name) {
  ENTER(cuLibraryGetKernel)
  if (!hasKernel(*library, name))
    return kNotFound;
  driver().kernels.push_back({library, name, {}});
  *kernel = &driver().kernels.back();
  return kSuccess;
}

int cuKernelGetFunction(Kernel **function, Kernel *kernel) {
  ENTER_CONTEXT(cuKernelGetFunction)
  if (isRefused(*kernel->image, "cuKernelGetFunction"))
    return kNoBinary;
  *function = kernel;
  return kSuccess;
}

int cuKernelSetAttribute(int attribute, int value, Kernel *kernel, int device) {
  ENTER(cuKernelSetAttribute)
  constexpr int kSharedBytes = 8, kCarveout = 9;
  if (attribute == kCarveout && value >= -1 && value <= 100) {
    log("cuKernelSetAttribute %s, %d percent, device %d", kernel->name.c_str(),
        value, device);
    return kSuccess;
  }
  if (attribute != kSharedBytes || value < 0 || value > 227 * 1024)
    return kInvalidValue;
  log("cuKernelSetAttribute %s, %d bytes, device %d", kernel->name.c_str(),
      value, device);
  kernel->sharedBytes[device] = unsigned(value);
  return kSuccess;
}

int cuMemAllocAsync(uint64_t *memory, size_t bytes, void *stream) {
  ENTER_CONTEXT(cuMemAllocAsync)
  *memory = driver().memory.allocate(bytes);
  log("cuMemAllocAsync %zu bytes, stream %d", bytes, stream != nullptr);
  return *memory ? kSuccess : kOutOfMemory;
}

int cuMemFreeAsync(uint64_t memory, void *stream) {
  ENTER_CONTEXT(cuMemFreeAsync)
  log("cuMemFreeAsync");
  return enqueue(stream, [memory] {
    return driver().memory.release(memory) ? kSuccess : kInvalidValue;
  });
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                         void *stream) {
  ENTER_CONTEXT(cuMemcpyHtoDAsync)
  log("cuMemcpyHtoDAsync %zu bytes", bytes);
  return enqueue(stream, [=] {
    Block *block = driver().memory.find(to, bytes);
    if (block)
      std::memcpy(&block->bytes[to - block->address], from, bytes);
    return block ? kSuccess : kInvalidValue;
  });
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  ENTER_CONTEXT(cuMemcpyDtoHAsync)
  log("cuMemcpyDtoHAsync %zu bytes", bytes);
  return enqueue(stream, [=] {
    Block *block = driver().memory.find(from, bytes);
    if (block)
      std::memcpy(to, &block->bytes[from - block->address], bytes);
    return block ? kSuccess : kInvalidValue;
  });
}

int cuStreamSynchronize(void *stream) {
  ENTER_CONTEXT(cuStreamSynchronize)
  log("cuStreamSynchronize");
  return drain(stream);
}

/// Refuses what CUDA's documentation does, and whatever attnc has no need of.
int cuTensorMapEncodeTiled(TensorMap *map, int type, uint32_t rank,
                           void *address, const uint64_t *sizes,
                           const uint64_t *strides, const uint32_t *box,
                           const uint32_t *steps, int interleave, int swizzle,
                           int promotion, int fill) {
  ENTER(cuTensorMapEncodeTiled)
  constexpr int f16 = 6, bf16 = 9;
  constexpr uint64_t mostSize = uint64_t(1) << 32, mostStride = uint64_t(1) << 40;
  auto isUnits = [](uint64_t bytes) { return bytes % 16 == 0; };
  TensorMap made;
  made.address = reinterpret_cast<uint64_t>(address);
  made.type = uint8_t(type);
  made.rank = uint8_t(rank);
  if (reinterpret_cast<uint64_t>(map) % 64 || (type != f16 && type != bf16) ||
      rank < 1 || rank > 5 || !isUnits(made.address) || interleave != 0 ||
      swizzle < 1 || swizzle > 3 || promotion < 0 || promotion > 3 || fill != 0)
    return kInvalidValue;
  made.swizzle = uint16_t(16 << swizzle);
  for (uint32_t axis = 0; axis < rank; ++axis) {
    if (sizes[axis] == 0 || sizes[axis] >= mostSize || box[axis] == 0 ||
        box[axis] > 256 || steps[axis] != 1)
      return kInvalidValue;
    made.sizes[axis] = uint32_t(sizes[axis]);
    made.box[axis] = uint16_t(box[axis]);
    if (axis == 0)
      continue;
    if (!isUnits(strides[axis - 1]) || strides[axis - 1] >= mostStride)
      return kInvalidValue;
    made.strides[axis - 1] = strides[axis - 1];
  }
  if (!isUnits(2 * box[0]) || 2 * box[0] > made.swizzle)
    return kInvalidValue;
  log("cuTensorMapEncodeTiled %u axes, box %u x %u", rank, box[0], box[1]);
  *map = made;
  return kSuccess;
}

int cuLaunchKernel(Kernel *kernel, unsigned x, unsigned y, unsigned z,
                   unsigned threads, unsigned threadsY, unsigned threadsZ,
                   unsigned shared, void *stream, void **arguments, void **) {
  ENTER_CONTEXT(cuLaunchKernel)
  log("cuLaunchKernel %s, %u blocks of %u threads, stream %d, device %d",
      kernel->name.c_str(), x, threads, stream != nullptr,
      current.back()->device);
  constexpr unsigned withoutAttribute = 48 * 1024;
  unsigned most =
      std::max(withoutAttribute, kernel->sharedBytes[current.back()->device]);
  if (x == 0 || y != 1 || z != 1 || threads == 0 || threads > 1024 ||
      threadsY != 1 || threadsZ != 1 || shared > most)
    return kInvalidValue;
  const char *file = std::getenv("MOCK_CUDA_KERNELS");
  Launch launch{kernel->name, x, threads, shared, {}};
  std::vector<Parameter> parameters =
      readParameters(file ? file : "", kernel->name);
  if (parameters.empty())
    return kNotFound;
  for (size_t i = 0; i < parameters.size(); ++i) {
    Argument &argument = launch.arguments.emplace_back();
    if (parameters[i] == Parameter::Map)
      std::memcpy(&argument.map, arguments[i], sizeof argument.map);
    else
      std::memcpy(&argument.value, arguments[i], sizeof argument.value);
  }
  return enqueue(stream, [launch] { return runLaunch(launch); });
}

// What only tests call.

int cuDevicePrimaryCtxReset_v2(int device) {
  ENTER(cuDevicePrimaryCtxReset)
  log("cuDevicePrimaryCtxReset device %d", device);
  driver().contexts.erase(driver().primaries[device]);
  driver().primaries[device] = nullptr;
  return kSuccess;
}

int cuStreamCreate(void **stream, unsigned) {
  ENTER_CONTEXT(cuStreamCreate)
  *stream = new char;
  driver().streams[*stream].context = current.back();
  return kSuccess;
}

int cuMemAlloc_v2(uint64_t *memory, size_t bytes) {
  ENTER_CONTEXT(cuMemAlloc)
  *memory = driver().memory.allocate(bytes);
  return *memory ? kSuccess : kOutOfMemory;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  ENTER_CONTEXT(cuMemcpyHtoD)
  Block *block = driver().memory.find(to, bytes);
  if (block)
    std::memcpy(&block->bytes[to - block->address], from, bytes);
  return block ? kSuccess : kInvalidValue;
}

/// Of the default stream: what other streams have queued has not run.
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  ENTER_CONTEXT(cuMemcpyDtoH)
  if (int code = drain(nullptr))
    return code;
  Block *block = driver().memory.find(from, bytes);
  if (block)
    std::memcpy(to, &block->bytes[from - block->address], bytes);
  return block ? kSuccess : kInvalidValue;
}

int cuDeviceGetName(char *name, int bytes, int) {
  ENTER(cuDeviceGetName)
  std::snprintf(name, size_t(bytes), "mock");
  return kSuccess;
}

int cuMemFree_v2(uint64_t memory) {
  ENTER_CONTEXT(cuMemFree)
  return driver().memory.release(memory) ? kSuccess : kInvalidValue;
}

int cuMemsetD8Async(uint64_t to, unsigned char byte, size_t bytes,
                    void *stream) {
  ENTER_CONTEXT(cuMemsetD8Async)
  return enqueue(stream, [=] {
    Block *block = driver().memory.find(to, bytes);
    if (block)
      std::memset(&block->bytes[to - block->address], byte, bytes);
    return block ? kSuccess : kInvalidValue;
  });
}

int cuEventCreate(Event **event, unsigned) {
  ENTER_CONTEXT(cuEventCreate)
  *event = new Event;
  return kSuccess;
}

int cuEventDestroy_v2(Event *event) {
  ENTER_CONTEXT(cuEventDestroy)
  delete event;
  return kSuccess;
}

/// The time is that of the host when the stream gets there.
int cuEventRecord(Event *event, void *stream) {
  ENTER_CONTEXT(cuEventRecord)
  return enqueue(stream, [event] {
    event->time = std::chrono::steady_clock::now();
    return kSuccess;
  });
}

int cuEventElapsedTime(float *milliseconds, Event *first, Event *last) {
  ENTER_CONTEXT(cuEventElapsedTime)
  if (!first->time || !last->time)
    return kNotReady;
  *milliseconds =
      std::chrono::duration<float, std::milli>(*last->time - *first->time)
          .count();
  return kSuccess;
}

/// The blocks that nobody has freed, after all that is queued.
int mockBlockCount() {
  std::lock_guard<std::recursive_mutex> guard(driver().mutex);
  for (auto &[handle, stream] : driver().streams)
    drain(handle);
  return int(driver().memory.blockCount());
}
}
