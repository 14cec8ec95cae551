//===- SlowPath.cpp - Warn about slow paths -------------------------------===//
//
// A kernel that takes a slow path gives the correct result, so nobody would
// notice that a faster path exists. The driver shows, hides or forbids these
// warnings by their id (-Wno-slow-path, -Werror).
// Tests: test/Schedule/slow-path.mlir
//
//===----------------------------------------------------------------------===//

#include "SlowPath.h"

#include "Cpu/CpuSchedule.h"
#include "KernelShape.h"

#include "attnc/Analysis/Expr/DependenceSplit.h"
#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/Tf32.h"
#include "attnc/Dialect/Attn/TileRows.h"
#include "attnc/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace attnc;

/// Where the element type of an operand comes from: what computes it, or the
/// declaration of the argument that it is a view or a cache of.
static Location placeOf(Value operand, Location otherwise) {
  Operation *op = operand.getDefiningOp();
  while (isa_and_present<attn::ViewOp, attn::AppendOp>(op)) {
    operand = op->getOperand(0);
    op = operand.getDefiningOp();
  }
  return isa<UnknownLoc>(operand.getLoc()) ? otherwise : operand.getLoc();
}

static std::string nameOf(Type element) {
  std::string name;
  llvm::raw_string_ostream(name) << element;
  return name;
}

/// Whether the GPU multiplies such elements as they are stored.
static bool hasMatrixUnit(const Target &target, Type element, Type accumulate) {
  std::optional<DType> operand = parseDType(nameOf(element));
  std::optional<DType> sum = parseDType(nameOf(accumulate));
  return target.kind == TargetKind::Gpu && operand && sum &&
         target.findUnit(UnitKind::Matrix, *operand, *sum);
}

/// What a warning says of the unit that would multiply such elements.
static std::string describeUnit(const Target &target, Type element) {
  std::string name = nameOf(element);
  std::optional<DType> operand = parseDType(name);
  auto has = [&](UnitKind kind) {
    return llvm::any_of(target.units, [&](const Unit &unit) {
      return unit.kind == kind && unit.operand == operand;
    });
  };
  if (has(UnitKind::Matrix))
    return "the matrix unit for '" + name + "' is not used";
  if (has(UnitKind::DotProduct))
    return "the dot-product unit for '" + name + "' is not used";
  return "processors of this level have no unit that multiplies '" + name + "'";
}

/// "in calls with query_len <= 16, " of a copy for some sizes, else nothing.
static std::string whenOf(const Interface *interface, StringRef body) {
  if (interface)
    for (auto [name, entry] : llvm::zip(interface->bodies(), interface->cases))
      if (name == body)
        return "in calls with " + entry.str() + ", ";
  return "";
}

/// Products that stay in f32 where the schedule's unit multiplies others.
/// Formulas are reported by themselves.
static void warnAboutPairs(attn::KernelOp kernel, const Target &target,
                           StringRef when) {
  using namespace schedule::cpu;
  Type accumulate = kernel.getAccumulateType();
  auto warn = [&](ArrayRef<Value> operands, StringRef product) {
    for (Value operand : operands) {
      Type element = cast<RankedTensorType>(operand.getType()).getElementType();
      if (element == accumulate)
        continue;
      emitWarning(placeOf(operand, kernel.getLoc()))
          << when << element << " is converted to " << accumulate
          << " tile by tile for the product " << product << "; "
          << describeUnit(target, element) << " [slow-path]";
      return;
    }
  };
  PairedProducts paired =
      findPairedProducts(schedule::KernelShape(kernel, target), target,
                         CpuSchedule::of(*kernel.getSchedule()));
  SmallVector<attn::KernelOp::Sum, 2> sums = kernel.getSums();
  for (auto [number, sum] : llvm::enumerate(sums))
    if (!sum.pair && !paired.scores[number])
      warn({sum.rows.front().first, sum.rows.front().second}, "of the scores");
  Value v = kernel.getV();
  if (v && !kernel.hasValue() && !paired.value)
    warn(v, "with V");
}

