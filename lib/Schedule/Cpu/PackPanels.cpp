//===- PackPanels.cpp - Store weights as the matrix unit reads them -------===//
//
// A product on the matrix unit copies its operand along the lanes, pair by pair
// of neighbors along the sum, in every call. Of a resident matrix the copy is
// the same for all calls:
//
//   func.func @f(%x, %W) {
//     %y = attn.contract "qd,de->qe" (%x, %W)
// becomes
//   func.func @f(%x, %W_panels) {
//     %w = attn.view "nplc->(pc)(nl)" %W_panels {attn.panels}
//     %y = attn.contract "qd,de->qe" (%x, %w)
//   func.func @f_pack_weights(%W) {
//     %v = attn.view "(pc)(nl)->nplc" %W
//     %p = attn.map "nplc->nplc" (%v)
//
// Blocks are as wide as a panel, the two vectors that the unit multiplies at
// once: nothing is copied that more columns would share. Sums are complete
// after one block (attn.tile_rows), and blocks for few rows are not needed:
// these, too, read panels at the rate of memory.
//
// Tests: test/Schedule/Cpu/pack-panels.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Schedule/Passes.h"

#include "Cpu/InProduct.h"
#include "Side/SideOps.h"
#include "Strategy.h"

#include "attnc/Analysis/Cost/Residency.h"
#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Dialect/Attn/Cases.h"
#include "attnc/Dialect/Attn/Epilogue.h"
#include "attnc/Dialect/Attn/InProduct.h"
#include "attnc/Dialect/Attn/Panels.h"
#include "attnc/Dialect/Attn/TileRows.h"
#include "attnc/Dialect/Tile/Tile.h"
#include "attnc/Interface/Interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::schedule;

namespace attnc::schedule {
#define GEN_PASS_DEF_PACKPANELS
#include "attnc/Schedule/Passes.h.inc"
} // namespace attnc::schedule

/// Lanes of a panel, and of one for heads that are narrower.
static constexpr int64_t kWidths[] = {32, 16};
/// Elements of the sum in a register.
static constexpr int64_t kDepth = 32;
/// The longest sum of a block (verify_scheduled_c13).
static constexpr int64_t kMostPlaces = 4096;

namespace {
/// A product whose operand along the lanes is a matrix of weights, in place or
/// through views.
struct Reader {
  attn::ContractOp op;
  unsigned operand;
  BlockArgument weight;
  unsigned lanesAxis;
  int64_t width;
};

/// A matrix that is stored in panels once.
struct Packed {
  unsigned argument, lanesAxis;
  int64_t width;
  std::string name;
};
} // namespace

/// The places of a digit, if they are fixed and no table finds them.
static std::optional<int64_t> placesOf(const Digit &digit) {
  auto number = dyn_cast_if_present<IntegerAttr>(digit.places ? digit.places
                                                              : digit.size);
  return number && !digit.table ? std::optional(number.getInt()) : std::nullopt;
}

/// The widest panels along the lanes of an axis, whose blocks start at panels.
static std::optional<int64_t> findWidth(const AxisDigits &axis, char lanes,
                                        int64_t extent) {
  const Digit *own = nullptr;
  for (const Digit &digit : axis) {
    std::optional<int64_t> places = placesOf(digit);
    if (!places || (own && *places != 1))
      return std::nullopt;
    if (digit.letter == lanes)
      own = &digit;
  }
  auto size = own ? dyn_cast_if_present<IntegerAttr>(own->size) : IntegerAttr();
  if (!size)
    return std::nullopt;
  for (int64_t width : kWidths)
    if (size.getInt() % width == 0 && *placesOf(*own) % width == 0 &&
        own->offset % width == 0 && extent % width == 0)
      return width;
  return std::nullopt;
}

/// The rows of the whole sum that half of L2 holds.
static int64_t rowsInHalf(const Target &target, int64_t sum) {
  constexpr int64_t operandBytes = 2;
  return target.l2Bytes() / 2 / (sum * operandBytes);
}

