//===- Functions.cpp - The functions that the entry calls -----------------===//
//
// For each grid of a program @f a number of tasks and the body of one task,
// and once per program the scratch that a worker needs:
//
//   i64  @f.grid0.tasks(ptr %call)
//   void @f.grid0.body(ptr %call, ptr %scratch, i64 %task)
//   i64  @f.grid1.units(ptr %call)      of joined grids (Plan/JoinedGrids.h)
//   i64  @f.scratch(ptr %call)
//   i64  @f.workspace(ptr %call)
//
// A worker gives the registers of a matrix unit their shapes before its first
// task, and gives them up after its last one:
//
//   void @f.begin(ptr %scratch)
//   void @f.end()
//
// Grids of one or several programs that differ only in their buffers share the
// code of the first one,
//
//   void @f.grid0.shared(ptr %call, ptr %scratch, i64 %task, i64 %buffer...)
//
// which their bodies call. For each buffer that differs it takes the number of
// a tensor of the call, or the offset of a workspace.
//
// %call is struct attnc_call: sizes, data, strides, workspace, shapes. The last
// axis of a grid varies fastest, so that the tasks of a worker share K and V;
// an axis that is marked as descending runs from its end, which starts the long
// rows of a causal mask first.
// Tests: test/Codegen/CPU/functions.mlir, test/Codegen/CPU/tail.mlir,
// test/Codegen/CPU/shared-grids.mlir
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "Emit/Emitter.h"
#include "Plan/EqualGrids.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace attnc::cpu {

LogicalResult Emitter::emitBody(Block &block) {
  emitItems(block, nullptr);
  return failure(failed);
}

void Emitter::emitScalar(Operation *op) {
  if (auto read = dyn_cast<tile::ReadOp>(op)) {
    SmallVector<Value> indices;
    for (Value index : read.getIndices())
      indices.push_back(scalars.lookup(index));
    scalars.map(read.getResult(), readElement(read.getBuf(), indices));
    return;
  }
  if (auto present = dyn_cast<tile::PresentOp>(op)) {
    const Buffer &buffer = buffers[present.getBuf()];
    Value null = LLVM::ZeroOp::create(ops, ops.loc, buffer.data.getType());
    scalars.map(present.getResult(),
                LLVM::ICmpOp::create(ops, ops.loc, LLVM::ICmpPredicate::ne,
                                     buffer.data, null));
    return;
  }
  if (auto locate = dyn_cast<tile::LocateOp>(op))
    return emitLocate(locate);
  if (emitTable(op))
    return;
  ops.clone(*op, scalars);
}

