//===- Interface.h - The signature that travels with a module ---*- C++ -*-===//
//
// What a caller of the object sees: sizes, tensors in call order, what must
// hold at the call, and the words of the header. Import writes it once as the
// module attribute `attnc.interface`; every stage carries it unchanged, and
// Emit reads nothing else. It is text in every dump, so reading it back checks
// it completely: a hand-edited dump fails with a message.
//
//   module attributes {attnc.interface = [{
//     name = "f", title = "12 heads of 64, f32, causal", spec = "...",
//     sizes = [{name = "batch"}, {name = "heads", value = "12"}, ...],
//     tensors = [{name = "Q", role = "query", dtype = "f32",
//                 axes = ["batch", "heads", "query_len", "head_dim"]}, ...
//                {name = "cache", role = "input", ..., inout},
//                {name = "A_B", role = "input", ...,
//                 packed_by = "f_pack_weights"},
//                {name = "O", role = "output", ..., may_be = "Q"}],
//     preconditions = [{lhs = "query_len", rhs = "kv_len",
//                       sentence = "doc[b, q] needs query_len <= kv_len"}],
//     positions = ["query_len", "kv_len"],
//     cases = ["query_len <= 16"]}]} { ... }
//
// Tests: test/Unit/Interface/InterfaceTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_INTERFACE_INTERFACE_H
#define ATTNC_INTERFACE_INTERFACE_H

#include "attnc/Interface/SizeExpr.h"
#include "attnc/Support/DType.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace attnc {

/// The discardable attribute of the module: an array with one dictionary per
/// function.
inline constexpr llvm::StringLiteral kInterfaceAttr = "attnc.interface";

/// A named size. Without a value it is read from the tensors at run time; a
/// constant value is fixed in the spec; any other value is derived from sizes.
struct InterfaceSize {
  std::string name;
  std::optional<SizeExpr> value;

  bool isRuntime() const { return !value; }
  std::optional<int64_t> fixedValue() const {
    return value ? value->constantValue() : std::nullopt;
  }
  bool operator==(const InterfaceSize &) const = default;
};

enum class TensorRole : uint8_t { Query, Key, Value, Input, Output, Extra };

enum class RowLayout : uint8_t { Dense, Ragged, Paged };

/// One tensor argument. Shapes are in the logical order of the spec language
/// (`[batch, heads, query_len, head_dim]`); strides are the caller's.
struct InterfaceTensor {
  std::string name;
  TensorRole role = TensorRole::Input;
  DType dtype = DType::F32;
  /// Rank 0 to 5. A plain size name reads best in error sentences; the header
  /// prints fixed sizes as numbers.
  std::vector<SizeExpr> axes;
  /// Checked by the call: values do not fall along the last axis.
  bool nondecreasing = false;
  /// Checked by the call: lo <= value <= hi, formulas of sizes. Integer types
  /// only.
  std::optional<std::pair<SizeExpr, SizeExpr>> range;
  /// How the rows of a sequence lie in the tensor. Dense: along an axis of
  /// their own. Ragged: those of all sequences along axis 0, sequence b from
  /// rowTable[b] to rowTable[b + 1]. Paged: row k of sequence b is row k % n of
  /// page rowTable[b, k // n], axis 0 counts pages and axis 2 holds n rows.
  RowLayout rows = RowLayout::Dense;
  std::string rowTable;
  /// The caller may pass NULL: the output is then not computed (extra only).
  bool nullable = false;
  /// Input only: the call changes it. Like an output it overlaps nothing, and
  /// no element is there twice.
  bool inout = false;
  /// Input only: the same for all calls, so what is made of such inputs alone
  /// may be made once.
  bool resident = false;
  /// Input only: the function of the same object that makes it of resident
  /// inputs, as an output of this name; empty: the caller has it.
  std::string packedBy;
  /// Output only: the argument of the same type and shape that this tensor may
  /// be itself (equal pointer and strides); empty: overlaps nothing.
  std::string mayBe;

  bool isOutput() const {
    return role == TensorRole::Output || role == TensorRole::Extra;
  }
  bool isWritten() const { return isOutput() || inout; }
  bool operator==(const InterfaceTensor &) const = default;
};

/// `lhs <= rhs` must hold at the call, else ATTNC_BAD_SHAPE with `sentence`.
struct InterfacePrecondition {
  SizeExpr lhs, rhs;
  std::string sentence; // "doc[b, q] needs query_len <= kv_len"
  bool operator==(const InterfacePrecondition &) const = default;
};

/// Sizes, `lhs <= rhs`, for which a function is computed in a way of its own.
struct InterfaceCase {
  SizeExpr lhs, rhs;
  bool operator==(const InterfaceCase &) const = default;

  /// "query_len <= 16"
  std::string str() const { return lhs.str() + " <= " + rhs.str(); }
};

