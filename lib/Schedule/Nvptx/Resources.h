//===- Resources.h - Registers and shared memory of a block -----*- C++ -*-===//
//
// What a thread block of a schedule needs, by a static model, and what the
// target has. The code generator does not read it: it follows the schedule.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SCHEDULE_NVPTX_RESOURCES_H
#define ATTNC_LIB_SCHEDULE_NVPTX_RESOURCES_H

#include "KernelShape.h"

#include "attnc/Dialect/Tile/Tile.h"

namespace attnc::schedule::nvptx {

/// Turns of two warpgroups pay up to so many features (measured on an H200).
inline constexpr int64_t kMostFeaturesOfTurns = 128;

inline tile::NvptxAttr targetOf(attn::ScheduleAttr schedule) {
  return llvm::dyn_cast<tile::NvptxAttr>(schedule.getTarget());
}

inline bool isWarpgroup(attn::ScheduleAttr schedule) {
  return targetOf(schedule).getMapping() == tile::NvptxMapping::Warpgroup;
}

bool usesTensorCores(const KernelShape &shape, attn::ScheduleAttr schedule);

/// Registers of a thread.
int64_t countRegisters(const KernelShape &shape, attn::ScheduleAttr schedule);

/// Those that a thread may have, so that the block fits.
int64_t registerLimit(attn::ScheduleAttr schedule, const Target &target);

/// Whether not even the least tile of tensor cores for 16-bit types fits the
/// registers, as with values of more than 400 features.
bool mustSpill(const KernelShape &shape, const Target &target,
               tile::NvptxArch arch);

/// Registers of a thread that a schedule may need: its limit, or more where the
/// kernel must spill, and has its rows in shared memory.
int64_t mostRegisters(const KernelShape &shape, const Target &target,
                      attn::ScheduleAttr schedule);

/// Bytes of shared memory of a block.
int64_t countSharedBytes(const KernelShape &shape, attn::ScheduleAttr schedule);

/// Why no tile of the kernel fits the target, not even the least one, with rows
/// in registers or in shared memory; empty if that fits.
std::string findLeastProblem(const KernelShape &shape, const Target &target,
                             tile::NvptxArch arch, bool tf32);

} // namespace attnc::schedule::nvptx

#endif // ATTNC_LIB_SCHEDULE_NVPTX_RESOURCES_H
