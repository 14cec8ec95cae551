//===- EmulatedObject.cpp - The object's code in an emulator --------------===//

#include "Run/EmulatedObject.h"

#include "Compile/Link.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

namespace attnc {

// The sources of the calling program.
#include "EmulatedSources.inc" // kEmulatedSources

static llvm::Expected<std::string> findTool(const Platform &platform,
                                            llvm::StringRef name) {
  if (name.empty())
    return llvm::createStringError(
        "objects of " + platform.triple +
        " cannot be run: attnc-run has no emulator for this platform");
  if (auto path = llvm::sys::findProgramByName(name))
    return *path;
  return llvm::createStringError(
      "running objects of " + platform.triple + " requires '" + name +
      "'; install the packages " + platform.packages);
}

llvm::Expected<std::unique_ptr<EmulatedObject>>
EmulatedObject::link(llvm::StringRef bytes, llvm::ArrayRef<Interface> functions,
                     const Platform &platform) {
  std::unique_ptr<EmulatedObject> object(new EmulatedObject(platform));
  for (auto [name, path] : {std::pair(platform.emulator, &object->emulator),
                            std::pair(platform.linker, &object->linker)}) {
    auto found = findTool(platform, name);
    if (!found)
      return found.takeError();
    *path = *found;
  }
  if (llvm::Error error = object->build(bytes, functions))
    return std::move(error);
  return object;
}

EmulatedObject::~EmulatedObject() {
  if (!folder.empty())
    llvm::sys::fs::remove_directories(folder);
}

std::string EmulatedObject::path(llvm::StringRef name) const {
  llvm::SmallString<128> whole(folder);
  llvm::sys::path::append(whole, name);
  return whole.str().str();
}

/// The table of functions.h.
static std::string listFunctions(llvm::ArrayRef<Interface> functions) {
  std::string text = "#include \"functions.h\"\n", list;
  llvm::raw_string_ostream os(text);
  for (auto [number, function] : llvm::enumerate(functions)) {
    size_t count = function.tensors.size();
    os << "attnc_status " << function.name << '(';
    for (size_t t = 0; t < count; ++t)
      os << "attnc_tensor *, ";
    os << "const attnc_runtime *);\n"
       << "static attnc_status attnc_call" << number
       << "(attnc_tensor *const *attnc_tensors,\n"
          "    const attnc_runtime *attnc_options) {\n"
       << "  return " << function.name << '(';
    for (size_t t = 0; t < count; ++t)
      os << "attnc_tensors[" << t << "], ";
    os << "attnc_options);\n}\n";
    list += "  {\"" + function.name + "\", attnc_call" +
            std::to_string(number) + "},\n";
  }
  os << "const struct attnc_function attnc_functions[] = {\n"
     << list << "  {0, 0}};\n";
  return text;
}

llvm::Error EmulatedObject::build(llvm::StringRef bytes,
                                  llvm::ArrayRef<Interface> functions) {
  llvm::SmallString<128> made;
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory("attnc", made))
    return llvm::createStringError("cannot make a temporary directory: " +
                                   code.message());
  folder = made.str().str();
  for (const auto &[name, text] : kEmulatedSources)
    if (llvm::Error error = writeFile(path(name), text))
      return error;
  if (llvm::Error error =
          writeFile(path("functions.c"), listFunctions(functions)))
    return error;
  if (llvm::Error error = writeFile(path("kernels.o"), bytes))
    return error;
  return linkCaller();
}

llvm::Error EmulatedObject::linkCaller() const {
  std::string kernels = path("kernels.o"), program = path("caller");
  std::string caller = path(platform.isHosted ? "caller.c" : "module.c");
  std::string threads = path("attnc_threads.c"), list = path("functions.c");
  std::string triple = "--target=" + platform.triple.str();
  llvm::SmallVector<llvm::StringRef> arguments = {
      linker, "-O1", "-w", caller, list, kernels, "-o", program};
  if (platform.isHosted) // static: the emulator needs no folder of libraries
    arguments.append({threads, "-static", "-pthread", "-lm"});
  else
    arguments.append({triple, "-ffreestanding", "-nostdlib",
                      "-Wl,--no-entry,--stack-first"});
  std::string reason;
  int status = llvm::sys::ExecuteAndWait(linker, arguments, std::nullopt, {}, 0,
                                         0, &reason);
  if (status == 0)
    return llvm::Error::success();
  return llvm::createStringError(
      "'" + linker + "' cannot link a program with the object: " +
      (reason.empty() ? "exit code " + std::to_string(status) : reason));
}

llvm::Expected<Entry> EmulatedObject::entry(llvm::StringRef function) {
  return [this, name = function.str()](llvm::ArrayRef<attnc_tensor *> tensors,
                                       const attnc_runtime *runtime) {
    return call(name, tensors, *runtime);
  };
}

namespace {
/// The bytes from the first to the last element.
struct Block {
  char *begin = nullptr;
  int64_t bytes = 0, first = 0;
};
} // namespace

