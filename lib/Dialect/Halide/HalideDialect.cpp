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

#include "attnc/Dialect/Halide/HalideDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "attnc/Dialect/Halide/HalideAttrs.cpp.inc"

LogicalResult
ScheduleAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                     int64_t lanes, ArrayRef<int64_t> scoreTile,
                     ArrayRef<int64_t> valueTile) {
  if (lanes < 1 || lanes > 64 || !llvm::isPowerOf2_64(lanes)) // c1
    return emitError() << "lanes = " << lanes
                       << " is not a power of two up to 64";
  for (auto [name, tile] :
       {std::pair("score_tile", scoreTile), {"value_tile", valueTile}})
    if (tile.size() != 2 || // c2
        llvm::any_of(tile, [](int64_t n) { return n < 1 || n > 32; }))
      return emitError() << name << " is not two numbers from 1 to 32";
  return success();
}

void HalideDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "attnc/Dialect/Halide/HalideAttrs.cpp.inc"
      >();
}
