//===- Tensors.cpp - Elements of tensors, read and stored -----------------===//
//
// A view is arithmetic on indices, in both directions: from a result to its
// source where an element is read, from an op's result to an output where one
// is stored. Tests: test/Integration/halide
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"

#include "Formula.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace attnc::halide {

std::optional<int64_t> FunctionPlan::fixedSize(Attribute size) const {
  if (auto number = dyn_cast<IntegerAttr>(size))
    return number.getInt();
  StringRef name = cast<StringAttr>(size).getValue();
  if (interface)
    for (const InterfaceSize &one : interface->sizes)
      if (one.name == name)
        return one.fixedValue();
  return std::nullopt;
}

SizeExpr FunctionPlan::formulaOf(Attribute size) const {
  if (std::optional<int64_t> fixed = fixedSize(size))
    return SizeExpr::constant(*fixed);
  std::string error;
  return *SizeExpr::parse(cast<StringAttr>(size).getValue(), error);
}

Attribute sizeAttribute(MLIRContext *context, const SizeExpr &formula) {
  if (std::optional<int64_t> number = formula.constantValue())
    return IntegerAttr::get(IntegerType::get(context, 64), *number);
  return StringAttr::get(context, formula.str());
}

RankedTensorType FunctionPlan::typeOf(Place place) const {
  if (place.isWorkspace)
    return workspaces[place.number];
  FunctionType type = const_cast<func::FuncOp &>(function).getFunctionType();
  return cast<RankedTensorType>(
      place.number < type.getNumInputs()
          ? type.getInput(place.number)
          : type.getResult(place.number - type.getNumInputs()));
}

Ex Tensors::sizeOf(Attribute size) {
  if (std::optional<int64_t> fixed = plan.fixedSize(size))
    return b.integer(*fixed);
  StringRef text = cast<StringAttr>(size).getValue();
  std::string error;
  std::optional<SizeExpr> formula = SizeExpr::parse(text, error);
  SmallVector<Ex> stack;
  for (const SizeExpr::Step &one : formula->postfix()) {
    if (one.op == SizeExpr::Op::Constant) {
      stack.push_back(b.integer(one.value));
      continue;
    }
    if (one.op == SizeExpr::Op::Size) {
      auto name = StringAttr::get(size.getContext(), one.name);
      std::optional<int64_t> fixed = plan.fixedSize(name);
      stack.push_back(fixed ? b.integer(*fixed)
                            : b.parameter("size_" + one.name));
      continue;
    }
    static constexpr Op ops[] = {Op::Add, Op::Sub, Op::Mul, Op::Div,
                                 Op::Mod, Op::Min, Op::Max};
    Ex rhs = stack.pop_back_val(), lhs = stack.pop_back_val();
    Op op = ops[int(one.op) - int(SizeExpr::Op::Add)];
    stack.push_back(b.make(op, kInt32, {lhs, rhs}));
  }
  return stack.back();
}

Ex Tensors::clamped(Ex index, Ex extent) {
  Ex last = b.sub(extent, b.integer(1, extent.type));
  return b.max(b.min(index, last), b.integer(0, index.type));
}

static std::string nameOf(Place place, const char *use) {
  return use + std::string(place.isWorkspace ? "_workspace" : "") +
         std::to_string(place.number);
}

std::string Tensors::nameOfStored(unsigned workspace) {
  return nameOf({true, workspace}, "out");
}

/// The range of the elements of a tensor of integers.
int Tensors::rangeOf(Place place, ScalarType type) {
  if (type == kInt32 && !place.isWorkspace)
    return b.ranges.table(place.number);
  if (type.bits >= 32)
    return b.ranges.any();
  int64_t half = int64_t(1) << (type.bits - 1);
  bool isSigned = type.kind == Kind::Int;
  return b.ranges.constant(isSigned ? -half : 0,
                           isSigned ? half - 1 : 2 * half - 1);
}

