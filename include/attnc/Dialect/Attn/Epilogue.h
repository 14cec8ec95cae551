//===- Epilogue.h - Maps computed in the blocks of a product ----*- C++ -*-===//
//
// A map that reads a product at its own place, and is the only one who does,
// can be computed where the product's blocks are: what the product makes is
// never stored. So a bias, an activation and a residual cost no pass over
// memory. Schedule decides it (form = epilogue), Lowering obeys.
// Tests: test/Schedule/epilogues.mlir, test/Lowering/products.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_EPILOGUE_H
#define ATTNC_DIALECT_ATTN_EPILOGUE_H

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::attn {

/// The input of `map` in whose blocks it can be computed: made by a product of
/// form `dot` or by another epilogue, used here only, with the axes of the
/// result in some order, and computed in the same type. Of several the one that
/// is made last; nothing if there is none.
std::optional<unsigned> findHost(MapOp map);

/// The epilogue that reads what a product or an epilogue makes, or null.
MapOp findEpilogue(mlir::Value made);

} // namespace attnc::attn

#endif // ATTNC_DIALECT_ATTN_EPILOGUE_H
