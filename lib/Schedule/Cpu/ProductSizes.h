//===- ProductSizes.h - Rows and steps of products' blocks ------*- C++ -*-===//
//
// Tests: test/Schedule/products.mlir, side-ops.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_CPU_PRODUCTSIZES_H
#define ATTNC_LIB_SCHEDULE_CPU_PRODUCTSIZES_H

#include "Cpu/CostModel.h"
#include "Cpu/InProduct.h"
#include "Side/SideAxes.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace attnc::schedule::cpu {

/// The most places of a step of a product's sum; and where other ops are
/// computed in its blocks: then scratch holds what they make of the operand
/// along the lanes, and steps are short enough for L1 to hold it. Linear
/// attention, 64 features, Emerald Rapids: 12.5 ms with 64 or 128 places, 13.2
/// with 256.
inline constexpr int64_t kMostPlaces = 512, kMostPlacesBeside = 128;

/// The largest size of a block (c13): what no choice comes near.
inline constexpr int64_t kMostOfBlock = 4096;

/// Sizes of the blocks of a product of matrices.
///
/// What lies along the lanes is copied into scratch, step by step of the sum,
/// once per block of rows: enough rows make the copy cheap, and the operand of
/// the rows is read from L2 while it stays there. Steps are long, because the
/// accumulators go to scratch and back between two of them, and so short that
/// the copy of one, which each register tile reads in full, leaves most of L2
/// to the rows. On Zen 5, 1024 x 768 x 2304 in f32: 76 % of the peak with 96
/// rows, 85 with 192, 88 with 288; 256 to 768 places per step are the same.
///
/// A matrix unit is so fast that the copy counts more: twice the rows. It reads
/// 32 columns of the copy for all rows before the next ones; of a step L1 holds
/// them, so one operand of two comes from L2.
struct ProductSizes {
  int64_t rows, step;

  /// `unit` multiplies; null: fmas.
  ProductSizes(int64_t rowCount, int64_t sumLength, int64_t tileRows,
               int64_t mostPlaces, int64_t blockBytes, const Unit *unit,
               const Target &target) {
    bool isMatrix = unit && unit->kind == UnitKind::Matrix;
    rows = evenly(rowCount, isMatrix ? 2 * kMostRows : kMostRows,
                  isMatrix ? 2 * unit->rows : tileRows);
    int64_t places =
        std::clamp<int64_t>(target.l2Bytes() / 8 / blockBytes, 64, mostPlaces);
    step = evenly(sumLength, places, isMatrix ? unit->depth : 16);
    if (unit && unit->operand == DType::I8)
      setIntegerStep(sumLength, places, mostPlaces, *unit, target);
  }

private:
  /// A part of `length` when it is cut into the fewest parts of at most `most`,
  /// which is rounded to `multiple`.
  static int64_t evenly(int64_t length, int64_t most, int64_t multiple) {
    most = most / multiple * multiple;
    if (length <= 0 || length >= SideAxes::kOpen)
      return most;
    int64_t parts = llvm::divideCeil(length, most);
    int64_t part = llvm::divideCeil(length, parts);
    return std::min<int64_t>(llvm::alignTo(part, multiple), length);
  }

  /// A unit for integers has no step that ends before another one. So the sum
  /// is cut into equal steps of half of `places` or more, if possible of whole
  /// registers of the matrix unit, or else of whole lanes; or it has one step,
  /// and half of L2 holds its rows. `step` stays if neither is possible.
  void setIntegerStep(int64_t length, int64_t places, int64_t mostPlaces,
                      const Unit &unit, const Target &target) {
    constexpr int64_t perLane = 4, fewestRows = 64;
    if (length <= places || length >= SideAxes::kOpen)
      return;
    for (int64_t multiple : {int64_t(unit.depth), perLane, int64_t(1)})
      for (int64_t even = places / multiple * multiple; 2 * even >= places;
           even -= multiple)
        if (length % even == 0) {
          step = even;
          return;
        }
    if (length > kMostOfBlock || mostPlaces < kMostPlaces)
      return;
    step = length;
    rows = std::min(rows, std::max(target.l2Bytes() / 2 / length, fewestRows));
  }
};

} // namespace attnc::schedule::cpu

#endif // ATTNC_LIB_SCHEDULE_CPU_PRODUCTSIZES_H
