//===- ScheduleRequest.cpp - Parse the user's schedule fields -------------===//
//
// Tests: test/Schedule/select-schedule-fields.mlir,
// select-schedule-invalid.test
//
//===----------------------------------------------------------------------===//

#include "Cpu/CpuSchedule.h"

#include "ReadFields.h"

#include "attnc/Support/Nearest.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;
using namespace attnc::schedule::cpu;

/// "sse2, avx2, ..."
static std::string listIsas() {
  std::string list;
  for (unsigned isa = 0; isa <= tile::getMaxEnumValForCpuIsa(); ++isa)
    list += (isa ? ", " : "") +
            tile::stringifyCpuIsa(static_cast<tile::CpuIsa>(isa)).str();
  return list;
}

namespace {
class RequestParser {
public:
  RequestParser(ScheduleRequest &request, std::string &error)
      : request(request), error(error) {}

  bool parseField(StringRef name, StringRef value);

private:
  bool parseScheduleField(StringRef name, StringRef value, bool &known);
  bool parseCpuField(StringRef name, StringRef value, bool &known);

  bool fail(StringRef name, StringRef value, StringRef legal) {
    error = llvm::formatv("schedule field '{0}' cannot be '{1}'; legal: {2}",
                          name, value, legal);
    return false;
  }
  bool parseNumber(StringRef name, StringRef value, std::optional<int64_t> &to,
                   int64_t least = 0) {
    int64_t number;
    if (value.getAsInteger(10, number) || number < least)
      return fail(name, value, "a number of at least " + std::to_string(least));
    to = number;
    return true;
  }
  bool parseTile(StringRef name, StringRef value,
                 std::optional<RegisterTile> &to);
  template <typename Enum>
  bool parseWord(StringRef name, StringRef value, std::optional<Enum> parsed,
                 StringRef legal, std::optional<Enum> &to) {
    if (!parsed)
      return fail(name, value, legal);
    to = parsed;
    return true;
  }

  ScheduleRequest &request;
  std::string &error;
};
} // namespace

bool RequestParser::parseTile(StringRef name, StringRef value,
                              std::optional<RegisterTile> &to) {
  StringRef inner = value;
  RegisterTile tile;
  bool hasBrackets = inner.consume_front("[") && inner.consume_back("]");
  auto [rows, vectors] = inner.split(',');
  if (!hasBrackets || rows.trim().getAsInteger(10, tile.rows) ||
      vectors.trim().getAsInteger(10, tile.vectors) || tile.rows < 1 ||
      tile.rows > 32 || tile.vectors < 1 || tile.vectors > 32)
    return fail(name, value, "[rows, vectors of queries], each from 1 to 32");
  to = tile;
  return true;
}

bool RequestParser::parseScheduleField(StringRef name, StringRef value,
                                       bool &known) {
  if (name == "q")
    return parseNumber(name, value, request.q, /*least=*/1);
  if (name == "k")
    return parseNumber(name, value, request.k, /*least=*/1);
  if (name == "chunk")
    return parseNumber(name, value, request.chunk);
  if (name == "split")
    return parseNumber(name, value, request.split);
  if (name == "form")
    return parseWord(name, value, attn::symbolizeScheduleForm(value),
                     "online, rows, chunked", request.form);
  if (name == "row_axes")
    return parseWord(name, value, attn::symbolizeRowAxes(value), "q, gq",
                     request.rowAxes);
  if (name == "rescale_in")
    return parseWord(name, value, attn::symbolizeRescalePlace(value),
                     "value, prob", request.rescaleIn);
  if (name == "rescale_threshold") {
    double number;
    if (value.getAsDouble(number) ||
        !(number >= 0 && number <= kMostRescaleThreshold))
      return fail(
          name, value,
          llvm::formatv("a number from 0 to {0}", kMostRescaleThreshold).str());
    request.rescaleThreshold = number;
    return true;
  }
  if (name == "weights") {
    if (!llvm::is_contained({"f64", "f32", "f16", "bf16"}, value))
      return fail(name, value, "f64, f32, f16, bf16");
    request.weights = value.str();
    return true;
  }
  known = false;
  return false;
}

bool RequestParser::parseCpuField(StringRef name, StringRef value,
                                  bool &known) {
  if (name == "score_granule")
    return parseTile(name, value, request.score);
  if (name == "value_granule")
    return parseTile(name, value, request.value);
  if (name == "unroll")
    return parseNumber(name, value, request.unroll, /*least=*/1);
  if (name == "tail")
    return parseNumber(name, value, request.tail);
  if (name == "partial")
    return parseNumber(name, value, request.partial, /*least=*/1);
  if (name == "lanes")
    return parseNumber(name, value, request.lanes);
  if (name == "pack")
    return parseWord(name, value, tile::symbolizeCpuPack(value),
                     "auto, always, never, transposed, keys, both",
                     request.pack);
  if (name == "isa") {
    if (!tile::symbolizeCpuIsa(value))
      return fail(name, value, listIsas());
    request.isa = value.str();
    return true;
  }
  if (name == "mapping")
    return parseWord(name, value, tile::symbolizeCpuMapping(value),
                     "rows, features", request.mapping);
  if (name == "unit")
    return parseWord(name, value, tile::symbolizeCpuUnit(value),
                     "fma, dot, matrix", request.unit);
  if (name == "feature_rows")
    return parseNumber(name, value, request.featureRows);
  if (name == "bf16_terms")
    return parseNumber(name, value, request.bf16Terms, /*least=*/1);
  if (name == "lane_skip")
    return parseWord(name, value,
                     llvm::StringSwitch<std::optional<bool>>(value)
                         .Case("true", true)
                         .Case("false", false)
                         .Default(std::nullopt),
                     "true, false", request.laneSkip);
  known = false;
  return false;
}

bool RequestParser::parseField(StringRef name, StringRef value) {
  bool known = true;
  bool parsed = parseScheduleField(name, value, known);
  if (known)
    return parsed;
  known = true;
  parsed = parseCpuField(name, value, known);
  if (known)
    return parsed;
  constexpr StringRef fields[] = {"form",
                                  "q",
                                  "k",
                                  "chunk",
                                  "split",
                                  "row_axes",
                                  "rescale_threshold",
                                  "rescale_in",
                                  "weights",
                                  "target",
                                  "isa",
                                  "mapping",
                                  "lanes",
                                  "score_granule",
                                  "value_granule",
                                  "unroll",
                                  "tail",
                                  "lane_skip",
                                  "pack",
                                  "partial",
                                  "feature_rows",
                                  "unit",
                                  "bf16_terms"};
  StringRef similar = nearest(name, fields);
  error = llvm::formatv(
      "unknown schedule field '{0}'{1}; fields are {2}", name,
      similar.empty() ? "" : " (did you mean '" + similar.str() + "'?)",
      llvm::join(ArrayRef(fields), ", "));
  return false;
}

std::optional<ScheduleRequest> ScheduleRequest::parse(StringRef text,
                                                      std::string &error) {
  ScheduleRequest request;
  RequestParser parser(request, error);
  bool isRead = readFields(text, "#tile.cpu", error,
                           [&](StringRef name, StringRef value) {
                             return parser.parseField(name, value);
                           });
  return isRead ? std::optional(request) : std::nullopt;
}
