//===- ConvertAttnToTileTest.cpp - The lowering keeps the meaning ---------===//
//
// Each case is a function of one kernel. It is interpreted at stage scheduled
// and, after the pass, at stage tile, in double precision: the same numbers,
// and NaN in the same places.
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"

#include "attnc/Dialect/Attn/Attn.h"
#include "attnc/Dialect/Tile/Passes.h"
#include "attnc/Dialect/Tile/Tile.h"
#include "attnc/Lowering/Passes.h"
#include "attnc/Reference/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace attnc;
using namespace mlir;
using llvm::formatv;
using reference::Tensor;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A kernel, in text.
struct Case {
  // Regions; see the defaults for what they may use.
  std::string score = "attn.yield %x : f32";
  std::string mask = "%c = arith.constant true\n attn.yield %c : i1";
  std::string ranges, init; // empty: none
  std::string schedule = "form = online, q = 8, k = 8, rescale_threshold = "
                         "0.0, rescale_in = value";
  std::string norm = "shift = max, weight = exp2, divide = sum";
  double scale = 0.5;
  int64_t kvHeads = 2, group = 1, d = 3, e = 5;
  std::string kvLen = "?"; // or a number
  // Run-time sizes and inputs.
  int64_t queryLen = 0, keyLen = 0;
  double poison = 0; // written into V where the mask of the case is false
  int64_t poisonedKey = -1; // of each head; -1: the last one
  bool withLse = true;
  std::string element = "f32"; // of Q, K, V and O; f64: of everything
};

constexpr int64_t kBatch = 2;

/// Text that every region may start with.
std::string prologue() {
  return R"(
    %n = attn.size "kv_len"
    %m = attn.size "query_len"
    %off = arith.subi %n, %m : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
)";
}

/// Replaces `from` by `to` in the lines that start with one of `starts`.
std::string replaceIn(StringRef text, StringRef starts, StringRef from,
                      const std::string &to) {
  std::string result;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    std::string changed = line.str();
    bool chosen = starts.empty() || (line.size() > 1 && line[0] == '!' &&
                                     starts.contains(line[1]));
    for (size_t at = 0; chosen && (at = changed.find(from, at)) != changed.npos;
         at += to.size())
      changed.replace(at, from.size(), to);
    result += changed + "\n";
  }
  return result;
}

std::string textOf(const Case &c) {
  int64_t heads = c.kvHeads * c.group;
  std::string nkv = c.kvLen == "?" ? "kv_len" : c.kvLen;
  std::string regions = formatv(R"(score {{
^bb0(%x: f32, %b: index, %h: index, %g: index, %q: index, %k: index):
  {0} {1}
} mask {{
^bb0(%b: index, %h: index, %g: index, %q: index, %k: index):
  {0} {2}
})",
                                prologue(), c.score, c.mask);
  if (!c.init.empty())
    regions += formatv(R"( init {{
^bb0(%b: index, %h: index, %g: index, %q: index):
  {0} {1}
})",
                       prologue(), c.init);
  if (!c.ranges.empty())
    regions += formatv(R"( ranges {{
^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
  {0} {1}
})",
                       prologue(), c.ranges);
  return formatv(
      R"(
!Q = tensor<?x{0}x?x{3}xf32, #attn.dims<batch, {0}, query_len, {3}>>
!K = tensor<?x{1}x{7}x{3}xf32, #attn.dims<batch, {1}, {5}, {3}>>
!V = tensor<?x{1}x{7}x{4}xf32, #attn.dims<batch, {1}, {5}, {4}>>
!O = tensor<?x{0}x?x{4}xf32, #attn.dims<batch, {0}, query_len, {4}>>
!L = tensor<?x{0}x?xf32, #attn.dims<batch, {0}, query_len>>
!q = tensor<?x{1}x{2}x?x{3}xf32, #attn.dims<batch, {1}, {2}, query_len, {3}>>
!o = tensor<?x{1}x{2}x?x{4}xf32, #attn.dims<batch, {1}, {2}, query_len, {4}>>
!l = tensor<?x{1}x{2}x?xf32, #attn.dims<batch, {1}, {2}, query_len>>
func.func @f(%Q: !Q, %K: !K, %V: !V, %table: tensor<7xf32, #attn.dims<7>>,
             %len: tensor<?xi32, #attn.dims<batch>>) -> (!O, !L) {{
  %vq = attn.view "b(hg)qd->bhgqd" %Q : !Q -> !q
  %o, %lse = attn.kernel ins(%vq, %K, %V : !q, !K, !V) -> (!o, !l)
    normalize #attn.norm<{8}>
    attributes {{scale = {9:f6} : f64, probabilities = f32,
      schedule = #attn.schedule<{10}, target = #tile.cpu<isa = avx2,
        mapping = rows, lanes = 8, score_granule = [4, 2],
        value_granule = [4, 2], unroll = 4, tail = 0, lane_skip = false,
        pack = auto, partial = 3>>}
  {6}
  %O = attn.view "bhgqe->b(hg)qe" %o : !o -> !O
  %L = attn.view "bhgq->b(hg)q" %lse : !l -> !L
  return %O, %L : !O, !L
})",
      heads, c.kvHeads, c.group, c.d, c.e, nkv, regions, c.kvLen, c.norm,
      c.scale, c.schedule);
}

