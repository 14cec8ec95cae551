//===- HalideDialect.cpp - Decisions of the Halide backend ----------------===//
//
// Tests: test/Dialect/Halide/schedule.mlir, schedule-invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Halide/Halide.h"

#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attnc::halide;

/// `[8, 2]`
static ParseResult parseTile(AsmParser &parser, SmallVector<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
    return parser.parseInteger(values.emplace_back());
  });
}

static void printTile(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

/// `[scores, weights]`
static ParseResult parseNames(AsmParser &parser,
                              SmallVector<StringAttr> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    values.push_back(StringAttr::get(parser.getContext(), name));
    return success();
  });
}

static void printNames(AsmPrinter &printer, ArrayRef<StringAttr> values) {
  printer << '[';
  llvm::interleaveComma(values, printer,
                        [&](StringAttr name) { printer << name.getValue(); });
  printer << ']';
}

#include "attnc/Dialect/Halide/HalideDialect.cpp.inc"
#include "attnc/Dialect/Halide/HalideEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "attnc/Dialect/Halide/HalideAttrs.cpp.inc"

LogicalResult
ScheduleAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                     int64_t lanes, ArrayRef<int64_t> scoreTile,
                     ArrayRef<int64_t> valueTile, Mapping mapping) {
  if (lanes < 1 || lanes > 64 || !llvm::isPowerOf2_64(lanes)) // c1
    return emitError() << "lanes = " << lanes
                       << " is not a power of two up to 64";
  for (auto [name, tile] :
       {std::pair("score_tile", scoreTile), {"value_tile", valueTile}})
    if (tile.size() != 2 || // c2
        llvm::any_of(tile, [](int64_t n) { return n < 1 || n > 32; }))
      return emitError() << name << " is not two numbers from 1 to 32";
  if (mapping == Mapping::Features && // c3
      !llvm::isPowerOf2_64(uint64_t(scoreTile[0])))
    return emitError() << "score_tile has " << scoreTile[0]
                       << " keys; with mapping = features they must be a "
                          "power of two";
  return success();
}

ArrayRef<StringLiteral> GpuScheduleAttr::getArrays() {
  static constexpr StringLiteral names[] = {"scores", "weights", "values",
                                            "state"};
  return names;
}

bool GpuScheduleAttr::hasShared(StringRef array) const {
  return llvm::any_of(
      getShared(), [&](StringAttr name) { return name.getValue() == array; });
}

LogicalResult
GpuScheduleAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                        ArrayRef<int64_t> group, int64_t keys, int64_t features,
                        ArrayRef<StringAttr> shared) {
  if (group.size() != 2 || group[0] < 1 || group[1] < 1 || // c1
      group[0] > 1024 || group[1] > 1024 || group[0] * group[1] > 1024)
    return emitError() << "group is not two numbers with a product of at most "
                          "1024";
  for (auto [name, number] : {std::pair("keys", keys), {"features", features}})
    if (number < 1 || number > 32) // c2
      return emitError() << name << " = " << number << " is not within 1 .. 32";
  for (auto [i, name] : llvm::enumerate(shared)) // c3
    if (!llvm::is_contained(getArrays(), name.getValue()) ||
        llvm::is_contained(shared.take_front(i), name))
      return emitError() << "shared is not a list of different names of "
                            "scores, weights, values, state";
  return success();
}

void HalideDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "attnc/Dialect/Halide/HalideAttrs.cpp.inc"
      >();
}
