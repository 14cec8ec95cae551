//===- Passes.td - The passes of Schedule ------------------*- tablegen -*-===//

#ifndef ATTNC_SCHEDULE_PASSES_TD
#define ATTNC_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SelectSchedule : Pass<"attn-select-schedule", "::mlir::ModuleOp"> {
  let summary = "Choose how each kernel is computed";
  let description = [{
    Writes a complete `#attn.schedule` on each `attn.kernel` that has none, and
    the level as module attribute `attnc.target`. Candidates come from Target
    data and the kernel's shape; a cost model ranks them at the sizes that the
    function's `attnc.expect` lists (docs/stages/4-scheduled.md). The function's
    `attnc.schedule`, or the option `schedule` before it, fixes fields of the
    choice:

    ```text
    q = 32, k = 128
    #attn.schedule<form = online, q = 64, target = #tile.cpu<tail = 0>>
    ```

    Ops beside the kernels get an `attn.block` by a fixed rule.

    Remarks tell the choice, the next best one and what they cost. What will be
    slow for a reason that the user can change is a warning of the id
    `slow-path`.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"x86-64-v3\"",
           "CPU level, a value of -mcpu">,
    Option<"schedule", "schedule", "std::string", "",
           "Fields of the schedule that are not to be chosen">
  ];
  let dependentDialects = ["::attnc::tile::TileDialect"];
}

def VerifyScheduled : Pass<"attn-verify-scheduled", "::mlir::ModuleOp"> {
  let summary = "Check that a module is a complete stage `scheduled`";
  let description = [{
    What Lowering and the code generator rely on:

    - (verify_scheduled_c1) the module names a known level in `attnc.target`;
    - (verify_scheduled_c2) each kernel has a schedule whose target part is
      `#tile.cpu`;
    - (verify_scheduled_c3) instructions and lanes are the level's;
    - (verify_scheduled_c4) a block of queries is a multiple of the lanes, and a
      granule's vectors divide the block's;
    - (verify_scheduled_c5) a granule's accumulators and operands fit the
      registers;
    - (verify_scheduled_c6) `partial` is at most `k`, `tail` at most `q`;
    - (verify_scheduled_c7) form `rows` has a fixed number of keys, at most `k`;
    - (verify_scheduled_c8) the tiles of a block fit half of the L2 cache;
    - (verify_scheduled_c9) each op beside the kernels that makes a tensor has
      an `attn.block` of the level, along axes of its result that its form can
      take;
    - (verify_scheduled_c10) form `chunked` has a score of factors of two sides
      and the mask `k <= q`, and chunks of 1 to 4096 keys;
    - (verify_scheduled_c11) `visited` of an `attn.block` is the letter of rows
      that only kernels with `ranges` read, and these one place of b, h and g
      for each block, where `ranges` depends on it;
    - (verify_scheduled_c12) `rescale_threshold` is at most 32.
  }];
}

def StoreViews : Pass<"attn-store-views", "::mlir::func::FuncOp"> {
  let summary = "Store what a kernel cannot read through views";
  let description = [{
    An operand whose views cut axes so that no block of the kernel is one of the
    memory behind them becomes an `attn.map` of itself, which is read element by
    element and stored in the order of the kernel. Afterwards blocks can go
    along every operand of a kernel, but for those that a table finds.
    Canonicalization would undo it, so it is the last pass before decisions.
  }];
}

#endif // ATTNC_SCHEDULE_PASSES_TD
