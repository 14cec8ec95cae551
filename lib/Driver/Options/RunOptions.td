//===- RunOptions.td - The command line of attnc-run -------*- tablegen -*-===//

include "Options/CommonOptions.td"

defm size : Value<"size", "<name>=<n>[,<name>=<n>...]",
  "Run-time sizes, or name=n1,n2,... to run several. Default: the first regime "
  "of expect">;
defm threads : Value<"threads", "<n>", "Threads. Default: 1">;
def bench_default : Flag<["--"], "bench">,
  HelpText<"Measure for a second: time, GFLOP/s, share of the FMA peak">;
def bench : Joined<["--"], "bench=">, MetaVarName<"<seconds>">,
  HelpText<"The same, for so many seconds">;
def json : Switch<"json", "One line of JSON for each run on the standard output">;
def no_check : Switch<"no-check", "Do not compare with the float64 reference">;
defm input : Value<"input", "<name>=<file.npy>",
  "Values of a tensor, which give the run-time sizes, too; may be repeated">;
defm save : Value<"save", "<name>=<file.npy>",
  "Write a tensor as it is after the call: an output, or an input; may be "
  "repeated">;
def interpret : Switch<"interpret",
  "Compile nothing: evaluate the formulas in float64, also those that cannot be "
  "compiled yet">;
def mask : Switch<"mask",
  "Compile nothing: tell which tiles of the mask are computed, which are needed, "
  "and draw them if they are few">;
defm seed : Value<"seed", "<n>", "Seed of the random inputs. Default: 1">;
defm init : Value<"init", "<kind>",
  "Inputs: normal (default), integer (every intermediate is exact, so the "
  "result must be, too; where scores are not, that is told), zero">;
defm strides : Value<"strides", "<kind>",
  "Memory order of the tensors: bhsd (default, contiguous), bshd, negative, "
  "random, broadcast (inputs with strides of 0)">;
def x : JoinedOrSeparate<["-"], "x">, MetaVarName<"<stage>">,
  HelpText<"The input is a dump of this stage: spec graph fused. Default: spec">;
def check_stages : Switch<"check-stages",
  "Interpret before and after each pass on the given sizes; name the first pass "
  "that changes the result">;
