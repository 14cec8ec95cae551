//===- Storage.cpp - Storage of a function's tensors ----------------------===//
//
// Tests: test/Lowering/workspace.mlir, test/Lowering/Formula/view-indices.mlir
//
//===----------------------------------------------------------------------===//

#include "Plan/Storage.h"

#include "attnc/Analysis/Kernel/GroupedRows.h"
#include "attnc/Dialect/Attn/Panels.h"
#include "attnc/Dialect/Attn/StoredView.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc::lowering {

/// A buffer with names that no block uses.
static tile::BufType plainType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  SmallVector<StringAttr> names;
  for (int64_t i = 0; i < type.getRank(); ++i)
    names.push_back(StringAttr::get(type.getContext(), "a" + Twine(i)));
  return tile::BufType::get(type.getContext(), names, type.getElementType());
}

Storage::Storage(func::FuncOp function, const Signature &signature,
                 tile::TargetAttrInterface target)
    : visited(function), function(function), signature(signature),
      stored(signature.outputs) {
  OpBuilder builder(function);
  SmallVector<Type> types;
  for (Type type : function.getArgumentTypes())
    types.push_back(plainType(type));
  for (Type type : function.getResultTypes().take_front(signature.outputs))
    types.push_back(plainType(type));
  types.append(signature.sizes.size(), builder.getIndexType());
  SmallVector<StringRef> names(signature.tensors.begin(),
                               signature.tensors.end());
  names.append(signature.sizes.begin(), signature.sizes.end());
  program = tile::ProgramOp::create(builder, function.getLoc(),
                                    function.getName(), target, types, names);
  ValueRange arguments = program.getBody().getArguments();
  for (BlockArgument argument : function.getArguments())
    scope.values.map(argument, arguments[argument.getArgNumber()]);
  for (auto [name, value] : llvm::zip_equal(
           signature.sizes, arguments.drop_front(signature.tensors.size())))
    scope.sizes[name] = value;
}

Value Storage::output(unsigned number) {
  return program.getBody().getArgument(function.getNumArguments() + number);
}

/// Behind what defines a buffer.
static void setAfter(OpBuilder &builder, tile::ProgramOp program, Value buf) {
  if (Operation *def = buf.getDefiningOp())
    builder.setInsertionPointAfter(def);
  else
    builder.setInsertionPointToStart(&program.getBody().front());
}

Value Storage::named(Value buf, tile::BufType type) {
  if (buf.getType() == type)
    return buf;
  for (Operation *user : buf.getUsers())
    if (auto rename = dyn_cast<tile::RenameOp>(user))
      if (rename.getType() == type && !rename.getGroup())
        return rename;
  OpBuilder builder(program.getContext());
  setAfter(builder, program, buf);
  return tile::RenameOp::create(builder, program.getLoc(), type, buf);
}

FailureOr<BlockBuffer> Storage::bufferOf(Location loc, Value buf,
                                         const TensorDigits &digits,
                                         int64_t group, bool report) {
  Type element = cast<tile::BufType>(buf.getType()).getElementType();
  bool isMerged = group > 1 && llvm::any_of(digits, [](const auto &axis) {
                    return llvm::any_of(axis, [](const Digit &digit) {
                      return digit.letter == 'q';
                    });
                  });
  std::optional<MergedDigits> merged;
  if (isMerged && !(merged = mergeDigits(digits))) {
    if (report)
      emitError(loc) << "the query heads of a group are not adjacent, so they "
                        "cannot be rows";
    return failure();
  }
  const TensorDigits &own = merged ? merged->digits : digits;
  FailureOr<tile::BufType> type = lowering::bufferOf(loc, own, element, report);
  if (failed(type))
    return failure();
  if (!merged)
    return BlockBuffer{named(buf, *type), own};
  OpBuilder builder(program.getContext());
  setAfter(builder, program, buf);
  auto names = type->getNames();
  Value rows = tile::RenameOp::create(
      builder, loc, *type, buf, names[merged->rows],
      merged->heads ? names[*merged->heads] : StringAttr(),
      builder.getI64IntegerAttr(group));
  return BlockBuffer{rows, own, unsigned(merged->rows)};
}

FailureOr<BlockBuffer> Storage::operand(Operation *op, Value operand,
                                        StringRef letters, NameOf nameOf,
                                        int64_t group) {
  Value root;
  FailureOr<TensorDigits> digits = digitsOfOperand(operand, letters, root);
  if (failed(digits))
    return failure();
  if (!isa<attn::KernelOp>(op) && hasTable(*digits))
    return op->emitOpError("reads ragged or paged rows outside of a kernel, "
                           "which cannot be lowered yet");
  return bufferOf(op->getLoc(), scope.values.lookup(root),
                  renamed(*digits, nameOf), group);
}

