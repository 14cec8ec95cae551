//===- NumpyFile.cpp - Arrays in files of NumPy ---------------------------===//

#include "Tensor/NumpyFile.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace llvm;

namespace attnc {

static constexpr StringLiteral magic = "\x93NUMPY";

template <typename T> static T get(const char *address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}
template <typename T> static void put(std::string &bytes, T value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
}

static double fromHalf(uint16_t bits) {
  APFloat number(APFloat::IEEEhalf(), APInt(16, bits));
  bool losesInfo = false;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

static uint16_t toHalf(double value) {
  APFloat number(value);
  bool losesInfo = false;
  number.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

namespace {
/// One element type of the format that attnc has a use for.
struct ElementType {
  StringLiteral name;
  unsigned bytes;
  double (*real)(const char *);     // null for ints
  int64_t (*integer)(const char *); // null for floats
};
} // namespace

template <typename T> static double readReal(const char *address) {
  return static_cast<double>(get<T>(address));
}
template <typename T> static int64_t readInteger(const char *address) {
  return static_cast<int64_t>(get<T>(address));
}
static double readHalf(const char *address) {
  return fromHalf(get<uint16_t>(address));
}

static constexpr ElementType elementTypes[] = {
    {"<f8", 8, readReal<double>, nullptr},
    {"<f4", 4, readReal<float>, nullptr},
    {"<f2", 2, readHalf, nullptr},
    {"<i8", 8, nullptr, readInteger<int64_t>},
    {"<i4", 4, nullptr, readInteger<int32_t>},
    {"<i2", 2, nullptr, readInteger<int16_t>},
    {"|i1", 1, nullptr, readInteger<int8_t>},
    {"|u1", 1, nullptr, readInteger<uint8_t>},
    {"|b1", 1, nullptr, readInteger<uint8_t>},
};

/// What stands after `'key':` in the dictionary, without blanks in front.
static StringRef valueOf(StringRef header, StringRef key) {
  size_t place = header.find(("'" + key + "':").str());
  return place == StringRef::npos
             ? StringRef()
             : header.substr(place + key.size() + 3).ltrim();
}

/// `(2, 3)` or `(4,)` or `()`.
static bool parseShape(StringRef text, SmallVectorImpl<int64_t> &shape) {
  if (!text.consume_front("("))
    return false;
  size_t end = text.find(')');
  if (end == StringRef::npos)
    return false;
  SmallVector<StringRef> parts;
  text.take_front(end).split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    int64_t extent = 0;
    if (part.trim().empty())
      continue;
    if (part.trim().getAsInteger(10, extent) || extent < 0)
      return false;
    shape.push_back(extent);
  }
  return true;
}

/// Cuts the dictionary off `bytes`; nothing if this is no such file.
static std::optional<StringRef> takeHeader(StringRef &bytes) {
  if (!bytes.consume_front(magic) || bytes.size() < 2)
    return std::nullopt;
  unsigned version = static_cast<unsigned char>(bytes[0]);
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (version < 1 || version > 3 || bytes.size() < 2 + lengthBytes)
    return std::nullopt;
  size_t length = lengthBytes == 2
                      ? support::endian::read16le(bytes.data() + 2)
                      : support::endian::read32le(bytes.data() + 2);
  bytes = bytes.drop_front(2 + lengthBytes);
  if (bytes.size() < length)
    return std::nullopt;
  StringRef header = bytes.take_front(length);
  bytes = bytes.drop_front(length);
  return header;
}

/// The number of elements; nothing where it passes what memory can hold.
static std::optional<int64_t> countOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    if (MulOverflow(count, extent, count))
      return std::nullopt;
  return count;
}

static Expected<NumpyArray> parse(StringRef bytes) {
  std::optional<StringRef> header = takeHeader(bytes);
  if (!header)
    return createStringError("this is not an .npy file of version 1, 2 or 3");
  NumpyArray array;
  StringRef type = valueOf(*header, "descr");
  if (!type.consume_front("'") ||
      !parseShape(valueOf(*header, "shape"), array.shape))
    return createStringError("its header cannot be read: " + header->trim());
  array.type = type.split('\'').first;
  const auto *element = find_if(elementTypes, [&](const ElementType &known) {
    return known.name == array.type;
  });
  if (element == std::end(elementTypes)) {
    std::string known;
    for (const ElementType &one : elementTypes)
      known += (known.empty() ? "" : " ") + one.name.str();
    return createStringError("elements of type '" + array.type +
                             "' are not supported; supported: " + known);
  }
  if (valueOf(*header, "fortran_order").starts_with("True") &&
      array.shape.size() > 1)
    return createStringError("the array is in column-major order; save "
                             "numpy.ascontiguousarray(array) instead");
  std::optional<int64_t> count = countOf(array.shape);
  if (!count || bytes.size() / element->bytes != uint64_t(*count) ||
      bytes.size() % element->bytes != 0)
    return createStringError("the file contains " + Twine(bytes.size()) +
                             " bytes of data, which does not match the shape");
  array.isFloat = element->real != nullptr;
  for (size_t i = 0; i < bytes.size(); i += element->bytes)
    if (array.isFloat)
      array.real.push_back(element->real(bytes.data() + i));
    else
      array.integer.push_back(element->integer(bytes.data() + i));
  return array;
}

Expected<NumpyArray> readNumpyFile(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  auto array = parse((*buffer)->getBuffer());
  if (!array)
    return createStringError("cannot read '" + path +
                             "': " + toString(array.takeError()));
  return array;
}

static StringRef typeName(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return "<f8";
  case DType::F32:
  case DType::BF16:
    return "<f4";
  case DType::F16:
    return "<f2";
  case DType::I64:
    return "<i8";
  case DType::I32:
    return "<i4";
  case DType::I8:
    return "|i1";
  case DType::U8:
    return "|u1";
  case DType::Bool:
    return "|b1";
  }
  return "";
}

static void putElement(std::string &bytes, const reference::Tensor &values,
                       size_t i, DType dtype) {
  switch (dtype) {
  case DType::F64:
    return put(bytes, values.real[i]);
  case DType::F32:
  case DType::BF16:
    return put(bytes, static_cast<float>(values.real[i]));
  case DType::F16:
    return put(bytes, toHalf(values.real[i]));
  case DType::I64:
    return put(bytes, values.integer[i]);
  case DType::I32:
    return put(bytes, static_cast<int32_t>(values.integer[i]));
  case DType::I8:
  case DType::U8:
  case DType::Bool:
    return put(bytes, static_cast<uint8_t>(values.integer[i]));
  }
}

std::string numpyBytes(const reference::Tensor &values, DType dtype) {
  std::string shape;
  for (int64_t extent : values.shape)
    shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
  if (values.shape.size() == 1)
    shape += ','; // a tuple of one
  std::string header =
      ("{'descr': '" + typeName(dtype) +
       "', 'fortran_order': False, 'shape': (" + shape + "), }")
          .str();
  // Magic number, version, length and header are a multiple of 64 bytes.
  size_t used = magic.size() + 4 + header.size() + 1;
  header.append(alignTo(used, 64) - used, ' ');
  header += '\n';
  std::string bytes = magic.str();
  bytes += std::string("\x01\x00", 2);
  put(bytes, static_cast<uint16_t>(header.size()));
  bytes += header;
  size_t count = values.real.size() + values.integer.size();
  for (size_t i = 0; i < count; ++i)
    putElement(bytes, values, i, dtype);
  return bytes;
}

} // namespace attnc
