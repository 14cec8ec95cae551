//===- CpuSchedule.h - A CPU schedule as values -----------------*- C++ -*-===//
//
// The fields of #attn.schedule and #tile.cpu as numbers, the text in which a
// user fixes some of them, and the rules that a complete one must keep.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_CPU_CPUSCHEDULE_H
#define ATTNC_LIB_SCHEDULE_CPU_CPUSCHEDULE_H

#include "KernelShape.h"

#include "attnc/Dialect/Tile/Tile.h"
#include "attnc/Target/RegisterTile.h"

namespace attnc::schedule::cpu {

using mlir::SmallVector;

/// Weights of up to e to this power are summed without an overflow.
inline constexpr int64_t kMostRescaleThreshold = 32;

struct CpuSchedule {
  attn::ScheduleForm form = attn::ScheduleForm::Online;
  int64_t q = 0, k = 0;
  int64_t chunk = 0; // of form chunked
  int64_t split = 0; // keys of a part
  double rescaleThreshold = 0;
  attn::RescalePlace rescaleIn = attn::RescalePlace::Value;
  mlir::Type weights; // null: the type to which the kernel rounds them
  RegisterTile score, value;
  tile::CpuMapping mapping = tile::CpuMapping::Rows;
  int64_t featureRows = 0; // of mapping = features
  int64_t unroll = 1, tail = 0, partial = 1;
  bool laneSkip = false;
  tile::CpuPack pack = tile::CpuPack::Auto;
  tile::CpuUnit unit = tile::CpuUnit::Fma;
  int64_t bf16Terms = 1; // of an operand of f16 or f32 on the matrix unit

  /// Which operands a grid before the kernel's packs.
  bool transposesValues() const {
    return pack == tile::CpuPack::Transposed || pack == tile::CpuPack::Both;
  }
  bool packsKeys() const {
    return pack == tile::CpuPack::Keys || pack == tile::CpuPack::Both;
  }
  /// Whether the lanes of products are features in a block of so many vectors
  /// of queries.
  bool runsOverFeatures(int64_t vectors) const {
    return mapping == tile::CpuMapping::Features && vectors == 1;
  }
  /// Whether the products of full tiles overlap with other ops, in groups of as
  /// many vectors of queries as the matrix unit takes at once. Several groups
  /// read keys and values in place (lib/Codegen/CPU/Plan/Stages.cpp).
  bool isPipelined(const KernelShape &shape, int64_t lanes) const;
  /// Keys of a granule of formulas; next to products of the matrix unit the
  /// fewest.
  int64_t keysAtOnce() const {
    return unit == tile::CpuUnit::Matrix ? 4 : score.rows;
  }
  /// The fields of a schedule whose target is #tile.cpu.
  static CpuSchedule of(attn::ScheduleAttr attr);
  /// Null if a verifier refuses the fields.
  attn::ScheduleAttr
  toAttr(mlir::MLIRContext *context, llvm::StringRef isa, int64_t lanes,
         llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const;
};

/// What the user fixed; the rest is chosen.
struct ScheduleRequest {
  std::optional<attn::ScheduleForm> form;
  std::optional<int64_t> q, k, chunk, split, unroll, tail, partial;
  std::optional<double> rescaleThreshold;
  std::optional<attn::RescalePlace> rescaleIn;
  std::optional<attn::RowAxes> rowAxes;
  std::optional<RegisterTile> score, value;
  std::optional<bool> laneSkip;
  std::optional<tile::CpuPack> pack;
  std::optional<tile::CpuMapping> mapping;
  std::optional<int64_t> featureRows, bf16Terms;
  std::optional<tile::CpuUnit> unit;
  std::optional<std::string> isa, weights;
  std::optional<int64_t> lanes;

  /// Reads `field = value, ...`, which may stand in `#attn.schedule<...>`, with
  /// the target's fields among them or in `target = #tile.cpu<...>`. Nothing
  /// and a sentence in `error` for anything else.
  static std::optional<ScheduleRequest> parse(llvm::StringRef text,
                                              std::string &error);
};

/// Why values cannot be packed before a kernel with a schedule, or an empty
/// text.
std::string whyNotTransposed(const KernelShape &shape, const Target &target,
                             const CpuSchedule &schedule);
/// The same of keys.
std::string whyNotPackedKeys(const KernelShape &shape, const Target &target,
                             const CpuSchedule &schedule);

/// What is wrong with the schedule of a kernel, what is legal, or an empty
/// text.
std::string findProblem(const KernelShape &shape, const Target &target,
                        const CpuSchedule &schedule);

/// The units that compute the products of a kernel with the form, the weights
/// and the unit of a schedule: of bf16, or of 8-bit integers. Null: fmas.
struct PairedProducts {
  /// By number of the product of the score, the kernel's own first.
  SmallVector<const Unit *> scores;
  const Unit *value = nullptr;
  /// Products of terms that the unit computes for the first of `scores` and for
  /// `value`; 1: operands are not split.
  int64_t scoreProducts = 1, valueProducts = 1;
  /// The same of the states of form chunked: the unit and the products that
  /// make them of keys and values, and those of queries and states.
  const Unit *states = nullptr;
  int64_t keyStateProducts = 1, queryStateProducts = 1;

  bool any() const {
    return value || states ||
           llvm::any_of(scores, [](const Unit *unit) { return unit; });
  }
};
PairedProducts findPairedProducts(const KernelShape &shape,
                                  const Target &target,
                                  const CpuSchedule &schedule);

/// The unit of a target for bf16, or for 8-bit integers, that `unit` names,
/// `dot` or `matrix`, or null.
const Unit *findPairUnit(const Target &target, tile::CpuUnit unit,
                         DType operand = DType::BF16);

/// Why the unit of a schedule, `dot` or `matrix`, does not apply with its form
/// and weights, or an empty text.
std::string whyNoPairs(const KernelShape &shape, const Target &target,
                       const CpuSchedule &schedule);

/// The fewest keys of a tile that the chooser considers.
inline constexpr int64_t leastKeys = 16;

/// Bytes of the tiles of a block: q, o, the scores, and copies of K and V.
int64_t tileBytes(const KernelShape &shape, const CpuSchedule &schedule);

} // namespace attnc::schedule::cpu

#endif // ATTNC_LIB_SCHEDULE_CPU_CPUSCHEDULE_H
