//===- AttnOpBase.td - What the attn ops share ----------------------------===//

#ifndef ATTNC_DIALECT_ATTN_ATTNOPBASE_TD
#define ATTNC_DIALECT_ATTN_ATTNOPBASE_TD

include "attnc/Dialect/Attn/AttnAttrs.td"
include "attnc/Dialect/Attn/AttnDialect.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Attn_Real : AnyTypeOf<[F32, F64], "an accumulate type (f32 or f64)">;
def Attn_Scalar : AnyTypeOf<[F32, F64, Index, I1], "a scalar of a region (f32, f64, index or i1)">;
def Attn_RealTensor : RankedTensorOf<[F32, F64, F16, BF16]>;
def Attn_MaskTensor : RankedTensorOf<[I1]>;
def Attn_AnyTensor : RankedTensorOf<[F32, F64, F16, BF16, I64, I32, I8, UI8, I1]>;

class Attn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Attn_Dialect, mnemonic, !listconcat([Pure], traits)>;

// An op whose regions are formulas.
class Attn_FormulaOp<string mnemonic, list<Trait> traits = []>
    : Attn_Op<mnemonic, !listconcat([SingleBlock,
        DeclareOpInterfaceMethods<OpAsmOpInterface,
                                  ["getAsmBlockArgumentNames"]>], traits)> {
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif // ATTNC_DIALECT_ATTN_ATTNOPBASE_TD
