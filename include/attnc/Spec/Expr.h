//===- Expr.h - A checked formula -----------------------------------------===//
//
// The formulas of a spec after the front end: names are resolved, named masks
// and definitions are expanded, constants are folded, and every node has a
// type and a place in the source. Nodes are immutable and may be shared.
//
// Types are exact: where an int meets a real there is an Op::ToReal node, so a
// consumer never converts by itself.
//
// Tests: test/Unit/Spec/CheckTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_SPEC_EXPR_H
#define ATTNC_SPEC_EXPR_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SMLoc.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace attnc::spec {

enum class Type : uint8_t {
  Bool,
  Int,    // 64 bits; no operation of a checked formula overflows
  Real,   // the accumulate type of the kernel
  Vector, // of reals: a row of Q, K, V or of an input, or computed of such
  Matrix, // of reals: the last two axes of an input; an operand of Op::Dot
  Tensor, // of `let` and `output`: see Tensor.h
  Bools,  // a vector of truth values
  Ints,   // a vector of ints
};

/// "truth value", "int", "real", "vector", "matrix", "tensor", "vector of
/// ints".
llvm::StringRef typeName(Type type);

/// Vector, Bools, Ints.
bool isVector(Type type);
/// What a vector has for each feature; of another type the type itself.
Type elementType(Type type);
/// The vector of a Bool, Int or Real.
Type vectorOf(Type element);

/// What a formula of score, mask, sink, temperature may depend on.
enum class Variable : uint8_t {
  B, // batch, 0 .. batch-1
  H, // query head, 0 .. heads-1
  G, // KV head, h // group
  I, // row of the query tensor, 0 .. query_len-1
  Q, // position of that row: i + offset; may be negative
  K, // position of the key, 0 .. kv_len-1
};

enum class Row : uint8_t { Q, K, V }; // the vectors of (b, h, i) and (b, g, k)

/// Operators and functions. The comment gives operands -> result; `num` is int
/// or real, the same for all operands and the result. Up to Softcap (but for
/// Dot) any of the operands may be vectors of one width: the result is then a
/// vector, element by element, and the other operands are the same for each.
enum class Op : uint8_t {
  ToReal, // int -> real
  Neg,    // num -> num
  Not,    // bool -> bool
  And,
  Or, // bool, bool -> bool
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge, // num, num -> bool; Eq and Ne also bool, bool
  Add,
  Sub,
  Mul, // num, num -> num
  Div, // real, real -> real
  FloorDiv,
  Mod,    // int, int -> int; towards minus infinity, the sign of
          // the divisor, which is never 0
  Pow,    // int, int >= 0 constant -> int; real, real -> real
  Dot,    // vector, vector -> real; matrix, vector or vector, matrix -> vector
  Select, // bool, any, same -> same
  Abs,
  Sign, // num -> num
  Min,
  Max,   // num, num -> num
  Clamp, // num, num, num -> num: min(max(x, lo), hi)
  Floor,
  Ceil,
  Exp,
  Exp2,
  Log,
  Log1p,
  Sqrt,
  Rsqrt,
  Tanh,
  Sigmoid,
  Relu,
  Elu,
  Silu,
  Gelu,
  Softplus,
  Erf,
  Sin,
  Cos,        // real -> real; elu has alpha 1, gelu
              // is x/2 (1 + erf(x / sqrt 2))
  Softcap,    // real x, real c -> real: c * tanh(x / c)
  AlibiSlope, // int h, bool constant (true: ceil rule), real constant max
              // -> real, with n = heads of the spec
  T5Bucket,   // int d, int constant buckets, int constant max_distance,
              // bool constant bidirectional -> int in 0 .. buckets-1
  L2Norm,     // vector v, real constant eps -> vector: v / max(|v|, eps)
  // In `attention`, over the allowed keys of the row:
  Softmax,   // real x, real sink, real temperature -> real; sink and
             // temperature are of the row
  Sparsemax, // real -> real
  TopK,      // real x, int constant n -> real
  Sum,       // real -> real, of the row
  Count,     // -> int, of the row
};

