//===- MaskRangesPassTest.cpp - Brute force for attn-mask-ranges ----------===//
//
// Runs the pass on kernels given as text, then evaluates the mask for each row
// and key and the ranges for each block of rows. The masks are the named ones
// of the language, some with traps, and formulas made at random.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Expr/EvaluateRegion.h"
#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Fusion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

#include <random>

using namespace attnc;
using namespace mlir;

namespace {

/// What attn.size and the tables of a test yield.
struct Inputs {
  int64_t queries, keys;
  int64_t past = 0; // every entry of %past and %past64
  int64_t chunk = 1;
};

class MaskRangesPassTest : public testing::Test {
protected:
  MaskRangesPassTest() {
    context.loadDialect<attn::AttnDialect, func::FuncDialect,
                        arith::ArithDialect, math::MathDialect>();
    context.getDiagEngine().registerHandler([](Diagnostic &d) {
      EXPECT_NE(d.getSeverity(), DiagnosticSeverity::Error) << d.str();
      return success();
    });
  }

  /// `mask` yields %c from %b, %h, %g, %i (row) and %j (key).
  static std::string kernelText(const std::string &mask) {
    return R"(
      !Q = tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
      !K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
      !L = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
      !P = tensor<?xi32, #attn.dims<batch>>
      !P64 = tensor<?xi64, #attn.dims<batch>>
      func.func @f(%q: !Q, %k: !K, %v: !K, %past: !P, %past64: !P64) -> !Q {
        %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
          normalize #attn.norm<shift = max, weight = exp, divide = sum>
          attributes {scale = 1.0 : f64, probabilities = f32}
        score {
        ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
          attn.yield %x : f32
        } mask {
        ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    )" + mask +
           R"(
          attn.yield %c : i1
        }
        return %o : !Q
      })";
  }

  attn::KernelOp runPass(const std::string &mask) {
    module = parseSourceString<ModuleOp>(kernelText(mask), &context);
    if (!module) {
      ADD_FAILURE() << mask;
      return {};
    }
    PassManager manager(&context);
    manager.addPass(fusion::createMaskRanges());
    EXPECT_TRUE(succeeded(manager.run(*module)));
    attn::KernelOp kernel;
    module->walk([&](attn::KernelOp op) { kernel = op; });
    EXPECT_TRUE(kernel.hasRanges());
    return kernel;
  }

  static SmallVector<int64_t> run(Region &region, ArrayRef<int64_t> arguments,
                                  const Inputs &in) {
    auto values = evaluateRegion(
        region.front(), arguments,
        [&](Operation *op, ArrayRef<int64_t>) -> std::optional<int64_t> {
          if (auto size = dyn_cast<attn::SizeOp>(op))
            return size.getName() == "kv_len"      ? in.keys
                   : size.getName() == "query_len" ? in.queries
                                                   : in.chunk;
          return in.past;
        });
    EXPECT_TRUE(values.has_value());
    return values ? *values : SmallVector<int64_t>();
  }

  /// Checks all blocks; the number of keys visited in vain and masked in vain.
  static std::pair<int64_t, int64_t> check(attn::KernelOp kernel,
                                           const Inputs &in) {
    std::vector<std::vector<bool>> seen(in.queries);
    for (int64_t q = 0; q < in.queries; ++q)
      for (int64_t k = 0; k < in.keys; ++k)
        seen[q].push_back(run(kernel.getMask(), {0, 0, 0, q, k}, in)[0]);
    std::pair<int64_t, int64_t> vain{0, 0};
    for (int64_t q0 = 0; q0 < in.queries; ++q0)
      for (int64_t q1 = q0 + 1; q1 <= in.queries; ++q1)
        checkBlock(seen, run(kernel.getRanges(), {0, 0, 0, q0, q1}, in), q0, q1,
                   in.keys, vain);
    return vain;
  }

  static void checkBlock(const std::vector<std::vector<bool>> &seen,
                         ArrayRef<int64_t> bounds, int64_t q0, int64_t q1,
                         int64_t keys, std::pair<int64_t, int64_t> &vain) {
    std::vector<bool> any(keys), all(keys);
    int64_t end = 0;
    for (unsigned i = 0; i < bounds.size(); i += 4) {
      int64_t anyLo = bounds[i], anyHi = bounds[i + 3];
      if (anyLo < anyHi) {
        ASSERT_GE(anyLo, end);
        ASSERT_LE(anyHi, keys);
        end = anyHi;
      }
      for (int64_t k = 0; k < keys; ++k) {
        if (anyLo <= k && k < anyHi)
          any[k] = true;
        if (bounds[i + 1] <= k && k < bounds[i + 2])
          all[k] = true;
      }
    }
    for (int64_t k = 0; k < keys; ++k) {
      int64_t count = 0;
      for (int64_t q = q0; q < q1; ++q)
        count += seen[q][k];
      ASSERT_TRUE(any[k] || count == 0) << q0 << ".." << q1 << ", key " << k;
      ASSERT_TRUE(!all[k] || count == q1 - q0)
          << q0 << ".." << q1 << ", key " << k;
      vain.first += any[k] && count == 0;
      vain.second += !all[k] && count == q1 - q0;
    }
  }

  void expectExact(const std::string &mask, int64_t past = 0,
                   int64_t chunk = 1) {
    attn::KernelOp kernel = runPass(mask);
    for (auto [queries, keys] :
         {std::pair<int64_t, int64_t>{12, 12}, {17, 5}, {5, 17}, {3, 0}}) {
      auto [visited, masked] = check(kernel, {queries, keys, past, chunk});
      EXPECT_EQ(visited, 0);
      EXPECT_EQ(masked, 0);
    }
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

const std::string bottomRight = R"(
  %n = attn.size "kv_len"
  %m = attn.size "query_len"
  %off = arith.subi %n, %m : index
  %p = arith.addi %i, %off : index
)";
const std::string withPast = R"(
  %t = attn.read %past[%b] : !P -> index
  %p = arith.addi %i, %t : index
)";
const std::string causal = "%c = arith.cmpi sle, %j, %p : index\n";

