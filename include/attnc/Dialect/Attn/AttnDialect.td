//===- AttnDialect.td - Attention as operations on tensors ----------------===//
//
// Attention before any decision on how to compute it. The stages graph, fused
// and scheduled consist of these ops. Tests: test/Dialect/Attn/
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_ATTNDIALECT_TD
#define ATTNC_DIALECT_ATTN_ATTNDIALECT_TD

include "mlir/IR/DialectBase.td"

def Attn_Dialect : Dialect {
  let name = "attn";
  let cppNamespace = "::attnc::attn";
  let summary = "Attention on tensors: contractions, maps, masks, normalizers";
  let description = [{
    Values are tensors whose axes carry the names of their sizes
    (`#attn.dims`). Formulas are regions of scalar `arith` and `math` ops over
    absolute positions, so a new score or mask needs no new op.

    Scalars in every region: a float is `f32` (`f64` if a tensor of the op is
    `f64`: the accumulate type), an integer is `index`, a boolean is `i1`.
    A region uses its own values and, through `attn.read`, tensors from
    outside; its ops are pure ops of `arith` and `math`, `attn.size` and
    `attn.read`.

    Letters of axes: b batch, h key/value head, g query head inside its group
    (query head = h * group + g), q query row, k key, d feature, e value
    feature. Any letter may be used; import uses these.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

#endif // ATTNC_DIALECT_ATTN_ATTNDIALECT_TD
