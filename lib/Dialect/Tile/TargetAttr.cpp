//===- TargetAttr.cpp - The targets of programs ---------------------------===//
//
// Tests: test/Dialect/Tile/target.mlir, target-invalid.mlir, invalid.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/Dialect/Tile/Tile.h"

using namespace mlir;
using namespace attnc::tile;

#include "attnc/Dialect/Tile/TileAttrInterfaces.cpp.inc"

ParseResult attnc::tile::parseTarget(AsmParser &parser,
                                     TargetAttrInterface &target) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute attribute;
  if (parser.parseAttribute(attribute))
    return failure();
  target = dyn_cast<TargetAttrInterface>(attribute);
  if (target)
    return success();
  return parser.emitError(loc)
         << "expected the target of a backend, such as #tile.cpu<...>, got "
         << attribute;
}

void attnc::tile::printTarget(AsmPrinter &printer, TargetAttrInterface target) {
  printer << Attribute(target);
}

//===----------------------------------------------------------------------===//
// #tile.cpu
//===----------------------------------------------------------------------===//

LogicalResult CpuAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              CpuIsa isa, CpuMapping mapping, int64_t lanes,
                              ArrayRef<int64_t> scoreGranule,
                              ArrayRef<int64_t> valueGranule, int64_t unroll,
                              int64_t tail, bool, CpuPack, int64_t partial,
                              int64_t featureRows, CpuUnit unit,
                              int64_t terms) {
  if (lanes < 1 || lanes > 64 || !llvm::isPowerOf2_64(lanes)) // cpu_c1
    return emitError() << "lanes must be a power of two from 1 to 64, got "
                       << lanes;
  auto isGranule = [](ArrayRef<int64_t> granule) {
    return granule.size() == 2 &&
           llvm::all_of(granule, [](int64_t n) { return n >= 1 && n <= 32; });
  };
  if (!isGranule(scoreGranule) || !isGranule(valueGranule)) // cpu_c2
    return emitError() << (isGranule(scoreGranule) ? "value" : "score")
                       << "_granule must have two entries of 1 to 32, "
                          "[rows, vectors of queries]";
  if (unroll < 1 || unroll > 64) // cpu_c3
    return emitError() << "unroll must be 1 to 64, got " << unroll;
  if (tail < 0 || tail % lanes != 0) // cpu_c4
    return emitError() << "tail must be 0 or a multiple of lanes (" << lanes
                       << "), got " << tail;
  if (partial < 1) // cpu_c5
    return emitError() << "partial must be at least 1, got " << partial;
  bool hasUnit =
      isa == CpuIsa::Avx512 || (unit == CpuUnit::Dot && isa == CpuIsa::Avx2);
  if (unit != CpuUnit::Fma && !hasUnit) // cpu_c8
    return emitError() << "unit = " << stringifyCpuUnit(unit)
                       << " requires isa = avx512"
                       << (unit == CpuUnit::Dot ? " or avx2" : "") << ", got "
                       << stringifyCpuIsa(isa);
  if (unit == CpuUnit::Matrix && lanes != 16) // cpu_c9
    return emitError() << "unit = matrix requires lanes = 16, got " << lanes;
  constexpr int64_t mostTerms = 2; // two bf16 have the 11 bits of an f16
  if (terms < 1 || terms > mostTerms ||
      (terms > 1 && unit != CpuUnit::Matrix)) // cpu_c10
    return emitError() << "bf16_terms must be 1, or " << mostTerms
                       << " with unit = matrix, got " << terms;
  if (mapping != CpuMapping::Features) { // cpu_c7
    if (featureRows != 0)
      return emitError() << "feature_rows must be 0 unless mapping = features, "
                            "got "
                         << featureRows;
    return success();
  }
  int64_t most = std::min<int64_t>(lanes, 8);
  if (featureRows < 1 || featureRows > most ||
      !llvm::isPowerOf2_64(featureRows)) // cpu_c7
    return emitError() << "feature_rows must be a power of two from 1 to "
                       << most << " with mapping = features, got "
                       << featureRows;
  return success();
}

/// A grid may have lanes and granules of its own, but runs on the same
/// processor as the program.
LogicalResult CpuAttr::verifyHolder(Operation *holder) const {
  auto program = dyn_cast_or_null<ProgramOp>(holder->getParentOp());
  auto other = program ? dyn_cast<CpuAttr>(program.getTarget()) : CpuAttr();
  if (!isa<GridOp>(holder) || !other || other.getIsa() == getIsa()) // cpu_c6
    return success();
  return holder->emitOpError("has isa = ")
         << stringifyCpuIsa(getIsa()) << " in a program for "
         << stringifyCpuIsa(other.getIsa());
}

