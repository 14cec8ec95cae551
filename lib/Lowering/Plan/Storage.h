//===- Storage.h - Storage of a function's tensors --------------*- C++ -*-===//
//
// Arguments and results of a function are buffers of the caller. What an op
// makes for a later one is in a workspace; what is only returned is stored
// where the caller wants it.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_LOWERING_PLAN_STORAGE_H
#define ATTNC_LIB_LOWERING_PLAN_STORAGE_H

#include "Formula/ViewIndices.h"
#include "Plan/Signature.h"

#include "attnc/Analysis/Kernel/VisitedRows.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace attnc::lowering {

/// A tensor as an op walks over it.
struct BlockBuffer {
  mlir::Value buf;
  TensorDigits digits;
  /// The axis along which the rows of all heads of a group are.
  std::optional<unsigned> mergedRows = {};
};

/// One of the places to which a result goes.
struct Destination {
  BlockBuffer buffer;
  /// Outputs, at least one of which the caller must want for it to be stored.
  /// None: it is always stored.
  llvm::SmallVector<mlir::Value, 1> wantedFor;
};

/// Whether the caller wants one of the outputs.
mlir::Value emitWanted(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::ArrayRef<mlir::Value> outputs);
/// Goes on in a branch for that; does nothing for no outputs.
void branchOnWanted(mlir::OpBuilder &builder, mlir::Location loc,
                    llvm::ArrayRef<mlir::Value> outputs);

class Storage {
public:
  /// Letters of an op's axes as names of dims; blocks go along q, k, d and e.
  using NameOf = llvm::function_ref<char(char)>;

  Storage(mlir::func::FuncOp function, const Signature &signature,
          tile::TargetAttrInterface target);

  /// An operand with the axes `letters`. Emits an error when it cannot be read
  /// in blocks. With a `group`, axis q becomes that of rows q * group + g.
  mlir::FailureOr<BlockBuffer> operand(mlir::Operation *op, mlir::Value operand,
                                       llvm::StringRef letters, NameOf nameOf,
                                       int64_t group = 1);
  /// The panels of an operand with the axes `letters` (attn.panels), with the
  /// digits of the matrix: axes n, k, q and c of pairs along k.
  mlir::FailureOr<BlockBuffer> panels(mlir::Operation *op, mlir::Value operand,
                                      llvm::StringRef letters, NameOf nameOf);
  /// What goes through a workspace though it is only returned: what blocks
  /// cannot be stored in; with rows of sequences, which only kernels go along;
  /// or also what the caller may leave out.
  enum class Copies { ButSequences, AsNeeded, Nullable };
  /// Where a result with the axes `letters` goes: outputs, and a workspace if
  /// another op reads it, or a copy to an output is needed. `group` as above.
  mlir::FailureOr<std::vector<Destination>>
  destinations(mlir::Value result, llvm::StringRef letters, NameOf nameOf,
               Copies copies, int64_t group = 1);
  /// Where `op` writes its result: in the place of `cache`, which has the axes
  /// `letters`.
  mlir::FailureOr<Destination> inPlace(mlir::Operation *op, mlir::Value cache,
                                       llvm::StringRef letters, NameOf nameOf);
  /// The outputs that need what `op` makes, if the caller may leave out each.
  llvm::SmallVector<mlir::Value, 1> wantedFor(mlir::Operation *op);
  /// The outputs that need one of the values, but for those that are stored
  /// `direct`ly; none if one cannot be left out.
  llvm::SmallVector<mlir::Value, 1> wantedFor(mlir::ValueRange values,
                                              llvm::ArrayRef<unsigned> direct);
  /// Results of the function that no op has stored.
  llvm::SmallVector<unsigned> unstored() const;
  mlir::Value output(unsigned number);
  /// A result of the function with its last axis as lanes.
  Destination copyTo(unsigned number);
  /// The same of a workspace for rows of all sequences.
  Destination copyTo(attn::PackOp pack);

  /// Gives each buffer the names under which it is first walked over.
  void settleNames();

  tile::ProgramOp program;
  Scope scope;
  VisitedRowsOf visited;

private:
  /// What becomes of a result, itself or through views: results of the function
  /// by number, rows of all sequences, views that are stored, and whether an op
  /// reads it in its own layout.
  struct ResultUses {
    llvm::SmallVector<unsigned> outputs;
    llvm::SmallVector<attn::PackOp, 1> packed;
    llvm::SmallVector<attn::ViewOp, 1> views; // with attn.stored
    bool isRead = false;
  };
  void addUses(mlir::Value alias, ResultUses &uses);
  mlir::Value packedRows(attn::PackOp pack);
  void fillRows(attn::PackOp pack, mlir::Value workspace);
  bool isOptional(mlir::Value value, llvm::SetVector<unsigned> &numbers,
                  llvm::SmallPtrSetImpl<mlir::Operation *> &seen);
  mlir::Value named(mlir::Value buf, tile::BufType type);
  mlir::FailureOr<BlockBuffer> bufferOf(mlir::Location loc, mlir::Value buf,
                                        const TensorDigits &digits,
                                        int64_t group, bool report = true);
  mlir::Value alongLanes(mlir::Value buf);

  mlir::func::FuncOp function;
  const Signature &signature;
  llvm::SmallVector<bool> stored; // per result of the function
};

} // namespace attnc::lowering

#endif // ATTNC_LIB_LOWERING_PLAN_STORAGE_H
