//===- KernelTiles.cpp - Which tiles a kernel computes --------------------===//

#include "attnc/Reference/KernelTiles.h"

#include "Attn/FunctionInterpreter.h"

#include "attnc/Dialect/Tile/Tile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc::reference {
namespace {

/// What is done with one key of a block of rows.
enum KeyUse : char { Left, WithMask, WithoutMask };

/// One batch and head of a kernel.
class HeadTiles {
public:
  HeadTiles(attn::KernelOp op, RegionEvaluator<double> &evaluator,
            std::array<int64_t, 3> bhg, KernelTiles &into)
      : op(op), evaluator(evaluator), bhg(bhg), into(into) {}

  /// The rows [begin, end), `times` times into the counts.
  LogicalResult addBlock(int64_t begin, int64_t end, int64_t times,
                         bool isShown);

private:
  using Values = FailureOr<SmallVector<int64_t>>;
  Values run(Region &region, ArrayRef<int64_t> more);
  LogicalResult countAllowed(int64_t begin, int64_t end);
  LogicalResult walk(int64_t begin, int64_t end, BlockOfRows &block);
  LogicalResult walkPieces(int64_t begin, int64_t end, int64_t from,
                           int64_t to);
  FailureOr<int64_t> classOf(int64_t begin, int64_t end, int64_t from,
                             int64_t to);
  void use(int64_t from, int64_t to, KeyUse how) {
    std::fill(uses.begin() + from, uses.begin() + to, how);
  }
  LogicalResult check(int64_t begin, int64_t end);
  TileUse addTile(int64_t from, int64_t to, int64_t rows, int64_t times);

  attn::KernelOp op;
  RegionEvaluator<double> &evaluator;
  std::array<int64_t, 3> bhg;
  KernelTiles &into;
  std::vector<int64_t> allowed; // rows of the block that see each key
  std::vector<char> uses;       // KeyUse of each key
};

} // namespace

/// The integers that a region yields for (b, h, g, more...).
HeadTiles::Values HeadTiles::run(Region &region, ArrayRef<int64_t> more) {
  SmallVector<Column<double>> arguments;
  for (int64_t index : bhg)
    arguments.push_back(Column<double>::integer(index));
  for (int64_t index : more)
    arguments.push_back(Column<double>::integer(index));
  auto columns = evaluator.run(region.front(), arguments);
  if (failed(columns))
    return failure();
  SmallVector<int64_t> values;
  for (const Column<double> &column : *columns)
    values.push_back(column.integerAt(0));
  return values;
}

LogicalResult HeadTiles::countAllowed(int64_t begin, int64_t end) {
  allowed.assign(into.keys, 0);
  Column<double> keys;
  for (int64_t key = 0; key < into.keys; ++key)
    keys.integers.push_back(key);
  for (int64_t row = begin; row < end && into.keys > 0; ++row) {
    SmallVector<Column<double>> arguments;
    for (int64_t index : bhg)
      arguments.push_back(Column<double>::integer(index));
    arguments.push_back(Column<double>::integer(row));
    arguments.push_back(keys);
    auto mask = evaluator.run(op.getMask().front(), arguments);
    if (failed(mask))
      return failure();
    for (int64_t key = 0; key < into.keys; ++key)
      allowed[key] += mask->front().integerAt(key) != 0;
  }
  return success();
}

FailureOr<int64_t> HeadTiles::classOf(int64_t begin, int64_t end, int64_t from,
                                      int64_t to) {
  if (!op.hasClassify())
    return 1;
  Values found = run(op.getClassify(), {begin, end, from, to});
  if (failed(found))
    return failure();
  return found->front();
}

