//===- IndexWriter.cpp - Write index expressions as ops -------------------===//
//
// Tests: test/Fusion/mask-ranges.mlir, test/Fusion/classify-tiles.mlir
//
//===----------------------------------------------------------------------===//

#include "Mask/IndexWriter.h"

#include "attnc/Interface/Interface.h"
#include "attnc/Interface/SizeExpr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace attnc::fusion {

Attribute keyCountOf(attn::KernelOp kernel) {
  Attribute keyCount =
      attn::axisSize(kernel.getK().getType(), kernel.getKeyAxis());
  auto formula = dyn_cast_if_present<StringAttr>(keyCount);
  std::string error;
  if (formula && !SizeExpr::parse(formula.getValue(), error))
    return {};
  return keyCount;
}

/// The least and the greatest value of a number or a size.
static std::optional<std::pair<int64_t, int64_t>>
boundsOf(const SizeExpr &size) {
  if (std::optional<int64_t> value = size.constantValue())
    return std::make_pair(*value, *value);
  if (size.sizeName())
    return std::make_pair(int64_t(0), IndexExprs::maxSize);
  return std::nullopt;
}

TableFactsOf tableFactsOf(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  std::vector<InterfaceTensor> tensors;
  if (module && module->hasAttr(kInterfaceAttr))
    if (auto interfaces = getInterfaces(module); succeeded(interfaces))
      if (const Interface *interface =
              findInterface(*interfaces, function.getName()))
        tensors = interface->tensors;
  return [function, tensors](Value table) mutable {
    auto argument = dyn_cast<BlockArgument>(table);
    if (!argument || argument.getOwner() != &function.getBody().front() ||
        argument.getArgNumber() >= tensors.size())
      return TableFacts();
    const InterfaceTensor &tensor = tensors[argument.getArgNumber()];
    TableFacts facts{tensor.nondecreasing, std::nullopt};
    if (tensor.range) {
      auto low = boundsOf(tensor.range->first);
      auto high = boundsOf(tensor.range->second);
      if (low && high)
        facts.range = {low->first, high->second};
    }
    return facts;
  };
}

IndexWriter::IndexWriter(OpBuilder &builder, Location loc, IndexExprs &exprs,
                         const MaskRegion &mask, Attribute keyCount, Block &to)
    : builder(builder), loc(loc), exprs(exprs), mask(mask), keyCount(keyCount) {
  constexpr unsigned kEnds[] = {IndexExprs::RowBegin, IndexExprs::RowEnd,
                                IndexExprs::KeyBegin, IndexExprs::KeyEnd};
  for (unsigned i : {0, 1, 2})
    mapping.map(mask.block->getArgument(i), to.getArgument(i));
  for (auto [symbol, argument] :
       llvm::zip(kEnds, to.getArguments().drop_front(3)))
    written[exprs.symbol(symbol)] = argument;
}

Value IndexWriter::getConstant(int64_t value) {
  Value &v = constants[value];
  if (!v)
    v = arith::ConstantIndexOp::create(builder, loc, value);
  return v;
}

/// Copies what computes `v` in the mask; the ops are pure and do not depend on
/// row or key.
Value IndexWriter::copySlice(Value v) {
  if (Value copy = mapping.lookupOrNull(v))
    return copy;
  Operation *op = v.getDefiningOp();
  if (!op || op->getParentRegion() != mask.block->getParent())
    return v; // a tensor that is read
  for (Value operand : op->getOperands())
    copySlice(operand);
  auto size = dyn_cast<attn::SizeOp>(op);
  if (auto constant = dyn_cast<arith::ConstantIndexOp>(op))
    mapping.map(v, getConstant(constant.value()));
  else if (size && size.getNameAttr() == keyCount)
    mapping.map(v, write(exprs.symbol(IndexExprs::KeyCount)));
  else
    builder.clone(*op, mapping);
  return mapping.lookup(v);
}

