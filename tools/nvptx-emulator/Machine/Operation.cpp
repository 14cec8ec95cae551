//===- Operation.cpp - The table of operations; registers and math --------===//

#include "Machine.h"

#include <cmath>
#include <cstring>

using namespace attnc::nvptx;

float attnc::nvptx::toFloat(uint64_t slot) {
  uint32_t bits = static_cast<uint32_t>(slot);
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

uint64_t attnc::nvptx::fromFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float attnc::nvptx::elementOf(uint64_t slot, unsigned half, bool isBf16) {
  uint16_t bits = static_cast<uint16_t>(slot >> (16 * half));
  if (isBf16)
    return toFloat(static_cast<uint32_t>(bits) << 16);
  _Float16 value;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<float>(value);
}

[[noreturn]] static void refuse(Machine &machine, const Call &call) {
  machine.fail("operation is not emulated: " + call.name());
}

static void executeUnknown(Machine &machine, const Call &call) {
  refuse(machine, call);
}

static void executeNothing(Machine &, const Call &) {}

static void executeTrap(Machine &machine, const Call &) {
  machine.fail("the kernel traps");
}

/// read.ptx.sreg.*; clusters have one block.
static void executeRegister(Machine &machine, const Call &call) {
  std::string reg = call.name().substr(std::strlen("read.ptx.sreg."));
  const Dim3 &block = machine.block, one = {1, 1, 1}, zero = {0, 0, 0};
  unsigned thread = machine.current;
  Dim3 index = {thread % block[0], thread / block[0] % block[1],
                thread / block[0] / block[1]};
  const std::pair<const char *, const Dim3 *> vectors[] = {
      {"tid.", &index},
      {"ntid.", &block},
      {"ctaid.", &machine.blockIndex},
      {"nctaid.", &machine.grid},
      {"clusterid.", &machine.blockIndex},
      {"nclusterid.", &machine.grid},
      {"cluster.ctaid.", &zero},
      {"cluster.nctaid.", &one}};
  for (auto [vector, value] : vectors)
    if (reg.starts_with(vector) && reg.size() == std::strlen(vector) + 1 &&
        reg.back() >= 'x' && reg.back() <= 'z') {
      call.results[0] = (*value)[reg.back() - 'x'];
      return;
    }
  const std::pair<const char *, uint64_t> scalars[] = {
      {"laneid", thread % warpSize}, {"warpid", thread / warpSize},
      {"warpsize", warpSize},        {"cluster.ctarank", 0},
      {"cluster.nctarank", 1},
  };
  for (auto [scalar, value] : scalars)
    if (reg == scalar) {
      call.results[0] = value;
      return;
    }
  refuse(machine, call);
}

/// Subnormals are zeros of the same sign for operations with `.ftz`.
static float flush(float value, bool isFtz) {
  return isFtz && std::fpclassify(value) == FP_SUBNORMAL
             ? std::copysign(0.0f, value)
             : value;
}

/// FUNCTION.approx[.ftz].f32, of f32 only.
static void executeMath(Machine &machine, const Call &call) {
  const std::string &name = call.name();
  std::string infix = ".approx.";
  size_t at = name.find(infix);
  if (at == std::string::npos)
    refuse(machine, call);
  std::string function = name.substr(0, at);
  std::string type = name.substr(at + infix.size());
  bool isFtz = type.starts_with("ftz.");
  if (isFtz)
    type = type.substr(4);
  if (type != "f" && type != "f32")
    refuse(machine, call);
  float value = flush(toFloat(call.args[0]), isFtz);
  if (function == "ex2")
    value = std::exp2(value);
  else if (function == "lg2")
    value = std::log2(value);
  else if (function == "rcp")
    value = 1 / value;
  else if (function == "rsqrt")
    value = 1 / std::sqrt(value);
  else if (function == "sqrt")
    value = std::sqrt(value);
  else
    value = std::tanh(value);
  call.results[0] = fromFloat(flush(value, isFtz));
}

/// cvt.rna.tf32.f32: the nearest number with 10 bits of mantissa, ties away
/// from zero. The other bits of the result are undefined; here they are 0.
static void executeRoundToTf32(Machine &, const Call &call) {
  constexpr uint32_t half = 0x1000, rest = 0x1fff;
  uint32_t bits = call.arg32(0);
  bool isFinite = std::isfinite(toFloat(bits));
  bool isNan = std::isnan(toFloat(bits));
  uint32_t rounded = isFinite ? bits + half : isNan ? 0x7fffffff : bits;
  call.results[0] = rounded & ~rest;
}

/// fence.proxy.async[.*] and fence.mbarrier_init: makes earlier writes by the
/// generic proxy, or initializations, visible to the async proxy. Accesses to
/// global memory by the async proxy need no fence here.
static void executeProxyFence(Machine &machine, const Call &call) {
  if (call.name().ends_with(".global"))
    return;
  machine.mbarriers.fence(machine);
  if (call.name().starts_with("fence.mbarrier_init"))
    return;
  Order &order = machine.currentThread().order;
  order.fenced = order.seen;
  machine.advance(machine.current);
}

/// mapa of the only block of a cluster.
static void executeMapAddress(Machine &machine, const Call &call) {
  if (call.arg32(1) != 0)
    machine.fail("clusters have one block, with rank 0");
  call.results[0] = call.args[0];
}

static bool executeProduct(Machine &machine, const Lanes &lanes) {
  machine.products.begin(machine, lanes);
  return true;
}

/// Arithmetic of inline assembly: ptx.OPERATION.BITS.
static void executeArithmetic(Machine &machine, const Call &call) {
  const std::string &name = call.name();
  bool isWide = name.ends_with(".64");
  uint64_t a = call.args[0], b = call.args[1];
  if (!isWide) {
    a = static_cast<uint32_t>(a);
    b = static_cast<uint32_t>(b);
  }
  uint64_t value = 0;
  if (name.starts_with("ptx.add."))
    value = a + b;
  else if (name.starts_with("ptx.setp.ne."))
    value = a != b;
  else if (name.starts_with("ptx.setp.eq."))
    value = a == b;
  else if (name.starts_with("ptx.mov."))
    value = a;
  else
    refuse(machine, call);
  call.results[0] = isWide ? value : static_cast<uint32_t>(value);
}

namespace {

/// An operation of a thread, or of a warp.
struct Row {
  const char *prefix; // of the name
  void (*execute)(Machine &, const Call &) = nullptr;
  void (*executeWarp)(Machine &, const Lanes &) = nullptr;
  int mask = -1;
};

} // namespace

/// The first row whose prefix fits is used.
static constexpr Row rows[] = {
    {"read.ptx.sreg.", executeRegister},
    {"ex2.", executeMath},
    {"lg2.", executeMath},
    {"rcp.", executeMath},
    {"rsqrt.", executeMath},
    {"sqrt.approx.", executeMath},
    {"tanh.", executeMath},
    {"f2tf32.rna", executeRoundToTf32},
    {"shfl.sync.", nullptr, executeShuffle, 0},
    {"vote.ballot.", nullptr, executeVote, 0},
    {"vote.any.", nullptr, executeVote, 0},
    {"vote.all.", nullptr, executeVote, 0},
    {"elect.sync", nullptr, executeElect, 0},
    {"redux.sync.", nullptr, executeReduction, 1},
    {"bar.warp.sync", nullptr, executeWarpBarrier, 0},
    {"ldmatrix.sync.aligned.m8n8.", nullptr, executeLoadMatrix},
    {"stmatrix.sync.aligned.m8n8.", nullptr, executeStoreMatrix},
    {"mma.m16n8k", nullptr, executeMma},
    {"barrier.cta.sync.", executeBarrier},
    {"barrier.cta.arrive.", executeBarrier},
    {"barrier.cluster.", executeClusterBarrier},
    {"cp.async.ca.shared.global.", executeCopyAsync},
    {"cp.async.cg.shared.global.", executeCopyAsync},
    {"cp.async.commit.group", executeCopyAsync},
    {"cp.async.wait.", executeCopyAsync},
    {"cp.async.mbarrier.arrive", executeCopyArrive},
    {"mbarrier.init", executeMbarrier},
    {"mbarrier.inval", executeMbarrier},
    {"mbarrier.expect.tx.", executeMbarrier},
    {"mbarrier.complete.tx.", executeMbarrier},
    {"mbarrier.arrive", executeMbarrierArrive},
    {"mbarrier.test.wait", executeMbarrierWait},
    {"mbarrier.try.wait", executeMbarrierWait},
    {"cp.async.bulk.tensor.g2s.tile.", executeTensorCopy},
    {"cp.async.bulk.tensor.g2s.cta.tile.", executeTensorCopy},
    {"cp.async.bulk.tensor.s2g.tile.", executeTensorCopy},
    {"ptx.load.", executeTensorCopy},
    {"ptx.store.", executeTensorCopy},
    {"cp.async.bulk.global.to.shared.c", executeBulkCopy},
    {"cp.async.bulk.shared.cta.to.global", executeBulkCopy},
    {"cp.async.bulk.commit.group", executeBulkGroup},
    {"cp.async.bulk.wait.group", executeBulkGroup},
    {"wgmma.fence.", executeProductGroup},
    {"wgmma.commit_group.", executeProductGroup},
    {"wgmma.wait_group.", executeProductGroup},
    {"fence.proxy.async", executeProxyFence},
    {"fence.mbarrier_init", executeProxyFence},
    {"fence.", executeNothing},
    {"membar.", executeNothing},
    {"griddepcontrol.", executeNothing},
    {"prefetch.", executeNothing},
    {"cp.async.bulk.prefetch.", executeNothing},
    {"cp.async.bulk.tensor.prefetch.tile.", executeNothing},
    {"mapa", executeMapAddress},
    {"ptx.", executeArithmetic},
    {"trap", executeTrap},
};

/// Forms of the operations above that mean something else.
static bool isRefused(const std::string &name) {
  for (const char *part :
       {".relaxed", ".bytemask", ".gather4", "fence.proxy.tensormap",
        "fence.proxy.async_generic", "redux.sync.f", ".unicast"})
    if (name.find(part) != std::string::npos)
      return true;
  return false;
}

Operation attnc::nvptx::findOperation(const std::string &name) {
  Operation operation;
  operation.name = name;
  operation.isAligned = name.find(".aligned") != std::string::npos ||
                        name.starts_with("mma.") ||
                        name.starts_with("ptx.wgmma.");
  operation.execute = executeUnknown;
  if (isRefused(name))
    return operation;
  if (name.starts_with("ptx.wgmma.") || name.starts_with("setmaxnreg.")) {
    operation.execute = nullptr;
    operation.executeWarpgroup =
        name.starts_with("ptx.") ? executeProduct : executeSetMaxRegisters;
    return operation;
  }
  for (const Row &row : rows)
    if (name.starts_with(row.prefix)) {
      operation.execute = row.execute;
      operation.executeWarp = row.executeWarp;
      operation.mask = row.mask;
      break;
    }
  return operation;
}
