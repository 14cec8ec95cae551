//===- FormulaBuilder.h - Formulas as scalar ops ----------------*- C++ -*-===//
//
// Turns a checked formula into arith and math ops inside a region. The rules:
// a real is f32 (f64 in f64 kernels), an int is index, a truth value is i1.
// Both sides of `where`, `and` and `or` are computed, which is right because
// every op is pure and every read is clamped; the choice drops what the formula
// does not evaluate, NaN included.
//
// A function that is not one op has an error of at most 4 ulp, x ** y excepted
// (FormulaReal.cpp), given math ops of 1 ulp; docs/stages/2-graph.md lists
// them. Tests: test/Import/operators.yaml, test/Import/Rows/functions.yaml,
// biases.yaml
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_IMPORT_FORMULA_FORMULABUILDER_H
#define ATTNC_LIB_IMPORT_FORMULA_FORMULABUILDER_H

#include "SourceLocations.h"

#include "attnc/Spec/Spec.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace attnc::import {

/// What a formula sees: the arguments of its region and the function's inputs.
struct FormulaScope {
  /// Batch, KV head, query head inside its group, query row, key. The key is
  /// null where no key exists (sink).
  mlir::Value b, h, g, i, k;
  /// The tensors of AttentionSpec::inputs.
  mlir::ValueRange inputs;
  /// Places in the axes of a vector or matrix, where the formula is one.
  llvm::SmallVector<mlir::Value, 2> features = {};
  /// Places along the axes of the result, where the formula is a tensor's.
  mlir::ValueRange places = {};
  /// Its operands, for elements at other places than that.
  llvm::ArrayRef<mlir::Value> operands = {};
};

class FormulaBuilder {
public:
  /// `real` is the type of reals, f32 or f64. Ops get the places of their
  /// nodes, those without a place get `loc`.
  FormulaBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                 const SourceLocations &locations,
                 const spec::AttentionSpec &spec, mlir::Type real,
                 const FormulaScope &scope)
      : b(loc, builder), locations(locations), spec(spec), real(real),
        scope(scope), otherwise(loc) {}

  /// The value of the formula. After an error, which is reported at its node,
  /// some value of the right type, and failed() is true.
  mlir::Value build(const spec::Expr &e);
  /// The value of a node that is computed outside, an element of a vector.
  void bind(const spec::Expr &e, mlir::Value value);
  /// The elements of a tensor's operands.
  void bindElements(const spec::Expr &e, mlir::ValueRange elements);
  /// v / max(sqrt(s), eps) of an Op::L2Norm, whose operand and sum of squares
  /// are bound to the operand and to the node.
  mlir::Value normalized(const spec::Expr &e);
  /// `value / divisor` of reals.
  mlir::Value divide(mlir::Value value, mlir::Value divisor);
  /// A weight that is 0 where the score is -inf.
  mlir::Value zeroWhereNothing(mlir::Value score, mlir::Value weight);
  /// x if it is greater than `least`, or as great and its key no later than
  /// `key`; else -inf.
  mlir::Value keepGreatest(mlir::Value x, mlir::Value least, mlir::Value key);
  /// max(x - threshold, 0)
  mlir::Value excess(mlir::Value x, mlir::Value threshold);
  /// The score where `allowed`, else -inf.
  mlir::Value unlessMasked(mlir::Value allowed, mlir::Value score);
  bool failed() const { return hasFailed; }
  mlir::Value constant(double value);

private:
  mlir::Value buildNode(const spec::Expr &e);
  mlir::Value buildVariable(spec::Variable variable);
  mlir::Value buildSize(unsigned index);
  mlir::Value buildLength(const spec::Storage &storage);
  mlir::Value buildApply(const spec::Expr &e);
  mlir::Value buildCompare(spec::Op op, mlir::Value x, mlir::Value y);
  mlir::Value buildLogic(spec::Op op, llvm::ArrayRef<mlir::Value> x);
  mlir::Value buildInt(const spec::Expr &e, llvm::ArrayRef<mlir::Value> x);
  mlir::Value intPower(mlir::Value x, int64_t exponent);
  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value zeroOf(spec::Type type);
  mlir::Value refuse(const spec::Expr &e);
  mlir::Value asReal(const spec::Expr &e, mlir::Value element);

  // FormulaReal.cpp
  mlir::Value buildReal(const spec::Expr &e, llvm::ArrayRef<mlir::Value> x);
  mlir::Value divideBySum(mlir::Value value, mlir::Value sum);
  mlir::Value realArithmetic(spec::Op op, llvm::ArrayRef<mlir::Value> x);
  mlir::Value realFunction(spec::Op op, mlir::Value x);
  mlir::Value power(const spec::Expr &e, mlir::Value x, mlir::Value y);
  mlir::Value powerOf(mlir::Value x, double exponent);
  mlir::Value log2OfSize(const spec::Expr &e, mlir::Value x);
  mlir::Value anyPower(const spec::Expr &e, mlir::Value x, mlir::Value y);
  mlir::Value asFinite(mlir::Value y);
  mlir::Value gelu(mlir::Value x);
  mlir::Value softcap(mlir::Value x, mlir::Value cap);

  // FormulaBias.cpp
  mlir::Value alibiSlope(const spec::Expr &e, mlir::Value h, double max);
  mlir::Value t5Bucket(const spec::Expr &e, mlir::Value d);
  mlir::Value index(int64_t value);
  mlir::Value toReal(mlir::Value n);

  mlir::ImplicitLocOpBuilder b;
  const SourceLocations &locations;
  const spec::AttentionSpec &spec;
  mlir::Type real;
  FormulaScope scope;
  mlir::Location otherwise;
  // Nodes are shared, and a shared one becomes one op.
  llvm::DenseMap<const spec::Expr *, mlir::Value> built;
  // Each number is one constant.
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  bool hasFailed = false;
};

/// Where T5's buckets begin: for each j = exact + 1 .. buckets - 1 the least
/// distance whose bucket is at least j, computed with the very roundings of f32
/// that the Hugging Face implementation has. The first `exact` of the `buckets`
/// hold one distance each; bucket `exact` begins at distance `exact`.
std::vector<int64_t> t5Thresholds(int64_t buckets, int64_t exact,
                                  int64_t maxDistance);

} // namespace attnc::import

#endif // ATTNC_LIB_IMPORT_FORMULA_FORMULABUILDER_H
