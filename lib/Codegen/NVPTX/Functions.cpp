//===- Functions.cpp - Kernels and what their host asks -------------------===//
//
// For each grid n of a program @f a kernel, which runs one instance per thread
// block, and functions of the host, as those of CPU objects:
//
//   void @f$grid<n>(ptr addrspace(1) data, i64 stride.., i64 extent.., ...,
//                   i64 size.., ptr addrspace(1) workspace)
//   i64  @f.grid<n>.tasks(ptr %call)     thread blocks
//   i64  @f.grid<n>.maps(ptr %call, ptr %maps)    TensorMapFunctions.cpp
//   i64  @f.scratch(ptr %call)           0
//   i64  @f.workspace(ptr %call)         bytes
//
// A kernel has, for each tensor of the interface, its data, one stride per axis
// (in elements) and one extent per axis, then all sizes, then the workspace. A
// host reads them from struct attnc_call (lib/Emit/Abi/entry.h) in this order.
// Attributes of the kernel say what a launch needs: `nvvm.maxntid` (threads of
// a block) and `attnc.shared` (bytes of dynamic shared memory).
//
// A kernel with `loads = tma` has `attnc.maps` tensor maps as further
// arguments. A call with tensors that can have no such maps launches another
// kernel with the same arguments but the maps, `attnc.otherwise`:
//
//   void @f$grid<n>$async(...)
//
// Tests: test/Codegen/NVPTX/convert-tile-to-nvvm.mlir
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

#include "Emit/Emitter.h"
#include "TensorMapFunctions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace attnc::ptx {

static constexpr StringLiteral kSharedMemory = "attnc_shared";
static constexpr StringLiteral kAsync =
    "$async"; // a kernel's end, without maps

tile::NvptxAttr targetOf(tile::GridOp grid) {
  if (std::optional<tile::TargetAttrInterface> own = grid.getTarget())
    return cast<tile::NvptxAttr>(*own); // grid_c3: of the same backend
  auto program = cast<tile::ProgramOp>(grid->getParentOp());
  return cast<tile::NvptxAttr>(program.getTarget());
}

namespace {
class FunctionWriter {
public:
  explicit FunctionWriter(tile::ProgramOp program)
      : program(program), b(program.getContext()) {
    b.loc = program.getLoc();
    module = program->getParentOfType<ModuleOp>();
  }

  LogicalResult writeKernel(tile::GridOp grid, unsigned number,
                            const Target &target);
  struct Code {
    func::FuncOp kernel;
    SmallVector<TensorMap> maps; // of its last parameters
    int64_t sharedBytes;
  };
  Code writeCode(tile::GridOp grid, StringRef name, tile::NvptxAttr own,
                 const Target &target);
  void writeMapFunction(ArrayRef<TensorMap> maps, unsigned number);
  void writeTasks(tile::GridOp grid, unsigned number);
  void writeScratch();
  void writeWorkspace();

private:
  func::FuncOp begin(const Twine &name, ArrayRef<Type> inputs,
                     ArrayRef<Type> results);
  func::FuncOp beginHost(const Twine &suffix, unsigned pointers = 1);
  void bindArguments(Emitter &emitter, mlir::Block &entry);
  void bindBuffers(Emitter &emitter, Value workspace);
  void bindSizes(Emitter &emitter, Value call);
  Buffer readTensor(Value call, BlockArgument argument);
  void bindScalars(Emitter &emitter);
  void bindInstance(Emitter &emitter, tile::GridOp grid, Value task);
  Value declareSharedMemory(tile::NvptxArch arch);
  Value extentOf(Emitter &emitter, Value size) {
    return b.max(emitter.scalars.lookup(size), b.index(0));
  }

  tile::ProgramOp program;
  ModuleOp module;
  Builder b;
};
} // namespace

