//===- Program.h - Halide pipelines as plain data ---------------*- C++ -*-===//
//
// What the emitter hands to libattnc-halide: functions, their definitions and
// their schedule, as lists that name each other. It includes neither Halide nor
// LLVM, because the two sides are compiled with different options and the
// library is loaded at run time: libHalide.so alone has 165 MB.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_PROGRAM_H
#define ATTNC_LIB_CODEGEN_HALIDE_PROGRAM_H

#include <cstdint>
#include <string>
#include <vector>

namespace attnc::halide {

enum class Kind : uint8_t { Bool, Int, UInt, Float, BFloat };

struct ScalarType {
  Kind kind = Kind::Int;
  uint8_t bits = 32;
  bool operator==(const ScalarType &) const = default;
  bool isFloat() const { return kind == Kind::Float || kind == Kind::BFloat; }
};

enum class Op : uint8_t {
  Constant,  // integer or real
  Variable,  // `name`; "r.x" is a variable of the domain r
  Parameter, // a scalar argument
  Read,      // an element of the buffer `name`
  Stride,    // of axis `integer` of the buffer `name`
  Call,      // an element of the function `name`
  Undefined, // of a function's first definition: keep what is there
  Cast,
  Bitcast,
  Add,
  Sub,
  Mul,
  Div,      // floats; integers towards minus infinity, for divisors above 0
  Mod,      // the rest of that
  DivTrunc, // integers, towards 0
  ModTrunc,
  Min, // integers
  Max,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight, // arithmetic for Int, logical for UInt
  Equal,
  Less,
  LessEqual,
  Not,
  Select,
  Likely, // the operand; a loop has code of its own for where it is selected
  Within, // low <= index < high, of (index, low, high); the bounds of the loop
          // over the index, where that is possible
  Abs,
  Sqrt,
  Floor,
  Ceil,
  Trunc,
  RoundEven,
  IsNan,
};

/// One operation; operands are indices of earlier ones in Pipeline::exprs.
struct Expr {
  Op op;
  ScalarType type;
  std::vector<int> operands;
  int64_t integer = 0;
  double real = 0;
  std::string name;
};

/// Variables of a sum, maximum or scatter; "r.x", "r.y", ... in this order.
struct Domain {
  std::string name;
  struct Dim {
    int min, extent;
  };
  std::vector<Dim> dims;
  std::vector<int> where;
};

struct Definition {
  std::vector<int> indices;
  int value;
};

struct Function {
  std::string name;
  std::vector<std::string> variables;
  /// The first one is for all indices, `variables`; others update it.
  std::vector<Definition> definitions;
};

/// `verb` is that of a Halide call on the function, or on update `stage` - 1.
/// For "specialize", the number is that of the condition in Pipeline::exprs.
struct Directive {
  std::string function;
  int stage = 0;
  std::string verb;
  std::vector<std::string> names;
  std::vector<int64_t> numbers;
};

struct Buffer {
  std::string name;
  ScalarType type;
  unsigned rank = 0;
};

/// A C function: a pointer for Halide's allocator, the inputs as pointers of
/// halide_buffer_t, the parameters (i32), then the outputs as pointers.
struct Pipeline {
  std::string symbol;
  std::vector<Buffer> inputs;
  std::vector<std::string> parameters;
  std::vector<Expr> exprs;
  std::vector<Domain> domains;
  std::vector<Function> functions;
  std::vector<Directive> schedule;
  std::vector<std::string> outputs; // names of functions
};

struct Program {
  std::string target; // as Halide spells it
  /// The pipelines launch kernels of a device. Floats of 16 bits are read and
  /// stored as integers there, which the program converts.
  bool isDevice = false;
  /// The threads of a group may take the value of a load for the same in all.
  bool hasUniformLoads = true;
  std::vector<Pipeline> pipelines;
};

/// What the library makes of a program; `error` is empty unless it failed.
struct Compiled {
  std::vector<std::string> bitcode; // modules of LLVM 21
  std::string statement;            // text, if requested
  std::string kernels;              // the device's source, if requested
  std::string page;                 // HTML, if requested
  std::string error;
};

enum class Wanted : uint8_t { Bitcode, Statement, Kernels, Page };

/// The library's one symbol.
using CompileFunction = void(const Program &program, Wanted wanted,
                             Compiled &result);
inline constexpr char kCompileSymbol[] = "attnc_halide_compile";

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_PROGRAM_H
