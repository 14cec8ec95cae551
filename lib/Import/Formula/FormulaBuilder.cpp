//===- FormulaBuilder.cpp - Variables, ints and truth values --------------===//
//
// See FormulaBuilder.h; reals are in FormulaReal.cpp, biases in
// FormulaBias.cpp.
//
//===----------------------------------------------------------------------===//

#include "Formula/FormulaBuilder.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Spec/Print.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::import;
using spec::Expr;
using Fn = spec::Op;

Value FormulaBuilder::constant(TypedAttr value) {
  Value &known = constants[value];
  if (!known)
    known = arith::ConstantOp::create(b, value);
  return known;
}

Value FormulaBuilder::index(int64_t value) {
  return constant(b.getIndexAttr(value));
}

Value FormulaBuilder::zeroOf(spec::Type type) {
  spec::Type element = spec::elementType(type);
  if (element == spec::Type::Bool)
    return constant(b.getBoolAttr(false));
  return element == spec::Type::Int ? index(0) : constant(0);
}

// Keeps the types right, so that one formula may report several errors.
Value FormulaBuilder::refuse(const Expr &e) {
  hasFailed = true;
  emitError(b.getLoc()) << "'" << printFormula(spec, e)
                        << "' is not supported [unsupported]";
  return zeroOf(e.type);
}

Value FormulaBuilder::build(const Expr &e) {
  auto known = built.find(&e);
  if (known != built.end())
    return known->second;
  Location before = b.getLoc();
  b.setLoc(locations.at(e.range, before));
  Value value = buildNode(e);
  b.setLoc(before);
  built[&e] = value;
  return value;
}

/// Matrices are real, whatever the elements of the input.
Value FormulaBuilder::asReal(const Expr &e, Value element) {
  bool isElement = e.type == spec::Type::Matrix || e.kind == Expr::Element;
  return isElement && element.getType().isIndex() ? toReal(element) : element;
}

void FormulaBuilder::bind(const Expr &e, Value value) {
  if (e.type == spec::Type::Int && isa<FloatType>(value.getType())) { // a count
    Value whole = arith::FPToSIOp::create(b, b.getI64Type(), value);
    value = arith::IndexCastOp::create(b, b.getIndexType(), whole);
  }
  built[&e] = asReal(e, value);
}

void FormulaBuilder::bindElements(const Expr &e, ValueRange elements) {
  anyNode(e, [&](const Expr &node) {
    if (node.kind == Expr::Element && node.operands.empty() &&
        !built.contains(&node))
      bind(node, elements[node.index]);
    return false;
  });
}

Value FormulaBuilder::buildNode(const Expr &e) {
  switch (e.kind) {
  case Expr::Constant:
    if (e.type == spec::Type::Bool)
      return constant(b.getBoolAttr(e.boolean));
    return e.type == spec::Type::Int ? index(e.integer) : constant(e.real);
  case Expr::Variable:
    return buildVariable(e.variable);
  case Expr::Size:
    return buildSize(e.index);
  case Expr::Load: {
    SmallVector<Value> indices;
    for (const spec::ExprPtr &operand : e.operands)
      indices.push_back(build(*operand));
    if (spec::isVector(e.type) || e.type == spec::Type::Matrix)
      llvm::append_range(indices, scope.features);
    Value tensor = scope.inputs[e.index];
    if (cast<RankedTensorType>(tensor.getType()).getRank() !=
        int64_t(indices.size()))
      return refuse(e);
    Value element = attn::ReadOp::create(
        b, attn::scalarType(tensor.getType(), real), tensor, indices);
    return asReal(e, element);
  }
  case Expr::Apply:
    return buildApply(e);
  case Expr::Place:
    return scope.places[e.index];
  case Expr::Element: {
    if (e.operands.empty())
      break; // bound if known
    SmallVector<Value> indices;
    for (const spec::ExprPtr &operand : e.operands)
      indices.push_back(build(*operand));
    Value tensor = scope.operands[e.index];
    return attn::ReadOp::create(b, attn::scalarType(tensor.getType(), real),
                                tensor, indices);
  }
  case Expr::Row:
    break; // bound if known
  }
  return refuse(e);
}

Value FormulaBuilder::buildVariable(spec::Variable variable) {
  using spec::Variable;
  switch (variable) {
  case Variable::B:
    return scope.b;
  case Variable::G:
    return scope.h;
  case Variable::H: {
    const spec::Size &group = spec.sizes[spec::Group];
    if (group.kind == spec::Size::Fixed && group.value == 1)
      return scope.h; // g is 0
    Value first = arith::MulIOp::create(b, scope.h, buildSize(spec::Group));
    return arith::AddIOp::create(b, first, scope.g);
  }
  case Variable::I:
    return scope.i;
  case Variable::Q:
    return arith::AddIOp::create(b, scope.i, build(*spec.offset));
  case Variable::K:
    return scope.k;
  }
  llvm_unreachable("all variables are listed");
}

/// start[b + 1] - start[b]
Value FormulaBuilder::buildLength(const spec::Storage &storage) {
  Value start = scope.inputs[storage.table];
  Type type = b.getIndexType();
  Value next = arith::AddIOp::create(b, scope.b, index(1));
  Value end = attn::ReadOp::create(b, type, start, next);
  Value begin = attn::ReadOp::create(b, type, start, scope.b);
  return arith::SubIOp::create(b, end, begin);
}