//===----------------------------------------------------------------------===//
// #tile.nvptx
//===----------------------------------------------------------------------===//

LogicalResult NvptxAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                NvptxArch arch, NvptxMapping mapping,
                                int64_t warps, int64_t rows, int64_t stages,
                                bool, bool sharedRows, bool overlap,
                                bool producers, bool pingPong, bool tf32,
                                NvptxLoads loads) {
  bool isThread = mapping == NvptxMapping::Thread;
  bool isWarpgroup = mapping == NvptxMapping::Warpgroup;
  if (warps < 1 || warps > 32 || (isWarpgroup && warps % 4 != 0)) // nvptx_c1
    return emitError() << "warps must be "
                       << (isWarpgroup ? "a multiple of 4 up to 32 with "
                                         "mapping = warpgroup"
                                       : "1 to 32")
                       << ", got " << warps;
  int64_t only = isThread ? 32 : isWarpgroup ? 16 : 0;
  if (rows < 16 || rows > 128 || rows % 16 != 0 ||
      (only && rows != only)) // nvptx_c2
    return emitError() << "rows must be "
                       << (only ? std::to_string(only)
                                : "a multiple of 16 up to 128")
                       << " with mapping = " << stringifyNvptxMapping(mapping)
                       << ", got " << rows;
  if (stages < 1 || stages > 8) // nvptx_c3
    return emitError() << "stages must be 1 to 8, got " << stages;
  if (isWarpgroup && arch != NvptxArch::Sm90a) // nvptx_c5
    return emitError() << "mapping = warpgroup needs arch = sm_90a, got "
                       << stringifyNvptxArch(arch);
  if (sharedRows && isThread) // nvptx_c6
    return emitError() << "shared_rows needs mapping = fragment or warpgroup, "
                          "got mapping = thread";
  if ((overlap || producers) && !isWarpgroup) // nvptx_c6, c8
    return emitError() << (overlap ? "overlap" : "producers")
                       << " needs mapping = warpgroup, got mapping = "
                       << stringifyNvptxMapping(mapping);
  if (overlap && stages < 2) // nvptx_c7
    return emitError() << "overlap needs stages of 2 or more, got " << stages;
  if (producers && (stages < 2 || warps > 28)) // nvptx_c8
    return emitError() << "producers needs stages of 2 or more and at most 28 "
                          "warps besides them, got stages = "
                       << stages << " and warps = " << warps;
  if (pingPong && (!producers || !overlap || warps < 8)) // nvptx_c9
    return emitError() << "ping_pong needs producers, overlap and at least 8 "
                          "warps, got producers = "
                       << (producers ? "true" : "false")
                       << ", overlap = " << (overlap ? "true" : "false")
                       << " and warps = " << warps;
  if (loads == NvptxLoads::Tma && !producers) // nvptx_c10
    return emitError() << "loads = tma needs producers, got producers = false";
  if (tf32 && mapping != NvptxMapping::Fragment) // nvptx_c11
    return emitError() << "tf32 needs mapping = fragment, got mapping = "
                       << stringifyNvptxMapping(mapping);
  return success();
}

NvptxAttr NvptxAttr::withLoads(NvptxLoads loads) const {
  return get(getContext(), getArch(), getMapping(), getWarps(), getRows(),
             getStages(), getFastExp(), getSharedRows(), getOverlap(),
             getProducers(), getPingPong(), getTf32(), loads);
}

/// Up to eight thread blocks on each of some 130 multiprocessors.
int64_t NvptxAttr::getMostInstances() const { return 1024; }

TargetAttrInterface NvptxAttr::getMergeTarget(int64_t features) const {
  constexpr int64_t lanes = 32, mostWarps = 32;
  int64_t warps = (features + lanes - 1) / lanes;
  if (warps > mostWarps)
    return {};
  return NvptxAttr::get(getContext(), getArch(), NvptxMapping::Thread, warps,
                        /*rows=*/lanes, /*stages=*/1, getFastExp(),
                        /*sharedRows=*/false, /*overlap=*/false,
                        /*producers=*/false, /*pingPong=*/false,
                        /*tf32=*/false, NvptxLoads::Async);
}

/// A grid may have warps of its own, but runs on the same GPU as the program.
LogicalResult NvptxAttr::verifyHolder(Operation *holder) const {
  auto program = dyn_cast_or_null<ProgramOp>(holder->getParentOp());
  auto other = program ? dyn_cast<NvptxAttr>(program.getTarget()) : NvptxAttr();
  if (!isa<GridOp>(holder) || !other ||
      other.getArch() == getArch()) // nvptx_c4
    return success();
  return holder->emitOpError("has arch = ")
         << stringifyNvptxArch(getArch()) << " in a program for "
         << stringifyNvptxArch(other.getArch());
}
