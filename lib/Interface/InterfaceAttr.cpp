//===- InterfaceAttr.cpp - Signatures as attributes -----------------------===//
//
// Plain builtin attributes, so that a dump needs no dialect to be read: strings
// for expressions, unit attributes for flags. Reading refuses unknown and
// missing keys, since a misspelt `nondecreasing` must not be lost.
// Tests: test/Unit/Interface/InterfaceAttrTest.cpp
//
//===----------------------------------------------------------------------===//

#include "attnc/Interface/Interface.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringSet.h"

using namespace attnc;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static ArrayAttr strings(Builder &b, ArrayRef<SizeExpr> exprs) {
  return b.getArrayAttr(llvm::map_to_vector(exprs, [&](const SizeExpr &e) {
    return Attribute(b.getStringAttr(e.str()));
  }));
}

/// A number, or the text of a formula.
static Attribute boundAttr(Builder &b, const SizeExpr &bound) {
  if (std::optional<int64_t> number = bound.constantValue())
    return b.getI64IntegerAttr(*number);
  return b.getStringAttr(bound.str());
}

static DictionaryAttr sizeAttr(Builder &b, const InterfaceSize &size) {
  NamedAttrList list;
  list.set("name", b.getStringAttr(size.name));
  if (size.value)
    list.set("value", b.getStringAttr(size.value->str()));
  return list.getDictionary(b.getContext());
}

static DictionaryAttr tensorAttr(Builder &b, const InterfaceTensor &tensor) {
  NamedAttrList list;
  list.set("name", b.getStringAttr(tensor.name));
  list.set("role", b.getStringAttr(roleName(tensor.role)));
  list.set("dtype", b.getStringAttr(dtypeName(tensor.dtype)));
  list.set("axes", strings(b, tensor.axes));
  if (tensor.nondecreasing)
    list.set("nondecreasing", b.getUnitAttr());
  if (tensor.range)
    list.set("range", b.getArrayAttr({boundAttr(b, tensor.range->first),
                                      boundAttr(b, tensor.range->second)}));
  if (tensor.rows != RowLayout::Dense)
    list.set(tensor.rows == RowLayout::Ragged ? "ragged" : "paged",
             b.getStringAttr(tensor.rowTable));
  if (tensor.nullable)
    list.set("nullable", b.getUnitAttr());
  if (tensor.inout)
    list.set("inout", b.getUnitAttr());
  if (tensor.resident)
    list.set("resident", b.getUnitAttr());
  if (!tensor.packedBy.empty())
    list.set("packed_by", b.getStringAttr(tensor.packedBy));
  if (!tensor.mayBe.empty())
    list.set("may_be", b.getStringAttr(tensor.mayBe));
  return list.getDictionary(b.getContext());
}

static DictionaryAttr preconditionAttr(Builder &b,
                                       const InterfacePrecondition &condition) {
  return b.getDictionaryAttr(
      {b.getNamedAttr("lhs", b.getStringAttr(condition.lhs.str())),
       b.getNamedAttr("rhs", b.getStringAttr(condition.rhs.str())),
       b.getNamedAttr("sentence", b.getStringAttr(condition.sentence))});
}