std::string moduleOf(const Case &c) {
  std::string text = textOf(c);
  if (c.element == "f64")
    return replaceIn(text, "", "f32", "f64");
  text = replaceIn(text, "QKVOqo", "xf32", "x" + c.element);
  return replaceIn(text, "", "probabilities = f32",
                   "probabilities = " + c.element);
}

Tensor randomTensor(Type element, ArrayRef<int64_t> shape, std::mt19937 &rng) {
  Tensor tensor = reference::makeTensor(element, shape);
  std::normal_distribution<double> normal;
  for (double &x : tensor.real)
    x = static_cast<float>(normal(rng));
  return tensor;
}

class ConvertAttnToTile : public ::testing::Test {
protected:
  ConvertAttnToTile() {
    context.loadDialect<attn::AttnDialect, tile::TileDialect, func::FuncDialect,
                        scf::SCFDialect>();
  }

  std::vector<Tensor> inputsOf(const Case &c) {
    std::mt19937 rng(17);
    Type f32 = Float32Type::get(&context);
    int64_t heads = c.kvHeads * c.group;
    std::vector<Tensor> inputs;
    inputs.push_back(randomTensor(f32, {kBatch, heads, c.queryLen, c.d}, rng));
    inputs.push_back(
        randomTensor(f32, {kBatch, c.kvHeads, c.keyLen, c.d}, rng));
    inputs.push_back(
        randomTensor(f32, {kBatch, c.kvHeads, c.keyLen, c.e}, rng));
    inputs.push_back(randomTensor(f32, {7}, rng));
    inputs.back().real[1] = -kInf; // a sink that is none
    Tensor len =
        reference::makeTensor(IntegerType::get(&context, 32), {kBatch});
    len.integer = {c.keyLen / 2, c.keyLen};
    inputs.push_back(len);
    int64_t key = c.poisonedKey < 0 ? c.keyLen - 1 : c.poisonedKey;
    if (c.poison != 0 && key >= 0 && key < c.keyLen)
      for (int64_t i = 0; i < kBatch * c.kvHeads; ++i)
        inputs[2].real[(i * c.keyLen + key) * c.e] = c.poison;
    return inputs;
  }