/// Whether a schedule with the matrix unit is legal for a kernel, if what the
/// unit multiplies is packed.
static bool mayUseMatrixUnit(attn::KernelOp kernel, const Target &target) {
  using namespace schedule::cpu;
  schedule::KernelShape shape(kernel, target);
  CpuSchedule s;
  s.unit = tile::CpuUnit::Matrix;
  s.bf16Terms = 2;
  s.k = s.partial = 2 * leastKeys; // of a tile whose values are transposed
  return findPairUnit(target, s.unit) && whyNoPairs(shape, target, s).empty() &&
         whyNotPackedKeys(shape, target, s).empty() &&
         whyNotTransposed(shape, target, s).empty();
}

/// 16-bit kernels are computed like f32 ones where no unit multiplies them. A
/// chosen schedule without the matrix unit, where that applies, is the faster
/// one: a few queries would wait longer for operands to be packed.
static void warnAboutConversions(attn::KernelOp kernel, const Target &target,
                                 StringRef when, bool isChosen) {
  Type accumulate = kernel.getAccumulateType();
  auto cpu = dyn_cast<tile::CpuAttr>(kernel.getSchedule()->getTarget());
  if (cpu && cpu.getUnit() != tile::CpuUnit::Fma)
    return warnAboutPairs(kernel, target, when);
  if (cpu && isChosen && mayUseMatrixUnit(kernel, target))
    return;
  for (Value operand : kernel->getOperands()) {
    Type element = cast<RankedTensorType>(operand.getType()).getElementType();
    if (element == accumulate ||
        (!cpu && hasMatrixUnit(target, element, accumulate)))
      continue;
    emitWarning(placeOf(operand, kernel.getLoc()))
        << when << element << " is converted to " << accumulate
        << " tile by tile; " << describeUnit(target, element) << " [slow-path]";
    return;
  }
}

/// On a GPU whose matrix unit multiplies 16-bit types only, for the first
/// operand of f32 of a kernel or of a product of two matrices. Whether it did.
static bool warnAboutFma(Operation *op, const Target &target) {
  attn::BlockAttr block = attn::BlockAttr::of(op);
  bool isProduct = block && block.getForm() == attn::BlockForm::Dot;
  auto kernel = dyn_cast<attn::KernelOp>(op);
  auto nvptx = dyn_cast_if_present<tile::NvptxAttr>(
      kernel      ? kernel.getSchedule()->getTarget()
      : isProduct ? block.getTarget()
                  : nullptr);
  if (nvptx && nvptx.getTf32())
    return false;
  if (target.kind != TargetKind::Gpu ||
      !(isProduct || isa<attn::KernelOp>(op)) ||
      target.findUnit(UnitKind::Matrix, DType::F32, DType::F32) ||
      !target.findUnit(UnitKind::Matrix, DType::BF16, DType::F32) ||
      !attn::accumulateType(op->getOperandTypes()).isF32())
    return false;
  for (Value operand : op->getOperands()) {
    if (!getElementTypeOrSelf(operand.getType()).isF32())
      continue;
    emitWarning(placeOf(operand, op->getLoc()))
        << "f32 products use fma instructions, not the tensor cores of "
        << target.name
        << ", which multiply f16 and bf16 if all operands have this type"
        << (attn::allowsTf32(op) ? ""
                                 : ", and f32 with `precision: {tf32: true}`")
        << " [slow-path]";
    return true;
  }
  return false;
}

/// A formula per feature of each pair, where others have a product.
static void warnAboutFeatures(attn::KernelOp kernel) {
  auto warn = [](Region &region, StringRef what) {
    Operation *result =
        region.front().getTerminator()->getOperand(0).getDefiningOp();
    emitWarning(result ? result->getLoc() : region.getLoc())
        << "the " << what
        << " formula is evaluated per feature of each (query, key) pair; it "
           "is not a matrix product [slow-path]";
  };
  // With states only the pairs within a chunk are computed so.
  if (kernel.hasPairs() &&
      kernel.getSchedule()->getForm() != attn::ScheduleForm::Chunked)
    warn(kernel.getPairs().front(), "score");
  if (kernel.hasValue())
    warn(kernel.getValue(), "value");
}

static void warnAboutSearches(attn::KernelOp kernel) {
  if (!schedule::isSearch(kernel))
    return;
  bool isRank = kernel.getRowKind().getKind() == attn::RowKind::Rank;
  bool isWide = kernel.getAccumulateType().isF64();
  unsigned passes = isRank ? (isWide ? 17 : 9) : (isWide ? 15 : 8);
  std::string ties = ", " + std::to_string(passes + 8) + " if scores are equal";
  kernel.emitWarning() << (isRank ? "the n-th largest score"
                                  : "the threshold of sparsemax")
                       << " is found in " << passes << " passes over the keys"
                       << (isRank ? ties : "")
                       << "; each pass recomputes the scores [slow-path]";
}

