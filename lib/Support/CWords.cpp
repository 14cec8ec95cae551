//===- CWords.cpp - Names that a C header cannot use ----------------------===//
//
// Tests: test/Spec/Keys/name-library.yaml
//
//===----------------------------------------------------------------------===//

#include "attnc/Support/CWords.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/TargetParser/Triple.h"

/// Functions of the C standard library that LLVM's table lacks, since it has
/// nothing to optimize in them.
static constexpr llvm::StringLiteral kFunctions[] = {
    "_Exit",      "asctime",    "at_quick_exit", "bsearch",   "clock",
    "ctime",      "difftime",   "div",           "exit",      "fdim",
    "fgetpos",    "freopen",    "fsetpos",       "hypot",     "ilogb",
    "isalnum",    "isalpha",    "isblank",       "iscntrl",   "isgraph",
    "islower",    "isprint",    "ispunct",       "isspace",   "isupper",
    "isxdigit",   "ldiv",       "lgamma",        "llrint",    "llround",
    "localeconv", "localtime",  "longjmp",       "lrint",     "lround",
    "mblen",      "mbstowcs",   "mbtowc",        "nan",       "nextafter",
    "nexttoward", "quick_exit", "raise",         "rand",      "remquo",
    "scalbln",    "scalbn",     "setjmp",        "setlocale", "signal",
    "srand",      "strerror",   "strftime",      "strxfrm",   "system",
    "time",       "tmpnam",     "tolower",       "toupper",   "wcstombs",
    "wctomb"};

/// What objects need besides on some platform (Platform::systemSymbols), and
/// what every program has.
static constexpr llvm::StringLiteral kSymbols[] = {
    "_exit",   "_fltused", "_start", "abort",   "atoi",        "bzero",
    "dlerror", "dlopen",   "dlsym",  "environ", "errno",       "getauxval",
    "main",    "stderr",   "stdin",  "stdout",  "sched_yield", "usleep"};

bool attnc::isCFunction(llvm::StringRef name) {
  // LLVM's table does not depend on the triple; what is available does.
  llvm::TargetLibraryInfoImpl table{llvm::Triple()};
  llvm::LibFunc function;
  return llvm::is_contained(kFunctions, name) ||
         llvm::is_contained(kSymbols, name) || table.getLibFunc(name, function);
}