  /// Runs the pass and compares; `what` describes the case in messages.
  void check(const Case &c, bool clean = false) {
    std::string what =
        formatv("query_len {0}, kv_len {1}", c.queryLen, c.keyLen);
    SCOPED_TRACE(what);
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(moduleOf(c), &context);
    ASSERT_TRUE(module) << moduleOf(c);
    std::vector<Tensor> tensors = inputsOf(c);
    reference::Sizes sizes;
    sizes["batch"] = kBatch;
    sizes["query_len"] = c.queryLen;
    sizes["kv_len"] = c.keyLen;
    FailureOr<std::vector<Tensor>> expected =
        reference::interpret(*module->getOps<func::FuncOp>().begin(), tensors,
                             sizes, reference::Precision::Exact);
    ASSERT_TRUE(succeeded(expected));

    PassManager passes(&context);
    passes.addPass(lowering::createConvertAttnToTile());
    passes.addPass(tile::createVerifyProgram());
    if (clean) {
      passes.addPass(createCanonicalizerPass());
      passes.addPass(createCSEPass());
      passes.addPass(createLoopInvariantCodeMotionPass());
      passes.addPass(tile::createVerifyProgram());
    }
    ASSERT_TRUE(succeeded(passes.run(*module)));
    for (const Tensor &output : *expected)
      tensors.push_back(reference::makeTensor(output.element, output.shape));
    for (double &x : tensors.back().real)
      x = 42; // stays where the output is absent
    auto program = *module->getOps<tile::ProgramOp>().begin();
    SmallVector<int64_t> values;
    unsigned first = tensors.size();
    for (unsigned i = first; i < program.getBody().getNumArguments(); ++i) {
      StringRef name = cast<StringAttr>((*program.getArgNames())[i]);
      values.push_back(sizes.lookup(name));
    }
    SmallVector<bool> present(tensors.size(), true);
    present.back() = c.withLse;
    ASSERT_TRUE(succeeded(reference::interpret(
        program, tensors, present, values, reference::Precision::Exact)));
    compare((*expected)[0], tensors[first - 2]);
    if (c.withLse)
      compare((*expected)[1], tensors[first - 1]);
    else
      EXPECT_TRUE(
          llvm::all_of(tensors.back().real, [](double x) { return x == 42; }));
  }

  static void compare(const Tensor &expected, const Tensor &got) {
    ASSERT_EQ(expected.real.size(), got.real.size());
    for (size_t i = 0; i < got.real.size(); ++i) {
      double want = expected.real[i], have = got.real[i];
      if (std::isnan(want) || std::isinf(want))
        ASSERT_TRUE(std::isnan(want) ? std::isnan(have) : want == have)
            << "element " << i << ": expected " << want << ", got " << have;
      else
        ASSERT_NEAR(want, have, 1e-7 * (1 + std::abs(want))) << "element " << i;
    }
  }

  /// All pairs of lengths around the tiles of 8 and 3.
  void checkLengths(Case c) {
    for (int64_t queryLen : {0, 1, 5, 8, 9, 17})
      for (int64_t keyLen : {0, 1, 3, 8, 11, 16, 29}) {
        c.queryLen = queryLen;
        c.keyLen = keyLen;
        check(c);
        if (::testing::Test::HasFatalFailure())
          return;
      }
  }

  MLIRContext context;
};

TEST_F(ConvertAttnToTile, NoMaskWithoutRanges) { checkLengths(Case{}); }

TEST_F(ConvertAttnToTile, NoMaskWithRanges) {
  Case c;
  c.ranges = kAllRanges;
  checkLengths(c);
}

TEST_F(ConvertAttnToTile, CausalWithoutRanges) {
  Case c;
  c.mask = kCausal;
  checkLengths(c);
}

TEST_F(ConvertAttnToTile, CausalWithRanges) {
  Case c;
  c.mask = kCausal;
  c.ranges = kCausalRanges;
  c.group = 2;
  checkLengths(c);
}

TEST_F(ConvertAttnToTile, WindowHasHeadAndTail) {
  Case c;
  c.mask = kWindow;
  c.ranges = windowRanges();
  checkLengths(c);
}

TEST_F(ConvertAttnToTile, TwoSegments) {
  Case c;
  c.mask = kSinksAndWindow;
  c.ranges = sinksAndWindowRanges();
  checkLengths(c);
}

TEST_F(ConvertAttnToTile, PaddingFromATable) {
  Case c;
  c.mask = kPadding;
  checkLengths(c);
}

TEST_F(ConvertAttnToTile, SinkAndEmptyRows) {
  Case c;
  c.mask = kCausal;
  c.ranges = kCausalRanges;
  c.init = kSink;
  c.kvHeads = 3;
  checkLengths(c);
}

TEST_F(ConvertAttnToTile, NaturalExponential) {
  Case c;
  c.norm = "shift = max, weight = exp, divide = sum";
  c.mask = kCausal;
  c.init = kSink;
  checkLengths(c);
}

TEST_F(ConvertAttnToTile, LazyRescale) {
  Case c;
  c.schedule = "form = online, q = 8, k = 8, rescale_threshold = 1.0, "
               "rescale_in = prob";
  c.scale = 3;
  c.mask = kCausal;
  checkLengths(c);
}

