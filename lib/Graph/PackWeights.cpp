//===- PackWeights.cpp - Compute products of weights once -----------------===//
//
// What is made of weights alone is the same for all calls:
//
//   func.func @f(%x, %A, %B) {
//     %w = attn.contract "mn,no->mo" (%A, %B)
//     %y = attn.contract "qm,mo->qo" (%x, %w)
// becomes
//   func.func @f(%x, %A_B) {
//     %y = attn.contract "qm,mo->qo" (%x, %A_B)
//   func.func @f_pack_weights(%A, %B) {
//     %w = attn.contract "mn,no->mo" (%A, %B)
// and the interface says that f_pack_weights makes A_B. The new function is one
// like others: it is scheduled, compiled, checked and called as they are.
//
// Only products are worth it: a formula of weights, such as int8 times a scale,
// is mostly larger than what it is made of. Whether weights may be multiplied,
// and whether it pays, attn-reassociate has decided; here is no choice.
//
// Tests: test/Graph/pack-weights.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Graph/Passes.h"

#include "attnc/Analysis/Cost/Residency.h"
#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Interface/Interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attnc;

namespace attnc::graph {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "attnc/Graph/Passes.h.inc"
} // namespace attnc::graph

namespace {
/// A value of a body, and the ops that make it of arguments, in order.
struct Packed {
  Value value;
  llvm::SetVector<Operation *> cone;
  llvm::SetVector<BlockArgument> weights;
};

/// Packs one function of the interface.
class Packer {
public:
  Packer(ModuleOp module, Interface &interface, bool allowed);
  /// Whether something was moved; then `packing` is what the interface gets.
  bool run();

  Interface packing;

private:
  void find(func::FuncOp body);
  bool fits() const;
  void makeFunction();
  void nameOutputs(ArrayRef<unsigned> outputOf);
  std::string freeName(std::string wish) const;
  void replace();
  void dropUnread();

  ModuleOp module;
  Interface &interface;
  bool allowed;
  SmallVector<func::FuncOp> bodies;
  SmallVector<SmallVector<Packed>> found; // of each body
  SmallVector<unsigned> outputs;          // of each found value, in order
  unsigned outputCount = 0;
};
} // namespace

/// The op of the body that holds `op`.
static Operation *topOf(Operation *op) {
  while (!isa<func::FuncOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

static Packed coneOf(Value value) {
  Packed packed{value, {}, {}};
  SmallVector<Value> open{value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next))
      packed.weights.insert(argument);
    else if (seen.insert(next.getDefiningOp()).second)
      llvm::append_range(open, readBy(next.getDefiningOp()));
  }
  for (Operation &op : *value.getParentBlock())
    if (seen.contains(&op))
      packed.cone.insert(&op);
  return packed;
}

/// Whether a tensor can go through memory from one function to another.
static bool canPass(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() &&
         type.getRank() <= int64_t(Interface::kMaxRank) &&
         isa<FloatType>(type.getElementType());
}

Packer::Packer(ModuleOp module, Interface &interface, bool allowed)
    : module(module), interface(interface), allowed(allowed) {
  for (const std::string &name : interface.bodies())
    if (auto body = module.lookupSymbol<func::FuncOp>(name))
      bodies.push_back(body);
}

/// The last values that are made of weights alone. Views cost nothing, so they
/// stay with their readers.
void Packer::find(func::FuncOp body) {
  auto isMadeBefore = [&](Operation *op) {
    return llvm::all_of(op->getResults(), [&](Value value) {
      return isPacked(residencyOf(value), allowed);
    });
  };
  auto isReadByCall = [&](Value value, auto &&self) -> bool {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      Operation *top = topOf(user);
      if (isa<attn::ViewOp>(top) && self(top->getResult(0), self))
        return true;
      return top->hasTrait<OpTrait::IsTerminator>() || !isMadeBefore(top);
    });
  };
  auto isReturned = [](Value value, auto &&self) -> bool {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return isa<func::ReturnOp>(user) ||
             (isa<attn::ViewOp>(user) && self(user->getResult(0), self));
    });
  };
  auto &values = found.emplace_back();
  for (Operation &op : body.getBody().front().without_terminator()) {
    if (op.getNumResults() != 1 || isa<attn::ViewOp>(op) || !isMadeBefore(&op))
      continue;
    Value value = op.getResult(0);
    if (!canPass(value) || isReturned(value, isReturned) ||
        !isReadByCall(value, isReadByCall))
      continue;
    Packed packed = coneOf(value);
    if (llvm::any_of(packed.cone,
                     [](Operation *one) { return isa<attn::ContractOp>(one); }))
      values.push_back(std::move(packed));
  }
}