struct Interface {
  static constexpr unsigned kMaxCases = 8;
  static constexpr unsigned kMaxRank = 5;
  static constexpr unsigned kMaxTensors = 32;
  static constexpr unsigned kMaxSizes = 32;

  std::string name;  // the C function
  std::string title; // "12 heads of 64, f32, causal"
  std::string spec;  // canonical text, for NAME_describe
  std::vector<InterfaceSize> sizes;
  /// Q, K, V, inputs in file order, O, extra outputs.
  std::vector<InterfaceTensor> tensors;
  std::vector<InterfacePrecondition> preconditions;
  /// Expressions that positions reach (query_len, kv_len, offset + query_len):
  /// the call refuses values outside -2^31 .. 2^31 - 1.
  std::vector<SizeExpr> positions;
  /// One line per compiled kernel for NAME_describe; filled by Schedule.
  std::vector<std::string> kernels;
  /// What sizes decide at the call: the first case that holds runs the IR's
  /// function NAME.case0, NAME.case1, ...; if none does, NAME runs.
  std::vector<InterfaceCase> cases;

  /// The functions of the IR that this one stands for, in the module's order:
  /// those of `cases`, then `name`.
  std::vector<std::string> bodies() const;
  /// The one of them that runs at these values of all sizes.
  std::string bodyAt(llvm::ArrayRef<int64_t> sizeValues) const;
  std::optional<unsigned> sizeIndex(llvm::StringRef name) const;
  std::optional<unsigned> tensorIndex(llvm::StringRef name) const;
  std::vector<std::string> runtimeSizes() const;
  /// The function that makes some of the inputs, or nothing.
  llvm::StringRef packing() const;
  /// The tensors that a call writes, in the order in which a function of the IR
  /// returns them: outputs, then inputs that are inout.
  std::vector<unsigned> results() const;
  /// `expr` over run-time sizes only: fixed and derived sizes are replaced.
  SizeExpr resolve(const SizeExpr &expr) const;
  /// Where a run-time size is read: the extent of an axis, less a constant.
  struct Binding {
    unsigned tensor, axis;
    int64_t less = 0;
    bool operator==(const Binding &) const = default;
  };
  /// The first required tensor with an axis that is this size and nothing else;
  /// without one, the first with an axis that is the size plus a constant.
  std::optional<Binding> bindingOf(llvm::StringRef runtimeSize) const;
  /// Values of all sizes, in order, for given run-time sizes (in the order of
  /// runtimeSizes()); nothing on overflow or a negative size.
  std::optional<std::vector<int64_t>>
  evaluateSizes(llvm::ArrayRef<int64_t> runtimeValues) const;

  /// Everything that a caller or Emit relies on; `emitError` gets a sentence
  /// that names the entry, what is wrong and what is legal.
  mlir::LogicalResult
  verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const;

  mlir::DictionaryAttr toAttr(mlir::MLIRContext *context) const;
  /// Parses and verifies.
  static mlir::FailureOr<Interface>
  fromAttr(mlir::Attribute attr,
           llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

  bool operator==(const Interface &) const = default;
};

llvm::StringRef roleName(TensorRole role);
std::optional<TensorRole> parseRole(llvm::StringRef name);

/// The element type of a tensor in IR: f64 ... bf16, i64, i32, i8, u8 is ui8,
/// bool is i1.
mlir::Type elementType(DType dtype, mlir::MLIRContext *context);

/// Sets and gets the module attribute. Getting verifies each function and that
/// the symbols of the functions differ; errors are reported at the module.
void setInterfaces(mlir::ModuleOp module, llvm::ArrayRef<Interface> functions);
mlir::FailureOr<std::vector<Interface>> getInterfaces(mlir::ModuleOp module);

/// The function of the IR for a case: "f.case0".
std::string caseSymbol(llvm::StringRef name, size_t number);

/// The function that a function of the IR is a body of: "f" of "f.case0".
inline llvm::StringRef ownerOfBody(llvm::StringRef symbol) {
  return symbol.split('.').first; // names in C have no dots
}

/// The entry that a function of the IR belongs to, or null.
const Interface *findInterface(llvm::ArrayRef<Interface> functions,
                               llvm::StringRef symbol);

/// The global symbols of a function: NAME, NAME_raw, NAME_workspace,
/// NAME_describe. Also checked against each other over a whole object.
std::vector<std::string> symbolsOf(const Interface &function);
mlir::LogicalResult
verifySymbols(llvm::ArrayRef<Interface> functions,
              llvm::function_ref<mlir::InFlightDiagnostic()> emitError);
/// Each input that another function packs is an output of that function, whose
/// sizes are all fixed.
mlir::LogicalResult
verifyPacking(llvm::ArrayRef<Interface> functions,
              llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace attnc

#endif // ATTNC_INTERFACE_INTERFACE_H
