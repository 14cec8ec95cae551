//===- AttnAttrs.td - Attributes of the attn dialect ----------------------===//
//
// Tests: test/Dialect/Attn/attributes.mlir, attributes-invalid.mlir
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_ATTNATTRS_TD
#define ATTNC_DIALECT_ATTN_ATTNATTRS_TD

include "attnc/Dialect/Attn/AttnDialect.td"
include "attnc/Dialect/Attn/AttnEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"

class Attn_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Attn_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Attn_DimsAttr : Attn_Attr<"Dims", "dims", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "named sizes of a tensor";
  let description = [{
    One size per axis: a number, the name of a size of the function's
    interface, or an integer expression of such names in quotes. It is the
    encoding of a ranked tensor.

    Constraints:
    - (dims_c1) a size is a number >= 0 or a text that is not empty;
    - (dims_c2) there is one size per axis of the tensor;
    - (dims_c3) a number agrees with the static extent of its axis. (A name
      may stand on a static axis: upstream folds make axes static and keep the
      encoding.)

    Example:
    ```mlir
    func.func private @f(
        tensor<?x12x?x64xf32, #attn.dims<batch, 12, query_len, 64>>,
        tensor<?xi32, #attn.dims<"batch + 1">>)
    ```
  }];
  // StringAttr (a name or an expression) or IntegerAttr (i64).
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$sizes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The name or expression of an axis, or an empty string where the size is
    /// a number.
    ::llvm::StringRef getName(unsigned axis) const;
    /// The dims of a tensor type, or null.
    static DimsAttr of(::mlir::Type type);
  }];
}

def Attn_NormAttr : Attn_Attr<"Norm", "norm"> {
  let summary = "a normaliser of a row of scores";
  let description = [{
    Over the allowed keys of a row: `shift` is subtracted from each score
    (`max`: the largest score, the row's init included), `weight` is applied
    (`exp2`: the scores are in the log2 domain), and the weights are divided
    (`sum`: by their sum, the init's weight included).

    Example:
    ```mlir
    "test.op"() {n = #attn.norm<shift = max, weight = exp, divide = sum>} : () -> ()
    ```
  }];
  let parameters = (ins EnumParameter<Attn_NormShift>:$shift,
                        EnumParameter<Attn_NormWeight>:$weight,
                        EnumParameter<Attn_NormDivide>:$divide);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// Softmax: shift = max, divide = sum, with this weight.
    static NormAttr softmax(::mlir::MLIRContext *context,
                            NormWeight weight = NormWeight::Exp);
  }];
}

def Attn_ScheduleAttr : Attn_Attr<"Schedule", "schedule"> {
  let summary = "how a kernel is computed, completely";
  let description = [{
    `form`: `online` walks over tiles of keys with a running maximum; `rows`
    holds all keys of a row in one tile, without one. `q`, `k`: rows and keys
    of a tile. `rescale_threshold`: the running maximum is replaced only when
    the new one exceeds it by more than this (units of the score; 0: always).
    `rescale_in`: the phase in which the accumulator is rescaled. `target`:
    the target's part, an attribute of the `tile` dialect.

    Constraints:
    - (schedule_c1) `q` and `k` are at least 1;
    - (schedule_c2) `rescale_threshold` is finite and not negative.

    Whether a schedule suits a kernel and a target is checked by
    `attn-verify-scheduled`.

    Example:
    ```mlir
    "test.op"() {s = #attn.schedule<form = online, q = 64, k = 64, rescale_threshold = 0.0, rescale_in = value, target = "any">} : () -> ()
    ```
  }];
  let parameters = (ins EnumParameter<Attn_ScheduleForm>:$form,
                        "int64_t":$q, "int64_t":$k,
                        APFloatParameter<"f64">:$rescaleThreshold,
                        EnumParameter<Attn_RescalePlace>:$rescaleIn,
                        "::mlir::Attribute":$target);
  let builders = [AttrBuilder<(ins "ScheduleForm":$form, "int64_t":$q,
                                   "int64_t":$k, "double":$rescaleThreshold,
                                   "RescalePlace":$rescaleIn,
                                   "::mlir::Attribute":$target), [{
    return $_get($_ctxt, form, q, k, ::llvm::APFloat(rescaleThreshold),
                 rescaleIn, target);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // ATTNC_DIALECT_ATTN_ATTNATTRS_TD