/// Keys at which segments know no better than to run the mask.
LogicalResult HeadTiles::walkPieces(int64_t begin, int64_t end, int64_t from,
                                    int64_t to) {
  if (!op.hasClassify()) {
    use(from, to, WithMask);
    return success();
  }
  for (int64_t piece = from; piece < to; piece += into.blockK) {
    int64_t pieceEnd = std::min(piece + into.blockK, to);
    auto whole = classOf(begin, end, piece, pieceEnd);
    if (failed(whole))
      return failure();
    if (*whole == 2 && pieceEnd - piece == into.blockK)
      use(piece, pieceEnd, WithoutMask);
    if (*whole == 0 || (*whole == 2 && pieceEnd - piece == into.blockK))
      continue;
    for (int64_t key = piece; key < pieceEnd; key += into.partial) {
      int64_t keyEnd = std::min(key + into.partial, pieceEnd);
      auto part = classOf(begin, end, key, keyEnd);
      if (failed(part))
        return failure();
      if (*part != 0)
        use(key, keyEnd, WithMask);
    }
  }
  return success();
}

/// As tile.for walks over the segments.
LogicalResult HeadTiles::walk(int64_t begin, int64_t end, BlockOfRows &block) {
  uses.assign(into.keys, Left);
  SmallVector<int64_t> bounds{0, 0, 0, into.keys};
  if (op.hasRanges() && !into.isRows) {
    Values found = run(op.getRanges(), {begin, end});
    if (failed(found))
      return failure();
    bounds = *found;
  }
  int64_t step = into.blockK;
  for (size_t i = 0; i + 3 < bounds.size(); i += 4) {
    // Ranges of ragged keys go on behind a sequence.
    int64_t anyLo = std::max<int64_t>(bounds[i], 0);
    int64_t anyHi = std::min(bounds[i + 3], into.keys);
    if (anyLo >= anyHi)
      continue;
    int64_t allLo = std::clamp(bounds[i + 1], anyLo, anyHi);
    int64_t allHi = std::clamp(bounds[i + 2], allLo, anyHi);
    block.segments.push_back({anyLo, allLo, allHi, anyHi});
    int64_t full = (allHi - allLo) / step;
    int64_t start = full ? allLo : anyLo, stop = start + full * step;
    if (failed(walkPieces(begin, end, anyLo, start)) ||
        failed(walkPieces(begin, end, stop, anyHi)))
      return failure();
    use(start, stop, WithoutMask);
  }
  return success();
}

/// Ranges and classes only save work.
LogicalResult HeadTiles::check(int64_t begin, int64_t end) {
  for (int64_t key = 0; key < into.keys; ++key) {
    bool isLost = uses[key] == Left && allowed[key] > 0;
    bool isAdded = uses[key] == WithoutMask && allowed[key] < end - begin;
    if (isLost || isAdded)
      return op.emitError("for the rows ")
             << begin << " to " << end - 1 << " 'ranges' or 'classify' "
             << (isLost ? "leaves out" : "takes as allowed for all") << " key "
             << key << ", which the mask allows for " << allowed[key]
             << " of them [mask]";
  }
  return success();
}

TileUse HeadTiles::addTile(int64_t from, int64_t to, int64_t rows,
                           int64_t times) {
  int64_t count = 0, visited = 0, masked = 0;
  for (int64_t key = from; key < to; ++key) {
    count += allowed[key];
    visited += uses[key] != Left;
    masked += uses[key] == WithMask;
  }
  into.allowedPairs += double(count * times);
  into.computedPairs += double(visited * rows * times);
  into.maskedPairs += double(masked * rows * times);
  auto add = [&](int64_t &counter, TileUse use) {
    counter += times;
    return use;
  };
  if (count == 0)
    return visited ? add(into.visitedInVain, TileUse::VisitedInVain)
                   : add(into.skipped, TileUse::Skipped);
  if (count < rows * (to - from))
    return add(into.masked, TileUse::Masked);
  return masked ? add(into.maskedInVain, TileUse::MaskedInVain)
                : add(into.free, TileUse::Free);
}

LogicalResult HeadTiles::addBlock(int64_t begin, int64_t end, int64_t times,
                                  bool isShown) {
  BlockOfRows block{begin, end, "", {}};
  if (failed(countAllowed(begin, end)) || failed(walk(begin, end, block)) ||
      failed(check(begin, end)))
    return failure();
  for (int64_t key = 0; key < into.keys; key += into.blockK)
    block.uses += char(addTile(key, std::min(key + into.blockK, into.keys),
                               end - begin, times));
  if (isShown)
    into.blocks.push_back(std::move(block));
  return success();
}

