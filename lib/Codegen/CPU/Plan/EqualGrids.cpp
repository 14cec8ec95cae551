//===- EqualGrids.cpp - Grids that one function can run -------------------===//
//
// A layer multiplies by many weights and may have several attentions: their
// grids differ only in their buffers. One function, which takes the buffers as
// arguments (Functions.cpp), runs all of them, so its code is generated and
// optimized once. The cases of a function (for a prompt, for single rows) are
// programs with the same arguments, so their grids share code as well.
//
// Constant sizes and strides stay constant, since only buffers whose addresses
// are computed in the same way replace each other. The replacement is
// one-to-one: a grid that reads a buffer twice never runs the code of one that
// reads two buffers.
//
// Tests: test/Codegen/CPU/shared-grids.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/EqualGrids.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace attnc::cpu {

bool isReadByElement(Value buf) {
  return llvm::any_of(buf.getUsers(), [&](Operation *user) {
    auto load = dyn_cast<tile::LoadOp>(user);
    return isa<tile::ReadOp, tile::TableMinOp, tile::TableMaxOp,
               tile::LowerBoundOp, tile::LocateOp>(user) ||
           (load && load.getTable() == buf);
  });
}

/// Tensors and workspaces of a grid, and what another grid uses in their
/// positions.
using BufferMap = llvm::MapVector<Value, Value>;

/// Whether two values are one tensor or size of the call.
static bool isSameArgument(Value a, Value b) {
  auto left = dyn_cast<BlockArgument>(a), right = dyn_cast<BlockArgument>(b);
  return left && right && left.getArgNumber() == right.getArgNumber();
}

namespace {
/// Matches what two grids use from outside.
class OperandMatcher {
public:
  /// False if the values differ, or contradict earlier matches.
  bool match(Value a, Value b) {
    return isa<tile::BufType>(a.getType()) ? matchBuffer(a, b) : isSame(a, b);
  }
  BufferMap take() { return std::move(forward); }

private:
  bool matchBuffer(Value a, Value b);
  bool haveSameForm(Value a, Value b);
  bool isSame(Value a, Value b);
  bool isComputedAlike(Value a, Value b);

  BufferMap forward;
  DenseMap<Value, Value> backward;
  /// Values of two programs, and whether they are the same in every call.
  DenseMap<std::pair<Value, Value>, bool> compared;
};
} // namespace

/// Whether two values between the grids are the same in every call: both are
/// one argument, or computed from the same values by the same ops.
bool OperandMatcher::isSame(Value a, Value b) {
  if (a == b || isSameArgument(a, b))
    return true;
  auto known = compared.find({a, b});
  if (known != compared.end())
    return known->second;
  bool same = isComputedAlike(a, b);
  compared[{a, b}] = same;
  return same;
}

bool OperandMatcher::isComputedAlike(Value a, Value b) {
  Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
  // Workspaces of one size are different memory.
  if (!left || !right || isa<tile::WorkspaceOp>(left) ||
      cast<OpResult>(a).getResultNumber() !=
          cast<OpResult>(b).getResultNumber())
    return false;
  return OperationEquivalence::isEquivalentTo(
      left, right, [&](Value x, Value y) { return success(isSame(x, y)); },
      nullptr, OperationEquivalence::Flags::IgnoreLocations);
}

/// Whether addresses in two tensors or workspaces are computed in the same way.
bool OperandMatcher::haveSameForm(Value a, Value b) {
  auto left = a.getDefiningOp<tile::WorkspaceOp>();
  auto right = b.getDefiningOp<tile::WorkspaceOp>();
  if (left && right)
    return llvm::equal(left.getSizes(), right.getSizes(),
                       [&](Value x, Value y) { return isSame(x, y); });
  return !left && !right;
}

namespace {
struct Base {
  Value buffer; // a tensor or a workspace
  bool isReadByElement;
};
} // namespace

static Base baseOf(Value buf) {
  Base base{buf, isReadByElement(buf)};
  while (auto rename = base.buffer.getDefiningOp<tile::RenameOp>()) {
    base.buffer = rename.getBuf();
    base.isReadByElement |= isReadByElement(base.buffer);
  }
  return base;
}

static bool haveSameMergedAxes(Value a, Value b) {
  auto left = tile::RenameOp::findMerged(a);
  auto right = tile::RenameOp::findMerged(b);
  if (!left || !right)
    return !left && !right;
  return left->rows == right->rows && left->heads == right->heads &&
         left->group == right->group;
}

