//===- NvptxRequest.cpp - Parse the user's schedule fields ----------------===//
//
//   q = 64, k = 64, warps = 4
//   #attn.schedule<form = online, target = #tile.nvptx<stages = 1>>
//
// Tests: test/Schedule/Nvptx/select.test
//
//===----------------------------------------------------------------------===//

#include "Nvptx/NvptxRequest.h"

#include "ReadFields.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule::nvptx;

static bool parseField(NvptxRequest &request, StringRef name, StringRef value,
                       StringRef target, std::string &error) {
  const std::pair<StringRef, std::optional<int64_t> *> numbers[] = {
      {"q", &request.q},         {"k", &request.k},
      {"split", &request.split}, {"warps", &request.warps},
      {"rows", &request.rows},   {"stages", &request.stages}};
  auto fail = [&](StringRef legal) {
    error = llvm::formatv("schedule field '{0}' cannot be '{1}'; legal: {2}",
                          name, value, legal);
    return false;
  };
  for (auto [field, to] : numbers) {
    if (name != field)
      continue;
    int64_t number, least = name == "split" ? 0 : 1;
    if (value.getAsInteger(10, number) || number < least)
      return fail("a number of at least " + std::to_string(least));
    *to = number;
    return true;
  }
  const std::pair<StringRef, std::optional<bool> *> flags[] = {
      {"fast_exp", &request.fastExp},   {"shared_rows", &request.sharedRows},
      {"overlap", &request.overlap},    {"producers", &request.producers},
      {"ping_pong", &request.pingPong}, {"tf32", &request.tf32}};
  for (auto [field, to] : flags) {
    if (name != field)
      continue;
    if (value != "true" && value != "false")
      return fail("true, false");
    *to = value == "true";
    return true;
  }
  if (name == "row_axes") {
    request.rowAxes = attn::symbolizeRowAxes(value);
    return request.rowAxes || fail("q, gq");
  }
  if (name == "mapping") {
    request.mapping = tile::symbolizeNvptxMapping(value);
    if (!request.mapping || request.mapping == tile::NvptxMapping::Thread)
      return fail("fragment, warpgroup");
    return true;
  }
  if (name == "loads") {
    request.loads = tile::symbolizeNvptxLoads(value);
    return request.loads || fail("async, tma");
  }
  const std::pair<StringRef, StringRef> fixed[] = {
      {"form", "online"}, {"arch", target}, {"rescale_in", "value"}};
  for (auto [field, legal] : fixed)
    if (name == field)
      return value == legal || fail(legal);
  double threshold;
  if (name == "rescale_threshold")
    return (!value.getAsDouble(threshold) && threshold == 0) || fail("0");
  error = llvm::formatv(
      "unknown schedule field '{0}' of backend 'nvptx'; "
      "fields are form, q, k, split, row_axes, target, arch, mapping, warps, "
      "rows, stages, fast_exp, shared_rows, overlap, producers, ping_pong, "
      "tf32, loads",
      name);
  return false;
}

std::optional<NvptxRequest>
NvptxRequest::parse(StringRef text, StringRef target, std::string &error) {
  NvptxRequest request;
  bool isRead = readFields(
      text, "#tile.nvptx", error, [&](StringRef name, StringRef value) {
        return parseField(request, name, value, target, error);
      });
  return isRead ? std::optional(request) : std::nullopt;
}
