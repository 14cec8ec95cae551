//===- AttnKernel.td - The fused op ---------------------------------------===//
//
// Numbers of constraints as in AttnOps.td; tests in
// test/Dialect/Attn/kernel-invalid.mlir.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_DIALECT_ATTN_ATTNKERNEL_TD
#define ATTNC_DIALECT_ATTN_ATTNKERNEL_TD

include "attnc/Dialect/Attn/AttnOpBase.td"

def Attn_KernelOp : Attn_FormulaOp<"kernel", [
    AttrSizedOperandSegments, AttrSizedResultSegments,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Fused attention";
  let description = [{
    Every computation over (query, key) pairs. The letters are b, h, g, q, k, d, e:
    operands q `[b h g q d]`, k `[b h k d]`, v `[b h k e]`.
    ```
    x = scale * (sum over d of q * k)           accumulate type
    s = score(x, b, h, g, q, k, y...)
    ```
    A score may use additional products: every two tensors of `products`, a row
    `[b h g q f]` and a key `[b h k f]` with their own f, define another y, the
    sum over f of row * key. Keys and values that differ between the query heads
    of a group have an additional axis: `[b h g k d]`, independently of each other.
    A region of `pairs` replaces the product q * k in such a sum by a formula of
    elements (additive attention): the first region defines x as
    `scale * sum over d of pair(q, k, d, b, h, g, q, k)`, the next one the first
    y, and so on. A region with more than two elements,
    `pair(q, k, q', k', .., d, ..)`, takes the next rows and keys of `products`.

    With `select`, pairs for which select(x, b, h, g, q, k, y...) is false are
    masked, too. It holds the part of a mask that depends on products.

    `normalize` defines the results:
    ```
    #attn.norm    p, lse = normalize s over the k where mask(b, h, g, q, k)
                           (and select), init(b, h, g, q)
                  o = sum over the same k of round(p, probabilities) * v,
                      or * value(v, e, b, h, g, q, k) if there is `value`,
                      and * gate(x, b, h, g, q, k, y...) if there is `gate`
    #attn.row     row (rank: and key) = a number of the s over the same k
    #attn.dense   dense = mask(b, h, g, q, k) (and select) ? s : fill
    ```
    The semantics are those of the unfused graph: masked keys have weight 0 for any
    score, k and v; a row with no visible key gives 0. With `weight = exp2`, scores
    and init are in the log2 domain; lse is always a natural logarithm. Without a
    shift, `lse` is the sum of the weights itself. Without `init` the sum has no
    additional term. A softmax whose weights are computed elsewhere may return two
    parts: `row`, the maximum score (init included), and as `lse` the sum of
    exp(score - row); exp(score - lse) would round them together.

    Results, by `normalize`: o `[b h g q e]` (if there is a v), lse `[b h g q]`
    and, if requested, dense, the weights p themselves, 0 where masked, or row
    `[b h g q]`; row `[b h g q]` and, for a rank, key `[b h g q]` (i32); dense `[b h g q k]`.

    `ranges(b, h, g, q0, q1)` computes which keys the rows q0 <= q < q1 can see:
    segments (any_lo, all_lo, all_hi, any_hi), sorted and disjoint; keys outside
    [any_lo, any_hi) of all segments are masked for every row, keys in
    [all_lo, all_hi) for none; 0 <= any_lo and any_hi <= kv_len whenever
    any_lo < any_hi; lo >= hi is empty. Deleting it never changes a result.

    `classify(b, h, g, q0, q1, k0, k1)` yields for the rows [q0, q1) and the
    keys [k0, k1) 0 only if the mask is false for all of these pairs, 2 only if
    it is true for all, else 1. It covers cases in which segments are too weak:
    holes, and contents of tables. Deleting it never changes a result, either.

    Constraints:
    - (kernel_c1) operands and results have the ranks above; keys and values have
      rank 4 or 5;
    - (kernel_c2) a letter has one size in all operands and results;
    - (kernel_c3) `lse`, `row` and `probabilities` are of float type, `lse` and
      `row` of the accumulate type, `key` is i32;
    - (kernel_c4) `scale` is finite;
    - (kernel_c5) block arguments: score (x, b, h, g, q, k), mask
      (b, h, g, q, k), init (b, h, g, q), ranges (b, h, g, q0, q1), value
      (x, e, b, h, g, q, k), classify (b, h, g, q0, q1, k0, k1), gate and
      select like score, each of `pairs` elements in twos and (d, b, h, g, q, k);
      score, gate and select have a y for each sum but the first;
    - (kernel_c6) mask and select yield one `i1`, ranges ends with
      `attn.yield_ranges`, classify yields one index, the others yield one accumulate value;
    - (kernel_c7) the regions are formulas (see the dialect);
    - (kernel_c8) the results are those of `normalize`; o, v and `probabilities`
      occur together, and only with `#attn.norm`; lse and row occur together
      without them only with `shift = max`;
    - (kernel_c9) `init` occurs only with `#attn.norm<divide = sum>`;
    - (kernel_c10) `value` and `gate` occur only with a v;
    - (kernel_c11) the number of `products` is even, and the two of a product have
      the same size f; all operands of a region of `pairs` have the same size;
    - (kernel_c12) `pairs` use no more rows and keys than there are.

    Example:
    ```mlir
    func.func @causal(%q: tensor<1x2x1x?x64xf32, #attn.dims<1, 2, 1, query_len, 64>>,
                      %k: tensor<1x2x?x64xf32, #attn.dims<1, 2, kv_len, 64>>,
                      %v: tensor<1x2x?x32xf32, #attn.dims<1, 2, kv_len, 32>>)
        -> tensor<1x2x1x?x32xf32, #attn.dims<1, 2, 1, query_len, 32>> {
      %o, %lse = attn.kernel ins(%q, %k, %v : tensor<1x2x1x?x64xf32, #attn.dims<1, 2, 1, query_len, 64>>, tensor<1x2x?x64xf32, #attn.dims<1, 2, kv_len, 64>>, tensor<1x2x?x32xf32, #attn.dims<1, 2, kv_len, 32>>)
        -> (tensor<1x2x1x?x32xf32, #attn.dims<1, 2, 1, query_len, 32>>, tensor<1x2x1x?xf32, #attn.dims<1, 2, 1, query_len>>)
        normalize #attn.norm<shift = max, weight = exp, divide = sum>
        attributes {scale = 0.125 : f64, probabilities = f32}
      score {
      ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
        attn.yield %x : f32
      } mask {
      ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
        %c = arith.cmpi sle, %j, %i : index
        attn.yield %c : i1
      } ranges {
      ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
        %n = attn.size "kv_len"
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %e = arith.addi %q0, %c1 : index
        %all = arith.minsi %e, %n : index
        %any = arith.minsi %q1, %n : index
        attn.yield_ranges [(%c0, %c0, %all, %any)]
      }
      return %o : tensor<1x2x1x?x32xf32, #attn.dims<1, 2, 1, query_len, 32>>
    }
    ```
  }];
  let arguments = (ins Attn_RealTensor:$q, Attn_RealTensor:$k,
                       Optional<Attn_RealTensor>:$v,
                       Variadic<Attn_RealTensor>:$products,
                       AnyAttrOf<[Attn_NormAttr, Attn_RowAttr,
                                  Attn_DenseAttr]>:$normalize,
                       F64Attr:$scale, OptionalAttr<TypeAttr>:$probabilities,
                       OptionalAttr<Attn_ScheduleAttr>:$schedule);
  let results = (outs Optional<Attn_RealTensor>:$o,
                      Optional<RankedTensorOf<[F32, F64]>>:$lse,
                      Optional<RankedTensorOf<[F32, F64]>>:$row,
                      Optional<RankedTensorOf<[I32]>>:$key,
                      Optional<Attn_RealTensor>:$dense);
  let regions = (region SizedRegion<1>:$score, SizedRegion<1>:$mask,
                        MaxSizedRegion<1>:$init, MaxSizedRegion<1>:$ranges,
                        MaxSizedRegion<1>:$value, MaxSizedRegion<1>:$classify,
                        MaxSizedRegion<1>:$gate, MaxSizedRegion<1>:$select,
                        VariadicRegion<SizedRegion<1>>:$pairs);
  let assemblyFormat = [{
    `ins` `(` $q `,` $k (`,` $v^)? `:` type($q) `,` type($k) (`,` type($v)^)? `)`
    (`products` `(` $products^ `:` type($products) `)`)?
    custom<KernelResults>(type($o), type($lse), type($row), type($key),
                          type($dense), $normalize)
    attr-dict-with-keyword `score` $score `mask` $mask (`init` $init^)?
    (`ranges` $ranges^)? (`pairs` $pairs^)? (`value` $value^)?
    (`classify` $classify^)? (`gate` $gate^)? (`select` $select^)?
  }];
  let hasCanonicalizeMethod = 1;
  let skipDefaultBuilders = 1;
  // Results in the order of their description; `v` may be null, and then
  // `probabilities` is. `pairs` is a number of regions.
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results,
                                 "::mlir::Value":$q, "::mlir::Value":$k,
                                 "::mlir::Value":$v,
                                 "::mlir::Attribute":$normalize,
                                 "double":$scale,
                                 "::mlir::Type":$probabilities,
                                 CArg<"::mlir::ValueRange", "{}">:$products,
                                 CArg<"unsigned", "0">:$pairs)>];
  let extraClassDeclaration = [{
    /// f64 if any tensor of the op is f64, else f32.
    ::mlir::Type getAccumulateType();
    /// The type to which weights are rounded before they multiply V:
    /// `probabilities`, or the accumulate type for weights that are divided
    /// later, which may be out of range until then.
    ::mlir::Type getRoundedWeightType();
    /// The type of the weights in the product with V unless the schedule names
    /// a wider one. The product with a gate is not rounded.
    ::mlir::Type getWeightType() {
      return hasGate() ? getAccumulateType() : getRoundedWeightType();
    }
    /// How scores become weights, or null (a kernel of rows or pairs).
    NormAttr getNorm() { return ::llvm::dyn_cast<NormAttr>(getNormalize()); }
    RowAttr getRowKind() { return ::llvm::dyn_cast<RowAttr>(getNormalize()); }
    /// The results that are there, with their letters.
    ::llvm::SmallVector<std::pair<::mlir::Value, ::llvm::StringRef>, 2>
    getLetteredResults();
    bool hasInit() { return !getInit().empty(); }
    bool hasRanges() { return !getRanges().empty(); }
    bool hasPairs() { return !getPairs().empty(); }
    bool hasValue() { return !getValue().empty(); }
    bool hasClassify() { return !getClassify().empty(); }
    bool hasGate() { return !getGate().empty(); }
    bool hasSelect() { return !getSelect().empty(); }
    /// Score, gate, select: whether the arguments begin with the product.
    bool isOfProducts(::mlir::Region &region) {
      return &region == &getScore() || &region == &getGate() ||
             &region == &getSelect();
    }
    /// What a number of scores is the sum over features of: the region, or null
    /// for a product, and its rows and keys.
    struct Sum {
      ::mlir::Region *pair;
      ::llvm::SmallVector<std::pair<::mlir::Value, ::mlir::Value>, 1> rows;
    };
    /// Those of x and of each y.
    ::llvm::SmallVector<Sum, 2> getSums();
    /// How many rows of the query a region of `pairs` takes elements of, by its
    /// arguments: at least one.
    static unsigned countRows(::mlir::Region &pair);
    /// How many numbers the score has beside x.
    unsigned getNumProducts() { return getSums().size() - 1; }
    /// Types of the block arguments of each region, in the order of the op's
    /// regions: score, mask, init, ranges, value, classify, gate, select, pairs.
    /// The number of rows of the latter is what they have.
    ::llvm::SmallVector<::mlir::Type, 6> getBlockTypes(unsigned region);
    /// Types of the block arguments of a region of `pairs` over so many rows.
    ::llvm::SmallVector<::mlir::Type, 6> getPairTypes(unsigned rows);
    /// Letters of q, k, v, o and lse; lse's are those of row and key, too.
    static constexpr ::llvm::StringLiteral kLabels[5] = {
        "bhgqd", "bhkd", "bhke", "bhgqe", "bhgq"};
    static constexpr ::llvm::StringLiteral kDenseLabels = "bhgqk";
    /// Letters of the two tensors of a product.
    static constexpr ::llvm::StringLiteral kProductLabels[2] = {"bhgqf", "bhkf"};
    /// Of `labels` with k, those with a g for each query head.
    static ::llvm::StringRef withGroup(::llvm::StringRef labels);
    /// q, k, v if it is there, then products, with their letters.
    ::llvm::SmallVector<std::pair<::mlir::Value, ::llvm::StringRef>, 4>
    getLetteredOperands();
    /// Which axis of k counts the keys.
    unsigned getKeyAxis();
    /// Whether keys or values differ from query head to query head.
    bool hasGroupedKeys();
  }];
}

