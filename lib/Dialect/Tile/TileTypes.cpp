//===- TileTypes.cpp - Tiles and buffers: text, checks, questions ---------===//
//
// Tests: test/Dialect/Tile/ops.mlir, test/Dialect/Tile/invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Tile/Tile.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace attnc::tile;

/// The first name that occurs twice, or null.
static StringAttr findRepeated(ArrayRef<StringAttr> names) {
  for (size_t i = 0; i < names.size(); ++i)
    if (llvm::is_contained(names.take_front(i), names[i]))
      return names[i];
  return {};
}

static std::optional<unsigned> indexOf(ArrayRef<StringAttr> names,
                                       StringRef name) {
  for (auto [i, entry] : llvm::enumerate(names))
    if (entry.getValue() == name)
      return i;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// !tile.tile
//===----------------------------------------------------------------------===//

Type TileType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<StringAttr> names;
  SmallVector<int64_t> sizes;
  Type element;
  if (parser.parseLess())
    return {};
  while (true) {
    OptionalParseResult type = parser.parseOptionalType(element);
    if (type.has_value()) {
      if (failed(*type) || parser.parseGreater())
        return {};
      break;
    }
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseColon() ||
        parser.parseInteger(sizes.emplace_back()) || parser.parseComma())
      return {};
    names.push_back(StringAttr::get(parser.getContext(), name));
  }
  return parser.getChecked<TileType>(loc, parser.getContext(), ArrayRef(names),
                                     ArrayRef(sizes), element);
}

void TileType::print(AsmPrinter &printer) const {
  printer << '<';
  for (auto [name, size] : llvm::zip_equal(getNames(), getSizes()))
    printer << name.getValue() << ':' << size << ", ";
  printer << getElementType() << '>';
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<StringAttr> names,
                               ArrayRef<int64_t> sizes, Type element) {
  if (names.empty() || names.size() != sizes.size()) // tile_c1
    return emitError() << "a tile has at least one dim, such as q:64";
  if (StringAttr name = findRepeated(names)) // tile_c1
    return emitError() << "dim '" << name.getValue() << "' occurs twice";
  for (auto [name, size] : llvm::zip_equal(names, sizes)) // tile_c2
    if (size < 1)
      return emitError() << "dim '" << name.getValue()
                         << "' must have a size of at least 1, got " << size;
  if (!fits(sizes)) // tile_c2
    return emitError() << "a tile has at most " << kMaxElements
                       << " elements; this one has more";
  if (!element.isF32() && !element.isF64() && !element.isF16() &&
      !element.isBF16() && !element.isInteger(1) &&
      !element.isIndex()) // tile_c3
    return emitError() << "elements of a tile are f32, f64, f16, bf16, i1 or "
                          "index, got "
                       << element;
  return success();
}

bool TileType::fits(ArrayRef<int64_t> sizes) {
  int64_t elements = 1;
  for (int64_t size : sizes) {
    if (size < 1 || size > kMaxElements / elements)
      return false;
    elements *= size;
  }
  return true;
}

TileType TileType::get(ArrayRef<Dim> dims, Type element) {
  SmallVector<StringAttr> names(llvm::make_first_range(dims));
  SmallVector<int64_t> sizes(llvm::make_second_range(dims));
  return get(element.getContext(), names, sizes, element);
}

TileType TileType::get(MLIRContext *context,
                       ArrayRef<std::pair<StringRef, int64_t>> dims,
                       Type element) {
  SmallVector<Dim> named;
  for (auto [name, size] : dims)
    named.emplace_back(StringAttr::get(context, name), size);
  return get(named, element);
}

SmallVector<TileType::Dim> TileType::getDims() const {
  SmallVector<Dim> dims;
  for (auto [name, size] : llvm::zip_equal(getNames(), getSizes()))
    dims.emplace_back(name, size);
  return dims;
}

bool TileType::hasDim(StringRef name) const {
  return getDimIndex(name).has_value();
}

std::optional<unsigned> TileType::getDimIndex(StringRef name) const {
  return indexOf(getNames(), name);
}

std::optional<int64_t> TileType::getDimSize(StringRef name) const {
  if (std::optional<unsigned> i = getDimIndex(name))
    return getSizes()[*i];
  return std::nullopt;
}

int64_t TileType::getNumElements() const {
  int64_t product = 1;
  for (int64_t size : getSizes())
    product *= size;
  return product;
}

TileType TileType::withElementType(Type element) const {
  return get(getContext(), getNames(), getSizes(), element);
}

bool TileType::isSubsetOf(TileType other) const {
  return llvm::all_of(getDims(), [&](Dim dim) {
    return other.getDimSize(dim.first.getValue()) == dim.second;
  });
}

bool TileType::isSameUpToOrder(TileType other) const {
  return getElementType() == other.getElementType() &&
         getRank() == other.getRank() && isSubsetOf(other);
}

//===----------------------------------------------------------------------===//
// !tile.buf
//===----------------------------------------------------------------------===//

Type BufType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<StringAttr> names;
  Type element;
  if (parser.parseLess())
    return {};
  OptionalParseResult scalar = parser.parseOptionalType(element);
  if (scalar.has_value()) {
    if (failed(*scalar))
      return {};
  } else {
    auto entry = [&]() -> ParseResult {
      StringRef name;
      if (parser.parseKeyword(&name))
        return failure();
      names.push_back(StringAttr::get(parser.getContext(), name));
      return success();
    };
    if (parser.parseCommaSeparatedList(entry) || parser.parseColon() ||
        parser.parseType(element))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<BufType>(loc, parser.getContext(), ArrayRef(names),
                                    element);
}

void BufType::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getNames(), printer,
                        [&](StringAttr name) { printer << name.getValue(); });
  if (!getNames().empty())
    printer << " : ";
  printer << getElementType() << '>';
}

LogicalResult BufType::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<StringAttr> names, Type element) {
  if (StringAttr name = findRepeated(names)) // buf_c1
    return emitError() << "axis '" << name.getValue() << "' occurs twice";
  if (!isElement(element)) // buf_c2
    return emitError() << "elements of a buffer are f64, f32, f16, bf16, i64, "
                          "i32, i8, ui8 or i1, got "
                       << element;
  return success();
}

bool BufType::isElement(Type type) {
  return type.isF64() || type.isF32() || type.isF16() || type.isBF16() ||
         type.isUnsignedInteger(8) || type.isSignlessInteger(64) ||
         type.isSignlessInteger(32) || type.isSignlessInteger(8) ||
         type.isSignlessInteger(1);
}

bool BufType::hasAxis(StringRef name) const {
  return getAxisIndex(name).has_value();
}

std::optional<unsigned> BufType::getAxisIndex(StringRef name) const {
  return indexOf(getNames(), name);
}