TEST_F(MaskRangesPassTest, Causal) {
  expectExact(bottomRight + causal);
  for (int64_t past : {-20, -3, 0, 4, 30})
    expectExact(withPast + causal, past);
}

TEST_F(MaskRangesPassTest, WindowInAnotherSpelling) {
  // 0 <= p - j < 5
  expectExact(bottomRight + R"(
    %c0 = arith.constant 0 : index
    %c5 = arith.constant 5 : index
    %d = arith.subi %p, %j : index
    %a = arith.cmpi sge, %d, %c0 : index
    %e = arith.cmpi slt, %d, %c5 : index
    %c = arith.andi %a, %e : i1
  )");
}

TEST_F(MaskRangesPassTest, SymmetricWindowByAbsoluteDistance) {
  expectExact(bottomRight + R"(
    %c3 = arith.constant 3 : index
    %d = arith.subi %p, %j : index
    %r = math.absi %d : index
    %c = arith.cmpi sle, %r, %c3 : index
  )");
}

TEST_F(MaskRangesPassTest, ChunkByConstantAndBySize) {
  for (const char *size : {"arith.constant 4 : index", "attn.size \"chunk\""})
    expectExact(withPast + "%s = " + size + R"(
      %u = arith.floordivsi %p, %s : index
      %w = arith.floordivsi %j, %s : index
      %e = arith.cmpi eq, %u, %w : index
      %l = arith.cmpi sle, %j, %p : index
      %c = arith.andi %e, %l : i1
    )",
                /*past=*/-2, /*chunk=*/4);
}

TEST_F(MaskRangesPassTest, NegativeDivisorIsSound) {
  attn::KernelOp kernel = runPass(R"(
    %s = attn.read %past[%b] : !P -> index
    %u = arith.floordivsi %i, %s : index
    %w = arith.floordivsi %j, %s : index
    %c = arith.cmpi eq, %u, %w : index
  )");
  for (int64_t divisor : {-3, -1, 1, 3})
    check(kernel, {9, 9, divisor});
  EXPECT_EQ(check(kernel, {9, 9, 3}).first, 0);
}

TEST_F(MaskRangesPassTest, ZeroDivisorDoesNotTrap) {
  attn::KernelOp kernel = runPass(R"(
    %s = attn.size "chunk"
    %u = arith.floordivsi %i, %s : index
    %w = arith.floordivsi %j, %s : index
    %c = arith.cmpi eq, %u, %w : index
  )");
  Inputs noKeys{4, 0, 0, 0};
  EXPECT_EQ(run(kernel.getRanges(), {0, 0, 0, 0, 4}, noKeys)[3], 0);
}