FailureOr<BlockBuffer> Storage::panels(Operation *op, Value operand,
                                       StringRef letters, NameOf nameOf) {
  Value root;
  FailureOr<TensorDigits> digits = digitsOfOperand(operand, letters, root);
  if (failed(digits))
    return failure();
  auto view = root.getDefiningOp<attn::ViewOp>();
  Value buf = scope.values.lookup(view.getSource());
  OpBuilder builder(program.getContext());
  setAfter(builder, program, buf);
  SmallVector<StringAttr> names;
  for (StringRef name : {"n", "k", "q", "c"})
    names.push_back(builder.getStringAttr(name));
  auto type =
      tile::BufType::get(builder.getContext(), names,
                         cast<tile::BufType>(buf.getType()).getElementType());
  Value pairs = tile::RenameOp::create(
      builder, op->getLoc(), type, buf, names[1], names[3],
      builder.getI64IntegerAttr(attn::kPanelPair));
  return BlockBuffer{pairs, renamed(*digits, nameOf)};
}

FailureOr<Destination> Storage::inPlace(Operation *op, Value cache,
                                        StringRef letters, NameOf nameOf) {
  Value buf = scope.values.lookupOrNull(cache);
  if (!buf)
    return op->emitOpError("writes to a view, which cannot be lowered; the "
                           "cache must be an argument");
  FailureOr<BlockBuffer> block =
      bufferOf(op->getLoc(), buf, renamed(startOf(cache, letters), nameOf),
               /*group=*/1);
  if (failed(block))
    return failure();
  scope.values.map(op->getResult(0), buf);
  return Destination{*block, {}};
}

void Storage::addUses(Value alias, ResultUses &uses) {
  for (OpOperand &use : alias.getUses()) {
    auto pack = dyn_cast<attn::PackOp>(use.getOwner());
    if (pack && pack.getFill())
      uses.packed.push_back(pack);
    else if (attn::isStoredView(use.getOwner()))
      uses.views.push_back(cast<attn::ViewOp>(use.getOwner()));
    else if (isa<attn::ViewOp, attn::PackOp, attn::PlaceOp>(use.getOwner()))
      addUses(use.getOwner()->getResult(0), uses);
    else if (isa<func::ReturnOp>(use.getOwner()))
      uses.outputs.push_back(use.getOperandNumber());
    else
      uses.isRead = true;
  }
}

/// A workspace for a result; one without axes gets one of size 1.
static tile::WorkspaceOp createWorkspace(OpBuilder &builder, Value result,
                                         const Scope &scope) {
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<Value> sizes;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    sizes.push_back(
        scope.sizeOf(builder, result.getLoc(), attn::axisSize(type, axis)));
  tile::BufType buf = plainType(type);
  if (sizes.empty()) {
    sizes.push_back(
        arith::ConstantIndexOp::create(builder, result.getLoc(), 1));
    buf = tile::BufType::get(type.getContext(),
                             StringAttr::get(type.getContext(), "a0"),
                             type.getElementType());
  }
  return tile::WorkspaceOp::create(builder, result.getLoc(), buf, sizes);
}

/// Whether a returned tensor has ragged rows or keys.
static bool isPacked(Value returned) {
  while (auto view = returned.getDefiningOp<attn::ViewOp>())
    returned = view.getSource();
  return isa_and_present<attn::PackOp, attn::PlaceOp>(returned.getDefiningOp());
}

