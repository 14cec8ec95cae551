//===- TrimLoops.cpp - Loops over what a condition allows -----------------===//
//
//   for (j, 0, n)                          for (j, low, min(n, high) - low)
//     produce ..                             produce ..
//     if (attnc_within(j, low, high))   ->   if (low <= j && j < high)
//       update                                 update
//
// The index is the variable of a domain, the condition one of those of the
// domain, so what else is in the loop is computed for the update. Halide itself
// makes such a condition a bound only where nothing else stores or waits in the
// loop. Groups of a device wait in it for all their threads, so low and high
// must be the same in all of them: they use no variable of a loop inside, and
// none over threads is outside. Some interfaces must know that, and take it
// that a load may differ.
// Tests: test/Codegen/Halide/device-ranges.test
//
//===----------------------------------------------------------------------===//

#include "Plugin/TrimLoops.h"

#include <optional>

namespace attnc::halide {
namespace {

using namespace Halide::Internal;
using Halide::Expr;

constexpr char kWithin[] = "attnc_within";

/// Whether an expression has a load.
struct FindLoad : IRVisitor {
  bool isFound = false;
  using IRVisitor::visit;
  void visit(const Load *) override { isFound = true; }
};

bool hasLoad(const Expr &value) {
  FindLoad loads;
  value.accept(&loads);
  return loads.isFound;
}

struct Range {
  Expr low, high;
};

/// The range that all conditions on the variable of a loop agree on, by what
/// is defined outside of it.
class FindRange : public IRVisitor {
public:
  explicit FindRange(const std::string &loop) : loop(loop) {}
  std::optional<Range> range;
  bool agree = true;

private:
  using IRVisitor::visit;
  void visit(const Let *op) override {
    op->value.accept(this);
    lets[op->name] = outside(op->value);
    op->body.accept(this);
  }
  void visit(const LetStmt *op) override {
    op->value.accept(this);
    lets[op->name] = outside(op->value);
    op->body.accept(this);
  }
  void visit(const For *op) override {
    inner.push_back(op->name);
    IRVisitor::visit(op);
  }
  void visit(const Call *op) override {
    IRVisitor::visit(op);
    if (op->name != kWithin)
      return;
    Expr index = outside(op->args[0]);
    const auto *variable = index.as<Variable>();
    if (!variable || variable->name != loop)
      return;
    Range found{outside(op->args[1]), outside(op->args[2])};
    agree &= isOutside(found.low) && isOutside(found.high) &&
             (!range ||
              (equal(range->low, found.low) && equal(range->high, found.high)));
    range = found;
  }

  Expr outside(const Expr &value) const { return substitute(lets, value); }
  bool isOutside(const Expr &value) const {
    for (const std::string &name : inner)
      if (expr_uses_var(value, name))
        return false;
    return !expr_uses_var(value, loop);
  }

  std::string loop;
  std::map<std::string, Expr> lets;
  std::vector<std::string> inner;
};

class TrimLoops : public IRMutator {
public:
  explicit TrimLoops(bool hasUniformLoads) : hasUniformLoads(hasUniformLoads) {}

private:
  using IRMutator::visit;
  Stmt visit(const For *op) override {
    FindRange find(op->name);
    op->body.accept(&find);
    bool isBound = op->for_type == ForType::Serial && find.range && find.agree;
    if (isBound && !hasUniformLoads)
      isBound = !hasLoad(find.range->low) && !hasLoad(find.range->high);
    if (!isBound)
      return IRMutator::visit(op);
    Expr min = Halide::max(op->min, mutate(find.range->low));
    Expr end = Halide::min(op->min + op->extent, mutate(find.range->high));
    return For::make(op->name, min, Halide::max(end - min, 0), op->for_type,
                     op->partition_policy, op->device_api, mutate(op->body));
  }
  Expr visit(const Call *op) override {
    if (op->name != kWithin)
      return IRMutator::visit(op);
    Expr at = mutate(op->args[0]);
    return mutate(op->args[1]) <= at && at < mutate(op->args[2]);
  }

  bool hasUniformLoads;
};

} // namespace

Expr makeWithin(const std::vector<Expr> &operands) {
  return Call::make(Halide::Bool(), kWithin, operands, Call::PureExtern);
}

void addTrimLoops(Halide::Pipeline &pipeline, bool hasUniformLoads) {
  pipeline.add_custom_lowering_pass(new TrimLoops(hasUniformLoads));
}

} // namespace attnc::halide
