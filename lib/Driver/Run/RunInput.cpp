//===- RunInput.cpp - The input of attnc-run and its sizes ----------------===//

#include "Run/RunInput.h"

#include "Options/OptionTable.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <unistd.h>

namespace attnc {

std::optional<int> RunInput::load() {
  std::optional<Stage> named = options.inputStage;
  if (!named)
    named = stageOfName(options.input);
  if (!named || *named > Stage::Scheduled)
    return session.fail("attnc-run accepts a spec or, with -x, a dump of stage "
                        "graph, fused or scheduled"),
           2;
  from = *named;
  std::string refusal = refuseForDump(options, from);
  if (!refusal.empty())
    return session.fail(refusal), 2;
  if (!session.load(from))
    return 1;
  refusal = refuseForTargets(options, session.targets());
  if (!refusal.empty())
    return session.fail(refusal), 2;
  if (!checkSizes())
    return 2;
  if (from == Stage::Spec && session.specs().empty())
    return session.fail("the input contains no spec"), 1;
  return std::nullopt;
}

bool RunInput::import() {
  // What a dump of a later stage means is the reference of earlier ones.
  if (session.stage() < Stage::Graph && !session.advanceTo(Stage::Graph))
    return false;
  graphRef = session.module().clone();
  functionList = session.interfaces().vec();
  return true;
}

const spec::AttentionSpec *RunInput::specOf(const Interface &function) const {
  auto found = llvm::find_if(session.specs(), [&](const auto &spec) {
    return spec.name == function.name;
  });
  return found == session.specs().end() ? nullptr : &*found;
}

static bool isRunTimeSize(const spec::AttentionSpec &spec,
                          llvm::StringRef name) {
  auto size = spec.findSize(name);
  return size && spec.sizes[*size].kind == spec::Size::RunTime;
}

std::vector<SizeMap> RunInput::combinations(unsigned index,
                                            bool ofAllRegimes) const {
  std::vector<SizeMap> cases;
  if (index < session.specs().size()) {
    const spec::AttentionSpec &spec = session.specs()[index];
    for (const spec::Regime &regime : spec.expect) {
      if (!cases.empty() && !ofAllRegimes)
        break;
      SizeMap &one = cases.emplace_back();
      for (auto [size, value] : regime.sizes)
        one[spec.sizes[size].name] = value;
    }
  }
  if (cases.empty()) // a dump has none
    cases.emplace_back();
  for (const auto &[name, values] : options.sizes) {
    if (index < session.specs().size() &&
        !isRunTimeSize(session.specs()[index], name))
      continue; // another function's
    std::vector<SizeMap> next;
    for (const SizeMap &one : cases)
      for (int64_t value : values) {
        next.push_back(one);
        next.back()[name] = value;
      }
    cases = std::move(next);
  }
  return cases;
}

std::optional<std::vector<int64_t>>
RunInput::sizesFor(const Interface &function, const SizeMap &chosen) {
  std::vector<int64_t> runtime;
  for (const std::string &name : function.runtimeSizes()) {
    auto it = chosen.find(name);
    if (it == chosen.end()) {
      session.fail("size '" + name + "' of " + function.name +
                   " has no value; set it with --size " + name + "=N");
      return std::nullopt;
    }
    runtime.push_back(it->second);
  }
  auto sizes = function.evaluateSizes(runtime);
  if (!sizes)
    session.fail("the sizes are inconsistent with those that " + function.name +
                 " derives from them");
  return sizes;
}

/// Each element is held as the caller's, as a double, and for the results of
/// both references.
static double bytesFor(const Interface &function,
                       llvm::ArrayRef<int64_t> sizes) {
  auto value = [&](llvm::StringRef name) -> std::optional<int64_t> {
    auto index = function.sizeIndex(name);
    return index ? std::optional<int64_t>(sizes[*index]) : std::nullopt;
  };
  double elements = 0;
  for (const InterfaceTensor &tensor : function.tensors) {
    double product = 1;
    for (const SizeExpr &axis : tensor.axes)
      product *= double(std::max<int64_t>(axis.evaluate(value).value_or(0), 0));
    elements += product;
  }
  return elements * 4 * sizeof(double);
}

static double physicalMemory() {
  return double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
}

bool RunInput::checkMemory(const Interface &function,
                           llvm::ArrayRef<int64_t> sizes) {
  double bytes = bytesFor(function, sizes), machine = physicalMemory();
  return bytes <= machine ||
         session.fail(
             llvm::formatv("{0}: the tensors and their references require "
                           "{1:F1} GiB, but the machine has {2:F1} GiB",
                           function.name, bytes / 0x1p30, machine / 0x1p30));
}

/// Each size of --size is one of some function.
bool RunInput::checkSizes() {
  const auto &specs = session.specs();
  auto isWrong = [&](const auto &given) {
    return llvm::none_of(specs, [&](const spec::AttentionSpec &spec) {
      return isRunTimeSize(spec, given.first);
    });
  };
  auto wrong = llvm::find_if(options.sizes, isWrong);
  if (specs.empty() || wrong == options.sizes.end())
    return true;
  llvm::SetVector<llvm::StringRef> names;
  for (const spec::AttentionSpec &spec : specs)
    for (const spec::Size &size : spec.sizes)
      if (size.kind == spec::Size::RunTime)
        names.insert(size.name);
  return session.fail(
      "--size: " +
      (specs.size() == 1 ? specs[0].name + " has no" : "no function has a") +
      " run-time size '" + wrong->first + "'" +
      (names.empty() ? ": all are fixed"
                     : "; run-time sizes: " + llvm::join(names, ", ")));
}

} // namespace attnc