/// Stores the fill in the rows before the first sequence and behind the last.
void Storage::fillRows(attn::PackOp pack, Value workspace) {
  constexpr int64_t kRows = 16;
  Location loc = pack.getLoc();
  OpBuilder b = OpBuilder::atBlockEnd(&program.getBody().front());
  auto type = cast<RankedTensorType>(pack.getType());
  unsigned last = type.getRank() - 1;
  auto index = [&](int64_t n) {
    return arith::ConstantIndexOp::create(b, loc, n);
  };
  auto sizeOf = [&](Value tensor, unsigned axis) {
    return scope.sizeOf(b, loc, attn::axisSize(tensor.getType(), axis));
  };
  SmallVector<StringAttr> names(
      cast<tile::BufType>(workspace.getType()).getNames());
  names.front() = b.getStringAttr("e");
  names.back() = b.getStringAttr("q");
  Value buf = named(workspace, tile::BufType::get(b.getContext(), names,
                                                  type.getElementType()));
  SmallVector<Value> extents;
  SmallVector<StringRef> axes;
  for (unsigned axis = 1; axis < last; ++axis) {
    extents.push_back(sizeOf(pack.getResult(), axis));
    axes.push_back(names[axis].getValue());
  }
  Value rows = sizeOf(pack.getResult(), 0);
  Value sequences = sizeOf(pack.getSource(), 0);
  auto grid = tile::GridOp::create(b, loc, extents, axes);
  b.setInsertionPointToStart(&grid.getBody().front());
  Value start = scope.values.lookup(pack.getStart()), zero = index(0);
  Value first = tile::ReadOp::create(b, loc, b.getIndexType(), start, zero);
  Value end = tile::ReadOp::create(b, loc, b.getIndexType(), start, sequences);
  auto loop = tile::ForOp::create(
      b, loc, {zero, zero, first, first, end, end, rows, rows}, ValueRange(),
      kRows, kRows);
  b.setInsertionPointToStart(&loop.getBody().front());
  int64_t size = type.getDimSize(last);
  int64_t lanes = llvm::alignTo(size, program.getTarget().getGranule());
  auto tileType = tile::TileType::get(
      b.getContext(), {{"q", lanes}, {"e", kRows}}, type.getElementType());
  Value nothing = tile::SplatOp::create(b, loc, tileType,
                                        pack.getFill()->convertToDouble());
  SmallVector<Value> places{loop.getKeyStart()};
  llvm::append_range(places, grid.getBody().getArguments());
  places.push_back(zero);
  SmallVector<std::pair<StringRef, Value>> valid{{"e", loop.getKeyCount()}};
  if (lanes != size)
    valid.push_back({"q", index(size)});
  tile::StoreOp::create(b, loc, nothing, buf, places, valid);
  tile::YieldOp::create(b, loc, ValueRange());
}

/// A workspace for rows of all sequences; those that no sequence has are filled
/// once and for all.
Value Storage::packedRows(attn::PackOp pack) {
  OpBuilder b = OpBuilder::atBlockEnd(&program.getBody().front());
  Value workspace = createWorkspace(b, pack.getResult(), scope);
  scope.values.map(pack.getResult(), workspace);
  fillRows(pack, workspace);
  return workspace;
}

FailureOr<std::vector<Destination>>
Storage::destinations(Value result, StringRef letters, NameOf nameOf,
                      Copies copies, int64_t group) {
  ResultUses uses;
  addUses(result, uses);
  llvm::sort(uses.outputs);
  std::vector<Destination> places;
  Operation *terminator = function.getBody().front().getTerminator();
  auto add = [&](Value buf, const TensorDigits &digits,
                 ArrayRef<Value> wantedFor) -> LogicalResult {
    FailureOr<BlockBuffer> block =
        bufferOf(result.getLoc(), buf, renamed(digits, nameOf), group,
                 /*report=*/false);
    if (failed(block))
      return failure();
    places.push_back({*block, SmallVector<Value, 1>(wantedFor)});
    return success();
  };
  auto addOutput = [&](unsigned number) -> LogicalResult {
    Value returned = terminator->getOperand(number);
    bool nullable = signature.isNullableResult(number);
    if (letters.empty() || (nullable && copies == Copies::Nullable) ||
        (isPacked(returned) && copies != Copies::ButSequences))
      return failure();
    FailureOr<TensorDigits> digits =
        digitsOfResult(returned, letters, /*report=*/false);
    if (failed(digits))
      return failure();
    Value place = output(number);
    return add(place, *digits, nullable ? ArrayRef(place) : ArrayRef<Value>());
  };
  SmallVector<unsigned> direct;
  for (unsigned number : uses.outputs) {
    if (succeeded(addOutput(number))) {
      stored[number] = true;
      direct.push_back(number);
    } else {
      uses.isRead = true; // by the copy
    }
  }
  for (attn::PackOp pack : uses.packed) {
    FailureOr<TensorDigits> digits =
        digitsOfResult(pack.getResult(), letters, /*report=*/false);
    if (copies != Copies::ButSequences || failed(digits)) {
      uses.isRead = true; // by the copy
      continue;
    }
    if (failed(
            add(packedRows(pack), *digits, wantedFor(pack->getResults(), {}))))
      return failure();
  }
  for (attn::ViewOp view : uses.views) {
    OpBuilder b = OpBuilder::atBlockEnd(&program.getBody().front());
    FailureOr<TensorDigits> digits = digitsOfResult(view, letters);
    if (failed(digits))
      return failure();
    tile::WorkspaceOp workspace = createWorkspace(b, view, scope);
    scope.values.map(view.getResult(), workspace.getResult());
    if (failed(add(workspace, *digits, wantedFor(view->getResults(), {}))))
      return view.emitOpError("has a layout in which blocks of its source "
                              "cannot be stored");
  }
  if (!uses.isRead)
    return places;
  OpBuilder builder = OpBuilder::atBlockEnd(&program.getBody().front());
  tile::WorkspaceOp workspace = createWorkspace(builder, result, scope);
  scope.values.map(result, workspace.getResult());
  TensorDigits digits = startOf(result, letters);
  if (digits.empty())
    digits.push_back({Digit{kNoLetter, builder.getI64IntegerAttr(1)}});
  if (failed(add(workspace, digits, wantedFor(result, direct))))
    return failure();
  return places;
}

