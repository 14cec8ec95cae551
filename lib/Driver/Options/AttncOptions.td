//===- AttncOptions.td - The command line of attnc ---------*- tablegen -*-===//

include "Options/CommonOptions.td"

def o : JoinedOrSeparate<["-"], "o">, MetaVarName<"<file>">,
  HelpText<"Output file. The name selects the format: NAME.o, NAME.a (static "
           "archive) or NAME.so (shared library), each with NAME.h; NAME.h, "
           "NAME.s or NAME.STAGE.mlir alone; any other name is an object. DIR/ "
           "is a directory for all outputs; - is standard output (one text "
           "output). Default: NAME.o and NAME.h in the current directory">;
defm linker : Value<"linker", "<program>",
  "C compiler that links -o NAME.so. Default: the first of cc, clang, gcc in "
  "PATH">;
defm emit : Value<"emit", "<list>",
  "Outputs to write, separated by commas: spec graph accounting fused scheduled "
  "tile llvm asm obj header, or all. Default: those of the name of -o, else "
  "obj,header">;
defm size : Value<"size", "<name>=<n>[,<name>=<n>...]",
  "Run-time sizes that parameters, FLOPs and bytes are counted at. Default: the "
  "regimes of expect">;
def x : JoinedOrSeparate<["-"], "x">, MetaVarName<"<stage>">,
  HelpText<"The input is a dump of this stage: spec graph fused scheduled tile "
           "llvm. Default: spec for .yaml">;
defm target : Value<"target", "<triple>",
  "Target triple. Default and only one so far: x86_64-unknown-linux-gnu">;
def explain : Switch<"explain",
  "Say on the standard error what was fused, skipped, scheduled and why">;
defm remarks : Value<"remarks", "<file>",
  "Write what --explain says as YAML that LLVM's tools read (llvm-remarkutil)">;
def MD : Flag<["-"], "MD">,
  HelpText<"Write a rule for make and ninja, too: what the outputs are made of. "
           "Default: in NAME.d, beside the first output">;
def MF : JoinedOrSeparate<["-"], "MF">, MetaVarName<"<file>">,
  HelpText<"The file of -MD">;
def check_stages : Switch<"check-stages",
  "Interpret before and after each pass on small inputs; name the first pass "
  "that changes the result">;
def print_after : Joined<["--"], "print-after=">, MetaVarName<"<pass>">,
  HelpText<"Print the IR on the standard error after this pass">;
def print_changed : Switch<"print-changed",
  "Print the IR on the standard error after each pass that changed it">;
def time : Switch<"time", "Print on the standard error where the time went">;
