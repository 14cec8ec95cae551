//===- TileRows.h - Rows of the tiles of a product's block ------*- C++ -*-===//
//
// A block of a product of matrices may be computed tile by tile of its rows:
// its part of the operand along the lanes is loaded once, over the whole summed
// axis, and each tile makes complete sums from it. Schedule decides it,
// Lowering obeys (Side/LowerContract.cpp).
// Tests: test/Schedule/Cpu/tile-rows.mlir, test/Lowering/Side/tile-rows.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_TILEROWS_H
#define ATTNC_DIALECT_ATTN_TILEROWS_H

#include "attnc/Dialect/Attn/Attn.h"

#include <string>

namespace attnc::attn {

/// Decision: the rows of a tile of a product with form dot. It applies to the
/// op's attn.block, not to the blocks of its cases.
inline constexpr llvm::StringLiteral kTileRows = "attn.tile_rows";

/// The rows of a tile, or nothing: a block is one tile.
std::optional<int64_t> tileRowsOf(ContractOp op);

/// The size of the only summed axis if it is fixed, or nothing.
std::optional<int64_t> fixedSumOf(ContractOp op);

/// Why a product cannot have its tile rows; else an empty text.
std::string findTileRowsProblem(ContractOp op);

} // namespace attnc::attn

#endif // ATTNC_DIALECT_ATTN_TILEROWS_H
