//===- AttnAttrs.cpp - Attributes of the attn dialect ---------------------===//
//
// Numbers of constraints: AttnAttrs.td.
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Attn/Attn.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attnc::attn;

#include "attnc/Dialect/Attn/AttnEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "attnc/Dialect/Attn/AttnAttrs.cpp.inc"

// Here, because the list of classes is seen whole only in this file.
void AttnDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "attnc/Dialect/Attn/AttnAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// #attn.dims<batch, 12, query_len, 64>
//===----------------------------------------------------------------------===//

static ParseResult parseSize(AsmParser &parser,
                             SmallVectorImpl<Attribute> &sizes) {
  int64_t number;
  OptionalParseResult parsed = parser.parseOptionalInteger(number);
  if (parsed.has_value()) {
    if (failed(*parsed))
      return failure();
    sizes.push_back(parser.getBuilder().getI64IntegerAttr(number));
    return success();
  }
  std::string name;
  if (failed(parser.parseOptionalKeywordOrString(&name)))
    return parser.emitError(parser.getCurrentLocation(),
                            "expected a size: a number, a name or an "
                            "expression in quotes");
  sizes.push_back(parser.getBuilder().getStringAttr(name));
  return success();
}

Attribute DimsAttr::parse(AsmParser &parser, Type) {
  SmallVector<Attribute> sizes;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     [&] { return parseSize(parser, sizes); }))
    return {};
  return DimsAttr::getChecked([&] { return parser.emitError(loc); },
                              parser.getContext(), sizes);
}

void DimsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getSizes(), printer, [&](Attribute size) {
    if (auto name = dyn_cast<StringAttr>(size))
      printer.printKeywordOrString(name.getValue());
    else
      printer << cast<IntegerAttr>(size).getInt();
  });
  printer << '>';
}

LogicalResult DimsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<Attribute> sizes) {
  for (Attribute size : sizes) { // dims_c1
    auto name = dyn_cast_if_present<StringAttr>(size);
    auto number = dyn_cast_if_present<IntegerAttr>(size);
    if (!(name && !name.empty()) && !(number && number.getType().isInteger(64)))
      return emitError() << "a size is a number, a name or an expression, got "
                         << size;
    if (number && number.getInt() < 0)
      return emitError() << "size " << number.getInt() << " is negative";
  }
  return success();
}

LogicalResult
DimsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                         function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getSizes().size()) // dims_c2
    return emitError() << "dims has " << getSizes().size()
                       << " sizes, the tensor has " << shape.size() << " axes";
  for (auto [extent, size] : llvm::zip(shape, getSizes())) { // dims_c3
    auto number = dyn_cast<IntegerAttr>(size);
    if (number && !ShapedType::isDynamic(extent) && number.getInt() != extent)
      return emitError() << "size " << number.getInt()
                         << " does not match the static extent " << extent;
  }
  return success();
}

StringRef DimsAttr::getName(unsigned axis) const {
  auto name = dyn_cast<StringAttr>(getSizes()[axis]);
  return name ? name.getValue() : StringRef();
}

DimsAttr DimsAttr::of(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_if_present<DimsAttr>(tensor.getEncoding())
                : DimsAttr();
}

//===----------------------------------------------------------------------===//
// #attn.norm
//===----------------------------------------------------------------------===//

NormAttr NormAttr::softmax(MLIRContext *context, NormWeight weight) {
  return get(context, NormShift::Max, weight, NormDivide::Sum);
}

LogicalResult NormAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               NormShift shift, NormWeight weight,
                               NormDivide divide) {
  if (shift == NormShift::Max &&
      (weight == NormWeight::Identity || divide == NormDivide::None)) // norm_c1
    return emitError() << "shift = max needs weight = exp or exp2 and "
                          "divide = sum, got weight = "
                       << stringifyNormWeight(weight)
                       << " and divide = " << stringifyNormDivide(divide);
  return success();
}

//===----------------------------------------------------------------------===//
// #attn.row, #attn.dense
//===----------------------------------------------------------------------===//

LogicalResult RowAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              RowKind kind, int64_t n) {
  if ((kind == RowKind::Rank) != (n != 0) || n < 0) // row_c1
    return emitError() << "'" << stringifyRowKind(kind) << "' with n = " << n
                       << "; rank needs n of at least 1, the others have none";
  return success();
}

Attribute DenseAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  double fill = 0;
  if (parser.parseLess() || parser.parseKeyword("fill") || parser.parseEqual())
    return {};
  // parseFloat() reads no "inf".
  bool isNegative = succeeded(parser.parseOptionalMinus());
  if (succeeded(parser.parseOptionalKeyword("inf")))
    fill = std::numeric_limits<double>::infinity();
  else if (parser.parseFloat(fill))
    return {};
  if (parser.parseGreater())
    return {};
  if (isNegative)
    fill = -fill;
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    llvm::APFloat(fill));
}

void DenseAttr::print(AsmPrinter &printer) const {
  printer << "<fill = ";
  if (getFill().isInfinity())
    printer << "-inf";
  else
    printer.printFloat(getFill());
  printer << '>';
}

LogicalResult DenseAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                llvm::APFloat fill) {
  bool isMinusInfinity = fill.isInfinity() && fill.isNegative();
  if (!fill.isFinite() && !isMinusInfinity) // dense_c1
    return emitError() << "fill must be finite or -inf";
  return success();
}

//===----------------------------------------------------------------------===//
// #attn.schedule
//===----------------------------------------------------------------------===//

