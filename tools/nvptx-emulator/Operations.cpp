//===- Operations.cpp - Operations of single threads and barriers ---------===//

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

void Machine::execute(const Call &call) {
  const std::string &name = *call.name;
  static const char *const collectives[] = {"shfl.sync.", "ldmatrix.sync.",
                                            "mma.m16n8k", "vote.", "bar.warp."};
  for (const char *prefix : collectives)
    if (name.starts_with(prefix))
      return wait(State::atCollective, call);
  if (executeRegister(name, call.results) ||
      executeMath(name, call.args, call.results) || executeBarrier(call) ||
      executeAsync(name, call.args))
    return;
  fail("operation is not emulated: " + name);
}

bool Machine::executeRegister(const std::string &name, uint64_t *results) {
  std::string prefix = "read.ptx.sreg.";
  if (!name.starts_with(prefix))
    return false;
  std::string reg = name.substr(prefix.size());
  Dim3 index = {current % block[0], current / block[0] % block[1],
                current / block[0] / block[1]};
  const std::pair<const char *, const Dim3 *> vectors[] = {
      {"tid.", &index},
      {"ntid.", &block},
      {"ctaid.", &blockIndex},
      {"nctaid.", &grid}};
  for (auto [vector, value] : vectors)
    if (reg.starts_with(vector) && reg.size() == std::strlen(vector) + 1) {
      results[0] = (*value)[reg.back() - 'x'];
      return true;
    }
  if (reg == "laneid")
    results[0] = current % warpSize;
  else if (reg == "warpid")
    results[0] = current / warpSize;
  else
    return false;
  return true;
}

/// Subnormals are zeros of the same sign for operations with `.ftz`.
static float flush(float value, bool isFtz) {
  return isFtz && std::fpclassify(value) == FP_SUBNORMAL
             ? std::copysign(0.0f, value)
             : value;
}

/// Of f32 only.
bool Machine::executeMath(const std::string &name, uint64_t *args,
                          uint64_t *results) {
  std::string infix = ".approx.";
  size_t at = name.find(infix);
  if (at == std::string::npos)
    return false;
  std::string function = name.substr(0, at);
  std::string type = name.substr(at + infix.size());
  bool isFtz = type.starts_with("ftz.");
  if (isFtz)
    type = type.substr(4);
  if (type != "f" && type != "f32")
    return false;
  float value = flush(toFloat(args[0]), isFtz);
  if (function == "ex2")
    value = std::exp2(value);
  else if (function == "lg2")
    value = std::log2(value);
  else if (function == "rcp")
    value = 1 / value;
  else if (function == "rsqrt")
    value = 1 / std::sqrt(value);
  else if (function == "tanh")
    value = std::tanh(value);
  else
    return false;
  results[0] = fromFloat(flush(value, isFtz));
  return true;
}

bool Machine::executeBarrier(const Call &call) {
  const std::string &name = *call.name;
  const uint64_t *args = call.args;
  std::string prefix = "barrier.cta.";
  if (!name.starts_with(prefix))
    return name.starts_with("membar.") || name.starts_with("fence.");
  Thread &thread = threads[current];
  bool hasCount = name.ends_with(".count");
  thread.barrier = args[0];
  thread.barrierCount =
      hasCount ? static_cast<uint32_t>(args[1]) : threads.size();
  if (thread.barrier >= 16)
    fail("there are 16 barriers; this is number " +
         std::to_string(thread.barrier));
  if (thread.barrierCount == 0 || thread.barrierCount % warpSize != 0)
    fail("the number of threads of a barrier must be a multiple of 32");
  if (name.starts_with("barrier.cta.sync.")) {
    wait(State::atBarrier, call);
    return true;
  }
  if (!name.starts_with("barrier.cta.arrive."))
    return false;
  NamedBarrier &barrier = barriers[thread.barrier];
  ++barrier.arrived;
  barrier.clock.resize(threads.size());
  join(barrier.clock, thread.clock);
  ++thread.clock[current];
  return true;
}
