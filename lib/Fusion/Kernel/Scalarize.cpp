//===- Scalarize.cpp - Read a tensor element as scalar ops ----------------===//
//
// A value that the graph rounds to a narrow element type is rounded in the
// region as well (truncf, extf): fusion changes no result.
//
//===----------------------------------------------------------------------===//

#include "Kernel/Scalarize.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::fusion;

//===----------------------------------------------------------------------===//
// Sizes of letters of a view
//===----------------------------------------------------------------------===//

namespace attnc::fusion {

bool isComputable(Attribute size) {
  if (isa_and_present<IntegerAttr>(size))
    return true;
  auto name = dyn_cast_if_present<StringAttr>(size);
  return name && llvm::all_of(name.getValue(), [](char c) {
           return llvm::isAlnum(c) || c == '_';
         });
}

Value sizeValue(OpBuilder &b, Location loc, Attribute size) {
  if (auto number = dyn_cast<IntegerAttr>(size))
    return arith::ConstantIndexOp::create(b, loc, number.getInt());
  return attn::SizeOp::create(b, loc, b.getIndexType(), cast<StringAttr>(size));
}

} // namespace attnc::fusion

// Merging and splitting need the sizes of all letters but the first.
static bool isViewComputable(attn::ViewOp view) {
  attn::ViewLabels labels = view.getViewLabels();
  for (const attn::ViewLabels::Side *side : {&labels.input, &labels.output})
    for (StringRef group : *side)
      for (char letter : group.drop_front())
        if (!isComputable(view.sizeOf(letter)))
          return false;
  return true;
}

//===----------------------------------------------------------------------===//
// What can be done
//===----------------------------------------------------------------------===//

/// Arguments, also ragged or paged ones as dense tensors, what kernels,
/// products, normalisers, sums of rows and scans have computed, and what was
/// put together.
static bool isReadable(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return argument.getOwner()->isEntryBlock();
  return isa<attn::KernelOp, attn::ContractOp, attn::NormalizeOp,
             attn::ReduceOp, attn::UnpackOp, attn::PagesOp, attn::ConcatOp,
             attn::AppendOp, attn::ScanOp>(tensor.getDefiningOp());
}

static LogicalResult check(Value tensor, ArrayRef<PairProduct> products,
                           Type real, Refusal &refusal, DenseSet<Value> &seen) {
  if (llvm::any_of(products,
                   [&](const PairProduct &product) {
                     return product.op->getResult(0) == tensor;
                   }) ||
      isReadable(tensor) || !seen.insert(tensor).second)
    return success();
  Operation *op = tensor.getDefiningOp();
  auto refuse = [&](const Twine &reason) {
    refusal = {op, reason.str()};
    return failure();
  };
  if (auto view = dyn_cast<attn::ViewOp>(op)) {
    if (!isViewComputable(view))
      return refuse("a size that its formula needs is not known by name");
    return check(view.getSource(), products, real, refusal, seen);
  }
  if (auto slice = dyn_cast<attn::SliceOp>(op))
    return check(slice.getSource(), products, real, refusal, seen);
  if (auto map = dyn_cast<attn::MapOp>(op)) {
    bool isReal = llvm::any_of(map.getBody().getArguments(), [](Value x) {
      return isa<FloatType>(x.getType());
    });
    isReal |= isa<FloatType>(getElementTypeOrSelf(map.getType()));
    if (isReal && map.getAccumulateType() != real)
      return refuse("it computes in another type than the kernel");
    for (Value input : map.getInputs())
      if (failed(check(input, products, real, refusal, seen)))
        return failure();
    return success();
  }
  if (isa<attn::MaskOp>(op))
    return success();
  return refuse(
      "it is not a formula of the scores, indices and arguments of the "
      "function");
}

LogicalResult attnc::fusion::checkScalarizable(Value tensor,
                                               ArrayRef<PairProduct> products,
                                               Type real, Refusal &refusal) {
  DenseSet<Value> seen;
  return check(tensor, products, real, refusal, seen);
}

//===----------------------------------------------------------------------===//
// Doing it
//===----------------------------------------------------------------------===//

Value Scalarizer::inlineBlock(Block &block, ValueRange arguments) {
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    b.clone(op, mapping);
  auto yield = cast<attn::YieldOp>(block.getTerminator());
  return mapping.lookupOrDefault(yield.getValue());
}

