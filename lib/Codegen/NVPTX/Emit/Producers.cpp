//===- Producers.cpp - Warps that copy for the others ---------------------===//
//
// With `producers` four more warps copy the tiles of keys and values, and the
// others, the consumers, do all else, so that these never wait for each other
// in a loop over tiles:
//
//   if a consumer {                    else {
//     more registers                     fewer registers
//     all of the grid's code             scalars, and of the loops
//       for each tile {                    for each tile {
//         wait until K is full               wait until K is empty
//         S = Q K                            copy K; K is full
//         K is empty                         wait until V is empty
//         wait until V is full               copy V; V is full
//         O += P V                         }
//         V is empty                   }
//       }
//   }
//
// Each load has a ring of `stages` buffers with two mbarriers each. A thread
// counts a ring's tiles in variables: the stage, and the phase, which changes
// after the last stage. The warps of the producers share the loads of a loop,
// so that a load waits for no other. What else the consumers have in shared
// memory is theirs, and their barrier is one of consumers alone.
//
// Producers have no values of tiles. A loop below a condition that comes from a
// tile, such as the second sum after a NaN, is one of the consumers alone.
// With `loads = tma` a producer is one thread, which only starts copies
// (TensorMaps.cpp).
// Tests: test/Codegen/NVPTX/producers.mlir
//
//===----------------------------------------------------------------------===//

#include "Emit/Emitter.h"

#include "attnc/Interface/Remark.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace attnc::ptx {

using Predicate = arith::CmpIPredicate;

static constexpr int64_t kBarrierBytes = 8, kWarp = 32;
static constexpr size_t kProducerWarps =
    tile::NvptxAttr::kProducerThreads / kWarp;

//===----------------------------------------------------------------------===//
// What producers copy
//===----------------------------------------------------------------------===//

/// Whether no scalar comes from a tile.
static bool areOfScalars(SmallVector<Value> values) {
  llvm::DenseSet<Value> seen;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (!seen.insert(value).second || isa<tile::BufType>(value.getType()))
      continue;
    if (isa<tile::TileType>(value.getType()))
      return false;
    Operation *op = value.getDefiningOp();
    if (op && op->getNumRegions() > 0)
      return false;
    if (op)
      llvm::append_range(values, op->getOperands());
    else if (auto loop =
                 dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp());
             loop && value != loop.getInductionVar())
      return false;
  }
  return true;
}

/// Whether producers can follow the loop: neither its own bounds nor what is
/// around it depends on tiles.
static bool isOfScalars(tile::ForOp loop, ArrayRef<tile::LoadOp> loads) {
  SmallVector<Value> values(loop.getBounds());
  for (Operation *op = loop->getParentOp(); !isa<tile::GridOp>(op);
       op = op->getParentOp()) {
    if (auto passes = dyn_cast<scf::ForOp>(op))
      values.append(
          {passes.getLowerBound(), passes.getUpperBound(), passes.getStep()});
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      values.push_back(branch.getCondition());
    else
      return false;
  }
  llvm::SetVector<Value> classified;
  getUsedValuesDefinedAbove(loop.getClassify(), classified);
  llvm::append_range(values, classified);
  mlir::Block *body = &loop.getBody().front();
  auto addOutside = [&](Operation *op) {
    llvm::copy_if(op->getOperands(), std::back_inserter(values),
                  [&](Value value) { return value.getParentBlock() != body; });
  };
  for (tile::LoadOp load : loads) {
    addOutside(load);
    auto place = findPlace(loop, load);
    llvm::for_each(*place, addOutside);
  }
  return areOfScalars(std::move(values));
}

/// The last op of the body that reads the tile, or a mask of it, which has the
/// same buffer where no tile is partial.
static Operation *findLastReader(mlir::Block &body, Value tile) {
  Operation *last = tile.getDefiningOp();
  for (Operation *user : tile.getUsers()) {
    Operation *reader = body.findAncestorOpInBlock(*user);
    if (auto select = dyn_cast<tile::SelectMaskedOp>(user))
      reader = findLastReader(body, select);
    if (last->isBeforeInBlock(reader))
      last = reader;
  }
  return last;
}

