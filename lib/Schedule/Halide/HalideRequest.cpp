//===- HalideRequest.cpp - Parse the user's schedule fields ---------------===//
//
//   q = 32, k = 128, score_tile = [8, 2]
//   #attn.schedule<form = online, target = #halide.schedule<lanes = 16>>
//
// Tests: test/Schedule/Halide/select.test
//
//===----------------------------------------------------------------------===//

#include "Halide/HalideRequest.h"

#include "ReadFields.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule::halide;

namespace {
class Parser {
public:
  Parser(HalideRequest &request, TargetKind kind, std::string &error)
      : request(request), isDevice(kind == TargetKind::Device), error(error) {}
  bool parseField(StringRef name, StringRef value);

private:
  bool parseDeviceField(StringRef name, StringRef value);
  bool fail(StringRef name, StringRef value, StringRef legal) {
    error = llvm::formatv("schedule field '{0}' cannot be '{1}'; legal: {2}",
                          name, value, legal);
    return false;
  }
  bool parseNumber(StringRef name, StringRef value, std::optional<int64_t> &to);
  /// `legal` says what the two numbers, of at most `most`, are.
  bool parsePair(StringRef name, StringRef value, int64_t most, StringRef legal,
                 std::optional<RegisterTile> &to);
  bool parseTile(StringRef name, StringRef value,
                 std::optional<RegisterTile> &to) {
    return parsePair(name, value, 32,
                     "[rows, vectors of queries], or where lanes are features "
                     "[keys or vectors, queries], each from 1 to 32",
                     to);
  }
  bool parseForm(StringRef value);
  /// One of `legal`.
  template <typename T>
  bool parseWord(StringRef name, StringRef value, std::optional<T> word,
                 StringRef legal, std::optional<T> &to) {
    to = word;
    return word || fail(name, value, legal);
  }

  HalideRequest &request;
  bool isDevice;
  std::string &error;
};
} // namespace

bool Parser::parseNumber(StringRef name, StringRef value,
                         std::optional<int64_t> &to) {
  int64_t number;
  if (value.getAsInteger(10, number) || number < 1)
    return fail(name, value, "a number of at least 1");
  to = number;
  return true;
}

bool Parser::parsePair(StringRef name, StringRef value, int64_t most,
                       StringRef legal, std::optional<RegisterTile> &to) {
  RegisterTile tile;
  StringRef numbers = value;
  bool hasBrackets = numbers.consume_front("[") && numbers.consume_back("]");
  auto [rows, vectors] = numbers.split(',');
  if (!hasBrackets || rows.trim().getAsInteger(10, tile.rows) ||
      vectors.trim().getAsInteger(10, tile.vectors) || tile.rows < 1 ||
      tile.rows > most || tile.vectors < 1 || tile.vectors > most)
    return fail(name, value, legal);
  to = tile;
  return true;
}

/// The fields of #halide.gpu_schedule.
bool Parser::parseDeviceField(StringRef name, StringRef value) {
  if (name == "group")
    return parsePair(name, value, 1024,
                     "[queries, threads per query], each from 1 to 1024",
                     request.group);
  if (name == "keys")
    return parseNumber(name, value, request.keys);
  if (name == "features")
    return parseNumber(name, value, request.features);
  if (name == "shared") {
    StringRef list = value;
    if (!list.consume_front("[") || !list.consume_back("]"))
      return fail(name, value, "a list of scores, weights, values, state");
    request.shared.emplace();
    for (StringRef one : llvm::split(list, ','))
      if (!one.trim().empty())
        request.shared->push_back(one.trim().str());
    return true;
  }
  error = llvm::formatv("unknown schedule field '{0}' of backend 'halide' on a "
                        "device; fields are form, q, k, chunk, split, target, "
                        "group, keys, features, shared",
                        name);
  return false;
}

bool Parser::parseForm(StringRef value) {
  request.form = attn::symbolizeScheduleForm(value);
  bool isKnown =
      request.form && (!isDevice || request.form != attn::ScheduleForm::Rows);
  return isKnown ||
         fail("form", value,
              isDevice ? "online, chunked" : "online, rows, chunked");
}

bool Parser::parseField(StringRef name, StringRef value) {
  if (name == "form")
    return parseForm(value);
  if (name == "q")
    return parseNumber(name, value, request.q);
  if (name == "k")
    return parseNumber(name, value, request.k);
  if (name == "chunk")
    return parseNumber(name, value, request.chunk);
  if (name == "split")
    return value.trim() == "0" ? (request.split = 0, true)
                               : parseNumber(name, value, request.split);
  if (!isDevice && name == "lanes")
    return parseNumber(name, value, request.lanes);
  if (!isDevice && name == "score_tile")
    return parseTile(name, value, request.score);
  if (!isDevice && name == "value_tile")
    return parseTile(name, value, request.value);
  if (!isDevice && name == "row_axes")
    return parseWord(name, value, attn::symbolizeRowAxes(value), "q, gq",
                     request.rowAxes);
  if (!isDevice && name == "mapping")
    return parseWord(name, value, ::attnc::halide::symbolizeMapping(value),
                     "rows, features", request.mapping);
  if (name == "rescale_threshold")
    return value.trim() == "0" || value.trim() == "0.000000e+00" ||
           fail(name, value, "0");
  if (name == "rescale_in")
    return value == "value" || fail(name, value, "value");
  if (isDevice)
    return parseDeviceField(name, value);
  error = llvm::formatv("unknown schedule field '{0}' of backend 'halide'; "
                        "fields are form, q, k, chunk, split, row_axes, "
                        "target, lanes, score_tile, value_tile, mapping",
                        name);
  return false;
}

std::optional<HalideRequest>
HalideRequest::parse(StringRef text, TargetKind kind, std::string &error) {
  HalideRequest request;
  Parser parser(request, kind, error);
  StringRef target =
      kind == TargetKind::Device ? "#halide.gpu_schedule" : "#halide.schedule";
  bool isRead =
      readFields(text, target, error, [&](StringRef name, StringRef value) {
        return parser.parseField(name, value);
      });
  return isRead ? std::optional(request) : std::nullopt;
}
