//===- AttncOptions.td - The command line of attnc ---------*- tablegen -*-===//

include "Options/CommonOptions.td"

def o : JoinedOrSeparate<["-"], "o">, MetaVarName<"<file>">,
  HelpText<"Output file. The name selects the format: NAME.o, NAME.a (static "
           "archive) or NAME.so (shared library), each with NAME.h; NAME.h, "
           "NAME.s or NAME.STAGE.mlir alone; any other name is an object. DIR/ "
           "is a directory for all outputs; - is standard output (one text "
           "output). Default: NAME.o and NAME.h in the current directory">;
defm linker : Value<"linker", "<program>",
  "C compiler that links -o NAME.so. Default: the first of @linkers@ in PATH">;
defm emit : Value<"emit", "<list>",
  "Comma-separated outputs: @outputs@, or all. Default: inferred from the name "
  "of -o, else obj,header">;
defm size : Value<"size", "<name>=<n>[,<name>=<n>...]",
  "Run-time sizes at which --explain and --emit=accounting count FLOPs and "
  "bytes. Default: the regimes of expect">;
def x : JoinedOrSeparate<["-"], "x">, MetaVarName<"<stage>">,
  HelpText<"Stage of the input: @stages@. Default: from NAME.STAGE.mlir, else "
           "spec">;
def explain : Switch<"explain",
  "Explain fusion, mask and schedule decisions on stderr">;
defm remarks : Value<"remarks", "<file>",
  "Write the output of --explain as YAML remarks for llvm-remarkutil">;
def MD : Flag<["-"], "MD">,
  HelpText<"Also write a depfile for make and ninja. Default: NAME.d next to "
           "the first output">;
def MF : JoinedOrSeparate<["-"], "MF">, MetaVarName<"<file>">,
  HelpText<"Depfile of -MD">;
def check_stages : Switch<"check-stages",
  "Interpret the IR before and after each pass on small inputs; report the "
  "first pass that changes the result">;
def print_after : Joined<["--"], "print-after=">, MetaVarName<"<pass>">,
  HelpText<"Print the IR to stderr after this pass; may be repeated">;
def print_changed : Switch<"print-changed",
  "Print the lines that each pass changed to stderr, as a diff per function">;
def print_passes : Switch<"print-passes",
  "Print the passes of each stage and exit">;
def debug_crash : Joined<["--"], "debug-crash=">, MetaVarName<"<pass>">,
  HelpText<"Crash after this pass, to test crash reporting">;
def time : Switch<"time",
  "Print a table of the time of each stage and pass, and of LLVM, to stderr">;
