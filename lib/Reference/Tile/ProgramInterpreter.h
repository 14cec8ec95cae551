//===- ProgramInterpreter.h - Runs tile programs ----------------*- C++ -*-===//
//
// State and structure (grids, loops, phases) are in ProgramInterpreter.cpp, the
// ops on tiles in TileOps.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_REFERENCE_TILE_PROGRAMINTERPRETER_H
#define ATTNC_LIB_REFERENCE_TILE_PROGRAMINTERPRETER_H

#include "Tensor/Space.h"

#include "attnc/Dialect/Tile/Tile.h"
#include "attnc/Reference/Interpreter.h"

namespace attnc::reference {

template <typename Real> class ProgramInterpreter {
public:
  explicit ProgramInterpreter(Arithmetic arithmetic) : arithmetic(arithmetic) {}

  mlir::LogicalResult run(tile::ProgramOp program,
                          llvm::MutableArrayRef<Tensor> tensors,
                          llvm::ArrayRef<bool> present,
                          llvm::ArrayRef<int64_t> sizes);

private:
  using Tile = Array<Real>;

  mlir::LogicalResult runBlock(mlir::Block &block);
  mlir::LogicalResult runOp(mlir::Operation &op);
  mlir::LogicalResult run(tile::GridOp op);
  mlir::LogicalResult run(tile::ForOp op);
  mlir::LogicalResult run(tile::PhaseOp op);
  mlir::LogicalResult runIf(mlir::Operation &op);
  mlir::LogicalResult runPasses(mlir::Operation &op);
  mlir::LogicalResult run(tile::WorkspaceOp op);
  mlir::LogicalResult run(tile::RenameOp op);
  mlir::LogicalResult run(tile::LoadOp op);
  mlir::LogicalResult run(tile::LocateOp op);
  /// Where a load finds an element of its tile; -1 outside of the buffer, -2 on
  /// a page that there is not.
  int64_t placeOf(tile::LoadOp op, const Tile &buffer,
                  mlir::ArrayRef<int64_t> starts, const Space &space,
                  mlir::ArrayRef<int64_t> index);
  mlir::LogicalResult run(tile::StoreOp op);
  mlir::LogicalResult run(tile::SplatOp op);
  mlir::LogicalResult run(tile::DotOp op);
  mlir::LogicalResult evaluateTerms(tile::DotOp op, const Space &space,
                                    std::vector<Real> &terms);
  mlir::LogicalResult run(tile::MapOp op);
  mlir::LogicalResult run(tile::SelectMaskedOp op);
  mlir::LogicalResult run(tile::ReduceOp op);
  mlir::LogicalResult run(tile::RescaleOp op);
  mlir::LogicalResult run(tile::SkewOp op);
  mlir::LogicalResult run(tile::AnyNanOp op);
  mlir::LogicalResult runTile(tile::ForOp op, int64_t start, int64_t count,
                              bool partial);
  mlir::FailureOr<int64_t> classOf(tile::ForOp op, int64_t from, int64_t to);
  mlir::LogicalResult runPieces(tile::ForOp op, int64_t from, int64_t to);

  /// Gives the results of `op` the values of the terminator of `block`.
  void forward(mlir::Operation *op, mlir::Block &block);
  void copy(mlir::Value from, mlir::Value to);
  int64_t integer(mlir::Value value);
  /// The memory behind renamings, under the names of `buf`.
  Tile &buffer(mlir::Value buf);
  Tile &tile(mlir::Value value);
  /// An empty tile of a type, rounded and stored by define.
  Tile makeTile(mlir::Value value);
  void define(mlir::Value result, Tile value);
  static Space spaceOf(const Tile &tile);
  /// Below the valid extents along `names`, else true.
  RegionEvaluator<Real> evaluator();
  mlir::FailureOr<Column<Real>>
  runOwn(mlir::Operation *op, llvm::ArrayRef<const Column<Real> *> operands);
  /// The elements of a region over `space` (map and select_masked).
  mlir::FailureOr<Tile> runRegion(mlir::Block &block, mlir::Value like,
                                  bool isReal, mlir::ValueRange inputs,
                                  mlir::ValueRange at, mlir::ArrayAttr dims);

  Arithmetic arithmetic;
  llvm::DenseMap<mlir::Value, Tile> tiles, buffers;
  llvm::DenseMap<mlir::Value, Column<Real>> scalars;
  llvm::DenseMap<mlir::Value, bool> presence;
  llvm::DenseMap<mlir::Value, mlir::Value> renamed;
};

} // namespace attnc::reference

#endif // ATTNC_LIB_REFERENCE_TILE_PROGRAMINTERPRETER_H
