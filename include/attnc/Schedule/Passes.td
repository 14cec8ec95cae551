//===- Passes.td - The passes of Schedule ------------------*- tablegen -*-===//

#ifndef ATTNC_SCHEDULE_PASSES_TD
#define ATTNC_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SelectSchedule : Pass<"attn-select-schedule", "::mlir::ModuleOp"> {
  let summary = "Select a schedule for each kernel";
  let description = [{
    Sets a complete `#attn.schedule` on each `attn.kernel` that has none, and
    the module attribute `attnc.target` to the level. Candidates come from Target
    data and the kernel's shape; a cost model ranks them at the sizes of the
    function's `attnc.expect` (docs/stages/4-scheduled.md). The option
    `schedule`, or else `attnc.schedule` of the kernel or its function, fixes
    fields:

    ```text
    q = 32, k = 128
    #attn.schedule<form = online, q = 64, target = #tile.cpu<tail = 0>>
    ```

    Other ops get an `attn.block` by a fixed rule, and `attn.cases` where some
    sizes need other blocks.

    Remarks print the choice, the runner-up and their costs. The warning
    `slow-path` reports slow code that the user can avoid.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"x86-64-v3\"",
           "CPU level, a value of -mcpu">,
    Option<"backend", "backend", "std::string", "",
           "Backend whose schedules are considered; default: the first one that "
           "compiles for the CPU level">,
    Option<"schedule", "schedule", "std::string", "",
           "Fixed fields of the schedule">,
    Option<"candidates", "candidates", "unsigned", "0",
           "Keep so many of the best schedules of each kernel, the choice first, "
           "in attnc.candidates">
  ];
  let dependentDialects = ["::attnc::halide::HalideDialect",
                           "::attnc::tile::TileDialect"];
}

