//===- Normaliser.h - How weights come from pairs ---------------*- C++ -*-===//

#ifndef ATTNC_LIB_IMPORT_FORMULA_NORMALISER_H
#define ATTNC_LIB_IMPORT_FORMULA_NORMALISER_H

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Spec/Spec.h"

namespace attnc::import {

/// A norm, the formula of the pairs that it normalises, and a term of the sum
/// without a key, or null.
struct Normaliser {
  attn::NormAttr norm;
  spec::ExprPtr pairs, init;
};

/// How the weights of a spec come from pairs: for x / (sum(x) + rest) by
/// dividing, with the rest as init; for softmax with the sink.
Normaliser findNormaliser(mlir::MLIRContext *context,
                          const spec::AttentionSpec &spec);

} // namespace attnc::import

#endif // ATTNC_LIB_IMPORT_FORMULA_NORMALISER_H
