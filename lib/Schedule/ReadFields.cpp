//===- ReadFields.cpp - Split the text of a schedule into fields ----------===//
//
// Tests: test/Schedule/select-schedule-fields.mlir,
// select-schedule-invalid.test
//
//===----------------------------------------------------------------------===//

#include "ReadFields.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace attnc::schedule;

/// The text between `prefix<` and the closing `>`, or `text` itself.
static StringRef strip(StringRef text, StringRef prefix) {
  text = text.trim();
  StringRef inner = text;
  if (inner.consume_front(prefix)) {
    inner = inner.ltrim();
    if (inner.consume_front("<") && inner.consume_back(">"))
      return inner.trim();
  }
  return text;
}

/// The length of the first field: up to a comma outside of brackets.
static size_t fieldLength(StringRef text) {
  int depth = 0;
  for (auto [i, c] : enumerate(text)) {
    depth += StringRef("<[(").contains(c);
    depth -= StringRef(">])").contains(c);
    if (c == ',' && depth == 0)
      return i;
  }
  return text.size();
}

namespace {
struct FieldReader {
  StringRef target;
  std::string &error;
  function_ref<bool(StringRef, StringRef)> parse;
  StringSet<> seen;

  bool readField(StringRef name, StringRef value);
  bool readAll(StringRef text);
};
} // namespace

bool FieldReader::readField(StringRef name, StringRef value) {
  if (!seen.insert(name).second) {
    error = formatv("schedule field '{0}' is given twice", name);
    return false;
  }
  if (name != "target")
    return parse(name, value);
  StringRef fields = strip(value, target);
  if (fields.starts_with("#")) {
    error = formatv("schedule field 'target' cannot be '{0}'; legal: {1}<...>",
                    value, target);
    return false;
  }
  return readAll(fields);
}

bool FieldReader::readAll(StringRef text) {
  for (text = text.trim(); !text.empty(); text = text.ltrim()) {
    size_t length = fieldLength(text);
    auto [name, value] = text.take_front(length).split('=');
    if (name.size() == length) {
      error = formatv("expected 'field = value' in the schedule, got '{0}'",
                      name.trim());
      return false;
    }
    if (!readField(name.trim(), value.trim()))
      return false;
    text = text.drop_front(std::min(length + 1, text.size()));
  }
  return true;
}

bool attnc::schedule::readFields(
    StringRef text, StringRef target, std::string &error,
    function_ref<bool(StringRef, StringRef)> parse) {
  return FieldReader{target, error, parse, {}}.readAll(
      strip(text, "#attn.schedule"));
}
