//===- Spec.h - What a spec file says, checked ----------------------------===//
//
// Plain values with source ranges: the first stage of the arrow. A spec that
// exists is legal: every rule of docs/spec-reference.md holds, every index of
// every Expr::Load is in range whenever the preconditions hold, and no int
// operation overflows for sizes below 2^31.
//
// score and mask are evaluated where b, h, i and k exist, so batch, query_len
// and kv_len are at least 1 there; sink and temperature where b, h and i exist.
// An index of a Load that is proved by a guard (`where`, `and`, `or`, for the
// score the mask) is in range only where the guard holds: whoever evaluates
// without the guard clamps the index. Int divisors are never 0, guard or not.
//
// Tests: test/Spec
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_SPEC_SPEC_H
#define ATTNC_SPEC_SPEC_H

#include "attnc/Spec/DType.h"
#include "attnc/Spec/Expr.h"
#include "attnc/Spec/Tensor.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SMLoc.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attnc::spec {

/// The sizes that every spec has stand first in AttentionSpec::sizes, in this
/// order; those of `sizes:` follow in the order of the file.
enum BuiltinSize : unsigned {
  Batch,
  QueryLen,
  KvLen,
  Heads,
  KvHeads,
  Group, // heads // kv_heads
  HeadDim,
  KeyDim,
  ValueDim,
  NumBuiltinSizes,
};

struct Size {
  enum Kind : uint8_t {
    Fixed,   // value
    RunTime, // `any`: read from the tensors at each call; 0 is legal
    Derived, // formula of other sizes; the call compares it with the tensors
    PerSequence, // query_len and kv_len of ragged storage: start[b + 1] -
                 // start[b], known where b is
  };
  std::string name;
  Kind kind = RunTime;
  int64_t value = 0;
  ExprPtr formula; // Derived: an int formula over sizes that are not Derived
  llvm::SMRange range;  // of the value in the file; invalid for a default
  bool implied = false; // the axis of a ragged tensor: no key says it
};

/// Where the rows of a sequence lie in the tensors of a side.
struct Storage {
  enum Kind : uint8_t {
    Dense,  // [batch, heads, rows, features]
    Ragged, // [rows of all sequences, heads, features]; `table` says where each
            // begins
    Paged,  // [pages, heads, rows of a page, features]; `table` says in which
            // page each block of rows lies
  };
  Kind kind = Dense;
  unsigned table = 0; // index of the input
  int64_t pageRows = 0;
  /// Ragged: index of the size that is the axis of all rows.
  unsigned tokens = 0;
  llvm::SMRange range;
};

struct Input {
  std::string name;
  DType dtype = DType::F32;
  std::vector<ExprPtr> axes;  // int formulas over sizes; rank 0 to 5
  bool inout = false;         // the call puts rows into it: see Cache
  bool resident = false;      // the same for all calls: see NAME_pack_weights
  bool nondecreasing = false; // along the last axis
  ExprPtr low, high;          // `in low..high`, both ends included; or null
  /// What `let` makes it: then it is no tensor of the call. Null: it is one.
  TensorPtr made;
  llvm::SMRange nameRange;
  llvm::SMRange typeRange;
};

/// One line of `expect`: speed only, never meaning.
struct Regime {
  std::vector<std::pair<unsigned, int64_t>> sizes; // index in sizes, value
  double weight = 1;
  llvm::SMRange range;
};

/// An input that is `inout`, and its value once the new rows are in it.
struct Cache {
  TensorPtr tensor; // Tensor::Append
  ExprPtr place;    // Int: the row of the first new one, of b and inputs
  ExprPtr rows;     // how many there are, a formula of sizes
};

/// A truth value over sizes alone that each call has to meet, else the call is
/// refused with ATTNC_BAD_SHAPE.
struct Precondition {
  ExprPtr condition;
  std::string text;   // as a formula: "query_len <= kv_len"
  std::string reason; // what needs it: "index 'q' of 'doc' in the mask"
  llvm::SMRange range;
};

/// An entry of `let` that tensors use, as it is written.
struct LetText {
  std::string name, formula; // "Q, K, V", "phi(x)"
};

/// A further output: an entry of `let`.
struct ExtraOutput {
  std::string name;
  TensorPtr tensor;
};

