//===- Checker.h - From written formulas to checked ones ------------------===//
//
// Resolves names, expands named masks, gives every node its type, converts
// ints to reals where they meet, folds constants in their own type, and says
// what is not supported yet. Fixed sizes are constants.
//
// Tests: test/Spec/Formulas, test/Unit/Spec/CheckTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_CHECK_CHECKER_H
#define ATTNC_LIB_SPEC_CHECK_CHECKER_H

#include "Diagnostic/Report.h"
#include "Formula/Syntax.h"
#include "Language/Language.h"

#include "attnc/Spec/Spec.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace attnc::spec {

/// What a formula may speak of.
struct Scope {
  llvm::StringRef name; // "score", "offset", "sink": for messages
  bool batch = false;   // b
  bool row = false;     // h, g, i, q
  bool key = false;     // k
  bool rows = false;    // Q, K, V
  bool query = false;   // Q alone
  bool inputs = false;
  bool rowFunctions = false;  // softmax, sum, ...
  std::optional<Row> defines; // of a row: inputs are indexed by axis names
  bool foldSizes = true;      // fixed sizes become constants
  ExprPtr score;              // what `score` is, in `attention`

  static Scope ofPair(llvm::StringRef name);  // score, mask, attention, value
  static Scope ofDefinition(Row row);         // Q, K, V in `let`
  static Scope ofRow(llvm::StringRef name);   // sink, temperature
  static Scope ofBatch(llvm::StringRef name); // offset
  static Scope ofSizes(llvm::StringRef name); // sizes, axes, ranges
};

/// An entry of `let`: `name: body`, or the macro `name(parameters): body`.
struct Definition {
  llvm::SMRange range; // of the name
  std::vector<std::string> parameters;
  bool isMacro = false;
  NodePtr body;           // null after an error
  bool used = false;      // by a formula
  bool ofTensors = false; // by a formula of tensors
  bool isIndexed = false; // a formula reads its elements
  /// Of several names at once: the text of all of them, and which this one is.
  std::string group;
  unsigned part = 0;
  bool active = false; // it is being expanded
  /// Whether a function of tensors is called, here or in what this names: set
  /// by the first question.
  mutable std::optional<bool> callsTensors;
};

/// Names that formulas met, and names that stand for what was refused.
struct NameUse {
  std::map<std::string, Definition> let;    // Q, K and V included
  std::map<std::string, Definition> groups; // entries of several names
  std::set<unsigned> inputs, sizes;
  bool score = false;            // `attention` reads it
  std::set<std::string> refused; // an error has been told: no other one
  /// Finds the tensor that an entry of `let` is; its number among the inputs,
  /// or nothing after an error. False for an entry that is a formula.
  std::function<bool(const Node &name, std::optional<unsigned> &input)> tensor;
};

class Checker {
public:
  Checker(const AttentionSpec &spec, Report &report, NameUse &use, Scope scope)
      : spec(spec), report(report), use(use), scope(std::move(scope)) {}

  /// A formula that must have the given type; `what` names it in messages
  /// ("mask", "an index"). Null after an error, or after a name that was
  /// refused elsewhere.
  ExprPtr check(const Node &node, Type type, llvm::StringRef what);

  /// The same of any type.
  ExprPtr checkAny(const Node &node);

  /// What stands for a node that is checked elsewhere: its formula, null after
  /// an error; nothing where it is one of this checker.
  using Leaves = std::function<std::optional<ExprPtr>(const Node &)>;
  void setLeaves(Leaves found) { leaves = std::move(found); }

  /// What the language has and this compiler does not yet.
  struct Missing {
    llvm::SMRange range;
    std::string what;
  };
  /// Reports the first missing feature of the formulas checked so far, if any.
  bool reportMissing();

  /// Binds the arguments of a call to the parameters; null stands for a
  /// default. False after an error.
  bool bind(const Node &call, const FunctionInfo &function,
            std::vector<const Node *> &bound);

private:
  /// A checked formula; a vector or matrix has axes.
  struct Value {
    ExprPtr e;
    std::vector<ExprPtr> axes;
    bool transposed = false; // a matrix: axes are those of its .T
    Type type() const { return e->type; }
    Type element() const { return elementType(e->type); }
    explicit operator bool() const { return e != nullptr; }
  };
  struct Binding { // of a parameter of a named mask or macro
    Value value;
    std::optional<unsigned> input;
    llvm::SMRange range;
  };
  using Bindings = std::map<std::string, Binding>;
  /// The value of an entry of `let` for the given arguments: every further use
  /// shares it, so that names and arguments used twice do not double the work.
  struct Expansion {
    Bindings arguments;
    bool vectorPlace;
    Value value;
  };
  static bool sameArguments(const Bindings &a, const Bindings &b);