/// Finds panels of the operand with these digits; else an obstacle.
static std::string findPanels(Reader &reader, const TensorDigits &digits,
                              char lanes) {
  attn::ContractOp op = reader.op;
  auto type = cast<RankedTensorType>(reader.weight.getType());
  std::optional<int64_t> sum = attn::fixedSumOf(op);
  attn::BlockAttr block = attn::BlockAttr::of(op);
  auto cpu = dyn_cast<tile::CpuAttr>(block.getTarget());
  if (block.getForm() != attn::BlockForm::Dot || !cpu ||
      cpu.getUnit() != tile::CpuUnit::Matrix)
    return "the matrix unit does not compute its product";
  if (!cpu::isAlone(op) || attn::findPrologue(op, reader.operand))
    return "other ops are computed in the blocks of its product";
  if (!sum || type.getRank() != 2)
    return "its product sums over several axes";
  auto isOnLanes = [&](const AxisDigits &axis) {
    return llvm::any_of(
        axis, [&](const Digit &digit) { return digit.letter == lanes; });
  };
  reader.lanesAxis = isOnLanes(digits[1]);
  const AxisDigits &summed = digits[1 - reader.lanesAxis];
  if (summed.size() != 1 || type.getDimSize(1 - reader.lanesAxis) != *sum)
    return "its product reads a part of the summed axis";
  std::string count = "its product sums over " + std::to_string(*sum);
  if (*sum % kDepth)
    return count + " elements, which is no multiple of " +
           std::to_string(kDepth);
  if (*sum > kMostPlaces)
    return count + " elements, more than " + std::to_string(kMostPlaces);
  std::optional<int64_t> width = findWidth(digits[reader.lanesAxis], lanes,
                                           type.getDimSize(reader.lanesAxis));
  if (!width)
    return "blocks of 16 of its columns do not divide those that its product "
           "reads";
  reader.width = *width;
  return {};
}

/// The block of a product that reads panels: half of L2 holds its rows for the
/// whole sum, if the sum is not too long. Each tile of it reads the panel from
/// L2, so tiles of large blocks have more rows: 1024 x 768 x 2304 takes 2.05 ms
/// with 256 rows, 2.22 with 128.
static void setBlock(attn::ContractOp op, int64_t width, const Target &target) {
  attn::BlockAttr old = attn::BlockAttr::of(op);
  auto cpu = cast<tile::CpuAttr>(old.getTarget());
  int64_t sum = *attn::fixedSumOf(op);
  constexpr int64_t mostRows = 512, leastRows = 128;
  int64_t rows = rowsInHalf(target, sum) / leastRows * leastRows;
  rows = std::clamp(rows, leastRows, mostRows);
  int64_t tileRows = rows == mostRows ? 2 * leastRows : leastRows;
  attn::Labels labels = op.getAxisLabels();
  size_t axis = labels.output.find(old.getRows());
  if (auto size = dyn_cast_if_present<IntegerAttr>(
          attn::axisSize(op.getType(), unsigned(axis))))
    rows = std::min(rows, size.getInt());
  SmallVector<int64_t> granule{cpu.getScoreGranule()[0],
                               width / cpu.getLanes()};
  auto own = tile::CpuAttr::get(
      op.getContext(), cpu.getIsa(), cpu.getMapping(), cpu.getLanes(), granule,
      granule, cpu.getUnroll(), /*tail=*/0, cpu.getLaneSkip(), cpu.getPack(),
      /*partial=*/sum, cpu.getFeatureRows(), cpu.getUnit(), cpu.getBf16Terms());
  op->setAttr(attn::BlockAttr::kName,
              attn::BlockAttr::get(
                  op.getContext(), old.getForm(), old.getLanes(), old.getRows(),
                  width, sum, rows, old.getInner(), old.getVisited(), own));
  op->setAttr(attn::kTileRows,
              IntegerAttr::get(IndexType::get(op->getContext()),
                               std::min(tileRows, rows)));
  op->removeAttr(attn::kCases);
  Value made = op.getResult();
  while (attn::MapOp map = attn::findEpilogue(made)) {
    map->setAttr(attn::BlockAttr::kName, chooseEpilogue(map));
    made = map.getResult();
  }
}

namespace {
/// Packs the weights of one function of the interface.
class PanelPacker {
public:
  PanelPacker(ModuleOp module, std::vector<Interface> &interfaces,
              size_t number, const Target &target, const Strategy &strategy)
      : module(module), interfaces(interfaces), number(number), target(target),
        strategy(strategy) {}
  void run(bool allowed, bool isOnlyPart);

private:
  Interface &interface() { return interfaces[number]; }
  std::optional<Reader> match(attn::ContractOp op, bool allowed,
                              bool isOnlyPart);
  void find(bool allowed, bool isOnlyPart);
  Packed &packedOf(const Reader &reader);
  std::string freeName(const Interface &packing, std::string wish);
  unsigned countInputs(const Interface &of) const;
  func::FuncOp findPacking(Interface &packing);
  void store(func::FuncOp function, Interface &packing, Packed &packed);
  void addInputs(const Interface &packing);
  void replace(const Reader &reader, BlockArgument panels);
  void dropUnread(const Interface &packing);