func::FuncOp FunctionWriter::begin(const Twine &name, ArrayRef<Type> inputs,
                                   ArrayRef<Type> results) {
  b.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(b, program.getLoc(), name.str(),
                                       b.getFunctionType(inputs, results));
  b.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

func::FuncOp FunctionWriter::beginHost(const Twine &suffix, unsigned pointers) {
  return begin(program.getSymName() + "." + suffix,
               SmallVector<Type>(pointers, b.pointer(Space::Generic)),
               b.getI64Type());
}

//===----------------------------------------------------------------------===//
// What kernels get
//===----------------------------------------------------------------------===//

void FunctionWriter::bindArguments(Emitter &emitter, mlir::Block &entry) {
  unsigned next = 0;
  auto take = [&] { return entry.getArgument(next++); };
  for (BlockArgument argument : program.getBody().getArguments()) {
    auto type = dyn_cast<tile::BufType>(argument.getType());
    if (!type) {
      emitter.scalars.map(argument, b.toIndex(take()));
      continue;
    }
    Buffer buffer{type.getElementType(), take(), {}, {}};
    for (unsigned axis = 0; axis < type.getRank(); ++axis)
      buffer.strides.push_back(b.toIndex(take()));
    for (unsigned axis = 0; axis < type.getRank(); ++axis)
      buffer.extents.push_back(b.toIndex(take()));
    emitter.buffers[argument] = std::move(buffer);
  }
}

/// Workspaces follow each other, each at a multiple of 64 bytes, row-major.
void FunctionWriter::bindBuffers(Emitter &emitter, Value workspace) {
  Value offset = b.index(0);
  for (Operation &op : program.getBody().front()) {
    if (auto rename = dyn_cast<tile::RenameOp>(op)) {
      Buffer same = emitter.buffers.lookup(rename.getBuf());
      emitter.buffers[rename] = std::move(same);
    }
    auto made = dyn_cast<tile::WorkspaceOp>(op);
    if (!made)
      continue;
    Buffer buffer{made.getType().getElementType(),
                  b.address(workspace, b.getI8Type(), offset),
                  {},
                  {}};
    for (Value size : made.getSizes())
      buffer.extents.push_back(extentOf(emitter, size));
    buffer.strides.resize(buffer.extents.size());
    Value stride = b.index(1);
    for (size_t axis = buffer.extents.size(); axis-- > 0;) {
      buffer.strides[axis] = stride;
      stride = b.mul(stride, buffer.extents[axis]);
    }
    Value bytes = b.mul(stride, Builder::bytesOf(buffer.element));
    offset = b.add(offset, b.mul(b.ceilDiv(bytes, 64), 64));
    emitter.buffers[made] = std::move(buffer);
  }
}

void FunctionWriter::bindScalars(Emitter &emitter) {
  for (Operation &op : program.getBody().front())
    if (!isa<tile::GridOp, tile::WorkspaceOp, tile::RenameOp>(op))
      emitter.emitScalar(&op);
}

/// The last axis varies fastest; a descending one starts at its end. A launch
/// has less than 2^31 blocks, so 32 bits are enough.
void FunctionWriter::bindInstance(Emitter &emitter, tile::GridOp grid,
                                  Value task) {
  Value rest = task;
  std::optional<uint64_t> descending = grid.getDescending();
  for (size_t axis = grid.getExtents().size(); axis-- > 0;) {
    Value extent = b.toI32(emitter.scalars.lookup(grid.getExtents()[axis]));
    Value index = rest;
    if (axis > 0) {
      index = arith::RemUIOp::create(b, b.loc, rest, extent);
      rest = arith::DivUIOp::create(b, b.loc, rest, extent);
    }
    if (descending == axis)
      index = b.sub(b.sub(extent, b.i32(1)), index);
    emitter.scalars.map(
        grid.getBody().getArgument(axis),
        arith::IndexCastUIOp::create(b, b.loc, b.getIndexType(), index));
  }
}

/// Its size is given by the launch. The longest pattern of a swizzle repeats
/// after 1024 bytes.
Value FunctionWriter::declareSharedMemory(tile::NvptxArch arch) {
  auto global = module.lookupSymbol<LLVM::GlobalOp>(kSharedMemory);
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    global = LLVM::GlobalOp::create(
        b, b.loc, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
        /*isConstant=*/false, LLVM::Linkage::External, kSharedMemory,
        /*value=*/Attribute(),
        /*alignment=*/arch == tile::NvptxArch::Sm80 ? 16 : 1024,
        unsigned(Space::Shared));
  }
  return LLVM::AddressOfOp::create(b, b.loc, global);
}

