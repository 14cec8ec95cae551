//===- TensorChecker.h - Formulas of whole tensors ------------------------===//
//
// `let` and `output` speak of tensors: inputs, Q, K, V and O without indices.
// What is computed element by element is a formula of elements, checked like
// any other one (Checker); what rearranges or sums axes is a node of its own.
// Functions of layers are written out here, so that later stages know a few
// kinds of nodes and no function.
//
// Tests: test/Spec/Layers
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_TENSOR_TENSORCHECKER_H
#define ATTNC_LIB_SPEC_TENSOR_TENSORCHECKER_H

#include "Check/Checker.h"
#include "Reader/AttendLengths.h"
#include "Tensor/RopeScaling.h"
#include "Tensor/TensorShapes.h"

#include <map>
#include <set>
#include <string>

namespace attnc::spec {

class TensorChecker {
public:
  TensorChecker(AttentionSpec &spec, Report &report, NameUse &use)
      : spec(spec), report(report), use(use), shapes(spec) {}

  /// Whether an entry of `let` has a function that only tensors have.
  bool isOfTensors(const Definition &definition);
  /// Whether rows of keys or values are made of rows of queries, or the other
  /// way round: there is no such row of a pair, but a tensor of them.
  bool crossesSides(Row row, const Definition &definition);
  /// What Q, K or V is; an empty one after an error.
  RowTensor checkRow(Row row);
  /// What is made of O; null after an error.
  TensorPtr checkOutput(const Node &node);
  /// The entry of `let` as a further output; null after an error.
  TensorPtr checkExtra(const Node &name);
  /// See NameUse::tensor.
  bool findTable(const Node &name, std::optional<unsigned> &input);
  /// What `attend` is asked for besides the file's query_len and kv_len.
  llvm::ArrayRef<OtherRows> otherRows() const { return others; }

private:
  /// A tensor, or a formula of sizes and of inputs without axes.
  struct Value {
    TensorPtr tensor;
    ExprPtr scalar;
    explicit operator bool() const { return tensor || scalar; }
  };
  using Environment = std::map<std::string, Value>; // parameters of a macro

  // CheckTensors.cpp
  Value visit(const Node &node);
  TensorPtr visitTensor(const Node &node);
  TensorPtr asOutput(const Node &node);
  std::optional<Value> visitLeaf(const Node &node);
  std::optional<Value> visitName(const Node &node);
  Value visitElements(const Node &node);
  Value visitInput(unsigned index, const Node &node);
  Value visitRow(Row row, const Node &node);
  Value visitDefinition(const Node &node);
  Value expand(const Node &node);
  Value evaluate(Definition &definition, Environment arguments);
  using Seen = std::set<std::string>; // entries of `let`
  bool usesTensors(const Node &node, Seen &seen);
  bool entryUsesTensors(const std::string &name, Seen &seen);
  bool namesRow(const Node &node, llvm::function_ref<bool(Row)> is, Seen &seen);

  // TensorElements.cpp
  TensorPtr map(const ExprPtr &formula, std::vector<TensorPtr> operands,
                llvm::SMRange range, std::optional<DType> dtype = std::nullopt);
  bool isPartOfFormula(const Node &node) const;
  TensorPtr withoutRounding(const TensorPtr &tensor) const;
  bool shapeOf(const Expr &e, llvm::ArrayRef<TensorPtr> operands, Axes &axes);
  TensorPtr mapOver(Axes axes, const ExprPtr &formula,
                    std::vector<TensorPtr> operands, llvm::SMRange range,
                    std::optional<DType> dtype = std::nullopt);
  TensorPtr asReal(const TensorPtr &tensor);

  // TensorProducts.cpp
  Value visitProduct(const Node &node);
  Value visitTranspose(const Node &node);
  TensorPtr matmul(const TensorPtr &a, const TensorPtr &b, const Node &node);
  TensorPtr contract(std::string labels, Axes axes, const TensorPtr &a,
                     const TensorPtr &b, llvm::SMRange range);

  // TensorFunctions.cpp
  Value call(const Node &node, const FunctionInfo &function);
  TensorPtr splitHeads(const TensorPtr &x, const ExprPtr &n, const Node &node);
  TensorPtr mergeHeads(const TensorPtr &x, const Node &node);
  TensorPtr view(std::string labels, Axes axes, const TensorPtr &x,
                 llvm::SMRange range);
  ExprPtr countArgument(const Node *node, llvm::StringRef byDefault,
                        llvm::SMRange place);

  // TensorNorms.cpp
  TensorPtr norm(const Node &node, const FunctionInfo &function,
                 llvm::ArrayRef<const Node *> bound);
  TensorPtr sumOfRows(const TensorPtr &x, bool squares, llvm::SMRange range);
  bool addFactor(const Node *node, Op op, ExprPtr &formula,
                 std::vector<TensorPtr> &operands);
  ExprPtr numberArgument(const Node *node, llvm::StringRef byDefault,
                         const Node &call, llvm::StringRef name);

  // TensorPieces.cpp
  TensorPtr slice(const TensorPtr &x, unsigned axis, int64_t offset,
                  const ExprPtr &size, llvm::SMRange range);
  TensorPtr splitLast(const TensorPtr &x, const ExprPtr &slow,
                      const ExprPtr &fast, llvm::SMRange range);
  TensorPtr mergeLast(const TensorPtr &x, const ExprPtr &size,
                      llvm::SMRange range);
  std::vector<TensorPtr> split(const Node &node);
  TensorPtr onlyPiece(const Node &node);
  Value visitPart(Definition &definition, const Node &node);
  TensorPtr concat(const Node &node, llvm::ArrayRef<const Node *> bound);
  std::optional<size_t> axesFrom(const ExprPtr &name,
                                 llvm::ArrayRef<TensorPtr> parts) const;
  ExprPtr sumOfSizes(llvm::ArrayRef<ExprPtr> sizes, llvm::SMRange range);
  TensorPtr concatAlong(std::vector<TensorPtr> parts,
                        llvm::ArrayRef<unsigned> along, const ExprPtr &size,
                        const Node &node);