void Emitter::planStreams(mlir::Block &body) {
  body.walk([&](tile::ForOp loop) {
    SmallVector<tile::LoadOp> loads = findAhead(loop);
    if (loads.empty() || !isOfScalars(loop, loads))
      return;
    planStream(loop, loads);
    roles = std::clamp<size_t>(loads.size(), roles, kProducerWarps);
  });
}

void Emitter::planStream(tile::ForOp loop, ArrayRef<tile::LoadOp> loads) {
  int64_t stages = layout.getTarget().getStages();
  auto allocateBarriers = [&] {
    int64_t offset = shared;
    shared += stages * kBarrierBytes;
    mostShared = std::max(mostShared, shared);
    return offset;
  };
  auto makeVariable = [&]() -> Value {
    Value variable = LLVM::AllocaOp::create(b, b.loc, b.pointer(Space::Generic),
                                            b.getI32Type(), b.i32(1));
    LLVM::StoreOp::create(b, b.loc, b.i32(0), variable);
    return variable;
  };
  for (auto [i, op] : llvm::enumerate(loads)) {
    tile::LoadOp load = op;
    bool isReadByThreads = llvm::any_of(load->getUsers(), [&](Operation *op) {
      auto dot = dyn_cast<tile::DotOp>(op);
      return !dot || !usesWarpgroups(dot, layout);
    });
    int64_t full = allocateBarriers(), empty = allocateBarriers();
    streams[loop].rings.push_back(
        {load, findLastReader(loop.getBody().front(), load), isReadByThreads,
         i % kProducerWarps, full, empty, makeVariable(), makeVariable()});
  }
}

/// Roles share the warps. To start copies of boxes, one warp of each suffices.
static int64_t firstWarpOf(size_t role, size_t roles) {
  return int64_t(role * kProducerWarps / roles);
}
int64_t Emitter::countRoleThreads(size_t own) const {
  if (!maps.empty())
    return kWarp;
  return kWarp * (firstWarpOf(own + 1, roles) - firstWarpOf(own, roles));
}

void Emitter::initializeBarriers() {
  int64_t stages = layout.getTarget().getStages();
  b.branch(b.compare(Predicate::eq, thread, 0), [&] {
    for (auto &[loop, made] : streams)
      for (const Ring &ring : made.rings)
        for (int64_t stage = 0; stage < stages; ++stage)
          for (auto [first, arrivals] :
               {std::pair(ring.full,
                          ring.map ? 1 : countRoleThreads(ring.role)),
                std::pair(ring.empty, layout.getTarget().getWarps())})
            b.intrinsic("mbarrier.init.shared",
                        {sharedPointer(first + stage * kBarrierBytes),
                         b.i32(arrivals)});
    b.intrinsic("fence.mbarrier_init.release.cluster", {});
    for (Value map : mapParameters) // the first copies wait for them
      b.intrinsic("prefetch.tensormap", map);
  });
  b.barrier();
}