def Attn_YieldRangesOp : Attn_Op<"yield_ranges", [
    Terminator, HasParent<"KernelOp">]> {
  let summary = "Yield the key segments visible to a block of rows";
  let description = [{
    Terminates the `ranges` region of a kernel with segments (any_lo, all_lo,
    all_hi, any_hi). `attn.kernel` defines their meaning.

    Constraints:
    - (yield_ranges_c1) there are four values per segment.

    Example, keys up to the row's own of a causal mask:
    ```mlir
    func.func @causal(%q: tensor<1x1x1x4x8xf32>, %k: tensor<1x1x4x8xf32>) -> tensor<1x1x1x4x8xf32> {
      %o, %lse = attn.kernel ins(%q, %k, %k : tensor<1x1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>)
        -> (tensor<1x1x1x4x8xf32>, tensor<1x1x1x4xf32>)
        normalize #attn.norm<shift = max, weight = exp, divide = sum>
        attributes {scale = 1.0 : f64, probabilities = f32}
      score {
      ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
        attn.yield %x : f32
      } mask {
      ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
        %c = arith.cmpi sle, %j, %i : index
        attn.yield %c : i1
      } ranges {
      ^bb0(%b: index, %h: index, %g: index, %q0: index, %q1: index):
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %all = arith.addi %q0, %c1 : index
        attn.yield_ranges [(%c0, %c0, %all, %q1)]
      }
      return %o : tensor<1x1x1x4x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$bounds);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getNumSegments() { return getBounds().size() / 4; }
    /// any_lo, all_lo, all_hi, any_hi.
    ::mlir::OperandRange getSegment(unsigned i) {
      return getBounds().slice(4 * i, 4);
    }
  }];
}

#endif // ATTNC_DIALECT_ATTN_ATTNKERNEL_TD