/// Sum and Count: one number per row.
bool isRowNumber(Op op);
/// Softmax to Count: what looks at all keys of a row.
bool isRowFunction(Op op);

/// How an operator or function is written: "+", "//", "where", "softcap".
llvm::StringRef opSpelling(Op op);

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

/// A node. `kind` says which of the payload fields holds.
struct Expr {
  enum Kind : uint8_t {
    Constant, // boolean, integer or real, by `type`
    Variable, // variable
    Size,     // index: AttentionSpec::sizes[index]; type Int
    Row,      // row; type Vector
    Load,     // index: AttentionSpec::inputs[index]; one operand per axis, each
              // Int; the type is Bool, Int or Real by the input's dtype. With
              // one operand less it is a vector of these, with two less a
              // Matrix
    Apply,    // op on operands
    // In the formula of a tensor (Tensor::Map) only:
    Element, // of the operand `index`, Real or Bool; operands are the places
             // along its axes, none of them: those of the result
    Place,   // along axis `index` of the result; type Int
  };

  Kind kind;
  Type type;
  llvm::SMRange range; // in the spec; for an expanded macro, its call

  bool boolean = false;
  int64_t integer = 0;
  double real = 0; // may be infinite, never a NaN
  spec::Variable variable = spec::Variable::B;
  spec::Row row = spec::Row::Q;
  Op op = Op::Add;
  unsigned index = 0;
  std::vector<ExprPtr> operands;
  uint32_t nodes = 1; // of the tree below, shared ones counted each time
  uint64_t hash = 0;  // of the structure: equal formulas have equal hashes
  uint16_t uses = 0;  // what occurs in the formula: bits of Expr.cpp

  bool isConstant() const { return kind == Constant; }
  bool isApply(Op o) const { return kind == Apply && op == o; }
};

ExprPtr makeBool(bool value, llvm::SMRange range = {});
ExprPtr makeInt(int64_t value, llvm::SMRange range = {});
ExprPtr makeReal(double value, llvm::SMRange range = {});
ExprPtr makeVariable(Variable variable, llvm::SMRange range = {});
ExprPtr makeSize(unsigned index, llvm::SMRange range = {});
ExprPtr makeRow(Row row, llvm::SMRange range = {});
ExprPtr makeLoad(unsigned input, Type type, std::vector<ExprPtr> indices,
                 llvm::SMRange range = {});
ExprPtr makeElement(unsigned operand, Type type, llvm::SMRange range = {},
                    std::vector<ExprPtr> places = {});
ExprPtr makePlace(unsigned axis, llvm::SMRange range = {});
ExprPtr makeApply(Op op, Type type, std::vector<ExprPtr> operands,
                  llvm::SMRange range = {});

/// Formulas share nodes: a tree of 2^60 nodes may have 60 distinct ones. Every
/// walk therefore visits a node once, however often it is used.
///
/// Whether some node of the formula satisfies `is`. Operands of a node that
/// satisfies `ends` are not visited.
bool anyNode(const Expr &e, llvm::function_ref<bool(const Expr &)> is,
             llvm::function_ref<bool(const Expr &)> ends = nullptr);

/// Whether two formulas are equal, ignoring source ranges (reals by bits).
bool sameExpr(const Expr &a, const Expr &b);

/// Whether the variable occurs in the formula (Q counts as itself, not as I).
bool dependsOn(const Expr &e, Variable variable);

/// Whether the formula differs from key to key of a row.
bool isOfPair(const Expr &e);

/// Whether the formula is one number per row with an Op::Sum in it. A quotient
/// by such a number is 0 where the number is 0.
bool isSumOfRow(const Expr &e);

/// Whether the row of Q, K or V occurs in the formula.
bool usesRow(const Expr &e, Row row);

/// Whether the formula reads an input.
bool readsInput(const Expr &e);

} // namespace attnc::spec

#endif // ATTNC_SPEC_EXPR_H
