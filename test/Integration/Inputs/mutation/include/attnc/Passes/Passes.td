include "mlir/Pass/PassBase.td"
def Canonicalize : Pass<"canonicalize"> {
}
def CSE : Pass<"cse"> {
}