  ModuleOp module;
  std::vector<Interface> &interfaces;
  size_t number;
  const Target &target;
  const Strategy &strategy;
  SmallVector<func::FuncOp> bodies;
  SmallVector<Reader> readers;
  SmallVector<Packed> matrices;
};
} // namespace

/// A product that may read panels; a remark if its weights are resident and it
/// may not.
std::optional<Reader> PanelPacker::match(attn::ContractOp op, bool allowed,
                                         bool isOnlyPart) {
  attn::BlockAttr block = attn::BlockAttr::of(op);
  if (!block || block.getLanes().size() != 1)
    return std::nullopt;
  attn::Labels labels = op.getAxisLabels();
  char lanes = block.getLanes()[0];
  Reader reader{op, labels.inputs[0].contains(lanes) ? 0U : 1U, {}, 0, 0};
  Value root;
  FailureOr<TensorDigits> digits =
      digitsOfOperand(op->getOperand(reader.operand),
                      labels.inputs[reader.operand], root, /*report=*/false);
  reader.weight = dyn_cast_if_present<BlockArgument>(root);
  if (failed(digits) || !reader.weight ||
      !getElementTypeOrSelf(root.getType()).isBF16() ||
      !isPacked(residencyOf(root), allowed))
    return std::nullopt;
  std::string obstacle =
      isOnlyPart ? findPanels(reader, *digits, lanes)
                 : "the object has code for several processors, which read "
                   "weights in different forms";
  if (obstacle.empty())
    return reader;
  StringRef name = interface().tensors[reader.weight.getArgNumber()].name;
  op->emitRemark() << "'" << name << "' of " << op.getLabels()
                   << " is packed in each call, because " << obstacle
                   << " [packed]";
  return std::nullopt;
}

/// Matrices with two readers have panels that suit both.
void PanelPacker::find(bool allowed, bool isOnlyPart) {
  for (const std::string &name : interface().bodies())
    if (auto body = module.lookupSymbol<func::FuncOp>(name))
      bodies.push_back(body);
  for (func::FuncOp body : bodies)
    body.walk([&](attn::ContractOp op) {
      if (std::optional<Reader> reader = match(op, allowed, isOnlyPart))
        readers.push_back(*reader);
    });
  for (const Reader &reader : readers) {
    auto *known = llvm::find_if(matrices, [&](const Packed &packed) {
      return packed.argument == reader.weight.getArgNumber() &&
             packed.lanesAxis == reader.lanesAxis;
    });
    if (known != matrices.end())
      known->width = std::min(known->width, reader.width);
    else
      matrices.push_back(
          {reader.weight.getArgNumber(), reader.lanesAxis, reader.width, {}});
  }
}

Packed &PanelPacker::packedOf(const Reader &reader) {
  return *llvm::find_if(matrices, [&](const Packed &packed) {
    return packed.argument == reader.weight.getArgNumber() &&
           packed.lanesAxis == reader.lanesAxis;
  });
}

std::string PanelPacker::freeName(const Interface &packing, std::string wish) {
  auto isTaken = [&](StringRef name) {
    return interface().tensorIndex(name) || interface().sizeIndex(name) ||
           packing.tensorIndex(name);
  };
  std::string name = wish;
  for (unsigned next = 2; isTaken(name); ++next)
    name = wish + "_" + std::to_string(next);
  return name;
}

unsigned PanelPacker::countInputs(const Interface &of) const {
  return llvm::count_if(of.tensors, [](const InterfaceTensor &tensor) {
    return !tensor.isOutput();
  });
}

