//===- ViewPart.h - Views of tensors without some of the axes ---*- C++ -*-===//

#ifndef ATTNC_LIB_GRAPH_VIEWPART_H
#define ATTNC_LIB_GRAPH_VIEWPART_H

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::graph {

/// What `view` makes of `part`, which has some of the axes of its source, or
/// null where it would merge an axis that the part has with one that it lacks.
/// `whole` are letters for the axes of the view's source, `names` for those of
/// its result; `letters` are the part's axes in the former and become those of
/// the value returned in the latter.
mlir::Value viewPart(mlir::OpBuilder &b, attn::ViewOp view,
                     llvm::StringRef whole, mlir::Value part,
                     std::string &letters, llvm::StringRef names);

} // namespace attnc::graph

#endif // ATTNC_LIB_GRAPH_VIEWPART_H
