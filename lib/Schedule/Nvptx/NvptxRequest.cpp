//===- NvptxRequest.cpp - Parse the user's schedule fields ----------------===//
//
//   q = 64, k = 64, warps = 4
//   #attn.schedule<form = online, target = #tile.nvptx<stages = 1>>
//
// Tests: test/Schedule/Nvptx/select.test
//
//===----------------------------------------------------------------------===//

#include "Nvptx/NvptxRequest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule::nvptx;

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
  for (auto [i, c] : llvm::enumerate(text)) {
    depth += StringRef("<[(").contains(c);
    depth -= StringRef(">])").contains(c);
    if (c == ',' && depth == 0)
      return i;
  }
  return text.size();
}

static bool parseFields(NvptxRequest &request, StringRef text, StringRef target,
                        std::string &error);

static bool parseField(NvptxRequest &request, StringRef name, StringRef value,
                       StringRef target, std::string &error) {
  const std::pair<StringRef, std::optional<int64_t> *> numbers[] = {
      {"q", &request.q},
      {"k", &request.k},
      {"warps", &request.warps},
      {"rows", &request.rows},
      {"stages", &request.stages}};
  auto fail = [&](StringRef legal) {
    error = llvm::formatv("schedule field '{0}' cannot be '{1}'; legal: {2}",
                          name, value, legal);
    return false;
  };
  for (auto [field, to] : numbers) {
    if (name != field)
      continue;
    int64_t number;
    if (value.getAsInteger(10, number) || number < 1)
      return fail("a number of at least 1");
    *to = number;
    return true;
  }
  const std::pair<StringRef, std::optional<bool> *> flags[] = {
      {"fast_exp", &request.fastExp}, {"shared_rows", &request.sharedRows}};
  for (auto [field, to] : flags) {
    if (name != field)
      continue;
    if (value != "true" && value != "false")
      return fail("true, false");
    *to = value == "true";
    return true;
  }
  if (name == "mapping") {
    request.mapping = tile::symbolizeNvptxMapping(value);
    if (!request.mapping || request.mapping == tile::NvptxMapping::Thread)
      return fail("fragment, warpgroup");
    return true;
  }
  const std::pair<StringRef, StringRef> fixed[] = {
      {"form", "online"}, {"arch", target}, {"rescale_in", "value"}};
  for (auto [field, legal] : fixed)
    if (name == field)
      return value == legal || fail(legal);
  double threshold;
  if (name == "rescale_threshold")
    return (!value.getAsDouble(threshold) && threshold == 0) || fail("0");
  if (name == "target")
    return parseFields(request, strip(value, "#tile.nvptx"), target, error);
  error = llvm::formatv("unknown schedule field '{0}' of backend 'nvptx'; "
                        "fields are form, q, k, target, arch, mapping, warps, "
                        "rows, stages, fast_exp, shared_rows",
                        name);
  return false;
}

static bool parseFields(NvptxRequest &request, StringRef text, StringRef target,
                        std::string &error) {
  for (text = text.trim(); !text.empty(); text = text.ltrim()) {
    size_t length = fieldLength(text);
    auto [name, value] = text.take_front(length).split('=');
    if (name.size() == length) {
      error = llvm::formatv(
          "expected 'field = value' in the schedule, got '{0}'", name.trim());
      return false;
    }
    if (!parseField(request, name.trim(), value.trim(), target, error))
      return false;
    text = text.drop_front(std::min(length + 1, text.size()));
  }
  return true;
}

std::optional<NvptxRequest>
NvptxRequest::parse(StringRef text, StringRef target, std::string &error) {
  NvptxRequest request;
  if (!parseFields(request, strip(text, "#attn.schedule"), target, error))
    return std::nullopt;
  return request;
}
