//===- RunOptions.td - The command line of attnc-run -------*- tablegen -*-===//

include "Options/CommonOptions.td"

defm size : Value<"size", "<name>=<n>[,<name>=<n>...]",
  "Run-time sizes; name=n1,n2,... runs every combination. Default: the first "
  "regime of expect">;
defm threads : Value<"threads", "<n>", "Number of threads. Default: 1">;
defm tune : Value<"tune", "<file>",
  "Measure the best candidate schedules of each kernel and write the fastest to "
  "this schedule file; continues a file that an interrupted run has written">;
defm tune_candidates : Value<"tune-candidates", "<n>",
  "Number of candidates that --tune measures per kernel, the best predicted "
  "ones. Default: 24">;
def bench_default : Flag<["--"], "bench">,
  HelpText<"Benchmark for one second: time, GFLOP/s, share of the peak">;
def bench : Joined<["--"], "bench=">, MetaVarName<"<seconds>">,
  HelpText<"Benchmark for this many seconds">;
def json : Switch<"json", "Print one line of JSON per run to stdout">;
def no_check : Switch<"no-check", "Do not compare with the float64 reference">;
defm input : Value<"input", "<name>=<file.npy>",
  "Read a tensor from a file, which also sets the run-time sizes; may be "
  "repeated">;
defm save : Value<"save", "<name>=<file.npy>",
  "Write a tensor (an output or an input) after the call; may be repeated">;
def interpret : Switch<"interpret",
  "Evaluate the formulas in float64 instead of compiling them, including "
  "formulas that the compiler does not support yet">;
def mask : Switch<"mask",
  "Print which tiles of the mask are needed and which are computed, instead of "
  "running the kernel">;
def model_instructions : Switch<"model-instructions",
  "Run the code of any processor of this platform: instructions that this "
  "machine may lack are computed by software models (slow)">;
defm gpu : Value<"gpu", "<how>",
  "Run GPU kernels in the emulator (default) or on this machine's GPU (driver). "
  "If -mcpu also lists CPU levels, only driver is supported">;
defm seed : Value<"seed", "<n>", "Seed of the random inputs. Default: 1">;
defm init : Value<"init", "<kind>",
  "Random inputs: normal (default), integer (intermediates are exact, so the "
  "result must match bit for bit), zero">;
defm strides : Value<"strides", "<kind>",
  "Strides of the tensors: bhsd (default, contiguous), bshd, negative, random, "
  "broadcast (stride 0 on some axes of inputs)">;
def x : JoinedOrSeparate<["-"], "x">, MetaVarName<"<stage>">,
  HelpText<"Stage of the input: @shared-stages@. Default: from "
           "NAME.STAGE.mlir, else spec">;
def check_stages : Switch<"check-stages",
  "Interpret the IR before and after each pass at the given sizes; report the "
  "first pass that changes the result">;
