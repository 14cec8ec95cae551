//===- VerifyKernel.cpp - Verifiers of attn.kernel ------------------------===//
//
// Comments name the constraint of AttnKernel.td that a test of the same name in
// test/Dialect/Attn/kernel-invalid.mlir violates.
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

using namespace mlir;
using namespace attnc::attn;

// Which of v, o and probabilities there are. (The parser gives the results by
// `normalize`; only the generic form can have others.)
static LogicalResult verifyParts(KernelOp op) { // kernel_c8
  if (bool(op.getV()) != bool(op.getO()))
    return op.emitOpError()
           << "has "
           << (op.getO() ? "a result o, but no v" : "a v, but no result o");
  if (bool(op.getV()) != op.getProbabilities().has_value())
    return op.emitOpError() << (op.getV() ? "needs 'probabilities': the type "
                                            "of weights that multiply v"
                                          : "has 'probabilities', but no v");
  NormAttr norm = op.getNorm();
  RowAttr row = op.getRowKind();
  bool isRank = row && row.getKind() == RowKind::Rank;
  bool needsDense = isa<DenseAttr>(op.getNormalize());
  if (op.getV() && !norm)
    return op.emitOpError()
           << "has a v, but " << op.getNormalize() << " gives no weights";
  bool isParts = norm && norm.isSoftmax() && !op.getO() && !op.getDense();
  bool hasRow = op.getRow() && !isParts;
  if (bool(op.getLse()) != bool(norm) || hasRow != bool(row) ||
      bool(op.getKey()) != isRank ||
      (!norm && bool(op.getDense()) != needsDense))
    return op.emitOpError()
           << "has other results than " << op.getNormalize() << " gives";
  return success();
}

static LogicalResult verifyElements(KernelOp op) { // kernel_c3
  for (auto [result, name] :
       {std::pair<Value, StringRef>{op.getLse(), "lse"}, {op.getRow(), "row"}})
    if (result &&
        getElementTypeOrSelf(result.getType()) != op.getAccumulateType())
      return op.emitOpError()
             << name << " must have the element type " << op.getAccumulateType()
             << ", got " << getElementTypeOrSelf(result.getType());
  std::optional<Type> probabilities = op.getProbabilities();
  if (probabilities &&
      !isa<Float64Type, Float32Type, Float16Type, BFloat16Type>(*probabilities))
    return op.emitOpError() << "probabilities must be f64, f32, f16 or bf16, "
                               "got "
                            << *probabilities;
  return success();
}

/// Each sum has features of its own.
static LogicalResult verifyOperands(KernelOp op, LetterSizes &sizes) {
  SmallVector<size_t> firsts; // where further sums begin among `products`
  size_t taken = 0;
  for (KernelOp::Sum &sum : op.getSums()) {
    if (taken != 0)
      firsts.push_back(2 * (taken - 1));
    taken += sum.rows.size();
  }
  size_t products = op.getNumOperands() - op.getProducts().size();
  for (auto [i, operand] : llvm::enumerate(op.getLetteredOperands())) {
    auto [tensor, letters] = operand;
    bool isProduct = i >= products, isRow = letters.contains('q');
    if (isProduct && llvm::is_contained(firsts, i - products))
      sizes.forget('f');
    StringRef name = isProduct
                         ? isRow ? "a row of 'products'" : "a key of 'products'"
                     : letters.contains('e') ? "v"
                     : isRow                 ? "q"
                                             : "k";
    if (failed(sizes.add(letters, tensor.getType(), name)))
      return failure(); // kernel_c1, kernel_c2, kernel_c11
  }
  return success();
}

LogicalResult KernelOp::verify() {
  if (getProducts().size() % 2 != 0) // kernel_c11
    return emitOpError() << "has " << getProducts().size()
                         << " tensors in 'products', expected two for each";
  unsigned taken = 0;
  for (Region &pair : getPairs())
    taken += countRows(pair);
  if (taken > 1 + getProducts().size() / 2) // kernel_c12
    return emitOpError() << "has " << 1 + getProducts().size() / 2
                         << " rows of queries, but 'pairs' take " << taken;
  LetterSizes sizes(*this);
  if (failed(verifyOperands(*this, sizes)))
    return failure();
  for (auto [result, letters] : getLetteredResults()) {
    StringRef name = result == getO()     ? "o"
                     : result == getLse() ? "lse"
                     : result == getRow() ? "row"
                     : result == getKey() ? "key"
                                          : "dense";
    if (failed(sizes.add(letters, result.getType(), name)))
      return failure(); // kernel_c1, kernel_c2
  }
  if (failed(verifyElements(*this)) || failed(verifyParts(*this)))
    return failure();
  if (!getScale().isFinite()) // kernel_c4
    return emitOpError() << "scale must be finite, got " << getScaleAttr();
  if (hasInit() && (!getNorm() || getNorm().getDivide() != NormDivide::Sum))
    return emitOpError() << "'init' is a part of the sum, but " // kernel_c9
                         << getNormalize() << " does not divide by it";
  if (hasValue() && !getV()) // kernel_c10
    return emitOpError("'value' is what keys contribute, but there is no v");
  if (hasGate() && !getV()) // kernel_c10
    return emitOpError("'gate' is a factor of what keys contribute, but there "
                       "is no v");
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  constexpr StringLiteral kNames[] = {"'score'",  "'mask'",   "'init'",
                                      "'ranges'", "'value'",  "'classify'",
                                      "'gate'",   "'select'", "'pairs'"};
  Type real = getAccumulateType(), index = IndexType::get(getContext());
  Type truth = IntegerType::get(getContext(), 1);
  Type yields[] = {real, truth, real, Type(), real, index, real, truth, real};
  for (auto [i, region] : llvm::enumerate((*this)->getRegions())) {
    size_t kind = std::min(i, std::size(kNames) - 1);
    StringRef name = kNames[kind];
    if (region.empty())
      continue;
    // kernel_c5
    if (failed(verifyArguments(*this, region, getBlockTypes(i), name)))
      return failure();
    if (&region == &getRanges()) { // kernel_c6
      if (!isa<YieldRangesOp>(region.front().back()))
        return emitOpError() << name << " must end with attn.yield_ranges";
    } else if (failed(verifyYield(*this, region, yields[kind], name))) {
      return failure();
    }
    if (failed(verifyFormula(*this, region, name))) // kernel_c7
      return failure();
  }
  return success();
}

LogicalResult YieldRangesOp::verify() {
  if (getBounds().size() % 4 != 0) // yield_ranges_c1
    return emitOpError() << "has " << getBounds().size()
                         << " values, expected four per segment";
  return success();
}
