//===- TensorGraph.h - Formulas of tensors as ops ---------------*- C++ -*-===//
//
// Each node of a spec::Tensor is one op of the graph, with the node's labels:
//
//   x @ Wq          attn.contract "abd,dc->abc"
//   split_heads(X)  attn.view "ab(yz)->aybz"
//   x + y * w       attn.map "abc,abc,c->abc"
//
// A node that is used twice is one op. Tests: test/Import/Layers/layers.yaml
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_IMPORT_TENSOR_TENSORGRAPH_H
#define ATTNC_LIB_IMPORT_TENSOR_TENSORGRAPH_H

#include "Formula/FormulaBuilder.h"
#include "Tensor/RowFormulas.h"

#include "attnc/Interface/Interface.h"

#include <functional>

namespace attnc::import {

class TensorGraph {
public:
  /// Ops are made at the builder's place. `arguments` are Q, K and V of the
  /// function, null for those that it has not.
  TensorGraph(mlir::ImplicitLocOpBuilder &builder,
              const SourceLocations &locations, const spec::AttentionSpec &spec,
              const Interface &interface, llvm::ArrayRef<mlir::Value> arguments,
              mlir::ValueRange inputs)
      : b(builder), locations(locations), spec(spec), interface(interface),
        arguments(arguments), inputs(inputs.begin(), inputs.end()) {}

  /// The inputs of the call, and behind them what `let` makes for formulas.
  llvm::ArrayRef<mlir::Value> buildTables();

  mlir::Value build(const spec::Tensor &tensor);
  /// The same with this type of elements.
  mlir::Value buildAs(const spec::Tensor &tensor, mlir::Type element);
  /// What let says a row is, with the letters that row formulas have for it.
  LetteredTensor buildRow(spec::Row row);
  /// Attention of Q, K, V with the letters of row formulas, [batch, heads,
  /// rows, features], for nodes that ask for it; null: by the file's formulas.
  using Attention = std::function<mlir::Value(
      const spec::AttentionFormulas *formulas, llvm::ArrayRef<LetteredTensor>)>;
  void setAttention(Attention build) { attention = std::move(build); }
  /// O, once it is there.
  void setResult(mlir::Value o) { result = o; }
  bool failed() const { return hasFailed; }

private:
  mlir::Value buildNode(const spec::Tensor &tensor);
  mlir::Value buildMap(const spec::Tensor &tensor);
  mlir::Value buildReduce(const spec::Tensor &tensor, attn::RowKind kind);
  mlir::Value buildSoftmax(const spec::Tensor &tensor);
  mlir::Value buildAttention(const spec::Tensor &tensor);
  mlir::Value buildPositions(const spec::Tensor &tensor);
  LetteredTensor lettered(mlir::Value tensor, bool isQuery, bool hasBatch,
                          bool hasHeads);
  mlir::Attribute size(const spec::Expr &e);
  mlir::RankedTensorType typeOf(const spec::Tensor &tensor);

  mlir::ImplicitLocOpBuilder &b;
  const SourceLocations &locations;
  const spec::AttentionSpec &spec;
  const Interface &interface;
  llvm::SmallVector<mlir::Value, 3> arguments;
  llvm::SmallVector<mlir::Value> inputs; // of spec.inputs
  mlir::Value result;
  Attention attention;
  llvm::DenseMap<const spec::Tensor *, mlir::Value> built;
  bool hasFailed = false;
};

} // namespace attnc::import

#endif // ATTNC_LIB_IMPORT_TENSOR_TENSORGRAPH_H
