//===- StateOutput.cpp - The running state as ops -------------------------===//
//
//   %s = attn.contract "bhkd,bhke->bhde" (%keys, %V) where "bhk" (%allowed)
//   %z = attn.contract "bhkd,k->bhd" (%keys, ones) where "bhk" (%allowed)
//   %state = attn.map "bhd->bhde" (%z) { e < value_dim ? %s[b, h, d, e] : %z }
//
// Sums over keys are f64, as they are where products are reordered, so that a
// state of many keys keeps its digits; the sums of both are then one.
// Tests: test/Import/Storage/state.yaml
//
//===----------------------------------------------------------------------===//

#include "Tensor/StateOutput.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::import;

Value attnc::import::stateKeys(RowFormulas &rows,
                               const spec::AttentionSpec &spec,
                               const spec::StateFormula &state, Type real) {
  LetteredTensor keys = rows.vector(*state.keys);
  auto element =
      dyn_cast<FloatType>(getElementTypeOrSelf(keys.tensor.getType()));
  if (keys.letters == "bhkd" && element &&
      element.getWidth() <= real.getIntOrFloatBitWidth())
    return keys.tensor;
  FormulaLeaves leaves;
  leaves.nodes.push_back({state.keys.get(), 0});
  leaves.tensors.push_back(keys);
  return rows.map(
      "bhkd", rows.type("bhkd", spec.axesOf(*state.keys), real), leaves,
      [&](FormulaBuilder &formula) { return formula.build(*state.keys); });
}

/// `left` times `right`, summed over the allowed keys.
static Value sumOverKeys(ImplicitLocOpBuilder &b, const StateParts &parts,
                         Value right, StringRef rightLetters, StringRef result,
                         ArrayRef<Attribute> sizes) {
  Type type = attn::tensorType(sizes, b.getF64Type());
  std::string labels = ("bhkd," + rightLetters + "->" + result).str();
  if (!parts.allowed)
    return attn::ContractOp::create(b, type, labels, parts.keys, right);
  return attn::ContractOp::create(b, type, b.getStringAttr(labels), parts.keys,
                                  right, b.getStringAttr("bhk"), parts.allowed);
}

/// A one for each key.
static Value ones(ImplicitLocOpBuilder &b, Value keys, Type real) {
  Type type = attn::tensorType(attn::axisSize(keys.getType(), 2), real);
  return attn::MapOp::create(b, type, "->k", ValueRange(),
                             [&](OpBuilder &inner, Location loc, ValueRange) {
                               Value one = arith::ConstantOp::create(
                                   inner, loc, FloatAttr::get(real, 1.0));
                               attn::YieldOp::create(inner, loc, one);
                             });
}

/// Rounds the sums, and puts those of keys behind those with values.
static Value joined(ImplicitLocOpBuilder &b, Value values, Value sums,
                    RankedTensorType type, Attribute columns) {
  auto body = [&](OpBuilder &inner, Location loc, ValueRange x) {
    Value element = x[0];
    if (sums) {
      Value read = attn::ReadOp::create(inner, loc, inner.getF64Type(), values,
                                        x.drop_front());
      Value count = arith::ConstantOp::create(
          inner, loc, inner.getIndexAttr(cast<IntegerAttr>(columns).getInt()));
      Value inside = arith::CmpIOp::create(
          inner, loc, arith::CmpIPredicate::slt, x.back(), count);
      element = arith::SelectOp::create(inner, loc, inside, read, x[0]);
    }
    attn::YieldOp::create(inner, loc, element);
  };
  return attn::MapOp::create(b, type, sums ? "bhd->bhde" : "bhde->bhde",
                             sums ? sums : values, body);
}

Value attnc::import::buildState(ImplicitLocOpBuilder &b,
                                const StateParts &parts,
                                RankedTensorType type) {
  SmallVector<Attribute> sizes;
  for (unsigned axis = 0; axis < 3; ++axis)
    sizes.push_back(attn::axisSize(type, axis));
  Attribute columns = attn::axisSize(
      parts.values.tensor.getType(),
      cast<RankedTensorType>(parts.values.tensor.getType()).getRank() - 1);
  Value sums;
  if (parts.hasSum)
    sums = sumOverKeys(b, parts, ones(b, parts.keys, type.getElementType()),
                       "k", "bhd", sizes);
  sizes.push_back(columns);
  Value values = sumOverKeys(b, parts, parts.values.tensor,
                             parts.values.letters, "bhde", sizes);
  return joined(b, values, sums, type, columns);
}
