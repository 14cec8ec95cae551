// Remarks on products print the blocks of the object: those of panels if weights are
// stored in panels, which have no case for few rows.
// RUN: attnc-opt %s --attn-select-schedule=cpu=sapphirerapids --attn-explain-products=cpu=sapphirerapids -o /dev/null 2>&1 | FileCheck %s --check-prefix=SELECTED
// RUN: attnc-opt %s --attn-select-schedule=cpu=sapphirerapids --attn-pack-panels=cpu=sapphirerapids --attn-explain-products=cpu=sapphirerapids -o /dev/null 2>&1 | FileCheck %s --check-prefix=PANELS
// SELECTED: remark: sapphirerapids: qd,de->qe, blocks of 512 x 128 with sums over 768, bf16 on the matrix unit; bf16 converted to f32 for at most 8 rows [schedule]
// PANELS: remark: sapphirerapids: qd,de->qe, blocks of 512 x 32 with sums over 768, bf16 on the matrix unit [schedule]

// Levels with a single unit for the product have no remark.
// RUN: attnc-opt %s --attn-select-schedule=cpu=x86-64-v4 --attn-explain-products=cpu=x86-64-v4 -o /dev/null 2>&1 | count 0

// RUN: not attnc-opt %s --attn-explain-products=cpu=sapphire 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: unknown CPU 'sapphire'
!x = tensor<?x768xbf16, #attn.dims<rows, 768>>
!y = tensor<?x1536xbf16, #attn.dims<rows, 1536>>
module attributes {attnc.interface = [{name = "f", title = "t", spec = "s", sizes = [{name = "rows"}], tensors = [{name = "X", role = "query", dtype = "bf16", axes = ["rows", "768"]}, {name = "W", role = "input", dtype = "bf16", axes = ["768", "1536"], resident}, {name = "O", role = "output", dtype = "bf16", axes = ["rows", "1536"]}]}]} {
  func.func @f(%x: !x, %w: tensor<768x1536xbf16>) -> !y {
    %y = attn.contract "qd,de->qe" (%x, %w) : (!x, tensor<768x1536xbf16>) -> !y
    return %y : !y
  }
}
