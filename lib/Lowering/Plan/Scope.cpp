//===- Scope.cpp - Values that a kernel's regions may use -----------------===//
//
// Tests: test/Lowering/Formula/view-indices.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Scope.h"

#include "attnc/Interface/SizeExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

static std::optional<SizeExpr> parseSize(Attribute size) {
  std::string error; // dims were verified where they were made
  if (auto number = dyn_cast_if_present<IntegerAttr>(size))
    return SizeExpr::constant(number.getInt());
  if (auto text = dyn_cast_if_present<StringAttr>(size))
    return SizeExpr::parse(text.getValue(), error);
  return std::nullopt;
}

bool Scope::knows(Attribute size) const {
  std::optional<SizeExpr> expr = parseSize(size);
  if (!expr)
    return false;
  return llvm::all_of(expr->sizeNames(), [&](const std::string &name) {
    return sizes.contains(name);
  });
}

static Value apply(OpBuilder &builder, Location loc, SizeExpr::Op op, Value lhs,
                   Value rhs) {
  switch (op) {
  case SizeExpr::Op::Add:
    return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  case SizeExpr::Op::Sub:
    return builder.createOrFold<arith::SubIOp>(loc, lhs, rhs);
  case SizeExpr::Op::Mul:
    return builder.createOrFold<arith::MulIOp>(loc, lhs, rhs);
  case SizeExpr::Op::FloorDiv:
    return builder.createOrFold<arith::FloorDivSIOp>(loc, lhs, rhs);
  case SizeExpr::Op::Mod: {
    Value floor = arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
    Value whole = arith::MulIOp::create(builder, loc, floor, rhs);
    return builder.createOrFold<arith::SubIOp>(loc, lhs, whole);
  }
  case SizeExpr::Op::Min:
    return builder.createOrFold<arith::MinSIOp>(loc, lhs, rhs);
  case SizeExpr::Op::Max:
    return builder.createOrFold<arith::MaxSIOp>(loc, lhs, rhs);
  case SizeExpr::Op::Constant:
  case SizeExpr::Op::Size:
    break;
  }
  llvm_unreachable("not a binary operator");
}

Value Scope::sizeOf(OpBuilder &builder, Location loc, Attribute size) const {
  SmallVector<Value> stack;
  std::optional<SizeExpr> expr = parseSize(size);
  for (const SizeExpr::Step &step : expr->postfix()) {
    if (step.op == SizeExpr::Op::Constant) {
      stack.push_back(arith::ConstantIndexOp::create(builder, loc, step.value));
    } else if (step.op == SizeExpr::Op::Size) {
      stack.push_back(sizes.lookup(step.name));
    } else {
      Value rhs = stack.pop_back_val(), lhs = stack.pop_back_val();
      stack.push_back(apply(builder, loc, step.op, lhs, rhs));
    }
  }
  return stack.back();
}

} // namespace attnc::lowering