def SplitSchedules : Pass<"attn-split-schedules", "::mlir::ModuleOp"> {
  let summary = "Specialize functions that need several schedules";
  let description = [{
    Copies a function where no schedule of its kernels is good at all sizes of
    its `attnc.expect`: one schedule for all is predicted to take more than 1.25
    times as long as the best at one of them. `@f` becomes `@f.case0`, ... and
    `@f`, each with some of the regimes, and `cases` of the interface selects
    one per call. Where a regime has one query and none has a few, eight queries
    get a copy on the same condition. A function with a fixed schedule, with cases, or with quantized
    keys and values stays one.

    Remarks print what each case saves.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"x86-64-v3\"",
           "CPU level, a value of -mcpu">,
    Option<"backend", "backend", "std::string", "",
           "Backend whose schedules are considered; default: the first one that "
           "compiles for the CPU level">,
    Option<"schedule", "schedule", "std::string", "",
           "Fixed fields of the schedule: functions stay one">
  ];
  let dependentDialects = ["::attnc::halide::HalideDialect",
                           "::attnc::tile::TileDialect"];
}

def PackPanels : Pass<"attn-pack-panels", "::mlir::ModuleOp"> {
  let summary = "Store resident weights once as the matrix unit reads them";
  let description = [{
    A product on the matrix unit whose operand along the lanes is a `resident`
    matrix, in place or through views, reads it in panels (`attn.panels`):
    `@NAME_pack_weights` stores them once, and they become an input of `@NAME`.
    The blocks of such a product are as wide as a panel, and calls with few rows
    use them, too. Inputs of `@NAME` that are then unused are removed.

    Remarks print the size of the panels, or why a matrix has none.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"x86-64-v3\"",
           "CPU level, a value of -mcpu">,
    Option<"backend", "backend", "std::string", "",
           "Backend whose blocks are chosen">,
    Option<"schedule", "schedule", "std::string", "",
           "Accepted like that of the other passes; not read">,
    Option<"weightProducts", "weight-products", "bool", "false",
           "Treat all inputs of fixed size as resident">,
    Option<"isOnlyPart", "only-part", "bool", "true",
           "The object has no code for other processors, which would read the "
           "weights in another form">
  ];
}

def ExplainProducts : Pass<"attn-explain-products", "::mlir::ModuleOp"> {
  let summary = "Report the blocks of products";
  let description = [{
    For each product outside kernels that several units could compute, a remark
    prints the block and the unit. The pass changes nothing. It runs last,
    because `attn-pack-panels` replaces blocks that `attn-select-schedule`
    selected.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"x86-64-v3\"",
           "CPU level, a value of -mcpu">,
    Option<"backend", "backend", "std::string", "",
           "Backend whose blocks are reported">,
    Option<"schedule", "schedule", "std::string", "",
           "Accepted like that of the other passes; not read">
  ];
}

def VerifyScheduled : Pass<"attn-verify-scheduled", "::mlir::ModuleOp"> {
  let summary = "Verify the invariants of stage scheduled";
  let description = [{
    Verifies what Lowering and the code generator rely on:

    - (verify_scheduled_c1) the module names a known level in `attnc.target`;
    - (verify_scheduled_c2) each kernel has a schedule whose target part is
      `#tile.cpu`, `#tile.nvptx` or `#halide.schedule`, all of one backend;
    - (verify_scheduled_c3) instruction set and lanes match the level;
    - (verify_scheduled_c4) a block of queries is a multiple of the lanes, and a
      granule's vectors divide the block's;
    - (verify_scheduled_c5) a granule's accumulators and operands fit the
      registers;
    - (verify_scheduled_c6) `partial` is at most `k`, `tail` at most `q`;
    - (verify_scheduled_c7) form `rows` has a fixed number of keys, at most `k`;
    - (verify_scheduled_c8) the tiles of a block fit half of the L2 cache;
    - (verify_scheduled_c9) each op outside kernels that produces a tensor has
      an `attn.block` of the level, along axes of its result that its form
      supports;
    - (verify_scheduled_c10) form `chunked` has a score of separable factors,
      the mask `k <= q`, and chunks of 1 to 4096 keys;
    - (verify_scheduled_c11) `visited` of an `attn.block` is the letter of rows
      that only kernels with `ranges` read, each at one index of b, h and g per
      block if `ranges` depends on it;
    - (verify_scheduled_c12) `rescale_threshold` is at most 32;
    - (verify_scheduled_c13) sizes of an `attn.block` are at most 4096, and its
      granules fit the registers;
    - (verify_scheduled_c14) `weights` is the type to which the kernel rounds
      its weights, or a wider one up to the accumulate type;
    - (verify_scheduled_c15) `split` is at least `k`, and the kernel stores no
      value per pair and needs neither ranks nor sparsemax;
    - (verify_scheduled_c16) `mapping = features` has `q` or `tail` of one
      vector, a form other than `chunked`, a matrix product in the score or
      the values, and no kernel of the function that compares scores;
    - (verify_scheduled_c17) `unit = dot` and `matrix` have a target with such a
      unit for bf16 or 8-bit integers, a form other than `chunked`, a product of
      two bf16 operands or of two that are loaded as integers, and no kernel of
      the function that compares scores; an `attn.block` with such a unit
      belongs to a matrix product of two bf16 operands without a mask, or its
      epilogue;
    - (verify_scheduled_c18) with `row_axes = gq` the number of query heads per
      KV head is fixed, the heads are adjacent in memory, the mask and
      per-feature formulas do not depend on the query head, and the kernel
      stores no value per pair, returns no key indices, and is no linear
      attention;
    - (verify_scheduled_c19) a map with `attn.convert_on_load` converts 8-bit
      integers to floats, only kernels and products of form dot read it, and
      their backend converts elements as it loads them;
    - (verify_scheduled_c20) what has `attn.in_product` is a map or a product
      with a vector, has no attn.block, and a product of matrices that computes
      it in its blocks, each element once;
    - (verify_scheduled_c21) `attn.cases` is a list of cases of an axis of the
      result with a run-time size, each of which holds in some calls; their
      blocks are legal and differ from `attn.block` in `q`, `k`, `e` and
      `target` only, and the backend supports them;
    - (verify_scheduled_c22) `pack = transposed`, `keys` and `both` have
      `unit = matrix`, which computes the products with what they pack, values
      or keys or both that are dense and stored as bf16 (or as f16, if
      `bf16_terms` is 2), form `online` and `mapping = rows`; packed values also
      a mask of one segment without classes, and `k`, `partial` and `split` that
      are multiples of 32;
    - (verify_scheduled_c23) a view with `attn.stored` starts from the values of
      a kernel with `row_axes = q`, which nothing else reads, and its axes have
      blocks of queries and features; the backend stores them;
    - (verify_scheduled_c24) `bf16_terms = 2` has a product of two f16 operands
      that the matrix unit computes, and `pack` stores the keys or values of
      each;
    - (verify_scheduled_c25) a view with `attn.panels` starts from an argument in
      panels of pairs of bf16, and only products of form dot without cases,
      whose blocks have as many lanes as a panel, read it.
  }];
}

def StoreViews : Pass<"attn-store-views", "::mlir::func::FuncOp"> {
  let summary = "Materialize operands that cannot be read through views";
  let description = [{
    If views divide the axes of an operand so that a block of the kernel is not
    a block of the underlying memory, the operand becomes an `attn.map` of
    itself, which is read elementwise and stored in the layout of the kernel.
    Afterwards kernels can read all operands in blocks, except those addressed
    by a table. Canonicalization would undo this, so it is the last pass before
    scheduling.
  }];
}

#endif // ATTNC_SCHEDULE_PASSES_TD
