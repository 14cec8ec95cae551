//===- AssumedTables.h - Assumed contents of mask tables --------*- C++ -*-===//
//
// Which tiles a mask leaves may depend on tables that only a call has: ids of
// documents, lengths, starts of sequences. The cost model needs some content to
// rank schedules with, accounting to count keys with: the same.
// docs/stages/4-scheduled.md lists the assumptions.
// Tests: test/Schedule/assumed-tables.mlir,
// test/Schedule/assumed-bounds.mlir, test/Schedule/assumed-choices.test,
// test/Tools/accounting.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_MASK_ASSUMEDTABLES_H
#define ATTNC_ANALYSIS_MASK_ASSUMEDTABLES_H

#include "attnc/Analysis/Expr/RegionBounds.h"
#include "attnc/Analysis/Regime/Regimes.h"
#include "attnc/Interface/Interface.h"

#include "mlir/IR/Region.h"
#include "llvm/ADT/MapVector.h"

#include <limits>

namespace attnc {

struct DependenceSplit;
struct TableBound;

/// The tensor of the interface (or null) that an argument of the function is,
/// or null.
const InterfaceTensor *findTensor(const Interface *interface,
                                  mlir::Value argument);

class AssumedTables {
public:
  /// The tables that a mask and what is derived of it (ranges, classes) read.
  /// The last two arguments of the mask's block are the query and the key.
  AssumedTables(mlir::Region &mask, llvm::ArrayRef<mlir::Region *> derived,
                const Interface *interface, const Regime &regime);

  /// Chooses the entry of every table of which nothing is known: the past of a
  /// cache, or, where that leaves no pair of a query and a key, a length. Where
  /// none does, they are unknown: what the mask says of them may hold or not;
  /// and where that leaves no pair, so are all. `countPairs` is asked with each
  /// choice.
  void choose(int64_t queries, int64_t keys,
              llvm::function_ref<double()> countPairs);
  /// Whether some table is unknown, so that bounds are to be asked for.
  bool hasUnknown() const { return unknown != Unknown::None; }

  /// The result of attn.read, table_min, table_max or lower_bound for these
  /// indices.
  int64_t valueOf(mlir::Operation *op, llvm::ArrayRef<int64_t> operands) const;
  /// The same where tables or indices are not known.
  ValueBounds boundsOf(mlir::Operation *op,
                       llvm::ArrayRef<ValueBounds> operands) const;

  /// An entry of a table, by one index for each of its axes.
  int64_t entryOf(mlir::Value table, llvm::ArrayRef<int64_t> indices) const;

  /// What was assumed, one phrase per table: "doc: 7 ids in order, 585 entries
  /// each; past: 0 throughout". Empty if there is no table.
  std::string describe() const;

private:
  enum class Unknown { None, Others, All };
  enum class Kind {
    Others,
    Truth,
    Ids,
    Starts,        // of sequences
    RunStarts,     // the first position of the entry's run
    RunEnds,       // the end of it
    FirstKey,      // of all
    Width,         // a distance
    NegativeWidth, // one that is added to reach what lies before
    Chosen,        // places that a query chooses, anywhere
  };
  struct Content {
    Kind kind = Kind::Others;
    int64_t extent = 1; // of the axis along which ids and starts lie
    unsigned axis = 0;
    int64_t least = 0, count = 1; // ids, or what is chosen from
    int64_t rows = 0;             // of a sequence
    bool leftOut = false;         // a position before the first, or the last
    int64_t low = std::numeric_limits<int64_t>::min(); // of a bound
    int64_t high = std::numeric_limits<int64_t>::max();
  };

  bool hasOthers() const;
  bool isUnknown(const Content &content) const;
  ValueBounds entryBounds(mlir::Value table) const;
  void addTables(mlir::Region &region);
  void findStarts();
  void findUses(mlir::Region &mask);
  void findIds(mlir::Block &formula, const DependenceSplit &split);
  void findChosen(mlir::Block &formula, const DependenceSplit &split);
  void findSearched(mlir::Region &region);
  void markIds(mlir::Value table, unsigned axis);
  void markChosen(mlir::Value table);
  /// The declared range of a table's entries, if it has one at the regime.
  std::optional<ValueBounds> rangeOf(mlir::Value table) const;
  void markBound(const TableBound &bound);
  int64_t startOfRun(int64_t run) const;
  int64_t boundAt(const Content &content, int64_t index) const;
  int64_t entryAt(const Content &content, int64_t index) const;
  /// The least (or greatest) of the entries from `first` to `last`, by axes.
  int64_t chosenAmong(const Content &content, llvm::ArrayRef<int64_t> first,
                      llvm::ArrayRef<int64_t> last, bool greatest) const;
  Content contentOf(mlir::Value table) const;
  std::string nameOf(mlir::Value table) const;

  const Interface *interface;
  const Regime &regime;
  llvm::MapVector<mlir::Value, Content> tables;
  int64_t others = 0, keys = 0;
  Unknown unknown = Unknown::None;
};

} // namespace attnc

#endif // ATTNC_ANALYSIS_MASK_ASSUMEDTABLES_H
