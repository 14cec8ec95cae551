//===- TileAttrInterfaces.td - What targets answer ---------*- tablegen -*-===//

#ifndef ATTNC_DIALECT_TILE_TILEATTRINTERFACES_TD
#define ATTNC_DIALECT_TILE_TILEATTRINTERFACES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/Interfaces.td"

def Tile_TargetAttrInterface : AttrInterface<"TargetAttrInterface"> {
  let cppNamespace = "::attnc::tile";
  let description = [{
    The `target` of a schedule, a block, a program or a grid: the decisions that
    one backend made. Code that serves every backend calls these methods; only
    the backend's own folders of Schedule and Codegen read the fields of the
    attribute.
  }];
  let methods = [
    InterfaceMethod<
      "The backend that compiles the program: a name in the table of backends, "
      "or `none`.",
      "::llvm::StringRef", "getBackend">,
    InterfaceMethod<
      "Checks the target against the op that holds it, a tile.program or a "
      "tile.grid with a target of its own. Emits an error at the op. (Targets "
      "of kernels are checked by `attn-verify-scheduled`.)",
      "::llvm::LogicalResult", "verifyHolder",
      (ins "::mlir::Operation *":$holder), [{}], [{
        return ::llvm::success();
      }]>,
    InterfaceMethod<
      "The number of adjacent elements of a result that the code computes "
      "together. A block along this dim should be a multiple of it.",
      "int64_t", "getGranule">,
    InterfaceMethod<
      "The maximum number of keys in a tile that needs a mask, in a loop whose "
      "other tiles have `step` keys: its `partial_step`.",
      "int64_t", "getPartialStep", (ins "int64_t":$step)>,
    InterfaceMethod<
      "The number of instances of a grid that keeps all of a machine busy. Keys "
      "are split into no more parts than make so many: others only cost "
      "workspace and time to merge.",
      "int64_t", "getMostInstances", (ins), [{}], [{
        return 32;
      }]>,
    InterfaceMethod<
      "Whether a grid before that of a kernel stores the values transposed in a "
      "workspace: the keys of a feature contiguously, in blocks of 32 keys.",
      "bool", "getTransposesValues", (ins), [{}], [{
        return false;
      }]>,
    InterfaceMethod<
      "The target of a grid that merges the states of parts with one row per "
      "instance, whose `features` are dim q. Null: the grid has blocks of rows, "
      "as the kernel's own grid.",
      "::attnc::tile::TargetAttrInterface", "getMergeTarget",
      (ins "int64_t":$features), [{}], [{
        return {};
      }]>,
    InterfaceMethod<
      "Whether a grid before that of a kernel stores the keys in a workspace: "
      "the features of a key contiguously, in whole blocks of 32 features.",
      "bool", "getPacksKeys", (ins), [{}], [{
        return false;
      }]>,
    InterfaceMethod<
      "The number of bf16 tiles whose sum is an operand of f16 in the products "
      "of queries, keys and values. 1: operands have the type in which they are "
      "stored.",
      "int64_t", "getOperandTerms", (ins), [{}], [{
        return 1;
      }]>,
  ];
}

// A message that names the attribute comes from the parsers (parseTarget); this
// one is for the generic form of ops.
def Tile_TargetAttr : Attr<
    CPred<"::llvm::isa<::attnc::tile::TargetAttrInterface>($_self)">,
    "target of a backend, such as #tile.cpu<...>"> {
  let storageType = "::attnc::tile::TargetAttrInterface";
  let returnType = storageType;
  let convertFromStorage = "$_self";
}

#endif // ATTNC_DIALECT_TILE_TILEATTRINTERFACES_TD
