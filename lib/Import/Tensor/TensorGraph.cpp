//===- TensorGraph.cpp - Formulas of tensors as ops -----------------------===//

#include "Tensor/TensorGraph.h"

#include "Formula/SizeFormula.h"
#include "Storage/ImportStorage.h"
#include "Storage/PackedPositions.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Spec/Print.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::import;
using spec::Tensor;

Attribute TensorGraph::size(const spec::Expr &e) {
  std::optional<SizeExpr> expr = sizeFormula(spec, e);
  if (!expr) {
    hasFailed = true;
    emitError(locations.at(e.range, b.getLoc()))
        << "axis '" << printFormula(spec, e)
        << "' is not supported: integer arithmetic of sizes is [unsupported]";
  }
  SizeExpr resolved = interface.resolve(expr ? *expr : SizeExpr());
  if (std::optional<int64_t> number = resolved.constantValue())
    return b.getI64IntegerAttr(*number);
  return b.getStringAttr(resolved.str());
}

static Type elementOf(spec::DType dtype, MLIRContext *context) {
  return elementType(*attnc::parseDType(spec::dtypeName(dtype)), context);
}

RankedTensorType TensorGraph::typeOf(const Tensor &tensor) {
  SmallVector<Attribute> sizes;
  for (const spec::ExprPtr &axis : tensor.axes)
    sizes.push_back(size(*axis));
  return attn::tensorType(sizes, elementOf(tensor.dtype, b.getContext()));
}

Value TensorGraph::buildMap(const Tensor &tensor) {
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (const spec::TensorPtr &operand : tensor.operands) {
    operands.push_back(build(*operand));
    types.push_back(operands.back().getType());
  }
  RankedTensorType type = typeOf(tensor);
  types.push_back(type);
  Type real = attn::accumulateType(types);
  ArrayRef<Value> walked = ArrayRef(operands).drop_back(tensor.reads);
  return attn::MapOp::create(
      b, type, tensor.labels, walked,
      [&](OpBuilder &builder, Location loc, ValueRange x) {
        FormulaScope scope;
        scope.inputs = inputs;
        scope.places = x.drop_front(walked.size());
        scope.operands = operands;
        FormulaBuilder formula(builder, loc, locations, spec, real, scope);
        formula.bindElements(*tensor.formula, x.take_front(walked.size()));
        Value value = formula.build(*tensor.formula);
        hasFailed |= formula.failed();
        attn::YieldOp::create(builder, loc, value);
      });
}

Value TensorGraph::buildReduce(const Tensor &tensor, attn::RowKind kind) {
  Value source = build(*tensor.operands[0]);
  auto [letters, rest] = StringRef(tensor.labels).split("->");
  std::string over = letters.str();
  llvm::erase_if(over, [rest = rest](char c) { return rest.contains(c); });
  auto row = attn::RowAttr::get(b.getContext(), kind, 0);
  return attn::ReduceOp::create(b, TypeRange{typeOf(tensor)}, letters, over,
                                row, source, Value())
      .getRow();
}

Value TensorGraph::buildSoftmax(const Tensor &tensor) {
  SmallVector<Value> operands;
  for (const spec::TensorPtr &operand : tensor.operands)
    operands.push_back(build(*operand));
  RankedTensorType type = typeOf(tensor);
  SmallVector<Attribute> rows;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (tensor.labels[axis] != tensor.along)
      rows.push_back(attn::axisSize(type, axis));
  SmallVector<Type> types{operands[0].getType(), type};
  Type real = attn::accumulateType(types);
  return attn::NormalizeOp::create(b, type, attn::tensorType(rows, real),
                                   tensor.labels, StringRef(&tensor.along, 1),
                                   attn::NormAttr::softmax(b.getContext()),
                                   operands[0],
                                   operands.size() > 1 ? operands[1] : Value())
      .getWeights();
}

Value TensorGraph::buildAttention(const Tensor &tensor) {
  SmallVector<LetteredTensor, 3> rows;
  SmallVector<StringRef> labels;
  StringRef(tensor.labels).split(labels, ',');
  for (auto [operand, letters] : llvm::zip_equal(tensor.operands, labels))
    rows.push_back(lettered(build(*operand), rows.empty(),
                            letters.contains('b'), letters.contains('h')));
  return attention(tensor.attention.get(), rows);
}

/// q or k of each of all rows of a ragged side.
Value TensorGraph::buildPositions(const Tensor &tensor) {
  bool isQuery = tensor.row == spec::Row::Q;
  Value start = inputs[spec.storageOf(tensor.row).table];
  PackedRows rows{size(*spec::makeSize(spec::Batch)), size(*tensor.axes[0]),
                  start};
  return packedPositions(b, rows, typeOf(tensor),
                         [&](OpBuilder &builder, Location loc, Value sequence) {
                           FormulaScope scope;
                           scope.b = sequence;
                           scope.i = scope.k =
                               arith::ConstantIndexOp::create(builder, loc, 0);
                           scope.inputs = inputs;
                           FormulaBuilder formula(builder, loc, locations, spec,
                                                  builder.getF64Type(), scope);
                           spec::ExprPtr first = spec::makeVariable(
                               isQuery ? spec::Variable::Q : spec::Variable::K);
                           Value value = formula.build(*first);
                           hasFailed |= formula.failed();
                           return value;
                         });
}

