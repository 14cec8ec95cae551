//===- AttnEnums.td - Words of the attn dialect's attributes --------------===//

#ifndef ATTNC_DIALECT_ATTN_ATTNENUMS_TD
#define ATTNC_DIALECT_ATTN_ATTNENUMS_TD

include "mlir/IR/EnumAttr.td"

class Attn_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::attnc::attn";
  let genSpecializedAttr = 0;
}

def Attn_NormShift : Attn_Enum<"NormShift", "what is subtracted from a score", [
  I32EnumAttrCase<"Max", 0, "max">,
  I32EnumAttrCase<"None", 1, "none">
]>;

def Attn_NormWeight : Attn_Enum<"NormWeight", "the weight of a shifted score", [
  I32EnumAttrCase<"Exp", 0, "exp">,
  I32EnumAttrCase<"Exp2", 1, "exp2">,
  I32EnumAttrCase<"Identity", 2, "identity">
]>;

def Attn_NormDivide : Attn_Enum<"NormDivide", "what weights are divided by", [
  I32EnumAttrCase<"Sum", 0, "sum">,
  I32EnumAttrCase<"None", 1, "none">
]>;

def Attn_RowKind : Attn_Enum<"RowKind", "what is found of a row of scores", [
  I32EnumAttrCase<"Sum", 0, "sum">,
  I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"Simplex", 2, "simplex">,
  I32EnumAttrCase<"Rank", 3, "rank">
]>;

def Attn_ScheduleForm : Attn_Enum<"ScheduleForm", "algorithm of a kernel", [
  I32EnumAttrCase<"Online", 0, "online">,
  I32EnumAttrCase<"Rows", 1, "rows">,
  I32EnumAttrCase<"Chunked", 2, "chunked">
]>;

def Attn_RowAxes : Attn_Enum<"RowAxes", "axes of the rows of a kernel's blocks", [
  I32EnumAttrCase<"Q", 0, "q">,
  I32EnumAttrCase<"GQ", 1, "gq">
]>;

def Attn_BlockForm : Attn_Enum<"BlockForm", "algorithm of an op outside kernels", [
  I32EnumAttrCase<"Dot", 0, "dot">,
  I32EnumAttrCase<"Element", 1, "element">,
  I32EnumAttrCase<"Epilogue", 2, "epilogue">
]>;

def Attn_RescalePlace : Attn_Enum<"RescalePlace",
                                  "phase that rescales the accumulator", [
  I32EnumAttrCase<"Value", 0, "value">,
  I32EnumAttrCase<"Prob", 1, "prob">
]>;

#endif // ATTNC_DIALECT_ATTN_ATTNENUMS_TD