static Block blockOf(const attnc_tensor &tensor) {
  int64_t low = 0, high = 0, size = tensor.dtype.bits / 8;
  bool isEmpty = false;
  for (int32_t axis = 0; axis < tensor.ndim; ++axis) {
    isEmpty |= tensor.shape[axis] == 0;
    (tensor.strides[axis] < 0 ? low : high) +=
        tensor.strides[axis] * (tensor.shape[axis] - 1);
  }
  if (isEmpty)
    return {static_cast<char *>(tensor.data), 0, 0};
  return {static_cast<char *>(tensor.data) + low * size,
          (high - low + 1) * size, -low * size};
}

static void putNumber(llvm::raw_ostream &os, int64_t number) {
  os.write(reinterpret_cast<const char *>(&number), sizeof number);
}

static std::string requestOf(llvm::ArrayRef<attnc_tensor *> tensors,
                             const attnc_runtime &runtime) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  llvm::StringRef part = runtime.cpu ? runtime.cpu : "";
  putNumber(os, runtime.threads);
  putNumber(os, int64_t(part.size()));
  os << part;
  putNumber(os, int64_t(tensors.size()));
  for (const attnc_tensor *tensor : tensors) {
    for (int64_t number : {int64_t(tensor->dtype.code),
                           int64_t(tensor->dtype.bits), int64_t(tensor->ndim)})
      putNumber(os, number);
    for (const int64_t *numbers : {tensor->shape, tensor->strides})
      for (int32_t axis = 0; axis < tensor->ndim; ++axis)
        putNumber(os, numbers[axis]);
    Block block = blockOf(*tensor);
    putNumber(os, block.bytes);
    putNumber(os, block.first);
  }
  for (const attnc_tensor *tensor : tensors) {
    Block block = blockOf(*tensor);
    os.write(block.begin, size_t(block.bytes));
  }
  return bytes;
}

llvm::Error EmulatedObject::run(llvm::StringRef function) const {
  std::string program = path("caller"), request = path("request"),
              response = path("response"), script = path("module.mjs");
  llvm::SmallVector<llvm::StringRef> arguments = {emulator};
  if (!platform.isHosted)
    arguments.push_back(script);
  if (processor && !processor->emulatorCpu.empty())
    arguments.append({"-cpu", processor->emulatorCpu});
  arguments.append({program, function, request, response});
  std::string reason;
  int status = llvm::sys::ExecuteAndWait(emulator, arguments, std::nullopt, {},
                                         0, 0, &reason);
  if (status == 0)
    return llvm::Error::success();
  return llvm::createStringError(platform.emulator +
                                 (reason.empty()
                                      ? ": exit code " + std::to_string(status)
                                      : ": " + reason));
}

/// Copies what the call wrote. False if the response ends early.
static bool readResponse(llvm::StringRef bytes,
                         llvm::ArrayRef<attnc_tensor *> tensors,
                         int64_t &status, std::string &sentence) {
  int64_t length = 0;
  if (bytes.size() < 2 * sizeof(int64_t))
    return false;
  std::memcpy(&status, bytes.data(), sizeof status);
  std::memcpy(&length, bytes.data() + sizeof status, sizeof length);
  bytes = bytes.drop_front(2 * sizeof(int64_t));
  if (length < 0 || bytes.size() < size_t(length))
    return false;
  sentence = bytes.take_front(size_t(length)).str();
  bytes = bytes.drop_front(size_t(length));
  for (const attnc_tensor *tensor : tensors) {
    Block block = blockOf(*tensor);
    if (bytes.size() < size_t(block.bytes))
      return false;
    std::memcpy(block.begin, bytes.data(), size_t(block.bytes));
    bytes = bytes.drop_front(size_t(block.bytes));
  }
  return true;
}

/// What goes wrong besides the function, such as a signal, is a status, too.
attnc_status EmulatedObject::call(llvm::StringRef function,
                                  llvm::ArrayRef<attnc_tensor *> tensors,
                                  const attnc_runtime &runtime) {
  auto fail = [&](const llvm::Twine &text) {
    if (runtime.report)
      runtime.report(runtime.user, ATTNC_DEVICE_FAILED, text.str().c_str());
    return ATTNC_DEVICE_FAILED;
  };
  llvm::Error error = writeFile(path("request"), requestOf(tensors, runtime));
  if (!error)
    error = run(function);
  if (error)
    return fail(llvm::toString(std::move(error)));
  auto response = llvm::MemoryBuffer::getFile(path("response"));
  int64_t status = 0;
  std::string sentence;
  if (!response ||
      !readResponse((*response)->getBuffer(), tensors, status, sentence))
    return fail("the program in " + platform.emulator + " did not respond");
  if (status != ATTNC_OK && runtime.report)
    runtime.report(runtime.user, attnc_status(status), sentence.c_str());
  return attnc_status(status);
}

} // namespace attnc
