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

def help : Switch<"help", "Print this text and exit">;
def h : Flag<["-"], "h">, Alias<help>;
def version : Switch<"version", "Print the version and exit">;
defm color : Value<"color", "<when>",
  "Colour in diagnostics: auto (on a terminal; default), always, never">;

defm set : Value<"set", "<key>=<value>",
  "Replace a key of the spec, as if written in the file; may be repeated">;
defm schedule : Value<"schedule", "<attribute>",
  "Schedule of all kernels, such as #attn.schedule<q = 48>; what it does not "
  "say is chosen. A file name gives the file's text">;
def allow_weight_products : Switch<"allow-weight-products",
  "Take all weights as resident: NAME_pack_weights makes their products once; "
  "it changes rounding">;
def skip_pass : Joined<["--"], "skip-pass=">, MetaVarName<"<pass>">,
  HelpText<"Leave out a pass to stage fused, to see what it brings; may be "
           "repeated">;
def mcpu : Joined<["-"], "mcpu=">, MetaVarName<"<level>">,
  HelpText<"Micro-architecture: one of --print-targets, or native. Default: "
           "x86-64-v3">;
def mcpu_long : Joined<["--"], "mcpu=">, Alias<mcpu>;
def mcpu_separate : Separate<["-", "--"], "mcpu">, Alias<mcpu>;
def print_targets : Switch<"print-targets",
  "Print the micro-architectures that -mcpu takes and exit">;
def W : Joined<["-"], "W">, MetaVarName<"[no-]<warning>">,
  HelpText<"Turn a warning on or off: index-order, offset, slow-path">;
def Werror : Flag<["-"], "Werror">, HelpText<"Warnings are errors">;