Value TensorGraph::buildNode(const Tensor &tensor) {
  switch (tensor.kind) {
  case Tensor::Input:
    return inputs[tensor.index];
  case Tensor::Argument:
    return rowsOfTensors(b, b.getLoc(), spec.storageOf(tensor.row),
                         arguments[unsigned(tensor.row)]);
  case Tensor::Positions:
    return buildPositions(tensor);
  case Tensor::Result:
    return result;
  case Tensor::Map:
    return buildMap(tensor);
  case Tensor::Contract: {
    Value lhs = build(*tensor.operands[0]), rhs = build(*tensor.operands[1]);
    return attn::ContractOp::create(b, typeOf(tensor), tensor.labels, lhs, rhs);
  }
  case Tensor::Slice: {
    Value source = build(*tensor.operands[0]);
    RankedTensorType type = typeOf(tensor);
    int64_t size = type.getDimSize(StringRef(tensor.labels).find(tensor.along));
    return attn::SliceOp::create(b, type, tensor.labels, source,
                                 StringRef(&tensor.along, 1), tensor.offset,
                                 size);
  }
  case Tensor::Append: {
    Value cache = build(*tensor.operands[0]), rows = build(*tensor.operands[1]);
    Value at = inputs[tensor.index];
    StringRef labels = tensor.labels;
    size_t batch = cast<RankedTensorType>(at.getType()).getRank() == 1
                       ? labels.find('b')
                       : StringRef::npos;
    return attn::AppendOp::create(b, typeOf(tensor), labels, cache, rows,
                                  StringRef(&tensor.along, 1),
                                  labels.substr(batch, 1), at);
  }
  case Tensor::Concat: {
    SmallVector<Value> parts;
    for (const spec::TensorPtr &operand : tensor.operands)
      parts.push_back(build(*operand));
    return attn::ConcatOp::create(b, typeOf(tensor), tensor.labels,
                                  StringRef(&tensor.along, 1), parts);
  }
  case Tensor::Sum:
    return buildReduce(tensor, attn::RowKind::Sum);
  case Tensor::Greatest:
    return buildReduce(tensor, attn::RowKind::Max);
  case Tensor::Scan: {
    Value source = build(*tensor.operands[0]);
    return attn::ScanOp::create(b, typeOf(tensor), tensor.labels, source,
                                StringRef(&tensor.along, 1));
  }
  case Tensor::Softmax:
    return buildSoftmax(tensor);
  case Tensor::Attend:
    return buildAttention(tensor);
  case Tensor::View: {
    Value source = build(*tensor.operands[0]);
    return attn::ViewOp::create(b, typeOf(tensor), tensor.labels, source);
  }
  }
  llvm_unreachable("all kinds are listed");
}

Value TensorGraph::build(const Tensor &tensor) {
  if (Value known = built.lookup(&tensor))
    return known;
  Location before = b.getLoc();
  b.setLoc(locations.at(tensor.range, before));
  Value value = buildNode(tensor);
  b.setLoc(before);
  return built[&tensor] = value;
}

ArrayRef<Value> TensorGraph::buildTables() {
  for (const spec::Input &input : spec.inputs)
    if (input.made)
      inputs.push_back(build(*input.made));
  return inputs;
}

Value TensorGraph::buildAs(const Tensor &tensor, Type element) {
  Value value = build(tensor);
  bool isComputed =
      tensor.kind != Tensor::Input && tensor.kind != Tensor::Argument;
  if (getElementTypeOrSelf(value) == element && isComputed)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  std::string letters;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    letters += char('a' + axis);
  return attn::MapOp::create(
      b, type.clone(element), letters + "->" + letters, value,
      [](OpBuilder &builder, Location loc, ValueRange x) {
        attn::YieldOp::create(builder, loc, x.front());
      });
}

LetteredTensor TensorGraph::buildRow(spec::Row row) {
  const spec::RowTensor &defined = spec.rows[unsigned(row)];
  return lettered(build(*defined.tensor), row == spec::Row::Q, defined.hasBatch,
                  defined.hasHeads);
}

LetteredTensor TensorGraph::lettered(Value tensor, bool isQuery, bool hasBatch,
                                     bool hasHeads) {
  const spec::Storage &storage = isQuery ? spec.queryStorage : spec.kvStorage;
  if (storage.kind == spec::Storage::Ragged) {
    tensor = unpackedRows(b, b.getLoc(), storage, inputs,
                          size(*spec::makeSize(spec::Batch)), tensor);
    hasBatch = true;
  }
  std::string letters = isQuery ? "qd" : "kd", before = letters;
  if (hasHeads) {
    letters.insert(0, isQuery ? "hg" : "h");
    before.insert(0, isQuery ? "(hg)" : "h");
  }
  if (hasBatch) {
    letters.insert(0, "b");
    before.insert(0, "b");
  }
  if (before == letters)
    return {tensor, letters};
  SmallVector<Attribute> sizes;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    sizes.push_back(attn::axisSize(type, axis));
  unsigned head = hasBatch ? 1 : 0;
  sizes[head] = size(*spec::makeSize(spec::KvHeads));
  sizes.insert(sizes.begin() + head + 1, size(*spec::makeSize(spec::Group)));
  RankedTensorType split = attn::tensorType(sizes, type.getElementType());
  return {attn::ViewOp::create(b, split, before + "->" + letters, tensor),
          letters};
}