static Value apply(OpBuilder &b, Location loc, SizeExpr::Op op, Value lhs,
                   Value rhs) {
  switch (op) {
  case SizeExpr::Op::Constant:
  case SizeExpr::Op::Size:
    break;
  case SizeExpr::Op::Add:
    return arith::AddIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Op::Sub:
    return arith::SubIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Op::Mul:
    return arith::MulIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Op::FloorDiv:
    return arith::FloorDivSIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Op::Mod: { // with the sign of the divisor
    Value quotient = arith::FloorDivSIOp::create(b, loc, lhs, rhs);
    Value product = arith::MulIOp::create(b, loc, quotient, rhs);
    return arith::SubIOp::create(b, loc, lhs, product);
  }
  case SizeExpr::Op::Min:
    return arith::MinSIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Op::Max:
    return arith::MaxSIOp::create(b, loc, lhs, rhs);
  }
  llvm_unreachable("operands are no operations");
}

/// The value of a size, or of a formula of sizes such as `query_len * 2`.
Value IndexWriter::writeSize(StringAttr size) {
  std::string error;
  std::optional<SizeExpr> expr = SizeExpr::parse(size.getValue(), error);
  SmallVector<Value> stack;
  for (const SizeExpr::Step &step : expr->postfix()) {
    if (step.op == SizeExpr::Op::Constant) {
      stack.push_back(getConstant(step.value));
    } else if (step.op == SizeExpr::Op::Size) {
      stack.push_back(attn::SizeOp::create(builder, loc, builder.getIndexType(),
                                           builder.getStringAttr(step.name)));
    } else {
      Value rhs = stack.pop_back_val(), lhs = stack.pop_back_val();
      stack.push_back(apply(builder, loc, step.op, lhs, rhs));
    }
  }
  return stack.back();
}

Value IndexWriter::writeSymbol(unsigned number) {
  if (number == IndexExprs::KeyCount) {
    if (auto fixed = dyn_cast<IntegerAttr>(keyCount))
      return getConstant(fixed.getInt());
    return writeSize(cast<StringAttr>(keyCount));
  }
  Value v = copySlice(mask.symbols[number - IndexExprs::NumReserved]);
  if (!v.getType().isInteger(1))
    return v;
  return arith::SelectOp::create(builder, loc, v, getConstant(1),
                                 getConstant(0));
}

/// An element of a table or the end of a part of it.
Value IndexWriter::writeTable(IndexExpr expr) {
  Value table = mask.tables[expr->value];
  SmallVector<Value> operands;
  for (IndexExpr operand : expr->operands)
    operands.push_back(write(operand));
  ArrayRef<Value> places = operands;
  Type index = builder.getIndexType();
  if (expr->kind == IndexNode::Kind::LowerBound)
    return attn::LowerBoundOp::create(builder, loc, index, table,
                                      places.drop_back(), places.back());
  ArrayRef<Value> first = places, last = places;
  if (expr->kind == IndexNode::Kind::Read) {
    Type type = attn::scalarType(table.getType(), builder.getF32Type());
    if (type == index)
      return attn::ReadOp::create(builder, loc, index, table, places);
  } else { // first and last places
    first = places.take_front(places.size() / 2);
    last = places.drop_front(first.size());
  }
  if (expr->kind == IndexNode::Kind::TableMax)
    return attn::TableMaxOp::create(builder, loc, index, table, first, last);
  return attn::TableMinOp::create(builder, loc, index, table, first, last);
}

static bool usesBlockEnds(IndexExpr expr) {
  if (expr->kind == IndexNode::Kind::Symbol)
    return expr->value == IndexExprs::RowBegin ||
           expr->value == IndexExprs::RowEnd ||
           expr->value == IndexExprs::KeyBegin ||
           expr->value == IndexExprs::KeyEnd;
  return llvm::any_of(expr->operands, usesBlockEnds);
}

/// The terms of a sum, those that add before those that subtract. What does not
/// depend on the block's rows is one term: other bounds share it.
SmallVector<IndexWriter::Term> IndexWriter::getTerms(IndexExpr sum) {
  SmallVector<Term> terms;
  IndexExpr fixed = exprs.constant(0);
  for (auto [operand, factor] : llvm::zip_equal(sum->operands, sum->factors)) {
    terms.push_back({operand, factor});
    if (!usesBlockEnds(operand))
      fixed = exprs.add(fixed, exprs.scale(operand, factor));
  }
  llvm::erase_if(terms, [](Term t) { return !usesBlockEnds(t.first); });
  if (terms.empty()) { // all of it is fixed
    for (auto [operand, factor] : llvm::zip_equal(sum->operands, sum->factors))
      terms.push_back({operand, factor});
  } else if (!fixed->isConstant()) {
    bool isNegative =
        fixed->kind == IndexNode::Kind::Sum &&
        llvm::all_of(fixed->factors, [](int64_t f) { return f < 0; });
    int64_t sign = isNegative ? -1 : 1;
    terms.push_back({exprs.scale(fixed, sign), sign});
  }
  SmallVector<Term> ordered;
  for (bool subtracts : {false, true})
    llvm::copy_if(terms, std::back_inserter(ordered),
                  [&](Term t) { return (t.second < 0) == subtracts; });
  return ordered;
}

