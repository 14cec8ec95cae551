//===- Language.h - The tables of the language ----------------------------===//
//
// Keys.def, Functions.def and NamedMasks.def as data.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_LANGUAGE_LANGUAGE_H
#define ATTNC_LIB_SPEC_LANGUAGE_LANGUAGE_H

#include "attnc/Spec/Expr.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <vector>

namespace attnc::spec {

enum class Key {
#define KEY(Name, Text, Value, Default, Meaning) Name,
#include "Language/Keys.def"
};

struct KeyInfo {
  llvm::StringRef name, value, byDefault, meaning;
};
llvm::ArrayRef<KeyInfo> keyTable();
inline llvm::StringRef keyName(Key key) { return keyTable()[size_t(key)].name; }
std::optional<Key> findKey(llvm::StringRef name);

enum class Function {
#define FUNCTION(Name, Text, Parameters, Result, Where, Meaning) Name,
#include "Language/Functions.def"
};

struct Parameter {
  llvm::StringRef name, type, byDefault; // byDefault empty: required
};

struct FunctionInfo {
  enum Place : uint8_t { Scalar, Row, Layer, Scaling };
  Function function;
  llvm::StringRef name;
  std::vector<Parameter> parameters;
  bool variadic; // more of the last parameter
  llvm::StringRef result;
  Place place;
  llvm::StringRef meaning;

  /// "softmax(x, sink=-inf, temperature=1)".
  std::string signature() const;
};
llvm::ArrayRef<FunctionInfo> functionTable();
const FunctionInfo *findFunction(llvm::StringRef name);
/// The operation of a Scalar function.
std::optional<Op> opOfFunction(Function function);

struct MaskParameter {
  llvm::StringRef name;
  std::optional<int64_t> least; // none: the name of an input
  llvm::StringRef declaration;  // of that input
};

struct NamedMask {
  llvm::StringRef name;
  std::vector<MaskParameter> parameters;
  llvm::StringRef formula, keys;

  std::string signature() const;
};
llvm::ArrayRef<NamedMask> maskTable();
const NamedMask *findMask(llvm::StringRef name);

struct VariableInfo {
  llvm::StringRef name;
  Variable variable;
  llvm::StringRef meaning;
};
llvm::ArrayRef<VariableInfo> variableTable();

/// "Q", "K", "V".
llvm::StringRef rowName(Row row);
std::optional<Row> findRow(llvm::StringRef name);

/// Names of the sizes that every spec has, by BuiltinSize.
llvm::ArrayRef<llvm::StringRef> builtinSizeNames();

/// What a name is already taken by ("a size", "a function", ...), or empty.
llvm::StringRef takenBy(llvm::StringRef name);

/// A letter or `_`, then letters, digits and `_`.
bool isIdentifier(llvm::StringRef text);

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_LANGUAGE_LANGUAGE_H