  // TensorCaches.cpp
  TensorPtr cached(const Node &node, llvm::ArrayRef<const Node *> bound);
  ExprPtr placeArgument(const Node &node);
  std::optional<unsigned> cacheAxis(const TensorPtr &cache, const Node &node);
  TensorPtr rowsFor(const TensorPtr &cache, unsigned axis, const Node &node);
  bool boundPlace(unsigned table, const ExprPtr &rows, llvm::SMRange place);

  // TensorEinsum.cpp
  TensorPtr einsum(const Node &node, llvm::ArrayRef<const Node *> bound);
  TensorPtr einsumOfOne(TensorPtr x, std::string letters,
                        llvm::StringRef result, const Node &node);
  TensorPtr diagonal(TensorPtr x, std::string &letters, const Node &node);
  TensorPtr multiplyAll(std::vector<std::string> lists,
                        std::map<char, ExprPtr> &sizes,
                        std::vector<TensorPtr> operands, const Node &node);

  // TensorRope.cpp
  TensorPtr rope(const Node &node, llvm::ArrayRef<const Node *> bound);
  std::optional<bool> countsKeys(const ExprPtr &rows) const;
  TensorPtr ownPositions(const TensorPtr &x, const Node &node);
  std::optional<RopeScaling> ropeScaling(const Node &node,
                                         std::vector<TensorPtr> &divisors);
  bool areOfPairs(llvm::ArrayRef<TensorPtr> divisors, int64_t pairs,
                  const Node &node);
  bool rotations(const TensorPtr &positions, double base, int64_t pairs,
                 bool isInterleaved, const RopeScaling &scaling,
                 llvm::ArrayRef<TensorPtr> divisors, const Node &node,
                 TensorPtr (&turned)[2]);
  std::vector<TensorPtr> rotateHalves(const TensorPtr &x,
                                      const TensorPtr (&turned)[2],
                                      const Node &node);
  TensorPtr rotateNeighbours(const TensorPtr &x, const TensorPtr (&turned)[2],
                             const Node &node);
  TensorPtr rotate(const TensorPtr &x, int64_t pairs, bool isInterleaved,
                   const TensorPtr (&turned)[2], const Node &node);

  // TensorMatrices.cpp
  void fixRows(SourceDiagnostic &error, BuiltinSize length);
  RowTensor asRow(const TensorPtr &tensor, Row row, const ExprPtr &rows,
                  llvm::SMRange place, llvm::StringRef name);
  std::optional<OtherRows> findOtherRows(const ExprPtr &queries,
                                         const ExprPtr &keys, const Node &node);
  TensorPtr attend(llvm::ArrayRef<const Node *> bound, const Node &node);
  TensorPtr softmax(const Node &node);
  TensorPtr segmentMean(llvm::ArrayRef<const Node *> bound, const Node &node);
  TensorPtr runningSum(llvm::ArrayRef<const Node *> bound, const Node &node);
  /// What goes on along an axis of rows, and what a caller can do instead.
  struct AlongRows {
    llvm::StringRef argument, result, remedy;
  };
  bool isOfOneSequence(const TensorPtr &x, llvm::ArrayRef<ExprPtr> sizes,
                       llvm::SMRange place, const AlongRows &use);
  std::optional<unsigned> axisOfRows(const Node *axis, const TensorPtr &x,
                                     const Node &node);
  TensorPtr pseudoInverse(llvm::ArrayRef<const Node *> bound, const Node &node);
  TensorPtr asOneRow(const TensorPtr &x, llvm::SMRange range);
  TensorPtr reduced(Tensor::Kind kind, const TensorPtr &x, unsigned axis,
                    llvm::SMRange range);
  TensorPtr identity(const ExprPtr &n, const Node &node);
  TensorPtr diagonalLess(double diagonal, const TensorPtr &x);

  std::string shapeText(const TensorPtr &tensor) const {
    return shapes.text(tensor->axes);
  }
  /// Notes at the inputs that a tensor is made of, where they are declared.
  void noteInputs(SourceDiagnostic &error,
                  std::initializer_list<const Tensor *> tensors);
  Checker elementChecker(std::vector<TensorPtr> &operands);
  /// The wider type of the real operands, or that of sums.
  DType commonType(llvm::ArrayRef<TensorPtr> operands) const;
  DType computeType() const;

  AttentionSpec &spec;
  Report &report;
  NameUse &use;
  TensorShapes shapes;
  llvm::StringRef what;        // "Q", "output": for messages
  std::optional<Row> defining; // whose own name is the argument
  bool attentionKnown = false; // O has a meaning
  bool fixesLengths = false;   // one fix of them is enough: two are a cycle
  std::vector<OtherRows> others;
  Environment environment;
  std::map<std::string, Value> known; // entries of `let` without parameters
  /// Values of macros, by their arguments and by what names mean there.
  struct Expansion {
    std::string name;
    std::vector<Value> arguments;
    std::optional<Row> defining;
    bool attentionKnown;
    bool operator<(const Expansion &other) const;
  };
  std::map<Expansion, Value> expansions;
  std::map<std::string, std::vector<TensorPtr>> knownParts; // of several names
};

/// Suggests that this length is the other one, unless the file says otherwise.
void fixLengths(SourceDiagnostic &error, const AttentionSpec &spec,
                BuiltinSize length);

/// How a caller refers to a formula: its text.
std::string textOfNode(const Node &node);

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_TENSOR_TENSORCHECKER_H