TEST_F(MaskRangesPassTest, PastOf64BitsMayBeAnything) {
  attn::KernelOp kernel = runPass(R"(
    %t = attn.read %past64[%b] : !P64 -> index
    %p = arith.addi %i, %t : index
    %c = arith.cmpi sle, %j, %p : index
  )");
  for (int64_t past : {INT64_MIN, INT64_MIN + 3, INT64_MAX, INT64_MAX - 3,
                       int64_t(1) << 40, -(int64_t(1) << 40)})
    check(kernel, {8, 8, past});
  for (int64_t past : {-3, 0, 5}) {
    auto [visited, masked] = check(kernel, {8, 8, past});
    EXPECT_EQ(visited + masked, 0);
  }
}

TEST_F(MaskRangesPassTest, LocalAndGlobalHeads) {
  const std::string mask = withPast + R"(
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : index
    %isGlobal = arith.cmpi eq, %t, %zero : index
    %all = arith.cmpi sle, %j, %i : index
    %s = arith.subi %i, %c4 : index
    %near = arith.cmpi sgt, %j, %s : index
    %local = arith.andi %all, %near : i1
    %c = arith.select %isGlobal, %all, %local : i1
  )";
  expectExact(mask, 0);
  expectExact(mask, 1);
}

TEST_F(MaskRangesPassTest, NotIsUnderstood) {
  expectExact(bottomRight + R"(
    %yes = arith.constant true
    %later = arith.cmpi sgt, %j, %p : index
    %c = arith.xori %later, %yes : i1
  )");
}

TEST_F(MaskRangesPassTest, UnsignedComparisonsAreLeftAlone) {
  check(runPass("%c = arith.cmpi ule, %j, %i : index\n"), {6, 6});
}

/// A formula of random comparisons, at most `depth` deep, as text.
class RandomMask {
public:
  explicit RandomMask(unsigned seed) : engine(seed) {}

  std::string make() {
    std::string c = condition(3);
    return text + "%c = arith.andi " + c + ", " + c + " : i1\n";
  }

private:
  unsigned pick(unsigned n) { return engine() % n; }
  std::string define(const std::string &rhs) {
    std::string name = "%v" + std::to_string(count++);
    text += name + " = " + rhs + "\n";
    return name;
  }
  std::string constant(int64_t v) {
    return define("arith.constant " + std::to_string(v) + " : index");
  }
  std::string index(unsigned depth) {
    static const char *ops[] = {"addi", "subi", "minsi", "maxsi"};
    switch (depth == 0 ? pick(4) : pick(9)) {
    case 0:
      return "%i";
    case 1:
      return "%j";
    case 2:
      return constant(int64_t(pick(12)) - 4);
    case 3:
      return define(pick(2) ? "attn.read %past[%b] : !P -> index"
                            : "attn.size \"kv_len\"");
    case 4: {
      std::string a = index(depth - 1), d = constant(1 + pick(5));
      return define("arith.floordivsi " + a + ", " + d + " : index");
    }
    case 5: {
      std::string a = index(depth - 1), d = constant(int64_t(pick(5)) - 2);
      return define("arith.muli " + a + ", " + d + " : index");
    }
    default: {
      std::string a = index(depth - 1), b = index(depth - 1);
      return define(std::string("arith.") + ops[pick(4)] + " " + a + ", " + b +
                    " : index");
    }
    }
  }
  std::string condition(unsigned depth) {
    static const char *predicates[] = {"slt", "sle", "sgt", "sge", "eq", "ne"};
    if (depth == 0 || pick(4) == 0) {
      std::string a = index(2), b = index(2);
      return define(std::string("arith.cmpi ") + predicates[pick(6)] + ", " +
                    a + ", " + b + " : index");
    }
    static const char *ops[] = {"andi", "andi", "ori", "xori"};
    std::string a = condition(depth - 1), b = condition(depth - 1);
    return define(std::string("arith.") + ops[pick(4)] + " " + a + ", " + b +
                  " : i1");
  }

  std::mt19937 engine;
  std::string text;
  unsigned count = 0;
};

TEST_F(MaskRangesPassTest, RandomMasksAreSound) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::string mask = RandomMask(seed).make();
    attn::KernelOp kernel = runPass(mask);
    for (int64_t past : {-2, 3})
      check(kernel, {7, 9, past});
    ASSERT_FALSE(HasFailure()) << "seed " << seed << "\n" << mask;
  }
}

} // namespace
