//===- Panels.h - Weights stored as a matrix unit reads them ----*- C++ -*-===//
//
// A matrix unit for bf16 reads the operand along the lanes of a product as
// pairs of neighbors along the sum. A matrix that is stored in panels has, for
// each block of lanes, its pairs one after the other: [lanes / n][sum /
// 2][n][2]. A view with attn.panels is the matrix itself:
//
//   %w = attn.view "nplc->(pc)(nl)" %panels {attn.panels}
//        : tensor<72x384x32x2xbf16> -> tensor<768x2304xbf16>
//
// The blocks of a product that reads it have n lanes and load a panel in place.
// Schedule decides it (lib/Schedule/Cpu/PackPanels.cpp), Lowering obeys
// (lib/Lowering/Plan/Storage.cpp).
// Tests: test/Schedule/Cpu/pack-panels.mlir, test/Lowering/Side/panels.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_PANELS_H
#define ATTNC_DIALECT_ATTN_PANELS_H

#include "attnc/Dialect/Attn/Attn.h"

#include <optional>
#include <string>

namespace attnc::attn {

/// Decision: blocks of products read the source of a view in panels.
inline constexpr llvm::StringLiteral kPanels = "attn.panels";

/// Elements along the sum that follow each other.
inline constexpr int64_t kPanelPair = 2;

/// The axes of a matrix in panels, and the lanes of a panel.
struct Panels {
  unsigned lanesAxis;
  int64_t width;
};

inline bool isPanelView(mlir::Operation *op) {
  return llvm::isa_and_present<ViewOp>(op) && op->hasAttr(kPanels);
}

/// The view with the attribute of which an operand consists, through other
/// views and slices; or null.
ViewOp findPanelView(mlir::Value operand);

/// The panels of a view with the attribute, or nothing if it has another form.
std::optional<Panels> panelsOf(ViewOp view);

/// The labels of such a view.
llvm::StringRef panelLabels(unsigned lanesAxis);

/// Why a view cannot have the attribute; else an empty text.
std::string findPanelsProblem(ViewOp view);

} // namespace attnc::attn

#endif // ATTNC_DIALECT_ATTN_PANELS_H
