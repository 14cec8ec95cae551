//===- GroupedRows.cpp - Rows of a kernel that are heads ------------------===//
//
// attn-merge-groups moves the heads of a group to rows and back with maps:
//
//   %rows = attn.map "->bhzqd" {read of the query q / 4 of head q % 4}
//   %r = attn.kernel ins(%rows, ...)
//   %o = attn.map "->bhgqe" {read of row q * 4 + g of %r}
//
// Where a target reads elements at any place as fast as blocks, the kernel
// reads its rows through the first map, and the grid that merges parts of its
// keys, which has one row per instance, stores them as the second map says.
// Neither is a grid of its own then. Tests: test/Lowering/grouped-rows.mlir
//
//===----------------------------------------------------------------------===//

#include "Kernel/GroupedRows.h"

#include "attnc/Dialect/Tile/PartsTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc::lowering {

bool mergesRows(attn::KernelOp kernel) {
  attn::ScheduleAttr schedule = *kernel.getSchedule();
  return schedule.getSplit() && kernel.getV() &&
         tile::mergeTarget(
             schedule.getTarget(),
             cast<RankedTensorType>(kernel.getV().getType()).getShape().back());
}

/// The read that `map` yields as it is, if it has no inputs.
static attn::ReadOp findMoved(attn::MapOp map) {
  Value yielded = map.getBody().front().getTerminator()->getOperand(0);
  auto read = yielded.getDefiningOp<attn::ReadOp>();
  bool isMove = read && map.getInputs().empty() &&
                read->getParentRegion() == &map.getBody() &&
                getElementTypeOrSelf(read->getOperand(0).getType()) ==
                    getElementTypeOrSelf(map.getType());
  return isMove ? read : attn::ReadOp();
}

bool isReadByKernels(attn::MapOp map) {
  if (!findMoved(map) || map.getType().getRank() != 5)
    return false;
  auto readsRows = [&](Operation *user) {
    auto kernel = dyn_cast<attn::KernelOp>(user);
    if (!kernel || !tile::readsElements(kernel.getSchedule()->getTarget()))
      return false;
    return llvm::all_of(kernel.getLetteredOperands(), [&](const auto &operand) {
      return operand.first != map.getResult() ||
             StringRef(operand.second).contains('q');
    });
  };
  return !map->use_empty() && llvm::all_of(map->getUsers(), readsRows);
}

/// n of q * n + g.
static std::optional<int64_t> findGroup(Value row, Value q, Value g) {
  auto sum = row.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  Value first = sum.getLhs(), other = sum.getRhs();
  if (first == g)
    std::swap(first, other);
  auto product = first.getDefiningOp<arith::MulIOp>();
  APInt group;
  if (other != g || !product || product.getLhs() != q ||
      !matchPattern(product.getRhs(), m_ConstantInt(&group)))
    return std::nullopt;
  return group.getSExtValue();
}

std::optional<HeadsOfRows> findHeadsOfRows(attn::MapOp map) {
  attn::ReadOp read = findMoved(map);
  StringRef letters = map.getAxisLabels().output;
  if (!read || (letters != "bhgqe" && letters != "bhgq"))
    return std::nullopt;
  Value rows = read->getOperand(0);
  auto kernel = rows.getDefiningOp<attn::KernelOp>();
  bool isAlone = llvm::all_of(rows.getUsers(), [&](Operation *user) {
    return user->getParentOp() == map;
  });
  if (!kernel || !isAlone || !mergesRows(kernel))
    return std::nullopt;
  Block &body = map.getBody().front();
  auto argument = [&](char letter) -> Value {
    return body.getArgument(letters.find(letter));
  };
  SmallVector<Value> at(read.getIndices());
  bool isPlain = at.size() == letters.size() && at[0] == argument('b') &&
                 at[1] == argument('h') && matchPattern(at[2], m_Zero()) &&
                 (at.size() == 4 || at[4] == argument('e'));
  if (!isPlain)
    return std::nullopt;
  std::optional<int64_t> group = findGroup(at[3], argument('q'), argument('g'));
  return group ? std::optional(HeadsOfRows{rows, *group}) : std::nullopt;
}

attn::MapOp findHeadsOf(Value rows) {
  for (Operation *user : rows.getUsers())
    if (auto map = dyn_cast<attn::MapOp>(user->getParentOp()))
      if (findHeadsOfRows(map))
        return map;
  return {};
}

} // namespace attnc::lowering
