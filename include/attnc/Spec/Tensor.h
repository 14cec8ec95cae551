//===- Tensor.h - A checked formula of tensors ----------------------------===//
//
// What `let` and `output` say of whole tensors, after the front end: names are
// resolved, functions are written out as few kinds of nodes, and every node has
// its axes. A tensor is a graph: nodes are immutable, and one that is used
// twice is one node.
//
// Axes meet by labels as in an einsum: one letter per axis, `abc,cd->abd`. The
// letters of two nodes have nothing to do with each other.
//
// Tests: test/Spec/Layers
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_SPEC_TENSOR_H
#define ATTNC_SPEC_TENSOR_H

#include "attnc/Spec/DType.h"
#include "attnc/Spec/Expr.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attnc::spec {

struct Tensor;
using TensorPtr = std::shared_ptr<const Tensor>;

struct AttentionFormulas;

struct Tensor {
  enum Kind : uint8_t {
    Input,     // AttentionSpec::inputs[index]
    Argument,  // the argument Q, K or V, by `row`: [batch, heads, rows, width],
               // of ragged rows [heads, rows of all, width]
    Result,    // O: the attention of the spec's Q, K and V
    Positions, // q (`row` is Q) or k of each of all rows of a ragged side
    Map,       // `formula` for each element, of operands' elements
    Contract,  // sum over the letters that the result lacks of the product of
               // two operands
    Append,    // the first operand, an input, with the rows of the second along
               // the axis `along`, from row inputs[index][b] on
    Slice,     // of axis `along`, from `offset` on
    Concat,    // operands behind each other along the axis `along`
    Softmax,   // along the axis `along`; the second operand, if any, says which
               // places take part
    Attend,    // the file's attention on three tensors that stand for Q, K, V:
               // the labels of their axes are letters of bhqd and bhkd
    Greatest,  // over the letter that the result lacks
    Sum,       // over the letter that the result lacks
    Scan,      // the sums up to each place of the axis `along`
    View, // the elements of one operand, `ab(cd)->acbd`: letters in brackets
          // share an axis, the first varies slowest
  };

  Kind kind = Input;
  DType dtype = DType::F32;  // of the elements, rounded once
  std::vector<ExprPtr> axes; // sizes, as formulas of sizes
  std::vector<TensorPtr> operands;
  std::string labels; // of a Slice, Append or Scan, letters of all tensors
  char along = 0;
  int64_t offset = 0;
  ExprPtr formula;    // Map: of Expr::Element, Expr::Place, sizes and inputs
  unsigned reads = 0; // Map: so many of the last operands have no label and are
                      // read where the formula says
  unsigned index = 0;
  Row row = Row::Q;
  /// Attend: of so many queries and keys. Null: the file's.
  std::shared_ptr<const AttentionFormulas> attention;
  llvm::SMRange range; // in the spec
};

/// Whether the argument Q, K or V occurs in the tensor.
bool usesArgument(const Tensor &tensor, Row row);

/// Whether the result of attention occurs in it.
bool usesResult(const Tensor &tensor);

/// Whether the tensor is made of what `attend` yields.
bool usesAttend(const Tensor &tensor);

/// What `let` says that Q, K or V is: [batch, heads, rows, width], where batch
/// and heads may be absent, if they are the same for all. Rows of a ragged side
/// are those of all sequences, without an axis of the batch.
struct RowTensor {
  TensorPtr tensor;
  bool hasBatch = true, hasHeads = true;
};

} // namespace attnc::spec

#endif // ATTNC_SPEC_TENSOR_H