/// What attention is: of the spec's Q, K and V, or of other tensors.
struct AttentionFormulas {
  ExprPtr score;          // Real; of all variables, sizes, inputs and rows
  ExprPtr mask;           // Bool; of all variables, sizes, inputs
  ExprPtr value;          // Vector of value_dim; of all that score is. Null: V
  ExprPtr attention;      // Real; of all that score is, score itself, and rows:
                          // what softmax normalises, or else the weight
  bool readsScore = true; // `attention` uses `score`
  bool isSoftmax = true;  // attention is `softmax(...)` as a whole
  ExprPtr temperature;    // Real > 0 where constant; divides the score inside
                          // softmax, not the sink; not of k. Null: 1
  ExprPtr sink;           // Real; a logit that joins the denominator; not of k.
                          // Null: none
  ExprPtr offset;         // Int over b, sizes, inputs: position of query row 0
  /// How many queries and keys there are, formulas of sizes, where `attend` is
  /// of other tensors. Null: query_len and kv_len.
  ExprPtr queryRows, keyRows;
};

struct AttentionSpec : AttentionFormulas {
  std::string name;
  llvm::SMRange nameRange; // of `name`, or of the first key
  std::vector<Size> sizes;
  DType queryType = DType::F32, keyType = DType::F32, valueType = DType::F32,
        outputType = DType::F32;
  llvm::SMRange typeRanges[3]; // by Row: what `dtype` says of it, if it does
  /// In the order of the file; behind them the tensors of `let` that formulas
  /// of pairs, rows and sequences read, in the order in which they are made.
  std::vector<Input> inputs;
  std::vector<Cache> caches; // one for each input that is inout

  /// What `let` says Q, K and V are, by Row: a Vector of inputs, sizes and of
  /// b, h, g, i (Q) or b, g, k (K, V). Inside, the name that is defined means
  /// the argument, another one means what it is defined as. Null: the argument.
  ExprPtr definitions[3];
  /// What `let` says Q, K and V are, by Row, where it says so by tensors. Null:
  /// `definitions` or the argument.
  RowTensor rows[3];
  TensorPtr output;         // what is made of O, called Y. Null: O
  std::vector<LetText> let; // of rows and output, in the order of the file
  std::string outputText;   // the formula of `output`
  bool lse = false;         // outputs: [lse], only with isSoftmax
  Storage queryStorage, kvStorage; // of Q and the outputs; of K and V
  bool attentionOutput = false, scoreOutput = false; // [attention, score]
  std::vector<ExtraOutput> extras;    // [name of an entry of `let`]
  bool stateOutput = false;           // [state], only where State.h finds one
  llvm::SMRange stateRange;           // of the word
  std::optional<DType> probabilities; // precision: weights that multiply V

  std::vector<Regime> expect; // as given, else the default of the language
  bool expectGiven = false;
  bool tf32 = false;    // precision: products may round f32 operands to tf32
  std::string schedule; // an attribute as text; empty: chosen
  llvm::SMRange scheduleRange;
  std::vector<Precondition> preconditions;

  /// Whether O is computed: there is no `output`, or something uses O.
  bool hasResult() const;
  /// Whether score, mask, attention and value have an effect: O is computed, or
  /// `attend` says it of other tensors.
  bool usesAttention() const;
  /// The number of pages of paged storage: what the range of its table ends
  /// with, plus 1.
  ExprPtr pages() const;
  /// The size along the axis of query_len or kv_len: itself, or of ragged
  /// storage the rows of all sequences.
  unsigned axisOf(BuiltinSize length) const;
  const Storage &storageOf(Row row) const {
    return row == Row::Q ? queryStorage : kvStorage;
  }
  /// The axes of Q, K or V where formulas are of tensors.
  std::vector<ExprPtr> axesOf(Row row) const;
  /// Those of O.
  std::vector<ExprPtr> axesOfResult() const;
  /// A size of attention: that along its axis, or queryRows and keyRows.
  ExprPtr sizeOf(BuiltinSize size) const;
  /// Index of a size by name.
  std::optional<unsigned> findSize(llvm::StringRef name) const;
  /// Whether Q, K or V is a tensor of the call: `let` does not define it, or
  /// defines it by itself.
  bool isArgument(Row row) const;
  /// The inputs that are tensors of the call.
  llvm::ArrayRef<Input> declaredInputs() const;
  /// Sizes of the axes of a Vector (one) or Matrix (two), as formulas of sizes.
  std::vector<ExprPtr> axesOf(const Expr &e) const;
};

} // namespace attnc::spec

#endif // ATTNC_SPEC_SPEC_H