Value IndexWriter::writeSum(IndexExpr sum) {
  SmallVector<Term> terms = getTerms(sum);
  if (terms.front().second > 0 && sum->value != 0) // others share the terms
    return create<arith::AddIOp>(write(exprs.add(sum, -sum->value)),
                                 getConstant(sum->value));
  Value result = terms.front().second > 0 ? Value() : getConstant(sum->value);
  for (auto [operand, factor] : terms) {
    Value term = write(operand);
    if (std::abs(factor) != 1)
      term = create<arith::MulIOp>(term, getConstant(std::abs(factor)));
    if (!result)
      result = term;
    else
      result = factor < 0 ? create<arith::SubIOp>(result, term)
                          : create<arith::AddIOp>(result, term);
  }
  return result;
}

/// `expr >= 0` as i1.
Value IndexWriter::writeAtLeastZero(IndexExpr expr) {
  if (Value known = conditions.lookup(expr))
    return known;
  return conditions[expr] = writeNewCondition(expr);
}

Value IndexWriter::writeNewCondition(IndexExpr expr) {
  // A condition of the mask is a symbol that is 1 where it holds.
  for (bool negated : {false, true}) {
    IndexExpr symbol = negated ? exprs.scale(expr, -1) : exprs.add(expr, 1);
    if (symbol->kind != IndexNode::Kind::Symbol ||
        symbol->value < IndexExprs::NumReserved)
      continue;
    Value v = mask.symbols[symbol->value - IndexExprs::NumReserved];
    if (!v.getType().isInteger(1))
      continue;
    v = copySlice(v);
    if (!negated)
      return v;
    Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
    return create<arith::XOrIOp>(v, yes);
  }
  int64_t constant = expr->kind == IndexNode::Kind::Sum ? expr->value : 0;
  IndexExpr rest = exprs.add(expr, -constant);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                               write(rest), getConstant(-constant));
}

Value IndexWriter::writeSelect(IndexExpr expr) {
  Value condition;
  for (IndexExpr operand : llvm::drop_begin(expr->operands, 2)) {
    Value one = writeAtLeastZero(operand);
    condition = condition ? create<arith::AndIOp>(condition, one) : one;
  }
  Value yes = write(expr->operands[0]), no = write(expr->operands[1]);
  return arith::SelectOp::create(builder, loc, condition, yes, no);
}

Value IndexWriter::write(IndexExpr expr) {
  if (Value v = written.lookup(expr))
    return v;
  auto at = [&](unsigned i) { return write(expr->operands[i]); };
  Value v;
  switch (expr->kind) {
  case IndexNode::Kind::Constant:
    v = getConstant(expr->value);
    break;
  case IndexNode::Kind::Symbol:
    v = writeSymbol(expr->value);
    break;
  case IndexNode::Kind::Sum:
    v = writeSum(expr);
    break;
  case IndexNode::Kind::Product:
    v = create<arith::MulIOp>(at(0), at(1));
    break;
  case IndexNode::Kind::FloorDiv:
    v = create<arith::FloorDivSIOp>(at(0), at(1));
    break;
  case IndexNode::Kind::Min:
    v = create<arith::MinSIOp>(at(0), at(1));
    break;
  case IndexNode::Kind::Max:
    v = create<arith::MaxSIOp>(at(0), at(1));
    break;
  case IndexNode::Kind::Select:
    v = writeSelect(expr);
    break;
  case IndexNode::Kind::Read:
  case IndexNode::Kind::TableMin:
  case IndexNode::Kind::TableMax:
  case IndexNode::Kind::LowerBound:
    v = writeTable(expr);
    break;
  }
  return written[expr] = v;
}

} // namespace attnc::fusion