TEST_F(ConvertAttnToTile, SplitScore) {
  Case c;
  c.score = kRichScore;
  c.mask = kCausal;
  c.ranges = kCausalRanges;
  c.group = 2;
  checkLengths(c);
}

TEST_F(ConvertAttnToTile, NanInMaskedValuesStaysOut) {
  for (double poison : {kNan, kInf}) {
    Case c;
    c.mask = kCausal;
    c.ranges = kCausalRanges;
    c.poison = poison;
    checkLengths(c);
  }
}

TEST_F(ConvertAttnToTile, NanInAllowedValuesArrives) {
  Case c;
  c.poison = kNan;
  checkLengths(c);
}

TEST_F(ConvertAttnToTile, RowsForm) {
  for (const char *init : {"", kSink})
    for (double poison : {0.0, kNan})
      for (int64_t keys : {1, 5, 13, 16}) {
        Case c;
        c.kvLen = std::to_string(keys);
        c.keyLen = keys;
        c.init = init;
        c.poison = poison;
        c.schedule = "form = rows, q = 8, k = 16, rescale_threshold = 0.0, "
                     "rescale_in = value";
        for (const char *mask : {"", kCausal, kPadding})
          for (int64_t queries : {0, 1, 8, 19}) {
            if (*mask)
              c.mask = mask;
            c.queryLen = queries;
            check(c);
          }
      }
}

/// Linear attention in chunks of `chunk` keys.
static Case chunkedCase(int64_t chunk, const char *divide) {
  Case c;
  c.norm = formatv("shift = none, weight = identity, divide = {0}", divide);
  c.schedule = formatv("form = chunked, q = 8, k = 8, chunk = {0}, "
                       "rescale_threshold = 0.0, rescale_in = value",
                       chunk);
  c.mask = kCausal;
  c.ranges = kCausalRanges;
  return c;
}

TEST_F(ConvertAttnToTile, ChunkedForm) {
  for (int64_t chunk : {1, 3, 8})
    for (const char *divide : {"none", "sum"})
      for (const char *rate : {"-0.125", "0.25", "3.0"}) {
        Case c = chunkedCase(chunk, divide);
        c.score = decayScore(rate);
        c.group = 2;
        SCOPED_TRACE(formatv("{0}, {1}, {2}", chunk, divide, rate).str());
        checkLengths(c);
      }
}

TEST_F(ConvertAttnToTile, ChunkedFormWithoutRanges) {
  Case c = chunkedCase(4, "sum");
  c.ranges = "";
  checkLengths(c);
}

// States are sums over many keys: what is no number must neither come in with a
// masked key nor reach rows before its own.
TEST_F(ConvertAttnToTile, ChunkedFormWithNan) {
  for (double poison : {kNan, kInf})
    for (int64_t key : {0, 5, 13})
      for (const char *mask : {kCausal, kCausalPadding, kCausalButFive}) {
        Case c = chunkedCase(4, "none");
        c.mask = mask;
        c.ranges = "";
        c.poison = poison;
        c.poisonedKey = key;
        checkLengths(c);
      }
}

TEST_F(ConvertAttnToTile, OtherElementTypes) {
  for (const char *element : {"f64", "f16", "bf16"}) {
    Case c;
    c.element = element;
    c.mask = kCausal;
    c.init = kSink;
    c.score = kRichScore;
    checkLengths(c);
  }
}

TEST_F(ConvertAttnToTile, FeaturesOfAnySize) {
  for (int64_t d : {1, 2, 7, 40})
    for (int64_t e : {1, 3, 64}) {
      Case c;
      c.d = d;
      c.e = e;
      c.mask = kWindow;
      c.ranges = windowRanges();
      c.queryLen = 19;
      c.keyLen = 26;
      check(c);
    }
}

TEST_F(ConvertAttnToTile, AbsentOutputIsNotWritten) {
  Case c;
  c.queryLen = 9;
  c.keyLen = 5;
  c.withLse = false;
  check(c);
}

TEST_F(ConvertAttnToTile, CleaningUpKeepsTheMeaning) {
  Case c;
  c.score = kRichScore;
  c.mask = kSinksAndWindow;
  c.ranges = sinksAndWindowRanges();
  c.init = kSink;
  c.group = 2;
  c.poison = kNan;
  c.queryLen = 21;
  c.keyLen = 34;
  check(c, /*clean=*/true);
}

} // namespace
