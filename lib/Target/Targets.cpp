//===- Targets.cpp - Questions about processors ---------------------------===//
//
// Tests: test/Unit/Target/TargetTest.cpp
//
//===----------------------------------------------------------------------===//

#include "attnc/Target/Platform.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"

using namespace attnc;
using namespace llvm;

double Roofline::bytesPerCycle(double bytes) const {
  const MemoryLevel &l2 = memory[1];
  return bytes <= 0.75 * double(l2.bytes) ? l2.bytesPerCycle
                                          : memory.back().bytesPerCycle;
}

const Unit &Target::unitFor(DType accumulate) const {
  const Unit *best = nullptr;
  // A CPU's matrix unit is for products that Schedule chooses it for.
  for (const Unit &unit : units)
    if (unit.accumulate == accumulate &&
        (kind != TargetKind::Cpu || unit.kind != UnitKind::Matrix) &&
        (!best || unit.flopsPerCycle > best->flopsPerCycle))
      best = &unit;
  assert(best && "no unit sums in this type");
  return *best;
}

const Unit *Target::findUnit(DType operand, DType accumulate) const {
  const auto *it = find_if(units, [&](const Unit &unit) {
    return unit.operand == operand && unit.accumulate == accumulate;
  });
  return it == units.end() ? nullptr : it;
}

const Unit *Target::findUnit(UnitKind kind, DType operand,
                             DType accumulate) const {
  const auto *it = find_if(units, [&](const Unit &unit) {
    return unit.kind == kind && unit.operand == operand &&
           unit.accumulate == accumulate;
  });
  return it == units.end() ? nullptr : it;
}

const Target *attnc::lookupTarget(StringRef name) {
  for (const Platform &platform : getPlatforms())
    if (const Target *target = platform.findLevel(name))
      return target;
  return nullptr;
}

const Target &attnc::getDefaultTarget() {
  return *getHostPlatform().getDefaultLevels().front();
}

const CpuTraits *attnc::lookupIsa(StringRef isa) {
  for (const Platform &platform : getPlatforms())
    for (const Target &target : platform.levels)
      if (target.kind == TargetKind::Cpu && target.cpu.isa == isa)
        return &target.cpu;
  return nullptr;
}

std::string attnc::joinTargetNames(ArrayRef<const Target *> targets) {
  return join(map_range(targets, [](const Target *t) { return t->name; }), ",");
}

std::string attnc::listTargetNames() {
  SmallVector<StringRef> names;
  for (const Platform &platform : getPlatforms())
    for (const Target &level :
         concat<const Target>(platform.levels, platform.devices))
      if (!is_contained(names, level.name)) // platforms share levels
        names.push_back(level.name);
  return join(names, ", ");
}

std::string attnc::describeUnknownCpu(StringRef name) {
  return ("unknown CPU '" + name + "'; known are " + listTargetNames()).str();
}

StringRef attnc::findMissingFeature(const Target &target,
                                    const StringMap<bool> &features) {
  SmallVector<StringRef> required;
  target.requiredFeatures.split(required, ' ');
  for (StringRef feature : required)
    if (!features.lookup(feature))
      return feature;
  return {};
}

StringMap<bool> attnc::getHostFeatures() { return sys::getHostCPUFeatures(); }