/// Adds the outputs that need `value`; false if one of them cannot be left out.
bool Storage::isOptional(Value value, llvm::SetVector<unsigned> &numbers,
                         llvm::SmallPtrSetImpl<Operation *> &seen) {
  for (OpOperand &use : value.getUses()) {
    // A region may read the tensor.
    Operation *user =
        function.getBody().front().findAncestorOpInBlock(*use.getOwner());
    unsigned number = use.getOperandNumber();
    if (!isa<func::ReturnOp>(user)) {
      if (seen.insert(user).second &&
          !llvm::all_of(user->getResults(), [&](Value made) {
            return isOptional(made, numbers, seen);
          }))
        return false;
    } else if (signature.isNullableResult(number)) {
      numbers.insert(number);
    } else {
      return false;
    }
  }
  return true;
}

SmallVector<Value, 1> Storage::wantedFor(ValueRange values,
                                         ArrayRef<unsigned> direct) {
  llvm::SetVector<unsigned> numbers;
  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<Value, 1> outputs;
  for (Value value : values)
    if (!isOptional(value, numbers, seen))
      return outputs;
  for (unsigned number : numbers)
    if (!llvm::is_contained(direct, number))
      outputs.push_back(output(number));
  return outputs;
}

SmallVector<Value, 1> Storage::wantedFor(Operation *op) {
  return wantedFor(op->getResults(), {});
}

Value emitWanted(OpBuilder &builder, Location loc, ArrayRef<Value> outputs) {
  Value wanted;
  for (Value output : outputs) {
    Value given =
        tile::PresentOp::create(builder, loc, builder.getI1Type(), output);
    wanted = wanted
                 ? arith::OrIOp::create(builder, loc, wanted, given).getResult()
                 : given;
  }
  return wanted;
}

void branchOnWanted(OpBuilder &builder, Location loc, ArrayRef<Value> outputs) {
  Value wanted = emitWanted(builder, loc, outputs);
  if (!wanted)
    return;
  auto branch = scf::IfOp::create(builder, loc, wanted);
  builder.setInsertionPointToStart(branch.thenBlock());
}

SmallVector<unsigned> Storage::unstored() const {
  SmallVector<unsigned> numbers;
  for (auto [number, done] : llvm::enumerate(stored))
    if (!done)
      numbers.push_back(number);
  return numbers;
}

Value Storage::alongLanes(Value buf) {
  auto type = cast<tile::BufType>(buf.getType());
  SmallVector<StringAttr> names(type.getNames());
  names.back() = StringAttr::get(type.getContext(), "q");
  return named(
      buf, tile::BufType::get(type.getContext(), names, type.getElementType()));
}

Destination Storage::copyTo(unsigned number) {
  stored[number] = true;
  Destination place{{alongLanes(output(number)), {}}, {}};
  if (signature.isNullableResult(number))
    place.wantedFor.push_back(output(number));
  return place;
}

Destination Storage::copyTo(attn::PackOp pack) {
  SmallVector<Value, 1> wanted = wantedFor(pack->getResults(), {});
  return {{alongLanes(packedRows(pack)), {}}, wanted};
}

void Storage::settleNames() {
  SmallVector<Value> buffers;
  for (BlockArgument argument : program.getBody().getArguments())
    if (isa<tile::BufType>(argument.getType()))
      buffers.push_back(argument);
  for (auto workspace : program.getBody().getOps<tile::WorkspaceOp>())
    buffers.push_back(workspace);
  for (Value buf : buffers) {
    tile::RenameOp first;
    for (Operation *user : buf.getUsers())
      if (auto rename = dyn_cast<tile::RenameOp>(user);
          rename && !rename.getGroup())
        // New renamings stand in front of older ones.
        if (!first || first->isBeforeInBlock(rename))
          first = rename;
    if (!first)
      continue;
    buf.setType(first.getType());
    first.replaceAllUsesWith(buf);
    first.erase();
  }
}

} // namespace attnc::lowering
