//===- Arguments.cpp - Arguments of the kernel ----------------------------===//

#include "Arguments.h"

#include "Machine/TensorMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>

using namespace llvm;
using namespace attnc::nvptx;

/// 256 bytes is the alignment of the CUDA allocator.
static Error allocate(Tensor &tensor) {
  constexpr uint64_t most = uint64_t(1) << 40;
  if (tensor.bytes <= most)
    tensor.data = std::aligned_alloc(256, (tensor.bytes + 511) / 256 * 256);
  if (!tensor.data)
    return createStringError("no memory for a buffer of " +
                             Twine(tensor.bytes) + " bytes");
  std::memset(tensor.data, 0xff, tensor.bytes);
  return Error::success();
}

/// in:FILE, inout:FILE or out:FILE:BYTES
Expected<Tensor> Arguments::makeTensor(StringRef text) {
  Tensor tensor;
  tensor.argument = slots.size();
  bool isInOut = text.consume_front("inout:");
  if (isInOut || text.consume_front("in:")) {
    if (isInOut)
      tensor.file = text.str();
    auto file = MemoryBuffer::getFile(text, /*IsText=*/false);
    if (!file)
      return createStringError("cannot read '" + text + "'");
    tensor.bytes = (*file)->getBufferSize();
    if (Error error = allocate(tensor))
      return std::move(error);
    std::memcpy(tensor.data, (*file)->getBufferStart(), tensor.bytes);
    return tensor;
  }
  text.consume_front("out:");
  auto [file, size] = text.rsplit(':');
  tensor.file = file.str();
  if (size.getAsInteger(10, tensor.bytes))
    return createStringError("expected out:FILE:BYTES");
  if (Error error = allocate(tensor))
    return std::move(error);
  return tensor;
}

static bool isTensor(StringRef kind) {
  return kind == "in" || kind == "inout" || kind == "out";
}

/// arg:N, a pointer into the tensor of an earlier argument.
Error Arguments::addPointer(StringRef number, uint64_t offset) {
  size_t argument = 0;
  if (number.getAsInteger(10, argument) || argument >= tensorOf.size() ||
      tensorOf[argument] < 0)
    return createStringError("'arg:" + number +
                             "' names no earlier argument with a tensor");
  int other = tensorOf[argument];
  if (offset > tensors[other].bytes)
    return createStringError("'arg:" + number +
                             "' points outside of the tensor");
  slots.push_back(reinterpret_cast<uint64_t>(tensors[other].data) + offset);
  tensorOf.push_back(other);
  return Error::success();
}

Error Arguments::add(StringRef text) {
  uint64_t offset = 0;
  StringRef tensorText = text;
  if (tensorText.consume_front("at:")) {
    auto [number, rest] = tensorText.split(':');
    if (number.getAsInteger(10, offset) ||
        (!isTensor(rest.split(':').first) && !rest.starts_with("arg:")))
      return createStringError("expected at:N:TENSOR, got '" + text + "'");
    tensorText = rest;
  }
  auto [kind, value] = tensorText.split(':');
  if (kind == "map")
    return addMap(value);
  if (kind == "arg")
    return addPointer(value, offset);
  if (isTensor(kind)) {
    Expected<Tensor> tensor = makeTensor(tensorText);
    if (!tensor)
      return tensor.takeError();
    if (offset > tensor->bytes)
      return createStringError("'" + text + "' points outside of the tensor");
    slots.push_back(reinterpret_cast<uint64_t>(tensor->data) + offset);
    tensorOf.push_back(tensors.size());
    tensors.push_back(std::move(*tensor));
    return Error::success();
  }
  int64_t integer = 0;
  double number = 0;
  tensorOf.push_back(-1);
  if (kind == "i32" && !value.getAsInteger(10, integer))
    slots.push_back(static_cast<uint32_t>(integer));
  else if (kind == "i64" && !value.getAsInteger(10, integer))
    slots.push_back(integer);
  else if (kind == "f32" && !value.getAsDouble(number))
    slots.push_back(fromFloat(static_cast<float>(number)));
  else
    return createStringError("unknown argument '" + text + "'");
  return Error::success();
}

/// Numbers with an `x` between each two.
template <typename Range>
static bool parseNumbers(StringRef text, Range to, unsigned &count) {
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  count = parts.size();
  if (count > static_cast<size_t>(to.end() - to.begin()))
    return false;
  for (auto [part, number] : zip(parts, to))
    if (part.getAsInteger(10, number))
      return false;
  return true;
}

