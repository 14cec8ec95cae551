//===- AssumedTables.h - What tables are taken to hold ----------*- C++ -*-===//
//-*-===//
//
// Which tiles a mask leaves may depend on tables that only a call has: ids of
// documents, lengths, starts of sequences. The cost model needs some content to
// rank schedules with. docs/stages/4-scheduled.md lists the assumptions.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_ASSUMEDTABLES_H
#define ATTNC_LIB_SCHEDULE_ASSUMEDTABLES_H

#include "KernelShape.h"

#include "llvm/ADT/MapVector.h"

namespace attnc::schedule {

class AssumedTables {
public:
  /// The tables that the mask, the ranges and the classes of the kernel read.
  AssumedTables(const KernelShape &shape, const Regime &regime);

  /// The entry of every table of which nothing is known.
  void setOthers(int64_t entry) { others = entry; }
  bool hasOthers() const;

  /// The result of attn.read, table_min, table_max or lower_bound for these
  /// indices.
  int64_t valueOf(mlir::Operation *op, llvm::ArrayRef<int64_t> operands) const;

  /// What was assumed, one phrase per table: "doc: 7 ids in order, 585 entries
  /// each; past: 0 throughout". Empty if there is no table.
  std::string describe() const;

private:
  enum class Kind { Others, Truth, Ids, Starts };
  struct Content {
    Kind kind = Kind::Others;
    int64_t extent = 1; // of the axis along which ids and starts lie
    unsigned axis = 0;
    int64_t least = 0, count = 1; // ids
    int64_t rows = 0;             // of a sequence
  };

  void addTables(mlir::Region &region);
  void findStarts();
  void findIds();
  void markIds(mlir::Value table, unsigned axis);
  int64_t entryAt(const Content &content, int64_t index) const;
  std::string nameOf(mlir::Value table) const;

  const KernelShape &shape;
  const Regime &regime;
  llvm::MapVector<mlir::Value, Content> tables;
  int64_t others = 0;
};

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_ASSUMEDTABLES_H
