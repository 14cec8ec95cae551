//===- RunMask.cpp - Which tiles of a mask are computed -------------------===//
//
// Tests: test/Tools/Run/run-mask.test
//
//===----------------------------------------------------------------------===//

#include "Run/RunCase.h"

#include "attnc/Target/Target.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

using reference::BlockOfRows;
using reference::KernelTiles;

/// Grids beyond this fill no screen.
static constexpr size_t maxDrawnRows = 64, maxDrawnColumns = 96;

mlir::FailureOr<std::vector<KernelTiles>>
RunCase::countTiles(const Oracle &scheduled) const {
  auto taken = inputsFor(scheduled, inputs, reference::Precision::Exact);
  if (mlir::failed(taken))
    return mlir::failure();
  return reference::countTiles(scheduled.function, *taken, namedSizes());
}

static llvm::json::Object toJson(const KernelTiles &tiles) {
  return llvm::json::Object{{"queries", tiles.queries},
                            {"keys", tiles.keys},
                            {"q", tiles.blockQ},
                            {"k", tiles.blockK},
                            {"partial", tiles.partial},
                            {"chunk", tiles.chunk},
                            {"classifies", tiles.classifies},
                            {"tiles", tiles.all()},
                            {"needed", tiles.needed()},
                            {"visited", tiles.visited()},
                            {"free", tiles.free},
                            {"masked", tiles.masked},
                            {"masked_in_vain", tiles.maskedInVain},
                            {"visited_in_vain", tiles.visitedInVain},
                            {"pairs_allowed", tiles.allowedPairs},
                            {"pairs_computed", tiles.computedPairs},
                            {"pairs_masked", tiles.maskedPairs}};
}

static void reportJson(const RunCase &run, const Target &target,
                       llvm::ArrayRef<KernelTiles> kernels) {
  llvm::json::Object sizes;
  for (auto [size, value] : llvm::zip_equal(run.function.sizes, run.sizes))
    if (size.isRuntime())
      sizes[size.name] = value;
  llvm::json::Array list;
  for (const KernelTiles &tiles : kernels)
    list.push_back(toJson(tiles));
  llvm::outs() << llvm::formatv("{0}\n", llvm::json::Value(llvm::json::Object{
                                             {"name", run.function.name},
                                             {"sizes", std::move(sizes)},
                                             {"cpu", target.name},
                                             {"kernels", std::move(list)}}));
}

static std::string percent(double part, double whole) {
  return whole > 0 ? llvm::formatv("{0:f1}%", 100 * part / whole).str() : "-";
}

/// "keys 0..95 (0..31 by all rows)"; several segments with `and`.
static std::string describeSegments(const BlockOfRows &block) {
  std::string text;
  for (auto [anyLo, allLo, allHi, anyHi] : block.segments) {
    text += llvm::formatv("{0}{1}..{2}", text.empty() ? "keys " : " and ",
                          anyLo, anyHi - 1);
    if (allLo < allHi && allLo == anyLo && allHi == anyHi)
      text += " (all rows see all)";
    else if (allLo < allHi)
      text += llvm::formatv(" ({0}..{1} visible to all)", allLo, allHi - 1);
  }
  return text.empty() ? "no keys" : text;
}

/// How a block goes over the keys, as far as a picture of tiles does not say.
static std::string describeForm(const KernelTiles &tiles) {
  if (tiles.isRows)
    return ", all keys in one tile";
  std::string text =
      llvm::formatv(", {0} keys per partial tile", tiles.partial);
  if (tiles.chunk)
    text += llvm::formatv("; in chunks of {0}, which a state may replace: the "
                          "picture shows the quadratic form",
                          tiles.chunk);
  return text;
}

static void draw(llvm::raw_ostream &os, const KernelTiles &tiles) {
  size_t columns = tiles.blocks.empty() ? 0 : tiles.blocks.front().uses.size();
  if (tiles.blocks.size() > maxDrawnRows || columns > maxDrawnColumns) {
    os << llvm::formatv(
        "  {0} x {1} tiles are too many to draw (limit {2} x {3})\n",
        tiles.blocks.size(), columns, maxDrawnRows, maxDrawnColumns);
    return;
  }
  for (const BlockOfRows &block : tiles.blocks)
    os << llvm::formatv("  {0} rows {1}..{2}: {3}\n", block.uses, block.begin,
                        block.end - 1, describeSegments(block));
}

static std::string describeHeads(const KernelTiles &tiles) {
  if (tiles.heads == 1)
    return "";
  if (tiles.counted <= 1)
    return llvm::formatv("; the same for all {0} batches and heads",
                         tiles.heads);
  return llvm::formatv("; {0} batches and heads, {1} of them distinct; the "
                       "first is drawn",
                       tiles.heads, tiles.counted);
}

static void reportKernel(llvm::raw_ostream &os, const KernelTiles &tiles) {
  os << llvm::formatv(
      "  kernel  {0} rows by {1} keys in tiles of {2} x {3}{4}, {5}{6}\n",
      tiles.queries, tiles.keys, tiles.blockQ, tiles.blockK,
      describeForm(tiles),
      tiles.classifies ? "by key ranges and tile classes" : "by key ranges",
      describeHeads(tiles));
  os << llvm::formatv("  tiles   {0} total, {1} needed, {2} visited ({3} of "
                      "the needed)\n",
                      tiles.all(), tiles.needed(), tiles.visited(),
                      percent(double(tiles.visited()), double(tiles.needed())));
  os << llvm::formatv(
      "  # full, without mask code: {0} ({1})\n  + partial: {2} ({3})\n"
      "  = full, but with mask code: {4}\n  o empty, but visited: {5}\n"
      "  . empty, skipped: {6} ({7})\n",
      tiles.free, percent(double(tiles.free), double(tiles.all())),
      tiles.masked, percent(double(tiles.masked), double(tiles.all())),
      tiles.maskedInVain, tiles.visitedInVain, tiles.skipped,
      percent(double(tiles.skipped), double(tiles.all())));
  os << llvm::formatv("  pairs   {0} allowed, {1} computed ({2} needed), {3} "
                      "of them with the mask\n",
                      int64_t(tiles.allowedPairs), int64_t(tiles.computedPairs),
                      percent(tiles.allowedPairs, tiles.computedPairs),
                      percent(tiles.maskedPairs, tiles.computedPairs));
  draw(os, tiles);
}

void reportTiles(const RunCase &run, const RunOptions &options,
                 const Target &target, llvm::ArrayRef<KernelTiles> kernels) {
  if (options.json)
    return reportJson(run, target, kernels);
  llvm::raw_ostream &os = llvm::outs();
  std::string sizes = run.describeSizes();
  os << llvm::formatv("{0}  {1}{2}{3}, mask tiles\n", run.function.name, sizes,
                      sizes.empty() ? "" : ", ", target.name);
  for (const KernelTiles &tiles : kernels)
    reportKernel(os, tiles);
  os.flush();
}

} // namespace attnc