/// Whether there is something to pack, and room among the tensors for what is
/// added, even if nothing goes.
bool Packer::fits() const {
  size_t values = 0;
  for (const auto &some : found)
    values += some.size();
  if (values == 0) {
    bool isAsked = llvm::any_of(
        interface.tensors, [](const auto &tensor) { return tensor.resident; });
    if (isAsked)
      emitRemark(func::FuncOp(bodies.front()).getLoc())
          << "no product of weights is packed: none consists of resident "
             "weights only "
             "[packed]";
    return false;
  }
  size_t tensors = interface.tensors.size() + values;
  if (tensors <= Interface::kMaxTensors)
    return true;
  for (func::FuncOp function : bodies)
    function.emitRemark() << "weights are not packed: '" << interface.name
                          << "' would have " << tensors << " tensors, at most "
                          << Interface::kMaxTensors << " are possible [packed]";
  return false;
}

/// Weights of all cones in the order of the interface, what is made of them
/// once each.
void Packer::makeFunction() {
  llvm::SmallSetVector<unsigned, 8> weights;
  for (const auto &some : found)
    for (const Packed &packed : some)
      for (BlockArgument argument : packed.weights)
        weights.insert(argument.getArgNumber());
  SmallVector<unsigned> order(weights.getArrayRef());
  llvm::sort(order);
  func::FuncOp body = bodies.front();
  OpBuilder b(module.getBodyRegion());
  b.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> types;
  for (unsigned number : order)
    types.push_back(body.getArgument(number).getType());
  packing.name = interface.name + "_pack_weights";
  auto function = func::FuncOp::create(b, body.getLoc(), packing.name,
                                       b.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToEnd(entry);
  SmallVector<Value> made;
  for (const auto &some : found) {
    IRMapping map;
    for (const Packed &packed : some) {
      for (BlockArgument argument : packed.weights)
        map.map(argument,
                entry->getArgument(llvm::find(order, argument.getArgNumber()) -
                                   order.begin()));
      for (Operation *op : packed.cone)
        if (!map.contains(op->getResult(0)))
          b.clone(*op, map);
      made.push_back(map.lookup(packed.value));
    }
  }
  auto last = func::ReturnOp::create(b, body.getLoc(), made);
  // Cases of a function often need the same.
  IRRewriter rewriter(b);
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  llvm::SmallSetVector<Value, 8> distinct;
  for (Value value : last.getOperands()) {
    distinct.insert(value);
    outputs.push_back(llvm::find(distinct, value) - distinct.begin());
  }
  outputCount = distinct.size();
  last->setOperands(distinct.getArrayRef());
  function.setFunctionType(
      b.getFunctionType(types, TypeRange(distinct.getArrayRef())));
  unsigned input = 0;
  for (const InterfaceTensor &tensor : interface.tensors)
    if (!tensor.isOutput() && llvm::is_contained(order, input++)) {
      packing.tensors.push_back(tensor);
      for (SizeExpr &axis : packing.tensors.back().axes)
        axis = interface.resolve(axis); // it has no sizes of its own
    }
}

std::string Packer::freeName(std::string wish) const {
  auto isTaken = [&](StringRef name) {
    return interface.tensorIndex(name) || interface.sizeIndex(name) ||
           packing.tensorIndex(name);
  };
  std::string name = wish;
  for (unsigned number = 2; isTaken(name); ++number)
    name = wish + "_" + std::to_string(number);
  return name;
}

static DType dtypeOf(Type element) {
  if (element.isF64())
    return DType::F64;
  if (element.isF32())
    return DType::F32;
  return element.isF16() ? DType::F16 : DType::BF16;
}

/// Called after what they are made of: "Wq_Wk".
void Packer::nameOutputs(ArrayRef<unsigned> outputOf) {
  std::vector<InterfaceTensor> inputs;
  for (const InterfaceTensor &tensor : interface.tensors)
    if (!tensor.isOutput())
      inputs.push_back(tensor);
  unsigned number = 0;
  size_t weights = packing.tensors.size();
  for (const auto &some : found)
    for (const Packed &packed : some) {
      unsigned output = outputOf[number++];
      if (weights + output < packing.tensors.size())
        continue; // of another case
      std::string name;
      for (BlockArgument argument : packed.weights)
        name = inputs[argument.getArgNumber()].name +
               (name.empty() ? "" : "_" + name);
      InterfaceTensor &tensor = packing.tensors.emplace_back();
      tensor.name = freeName(name);
      tensor.role = output ? TensorRole::Extra : TensorRole::Output;
      auto type = cast<RankedTensorType>(packed.value.getType());
      tensor.dtype = dtypeOf(type.getElementType());
      for (int64_t extent : type.getShape())
        tensor.axes.push_back(SizeExpr::constant(extent));
    }
}

/// Inputs take the places of what is made before.
void Packer::replace() {
  auto firstOutput =
      llvm::find_if(interface.tensors, [](const InterfaceTensor &tensor) {
        return tensor.isOutput();
      });
  unsigned inputs = firstOutput - interface.tensors.begin();
  ArrayRef<InterfaceTensor> made =
      ArrayRef(packing.tensors).take_back(outputCount);
  std::vector<InterfaceTensor> added;
  for (const InterfaceTensor &tensor : made) {
    InterfaceTensor &input = added.emplace_back(tensor);
    input.role = TensorRole::Input;
    input.packedBy = packing.name;
  }
  interface.tensors.insert(firstOutput, added.begin(), added.end());
  unsigned number = 0;
  auto packer = module.lookupSymbol<func::FuncOp>(packing.name);
  for (auto [body, some] : llvm::zip_equal(bodies, found)) {
    for (auto [output, type] : llvm::enumerate(packer.getResultTypes()))
      (void)body.insertArgument(inputs + output, type, {}, body.getLoc());
    for (Packed &packed : some)
      packed.value.replaceAllUsesWith(
          body.getArgument(inputs + outputs[number++]));
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(body.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
}

/// Weights that no body reads any more are no arguments: a caller need not keep
/// them.
void Packer::dropUnread() {
  for (size_t i = interface.tensors.size(); i-- > 0;) {
    InterfaceTensor tensor = interface.tensors[i]; // before it goes
    bool isRead = tensor.isOutput() || !tensor.packedBy.empty() ||
                  !packing.tensorIndex(tensor.name) ||
                  llvm::any_of(bodies, [&](func::FuncOp body) {
                    return !body.getArgument(i).use_empty();
                  });
    if (isRead)
      continue;
    for (func::FuncOp body : bodies)
      (void)body.eraseArgument(i);
    interface.tensors.erase(interface.tensors.begin() + i);
    for (InterfaceTensor &other : interface.tensors)
      if (other.mayBe == tensor.name)
        other.mayBe.clear();
  }
}

bool Packer::run() {
  for (func::FuncOp body : bodies)
    find(body);
  if (!fits())
    return false;
  makeFunction();
  nameOutputs(outputs);
  packing.title = "weights of " + interface.name + ", multiplied once";
  packing.spec = interface.spec;
  replace();
  dropUnread();
  return true;
}

/// What is made once, how large it is, and of what.
static void explain(func::FuncOp function, const Interface &interface,
                    const Interface &packing) {
  for (const InterfaceTensor &tensor : packing.tensors) {
    if (!tensor.isOutput())
      continue;
    int64_t bytes = dtypeInfo(tensor.dtype).bits / 8;
    for (const SizeExpr &axis : tensor.axes)
      bytes *= *axis.constantValue();
    function.emitRemark() << "'" << tensor.name << "', " << bytes
                          << " bytes, is computed once, by " << packing.name
                          << "; " << interface.name
                          << " reads it at each call [packed]";
  }
}

namespace {
struct PackWeights final : graph::impl::PackWeightsBase<PackWeights> {
  using PackWeightsBase::PackWeightsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!module->hasAttr(kInterfaceAttr))
      return; // nobody could call the new function
    FailureOr<std::vector<Interface>> interfaces = getInterfaces(module);
    if (failed(interfaces))
      return signalPassFailure();
    std::vector<Interface> packings;
    for (Interface &interface : *interfaces) {
      auto function = module.lookupSymbol<func::FuncOp>(interface.name);
      if (!function || !interface.packing().empty())
        continue;
      std::string name = interface.name + "_pack_weights";
      Packer packer(module, interface, weightProducts);
      if (module.lookupSymbol(name)) {
        function.emitRemark() << "weights are not packed: '" << name
                              << "' is another function [packed]";
        continue;
      }
      if (!packer.run())
        continue;
      explain(function, interface, packer.packing);
      packings.push_back(std::move(packer.packing));
    }
    if (packings.empty())
      return;
    llvm::append_range(*interfaces, packings);
    setInterfaces(module, *interfaces);
  }
};
} // namespace