/// Maps the bases, since a function that gets another base binds all its names
/// to that: grids that use one base under two names, or one name of different
/// bases, must agree on it.
bool OperandMatcher::matchBuffer(Value a, Value b) {
  Base left = baseOf(a), right = baseOf(b);
  return a.getType() == b.getType() && haveSameMergedAxes(a, b) &&
         left.isReadByElement == right.isReadByElement &&
         haveSameForm(left.buffer, right.buffer) &&
         forward.insert({left.buffer, right.buffer}).first->second ==
             right.buffer &&
         backward.insert({right.buffer, left.buffer}).first->second ==
             left.buffer;
}

/// Operands of the grid and of the ops in it that are defined outside, in the
/// order of the ops.
static SmallVector<Value> outerOperands(tile::GridOp grid) {
  SmallVector<Value> operands;
  grid->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!grid.getBody().isAncestor(operand.getParentRegion()))
        operands.push_back(operand);
  });
  return operands;
}

/// Whether a call has the same for both arguments of programs. Names of axes
/// belong to a program.
static bool haveEqualForm(Type a, Type b) {
  auto left = dyn_cast<tile::BufType>(a), right = dyn_cast<tile::BufType>(b);
  if (!left || !right)
    return a == b;
  return left.getRank() == right.getRank() &&
         left.getElementType() == right.getElementType();
}

/// Whether the programs of two grids are called alike.
static bool haveEqualArguments(tile::GridOp a, tile::GridOp b) {
  auto left = a->getParentOfType<tile::ProgramOp>();
  auto right = b->getParentOfType<tile::ProgramOp>();
  return left == right ||
         llvm::equal(left.getBody().getArgumentTypes(),
                     right.getBody().getArgumentTypes(), haveEqualForm);
}

/// Whether the grids are equal if all that is defined outside is ignored.
static bool haveEqualBodies(tile::GridOp a, tile::GridOp b) {
  DenseMap<Value, Value> inside;
  auto isEquivalent = [&](Value x, Value y) {
    auto known = inside.find(x);
    return success(known == inside.end() ? x.getType() == y.getType()
                                         : known->second == y);
  };
  return OperationEquivalence::isEquivalentTo(
      a, b, isEquivalent, [&](Value x, Value y) { inside[x] = y; },
      OperationEquivalence::Flags::IgnoreLocations);
}

/// The buffers of `b` by those of `a`, if the grids differ in nothing else.
static std::optional<BufferMap> matchBuffers(tile::GridOp a, tile::GridOp b) {
  if (!haveEqualArguments(a, b) || !haveEqualBodies(a, b))
    return std::nullopt;
  // Separately, since the comparison of ops skips operands that both have.
  SmallVector<Value> left = outerOperands(a), right = outerOperands(b);
  if (left.size() != right.size())
    return std::nullopt;
  OperandMatcher matcher;
  for (auto [x, y] : llvm::zip_equal(left, right))
    if (!matcher.match(x, y))
      return std::nullopt;
  return matcher.take();
}

/// The buffers of `first` that some of the grids that run its code replace.
static SmallVector<Value> findReplaced(ArrayRef<BufferMap> maps,
                                       ArrayRef<GridCode> codes,
                                       unsigned first) {
  SmallVector<Value> replaced;
  for (auto [map, code] : llvm::zip_equal(maps, codes))
    if (code.owner == first)
      for (auto [own, other] : map)
        if (own != other && !isSameArgument(own, other) &&
            !llvm::is_contained(replaced, own))
          replaced.push_back(own);
  return replaced;
}

std::vector<GridCode> findEqualGrids(ArrayRef<tile::GridOp> grids) {
  std::vector<GridCode> codes;
  std::vector<BufferMap> maps; // of the owner's buffers to the grid's own
  for (auto [number, grid] : llvm::enumerate(grids)) {
    codes.push_back({.owner = unsigned(number)});
    maps.emplace_back();
    for (unsigned first = 0; first < number; ++first) {
      if (codes[first].owner != first)
        continue;
      std::optional<BufferMap> map = matchBuffers(grids[first], grid);
      if (!map)
        continue;
      codes[number] = {.owner = first, .isShared = true};
      codes[first].isShared = true;
      maps[number] = std::move(*map);
      break;
    }
  }
  for (unsigned first = 0; first < grids.size(); ++first)
    if (codes[first].isShared && codes[first].owner == first)
      codes[first].buffers = findReplaced(maps, codes, first);
  for (auto [code, map] : llvm::zip_equal(codes, maps))
    if (&code != &codes[code.owner])
      for (Value buffer : codes[code.owner].buffers)
        code.buffers.push_back(map.lookup(buffer));
  return codes;
}

} // namespace attnc::cpu