Value Emitter::emitSlice(Value value) {
  if (Value known = scalars.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    if (!buffers.contains(operand))
      emitSlice(operand);
  emitScalar(op);
  return scalars.lookup(value);
}

namespace {
/// Builds one function of a program.
class FunctionWriter {
public:
  explicit FunctionWriter(tile::ProgramOp program)
      : program(program), ops(program.getContext()) {
    ops.loc = program.getLoc();
  }

  func::FuncOp begin(const Twine &suffix, ArrayRef<Type> inputs,
                     ArrayRef<Type> results);
  void writeConstant(const Twine &suffix, int64_t bytes);
  void writeWorkspace();
  /// The product of the first `axes` extents, as a function.
  void writeCount(const GridPlan &plan, const Twine &suffix, size_t axes);
  /// What a worker calls before its first task and after its last one.
  void writeBeginAndEnd(const GridPlan &plan);
  LogicalResult writeBody(const GridPlan &plan, unsigned number);
  /// The code that several grids run; `parameters` are the first one's buffers.
  LogicalResult writeShared(const GridPlan &plan, unsigned number,
                            ArrayRef<Value> parameters);
  /// The body of a grid that runs shared code.
  void writeCall(unsigned number, StringRef callee, ArrayRef<Value> arguments);

private:
  func::FuncOp beginBody(const Twine &suffix, unsigned buffers = 0);
  LogicalResult fillBody(const GridPlan &plan, func::FuncOp function);
  void bindTensors(Emitter &emitter, Value call, Value zero);
  void bindSizes(Emitter &emitter, Value call);
  Buffer loadBuffer(Value call, Value number, tile::BufType type);
  void readSafely(Buffer &buffer, Value zero);
  Value field(Value call, unsigned number);
  void bindScalars(Emitter &emitter);
  DenseMap<Value, Value> findOffsets(Emitter &emitter);
  void bindBuffers(Emitter &emitter, Value call, Value zero);
  void bindTask(Emitter &emitter, tile::GridOp grid, Value task);
  LogicalResult writeCopies(Emitter &emitter, const GridPlan &plan,
                            Value scratch);

  tile::ProgramOp program;
  Ops ops;
  /// Numbers of tensors and offsets of workspaces that are arguments of the
  /// current function.
  DenseMap<Value, Value> given;
};
} // namespace

func::FuncOp FunctionWriter::begin(const Twine &suffix, ArrayRef<Type> inputs,
                                   ArrayRef<Type> results) {
  auto module = program->getParentOfType<ModuleOp>();
  ops.setInsertionPointToEnd(module.getBody());
  auto type = ops.getFunctionType(inputs, results);
  std::string name = (program.getSymName() + "." + suffix).str();
  auto function = func::FuncOp::create(ops, program.getLoc(), name, type);
  ops.setFunction(function.addEntryBlock());
  return function;
}

void FunctionWriter::writeConstant(const Twine &suffix, int64_t bytes) {
  begin(suffix, LLVM::LLVMPointerType::get(ops.getContext()), ops.getI64Type());
  Value value =
      arith::ConstantOp::create(ops, ops.loc, ops.getI64IntegerAttr(bytes));
  func::ReturnOp::create(ops, ops.loc, value);
}

/// What aligns an array of pointers is their own size.
static constexpr unsigned kNaturalAlignment = 0;

/// A pointer of struct attnc_call.
Value FunctionWriter::field(Value call, unsigned number) {
  Type pointer = call.getType();
  return ops.load(pointer, ops.address(call, pointer, ops.index(number)),
                  kNaturalAlignment);
}

Buffer FunctionWriter::loadBuffer(Value call, Value number,
                                  tile::BufType type) {
  Type pointer = call.getType(), i64 = ops.getI64Type();
  auto entry = [&](unsigned fieldNumber) {
    return ops.load(pointer,
                    ops.address(field(call, fieldNumber), pointer, number),
                    kNaturalAlignment);
  };
  Buffer buffer{type.getElementType(), entry(1), {}, {}};
  Value strides = entry(2), shapes = entry(4);
  for (unsigned axis = 0; axis < type.getRank(); ++axis) {
    auto at = [&](Value list) {
      return ops.toIndex(
          ops.load(i64, ops.address(list, i64, ops.index(axis)), 8));
    };
    buffer.strides.push_back(at(strides));
    buffer.extents.push_back(at(shapes));
  }
  return buffer;
}

/// Where an axis is empty every element is the zero in scratch.
void FunctionWriter::readSafely(Buffer &buffer, Value zero) {
  if (buffer.extents.empty())
    return;
  Value filled = ops.boolean(true);
  for (Value extent : buffer.extents)
    filled = ops.logicalAnd(
        filled, ops.compare(arith::CmpIPredicate::sgt, extent, ops.index(0)));
  buffer.data = ops.select(filled, buffer.data, zero);
  for (Value &stride : buffer.strides)
    stride = ops.select(filled, stride, ops.index(0));
}

void FunctionWriter::bindTensors(Emitter &emitter, Value call, Value zero) {
  for (BlockArgument argument : program.getBody().getArguments()) {
    auto type = dyn_cast<tile::BufType>(argument.getType());
    if (!type)
      return;
    Value number = given.lookup(argument);
    if (!number)
      number = ops.index(argument.getArgNumber());
    Buffer buffer = loadBuffer(call, number, type);
    if (isReadByElement(argument))
      readSafely(buffer, zero);
    emitter.buffers[argument] = std::move(buffer);
  }
}

void FunctionWriter::bindSizes(Emitter &emitter, Value call) {
  Type i64 = ops.getI64Type();
  unsigned sizes = 0;
  for (BlockArgument argument : program.getBody().getArguments()) {
    if (!argument.getType().isIndex())
      continue;
    Value size =
        ops.load(i64, ops.address(field(call, 0), i64, ops.index(sizes++)), 8);
    emitter.scalars.map(argument, ops.toIndex(size));
  }
}

void FunctionWriter::bindScalars(Emitter &emitter) {
  for (Operation &op : program.getBody().front())
    if (!isa<tile::GridOp, tile::WorkspaceOp, tile::RenameOp>(op))
      emitter.emitScalar(&op);
}

static Value extentOf(Ops &ops, Emitter &emitter, Value size) {
  return ops.max(emitter.scalars.lookup(size), ops.index(0));
}

/// Bytes of an element in memory.
static int64_t bytesOf(Type element) {
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

/// The extents of a workspace with the elements from one row to the next
/// instead of those of a row: rows of a multiple of 1 KB get one more line of
/// cache. Columns of them, such as the keys of a head in [Q | K | V], would use
/// a quarter of the sets of L1 and L2.
static SmallVector<Value> allocatedExtents(Ops &ops, Emitter &emitter,
                                           tile::WorkspaceOp workspace) {
  constexpr int64_t kHarmfulBytes = 1024, kLineBytes = 64;
  SmallVector<Value> extents;
  for (Value size : workspace.getSizes())
    extents.push_back(extentOf(ops, emitter, size));
  int64_t bytes = bytesOf(workspace.getType().getElementType());
  std::optional<int64_t> row = constantOf(extents.back());
  if (extents.size() > 1 && row && *row > 0 &&
      *row * bytes % kHarmfulBytes == 0)
    extents.back() = ops.index(*row + kLineBytes / bytes);
  return extents;
}

static Buffer bufferOf(Ops &ops, Emitter &emitter, tile::WorkspaceOp workspace,
                       Value data) {
  Buffer buffer{workspace.getType().getElementType(), data, {}, {}};
  for (Value size : workspace.getSizes())
    buffer.extents.push_back(extentOf(ops, emitter, size));
  buffer.strides.resize(buffer.extents.size());
  SmallVector<Value> allocated = allocatedExtents(ops, emitter, workspace);
  Value stride = ops.index(1);
  for (size_t axis = allocated.size(); axis-- > 0;) {
    buffer.strides[axis] = stride;
    stride = ops.mul(stride, allocated[axis]);
  }
  return buffer;
}

/// Workspaces follow each other in the call's block, each on a line of cache.
DenseMap<Value, Value> FunctionWriter::findOffsets(Emitter &emitter) {
  DenseMap<Value, Value> offsets;
  Value offset = ops.index(0);
  for (auto workspace : program.getBody().getOps<tile::WorkspaceOp>()) {
    offsets[workspace] = offset;
    Value bytes = ops.index(bytesOf(workspace.getType().getElementType()));
    for (Value extent : allocatedExtents(ops, emitter, workspace))
      bytes = ops.mul(bytes, extent);
    offset = ops.add(offset, ops.mul(ops.ceilDiv(bytes, 64), 64));
  }
  return offsets;
}

void FunctionWriter::bindBuffers(Emitter &emitter, Value call, Value zero) {
  DenseMap<Value, Value> offsets = findOffsets(emitter);
  for (Operation &op : program.getBody().front()) {
    if (auto workspace = dyn_cast<tile::WorkspaceOp>(op)) {
      Value offset = given.lookup(workspace);
      Value data = ops.address(field(call, 3), ops.getI8Type(),
                               offset ? offset : offsets.lookup(workspace));
      Buffer buffer = bufferOf(ops, emitter, workspace, data);
      if (isReadByElement(workspace))
        readSafely(buffer, zero);
      emitter.buffers[workspace] = std::move(buffer);
    } else if (auto rename = dyn_cast<tile::RenameOp>(op)) {
      Buffer buffer = emitter.buffers.lookup(rename.getBuf());
      if (isReadByElement(rename))
        readSafely(buffer, zero);
      emitter.buffers[rename] = std::move(buffer);
    }
  }
}

/// The bytes of all workspaces, or -1 if they exceed 61 bits: the entry then
/// refuses the call, so bodies compute addresses without looking.
void FunctionWriter::writeWorkspace() {
  auto function =
      begin("workspace", LLVM::LLVMPointerType::get(ops.getContext()),
            ops.getI64Type());
  Plan plan;
  Emitter emitter(ops, plan, {}, {}, {});
  bindSizes(emitter, function.getArgument(0));
  bindScalars(emitter);
  constexpr int64_t kMost = int64_t(1) << 61;
  Value total = ops.index(0), fits = ops.boolean(true);
  auto require = [&](Value value, Value most) {
    fits = ops.logicalAnd(fits,
                          ops.compare(arith::CmpIPredicate::sle, value, most));
  };
  for (auto workspace : program.getBody().getOps<tile::WorkspaceOp>()) {
    Value bytes = ops.index(bytesOf(workspace.getType().getElementType()));
    for (Value extent : allocatedExtents(ops, emitter, workspace)) {
      Value divisor = ops.max(bytes, ops.index(1));
      require(extent,
              arith::DivUIOp::create(ops, ops.loc, ops.index(kMost), divisor));
      bytes = ops.mul(bytes, extent);
    }
    total = ops.add(total, ops.mul(ops.ceilDiv(bytes, 64), 64));
    require(total, ops.index(kMost));
  }
  Value bytes = ops.select(fits, total, ops.index(-1));
  func::ReturnOp::create(ops, ops.loc, ops.toI64(bytes));
}

void FunctionWriter::writeCount(const GridPlan &plan, const Twine &suffix,
                                size_t axes) {
  auto function = begin(suffix, LLVM::LLVMPointerType::get(ops.getContext()),
                        ops.getI64Type());
  Emitter emitter(ops, plan.whole, plan.target, {}, {});
  bindSizes(emitter, function.getArgument(0));
  bindScalars(emitter);
  Value count = ops.index(1);
  tile::GridOp grid = plan.grid;
  for (Value extent : grid.getExtents().take_front(axes))
    count = ops.mul(count, extentOf(ops, emitter, extent));
  func::ReturnOp::create(ops, program.getLoc(), ops.toI64(count));
}

void FunctionWriter::writeBeginAndEnd(const GridPlan &plan) {
  auto function =
      begin("begin", LLVM::LLVMPointerType::get(ops.getContext()), {});
  Emitter(ops, plan.whole, plan.target, function.getArgument(0), {})
      .configureTiles();
  func::ReturnOp::create(ops, program.getLoc());
  begin("end", {}, {});
  Emitter(ops, plan.whole, plan.target, {}, {}).releaseTiles();
  func::ReturnOp::create(ops, program.getLoc());
}

void FunctionWriter::bindTask(Emitter &emitter, tile::GridOp grid, Value task) {
  Value rest = ops.toIndex(task);
  std::optional<uint64_t> descending = grid.getDescending();
  for (size_t axis = grid.getExtents().size(); axis-- > 0;) {
    Value extent = emitter.scalars.lookup(grid.getExtents()[axis]);
    Value index = rest;
    if (axis > 0) {
      index = arith::RemUIOp::create(ops, ops.loc, rest, extent);
      rest = arith::DivUIOp::create(ops, ops.loc, rest, extent);
    }
    if (descending == axis)
      index = ops.sub(ops.sub(extent, ops.index(1)), index);
    emitter.scalars.map(grid.getBody().getArgument(axis), index);
  }
}

/// Blocks with so few queries that a whole copy would waste a piece or more go
/// piece by piece.
LogicalResult FunctionWriter::writeCopies(Emitter &emitter,
                                          const GridPlan &plan, Value scratch) {
  tile::GridOp grid = plan.grid;
  Block &body = grid.getBody().front();
  bool hasPieces = plan.piece.vectors > 0;
  if (!plan.validQueries ||
      (!hasPieces && !plan.whole.featureRows && !plan.whole.hasGroups()))
    return emitter.emitBody(body);
  int64_t piece = plan.piece.vectors * plan.piece.lanes;
  int64_t whole = plan.whole.vectors * plan.whole.lanes;
  IRMapping known = emitter.scalars;
  Value valid = emitter.emitSlice(plan.validQueries);
  emitter.scalars = known;
  if (!hasPieces) {
    emitter.queries = ops.min(valid, ops.index(whole));
    return emitter.emitBody(body);
  }
  Value isSmall =
      ops.compare(arith::CmpIPredicate::sle, valid, ops.index(whole - piece));
  LogicalResult done = success();
  ops.branch(
      isSmall,
      [&] {
        ops.loop(ops.index(0), valid, piece, [&](Value first) {
          Emitter small(ops, plan.piece, plan.target, scratch, first);
          small.scalars = known;
          small.buffers = emitter.buffers;
          if (plan.piece.featureRows)
            small.queries = ops.min(ops.sub(valid, first), ops.index(piece));
          done = small.emitBody(body);
        });
      },
      [&] {
        if (succeeded(done))
          done = emitter.emitBody(body);
      });
  return done;
}

func::FuncOp FunctionWriter::beginBody(const Twine &suffix, unsigned buffers) {
  Type pointer = LLVM::LLVMPointerType::get(ops.getContext());
  SmallVector<Type> types(3 + buffers, ops.getI64Type());
  types[0] = types[1] = pointer;
  auto function = begin(suffix, types, {});
  for (unsigned i = 0; i < 2; ++i)
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        ops.getUnitAttr());
  given.clear();
  return function;
}

LogicalResult FunctionWriter::writeBody(const GridPlan &plan, unsigned number) {
  return fillBody(plan, beginBody("grid" + Twine(number) + ".body"));
}

LogicalResult FunctionWriter::writeShared(const GridPlan &plan, unsigned number,
                                          ArrayRef<Value> parameters) {
  auto function =
      beginBody("grid" + Twine(number) + ".shared", parameters.size());
  // Inlining would create a copy per grid again.
  function->setAttr("passthrough", ops.getStrArrayAttr({"noinline"}));
  for (auto [i, buffer] : llvm::enumerate(parameters))
    given[buffer] = ops.toIndex(function.getArgument(3 + i));
  return fillBody(plan, function);
}

void FunctionWriter::writeCall(unsigned number, StringRef callee,
                               ArrayRef<Value> owned) {
  auto function = beginBody("grid" + Twine(number) + ".body");
  SmallVector<Value> arguments(function.getArguments());
  Plan plan;
  Emitter emitter(ops, plan, {}, {}, {});
  bindSizes(emitter, function.getArgument(0));
  bindScalars(emitter);
  DenseMap<Value, Value> offsets = findOffsets(emitter);
  for (Value buffer : owned) {
    auto tensor = dyn_cast<BlockArgument>(buffer);
    arguments.push_back(ops.toI64(tensor ? ops.index(tensor.getArgNumber())
                                         : offsets.lookup(buffer)));
  }
  func::CallOp::create(ops, program.getLoc(), callee, TypeRange(), arguments);
  func::ReturnOp::create(ops, program.getLoc());
}

LogicalResult FunctionWriter::fillBody(const GridPlan &plan,
                                       func::FuncOp function) {
  Value scratch = function.getArgument(1);
  Value zero =
      ops.address(scratch, ops.getI8Type(), ops.index(plan.whole.zero));
  ops.store(ops.constant(ops.getI64Type(), 0), zero, 64);
  Emitter emitter(ops, plan.whole, plan.target, scratch, ops.index(0));
  bindTensors(emitter, function.getArgument(0), zero);
  bindSizes(emitter, function.getArgument(0));
  bindScalars(emitter);
  bindBuffers(emitter, function.getArgument(0), zero);
  bindTask(emitter, plan.grid, function.getArgument(2));
  if (failed(writeCopies(emitter, plan, scratch)))
    return failure();
  func::ReturnOp::create(ops, program.getLoc());
  return success();
}

/// `codes` are those of all programs, and start with this one's at `first`.
static LogicalResult emitProgram(const ProgramPlan &plan,
                                 ArrayRef<GridCode> codes, unsigned first,
                                 ArrayRef<std::string> names) {
  FunctionWriter writer(plan.program);
  auto withTiles = llvm::find_if(plan.grids, [](const GridPlan &grid) {
    return grid.whole.hasTiles || grid.piece.hasTiles;
  });
  if (withTiles != plan.grids.end())
    writer.writeBeginAndEnd(*withTiles);
  int64_t scratch = 0;
  for (auto [number, grid] : llvm::enumerate(plan.grids)) {
    const GridCode &code = codes[first + number];
    tile::GridOp op = grid.grid;
    writer.writeCount(grid, "grid" + Twine(number) + ".tasks",
                      op.getExtents().size());
    if (grid.whole.joinedAxes)
      writer.writeCount(grid, "grid" + Twine(number) + ".units",
                        grid.whole.joinedAxes);
    if (code.owner == first + number && code.isShared &&
        failed(writer.writeShared(grid, number, code.buffers)))
      return failure();
    if (code.isShared)
      writer.writeCall(number, names[code.owner], code.buffers);
    else if (failed(writer.writeBody(grid, number)))
      return failure();
    scratch = std::max({scratch, grid.whole.bytes, grid.piece.bytes});
  }
  writer.writeConstant("scratch", llvm::alignTo(scratch, 64));
  writer.writeWorkspace();
  return success();
}

LogicalResult emitFunctions(ArrayRef<ProgramPlan> programs) {
  SmallVector<tile::GridOp> grids;
  std::vector<std::string> names; // of the code that grids share
  for (const ProgramPlan &plan : programs)
    for (auto [number, grid] : llvm::enumerate(plan.grids)) {
      grids.push_back(grid.grid);
      tile::ProgramOp program = plan.program;
      names.push_back(
          (program.getSymName() + ".grid" + Twine(number) + ".shared").str());
    }
  std::vector<GridCode> codes = findEqualGrids(grids);
  unsigned first = 0;
  for (const ProgramPlan &plan : programs) {
    if (failed(emitProgram(plan, codes, first, names)))
      return failure();
    first += plan.grids.size();
  }
  return success();
}

} // namespace attnc::cpu
