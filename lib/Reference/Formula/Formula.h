//===- Formula.h - A formula at one pair after the other --------*- C++ -*-===//
//
// A formula is evaluated by recursion over its syntax tree. What depends on the
// query alone, or on the key alone, is kept while that stays the same; nothing
// else is optimized.
//
// `where`, `and` and `or` of numbers evaluate what they need only. An index
// that is proved to be in range by such a guard therefore is; where a vector of
// conditions chooses, indices are clamped.
//
// Tests: test/Unit/Reference/SpecFormulaTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_REFERENCE_FORMULA_FORMULA_H
#define ATTNC_LIB_REFERENCE_FORMULA_FORMULA_H

#include "Call.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <deque>
#include <functional>
#include <memory>

namespace attnc::formula {

/// The value of a node: one number, or one for each feature. Reals or integers,
/// by the type of the node.
struct Value {
  llvm::SmallVector<Number, 1> reals;
  llvm::SmallVector<int64_t, 1> integers;
};

/// What formulas see. Whoever walks over pairs sets the places.
struct Scope {
  explicit Scope(const Call &call) : call(call) {}

  const Call &call;
  bool isDouble = false; // reals are f64: constants are not rounded to f32

  // Of formulas of pairs, rows and sequences.
  int64_t b = 0, h = 0, i = 0, k = 0;
  const spec::AttentionFormulas *attention = nullptr;
  /// Whether Q, K and V are what `let` says of single rows.
  bool hasDefinitions = false;
  /// Reads the row of Q, K or V that is given at the place.
  std::function<void(spec::Row, Value &)> given;
  /// The keys that the row (b, h, i) may see, for sums over them.
  const std::vector<int64_t> *allowed = nullptr;

  // Of formulas of elements.
  llvm::ArrayRef<int64_t> places; // along the axes of the result
  llvm::ArrayRef<const Array *> operands;
  llvm::ArrayRef<int64_t> elements; // own place in each operand
  int64_t step = 0;                 // another one for other places
};

class Formula {
public:
  Formula(const spec::Expr &e, Scope &scope);

  /// The value at the scope's place, until the next call.
  const Value &evaluate() { return value(*root); }
  Number real() { return evaluate().reals[0]; }
  int64_t integer() { return evaluate().integers[0]; }
  bool truth() { return integer() != 0; }

private:
  /// What a value depends on.
  enum Dependence : unsigned {
    OnSequence = 1,
    OnHead = 2,
    OnRow = 4,
    OnKey = 8,
    OnElement = 16,
  };
  struct Node {
    const spec::Expr *expr;
    llvm::SmallVector<Node *, 3> operands;
    unsigned dependence = 0;
    size_t width = 1;
    bool isReal = true;
    /// Where the values below are from.
    std::array<int64_t, 5> place;
    bool isKnown = false;
    Value value;
    std::vector<std::unique_ptr<Value>> ofKeys; // where only the key differs
    /// Of a function of all keys: its operands and the score, evaluated for
    /// each key in turn, and what it is for each key.
    std::vector<std::unique_ptr<Formula>> ofRow;
    std::vector<Number> numbers;
    std::array<int64_t, 3> row = {-1, -1, -1}; // of the numbers
  };

  Formula(const spec::Expr &e, Scope &scope, unsigned defining);
  Node *compile(const spec::Expr &e, unsigned defining);
  void compileVariable(Node &node);
  void compileRow(Node &node, unsigned defining);
  void compileRowFunction(Node &node, unsigned defining);

  const Value &value(Node &node);
  bool isNewPlace(Node &node) const;
  void compute(Node &node, Value &out);
  void computeVariable(spec::Variable variable, Node &node, Value &out);
  void computeLoad(Node &node, Value &out);
  void computeElement(Node &node, Value &out);
  void computeApply(Node &node, Value &out);
  bool computeChoice(Node &node, Value &out);
  void computeElementwise(Node &node, Value &out);
  void computeProduct(Node &node, Value &out);
  void computeNorm(Node &node, Value &out);

  // RowFunctions.cpp
  void computeRow(Node &node);
  std::vector<Number> operandOfKeys(Formula &formula);
  void sumOfRow(Node &node);
  void softmaxOfRow(Node &node);
  void sparsemaxOfRow(Node &node);
  void greatestOfRow(Node &node);

  Scope &scope;
  std::deque<Node> nodes;
  llvm::DenseMap<std::pair<const spec::Expr *, unsigned>, Node *> known;
  std::vector<spec::ExprPtr> own; // nodes that are no part of the spec
  Node *root;
};

/// exp(x) of each x over their sum and exp(sink), and the logarithm of that
/// denominator. A NaN makes all of them NaN.
struct Softmax {
  std::vector<Number> weights;
  Number lse;
};
Softmax softmax(llvm::ArrayRef<Number> x, Number sink);

} // namespace attnc::formula

#endif // ATTNC_LIB_REFERENCE_FORMULA_FORMULA_H
