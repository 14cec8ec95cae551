//===- VisitedBlocks.cpp - Blocks of rows that kernels visit --------------===//
//
// A test per block costs nothing beside a block, but code: so it is there where
// it may be false.
// Tests: test/Schedule/visited-rows.test,
// test/Integration/layouts/visited-rows.test
//
//===----------------------------------------------------------------------===//

#include "VisitedBlocks.h"

#include "Side/SideOps.h"

#include "attnc/Dialect/Attn/Cases.h"

using namespace mlir;

namespace attnc::schedule {

std::string findVisited(Operation *op, attn::BlockAttr block,
                        const VisitedRowsOf &visited) {
  std::string letters = visitedLetters(op);
  const VisitedRows *rows =
      letters.empty() || block.getForm() == attn::BlockForm::Epilogue
          ? nullptr
          : visited.lookup(op->getResult(0));
  if (!rows)
    return {};
  // One place of b, h and g for all of a block.
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (const RowReader &reader : rows->readers)
    for (unsigned i : {0, 1, 2})
      if (reader.needed[i] && type.getDimSize(*reader.axes[i]) != 1 &&
          (block.getLanes() + block.getRows())
                  .str()
                  .find(letters[*reader.axes[i]]) != std::string::npos)
        return {};
  return std::string(1, letters[rows->axis]);
}

static bool readsTable(Region &ranges) {
  return ranges
      .walk([](Operation *op) {
        return isa<attn::ReadOp, attn::TableMinOp, attn::TableMaxOp,
                   attn::LowerBoundOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a kernel may leave out keys in front of or behind those it visits.
static bool mayLeaveOut(attn::KernelOp kernel, ArrayRef<Regime> regimes,
                        const Interface *interface) {
  return readsTable(kernel.getRanges()) ||
         llvm::any_of(regimes, [&](const Regime &regime) {
           return RegimeRanges(kernel, interface, regime).getVisitedShare() < 1;
         });
}

void leaveOutUnvisited(func::FuncOp function, ArrayRef<Regime> regimes,
                       const Interface *interface) {
  VisitedRowsOf visited(function);
  for (Operation &op : function.getBody().front()) {
    attn::BlockAttr block = attn::BlockAttr::of(&op);
    std::string letter =
        block ? findVisited(&op, block, visited) : std::string();
    if (letter.empty())
      continue;
    bool some = llvm::all_of(
        visited.lookup(op.getResult(0))->readers, [&](const RowReader &reader) {
          return mayLeaveOut(reader.kernel, regimes, interface);
        });
    if (!some)
      continue;
    SmallVector<attn::CaseAttr> cases;
    for (attn::CaseAttr own : attn::casesOf(&op))
      cases.push_back(attn::CaseAttr::get(op.getContext(), own.getAxis(),
                                          own.getMost(),
                                          own.getBlock().withVisited(letter)));
    attn::setCases(&op, cases);
    op.setAttr(attn::BlockAttr::kName, block.withVisited(letter));
  }
}

} // namespace attnc::schedule