FunctionWriter::Code FunctionWriter::writeCode(tile::GridOp grid,
                                               StringRef name,
                                               tile::NvptxAttr own,
                                               const Target &target) {
  Type i64 = b.getI64Type(), pointer = b.pointer(Space::Global);
  SmallVector<Type> inputs;
  for (BlockArgument argument : program.getBody().getArguments()) {
    auto type = dyn_cast<tile::BufType>(argument.getType());
    inputs.push_back(type ? pointer : i64);
    inputs.append(type ? 2 * type.getRank() : 0, i64);
  }
  inputs.push_back(pointer);
  func::FuncOp kernel = begin(name, inputs, {});
  mlir::Block &entry = kernel.getBody().front();

  Value shared = declareSharedMemory(own.getArch());
  Emitter emitter(b, Layout(own), shared);
  bindArguments(emitter, entry);
  bindScalars(emitter);
  bindBuffers(emitter, entry.getArguments().back());
  Value task =
      b.intrinsic("read.ptx.sreg.ctaid.x", b.getI32Type(), ValueRange());
  bindInstance(emitter, grid, task);
  if (own.getLoads() == tile::NvptxLoads::Tma)
    emitter.addMapParameter = [&] {
      return entry.addArgument(b.pointer(Space::Generic), b.loc);
    };
  emitter.emitGrid(grid.getBody().front(), target.gpu.registers);
  func::ReturnOp::create(b, program.getLoc());
  kernel.setFunctionType(b.getFunctionType(entry.getArgumentTypes(), {}));

  auto attribute = [&](StringRef key, int64_t value) -> Attribute {
    return b.getStrArrayAttr({key, std::to_string(value)});
  };
  SmallVector<Attribute> attributes = {
      attribute("nvvm.maxntid", own.getBlockThreads()),
      attribute("attnc.shared", emitter.getSharedBytes())};
  if (own.movesRegisters()) {
    attributes.push_back(attribute("nvvm.minctasm", 1));
    attributes.push_back(b.getStringAttr("attnc.nounroll"));
  }
  SmallVector<TensorMap> maps(emitter.getMaps());
  if (!maps.empty()) {
    attributes.push_back(attribute("attnc.maps", int64_t(maps.size())));
    attributes.push_back(
        b.getStrArrayAttr({"attnc.otherwise", (name + kAsync).str()}));
  }
  kernel->setAttr("passthrough", b.getArrayAttr(attributes));
  return {kernel, std::move(maps), emitter.getSharedBytes()};
}

static LogicalResult checkShared(tile::GridOp grid, int64_t bytes,
                                 const Target &target) {
  if (bytes <= int64_t(target.gpu.blockSharedBytes))
    return success();
  return grid.emitOpError("needs ")
         << bytes << " bytes of shared memory, but " << target.name << " has "
         << target.gpu.blockSharedBytes
         << "; choose smaller tiles with --schedule (q, k or warps)";
}

