//===- MaskRanges.cpp - Which keys a block of rows may see ----------------===//
//
// A causal kernel that visits every tile does twice the work, and mask code on
// tiles that need none costs 5 to 9 points of the peak. Which tiles these are
// depends on the size of the blocks, which nobody has chosen yet; so the answer
// is a formula of a block's first and last row:
//
//   mask {^bb0(%b: index, %h: index, %g: index, %q: index, %k: index):
//     %c = arith.cmpi sle, %k, %q : index
//     attn.yield %c : i1
//   }
// gets
//   ranges {^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
//     %c0 = arith.constant 0 : index
//     %c1 = arith.constant 1 : index
//     %all = arith.addi %q0, %c1 : index
//     %n = attn.size "kv_len"
//     %any = arith.minsi %q1, %n : index
//     attn.yield_ranges [(%c0, %c0, %all, %any)]
//   }
//
// The analysis is lib/Analysis/MaskRanges.cpp. A kernel that has ranges keeps
// them, so that a dump may be edited.
// Tests: test/Fusion/mask-ranges.mlir, test/Unit/Fusion/MaskRangesPassTest.cpp
//
//===----------------------------------------------------------------------===//

#include "attnc/Fusion/Passes.h"

#include "attnc/Analysis/MaskRegion.h"
#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Interface/SizeExpr.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace attnc;

namespace attnc::fusion {
#define GEN_PASS_DEF_MASKRANGES
#include "attnc/Fusion/Passes.h.inc"
} // namespace attnc::fusion

namespace {
/// Writes expressions as ops of arith at the end of a block, each once.
class RangeWriter {
public:
  /// `keyCount`: the extent of the key axis, a number or the name of a size.
  RangeWriter(OpBuilder &builder, Location loc, IndexExprs &exprs,
              const MaskRegion &mask, Attribute keyCount)
      : builder(builder), loc(loc), exprs(exprs), mask(mask),
        keyCount(keyCount) {}

  /// Maps the arguments (b, h, g) of the mask, and the rows q0 and q1.
  void begin(Block &from, Block &to);
  Value write(IndexExpr expr);

private:
  using Term = std::pair<IndexExpr, int64_t>;

  Value writeSize(StringAttr size);
  Value writeSymbol(unsigned number);
  Value writeSum(IndexExpr sum);
  SmallVector<Term> getTerms(IndexExpr sum);
  Value writeCondition(IndexExpr expr);
  Value writeSelect(IndexExpr expr);
  Value getConstant(int64_t value);
  Value copySlice(Value v);

  template <typename Op> Value create(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }

  OpBuilder &builder;
  Location loc;
  IndexExprs &exprs;
  const MaskRegion &mask;
  Attribute keyCount;
  IRMapping mapping;
  Value rowBegin, rowEnd;
  llvm::DenseMap<IndexExpr, Value> written, conditions;
  llvm::DenseMap<int64_t, Value> constants;
};
} // namespace

void RangeWriter::begin(Block &from, Block &to) {
  for (unsigned i : {0, 1, 2})
    mapping.map(from.getArgument(i), to.getArgument(i));
  rowBegin = to.getArgument(3);
  rowEnd = to.getArgument(4);
}

Value RangeWriter::getConstant(int64_t value) {
  Value &v = constants[value];
  if (!v)
    v = arith::ConstantIndexOp::create(builder, loc, value);
  return v;
}

