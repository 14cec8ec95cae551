//===- Passes.td - Passes that several code generators share --------------===//

#ifndef ATTNC_CODEGEN_COMMON_PASSES
#define ATTNC_CODEGEN_COMMON_PASSES

include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"codegen-expand-math"> {
  let summary = "Expand elementwise functions into arithmetic";
  let description = [{
    Rewrites the ops of the `math` dialect into `arith`, `vector` and integer
    arithmetic, because objects must not depend on libm: LLVM turns ops that it
    cannot select as an instruction of the target into calls such as `expf`.
    Supports scalars and vectors of any rank with a power of two of elements.

    | element type | functions |
    |---|---|
    | f32 and f64; f16 and bf16 via f32 | exp exp2 expm1 log log2 log1p tanh erf erfc sin cos rsqrt |
    | all of these | floor ceil trunc round roundeven, fma |

    docs/math-accuracy.md lists the measured error of each. `sqrt`, `absf`,
    `copysign` and ops on integers stay, since every target has them. An op that
    is in neither list is an error.

    Special values follow C's Annex F: a NaN gives a NaN, infinities give the
    limits, arguments outside the domain give NaN, and the sign of a zero is
    kept. Denormal arguments and results are correct unless the code runs in a
    mode that flushes them; with `avx512` and `flush-denormals`, 1 / x of a vector
    of f32 is computed from an estimate, to 1 ulp.

    Where denormals are flushed, an exp with the attribute `attnc.at_most_one`
    needs one multiplication less and no test for overflow. Its argument must be
    at most 0, up to rounding.

    Example (`fma=true`, the default; rsqrt is the shortest):

    ```mlir
    func.func @f(%x: vector<16xf32>) -> vector<16xf32> {
      %0 = math.rsqrt %x : vector<16xf32>
      return %0 : vector<16xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: vector<16xf32>) -> vector<16xf32> {
      %one = arith.constant dense<1.000000e+00> : vector<16xf32>
      %0 = math.sqrt %x : vector<16xf32>
      %1 = arith.divf %one, %0 : vector<16xf32>
      return %1 : vector<16xf32>
    }
    ```
  }];
  let options = [
    Option<"fma", "fma", "bool", /*default=*/"true",
           "The target multiplies and adds in one instruction; otherwise fma "
           "becomes a product and a sum, each rounded">,
    Option<"round", "round", "bool", /*default=*/"true",
           "The target has instructions for floor, ceil, trunc and roundeven "
           "(x86: SSE4.1); otherwise they become arithmetic">,
    Option<"avx512", "avx512", "bool", /*default=*/"false",
           "The target has AVX512F, DQ and VL: use vreduce, vscalef and vrcp14">,
    Option<"flushDenormals", "flush-denormals", "bool", /*default=*/"false",
           "The code runs with denormals flushed to zero: exp2 may return 0 "
           "for results below 2^-126 (f32), which saves five instructions "
           "where there is no vscalef">,
  ];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::LLVM::LLVMDialect",
                           "mlir::math::MathDialect",
                           "mlir::vector::VectorDialect"];
}

def ConvertLoopsToLlvm : Pass<"convert-loops-to-llvm", "mlir::ModuleOp"> {
  let summary = "Convert loops on vectors to the LLVM dialect";
  let description = [{
    Converts `cf`, `arith`, `math`, `vector`, `func` and `ub` to the LLVM
    dialect in one conversion, which is several times faster than a pass for
    each of them. Fails if an op of another dialect is left.

    Example:

    ```mlir
    func.func @twice(%x: vector<8xf32>) -> vector<8xf32> {
      %y = arith.addf %x, %x : vector<8xf32>
      return %y : vector<8xf32>
    }
    ```
    becomes an `llvm.func` with `llvm.fadd`.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // ATTNC_CODEGEN_COMMON_PASSES
