//===- TileAssembly.cpp - How tile ops are read and printed ---------------===//
//
// The directives of the assembly formats, and the ops whose headers declare
// block arguments (program, grid, for).
// Tests: test/Dialect/Tile/ops.mlir
//
//===----------------------------------------------------------------------===//

#include "TileAssembly.h"

using namespace mlir;

namespace attnc::tile {

static ParseResult parseNamed(OpAsmParser &parser, StringRef keyword,
                              ArrayAttr &dims, Operands &values) {
  SmallVector<Attribute> names;
  auto entry = [&]() -> ParseResult {
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual() ||
        parser.parseOperand(values.emplace_back()))
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword(keyword)) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, entry))
    return failure();
  dims = parser.getBuilder().getArrayAttr(names);
  return success();
}

static void printNamed(OpAsmPrinter &printer, StringRef keyword, ArrayAttr dims,
                       OperandRange values) {
  if (dims.empty())
    return;
  printer << ' ' << keyword << '(';
  llvm::interleaveComma(llvm::zip(dims, values), printer, [&](auto entry) {
    printer << cast<StringAttr>(std::get<0>(entry)).getValue() << " = "
            << std::get<1>(entry);
  });
  printer << ')';
}

ParseResult parseAt(OpAsmParser &parser, ArrayAttr &dims, Operands &values) {
  return parseNamed(parser, "at", dims, values);
}

void printAt(OpAsmPrinter &printer, Operation *, ArrayAttr dims,
             OperandRange values) {
  printNamed(printer, "at", dims, values);
}

ParseResult parseValid(OpAsmParser &parser, ArrayAttr &dims, Operands &values) {
  return parseNamed(parser, "valid", dims, values);
}

void printValid(OpAsmPrinter &printer, Operation *, ArrayAttr dims,
                OperandRange values) {
  printNamed(printer, "valid", dims, values);
}

ParseResult parseDim(OpAsmParser &parser, StringAttr &dim) {
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  dim = parser.getBuilder().getStringAttr(name);
  return success();
}

void printDim(OpAsmPrinter &printer, Operation *, StringAttr dim) {
  printer << dim.getValue();
}

ParseResult parseKind(OpAsmParser &parser, ReduceKindAttr &kind) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<ReduceKind> known = symbolizeReduceKind(name);
  if (!known)
    return parser.emitError(loc) << "expected max or add, got '" << name << "'";
  kind = ReduceKindAttr::get(parser.getContext(), *known);
  return success();
}

void printKind(OpAsmPrinter &printer, Operation *, ReduceKindAttr kind) {
  printer << stringifyReduceKind(kind.getValue());
}

ParseResult parseReal(OpAsmParser &parser, FloatAttr &value) {
  Builder &builder = parser.getBuilder();
  bool negative = succeeded(parser.parseOptionalMinus());
  APFloat number(0.0);
  if (succeeded(parser.parseOptionalKeyword("inf")))
    number = APFloat::getInf(APFloat::IEEEdouble());
  else if (succeeded(parser.parseOptionalKeyword("nan")))
    number = APFloat::getNaN(APFloat::IEEEdouble());
  else if (parser.parseFloat(APFloat::IEEEdouble(), number))
    return failure();
  if (negative)
    number.changeSign();
  value = FloatAttr::get(builder.getF64Type(), number);
  return success();
}

void printReal(OpAsmPrinter &printer, Operation *, FloatAttr value) {
  const APFloat &number = value.getValue();
  if (number.isFinite()) {
    printer.printAttributeWithoutType(value);
    return;
  }
  if (number.isNegative())
    printer << '-';
  printer << (number.isNaN() ? "nan" : "inf");
}

ParseResult parseSameType(OpAsmParser &parser, Type &first, Type &second) {
  if (parser.parseType(first))
    return failure();
  second = first;
  return success();
}

void printSameType(OpAsmPrinter &printer, Operation *, Type first, Type) {
  printer << first;
}