Value FormulaBuilder::buildSize(unsigned i) {
  const spec::Size &size = spec.sizes[i];
  if (size.kind == spec::Size::Fixed)
    return index(size.value);
  if (size.kind == spec::Size::PerSequence)
    return buildLength(i == spec::QueryLen ? spec.queryStorage
                                           : spec.kvStorage);
  return attn::SizeOp::create(b, b.getIndexType(), size.name);
}

Value FormulaBuilder::buildApply(const Expr &e) {
  if (e.op == Fn::Dot || e.op == Fn::L2Norm) // contractions, bound if known
    return refuse(e);
  if (e.op == Fn::AlibiSlope)
    return alibiSlope(e, build(*e.operands[0]), e.operands[2]->real);
  if (e.op == Fn::T5Bucket)
    return t5Bucket(e, build(*e.operands[0]));
  SmallVector<Value, 3> x;
  for (const spec::ExprPtr &operand : e.operands)
    x.push_back(build(*operand));
  switch (e.op) {
  case Fn::ToReal:
    return toReal(x[0]);
  case Fn::Select:
    return arith::SelectOp::create(b, x[0], x[1], x[2]);
  case Fn::Not:
  case Fn::And:
  case Fn::Or:
    return buildLogic(e.op, x);
  case Fn::Eq:
  case Fn::Ne:
  case Fn::Lt:
  case Fn::Le:
  case Fn::Gt:
  case Fn::Ge:
    return buildCompare(e.op, x[0], x[1]);
  default:
    return spec::elementType(e.type) == spec::Type::Int ? buildInt(e, x)
                                                        : buildReal(e, x);
  }
}

Value FormulaBuilder::toReal(Value n) {
  Value wide = arith::IndexCastOp::create(b, b.getI64Type(), n);
  return arith::SIToFPOp::create(b, real, wide);
}

Value FormulaBuilder::buildLogic(Fn op, ArrayRef<Value> x) {
  if (op == Fn::And)
    return arith::AndIOp::create(b, x[0], x[1]);
  if (op == Fn::Or)
    return arith::OrIOp::create(b, x[0], x[1]);
  Value yes = constant(b.getBoolAttr(true));
  return arith::XOrIOp::create(b, x[0], yes);
}

// A comparison with a NaN is false, except !=, which is true.
Value FormulaBuilder::buildCompare(Fn op, Value x, Value y) {
  using I = arith::CmpIPredicate;
  using F = arith::CmpFPredicate;
  auto compare = [&](I ints, F reals) -> Value {
    if (isa<FloatType>(x.getType()))
      return arith::CmpFOp::create(b, reals, x, y);
    return arith::CmpIOp::create(b, ints, x, y);
  };
  switch (op) {
  case Fn::Eq:
    return compare(I::eq, F::OEQ);
  case Fn::Ne:
    return compare(I::ne, F::UNE);
  case Fn::Lt:
    return compare(I::slt, F::OLT);
  case Fn::Le:
    return compare(I::sle, F::OLE);
  case Fn::Gt:
    return compare(I::sgt, F::OGT);
  default:
    return compare(I::sge, F::OGE);
  }
}

Value FormulaBuilder::intPower(Value x, int64_t exponent) {
  Value power;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1)
      power = power ? arith::MulIOp::create(b, power, x).getResult() : x;
    if (exponent > 1)
      x = arith::MulIOp::create(b, x, x);
  }
  return power ? power : index(1);
}

Value FormulaBuilder::buildInt(const Expr &e, ArrayRef<Value> x) {
  switch (e.op) {
  case Fn::Neg:
    return arith::SubIOp::create(b, index(0), x[0]);
  case Fn::Add:
    return arith::AddIOp::create(b, x[0], x[1]);
  case Fn::Sub:
    return arith::SubIOp::create(b, x[0], x[1]);
  case Fn::Mul:
    return arith::MulIOp::create(b, x[0], x[1]);
  case Fn::FloorDiv: // the front end proves that the divisor is not 0
    return arith::FloorDivSIOp::create(b, x[0], x[1]);
  case Fn::Mod: {
    Value quotient = arith::FloorDivSIOp::create(b, x[0], x[1]);
    Value product = arith::MulIOp::create(b, quotient, x[1]);
    return arith::SubIOp::create(b, x[0], product);
  }
  case Fn::Pow:
    return intPower(x[0], e.operands[1]->integer);
  case Fn::Abs: {
    Value negated = arith::SubIOp::create(b, index(0), x[0]);
    return arith::MaxSIOp::create(b, x[0], negated);
  }
  case Fn::Sign: {
    Value low = arith::MaxSIOp::create(b, x[0], index(-1));
    return arith::MinSIOp::create(b, low, index(1));
  }
  case Fn::Min:
    return arith::MinSIOp::create(b, x[0], x[1]);
  case Fn::Max:
    return arith::MaxSIOp::create(b, x[0], x[1]);
  case Fn::Clamp: {
    Value low = arith::MaxSIOp::create(b, x[0], x[1]);
    return arith::MinSIOp::create(b, low, x[2]);
  }
  default:
    return refuse(e);
  }
}
