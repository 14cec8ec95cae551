//===- Strategy.h - How one backend schedules -------------------*- C++ -*-===//
//
// What attn-select-schedule and attn-verify-scheduled ask. A backend adds a
// folder with one Strategy and a line in Strategies.cpp; the passes then rank
// its candidates beside those of others. Schedules are #attn.schedule
// attributes here, because that is what all strategies share: the fields of
// their own stand in the attribute's `target`.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_STRATEGY_H
#define ATTNC_LIB_SCHEDULE_STRATEGY_H

#include "KernelShape.h"

#include "attnc/Analysis/Regime/RegimeRanges.h"

namespace attnc::schedule {

/// Predicted cycles of one head on one core, by cause.
struct Cost {
  double products = 0; // Q K^T and P V
  double weights = 0;  // formula, mask, exp
  double overhead = 0; // starting tiles and blocks, packing Q, storing O
  double memory = 0;   // waiting for K and V beyond all that
  double total() const {
    return products + weights + overhead + memory + states;
  }
  /// What tiles that need the mask have of these.
  double partial = 0;
  /// Of form chunked: the states, their part in a block's values included.
  double states = 0;
  /// Of the target's peak, counting the pairs that the mask allows.
  double peakFraction = 0;
  /// Pairs of a row and a key that are visited.
  double visitedPairs = 0;
  /// Tiles of q x k: none visited, some with the mask, the rest without.
  double skippedTiles = 0, partialTiles = 0, fullTiles = 0;
};

class Strategy {
public:
  virtual ~Strategy() = default;

  /// The backend that follows its schedules.
  virtual llvm::StringRef backend() const = 0;
  /// Whether it makes schedules for this kind of machine.
  virtual bool serves(const Target &target) const = 0;

  /// The `row_axes` that `request` fixes, or the only ones that the backend has
  /// code for. Nothing: either.
  virtual std::optional<attn::RowAxes>
  findRowAxes([[maybe_unused]] const Target &target,
              [[maybe_unused]] llvm::StringRef request) const {
    return attn::RowAxes::Q;
  }

  /// Whether the backend's kernels convert 8-bit integers of keys and values as
  /// they load them.
  virtual bool convertsOnLoad() const { return false; }
  /// Whether a product with this block can convert its operands on load.
  virtual bool convertsOnLoad(attn::BlockAttr) const { return false; }

  /// Schedules of the kernel with the fields that `request` fixes, a
  /// text as of `--schedule`, in the order of preference between equals. Not
  /// all need be legal: where the request excludes every legal one, the first
  /// tells why. Their rows are those of the kernel of `shape` (see
  /// MergedKernel), `row_axes` is set afterwards. Empty, and a sentence in
  /// `error`, if the request is none for this target.
  virtual llvm::SmallVector<attn::ScheduleAttr>
  makeCandidates(const KernelShape &shape, const Target &target,
                 llvm::StringRef request, std::string &error) const = 0;

  /// Why a schedule is not one for the target at all, as the predicate of a
  /// sentence about the kernel ("is scheduled for isa = ..."), or an empty
  /// text.
  virtual std::string findMismatch(const KernelShape &shape,
                                   const Target &target,
                                   attn::ScheduleAttr schedule) const = 0;
  /// What is wrong with a schedule for the target, what is legal, or an empty
  /// text.
  virtual std::string findProblem(const KernelShape &shape,
                                  const Target &target,
                                  attn::ScheduleAttr schedule) const = 0;
  /// What a user may want to know of a choice besides its fields, or an empty
  /// text.
  virtual std::string explain(const KernelShape &, attn::ScheduleAttr) const {
    return {};
  }
  /// What a legal schedule costs where `ranges` are what the mask leaves.
  virtual Cost predictCost(const KernelShape &shape, const Target &target,
                           attn::ScheduleAttr schedule,
                           RegimeRanges &ranges) const = 0;

  /// Whether a kernel may store its values in the layout in which a product
  /// sums them (MergeSums.h).
  virtual bool mergesSums() const { return false; }
  /// Whether products read weights in panels (attnc/Dialect/Attn/Panels.h).
  virtual bool readsPanels(const Target &) const { return false; }
  /// Marks the ops that products outside kernels compute in their blocks
  /// (attnc/Dialect/Attn/InProduct.h); before the blocks are chosen.
  virtual void placeInProducts(mlir::func::FuncOp, const Target &) const {}
  /// Why such a mark is wrong, or an empty text.
  virtual std::string findPlaceProblem(mlir::Operation *,
                                       const Target &) const {
    return "the backend computes each op by itself; remove the attribute";
  }
  /// The block of an op outside kernels (Side/SideOps.h).
  virtual attn::BlockAttr chooseBlock(mlir::Operation *op,
                                      const Target &target) const = 0;
  /// Blocks of such an op for some sizes of a call
  /// (attnc/Dialect/Attn/Cases.h), which differ from `block` in sizes and
  /// target only.
  virtual llvm::SmallVector<attn::CaseAttr>
  chooseCases(mlir::Operation *, attn::BlockAttr, const Target &) const {
    return {};
  }
  /// Whether the backend obeys them.
  virtual bool obeysCases() const { return false; }
  /// What a user may want to know of the choice of such a block, or an empty
  /// text.
  virtual std::string explainBlock(mlir::Operation *, attn::BlockAttr,
                                   const Target &) const {
    return {};
  }
  /// What is wrong with such a block, or an empty text.
  virtual std::string findProblem(mlir::Operation *op, attn::BlockAttr block,
                                  const Target &target) const = 0;
};

/// The strategies that serve the target, the preferred one first. There is at
/// least one for each target of the table.
llvm::SmallVector<const Strategy *> getStrategies(const Target &target);
/// Those of one backend. There may be none.
llvm::SmallVector<const Strategy *> getStrategies(const Target &target,
                                                  llvm::StringRef backend);

/// The level called `cpu`; or null, and an error at `place`. An empty `backend`
/// becomes that of the level's preferred strategy.
const Target *findLevel(mlir::Location place, llvm::StringRef cpu,
                        std::string &backend);

/// What is wrong with the schedule of a kernel for any target, or an empty
/// text: `weights` that cannot hold the rounded weights, `split` that does not
/// apply or is shorter than a tile.
std::string findProblem(attn::KernelOp kernel, attn::ScheduleAttr schedule);

/// "online softmax, 64 queries x 64 keys", or rows where these are the queries
/// of several heads; without a running maximum, "tile by tile, ...".
std::string summarize(attn::ScheduleAttr schedule, bool isSoftmax,
                      bool ofIntegers = false);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_STRATEGY_H