/// Whether each query has a place of its own: `query`, or so far from it.
static bool isPlaceOf(BlockArgument query, Value index) {
  if (index == query)
    return true;
  Operation *op = index.getDefiningOp();
  if (!isa_and_present<arith::AddIOp, arith::SubIOp>(op))
    return false;
  return isPlaceOf(query, op->getOperand(0)) ||
         (isa<arith::AddIOp>(op) && isPlaceOf(query, op->getOperand(1)));
}

/// Products, formulas and running sums whose element for a query and a key
/// `formula` reads; its last two indices are `query` and `key`.
static void findPairsRead(Block &formula, BlockArgument query,
                          BlockArgument key,
                          llvm::SetVector<Operation *> &stored) {
  SmallVector<unsigned> bits(formula.getNumArguments(), OnNothing);
  bits[query.getArgNumber()] = OnQuery;
  bits[key.getArgNumber()] = OnKey;
  DependenceSplit split = splitByDependence(formula, bits);
  for (auto read : formula.getOps<attn::ReadOp>()) {
    Operation *made = read.getSource().getDefiningOp();
    while (isa_and_present<attn::ViewOp>(made))
      made = made->getOperand(0).getDefiningOp();
    bool isOfQuery = llvm::any_of(read.getIndices(), [&](Value index) {
      return split.dependence.lookup(index) == OnQuery &&
             isPlaceOf(query, index);
    });
    if (isa_and_present<attn::ContractOp, attn::MapOp, attn::ScanOp>(made) &&
        isOfQuery && llvm::is_contained(read.getIndices(), key))
      stored.insert(made);
  }
}

static void findPairsRead(attn::KernelOp kernel,
                          llvm::SetVector<Operation *> &stored) {
  for (Region *region : {&kernel.getScore(), &kernel.getMask(),
                         &kernel.getGate(), &kernel.getSelect()})
    if (!region->empty()) {
      unsigned query = kernel.isOfProducts(*region) ? 4 : 3;
      findPairsRead(region->front(), region->getArgument(query),
                    region->getArgument(query + 1), stored);
    }
}

/// Whether an axis may count queries or keys. Without an interface any does.
static bool mayCountRows(Type tensor, unsigned axis,
                         const Interface *interface) {
  if (!interface)
    return true;
  Attribute size = attn::axisSize(tensor, axis);
  if (auto number = dyn_cast_if_present<IntegerAttr>(size))
    return llvm::any_of(ArrayRef{"query_len", "kv_len"}, [&](StringRef name) {
      return interface->resolve(SizeExpr::size(name)).constantValue() ==
             number.getInt();
    });
  std::string error;
  auto text = dyn_cast_if_present<StringAttr>(size);
  auto formula = text ? SizeExpr::parse(text.getValue(), error) : std::nullopt;
  return !formula || llvm::any_of(formula->sizeNames(), [](StringRef name) {
    return !llvm::is_contained({"batch", "heads", "kv_heads", "group",
                                "head_dim", "key_dim", "value_dim"},
                               name);
  });
}

/// The size of the axis along which `tensor` has rows of all sequences, room
/// for those of each, or null.
static Attribute findUnpackedRows(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (auto unpack = dyn_cast_if_present<attn::UnpackOp>(op))
    return attn::axisSize(unpack.getType(), 1);
  if (isa_and_present<attn::ViewOp, attn::MapOp>(op))
    for (Value operand : op->getOperands())
      if (Attribute rows = findUnpackedRows(operand))
        return rows;
  return {};
}

/// A sum over the rows of a sequence by an op that does not know how many they
/// are: it goes over those of all.
static void warnAboutPackedSums(attn::ContractOp product) {
  attn::Labels labels = product.getAxisLabels();
  auto left = cast<RankedTensorType>(product.getLhs().getType());
  Attribute rows = findUnpackedRows(product.getLhs());
  for (auto [axis, letter] : llvm::enumerate(labels.inputs[0]))
    if (rows && !labels.output.contains(letter) &&
        attn::axisSize(left, axis) == rows) {
      product->emitWarning()
          << "for each sequence, this sum visits the rows of all sequences "
             "[slow-path]";
      return;
    }
}