  Value visit(const Node &node, bool vectorPlace = false);
  Value visitName(const Node &node, bool vectorPlace);
  Value visitVariable(const Node &node, const VariableInfo &variable);
  Value visitRow(const Node &node);
  Value visitUnary(const Node &node, bool vectorPlace);
  Value visitBinary(const Node &node, bool vectorPlace);
  Value visitLogic(const Node &node, bool vectorPlace);
  Value visitDot(const Node &node);
  Value visitTranspose(const Node &node);
  bool checkWidths(const Node &node, const Value &a, const Value &b);
  bool reportImpliedProduct(const Node &node, const Value &left,
                            const Value &right);
  Value visitPower(const Node &node, Value base, Value exponent);
  Value visitChain(const Node &node, bool vectorPlace);
  Value visitIndex(const Node &node, bool vectorPlace);
  Value visitCall(const Node &node, bool vectorPlace);
  void reportRowFunction(const Node &node, const FunctionInfo &function);
  Value callFunction(const Node &node, const FunctionInfo &function,
                     bool vectorPlace);
  Value callRow(const Node &node, const FunctionInfo &function,
                llvm::ArrayRef<const Node *> bound,
                const std::vector<Value> &values);
  bool needsRow(const ExprPtr &e, llvm::StringRef name, const Node &node);
  bool checkArguments(const Node &node, const FunctionInfo &function,
                      llvm::ArrayRef<const Node *> bound,
                      std::vector<Value> &values, bool vectorPlace);
  Value checkParameter(const Node &node, const Parameter &parameter,
                       const FunctionInfo &function, bool vectorPlace);
  bool checkConstants(const Node &node, const FunctionInfo &function,
                      llvm::ArrayRef<const Node *> bound,
                      llvm::ArrayRef<Value> values);
  Value expandMask(const Node &node, const NamedMask &mask);
  Value expandDefinition(const Node &node, bool vectorPlace);
  bool bindMacro(const Node &node, const Definition &macro,
                 Bindings &arguments);
  bool rowIndices(const Input &input, llvm::SMRange range,
                  std::vector<ExprPtr> &indices);
  ExprPtr rowIndex(const ExprPtr &axis, llvm::SMRange range);
  Value load(unsigned input, llvm::SMRange name, llvm::SMRange range,
             std::vector<ExprPtr> indices, bool vectorPlace);
  Value unknownName(const Node &node, bool called);
  bool reportForeign(const Node &node, bool called);
  bool isKnownHere(const FunctionInfo &function) const;
  std::string elementOf(const Input &input,
                        llvm::ArrayRef<ExprPtr> given) const;
  std::string rowOf(const Input &input, llvm::ArrayRef<ExprPtr> given) const;
  Value undeclared(const Node &base, const Node &index);
  std::optional<unsigned> findInput(llvm::StringRef name);
  bool findTensor(const Node &node, std::optional<unsigned> &input);

  Value compare(const Node &node, Op op, Value a, Value b);
  void unify(std::vector<Value> &values);
  bool needNumber(const Value &value, const Node &node, llvm::StringRef op);
  bool isOfTruthValues(const Node &node, const Value &a, const Value &b);
  bool needBool(const Value &value, const Node &node, llvm::StringRef op);
  bool needInt(const Value &value, const Node &node, llvm::StringRef op);
  Value toReal(Value value);
  bool sameWidth(const ExprPtr &a, const ExprPtr &b);
  bool needSameWidth(const Node &node, const Value &a, const Value &b,
                     llvm::StringRef op);
  Value elementwise(const Node &node, Op op, Type element,
                    const std::vector<Value> &values);
  Value choose(const Node &node, const std::vector<Value> &values);
  Value multiply(Value a, Value b, llvm::SMRange range);
  Value apply(Op op, Type type, llvm::ArrayRef<Value> operands,
              llvm::SMRange range);
  ExprPtr fold(Op op, Type type, const std::vector<ExprPtr> &operands,
               llvm::SMRange range, bool &failed);
  ExprPtr convert(Value value, const Node &node, Type type,
                  llvm::StringRef what);
  void missing(llvm::SMRange range, llvm::StringRef what) {
    missingFeatures.push_back({range, what.str()});
  }
  Value error(Message message, llvm::SMRange range,
              std::initializer_list<std::string> arguments) {
    report.error(message, range, arguments);
    return {};
  }

  const AttentionSpec &spec;
  Report &report;
  NameUse &use;
  Scope scope;
  Bindings bindings;
  const Node *formula = nullptr;           // that `check` is given
  const NamedMask *expandedMask = nullptr; // whose formula is visited
  std::map<std::string, std::vector<Expansion>> expansions;
  uint32_t parts = 0; // nodes made so far
  bool isTooLong = false;
  std::vector<Missing> missingFeatures;
  unsigned expanding = 0; // entries of `let` around what is visited
  Leaves leaves;
};

/// "an integer", "a boolean".
std::string typeWithArticle(Type type);

/// The value of an operation on constants: null if it has none (then `problem`
/// says why, or the operation is not one on constants).
enum class FoldProblem : uint8_t { None, Overflow, ZeroDivisor, NotANumber };
ExprPtr foldConstants(Op op, Type type, llvm::ArrayRef<ExprPtr> operands,
                      llvm::SMRange range, FoldProblem &problem);

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_CHECK_CHECKER_H
