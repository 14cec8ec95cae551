//===- CheckTarget.cpp - Does a program's target suit its level -----------===//
//
// Schedule writes #tile.cpu for the level that the module names; a dump may
// have been edited since. Code for other instructions would fault, and a
// granule that does not fit the registers would spill in the inner loop.
// Tests: test/Codegen/CPU/check-target.mlir
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

#include "attnc/Interface/Attributes.h"
#include "attnc/Target/Platform.h"
#include "attnc/Target/RegisterTile.h"

using namespace mlir;

namespace attnc::cpu {

static LogicalResult checkGranule(Operation *op, StringRef name,
                                  ArrayRef<int64_t> granule,
                                  const Target &level) {
  int64_t registers = registersOf({granule[0], granule[1]}, level);
  if (registers <= level.cpu.vectorRegisters)
    return success();
  return op->emitOpError("has ")
         << name << " = [" << granule[0] << ", " << granule[1]
         << "], which needs " << registers << " registers; " << level.name
         << " has " << level.cpu.vectorRegisters;
}

const Unit *findPairUnit(Operation *op, tile::CpuAttr target, DType operand) {
  if (target.getUnit() == tile::CpuUnit::Fma)
    return nullptr;
  UnitKind kind = target.getUnit() == tile::CpuUnit::Dot ? UnitKind::DotProduct
                                                         : UnitKind::Matrix;
  DType sum = operand == DType::I8 ? DType::I32 : DType::F32;
  auto module = op->getParentOfType<ModuleOp>();
  auto name =
      module ? module->getAttrOfType<StringAttr>(kTargetAttr) : StringAttr();
  if (const Target *level = name ? lookupTarget(name.getValue()) : nullptr)
    return level->findUnit(kind, operand, sum);
  StringRef isa = tile::stringifyCpuIsa(target.getIsa());
  for (const Platform &platform : getPlatforms())
    for (const Target &level : platform.levels)
      if (level.kind == TargetKind::Cpu && level.cpu.isa == isa)
        if (const Unit *unit = level.findUnit(kind, operand, sum))
          return unit;
  return nullptr;
}

LogicalResult checkTarget(Operation *op, tile::CpuAttr target) {
  auto name =
      op->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(kTargetAttr);
  const Target *level = name ? lookupTarget(name.getValue()) : nullptr;
  if (!level) // a program for itself
    return success();
  StringRef isa = tile::stringifyCpuIsa(target.getIsa());
  if (isa != level->cpu.isa)
    return op->emitOpError("has isa = ")
           << isa << ", but attnc.target " << level->name << " has "
           << level->cpu.isa;
  int64_t lanes = target.getLanes();
  if (lanes != level->cpu.lanes(32) && lanes != level->cpu.lanes(64))
    return op->emitOpError("has lanes = ")
           << lanes << ", but " << level->name << " has "
           << level->cpu.lanes(32) << " of 32 bits and " << level->cpu.lanes(64)
           << " of 64 bits";
  bool isDot = target.getUnit() == tile::CpuUnit::Dot;
  if (target.getUnit() != tile::CpuUnit::Fma &&
      !findPairUnit(op, target, DType::BF16) &&
      !findPairUnit(op, target, DType::I8))
    return op->emitOpError("has unit = ")
           << tile::stringifyCpuUnit(target.getUnit()) << ", but "
           << level->name << " has no " << (isDot ? "dot-product" : "matrix")
           << " unit for bf16 or 8-bit integers";
  if (failed(
          checkGranule(op, "score_granule", target.getScoreGranule(), *level)))
    return failure();
  return checkGranule(op, "value_granule", target.getValueGranule(), *level);
}

} // namespace attnc::cpu
