//===- Accounting.cpp - Account for the work of a function ----------------===//
//
// See Accounting.h. Only products are counted as arithmetic: what formulas and
// normalisers do is small beside them, and papers count the same.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Cost/Accounting.h"

#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/UnreadProducts.h"

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
  void countRows(Value tensor, std::string letters);
  void countOperand(Value tensor, std::string letters);
  void countOperands(Value pairs, StringRef letters);
  void countWeights(Value weights, StringRef letters);
  void countReads(attn::NormalizeOp op);
  void countCaches();

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

//===----------------------------------------------------------------------===//
// Rows of keys that an attention reads
//===----------------------------------------------------------------------===//

// Axes of the tensors on the way are called by these letters, any other `?`.
static constexpr char kKey = 'k', kRow = 'q', kBatch = 'b';

/// The letters that an operand with axes `own` gets from those of a tensor with
/// axes `known`.
static std::string carry(StringRef own, StringRef known, StringRef letters) {
  std::string carried;
  for (char letter : own) {
    std::optional<unsigned> axis = attn::axisOf(known, letter);
    carried += axis ? letters[*axis] : '?';
  }
  return carried;
}

/// The letters of a view's source: of axes that are neither split nor merged.
static std::string carryBack(attn::ViewOp view, StringRef letters) {
  attn::ViewLabels labels = view.getViewLabels();
  std::string carried;
  for (StringRef group : labels.input) {
    auto axis = llvm::find(labels.output, group);
    carried += axis == labels.output.end()
                   ? '?'
                   : letters[axis - labels.output.begin()];
  }
  return carried;
}

/// Whether a map repeats its input, or is it.
static bool isRepeat(attn::MapOp map) {
  Block &body = map.getBody().front();
  return map.getInputs().size() == 1 && llvm::hasSingleElement(body) &&
         body.getTerminator()->getOperand(0) == body.getArgument(0);
}

/// Bytes that a row of K or V has, without a batch: each tensor once. What is
/// put together or repeated is there before that.
void Accountant::countRows(Value tensor, std::string letters) {
  if (auto concat = tensor.getDefiningOp<attn::ConcatOp>()) {
    attn::Labels labels = concat.getAxisLabels();
    // Rows put in front of others are no more per token.
    if (carry(concat.getAlong(), labels.output, letters)[0] != kKey) {
      for (auto [own, part] : llvm::zip(labels.inputs, concat.getParts()))
        countRows(part, carry(own, labels.output, letters));
      return;
    }
  }
  std::string before;
  if (auto view = tensor.getDefiningOp<attn::ViewOp>())
    before = carryBack(view, letters);
  else if (auto map = tensor.getDefiningOp<attn::MapOp>(); map && isRepeat(map))
    before = carry(map.getAxisLabels().inputs[0], map.getAxisLabels().output,
                   letters);
  if (StringRef(before).contains(kKey))
    return countRows(tensor.getDefiningOp()->getOperand(0), before);
  if (!cached.insert(tensor).second)
    return;
  SizeExpr row = productOf(tensor.getType(), [&](unsigned axis) {
    auto size = sizeOf(tensor.getType(), axis);
    return letters[axis] != kKey && letters[axis] != kBatch && size &&
           !isBatch(*size);
  });
  account.cacheBytesPerToken =
      account.cacheBytesPerToken +
      SizeExpr::constant(bytesPerElement(tensor.getType())) * row;
}

/// An operand of what is computed for pairs: rows of keys, or pairs itself.
void Accountant::countOperand(Value tensor, std::string letters) {
  if (!StringRef(letters).contains(kKey))
    return;
  if (StringRef(letters).contains(kRow))
    countOperands(tensor, letters);
  else
    countRows(tensor, letters);
}

/// What the number of each pair is made of.
void Accountant::countOperands(Value pairs, StringRef letters) {
  auto take = [&](const attn::Labels &labels, ValueRange inputs) {
    for (auto [own, input] : llvm::zip(labels.inputs, inputs))
      countOperand(input, carry(own, labels.output, letters));
  };
  if (auto view = pairs.getDefiningOp<attn::ViewOp>())
    countOperand(view.getSource(), carryBack(view, letters));
  else if (auto map = pairs.getDefiningOp<attn::MapOp>())
    take(map.getAxisLabels(), map.getInputs());
  else if (auto contract = pairs.getDefiningOp<attn::ContractOp>())
    take(contract.getAxisLabels(), {contract.getLhs(), contract.getRhs()});
}

/// What weights are multiplied with.
void Accountant::countWeights(Value weights, StringRef letters) {
  for (OpOperand &use : weights.getUses()) {
    unsigned place = use.getOperandNumber();
    if (auto map = dyn_cast<attn::MapOp>(use.getOwner())) {
      attn::Labels labels = map.getAxisLabels();
      countWeights(map, carry(labels.output, labels.inputs[place], letters));
    }
    auto contract = dyn_cast<attn::ContractOp>(use.getOwner());
    if (!contract || place > 1)
      continue;
    attn::Labels labels = contract.getAxisLabels();
    StringRef own = labels.inputs[place];
    countOperand(contract->getOperand(1 - place),
                 carry(labels.inputs[1 - place], own, letters));
    if (std::string result = carry(labels.output, own, letters);
        StringRef(result).contains(kKey))
      countWeights(contract, result);
  }
}

/// The rows of keys that one normaliser's scores and weights are made with.
void Accountant::countReads(attn::NormalizeOp op) {
  std::string letters(op.getLabels().size(), '?');
  size_t key = op.getLabels().find(op.getOver().front());
  letters[key] = kKey;
  // Rows of queries stand before the keys, the batch first.
  size_t row = key > 0 ? key - 1 : letters.size() - 1;
  letters[row] = kRow;
  if (letters[0] == '?')
    letters[0] = kBatch;
  countOperands(op.getScores(), letters);
  countWeights(op.getWeights(), letters);
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

std::optional<Account> Accountant::run() {
  countTensors();
  function.walk([&](attn::ContractOp op) {
    if (attn::isRead(op.getResult()))
      countProduct(op);
  });
  countCaches();
  if (!isKnown)
    return std::nullopt;
  return std::move(account);
}

std::optional<Account> attnc::accountFor(func::FuncOp function,
                                         const Interface &interface) {
  return Accountant(function, interface).run();
}