template <typename Enum>
static ParseResult parseField(AsmParser &parser, StringRef name, Enum &value) {
  if (parser.parseKeyword(name) || parser.parseEqual())
    return failure();
  FailureOr<Enum> parsed = FieldParser<Enum>::parse(parser);
  if (failed(parsed))
    return failure();
  value = *parsed;
  return success();
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  ScheduleForm form = ScheduleForm::Online;
  RescalePlace rescaleIn = RescalePlace::Value;
  int64_t q = 0, k = 0, chunk = 0, split = 0;
  RowAxes rowAxes = RowAxes::Q;
  double threshold = 0;
  Type weights;
  tile::TargetAttrInterface target;
  if (parser.parseLess() || parseField(parser, "form", form) ||
      parser.parseComma() || parseField(parser, "q", q) ||
      parser.parseComma() || parseField(parser, "k", k) || parser.parseComma())
    return {};
  if (succeeded(parser.parseOptionalKeyword("chunk")) &&
      (parser.parseEqual() || parser.parseInteger(chunk) ||
       parser.parseComma()))
    return {};
  if (succeeded(parser.parseOptionalKeyword("split")) &&
      (parser.parseEqual() || parser.parseInteger(split) ||
       parser.parseComma()))
    return {};
  if (succeeded(parser.parseOptionalKeyword("row_axes"))) {
    FailureOr<RowAxes> axes = failure();
    if (parser.parseEqual() ||
        failed(axes = FieldParser<RowAxes>::parse(parser)) ||
        parser.parseComma())
      return {};
    rowAxes = *axes;
  }
  if (parser.parseKeyword("rescale_threshold") || parser.parseEqual() ||
      parser.parseFloat(threshold) || parser.parseComma() ||
      parseField(parser, "rescale_in", rescaleIn) || parser.parseComma())
    return {};
  if (succeeded(parser.parseOptionalKeyword("weights")) &&
      (parser.parseEqual() || parser.parseType(weights) || parser.parseComma()))
    return {};
  if (parser.parseKeyword("target") || parser.parseEqual() ||
      parseTarget(parser, target) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    form, q, k, chunk, split, rowAxes, llvm::APFloat(threshold),
                    rescaleIn, weights, target);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<form = " << stringifyScheduleForm(getForm())
          << ", q = " << getQ() << ", k = " << getK();
  if (getChunk())
    printer << ", chunk = " << getChunk();
  if (getSplit())
    printer << ", split = " << getSplit();
  if (getRowAxes() != RowAxes::Q)
    printer << ", row_axes = " << stringifyRowAxes(getRowAxes());
  printer << ", rescale_threshold = ";
  printer.printFloat(getRescaleThreshold());
  printer << ", rescale_in = " << stringifyRescalePlace(getRescaleIn());
  if (getWeights())
    printer << ", weights = " << getWeights();
  printer << ", target = " << getTarget() << '>';
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ScheduleForm form, int64_t q, int64_t k,
                                   int64_t chunk, int64_t split, RowAxes,
                                   llvm::APFloat rescaleThreshold, RescalePlace,
                                   Type weights,
                                   tile::TargetAttrInterface target) {
  if (q < 1 || k < 1) // schedule_c1
    return emitError() << "a tile has at least one row and one key, got q = "
                       << q << ", k = " << k;
  bool isChunked = form == ScheduleForm::Chunked;
  if (isChunked ? chunk < 1 : chunk != 0) // schedule_c3
    return emitError() << "form = " << stringifyScheduleForm(form)
                       << (isChunked ? " needs chunk, at least 1"
                                     : " has no chunk")
                       << ", got chunk = " << chunk;
  if (split < 0 || (split != 0 && form != ScheduleForm::Online)) // schedule_c6
    return emitError() << "split = " << split
                       << " must be at least 0, and 0 unless form = online";
  if (!rescaleThreshold.isFinite() || rescaleThreshold.isNegative())
    // schedule_c2
    return emitError() << "rescale_threshold must be finite and at least 0";
  if (weights && !isa<Float64Type, Float32Type, Float16Type, BFloat16Type>(
                     weights)) // schedule_c5
    return emitError() << "weights must be f64, f32, f16 or bf16, got "
                       << weights;
  if (!target)
    return emitError() << "a schedule needs a target";
  return success();
}

//===----------------------------------------------------------------------===//
// #attn.block
//===----------------------------------------------------------------------===//

LogicalResult BlockAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                BlockForm, StringRef lanes, StringRef rows,
                                int64_t q, int64_t k, int64_t e,
                                StringRef inner, StringRef visited,
                                tile::TargetAttrInterface) {
  if (lanes.size() > 1 || rows.size() > 1 ||
      (!rows.empty() && lanes == rows)) // block_c1
    return emitError() << "lanes and rows are different letters, or none; got '"
                       << lanes << "' and '" << rows << "'";
  if (q < 1 || k < 1) // block_c2
    return emitError() << "a block has at least one element, got q = " << q
                       << ", k = " << k;
  if (e < 0) // block_c2
    return emitError() << "a block has at least one row, got e = " << e;
  if (inner.find_first_of((lanes + rows).str()) != StringRef::npos) // block_c3
    return emitError() << "inner = '" << inner
                       << "' holds a letter of lanes = '" << lanes
                       << "' or rows = '" << rows << "'";
  if (visited.size() > 1) // block_c4
    return emitError() << "visited is one letter, or none; got '" << visited
                       << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// #attn.case
//===----------------------------------------------------------------------===//

LogicalResult CaseAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringRef axis, int64_t most, BlockAttr block) {
  if (axis.size() != 1) // case_c1
    return emitError() << "axis is one letter; got '" << axis << "'";
  if (most < 1) // case_c2
    return emitError() << "a case is for at least one element, got most = "
                       << most;
  if (block.getForm() == BlockForm::Epilogue) // case_c3
    return emitError() << "a case has a block of form dot or element, got "
                       << stringifyBlockForm(block.getForm());
  return success();
}