/// The scalars that bounds of loops over tiles come from, before roles part:
/// the code is there once, and producers have few registers for it.
void Emitter::emitBounds(mlir::Block &body) {
  SetVector<Value> wanted;
  for (auto &[loop, made] : streams)
    if (loop->getBlock() == &body)
      wanted.insert_range(cast<tile::ForOp>(loop).getBounds());
  SmallVector<Value> bounds(wanted.getArrayRef());
  llvm::DenseSet<Operation *> sources;
  while (!wanted.empty()) {
    Operation *op = wanted.pop_back_val().getDefiningOp();
    assert((!op || op->getBlock() != &body || op->getNumRegions() == 0) &&
           "areOfScalars() leaves no bounds that come from regions");
    if (op && op->getBlock() == &body && sources.insert(op).second)
      wanted.insert_range(op->getOperands());
  }
  for (Operation &op : body)
    if (sources.contains(&op)) {
      emitScalar(&op);
      ahead.insert(&op);
    }
  for (Value bound : bounds)
    if (bound.getParentBlock() == &body)
      scalars.map(bound, b.toIndex(narrowBound(lookup(bound))));
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// Whether producers search tables, to classify the tiles of a loop.
static bool
searchesTables(const llvm::MapVector<Operation *, Stream> &streams) {
  return llvm::any_of(llvm::make_first_range(streams), [](Operation *loop) {
    WalkResult search =
        cast<tile::ForOp>(loop).getClassify().walk([](Operation *op) {
          return isa<tile::TableMinOp, tile::TableMaxOp>(op)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        });
    return search.wasInterrupted();
  });
}

void Emitter::emitGrid(mlir::Block &body, int64_t registers) {
  tile::NvptxAttr target = layout.getTarget();
  if (!target.getProducers())
    return emitBlock(body);
  planStreams(body);
  emitBounds(body);
  if (target.getLoads() == tile::NvptxLoads::Tma && canUseMaps()) {
    addMaps();
  } else {
    if (target.getLoads() == tile::NvptxLoads::Tma && !streams.empty())
      remarkOn(body.getParentOp())
          << "tiles are loaded by cp.async, not TMA: they are no boxes of a "
             "tensor [schedule]";
    target = target.withLoads(tile::NvptxLoads::Async);
  }
  initializeBarriers();
  bool movesRegisters = target.movesRegisters() && !streams.empty();
  int64_t ofProducer = target.getProducerRegisters();
  if (searchesTables(streams)) // else ptxas spills 80 bytes of them
    ofProducer = std::max(ofProducer, tile::NvptxAttr::kSearchRegisters);
  IRMapping entry = scalars;
  auto consume = [&] {
    if (movesRegisters)
      b.intrinsic("setmaxnreg.inc.sync.aligned.u32",
                  b.i32(target.getThreadRegisters(registers, ofProducer)));
    b.barrierThreads = threads;
    emitBlock(body);
    b.barrierThreads = 0;
  };
  auto produce = [&] {
    if (movesRegisters)
      b.intrinsic("setmaxnreg.dec.sync.aligned.u32", b.i32(ofProducer));
    scalars = std::move(entry);
    emitProducers(body);
  };
  b.branch(b.compare(Predicate::slt, thread, threads), consume, produce);
}

/// Each role follows the whole grid, so that it has registers for its own loads
/// alone.
void Emitter::emitProducers(mlir::Block &body) {
  IRMapping entry = scalars;
  Value number = thread;
  int64_t first = threads;
  for (role = 0; role < roles; ++*role) {
    scalars = entry;
    threads = countRoleThreads(*role);
    thread = b.remainder(number, threads); // warps of a role are aligned
    b.branch(b.logicalAnd(b.compare(Predicate::sge, number, first),
                          b.compare(Predicate::slt, number, first + threads)),
             [&] { emitBlock(body); });
    first += threads;
  }
  role.reset();
}

/// Loops over tiles, what is around them, and the scalars that come from no
/// tile.
void Emitter::emitAsProducer(Operation *op) {
  auto isProduced = [&](tile::ForOp loop) { return streams.contains(loop); };
  bool hasStream = false;
  op->walk([&](tile::ForOp loop) { hasStream |= isProduced(loop); });
  if (auto loop = dyn_cast<tile::ForOp>(op)) {
    if (hasStream)
      emitFor(loop);
  } else if (auto passes = dyn_cast<scf::ForOp>(op)) {
    if (hasStream)
      b.loop(lookup(passes.getLowerBound()), lookup(passes.getUpperBound()),
             lookup(passes.getStep()), [&](Value number) {
               scalars.map(passes.getInductionVar(), number);
               emitBlock(*passes.getBody());
             });
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    auto emitElse = [&] { emitBlock(branch.getElseRegion().front()); };
    if (hasStream)
      b.branch(
          lookup(branch.getCondition()),
          [&] { emitBlock(branch.getThenRegion().front()); },
          branch.getElseRegion().empty() ? Builder::Body() : emitElse);
  } else {
    auto isKnown = [&](Value value) {
      return isa<tile::BufType>(value.getType()) || scalars.contains(value);
    };
    if (llvm::all_of(op->getOperands(), isKnown) &&
        llvm::none_of(op->getResultTypes(), llvm::IsaPred<tile::TileType>))
      emitScalar(op);
  }
}

/// The first tile of a loop waits for all code that used its memory before,
/// which is done where the consumers are here.
void Emitter::enterStream(tile::ForOp loop) {
  auto *found = streams.find(loop);
  stream = found == streams.end() ? nullptr : &found->second;
  if (!stream)
    return;
  if (!role) {
    stream->isReused =
        shared < mostShared || loop->getParentOfType<scf::ForOp>();
    for (Ring &ring : stream->rings) {
      ring.buffer =
          allocate(layout.makeShared(Value(ring.load), innerOf(ring.load)));
      shared += (layout.getTarget().getStages() - 1) * ring.buffer.bytes();
      mostShared = std::max(mostShared, shared);
    }
  }
  if (!stream->isReused)
    return;
  if (maps.empty())
    return b.intrinsic("barrier.cta.sync.aligned.all", b.i32(0));
  // Accesses before come before copies of boxes. Warps without a role are gone.
  if (role)
    b.intrinsic("bar.warp.sync", b.i32(-1));
  else
    b.assembly("fence.proxy.async.shared::cta;", "~{memory}", {}, {});
  b.intrinsic(
      "barrier.cta.sync.aligned.count",
      {b.i32(0), b.i32(layout.getTarget().getThreads() + kWarp * roles)});
}

/// The tiles of emitPart in one loop, which takes few registers.
void Emitter::producePart(tile::ForOp loop, const Part &part) {
  int64_t step = loop.getStep();
  int64_t piece = loop.hasClassify() ? step : loop.getPartialStep();
  // Of 32 bits, as everything here. Bounds from tables may be so far apart the
  // wrong way around that their difference has more.
  Value high = b.max(part.high, part.low);
  Value last = b.sub(b.sub(high, part.low), b.i32(1));
  Value pieces = b.max(b.add(b.floorDiv(last, piece), 1), b.i32(0));
  Value lowOfAll =
      b.sub(part.low, b.mul(part.full, piece)); // were all tiles pieces
  Value end = b.add(part.full, pieces);
  b.loop(b.i32(0), end, b.i32(1), [&](Value number) {
    Value isFull = b.compare(Predicate::slt, number, part.full);
    Value first =
        b.add(b.select(isFull, part.first, lowOfAll),
              b.mul(number, b.select(isFull, b.i32(step), b.i32(piece))));
    Value count = b.min(b.sub(part.high, first), b.i32(piece));
    count = b.toIndex(b.select(isFull, b.i32(step), count));
    first = b.toIndex(first);
    if (!loop.hasClassify())
      return produceTile(loop, first, count);
    Value isWanted = b.choose(
        b.getI1Type(), isFull,
        [&] { return SmallVector<Value>{b.boolean(true)}; },
        [&] {
          Value found = emitClass(loop, first, b.add(first, count));
          return SmallVector<Value>{b.compare(Predicate::ne, found, 0)};
        })[0];
    b.branch(isWanted, [&] { produceTile(loop, first, count); });
  });
}

/// Copies are visible to wgmma after a fence of the threads that waited for
/// them.
void Emitter::produceTile(tile::ForOp loop, Value first, Value count) {
  scalars.map(loop.getKeyStart(), first);
  scalars.map(loop.getKeyCount(), count);
  for (Ring &ring : stream->rings) {
    if (ring.role != role)
      continue;
    emitPlace(loop, ring.load);
    Value phase = LLVM::LoadOp::create(b, b.loc, b.getI32Type(), ring.phase);
    waitFor(barrierOf(ring, ring.empty),
            arith::XOrIOp::create(b, b.loc, phase, b.i32(1)));
    if (ring.map) {
      b.branch(b.compare(Predicate::eq, lane, 0), [&] { copyPanels(ring); });
    } else {
      copy(ring.load, bufferOf(ring));
      b.intrinsic("cp.async.wait.all", {});
      b.assembly("fence.proxy.async.shared::cta;", "~{memory}", {}, {});
      arriveAt(barrierOf(ring, ring.full));
    }
    advance(ring);
  }
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

Ring *Emitter::ringOf(Operation *load) {
  if (stream)
    for (Ring &ring : stream->rings)
      if (ring.load == load)
        return &ring;
  return nullptr;
}

SharedTile Emitter::bufferOf(const Ring &ring) {
  Value stage = LLVM::LoadOp::create(b, b.loc, b.getI32Type(), ring.stage);
  SharedTile made = ring.buffer;
  made.stage = b.mul(b.toIndex(stage), made.bytes());
  return made;
}

Value Emitter::barrierOf(const Ring &ring, int64_t barriers) {
  Value stage = LLVM::LoadOp::create(b, b.loc, b.getI32Type(), ring.stage);
  return b.address(sharedPointer(barriers), b.getI64Type(), b.toIndex(stage));
}

static constexpr StringLiteral kWait =
    "{\n.reg .pred p;\n"
    "WAIT:\n"
    "mbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1;\n"
    "@p bra DONE;\n"
    "bra WAIT;\n"
    "DONE:\n}";

/// Waits for the end of a phase of an mbarrier, of the parity of `phase`.
void Emitter::waitFor(Value barrier, Value phase) {
  Value address = LLVM::PtrToIntOp::create(b, b.loc, b.getI32Type(), barrier);
  b.assembly(kWait, "r,r,~{memory}", {}, {address, phase});
}

void Emitter::arriveAt(Value barrier) {
  b.intrinsic("mbarrier.arrive.shared", b.getI64Type(), barrier);
}

void Emitter::waitFull(const Ring &ring) {
  waitFor(barrierOf(ring, ring.full),
          LLVM::LoadOp::create(b, b.loc, b.getI32Type(), ring.phase));
}

void Emitter::advance(const Ring &ring) {
  Type i32 = b.getI32Type();
  Value stage = LLVM::LoadOp::create(b, b.loc, i32, ring.stage);
  Value phase = LLVM::LoadOp::create(b, b.loc, i32, ring.phase);
  Value next = b.add(stage, b.i32(1));
  Value isEnd =
      b.compare(Predicate::eq, next, b.i32(layout.getTarget().getStages()));
  LLVM::StoreOp::create(b, b.loc, b.select(isEnd, b.i32(0), next), ring.stage);
  LLVM::StoreOp::create(
      b, b.loc, arith::XOrIOp::create(b, b.loc, phase, b.cast(i32, isEnd)),
      ring.phase);
}

/// Lets the producers write where the tile was: one arrival of each warp. A
/// wgmma that a warp waited for has read its operands; ordinary reads of other
/// threads end at the warp's barrier.
void Emitter::release(Ring &ring) {
  if (ring.isReadByThreads && ring.map)
    b.assembly("fence.proxy.async.shared::cta;", "~{memory}", {}, {});
  if (ring.isReadByThreads)
    b.intrinsic("bar.warp.sync", b.i32(-1));
  b.branch(b.compare(Predicate::eq, lane, 0),
           [&] { arriveAt(barrierOf(ring, ring.empty)); });
  advance(ring);
}

/// Ends the use of tiles that no later op of the body reads.
void Emitter::releaseAfter(Operation *op) {
  if (!stream || role)
    return;
  for (Ring &ring : stream->rings)
    if (ring.lastReader == op && !(late && late->columns == ring.load))
      release(ring);
}

} // namespace attnc::ptx
