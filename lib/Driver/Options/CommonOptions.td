//===- CommonOptions.td - Options that all tools have ------*- tablegen -*-===//
//
// The one declaration of each option: parser, --help and the check of the
// documentation come from it.
//
//===----------------------------------------------------------------------===//

include "llvm/Option/OptParser.td"

// An option with a value, as --name=value and as --name value.
multiclass Value<string name, string meta, string help> {
  def NAME : Joined<["--"], name#"=">, MetaVarName<meta>, HelpText<help>;
  def NAME#_separate : Separate<["--"], name>, Alias<!cast<Option>(NAME)>;
}
class Switch<string name, string help> : Flag<["--"], name>, HelpText<help>;

def help : Switch<"help", "Print this help and exit">;
def h : Flag<["-"], "h">, Alias<help>;
def version : Switch<"version", "Print the version, commit and default target and exit">;
defm color : Value<"color", "<when>",
  "Color diagnostics: auto (on a terminal; default), always, never">;

defm set : Value<"set", "<key>=<value>",
  "Set a key of the spec, overriding the file; may be repeated">;
defm schedule : Value<"schedule", "<attribute>",
  "Schedule of all kernels, such as #attn.schedule<q = 48>, or a file with it. "
  "Unspecified fields are chosen automatically">;
defm schedule_file : Value<"schedule-file", "<file>",
  "Schedules of single kernels for each microarchitecture, as written by "
  "attnc-run --tune. Other kernels keep the automatic choice">;
def allow_weight_products : Switch<"allow-weight-products",
  "Treat all weights as resident: NAME_pack_weights computes their products "
  "once. Changes rounding">;
defm ridge : Value<"ridge", "<n>",
  "Machine balance in FLOPs per byte of memory traffic, used to choose the "
  "order of matrix products; one value for all processors. Default: 5.33">;
def skip_pass : Joined<["--"], "skip-pass=">, MetaVarName<"<pass>">,
  HelpText<"Skip a pass of stage fused (to measure its effect); may be "
           "repeated">;
defm target : Value<"target", "<triple>",
  "Platform to compile for, as listed by --print-targets. attnc-run runs objects of "
  "another platform in an emulator. Default: this machine's">;
def mcpu : Joined<["-"], "mcpu=">, MetaVarName<"<list>">,
  HelpText<"Comma-separated microarchitectures, as listed by "
           "--print-targets, or native. An object holds a part for each and selects one at run "
           "time. Default: @levels@">;
def mcpu_long : Joined<["--"], "mcpu=">, Alias<mcpu>;
def mcpu_separate : Separate<["-", "--"], "mcpu">, Alias<mcpu>;
def print_targets : Switch<"print-targets",
  "Print the platforms of --target with their microarchitectures of -mcpu and "
  "exit">;
defm backend : Value<"backend", "<name>",
  "Backend that generates the code: @backends@, or auto: for each level of -mcpu "
  "the first that can schedule the input. Default: the first that compiles for "
  "-mcpu, or that of a dump">;
defm ptxas : Value<"ptxas", "<program>",
  "Assembler for NVIDIA GPUs, a part of CUDA. Default: ptxas, if it is in PATH; "
  "else objects hold PTX only">;
def W : Joined<["-"], "W">, MetaVarName<"[no-]<warning>">,
  HelpText<"Enable or disable a warning: empty-mask, index-order, offset, open-window, scaled-twice, slow-path, stale-schedule">;
def Werror : Flag<["-"], "Werror">, HelpText<"Treat warnings as errors">;