/// Sets what one KEY=VALUE says.
static bool setField(TensorMap &map, StringRef key, StringRef value,
                     std::array<unsigned, 3> &counts) {
  if (key == "type") {
    map.elementBytes = StringSwitch<unsigned>(value)
                           .Cases({"u8", "f8"}, 1)
                           .Cases({"f16", "bf16", "u16"}, 2)
                           .Cases({"f32", "u32", "i32"}, 4)
                           .Cases({"f64", "u64", "i64"}, 8)
                           .Default(0);
    // To the device, f8 is u8.
    map.isFloat = is_contained({"f16", "bf16", "f32", "f64"}, value);
    return map.elementBytes != 0;
  }
  if (key == "swizzle") {
    auto swizzle = StringSwitch<std::optional<Swizzle>>(value)
                       .Case("none", Swizzle::none)
                       .Case("32B", Swizzle::bytes32)
                       .Case("64B", Swizzle::bytes64)
                       .Case("128B", Swizzle::bytes128)
                       .Default(std::nullopt);
    map.swizzle = swizzle.value_or(Swizzle::none);
    return swizzle.has_value();
  }
  if (key == "fill") {
    map.fillsNaN = value == "nan";
    return value == "nan" || value == "zero";
  }
  if (key == "sizes")
    return parseNumbers(value, MutableArrayRef(map.sizes), counts[0]);
  if (key == "strides")
    return parseNumbers(value, MutableArrayRef(map.strides).drop_front(),
                        counts[1]);
  if (key == "box")
    return parseNumbers(value, MutableArrayRef(map.box), counts[2]);
  return false;
}

static Expected<TensorMap> parseMap(StringRef text) {
  TensorMap map;
  std::array<unsigned, 3> counts = {}; // of sizes, strides and box
  SmallVector<StringRef> fields;
  text.split(fields, ',');
  for (StringRef field : fields) {
    auto [key, value] = field.split('=');
    if (!setField(map, key, value, counts))
      return createStringError("unknown field '" + field + "' of a tensor map");
  }
  if (!map.elementBytes || counts[0] == 0 || counts[1] != counts[0] - 1 ||
      counts[2] != counts[0])
    return createStringError(
        "a tensor map needs type=T,sizes=AxB...,box=AxB... and, for all sizes "
        "but the first, strides=B...");
  map.rank = counts[0];
  return map;
}

/// TENSOR,KEY=VALUE,... where `at:N:` may stand before TENSOR.
Error Arguments::addMap(StringRef text) {
  auto [source, fields] = text.split(',');
  unsigned number = 0;
  uint64_t offset = 0;
  if (source.consume_front("at:")) {
    auto [first, rest] = source.split(':');
    if (first.getAsInteger(10, offset))
      return createStringError("expected map:at:N:TENSOR, got 'map:" + text +
                               "'");
    source = rest;
  }
  int index = -1; // of the tensor
  if (source.consume_front("arg:")) {
    if (source.getAsInteger(10, number) || number >= tensorOf.size() ||
        tensorOf[number] < 0)
      return createStringError("arg:" + source + " is no earlier tensor");
    index = tensorOf[number];
  } else {
    Expected<Tensor> made = makeTensor(source);
    if (!made)
      return made.takeError();
    index = tensors.size();
    tensors.push_back(std::move(*made));
  }
  Expected<TensorMap> map = parseMap(fields);
  if (!map)
    return map.takeError();
  if (offset > tensors[index].bytes)
    return createStringError("'map:" + text + "' begins outside of the tensor");
  map->address = reinterpret_cast<uint64_t>(tensors[index].data) + offset;
  if (std::optional<std::string> error = map->check())
    return createStringError(*error);
  Tensor encoded;
  encoded.argument = slots.size();
  encoded.bytes = sizeof(TensorMap);
  if (Error error = allocate(encoded))
    return error;
  std::memcpy(encoded.data, &*map, sizeof(TensorMap));
  slots.push_back(reinterpret_cast<uint64_t>(encoded.data));
  tensorOf.push_back(index);
  tensors.push_back(encoded);
  return Error::success();
}

Error Arguments::write() const {
  for (const Tensor &tensor : tensors) {
    if (tensor.file.empty())
      continue;
    std::error_code error;
    raw_fd_ostream file(tensor.file, error);
    if (error)
      return createStringError("cannot write '" + tensor.file + "'");
    file.write(static_cast<const char *>(tensor.data), tensor.bytes);
  }
  return Error::success();
}

std::vector<Buffer> Arguments::getBuffers() const {
  std::vector<Buffer> buffers;
  for (const Tensor &tensor : tensors)
    buffers.push_back({reinterpret_cast<uint64_t>(tensor.data), tensor.bytes,
                       "argument " + std::to_string(tensor.argument)});
  return buffers;
}