/// Whether the scores of loops over tiles come from more than products: values
/// of rows, or tables. Loops below conditions,
/// such as the second sum after a NaN, have no products in flight.
static bool readsRowValues(tile::GridOp grid) {
  WalkResult result = grid.walk([](Operation *op) {
    auto loop = dyn_cast<tile::ForOp>(op->getParentOp());
    if (!loop || !isa<tile::GridOp>(loop->getParentOp()) ||
        !isa<tile::MapOp>(op))
      return WalkResult::advance();
    auto type = cast<tile::TileType>(op->getResult(0).getType());
    if (type.getRank() != 2 || !type.hasDim(kRowDim))
      return WalkResult::advance();
    bool readsMore = llvm::any_of(op->getOperands(), [&](Value operand) {
      auto tile = dyn_cast<tile::TileType>(operand.getType());
      return tile && tile.hasDim(kRowDim) &&
             operand.getParentBlock() != &loop.getBody().front();
    });
    readsMore |= !op->getRegion(0).getOps<tile::ReadOp>().empty();
    return readsMore ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// For tensors without maps, the preferred ones first. Producers that load by
/// cp.async need the registers that products in flight take. Those that values
/// of rows take are freed by rows in shared memory, which may leave room for
/// fewer stages.
static SmallVector<tile::NvptxAttr> listWithoutMaps(tile::NvptxAttr own,
                                                    bool hasRowValues) {
  auto make = [&](bool sharedRows, int64_t stages) {
    return tile::NvptxAttr::get(
        own.getContext(), own.getArch(), own.getMapping(), own.getWarps(),
        own.getRows(), stages, own.getFastExp(), sharedRows,
        /*overlap=*/false, own.getProducers(),
        /*pingPong=*/false, own.getTf32(), tile::NvptxLoads::Async);
  };
  constexpr int64_t leastStages = 2; // of producers
  SmallVector<tile::NvptxAttr> list;
  for (int64_t stages = own.getStages();
       hasRowValues && !own.getSharedRows() && stages >= leastStages; --stages)
    list.push_back(make(/*sharedRows=*/true, stages));
  list.push_back(make(own.getSharedRows(), own.getStages()));
  return list;
}

LogicalResult FunctionWriter::writeKernel(tile::GridOp grid, unsigned number,
                                          const Target &target) {
  // PTX has no dots in names, C has no dollars.
  std::string name = (program.getSymName() + ".grid" + Twine(number)).str();
  llvm::replace(name, '.', '$');
  tile::NvptxAttr own = targetOf(grid);
  Code code = writeCode(grid, name, own, target);
  if (failed(checkShared(grid, code.sharedBytes, target)))
    return failure();
  if (code.maps.empty())
    return success();
  writeMapFunction(code.maps, number);
  SmallVector<tile::NvptxAttr> list =
      listWithoutMaps(own, readsRowValues(grid));
  for (tile::NvptxAttr other : list) {
    code = writeCode(grid, name + kAsync.str(), other, target);
    if (other == list.back())
      break;
    if (code.sharedBytes <= int64_t(target.gpu.blockSharedBytes))
      return success();
    code.kernel.erase();
  }
  return checkShared(grid, code.sharedBytes, target);
}

//===----------------------------------------------------------------------===//
// What the host asks
//===----------------------------------------------------------------------===//

/// Reads the first field of struct attnc_call.
void FunctionWriter::bindSizes(Emitter &emitter, Value call) {
  Type i64 = b.getI64Type();
  Value list = LLVM::LoadOp::create(b, b.loc, call.getType(), call, 8);
  unsigned sizes = 0;
  for (BlockArgument argument : program.getBody().getArguments())
    if (argument.getType().isIndex())
      emitter.scalars.map(
          argument,
          b.toIndex(b.load(i64, b.address(list, i64, b.index(sizes++)))));
}

/// What struct attnc_call says of a tensor.
Buffer FunctionWriter::readTensor(Value call, BlockArgument argument) {
  enum { kData = 1, kStrides = 2, kShapes = 4 }; // fields
  auto type = cast<tile::BufType>(argument.getType());
  int64_t number = llvm::count_if(
      program.getBody().getArguments().take_front(argument.getArgNumber()),
      [](BlockArgument other) { return isa<tile::BufType>(other.getType()); });
  Type pointer = call.getType(), i64 = b.getI64Type();
  auto read = [&](Value list, Type element, int64_t place) -> Value {
    Value from = b.address(list, element, b.index(place));
    return LLVM::LoadOp::create(b, b.loc, element, from, 8);
  };
  auto listOf = [&](int64_t field) {
    return read(read(call, pointer, field), pointer, number);
  };
  Buffer buffer{type.getElementType(), listOf(kData), {}, {}};
  Value strides = listOf(kStrides), extents = listOf(kShapes);
  for (int64_t axis = 0; axis < int64_t(type.getRank()); ++axis) {
    buffer.strides.push_back(b.toIndex(read(strides, i64, axis)));
    buffer.extents.push_back(b.toIndex(read(extents, i64, axis)));
  }
  return buffer;
}

void FunctionWriter::writeMapFunction(ArrayRef<TensorMap> maps,
                                      unsigned number) {
  constexpr int64_t kWorkspace = 3; // field of struct attnc_call
  func::FuncOp function = beginHost("grid" + Twine(number) + ".maps", 2);
  Value call = function.getArgument(0);
  Emitter emitter(b);
  bindSizes(emitter, call);
  bindScalars(emitter);
  Value workspace = LLVM::LoadOp::create(
      b, b.loc, call.getType(),
      b.address(call, call.getType(), b.index(kWorkspace)), 8);
  bindBuffers(emitter, workspace);
  Value fits = writeMaps(b, maps, function.getArgument(1), [&](Value buffer) {
    auto argument = dyn_cast<BlockArgument>(buffer);
    return argument ? readTensor(call, argument)
                    : emitter.buffers.lookup(buffer);
  });
  func::ReturnOp::create(b, b.loc, b.toI64(fits));
}

void FunctionWriter::writeTasks(tile::GridOp grid, unsigned number) {
  func::FuncOp function = beginHost("grid" + Twine(number) + ".tasks");
  Emitter emitter(b);
  bindSizes(emitter, function.getArgument(0));
  bindScalars(emitter);
  Value tasks = b.index(1);
  for (Value extent : grid.getExtents())
    tasks = b.mul(tasks, extentOf(emitter, extent));
  func::ReturnOp::create(b, b.loc, b.toI64(tasks));
}

void FunctionWriter::writeScratch() {
  beginHost("scratch");
  func::ReturnOp::create(b, b.loc, b.toI64(b.index(0)));
}

/// The bytes of all workspaces, or -1 if they exceed 61 bits: the entry then
/// refuses the call, so kernels compute addresses without looking.
void FunctionWriter::writeWorkspace() {
  func::FuncOp function = beginHost("workspace");
  Emitter emitter(b);
  bindSizes(emitter, function.getArgument(0));
  bindScalars(emitter);
  constexpr int64_t kMost = int64_t(1) << 61;
  Value total = b.index(0), fits = b.boolean(true);
  auto require = [&](Value value, Value most) {
    fits = b.logicalAnd(fits, b.compare(Builder::Predicate::sle, value, most));
  };
  for (auto workspace : program.getBody().getOps<tile::WorkspaceOp>()) {
    Value bytes =
        b.index(Builder::bytesOf(workspace.getType().getElementType()));
    for (Value size : workspace.getSizes()) {
      Value extent = extentOf(emitter, size);
      Value divisor = b.max(bytes, b.index(1));
      require(extent,
              arith::DivUIOp::create(b, b.loc, b.index(kMost), divisor));
      bytes = b.mul(bytes, extent);
    }
    total = b.add(total, b.mul(b.ceilDiv(bytes, 64), 64));
    require(total, b.index(kMost));
  }
  Value bytes = b.select(fits, total, b.index(-1));
  func::ReturnOp::create(b, b.loc, b.toI64(bytes));
}

LogicalResult emitFunctions(tile::ProgramOp program, const Target &target) {
  FunctionWriter writer(program);
  unsigned number = 0;
  for (auto grid : program.getBody().getOps<tile::GridOp>()) {
    writer.writeTasks(grid, number);
    if (failed(writer.writeKernel(grid, number, target)))
      return failure();
    ++number;
  }
  writer.writeScratch();
  writer.writeWorkspace();
  return success();
}

} // namespace attnc::ptx