DictionaryAttr Interface::toAttr(MLIRContext *context) const {
  Builder b(context);
  SmallVector<Attribute> sizeAttrs, tensorAttrs, conditionAttrs, kernelAttrs;
  for (const InterfaceSize &size : sizes)
    sizeAttrs.push_back(sizeAttr(b, size));
  for (const InterfaceTensor &tensor : tensors)
    tensorAttrs.push_back(tensorAttr(b, tensor));
  for (const InterfacePrecondition &condition : preconditions)
    conditionAttrs.push_back(preconditionAttr(b, condition));
  for (const std::string &kernel : kernels)
    kernelAttrs.push_back(b.getStringAttr(kernel));

  NamedAttrList list;
  list.set("name", b.getStringAttr(name));
  list.set("title", b.getStringAttr(title));
  list.set("spec", b.getStringAttr(spec));
  list.set("sizes", b.getArrayAttr(sizeAttrs));
  list.set("tensors", b.getArrayAttr(tensorAttrs));
  if (!conditionAttrs.empty())
    list.set("preconditions", b.getArrayAttr(conditionAttrs));
  if (!positions.empty())
    list.set("positions", strings(b, positions));
  if (!kernelAttrs.empty())
    list.set("kernels", b.getArrayAttr(kernelAttrs));
  if (!cases.empty())
    list.set("cases", b.getArrayAttr(llvm::map_to_vector(
                          cases, [&](const InterfaceCase &entry) {
                            return Attribute(b.getStringAttr(entry.str()));
                          })));
  return list.getDictionary(context);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads one dictionary; each reader marks its key as known. The first error
/// is reported, then `ok` stays false and readers do nothing.
class Reader {
public:
  Reader(Attribute attr, const Twine &what,
         function_ref<InFlightDiagnostic()> emitError)
      : what(what.str()), emitError(emitError) {
    dictionary = dyn_cast_if_present<DictionaryAttr>(attr);
    if (!dictionary)
      fail("must be a dictionary");
  }

  bool fail(const Twine &message) {
    if (ok)
      emitError() << what << " " << message;
    ok = false;
    return false;
  }

  template <typename T> T get(StringRef key, bool required, StringRef type) {
    known.insert(key);
    Attribute attr = ok ? dictionary.get(key) : Attribute();
    if (!attr) {
      if (required)
        fail("has no key '" + key + "'");
      return T();
    }
    auto typed = dyn_cast<T>(attr);
    if (!typed)
      fail("'" + key + "' must be " + type);
    return typed;
  }

  std::string string(StringRef key, bool required = true) {
    auto attr = get<StringAttr>(key, required, "a string");
    return attr ? attr.str() : std::string();
  }
  bool flag(StringRef key) {
    return static_cast<bool>(get<UnitAttr>(key, false, "a unit attribute"));
  }
  ArrayRef<Attribute> array(StringRef key, bool required) {
    auto attr = get<ArrayAttr>(key, required, "an array");
    return attr ? attr.getValue() : ArrayRef<Attribute>();
  }
  SizeExpr parseExpr(StringRef key, StringRef text) {
    std::string error;
    std::optional<SizeExpr> expr = SizeExpr::parse(text, error);
    if (!expr && ok)
      fail("'" + key + "': '" + text + "': " + error);
    return expr ? *expr : SizeExpr();
  }
  SizeExpr expr(StringRef key) { return parseExpr(key, string(key)); }
  std::vector<SizeExpr> exprs(StringRef key, bool required) {
    std::vector<SizeExpr> result;
    for (const std::string &text : stringList(key, required))
      result.push_back(parseExpr(key, text));
    return result;
  }
  std::vector<std::string> stringList(StringRef key, bool required) {
    std::vector<std::string> result;
    for (Attribute attr : array(key, required)) {
      auto text = dyn_cast<StringAttr>(attr);
      if (!text) {
        fail("'" + key + "' must be an array of strings");
        break;
      }
      result.push_back(text.str());
    }
    return result;
  }
  /// "lhs <= rhs"
  std::vector<InterfaceCase> cases(StringRef key) {
    std::vector<InterfaceCase> result;
    for (const std::string &text : stringList(key, false)) {
      auto [lhs, rhs] = StringRef(text).split("<=");
      if (rhs.empty()) {
        fail("'" + key + "': '" + text + "' must be like 'query_len <= 16'");
        break;
      }
      result.push_back({parseExpr(key, lhs), parseExpr(key, rhs)});
    }
    return result;
  }
  std::optional<std::pair<SizeExpr, SizeExpr>> range(StringRef key) {
    ArrayRef<Attribute> ends = array(key, false);
    if (!dictionary || !dictionary.get(key))
      return std::nullopt;
    SmallVector<SizeExpr> values;
    for (Attribute end : ends)
      if (auto number = dyn_cast<IntegerAttr>(end);
          number && number.getType().isInteger(64))
        values.push_back(SizeExpr::constant(number.getInt()));
      else if (auto text = dyn_cast<StringAttr>(end))
        values.push_back(parseExpr(key, text));
    if (values.size() != 2 || ends.size() != 2) {
      fail("'" + key + "' must be two 64-bit integers or formulas of sizes");
      return std::nullopt;
    }
    return std::pair(values[0], values[1]);
  }

  /// Whether everything was right, and no key is left over.
  bool finish() {
    for (NamedAttribute entry :
         ok ? dictionary.getValue() : ArrayRef<NamedAttribute>())
      if (!known.contains(entry.getName().strref()))
        return fail("has an unknown key '" + entry.getName().strref() + "'");
    return ok;
  }

private:
  std::string what;
  function_ref<InFlightDiagnostic()> emitError;
  DictionaryAttr dictionary;
  llvm::StringSet<> known;
  bool ok = true;
};
} // namespace

