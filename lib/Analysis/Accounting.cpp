//===- Accounting.cpp - What a function holds and does --------------------===//
//
// See Accounting.h. Only products are counted as arithmetic: what formulas and
// normalisers do is small beside them, and papers count the same.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Accounting.h"

#include "attnc/Dialect/Attn/AttnMove.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace attnc;

/// The size of an axis as a formula.
static std::optional<SizeExpr> sizeOf(Type tensor, unsigned axis) {
  Attribute size = attn::axisSize(tensor, axis);
  std::string error;
  if (auto number = dyn_cast_if_present<IntegerAttr>(size))
    return SizeExpr::constant(number.getInt());
  if (auto text = dyn_cast_if_present<StringAttr>(size))
    return SizeExpr::parse(text.getValue(), error);
  return std::nullopt;
}

static bool isBatch(const SizeExpr &size) { return size.sizeName() == "batch"; }

/// Whether an axis counts tokens, or sequences of them.
static bool isOfTokens(const SizeExpr &axis) {
  return llvm::any_of(axis.sizeNames(), [](StringRef name) {
    return name == "batch" || name.ends_with("_len") ||
           name.ends_with("_tokens");
  });
}

static Value sourceOfViews(Value value) {
  while (isa_and_present<attn::ViewOp, attn::SliceOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

namespace {
class Accountant {
public:
  Accountant(func::FuncOp function, const Interface &interface)
      : function(function), interface(interface) {}

  std::optional<Account> run();

private:
  using Sizes = llvm::SmallMapVector<char, SizeExpr, 8>;
  void addSizes(Sizes &sizes, StringRef letters, Value tensor);
  SizeExpr bytesOf(Value tensor);
  SizeExpr productOf(Type tensor, function_ref<bool(unsigned)> counts);
  void countTensors();
  void countProduct(attn::ContractOp op);
  void countRows(Value tensor, StringRef letters, char key);
  void countReads(attn::NormalizeOp op);
  void countCaches();
  void countStored();

  func::FuncOp function;
  const Interface &interface;
  Account account;
  llvm::DenseSet<Value> cached;
  bool isKnown = true;
};
} // namespace

static int64_t bytesPerElement(Type tensor) {
  return std::max<int64_t>(
      cast<RankedTensorType>(tensor).getElementTypeBitWidth() / 8, 1);
}

void Accountant::addSizes(Sizes &sizes, StringRef letters, Value tensor) {
  for (auto [axis, letter] : llvm::enumerate(letters)) {
    auto size = sizeOf(tensor.getType(), axis);
    isKnown &= size.has_value();
    sizes.insert({letter, size.value_or(SizeExpr())});
  }
}

/// The product of the axes that count.
SizeExpr Accountant::productOf(Type tensor,
                               function_ref<bool(unsigned)> counts) {
  SizeExpr product = SizeExpr::constant(1);
  for (int64_t axis = 0; axis < cast<RankedTensorType>(tensor).getRank();
       ++axis) {
    auto size = sizeOf(tensor, axis);
    isKnown &= size.has_value();
    if (size && counts(axis))
      product = product * *size;
  }
  return product;
}

SizeExpr Accountant::bytesOf(Value tensor) {
  return SizeExpr::constant(bytesPerElement(tensor.getType())) *
         productOf(tensor.getType(), [](unsigned) { return true; });
}

/// Weights, and what a call reads and writes at least.
void Accountant::countTensors() {
  for (const InterfaceTensor &tensor : interface.tensors) {
    SizeExpr elements = SizeExpr::constant(1);
    for (const SizeExpr &axis : tensor.axes)
      elements = elements * interface.resolve(axis);
    int64_t bytes = dtypeBytes(tensor.dtype);
    SizeExpr all = SizeExpr::constant(bytes) * elements;
    if (tensor.isOutput()) {
      account.outputBytes = account.outputBytes + all;
      continue;
    }
    bool isWeight = tensor.role == TensorRole::Input && !tensor.inout &&
                    isFloat(tensor.dtype) &&
                    llvm::none_of(tensor.axes, isOfTokens);
    if (!isWeight) {
      account.inputBytes = account.inputBytes + all;
      continue;
    }
    account.weightBytes = account.weightBytes + all;
    WeightAccount weight{tensor.name, {}, elements, bytes, {}};
    for (const SizeExpr &axis : tensor.axes) {
      weight.axes.push_back(interface.resolve(axis));
      for (const std::string &name : axis.sizeNames())
        if (name == "heads" || name == "kv_heads")
          weight.heads = interface.resolve(SizeExpr::size(name));
    }
    account.weights.push_back(std::move(weight));
  }
}

/// The mask of weights that a product multiplies or of scores that it makes.
static attn::MaskOp maskOf(attn::ContractOp op) {
  Value mask = op.getMask(), value = op.getResult();
  while (!mask && value.hasOneUse()) {
    Operation *user = *value.getUsers().begin();
    if (auto normalize = dyn_cast<attn::NormalizeOp>(user))
      mask = normalize.getMask();
    else if (isa<attn::MapOp>(user))
      value = user->getResult(0);
    if (!isa<attn::MapOp>(user))
      break;
  }
  return mask ? mask.getDefiningOp<attn::MaskOp>() : attn::MaskOp();
}

void Accountant::countProduct(attn::ContractOp op) {
  attn::Labels labels = op.getAxisLabels();
  Sizes sizes;
  addSizes(sizes, labels.inputs[0], op.getLhs());
  addSizes(sizes, labels.inputs[1], op.getRhs());
  ProductAccount product;
  product.labels = op.getLabels().str();
  product.flops = SizeExpr::constant(2);
  for (const auto &[letter, size] : sizes)
    product.flops = product.flops * size;
  product.mask = maskOf(op);
  if (product.mask)
    product.places =
        productOf(product.mask.getType(), [](unsigned) { return true; });
  account.products.push_back(std::move(product));
}

/// Bytes that a row of K or V has, without a batch: each tensor once.
void Accountant::countRows(Value tensor, StringRef letters, char key) {
  std::optional<unsigned> axis = attn::axisOf(letters, key);
  if (!axis || !cached.insert(sourceOfViews(tensor)).second)
    return;
  SizeExpr row = productOf(tensor.getType(), [&](unsigned other) {
    auto size = sizeOf(tensor.getType(), other);
    return other != *axis && letters[other] != 'b' && size && !isBatch(*size);
  });
  account.cacheBytesPerToken =
      account.cacheBytesPerToken +
      SizeExpr::constant(bytesPerElement(tensor.getType())) * row;
}

/// The rows of keys that one normaliser's scores and weights are made with.
void Accountant::countReads(attn::NormalizeOp op) {
  char key = op.getOver().front();
  Value scores = op.getScores();
  while (auto map = scores.getDefiningOp<attn::MapOp>()) {
    if (map.getInputs().empty())
      break;
    scores = map.getInputs().front();
  }
  // An operand with the key that the other one lacks holds its rows.
  auto addOperands = [&](attn::ContractOp contract, char letter) {
    attn::Labels labels = contract.getAxisLabels();
    Value operands[] = {contract.getLhs(), contract.getRhs()};
    for (unsigned i : {0, 1})
      if (!labels.inputs[1 - i].contains(letter) ||
          sourceOfViews(operands[1 - i]) == op.getWeights())
        countRows(operands[i], labels.inputs[i], letter);
  };
  if (auto contract = scores.getDefiningOp<attn::ContractOp>())
    addOperands(contract, key);
  for (Operation *user : op.getWeights().getUsers())
    if (auto contract = dyn_cast<attn::ContractOp>(user)) {
      attn::Labels labels = contract.getAxisLabels();
      unsigned side = contract.getLhs() == op.getWeights() ? 0 : 1;
      size_t axis = op.getLabels().find(key);
      addOperands(contract, labels.inputs[side][axis]);
    }
}

void Accountant::countCaches() {
  function.walk([&](attn::AppendOp append) {
    account.cacheBytesPerToken =
        account.cacheBytesPerToken +
        SizeExpr::constant(bytesPerElement(append.getType())) *
            productOf(append.getType(), [&](unsigned axis) {
              return axis != append.getAxis() &&
                     !append.getAtLabels().contains(append.getLabels()[axis]);
            });
    account.outputBytes = account.outputBytes + bytesOf(append.getRows());
    cached.insert(append.getResult());
  });
  if (cached.empty())
    function.walk([&](attn::NormalizeOp op) { countReads(op); });
}

/// Operands and results of ops that make a tensor.
void Accountant::countStored() {
  for (Operation &op : function.getBody().front().without_terminator()) {
    bool isStored = isa<attn::ContractOp, attn::MapOp, attn::NormalizeOp,
                        attn::ReduceOp, attn::ConcatOp, attn::ScanOp>(op);
    auto add = [&](Value tensor) {
      if (isa<RankedTensorType>(tensor.getType()) &&
          !tensor.getDefiningOp<attn::MaskOp>())
        account.storedBytes = account.storedBytes + bytesOf(tensor);
    };
    if (auto append = dyn_cast<attn::AppendOp>(op)) {
      add(append.getRows());
      add(append.getRows());
    }
    if (!isStored)
      continue;
    llvm::for_each(op.getOperands(), add);
    llvm::for_each(op.getResults(), add);
  }
}

std::optional<Account> Accountant::run() {
  countTensors();
  function.walk([&](attn::ContractOp op) { countProduct(op); });
  countCaches();
  countStored();
  if (!isKnown)
    return std::nullopt;
  return std::move(account);
}

std::optional<Account> attnc::accountFor(func::FuncOp function,
                                         const Interface &interface) {
  return Accountant(function, interface).run();
}