/// A product of matrices whose operands no block reads as rows or columns.
static void warnAboutElements(attn::ContractOp product) {
  constexpr int64_t leastSum = 16; // shorter ones are no work
  attn::BlockAttr block = attn::BlockAttr::of(product);
  attn::Labels labels = product.getAxisLabels();
  auto hasOwnAxis = [&](unsigned number) {
    return llvm::any_of(labels.inputs[number], [&](char letter) {
      return labels.output.contains(letter) &&
             !labels.inputs[1 - number].contains(letter);
    });
  };
  std::optional<int64_t> sum = attn::fixedSumOf(product);
  if (block && block.getForm() == attn::BlockForm::Element && sum &&
      *sum >= leastSum && hasOwnAxis(0) && hasOwnAxis(1) && !product.getMask())
    product->emitWarning()
        << "this product of matrices is computed element by element, many "
           "times slower than in blocks, because views merge axes of an "
           "operand that are apart in memory; keep its axes as stored "
           "[slow-path]";
}

/// Whether the scores are of queries and keys: the axis that weights sum to 1
/// over is one of rows, and another one is.
static bool isOfPairs(attn::NormalizeOp norm, const Interface *interface) {
  Type scores = norm.getScores().getType();
  unsigned over = norm.getLabels().find(norm.getOver().front());
  if (!mayCountRows(scores, over, interface))
    return false;
  auto axes = llvm::seq<unsigned>(norm.getLabels().size());
  return llvm::any_of(axes, [&](unsigned axis) {
    return axis != over && mayCountRows(scores, axis, interface);
  });
}

/// Tensors with a number for each pair of a query and a key that no kernel
/// holds: scores and weights of an attn.normalize, what has their shape, and
/// what a kernel reads for each pair. A location is reported once.
static void warnAboutUnfused(func::FuncOp function,
                             const Interface *interface) {
  SmallVector<SmallVector<Attribute>> pairs;
  auto shapeOf = [](Value tensor) {
    SmallVector<Attribute> sizes;
    auto type = cast<RankedTensorType>(tensor.getType());
    for (unsigned axis : llvm::seq<unsigned>(type.getRank()))
      sizes.push_back(attn::axisSize(type, axis));
    return sizes;
  };
  llvm::SetVector<Operation *> stored;
  function.walk([&](Operation *op) {
    if (auto norm = dyn_cast<attn::NormalizeOp>(op);
        norm && isOfPairs(norm, interface)) {
      pairs.push_back(shapeOf(norm.getScores()));
      stored.insert(op);
    }
    if (auto kernel = dyn_cast<attn::KernelOp>(op))
      findPairsRead(kernel, stored);
  });
  llvm::DenseSet<std::pair<Attribute, StringRef>> told;
  function.walk([&](Operation *op) {
    if (!stored.contains(op) &&
        (!isa<attn::ContractOp, attn::MapOp>(op) ||
         !llvm::is_contained(pairs, shapeOf(op->getResult(0)))))
      return;
    StringRef what = isa<attn::NormalizeOp>(op)  ? "these weights"
                     : isa<attn::ContractOp>(op) ? "this product"
                     : isa<attn::ScanOp>(op)     ? "this running sum"
                                                 : "this formula";
    bool isKnown = !isa<UnknownLoc>(op->getLoc());
    if (isKnown && !told.insert({LocationAttr(op->getLoc()), what}).second)
      return;
    op->emitWarning() << "no kernel fuses " << what
                      << ", so its result goes through memory: one value per "
                         "query and key [slow-path]";
  });
}

void schedule::warnAboutSlowPaths(
    func::FuncOp function, const Target &target, const Interface *interface,
    llvm::function_ref<bool(Operation *)> isChosen) {
  std::string when = whenOf(interface, function.getName());
  bool usesFma = false; // one warning is enough for a layer
  function.walk([&](Operation *op) {
    usesFma = usesFma || warnAboutFma(op, target);
    if (auto kernel = dyn_cast<attn::KernelOp>(op)) {
      warnAboutConversions(kernel, target, when, isChosen(kernel));
      warnAboutFeatures(kernel);
      warnAboutSearches(kernel);
    } else if (auto product = dyn_cast<attn::ContractOp>(op)) {
      warnAboutPackedSums(product);
      warnAboutElements(product);
    }
  });
  warnAboutUnfused(function, interface);
}