static FailureOr<InterfaceSize>
readSize(Attribute attr, function_ref<InFlightDiagnostic()> emitError) {
  Reader reader(attr, "a size of the interface", emitError);
  InterfaceSize size;
  size.name = reader.string("name");
  if (auto value = reader.get<StringAttr>("value", false, "a string"))
    size.value = reader.parseExpr("value", value);
  if (!reader.finish())
    return failure();
  return size;
}

static FailureOr<InterfaceTensor>
readTensor(Attribute attr, function_ref<InFlightDiagnostic()> emitError) {
  Reader reader(attr, "a tensor of the interface", emitError);
  InterfaceTensor tensor;
  tensor.name = reader.string("name");
  std::string role = reader.string("role"), dtype = reader.string("dtype");
  tensor.axes = reader.exprs("axes", true);
  tensor.nondecreasing = reader.flag("nondecreasing");
  tensor.range = reader.range("range");
  std::string ragged = reader.string("ragged", false);
  std::string paged = reader.string("paged", false);
  if (!ragged.empty() && !paged.empty())
    reader.fail("cannot be both 'ragged' and 'paged'");
  tensor.rows = !ragged.empty()  ? RowLayout::Ragged
                : !paged.empty() ? RowLayout::Paged
                                 : RowLayout::Dense;
  tensor.rowTable = ragged + paged;
  tensor.nullable = reader.flag("nullable");
  tensor.inout = reader.flag("inout");
  tensor.resident = reader.flag("resident");
  tensor.packedBy = reader.string("packed_by", false);
  tensor.mayBe = reader.string("may_be", false);
  if (!reader.finish())
    return failure();
  std::optional<TensorRole> parsedRole = parseRole(role);
  if (!parsedRole)
    return emitError() << "tensor '" << tensor.name << "': unknown role '"
                       << role << "'";
  std::optional<DType> parsedType = parseDType(dtype);
  if (!parsedType)
    return emitError() << "tensor '" << tensor.name << "': unknown dtype '"
                       << dtype << "'";
  tensor.role = *parsedRole;
  tensor.dtype = *parsedType;
  return tensor;
}

static FailureOr<InterfacePrecondition>
readPrecondition(Attribute attr, function_ref<InFlightDiagnostic()> emitError) {
  Reader reader(attr, "a precondition of the interface", emitError);
  InterfacePrecondition condition;
  condition.lhs = reader.expr("lhs");
  condition.rhs = reader.expr("rhs");
  condition.sentence = reader.string("sentence");
  if (!reader.finish())
    return failure();
  return condition;
}

FailureOr<Interface>
Interface::fromAttr(Attribute attr,
                    function_ref<InFlightDiagnostic()> emitError) {
  Reader reader(attr, "the interface", emitError);
  Interface result;
  result.name = reader.string("name");
  result.title = reader.string("title");
  result.spec = reader.string("spec");
  auto readList = [&](StringRef key, bool required, auto read, auto &list) {
    for (Attribute entry : reader.array(key, required)) {
      auto value = read(entry, emitError);
      if (failed(value))
        return failure();
      list.push_back(std::move(*value));
    }
    return success();
  };
  if (failed(readList("sizes", true, readSize, result.sizes)) ||
      failed(readList("tensors", true, readTensor, result.tensors)) ||
      failed(readList("preconditions", false, readPrecondition,
                      result.preconditions)))
    return failure();
  result.positions = reader.exprs("positions", false);
  result.kernels = reader.stringList("kernels", false);
  result.cases = reader.cases("cases");
  if (!reader.finish() || failed(result.verify(emitError)))
    return failure();
  return result;
}