/// Whether any region that decides about tiles depends on b, h or g.
static bool dependsOn(attn::KernelOp op, unsigned index) {
  for (Region *region : {&op.getMask(), &op.getRanges(), &op.getClassify()})
    if (!region->empty() && !region->front().getArgument(index).use_empty())
      return true;
  return false;
}

/// Sizes of the kernel and its tiles; an error without a schedule.
static FailureOr<KernelTiles> startTiles(attn::KernelOp op, int64_t queries,
                                         int64_t keys) {
  attn::ScheduleAttr schedule = op.getScheduleAttr();
  if (!schedule)
    return op.emitError("has no schedule, so its tiles are not known");
  KernelTiles tiles;
  tiles.queries = queries;
  tiles.keys = keys;
  tiles.blockQ = schedule.getQ();
  tiles.blockK = schedule.getK();
  tiles.isRows = schedule.getForm() == attn::ScheduleForm::Rows;
  tiles.chunk = schedule.getChunk();
  tiles.classifies = op.hasClassify() && !tiles.isRows;
  tiles.partial = schedule.getTarget().getPartialStep(tiles.blockK);
  return tiles;
}

/// The tiles of one kernel. Batches, heads and groups that no region looks at
/// are alike, so one of them stands for all.
static FailureOr<KernelTiles>
countKernel(attn::KernelOp op, ArrayRef<int64_t> extents, int64_t keys,
            ArrayRef<int64_t> lengths, RegionEvaluator<double> &evaluator) {
  int64_t queries = extents[3];
  auto tiles = startTiles(op, queries, keys);
  if (failed(tiles))
    return failure();
  bool isRagged =
      llvm::any_of(lengths, [&](int64_t length) { return length != queries; });
  int64_t distinct[3];
  for (unsigned i : {0, 1, 2}) {
    bool differ = dependsOn(op, i) || (i == 0 && isRagged);
    distinct[i] = differ ? extents[i] : std::min<int64_t>(extents[i], 1);
    tiles->heads *= extents[i];
    tiles->counted *= distinct[i];
  }
  if (double(tiles->counted) * double(queries) * double(keys) > maxCountedPairs)
    return op.emitError("has too many pairs to look at every one: ")
           << queries << " rows by " << keys << " keys for " << tiles->counted
           << " batches and heads that differ; at most 2^32 are counted, so "
              "take smaller sizes [mask]";
  for (int64_t i = 0; i < tiles->counted; ++i) {
    int64_t g = i % distinct[2], h = i / distinct[2] % distinct[1];
    int64_t b = i / distinct[2] / distinct[1];
    HeadTiles head(op, evaluator, {b, h, g}, *tiles);
    for (int64_t q = 0; q < lengths[b]; q += tiles->blockQ)
      if (failed(head.addBlock(q, std::min(q + tiles->blockQ, lengths[b]),
                               tiles->heads / tiles->counted, i == 0)))
        return failure();
  }
  return tiles;
}

bool readsResults(func::FuncOp function) {
  WalkResult result = function.walk([](attn::KernelOp kernel) {
    return kernel.getMask().walk([](attn::ReadOp read) {
      return isa<BlockArgument>(read.getSource()) ? WalkResult::advance()
                                                  : WalkResult::interrupt();
    });
  });
  return result.wasInterrupted();
}

FailureOr<std::vector<KernelTiles>>
countTiles(func::FuncOp function, ArrayRef<Tensor> inputs, const Sizes &sizes) {
  std::vector<KernelTiles> result;
  FunctionInterpreter<double> interpreter(sizes, Arithmetic());
  interpreter.countsOnly = !readsResults(function);
  interpreter.skipsProducts = interpreter.countsOnly;
  interpreter.lookAt = [&](attn::KernelOp op, ArrayRef<int64_t> extents,
                           int64_t keys, ArrayRef<int64_t> lengths,
                           RegionEvaluator<double> &evaluator) {
    auto tiles = countKernel(op, extents, keys, lengths, evaluator);
    if (succeeded(tiles))
      result.push_back(std::move(*tiles));
    return LogicalResult(tiles);
  };
  if (failed(interpreter.run(function, inputs)))
    return failure();
  return result;
}

} // namespace attnc::reference