/// Copies what computes `v` in the mask; the ops are pure and do not depend on
/// row or key.
Value RangeWriter::copySlice(Value v) {
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
Value RangeWriter::writeSize(StringAttr size) {
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

Value RangeWriter::writeSymbol(unsigned number) {
  switch (number) {
  case IndexExprs::RowBegin:
    return rowBegin;
  case IndexExprs::RowEnd:
    return rowEnd;
  case IndexExprs::KeyCount:
    if (auto fixed = dyn_cast<IntegerAttr>(keyCount))
      return getConstant(fixed.getInt());
    return writeSize(cast<StringAttr>(keyCount));
  default:
    return copySlice(mask.symbols[number - IndexExprs::NumReserved]);
  }
}

static bool usesBlockEnds(IndexExpr expr) {
  if (expr->kind == IndexNode::Kind::Symbol)
    return expr->value == IndexExprs::RowBegin ||
           expr->value == IndexExprs::RowEnd;
  return llvm::any_of(expr->operands, usesBlockEnds);
}

/// The terms of a sum, those that add before those that subtract. What does not
/// depend on the block's rows is one term: other bounds share it.
SmallVector<RangeWriter::Term> RangeWriter::getTerms(IndexExpr sum) {
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

Value RangeWriter::writeSum(IndexExpr sum) {
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
Value RangeWriter::writeCondition(IndexExpr expr) {
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

Value RangeWriter::writeSelect(IndexExpr expr) {
  Value condition;
  for (IndexExpr operand : llvm::drop_begin(expr->operands, 2)) {
    Value one = conditions.lookup(operand);
    if (!one)
      one = conditions[operand] = writeCondition(operand);
    condition = condition ? create<arith::AndIOp>(condition, one) : one;
  }
  Value yes = write(expr->operands[0]), no = write(expr->operands[1]);
  return arith::SelectOp::create(builder, loc, condition, yes, no);
}

Value RangeWriter::write(IndexExpr expr) {
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
  }
  return written[expr] = v;
}

static void addRanges(attn::KernelOp kernel) {
  // The extent must have a name to be compared with.
  Attribute keyCount = attn::axisSize(kernel.getK().getType(), 2);
  auto formula = dyn_cast_if_present<StringAttr>(keyCount);
  std::string error;
  if (!keyCount || (formula && !SizeExpr::parse(formula.getValue(), error))) {
    kernel.emitRemark("no ranges: the number of keys has no name [mask]");
    return;
  }
  IndexExprs exprs;
  Block &maskBlock = kernel.getMask().front();
  MaskRegion mask = readMaskRegion(exprs, maskBlock, keyCount);
  attnc::MaskRanges ranges = solveMask(exprs, mask.cases, mask.assumptions);

  OpBuilder builder(kernel.getContext());
  Location loc = maskBlock.getTerminator()->getLoc();
  SmallVector<Location> locs(5, loc);
  SmallVector<Type> types(5, builder.getIndexType());
  Block *block =
      builder.createBlock(&kernel.getRanges(), Region::iterator(), types, locs);
  RangeWriter writer(builder, loc, exprs, mask, keyCount);
  writer.begin(maskBlock, *block);
  SmallVector<Value> bounds;
  for (const KeySegment &s : ranges.segments)
    for (IndexExpr bound : {s.anyLo, s.allLo, s.allHi, s.anyHi})
      bounds.push_back(writer.write(bound));
  attn::YieldRangesOp::create(builder, loc, bounds);

  unsigned numOps =
      llvm::count_if(block->without_terminator(), [](Operation &op) {
        return !op.hasTrait<OpTrait::ConstantLike>();
      });
  auto count = [](unsigned n, StringRef word) {
    return std::to_string(n) + " " + word.str() + (n == 1 ? "" : "s");
  };
  InFlightDiagnostic remark = kernel.emitRemark();
  remark << count(ranges.segments.size(), "segment") << " of keys from "
         << count(numOps, "operation");
  if (ranges.numUnsolved == 0) {
    remark << " [mask]";
    return;
  }
  remark << "; " << count(ranges.numUnsolved, "condition")
         << " not solved, so every tile there runs the mask [mask]";
  if (mask.opaque)
    remark.attachNote(mask.opaque->getLoc())
        << "this is not a comparison of sums of positions";
}

namespace {
struct MaskRangesPass final
    : attnc::fusion::impl::MaskRangesBase<MaskRangesPass> {
  void runOnOperation() override {
    getOperation()->walk([](attn::KernelOp kernel) {
      if (!kernel.hasRanges())
        addRanges(kernel);
    });
  }
};
} // namespace
