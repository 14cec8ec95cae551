//===- ForeignFiles.cpp - Files of other tools given as a spec ------------===//

#include "Yaml/ForeignFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace attnc::spec {

static constexpr StringLiteral aboutSpecs =
    "a spec is a YAML file; a minimal one has three lines: "
    "attnc: 1, heads: 12, head_dim: 64";

/// A header of `size` bytes in JSON, then the tensors.
static bool isSafetensors(StringRef text) {
  constexpr uint64_t mostBytes = 100'000'000; // the format's own limit
  return text.size() > 9 && text.substr(8).starts_with("{\"") &&
         support::endian::read64le(text.data()) <= mostBytes;
}

/// A ModelProto begins with the small number of its IR version (field 1), then
/// comes the producer (2), its version (3), the graph (7) or the opsets (8).
static bool isOnnx(StringRef text) {
  return text.size() > 2 && text[0] == 0x08 && text[1] > 0 && text[1] < 64 &&
         StringRef("\x12\x1a\x3a\x42").contains(text[2]);
}

/// Whether a quarter of the bytes is of no text; a few may be a slip in a spec,
/// and are reported where they are.
static bool isBinary(StringRef text) {
  text = text.take_front(4096);
  auto isOfNoText = [](char c) {
    return c == '\0' || static_cast<unsigned char>(c) >= 0x80;
  };
  return text.contains('\0') &&
         4 * count_if(text, isOfNoText) >= int64_t(text.size());
}

/// The name of a binary format, or nothing.
static StringRef binaryFormat(StringRef text) {
  static constexpr std::pair<StringLiteral, StringLiteral> magics[] = {
      {"GGUF", "a GGUF checkpoint"},
      {"PK\x03\x04", "a ZIP archive, such as a PyTorch checkpoint"},
      {"\x89HDF\r\n", "an HDF5 file"},
      {"\x93NUMPY", "a NumPy array"},
      {"\x7f"
       "ELF",
       "an object file"},
      {"!<arch>", "an archive of object files"},
      {"\x1f\x8b", "a gzip archive"},
      {"\x80\x02", "a Python pickle"},
      {"\x80\x04", "a Python pickle"},
      {"ML\xefR", "MLIR bytecode"},
      {"BC\xc0\xde", "LLVM bitcode"}};
  for (auto &[magic, format] : magics)
    if (text.starts_with(magic))
      return format;
  if (isSafetensors(text))
    return "a safetensors checkpoint";
  if (isOnnx(text))
    return "an ONNX model";
  return isBinary(text) ? "a binary file" : "";
}

/// The first keys of a spec with the sizes of a Hugging Face config; empty for
/// another file.
static std::string keysOfConfig(const json::Object &config) {
  auto number = [&](std::initializer_list<StringRef> names) -> int64_t {
    for (StringRef name : names)
      if (std::optional<int64_t> value = config.getInteger(name);
          value && *value > 0)
        return *value;
    return 0;
  };
  int64_t heads = number({"num_attention_heads", "n_head", "n_heads",
                          "num_heads", "decoder_attention_heads"});
  int64_t kvHeads = number({"num_key_value_heads", "num_kv_heads"});
  int64_t width = number({"hidden_size", "n_embd", "d_model"});
  int64_t features = number({"head_dim", "d_kv"});
  if (!heads || (!features && width % heads))
    return "";
  if (!features)
    features = width / heads;
  if (!features)
    return "";
  std::string keys = "attnc: 1, heads: " + std::to_string(heads);
  if (kvHeads && kvHeads != heads && heads % kvHeads == 0)
    keys += ", kv_heads: " + std::to_string(kvHeads);
  return keys + ", head_dim: " + std::to_string(features);
}

static bool isModelConfig(const json::Object &object) {
  static constexpr StringLiteral keys[] = {"model_type", "architectures",
                                           "transformers_version",
                                           "num_attention_heads", "n_head"};
  return any_of(keys, [&](StringRef key) { return object.get(key); });
}

static bool reportJson(StringRef text, Report &report) {
  StringRef content = text.ltrim();
  bool isObject =
      content.consume_front("{") &&
      (content.ltrim().starts_with("\"") || content.ltrim().starts_with("}"));
  if (!isObject)
    return false;
  Expected<json::Value> parsed = json::parse(text);
  if (!parsed) {
    consumeError(parsed.takeError());
    return false;
  }
  const json::Object &object = *parsed->getAsObject();
  if (object.get("attnc")) // YAML reads JSON, too
    return false;
  bool isConfig = isModelConfig(object);
  const char *open = text.begin() + text.find('{');
  SMLoc place = SMLoc::getFromPointer(open);
  auto &error =
      report.error(Message::NotASpec, {place, place},
                   {isConfig ? "a Hugging Face config.json" : "a JSON file"});
  std::string keys = isConfig ? keysOfConfig(object) : "";
  if (keys.empty())
    error.note(aboutSpecs);
  else
    error.note("a spec of this model's attention begins with " + keys);
  if (isConfig)
    error.note("docs/from-pytorch.md shows how to write rope, windows and "
               "scales");
  return true;
}

bool reportForeignFile(StringRef text, Report &report) {
  StringRef format = binaryFormat(text);
  if (format.empty())
    return reportJson(text, report);
  report.error(Message::NotASpec, SMRange(), {format.str()}).note(aboutSpecs);
  return true;
}

} // namespace attnc::spec