Ex Tensors::readBuffer(Place place, Type element, ArrayRef<Ex> indices) {
  std::string name = nameOf(place, "in");
  ScalarType type = scalarTypeOf(element);
  if (!llvm::is_contained(step.inputs, place)) {
    step.inputs.push_back(place);
    b.pipeline.inputs.push_back({name, type, unsigned(indices.size())});
  }
  Ex entry = b.read(name, type, indices);
  if (b.hasNarrowIndices() && !type.isFloat())
    b.ranges.set(entry.number, rangeOf(place, type));
  return entry;
}

/// The letters' values from the indices of one side of a view, then those of
/// the other side.
SmallVector<Ex> Tensors::throughView(attn::ViewOp view, bool toResult,
                                     ArrayRef<Ex> indices) {
  attn::ViewLabels labels = view.getViewLabels();
  auto &from = toResult ? labels.input : labels.output;
  auto &to = toResult ? labels.output : labels.input;
  Ex letters[256];
  for (auto [group, index] : llvm::zip_equal(from, indices)) {
    Ex rest = index;
    for (size_t i = group.size(); i-- > 0;) {
      if (i == 0) {
        letters[(unsigned char)group[i]] = rest;
        break;
      }
      Ex size = sizeOf(view.sizeOf(group[i]));
      letters[(unsigned char)group[i]] = b.make(Op::Mod, kInt32, {rest, size});
      rest = b.div(rest, size);
    }
  }
  SmallVector<Ex> result;
  for (StringRef group : to) {
    Ex index = group.empty() ? b.integer(0) : letters[(unsigned char)group[0]];
    for (char letter : group.drop_front(group.empty() ? 0 : 1))
      index = b.add(b.mul(index, sizeOf(view.sizeOf(letter))),
                    letters[(unsigned char)letter]);
    result.push_back(index);
  }
  return result;
}

FailureOr<Ex> Tensors::tableEntry(Value table, ArrayRef<Ex> indices) {
  SmallVector<Ex> inRange;
  for (auto [axis, index] : llvm::enumerate(indices))
    inRange.push_back(clamped(index, extentOf(table, axis)));
  FailureOr<Ex> entry = element(table, inRange);
  if (failed(entry))
    return failure();
  if (entry->type.bits < 64)
    return b.cast(*entry, kInt32);
  // What 32 bits do not hold is out of range of every axis.
  Ex most = b.integer(std::numeric_limits<int32_t>::max(), entry->type);
  Ex least = b.integer(std::numeric_limits<int32_t>::min(), entry->type);
  return b.cast(b.max(b.min(*entry, most), least), kInt32);
}

/// The element, or 0.
Ex Tensors::whereStored(Ex condition, Ex element) {
  Ex zero = element.type.isFloat() ? b.real(0, element.type)
                                   : b.integer(0, element.type);
  Ex value = b.select(condition, element, zero);
  if (b.ranges.knows(element.number))
    b.ranges.set(value.number, b.ranges.combine(IndexRange::Kind::Either,
                                                b.ranges.of(element.number),
                                                b.ranges.constant(0, 0)));
  return value;
}

/// Rows outside of the sequence or the source are 0.
FailureOr<Ex> Tensors::unpacked(attn::UnpackOp op, ArrayRef<Ex> indices) {
  auto start = tableEntry(op.getStart(), indices[0]);
  auto end = tableEntry(op.getStart(), b.add(indices[0], b.integer(1)));
  if (failed(start) || failed(end))
    return failure();
  Ex row = b.add(*start, indices[1]), rows = extentOf(op.getSource(), 0);
  Ex isRow = b.both(b.both(b.less(row, *end), b.less(row, rows)),
                    b.less(b.integer(-1), row));
  SmallVector<Ex> source{clamped(row, rows)};
  source.append(indices.begin() + 2, indices.end());
  FailureOr<Ex> stored = element(op.getSource(), source);
  if (failed(stored))
    return failure();
  return whereStored(isRow, *stored);
}