/// The function that packs weights; a new one without ops if there is none.
/// Null: its name is that of another function.
func::FuncOp PanelPacker::findPacking(Interface &packing) {
  if (std::string name = interface().packing().str(); !name.empty()) {
    packing = *findInterface(interfaces, name);
    return module.lookupSymbol<func::FuncOp>(name);
  }
  packing.name = interface().name + "_pack_weights";
  packing.title = "weights of " + interface().name + ", packed once";
  packing.spec = interface().spec;
  if (module.lookupSymbol(packing.name))
    return {};
  OpBuilder b(module.getBodyRegion());
  b.setInsertionPointToEnd(module.getBody());
  Location loc = bodies.front().getLoc();
  auto function =
      func::FuncOp::create(b, loc, packing.name, b.getFunctionType({}, {}));
  b.setInsertionPointToEnd(function.addEntryBlock());
  func::ReturnOp::create(b, loc);
  return function;
}

/// The type of a tensor of constant extents in the signature of a function.
static RankedTensorType panelsType(ArrayRef<int64_t> shape, Type element) {
  Builder b(element.getContext());
  SmallVector<Attribute> sizes;
  for (int64_t extent : shape)
    sizes.push_back(b.getI64IntegerAttr(extent));
  return attn::tensorType(sizes, element);
}

/// Stores a matrix in panels, as a further output.
void PanelPacker::store(func::FuncOp function, Interface &packing,
                        Packed &packed) {
  const InterfaceTensor &weight = interface().tensors[packed.argument];
  Location loc = function.getLoc();
  auto type = cast<RankedTensorType>(
      bodies.front().getArgument(packed.argument).getType());
  std::optional<unsigned> input = packing.tensorIndex(weight.name);
  if (!input) {
    input = countInputs(packing);
    InterfaceTensor own = weight;
    for (SizeExpr &axis : own.axes)
      axis = interface().resolve(axis); // it has no sizes of its own
    packing.tensors.insert(packing.tensors.begin() + *input, own);
    (void)function.insertArgument(*input, type, {}, loc);
  }
  Block &block = function.getBody().front();
  Operation *last = block.getTerminator();
  OpBuilder b(last);
  int64_t shape[] = {type.getDimSize(packed.lanesAxis) / packed.width,
                     type.getDimSize(1 - packed.lanesAxis) / attn::kPanelPair,
                     packed.width, attn::kPanelPair};
  RankedTensorType panels = panelsType(shape, type.getElementType());
  auto [from, to] = StringRef(attn::panelLabels(packed.lanesAxis)).split("->");
  Value view = attn::ViewOp::create(b, loc, panels, (to + "->" + from).str(),
                                    block.getArgument(*input));
  auto map =
      attn::MapOp::create(b, loc, panels, (from + "->" + from).str(), view,
                          [](OpBuilder &inner, Location place, ValueRange x) {
                            attn::YieldOp::create(inner, place, x[0]);
                          });
  map->setAttr(attn::BlockAttr::kName, strategy.chooseBlock(map, target));
  last->insertOperands(last->getNumOperands(), map->getResults());
  function.setFunctionType(
      b.getFunctionType(function.getArgumentTypes(), last->getOperandTypes()));
  InterfaceTensor made;
  made.name = packed.name = freeName(packing, weight.name + "_panels");
  made.role = countInputs(packing) == packing.tensors.size()
                  ? TensorRole::Output
                  : TensorRole::Extra;
  made.dtype = weight.dtype;
  for (int64_t extent : shape)
    made.axes.push_back(SizeExpr::constant(extent));
  packing.tensors.push_back(made);
  bodies.front().emitRemark()
      << "'" << made.name << "', " << 2 * type.getNumElements()
      << " bytes, is '" << weight.name
      << "' as the matrix unit reads it, stored once by " << packing.name
      << "; its products have blocks of " << packed.width
      << " columns for any number of rows [packed]";
}

/// Panels become the last inputs of the function, in the order of `matrices`.
void PanelPacker::addInputs(const Interface &packing) {
  unsigned inputs = countInputs(interface());
  for (auto [i, packed] : llvm::enumerate(matrices)) {
    InterfaceTensor input = packing.tensors[*packing.tensorIndex(packed.name)];
    input.role = TensorRole::Input;
    input.packedBy = packing.name;
    interface().tensors.insert(interface().tensors.begin() + inputs + i, input);
    SmallVector<int64_t> shape;
    for (const SizeExpr &axis : input.axes)
      shape.push_back(*axis.constantValue());
    Type type = panelsType(
        shape, getElementTypeOrSelf(
                   bodies.front().getArgument(packed.argument).getType()));
    for (func::FuncOp body : bodies)
      (void)body.insertArgument(inputs + i, type, {}, body.getLoc());
  }
}

