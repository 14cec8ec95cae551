//===- Cases.cpp - Grids of the cases of an op ----------------------------===//
//
//   attn.contract ... {attn.block = #many,
//     attn.cases = [#attn.case<axis = "q", most = 8, block = #eight>]}
// becomes
//   tile.grid ... to (rows <= 8 ? blocks of #eight : 0, ...) { ... }
//   tile.grid ... to (rows > 8 ? blocks of #many : 0, ...) { ... }
//
// Tests: test/Lowering/cases.mlir
//
//===----------------------------------------------------------------------===//

#include "Side/SideBlock.h"

#include "attnc/Dialect/Attn/Cases.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc::lowering {

/// For each case whether it is that of the call, and last whether none is;
/// null: it always is. Computed in front of the grids.
SmallVector<Value> SideBlock::findCase(ArrayRef<attn::CaseAttr> cases) const {
  OpBuilder b = OpBuilder::atBlockEnd(&storage.program.getBody().front());
  SmallVector<Value> conditions;
  Value none; // of the cases so far holds
  for (attn::CaseAttr own : cases) {
    Value size = sizeOf(b, own.getAxis()[0]);
    Value most = arith::ConstantIndexOp::create(b, loc, own.getMost());
    auto andNone = [&](arith::CmpIPredicate predicate) -> Value {
      Value holds = arith::CmpIOp::create(b, loc, predicate, size, most);
      return none ? arith::AndIOp::create(b, loc, none, holds) : holds;
    };
    conditions.push_back(andNone(arith::CmpIPredicate::sle));
    none = andNone(arith::CmpIPredicate::sgt);
  }
  conditions.push_back(none);
  return conditions;
}

void SideBlock::forEachCase(llvm::function_ref<void()> emitGrids) {
  SmallVector<attn::CaseAttr> cases = attn::casesOf(op);
  SmallVector<Value> conditions = findCase(cases);
  attn::BlockAttr others = block;
  for (auto [number, condition] : llvm::enumerate(conditions)) {
    block = number < cases.size() ? cases[number].getBlock() : others;
    isCalled = condition;
    shifts.clear(); // values of a grid before
    emitGrids();
  }
}

} // namespace attnc::lowering
