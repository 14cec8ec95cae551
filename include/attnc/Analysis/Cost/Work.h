//===- Work.h - Count the work of a function --------------------*- C++ -*-===//
//
// The figures by which two forms of a function are compared, such as those
// before and after a pass: of products, formulas, memory and pairs. They are
// taken of any module from stage graph to stage fused, and of what passes leave
// in between.
// Tests: test/Tools/accounting-saved.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_ANALYSIS_COST_WORK_H
#define ATTNC_ANALYSIS_COST_WORK_H

#include "attnc/Analysis/Regime/Regimes.h"
#include "attnc/Interface/Interface.h"
#include "attnc/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc {

struct Work {
  /// 2 for each multiply-add of a product, masked pairs that are visited
  /// included.
  double flops = 0;
  /// On elements, by formulas, masks and normalisers, counted as the target's
  /// instructions; what depends on a row alone counts once per row.
  double operations = 0;
  /// What goes through memory: each op reads its operands and stores its
  /// results, once.
  double bytes = 0;
  /// Of what ops store for later ones.
  double workspace = 0;
  /// Pairs of a row and a key that normalisers and kernels look at, and those
  /// of them that run a mask.
  double pairs = 0, maskedPairs = 0;
  /// Tiles of kWorkTile rows and keys that hold them.
  double tiles = 0;

  Work &operator+=(const Work &other);
  Work operator-(const Work &other) const;
  bool operator==(const Work &) const = default;
};

/// Stage fused has no blocks yet: these stand for those that are chosen later.
inline constexpr int64_t kWorkTile = 64;

/// A figure: its name in JSON; the sign of its unit, and what it counts, for a
/// sentence. One that has neither is in the JSON only.
struct WorkFigure {
  llvm::StringLiteral key, sign, what;
  double Work::*value;

  bool isTold() const { return !sign.empty() || !what.empty(); }
};
inline constexpr WorkFigure kWorkFigures[] = {
    {"flops", "FLOP", "", &Work::flops},
    {"operations", "", "elementwise operations", &Work::operations},
    {"bytes", "B", "of memory traffic", &Work::bytes},
    {"workspace", "B", "of workspace", &Work::workspace},
    {"pairs", "", "", &Work::pairs},
    {"masked_pairs", "", "masked pairs", &Work::maskedPairs},
    {"tiles", "", "tiles of 64 x 64", &Work::tiles},
};

/// `regime` has the values of all sizes; `interface` may be null.
Work workOf(mlir::func::FuncOp function, const Interface *interface,
            const Regime &regime, const Target &target);

} // namespace attnc

#endif // ATTNC_ANALYSIS_COST_WORK_H