ParseResult parseDotTypes(OpAsmParser &parser,
                          std::optional<OpAsmParser::UnresolvedOperand> acc,
                          Type &lhs, Type &rhs, Type &accType, Type &result) {
  if (parser.parseLParen() || parser.parseType(lhs) || parser.parseComma() ||
      parser.parseType(rhs) || parser.parseRParen() || parser.parseArrow() ||
      parser.parseType(result))
    return failure();
  if (acc)
    accType = result;
  return success();
}

void printDotTypes(OpAsmPrinter &printer, Operation *, Value, Type lhs,
                   Type rhs, Type, Type result) {
  printer << '(' << lhs << ", " << rhs << ") -> " << result;
}

ParseResult parseIntegers(AsmParser &parser, SmallVector<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
    return parser.parseInteger(values.emplace_back());
  });
}

void printIntegers(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

//===----------------------------------------------------------------------===//
// tile.program
//===----------------------------------------------------------------------===//

/// The names of arguments as written, without `%`: they come back when the op
/// is printed, so that a dump keeps the words of the spec.
static ArrayAttr namesOf(Builder &builder,
                         ArrayRef<OpAsmParser::Argument> arguments) {
  SmallVector<StringRef> names;
  for (const OpAsmParser::Argument &argument : arguments)
    names.push_back(argument.ssaName.name.drop_front());
  return builder.getStrArrayAttr(names);
}

static void printArguments(OpAsmPrinter &printer, Block &block, bool types) {
  printer << '(';
  llvm::interleaveComma(block.getArguments(), printer, [&](Value argument) {
    if (types)
      printer.printRegionArgument(cast<BlockArgument>(argument));
    else
      printer.printOperand(argument);
  });
  printer << ')';
}

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  TargetAttrInterface target;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseKeyword("target") || parseTarget(parser, target) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addAttribute(getTargetAttrName(result.name), target);
  result.addAttribute(getArgNamesAttrName(result.name),
                      namesOf(parser.getBuilder(), arguments));
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void ProgramOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printArguments(printer, getBody().front(), /*types=*/true);
  printer << " target " << getTarget();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getTargetAttrName(), getArgNamesAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// tile.grid
//===----------------------------------------------------------------------===//

ParseResult GridOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Type index = builder.getIndexType();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> extents;
  if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren) ||
      parser.parseKeyword("to") ||
      parser.parseOperandList(extents, AsmParser::Delimiter::Paren) ||
      parser.resolveOperands(extents, index, result.operands))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("order"))) {
    int64_t axis;
    if (parser.parseLParen() || parser.parseKeyword("desc") ||
        parser.parseInteger(axis) || parser.parseRParen())
      return failure();
    result.addAttribute(getDescendingAttrName(result.name),
                        builder.getI64IntegerAttr(axis));
  }
  if (succeeded(parser.parseOptionalKeyword("target"))) {
    TargetAttrInterface target;
    if (parseTarget(parser, target))
      return failure();
    result.addAttribute(getTargetAttrName(result.name), target);
  }
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = index;
  result.addAttribute(getArgNamesAttrName(result.name),
                      namesOf(builder, arguments));
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty()) {
    body->emplaceBlock();
    for (OpAsmParser::Argument &argument : arguments)
      body->front().addArgument(argument.type, builder.getUnknownLoc());
  }
  return success();
}

void GridOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printArguments(printer, getBody().front(), /*types=*/false);
  printer << " to (" << getExtents() << ')';
  if (std::optional<uint64_t> axis = getDescending())
    printer << " order(desc " << *axis << ')';
  if (std::optional<TargetAttrInterface> target = getTarget())
    printer << " target " << *target;
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getDescendingAttrName(), getTargetAttrName(), getArgNamesAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// tile.for
//===----------------------------------------------------------------------===//

/// `[(%a, %b, %c, %d), ...]`
static ParseResult parseSegments(OpAsmParser &parser, Operands &bounds) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        SMLoc loc = parser.getCurrentLocation();
        size_t before = bounds.size();
        if (parser.parseOperandList(bounds, AsmParser::Delimiter::Paren))
          return failure();
        if (bounds.size() - before != 4)
          return parser.emitError(loc)
                 << "a segment has 4 bounds (any_lo, all_lo, all_hi, any_hi), "
                    "got "
                 << bounds.size() - before;
        return success();
      });
}