FailureOr<Ex> Tensors::paged(attn::PagesOp op, ArrayRef<Ex> indices) {
  Ex rows = extentOf(op.getSource(), 1), pages = extentOf(op.getSource(), 0);
  auto page = tableEntry(op.getTable(), {indices[0], b.div(indices[1], rows)});
  if (failed(page))
    return failure();
  SmallVector<Ex> source{clamped(*page, pages),
                         b.make(Op::Mod, kInt32, {indices[1], rows})};
  source.append(indices.begin() + 2, indices.end());
  FailureOr<Ex> stored = element(op.getSource(), source);
  if (failed(stored))
    return failure();
  Ex isPage = b.both(b.less(*page, pages), b.less(b.integer(-1), *page));
  return whereStored(isPage, *stored);
}

/// A scalar of a formula, as attn.read gives it.
static Ex asScalar(Builder &b, Ex stored, Type accumulate) {
  if (stored.type == kBool)
    return stored;
  return b.cast(stored,
                stored.type.isFloat() ? scalarTypeOf(accumulate) : b.indexType);
}

FailureOr<Ex> Tensors::formulaOf(attn::MapOp map, ArrayRef<Ex> indices) {
  attn::Labels labels = map.getAxisLabels();
  SmallVector<Ex> arguments;
  for (auto [input, letters] : llvm::zip(map.getInputs(), labels.inputs)) {
    SmallVector<Ex> at;
    for (char letter : letters)
      at.push_back(indices[*attn::axisOf(labels.output, letter)]);
    FailureOr<Ex> stored = element(input, at);
    if (failed(stored))
      return failure();
    arguments.push_back(asScalar(b, *stored, map.getAccumulateType()));
  }
  for (auto [axis, index] : llvm::enumerate(indices))
    arguments.push_back(b.position(index, attn::axisSize(map.getType(), axis)));
  FailureOr<Ex> value = Formula(b, *this).runOne(map.getBody(), arguments);
  if (failed(value))
    return failure();
  return b.cast(*value, scalarTypeOf(map.getType().getElementType()));
}

/// The argument whose memory has the result of an append (stage_c7).
static BlockArgument cacheOf(Value tensor) {
  while (auto append = tensor.getDefiningOp<attn::AppendOp>())
    tensor = append.getCache();
  return cast<BlockArgument>(tensor);
}

FailureOr<Ex> Tensors::element(Value tensor, ArrayRef<Ex> indices) {
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return readBuffer({false, argument.getArgNumber()}, type, indices);
  if (auto found = plan.workspaceOf.find(tensor);
      found != plan.workspaceOf.end())
    return readBuffer({true, found->second}, type, indices);
  Operation *op = tensor.getDefiningOp();
  if (isa<attn::AppendOp>(op)) // written in place by an earlier step
    return element(cacheOf(tensor), indices);
  if (auto view = dyn_cast<attn::ViewOp>(op))
    return element(view.getSource(),
                   throughView(view, /*toResult=*/false, indices));
  if (auto slice = dyn_cast<attn::SliceOp>(op)) {
    SmallVector<Ex> source(indices);
    Ex &moved = source[slice.getAxis()];
    moved = b.add(moved, b.integer(slice.getOffset()));
    return element(slice.getSource(), source);
  }
  if (auto map = dyn_cast<attn::MapOp>(op))
    return formulaOf(map, indices);
  if (auto mask = dyn_cast<attn::MaskOp>(op)) {
    SmallVector<Ex> arguments;
    for (auto [axis, index] : llvm::enumerate(indices))
      arguments.push_back(
          b.position(index, attn::axisSize(mask.getType(), axis)));
    return Formula(b, *this).runOne(mask.getBody(), arguments);
  }
  if (auto unpack = dyn_cast<attn::UnpackOp>(op))
    return unpacked(unpack, indices);
  if (auto pages = dyn_cast<attn::PagesOp>(op))
    return paged(pages, indices);
  return op->emitError("the Halide backend does not read the result of '")
         << op->getName() << "' yet";
}