/// Lets a product read panels through the views through which it has read the
/// matrix.
void PanelPacker::replace(const Reader &reader, BlockArgument panels) {
  attn::ContractOp op = reader.op;
  OpBuilder b(op);
  auto matrix = attn::ViewOp::create(
      b, op.getLoc(), cast<RankedTensorType>(reader.weight.getType()),
      attn::panelLabels(reader.lanesAxis), panels);
  matrix->setAttr(attn::kPanels, b.getUnitAttr());
  SmallVector<Operation *> views;
  for (Value at = op->getOperand(reader.operand); at != reader.weight;
       at = views.back()->getOperand(0))
    views.push_back(at.getDefiningOp());
  IRMapping map;
  map.map(reader.weight, matrix.getResult());
  for (Operation *view : llvm::reverse(views))
    b.clone(*view, map);
  op->setOperand(reader.operand, map.lookup(op->getOperand(reader.operand)));
  for (Operation *view : views)
    if (isOpTriviallyDead(view))
      view->erase();
  setBlock(op, packedOf(reader).width, target);
}

/// Weights that no body reads any more are no arguments.
void PanelPacker::dropUnread(const Interface &packing) {
  for (unsigned i = countInputs(interface()); i-- > 0;) {
    InterfaceTensor tensor = interface().tensors[i]; // before it goes
    bool isRead = !tensor.packedBy.empty() ||
                  !packing.tensorIndex(tensor.name) ||
                  llvm::any_of(bodies, [&](func::FuncOp body) {
                    return !body.getArgument(i).use_empty();
                  });
    if (isRead)
      continue;
    for (func::FuncOp body : bodies)
      (void)body.eraseArgument(i);
    interface().tensors.erase(interface().tensors.begin() + i);
    for (InterfaceTensor &other : interface().tensors)
      if (other.mayBe == tensor.name)
        other.mayBe.clear();
  }
}

void PanelPacker::run(bool allowed, bool isOnlyPart) {
  find(allowed, isOnlyPart);
  if (matrices.empty())
    return;
  Interface packing;
  std::string why;
  if (interface().tensors.size() + matrices.size() > Interface::kMaxTensors ||
      2 * matrices.size() > Interface::kMaxTensors)
    why = "the function would have too many tensors";
  func::FuncOp function = why.empty() ? findPacking(packing) : func::FuncOp();
  if (!function) {
    bodies.front().emitRemark()
        << "weights are packed in each call, because "
        << (why.empty() ? "'" + packing.name + "' is another function" : why)
        << " [packed]";
    return;
  }
  for (Packed &packed : matrices)
    store(function, packing, packed);
  unsigned inputs = countInputs(interface());
  addInputs(packing);
  for (const Reader &reader : readers) {
    auto body = reader.op->getParentOfType<func::FuncOp>();
    replace(reader, body.getArgument(inputs + unsigned(&packedOf(reader) -
                                                       matrices.begin())));
  }
  dropUnread(packing);
  for (Interface &known : interfaces)
    if (known.name == packing.name) {
      known = packing;
      return;
    }
  interfaces.push_back(std::move(packing));
}

namespace {
struct PackPanels final : attnc::schedule::impl::PackPanelsBase<PackPanels> {
  using PackPanelsBase::PackPanelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!module->hasAttr(kInterfaceAttr))
      return; // nobody could call the new function
    const Target *target = findLevel(module.getLoc(), cpu, backend.getValue());
    if (!target)
      return signalPassFailure();
    const Strategy &strategy = *getStrategies(*target, backend).front();
    if (target->kind != TargetKind::Cpu || !strategy.readsPanels(*target))
      return;
    FailureOr<std::vector<Interface>> interfaces = getInterfaces(module);
    if (failed(interfaces))
      return signalPassFailure();
    auto packs = [&](const Interface &own) { // weights of another one
      return llvm::any_of(*interfaces, [&](const Interface &other) {
        return other.packing() == own.name;
      });
    };
    for (size_t i = 0, count = interfaces->size(); i < count; ++i)
      if (!packs((*interfaces)[i]))
        PanelPacker(module, *interfaces, i, *target, strategy)
            .run(weightProducts, isOnlyPart);
    setInterfaces(module, *interfaces);
  }
};
} // namespace
