//===- ApplyDirective.cpp - Schedules as calls of Halide ------------------===//

#include "Plugin/BuildPipeline.h"

namespace attnc::halide {
namespace {

/// The calls that Func and Stage share.
template <typename Stage>
bool applyToLoops(Stage stage, const Directive &directive,
                  const std::vector<Halide::VarOrRVar> &v) {
  const std::string &verb = directive.verb;
  const std::vector<int64_t> &n = directive.numbers;
  if (verb == "reorder") {
    stage.reorder(v);
  } else if (verb == "vectorize") {
    if (n.empty())
      stage.vectorize(v[0]);
    else
      stage.vectorize(v[0], int(n[0]));
  } else if (verb == "unroll") {
    if (n.empty())
      stage.unroll(v[0]);
    else
      stage.unroll(v[0], int(n[0]));
  } else if (verb == "never_partition") {
    stage.never_partition_all();
  } else if (verb == "gpu_blocks") {
    for (const Halide::VarOrRVar &one : v)
      stage.gpu_blocks(one);
  } else if (verb == "gpu_threads") {
    for (const Halide::VarOrRVar &one : v)
      stage.gpu_threads(one);
  } else if (verb == "split") {
    stage.split(v[0], v[1], v[2], int(n[0]));
  } else if (verb == "split_guarded") {
    stage.split(v[0], v[1], v[2], int(n[0]), Halide::TailStrategy::GuardWithIf);
  } else if (verb == "split_rounded") {
    stage.split(v[0], v[1], v[2], int(n[0]), Halide::TailStrategy::RoundUp);
  } else {
    return false;
  }
  return true;
}

} // namespace

void applyDirective(Halide::Func function, const Directive &directive,
                    const std::vector<Halide::VarOrRVar> &v,
                    const std::map<std::string, Halide::Func> &functions) {
  const std::string &verb = directive.verb;
  const std::vector<int64_t> &n = directive.numbers;
  if (directive.stage > 0) {
    Halide::Stage stage = function.update(directive.stage - 1);
    if (verb == "allow_races")
      stage.allow_race_conditions();
    else if (!applyToLoops(stage, directive, v))
      throw Halide::InternalError("unknown directive " + verb);
    return;
  }
  if (verb == "compute_root") {
    function.compute_root();
  } else if (verb == "compute_at") {
    const Halide::Func &other = functions.at(directive.names[0]);
    if (v[0].is_rvar)
      function.compute_at(other, v[0].rvar);
    else
      function.compute_at(other, v[0].var);
  } else if (verb == "in_registers") {
    function.store_in(Halide::MemoryType::Register);
  } else if (verb == "in_shared") {
    function.store_in(Halide::MemoryType::GPUShared);
  } else if (verb == "on_heap") {
    function.store_in(Halide::MemoryType::Heap);
  } else if (verb == "reorder_storage") {
    std::vector<Halide::Var> order;
    for (const Halide::VarOrRVar &one : v)
      order.push_back(one.var);
    function.reorder_storage(order);
  } else if (verb == "bound") {
    function.bound(v[0].var, int(n[0]), int(n[1]));
  } else if (verb == "bound_extent") {
    function.bound_extent(v[0].var, int(n[0]));
  } else if (!applyToLoops(function, directive, v)) {
    throw Halide::InternalError("unknown directive " + verb);
  }
}

} // namespace attnc::halide