FailureOr<Ex> Tensors::readClamped(attn::ReadOp read, ArrayRef<Ex> indices) {
  SmallVector<Ex> inRange;
  for (auto [axis, index] : llvm::enumerate(indices)) {
    Ex extent = b.cast(extentOf(read.getSource(), axis), b.indexType);
    inRange.push_back(b.cast(clamped(index, extent), kInt32));
  }
  FailureOr<Ex> stored = element(read.getSource(), inRange);
  if (failed(stored))
    return failure();
  return asScalar(b, *stored, read.getType());
}

LogicalResult Tensors::destinations(Value value, ArrayRef<Ex> indices,
                                    ArrayRef<Ex> where,
                                    SmallVectorImpl<Destination> &list) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isa<func::ReturnOp>(user)) {
      auto function = const_cast<func::FuncOp &>(plan.function);
      Place place{false, function.getNumArguments() + use.getOperandNumber()};
      list.push_back({place, SmallVector<Ex>(indices), SmallVector<Ex>(where)});
    } else if (auto view = dyn_cast<attn::ViewOp>(user)) {
      if (failed(destinations(view, throughView(view, true, indices), where,
                              list)))
        return failure();
    } else if (auto pack = dyn_cast<attn::PackOp>(user);
               pack && pack.getSource() == value && !pack.getFill()) {
      auto start = tableEntry(pack.getStart(), indices[0]);
      auto end = tableEntry(pack.getStart(), b.add(indices[0], b.integer(1)));
      if (failed(start) || failed(end))
        return failure();
      Ex row = b.add(*start, indices[1]);
      // Halide has to bound what a launch stores.
      Ex inRange = clamped(row, extentOf(pack.getResult(), 0));
      SmallVector<Ex> at{step.isDevice ? inRange : row}, conditions(where);
      at.append(indices.begin() + 2, indices.end());
      conditions.push_back(b.less(row, *end));
      conditions.push_back(b.less(row, extentOf(pack.getResult(), 0)));
      conditions.push_back(b.less(b.integer(-1), row));
      if (failed(destinations(pack, at, conditions, list)))
        return failure();
    }
  }
  return success();
}

/// The last variable is the task. Of four, a thread visits the first two.
static void scheduleStore(Builder &b, StringRef function,
                          const std::string &domain, size_t rank) {
  b.schedule(function, 1, "allow_races");
  if (rank == 4) {
    std::string z = domain + ".z";
    b.schedule(function, 1, "split_guarded", {z, z + "_o", z + "_i"}, {64});
    b.schedule(function, 1, "unroll", {domain + ".x"});
    b.schedule(function, 1, "never_partition");
    b.schedule(function, 1, "gpu_blocks", {z + "_o", domain + ".w"});
    b.schedule(function, 1, "gpu_threads", {z + "_i"});
    return;
  }
  std::vector<std::string> variables{domain + ".x"};
  if (rank == 3)
    variables.push_back(domain + ".y");
  shareAmongThreads(b, function, 1, variables,
                    domain + (rank == 3 ? ".z" : ".y"));
}

/// Elements along the first variable, several of them unrolled, with code of
/// their own for an output whose last axis is contiguous.
void Tensors::scheduleCopies(StringRef function, StringRef domain,
                             const Destination &to, Ex extent) {
  const Expr &number = b.pipeline.exprs[extent.number];
  if (number.op == Op::Constant && number.integer % kUnrolledCopies == 0)
    b.schedule(function, 1, "unroll", {(domain + ".x").str()},
               {kUnrolledCopies});
  Ex isContiguous = b.isContiguous(function, int64_t(to.indices.size()) - 1);
  b.schedule(function, 1, "specialize", {}, {isContiguous.number});
}

