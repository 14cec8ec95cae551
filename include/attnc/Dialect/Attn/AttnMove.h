//===- AttnMove.h - Pieces of tensors, and rows added to them ---*- C++ -*-===//
//
// The ops attn.slice, attn.concat and attn.append (AttnMove.td). They compute
// nothing: elements lie elsewhere, or go elsewhere, as they are. And attn.scan,
// which adds up what lies along an axis.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_ATTNMOVE_H
#define ATTNC_DIALECT_ATTN_ATTNMOVE_H

#include "attnc/Dialect/Attn/Attn.h"

#define GET_OP_CLASSES
#include "attnc/Dialect/Attn/AttnMove.h.inc"

#endif // ATTNC_DIALECT_ATTN_ATTNMOVE_H