/// `iter(%a = %a0, ...) -> (types)`, when there.
static ParseResult
parseCarried(OpAsmParser &parser,
             SmallVectorImpl<OpAsmParser::Argument> &arguments, Operands &inits,
             SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalKeyword("iter")))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  auto entry = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(inits.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, entry) ||
      parser.parseArrow() || parser.parseLParen() ||
      parser.parseTypeList(types) || parser.parseRParen())
    return failure();
  if (types.size() != inits.size())
    return parser.emitError(loc) << inits.size() << " carried values, but "
                                 << types.size() << " types";
  return success();
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> bounds, within, inits;
  SmallVector<Type> types;
  int64_t step, partialStep;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren))
    return failure();
  if (arguments.size() != kNumLoopArgs)
    return parser.emitError(loc) << "a loop declares (%start, %count, "
                                    "%partial), got "
                                 << arguments.size() << " names";
  SMLoc initsLoc = parser.getCurrentLocation();
  if (parser.parseKeyword("in") || parseSegments(parser, bounds) ||
      (succeeded(parser.parseOptionalKeyword("within")) &&
       parser.parseOperandList(within, OpAsmParser::Delimiter::Paren)) ||
      parser.parseKeyword("step") || parser.parseInteger(step) ||
      parser.parseKeyword("partial_step") || parser.parseInteger(partialStep) ||
      parseCarried(parser, arguments, inits, types) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.resolveOperands(bounds, builder.getIndexType(), result.operands) ||
      parser.resolveOperands(within, builder.getIndexType(), result.operands) ||
      parser.resolveOperands(inits, types, initsLoc, result.operands))
    return failure();

  SmallVector<Type> argumentTypes{builder.getIndexType(),
                                  builder.getIndexType(), builder.getI1Type()};
  llvm::append_range(argumentTypes, types);
  for (auto [argument, type] : llvm::zip_equal(arguments, argumentTypes))
    argument.type = type;
  auto &properties = result.getOrAddProperties<Properties>();
  properties.step = builder.getI64IntegerAttr(step);
  properties.partial_step = builder.getI64IntegerAttr(partialStep);
  properties.operandSegmentSizes = {static_cast<int32_t>(bounds.size()),
                                    static_cast<int32_t>(within.size()),
                                    static_cast<int32_t>(inits.size())};
  result.addTypes(types);
  Region *body = result.addRegion(), *classify = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (failed(parser.parseOptionalKeyword("classify")))
    return success();
  arguments.clear();
  loc = parser.getCurrentLocation();
  if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren))
    return failure();
  if (arguments.size() != 2)
    return parser.emitError(loc) << "classify declares (%first, %end), got "
                                 << arguments.size() << " names";
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = builder.getIndexType();
  return parser.parseRegion(*classify, arguments);
}

void ForOp::print(OpAsmPrinter &printer) {
  Block &block = getBody().front();
  printer << " (" << getKeyStart() << ", " << getKeyCount() << ", "
          << getPartial() << ") in [";
  for (unsigned i = 0; i < getNumSegments(); ++i) {
    printer << (i ? ", (" : "(");
    llvm::interleaveComma(getSegment(i), printer);
    printer << ')';
  }
  printer << "]";
  if (!getWithin().empty())
    printer << " within (" << getWithin() << ")";
  printer << " step " << getStep() << " partial_step " << getPartialStep();
  if (!getInits().empty()) {
    printer << " iter(";
    llvm::interleaveComma(
        llvm::zip(block.getArguments().drop_front(kNumLoopArgs), getInits()),
        printer, [&](auto pair) {
          printer << std::get<0>(pair) << " = " << std::get<1>(pair);
        });
    printer << ") -> (" << getInits().getTypes() << ')';
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getStepAttrName(), getPartialStepAttrName(),
                            getOperandSegmentSizesAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  if (!hasClassify())
    return;
  printer << " classify (";
  llvm::interleaveComma(getClassify().getArguments(), printer);
  printer << ") ";
  printer.printRegion(getClassify(), /*printEntryBlockArgs=*/false);
}

} // namespace attnc::tile