void Tensors::storeAt(const Destination &to, StringRef name,
                      ArrayRef<std::pair<Ex, Ex>> dims, const Stored &stored,
                      ScalarType type) {
  SmallVector<std::pair<Ex, Ex>> bounds(dims);
  SmallVector<Ex> where(to.where);
  bool isNullable = !to.place.isWorkspace && plan.interface &&
                    plan.interface->tensors[to.place.number].nullable;
  if (isNullable) {
    Ex want = b.parameter("want_" + std::to_string(to.place.number));
    Ex isWanted = b.less(b.integer(0), want);
    if (step.isDevice) // which cannot launch kernels without a thread
      where.push_back(isWanted);
    else
      bounds.back().second =
          b.select(isWanted, bounds.back().second, b.integer(0));
  }
  b.domain(name, bounds, where);
  std::string function = nameOf(to.place, "out");
  std::vector<std::string> variables;
  for (unsigned i = 0; i < to.indices.size(); ++i)
    variables.push_back("x" + std::to_string(i));
  b.define(function, variables, b.undefined(type));
  Ex value = b.cast(stored.value, type);
  if (type == kBool) // a byte
    value = b.cast(value, {Kind::UInt, 8});
  b.update(to.indices, value);
  if (step.isDevice)
    scheduleStore(b, function, name.str(), dims.size());
  else if (stored.isCopy)
    scheduleCopies(function, name, to, dims.front().second);
  b.pipeline.outputs.push_back(function);
  step.outputs.push_back(to.place);
}

static std::string nextDomain(const Builder &b) {
  return "store" + std::to_string(b.pipeline.domains.size()) + "d";
}

LogicalResult Tensors::store(Value result, ArrayRef<std::pair<Ex, Ex>> dims,
                             function_ref<FailureOr<Stored>(StringRef)> make) {
  ScalarType type =
      scalarTypeOf(cast<RankedTensorType>(result.getType()).getElementType());
  // Once for each destination: domains differ in their conditions.
  for (unsigned number = 0;; ++number) {
    std::string name = nextDomain(b);
    FailureOr<Stored> stored = make(name);
    if (failed(stored))
      return failure();
    SmallVector<Destination> list;
    if (auto found = plan.workspaceOf.find(result);
        found != plan.workspaceOf.end())
      list.push_back({{true, found->second}, stored->indices, stored->where});
    if (failed(destinations(result, stored->indices, stored->where, list)))
      return failure();
    if (number == list.size())
      return success();
    storeAt(list[number], name, dims, *stored, type);
  }
}

void Tensors::storeIn(unsigned workspace, ArrayRef<std::pair<Ex, Ex>> dims,
                      function_ref<Stored(StringRef)> make) {
  std::string name = nextDomain(b);
  Stored stored = make(name);
  storeAt({{true, workspace}, stored.indices, stored.where}, name, dims, stored,
          scalarTypeOf(plan.workspaces[workspace].getElementType()));
}

Ex Tensors::readWorkspace(unsigned workspace, ArrayRef<Ex> indices) {
  return readBuffer({true, workspace},
                    plan.workspaces[workspace].getElementType(), indices);
}

LogicalResult
Tensors::storeRows(attn::AppendOp append, ArrayRef<std::pair<Ex, Ex>> dims,
                   function_ref<FailureOr<Stored>(StringRef)> make) {
  std::string name = nextDomain(b);
  FailureOr<Stored> stored = make(name);
  if (failed(stored))
    return failure();
  SmallVector<Ex> of;
  for (char letter : append.getAtLabels())
    of.push_back(stored->indices[*attn::axisOf(append.getLabels(), letter)]);
  FailureOr<Ex> at = tableEntry(append.getAt(), of);
  if (failed(at))
    return failure();
  unsigned axis = append.getAxis();
  // The sum may need more than 32 bits where it is no row.
  Ex index = stored->indices[axis], rows = extentOf(append.getCache(), axis);
  Ex row = b.add(*at, index);
  SmallVector<Ex> where(stored->where);
  where.push_back(b.less(*at, b.sub(rows, index)));
  where.push_back(b.less(b.sub(b.integer(-1), index), *at));
  stored->indices[axis] = step.isDevice ? clamped(row, rows) : row;
  Destination to{{false, cacheOf(append.getCache()).getArgNumber()},
                 stored->indices,
                 where};
  storeAt(to, name, dims, *stored,
          scalarTypeOf(append.getRows().getType().getElementType()));
  return success();
}

} // namespace attnc::halide