Value Scalarizer::rounded(Location loc, Value x, Type element) {
  if (!isa<FloatType>(element) || element == x.getType() ||
      element.getIntOrFloatBitWidth() >= x.getType().getIntOrFloatBitWidth())
    return x;
  Value narrow = arith::TruncFOp::create(b, loc, element, x);
  return arith::ExtFOp::create(b, loc, x.getType(), narrow);
}

Value Scalarizer::mapAt(attn::MapOp map, ValueRange indices) {
  attn::Labels labels = map.getAxisLabels();
  SmallVector<Value> arguments;
  for (auto [input, letters] : llvm::zip(map.getInputs(), labels.inputs)) {
    SmallVector<Value> places;
    for (char letter : letters)
      places.push_back(indices[*attn::axisOf(labels.output, letter)]);
    arguments.push_back(at(input, places));
  }
  llvm::append_range(arguments, indices);
  Value x = inlineBlock(map.getBody().front(), arguments);
  return rounded(map.getLoc(), x, getElementTypeOrSelf(map.getType()));
}

// From the index of each axis of the result to the index of each letter, and
// from these to the index of each axis of the source.
Value Scalarizer::viewAt(attn::ViewOp view, ValueRange indices) {
  Location loc = view.getLoc();
  attn::ViewLabels labels = view.getViewLabels();
  std::map<char, Value> letters;
  for (auto [group, index] : llvm::zip(labels.output, indices)) {
    Value rest = index;
    for (char letter : llvm::reverse(group.drop_front())) {
      Value size = sizeValue(b, loc, view.sizeOf(letter));
      Value next = arith::FloorDivSIOp::create(b, loc, rest, size);
      Value product = arith::MulIOp::create(b, loc, next, size);
      letters[letter] = arith::SubIOp::create(b, loc, rest, product);
      rest = next;
    }
    letters[group.front()] = rest;
  }
  SmallVector<Value> places;
  for (StringRef group : labels.input) {
    Value place = letters[group.front()];
    for (char letter : group.drop_front()) {
      Value size = sizeValue(b, loc, view.sizeOf(letter));
      place = arith::MulIOp::create(b, loc, place, size);
      place = arith::AddIOp::create(b, loc, place, letters[letter]);
    }
    places.push_back(place);
  }
  return at(view.getSource(), places);
}

Value Scalarizer::sliceAt(attn::SliceOp slice, ValueRange indices) {
  SmallVector<Value> places(indices);
  Value offset =
      arith::ConstantIndexOp::create(b, slice.getLoc(), slice.getOffset());
  Value &place = places[slice.getAxis()];
  place = arith::AddIOp::create(b, slice.getLoc(), place, offset);
  return at(slice.getSource(), places);
}

Value Scalarizer::build(Value tensor, ValueRange indices) {
  for (auto [product, dot] : products)
    if (tensor == product)
      return rounded(tensor.getLoc(), dot, getElementTypeOrSelf(tensor));
  if (tensor == always)
    return arith::ConstantOp::create(b, tensor.getLoc(), b.getBoolAttr(true));
  bool isKept = !computed.empty() && !llvm::is_contained(computed, tensor) &&
                tensor.getDefiningOp<attn::MapOp>();
  if (isReadable(tensor) || isKept)
    return attn::ReadOp::create(
        b, b.getInsertionBlock()->getParentOp()->getLoc(),
        attn::scalarType(tensor.getType(), real), tensor, indices);
  Operation *op = tensor.getDefiningOp();
  if (auto map = dyn_cast<attn::MapOp>(op))
    return mapAt(map, indices);
  if (auto view = dyn_cast<attn::ViewOp>(op))
    return viewAt(view, indices);
  if (auto slice = dyn_cast<attn::SliceOp>(op))
    return sliceAt(slice, indices);
  return inlineBlock(cast<attn::MaskOp>(op).getBody().front(), indices);
}

static std::vector<const void *> keyOf(Value tensor, ValueRange indices) {
  std::vector<const void *> key{tensor.getAsOpaquePointer()};
  for (Value index : indices)
    key.push_back(index.getAsOpaquePointer());
  return key;
}

void Scalarizer::give(Value tensor, ValueRange indices, Value element) {
  built[keyOf(tensor, indices)] = element;
}

Value Scalarizer::at(Value tensor, ValueRange indices) {
  std::vector<const void *> key = keyOf(tensor, indices);
  if (auto known = built.find(key); known != built.end())
    return known->second;
  return built[key] = build(tensor, indices);
}
