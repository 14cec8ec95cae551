//===- Reference.cpp - The language's tables as a document ----------------===//

#include "attnc/Spec/Reference.h"

#include "Diagnostic/Report.h"
#include "Language/Language.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace attnc::spec {

static constexpr StringLiteral introduction = R"(# The spec language

<!-- Written by `attnc-spec-check --reference` from the tables in lib/Spec/Language/*.def
     and the prose in lib/Spec/Language/Reference.cpp; a test compares the two. -->

A spec is the paper's equation in a YAML file. Five formulas, each with a
default, define every attention:

| formula | default | meaning |
|---|---|---|
| `score` | `Q @ K / sqrt(head_dim)` | one value per (b, h, i, k) |
| `mask` | `true` | which keys are visible to a query row |
| `attention` | `softmax(score)` | the weight of each allowed key |
| `value` | `V` | the vector that a key contributes |
| `output` | `O` | `O` is the sum over k of attention * value |

A spec contains only what differs from the defaults. Each YAML document defines one
function; a file with several documents, separated by `---`, is compiled to one object. A
minimal spec:

```yaml
attnc: 1
heads: 12
head_dim: 64
```

Parts of the language that are not implemented yet are parsed and checked like the rest,
then rejected with `[unsupported]`.
)";

static constexpr StringLiteral sizes = R"(
A **size** is a positive integer below 2^31, `any` (read from the tensors at each
call; 0 is legal), or an integer formula of other sizes: `query_len: kv_len` declares
self-attention. Every `any` under `sizes` must be an axis of an input. `prefill(n)`
is `{batch: 1, query_len: n, kv_len: n}`, `decode(n)` is
`{batch: 1, query_len: 1, kv_len: n}`; fixed sizes keep their values. Run-time sizes that a
regime does not list default to 1 (`batch`) or `kv_len` (all others), so list `kv_len`, too: a decoder that mostly verifies 8 tokens has
`expect: [prefill(1024), {query_len: 8, kv_len: 4096, weight: 2}]`. Functions may have
[a copy for some sizes](stages/4-scheduled.md#several-schedules); `NAME_describe()` lists them with their bounds.

The option `--set KEY=VALUE` overrides a key of the file.
)";

static constexpr StringLiteral formulas = R"(
## Formulas

Precedence, loosest first: `or`, `and`, `not`, comparisons `== != < <= > >=` (they
chain as in mathematics: `0 <= q - k < 128`), `+ -`, `* / // % @`, unary `-`, `**`
(to the right), then calls, indices and `.T`. Binary operators associate to the
left. YAML's own rules hold: ` #` starts a comment, and a formula that begins with
one of `* & ! | > % @ [ {` or a quote must be quoted.

| type | rule |
|---|---|
| boolean | never converted from or to a number; write `where(c, 1, 0)` |
| integer | 64 bits, exact; `//` and `%` round towards minus infinity, `%` has the sign of the divisor; formulas that could overflow for sizes below 2^31 are rejected; products of sizes are checked by the call |
| float | `/` always returns a float: `1/16` is 0.0625; an integer is converted where it meets a float, after its own subexpression is evaluated in integers; constants fold in f64 |
| vector | a row of Q, K or V, or an input without its last index: `w[h]`; operators, comparisons, `where` and functions are elementwise, and scalars are broadcast; `u @ v` is the dot product. Integer vectors are computed in integers until they meet a float |
| matrix | an input without its last two indices: `W[h]`; `W @ v`, `v @ W`, `W.T` |

An integer raised to a constant, non-negative power is an integer. Fixed sizes are constants.
`x ** y` of floats has the special values of C's `pow` (C99 F.10.4.4): `x ** 0` and
`1 ** y` are 1 even for a NaN, `(-1) ** inf` is 1, `(-inf) ** 0.5` is inf, `0 ** -1` is
inf, and a power of a finite negative number is NaN unless the exponent is an integer.
`temperature` divides the score inside `softmax`, but not the sink.

| variable | meaning |
|---|---|
)";

static constexpr StringLiteral afterVariables =
    R"(| `Q`, `K`, `V` | the vectors of row (b, h, i) and (b, g, k) |
| `score` | in `attention` only: the value of the `score` formula |
| sizes | `batch query_len kv_len heads kv_heads group head_dim key_dim value_dim` and those of `sizes` |

`score`, `value` and `mask` may use all of them. `sink` and `temperature` are per-row
scalars: they may use Q, but not `k`, K or V. `offset` may use `b`, sizes and inputs; sizes,
axes and the bounds of ranges may use sizes only.

`let` names formulas: `name: formula` is substituted wherever the name is used, and
`name(x, y): formula` is a macro. Entries called Q, K and V redefine these rows; if the
definition does not read the row itself, the row is no longer an argument of the call. In
such a definition, an input without indices is indexed by the names of its axes: `K: K8 * scale` with
`K8: i8[batch, kv_heads, kv_len, head_dim]` and `scale: [batch, kv_heads, kv_len]` is
`K8[b, g, k] * scale[b, g, k]`.
)";

static constexpr StringLiteral masks = R"(
## Masks

The mask selects keys: where it is false, the weight is exactly 0, and a NaN or an
infinity in the score, K or V never reaches the output. A fully masked row
gives 0 and `lse = -inf` (with a sink: 0 and `lse = sink`).

| name | definition | visible keys |
|---|---|---|
)";

static constexpr StringLiteral inputs = R"(
These are macros; any other formula is equally valid. A mask that combines query positions
with a per-sequence length under the default `offset` causes a warning.

A mask may read rows. Conditions that depend on the query only or the key only (`Q @ w[h] >
0`, `K @ u > 0.5`) are computed once per row and read like an input; products of both (`Q @
K > 0`) are computed for all pairs that index conditions (`causal and ...`) do not exclude.

## Inputs

`name, ...: [inout | resident] [dtype] [axes] [nondecreasing] [in lo..hi]`, for example
`doc: i32[batch, kv_len] nondecreasing`, `temp: f32` (a scalar),
`bias: [heads, query_len, kv_len]`. Types: `f64 f32 f16 bf16 i64 i32 i8 u8 bool`;
0 to 5 axes; an axis is an integer formula of sizes. Every input must be used.
An `inout` input is a cache ([Caches](#caches)), which the call changes.
A `resident` input is the same for all calls ([Resident weights](#resident-weights)).
`nondecreasing` (along the last axis) and `in lo..hi` (both ends included) are
checked by the call; `lo` and `hi` are integer formulas of sizes.

Declare a run-time number that is not the extent of a tensor as an input without axes. For
a window whose width is a run-time argument, write `mask: window(W)` with `W: i32`: it is as
fast as a fixed width, and skips the same keys.

Every index must be provably in range. Proofs from the ranges of `b`, `h`, `g`, `i`, `k`,
from sizes and from guards have no run-time cost; guards are the left side of `and` and `or`,
the condition of `where`, and, for the score, the mask. Conditions on sizes only (`doc[b, q]`
needs `query_len <= kv_len`) become preconditions of the call, unless they would limit a
size to at most 1, which is an error. An index read from a table needs
`in lo..hi` on that table or `clamp(...)`. Quotients of sizes are understood: with `kv_len:
rows * columns`, `k // columns` is in 0 .. rows - 1 and `k % columns` in 0 .. columns - 1.

Integer divisors must be provably nonzero in the same way. In `score` and `mask`, `batch`,
`query_len` and `kv_len` are at least 1, since these formulas are evaluated for existing rows
and keys only; other sizes that are `any` may be 0 and cause the precondition `n >= 1`.
A divisor that is nonzero only because of a guard, or because a row or key exists, is
computed as `max(divisor, 1)`.

## Storage

| storage | tensors | location of row r of sequence b |
|---|---|---|
| `dense` | `[batch, heads, rows, features]` | row r |
| `ragged(start)` | `[all rows, heads, features]` | row `start[b] + r`, for the rows below `start[b + 1]` |
| `paged(table, n)` | `[pages, kv_heads, n, features]` | row `r % n` of page `table[b, r // n]` |

`query` is the storage of Q and of the outputs, which then have no batch axis
(`lse` is `[all rows, heads]`); `kv` is the storage of K and V. Queries cannot be paged. With
ragged keys, the last axis of `attention` and `score` spans all keys: key k of
sequence b is at `start[b] + k`, and keys of other sequences count as masked. So `attention @
V` is O, as for one sequence of all rows with a document mask, and the output has that size.

`start: i32[batch + 1] nondecreasing` (or i64) has one more entry than there are
sequences. Its values are in 0 .. the total number of rows; the call checks this
(`ATTNC_BAD_VALUE`). Sequences may be empty, and rows before the first or after the
last sequence are neither read nor written. The size of the axis of all rows is called
`query_tokens` (`kv_tokens`) and may be used in formulas and inputs. `query_len`
(`kv_len`) differs between sequences and cannot be set; it is available where `b` is, so it
cannot be an axis of an input. `i`, `q` and `k` count within a sequence, but an axis of all
rows does not: from `bias: [heads, query_tokens, kv_tokens]`, read `bias[h, start[b] + i,
start[b] + k]`; `bias[h, i, k]` causes a warning. With the default `offset`, the last query
of each sequence is aligned to its last key. Both sides may share one `start`.

The range of `table: i32[batch, width] in 0..pages - 1` (or i64) declares the number of
pages. The table does not determine the number of keys of a sequence: set `kv_len` to
`width * n` or less (larger values are rejected by the call, `ATTNC_BAD_SHAPE`), and mask
the end of shorter sequences: `mask: k < length[b]`. The call checks all entries of the
table, so unused ones must hold some valid page. If unused entries hold -1, declare
`in -1..pages - 1`: keys of missing pages are read as rows of zeros, which the
mask must exclude. Nothing is ever read out of range. Several sequences may
share pages, and pages may be in any order.

In formulas of tensors (see Layers), one axis for all rows replaces batch and length on a
ragged side: Q is `[heads, query_tokens, head_dim]`, K is `[kv_heads,
kv_tokens, key_dim]`, O is `[heads, query_tokens, value_dim]`, and definitions of Q, K
and V under `let` (such as `K: K * 2`) are formulas of tensors. So a layer of packed prompts is
written like any other layer, with `x: [query_tokens, model]`; `rope` counts positions within
each sequence. If both sides share one `start` and there is an `output`, or `let` defines
rows, `kv_tokens` equals `query_tokens`. In rows that belong to no sequence, O is 0, and
`output` is evaluated on these zeros.

A cache with scales is a formula. With pages, `K: cache[table[b, k // 16], g, k % 16] *
scale[table[b, k // 16], g, k % 16]` with `cache: i8[pages, kv_heads, 16, key_dim]` and
`kv_len: width * 16` reads the same rows as `paged(table, 16)`; the axes of `cache` may have
any order. Every entry of `table` must be a page (`in 0..pages - 1`): let unused entries be 0,
and mask their keys. With ragged rows it is `K: cache * scale` with `cache: i8[kv_heads,
kv_tokens, key_dim]` and `scale: [kv_heads, kv_tokens]`; memory may hold the axes in another
order, since the caller passes strides.

Not supported yet: `attend` to other rows than those of ragged or paged storage, and using
paged rows as tensors (in `rope` and products). Per-row definitions such as
`K: l2_norm(K) * 2` work with pages, too.
)";

static constexpr StringLiteral outputs = R"(
## Outputs

The main output `O`, `[batch, heads, query_len, value_dim]`, comes first, followed by those
of `outputs`: first in the order of this table, then names of `let` in the order of the
list. Every output except `O` may be NULL in a call and is then not computed. The outputs of
this table are f32, or f64 if Q, K, V or O is f64.

| output | shape | meaning |
|---|---|---|
| `lse` | `[batch, heads, query_len]` | natural logarithm of the denominator of softmax, sink included |
| `attention` | `[batch, heads, query_len, kv_len]` | the weights |
| `score` | `[batch, heads, query_len, kv_len]` | the scores, -inf where the mask is false |
| `state` | `[batch, kv_heads, features, value_dim]`, or one column more | the running state of linear attention |
| an entry of `let` | that of its tensor | the tensor; like `output`, it may use O; its element type is that of O |

A `state` exists if the weights have the form `f(q) * (u(q) @ v(k)) * D(q, k)`: f and u
depend on the query, v depends on the key, and the decay D is a product of a query-side and a
key-side factor, `exp` or `exp2` of a sum of both, or `base ** (q - k)`. If r is the last query row,

    state[b, g, d, e] = sum over k of D(r, k) * v(k)[d] * value(k)[e]

over the keys that are visible to r under the conditions of the mask that contain k: none,
`k <= q`, and conditions on the key only. Factors that depend on the query only, or on
neither side (`/ sqrt(head_dim)`), are not included. If `attention` contains the `sum` of
its weights, a last column `e = value_dim` holds the same sum without value. A later row
continues from the state with the keys that are not visible to r:

    sum of weights * value = f(q) * D(q, .) / D(r, .) * (u(q) @ state) + that over the other keys

The quotient is the same for all keys; the sum of the weights is continued in the same way.
To start from a state S, prepend one key per row of S, the unit vectors, with the rows of S
as values: `K: concat(eye(head_dim), k, axis=rows)` and `V: concat(S,
v, axis=rows)`, with `kv_len: head_dim + query_len`, for a score that is linear in K.
If there are no queries, r is the row before row 0, where inputs along query_len count as 0.
All query heads of a group share a state, so no key-side factor may depend on h.

)";

static constexpr StringLiteral layers = R"(
## Layers

`let` may also define Q, K and V as whole tensors, and `output` may compute the result from
O: then the function is a layer, and its main output is called `Y`.

```yaml
attnc: 1
heads: 12
head_dim: 64
query_len: kv_len
sizes:
  model: 768
mask: causal
let:
  Q: split_heads(x @ Wq)
  K: split_heads(x @ Wk)
  V: split_heads(x @ Wv)
output: x + merge_heads(O) @ Wo
inputs:
  x: [batch, kv_len, model]
  Wq, Wk, Wv: [model, heads * head_dim]
  Wo: [heads * value_dim, model]
```

An entry of `let` is a formula of tensors if it uses one of the functions below, directly or
through another entry that it names without indices, or if only `output` uses it. In such a
formula, an input without indices is the whole tensor; Q is `[batch, heads, query_len,
head_dim]`, K and V are `[batch, kv_heads, kv_len, key_dim]` (`value_dim` for V), as
`let` defines them, and O is `[batch, heads, query_len, value_dim]`. Definitions of Q, K and
V must have these axes; batch and heads may be omitted, which broadcasts the tensor.

All other formulas read the tensor of an entry by indices, like an input of floats: with
`G: cumsum(gate)` and one gate per row, `score: Q @ K * exp(G[b, h, q] - G[b,
h, k])`. The tensor is computed once per call, before the attention.

Axes are identified by their sizes. `A @ B` sums over the last axis of A and the
second-to-last (or only) axis of B; of the remaining leading axes, common ones are batch axes,
and the others are kept. Operators and functions of floats are elementwise: the axes
of one operand must be a subsequence of those of the other, and are matched from the right
(`[batch, query_len, model] + [model]`); axes with the same size name are matched before axes
of equal value. `X.T` swaps the last two axes. Numbers, sizes and inputs without axes are
broadcast.

The element type of a product or a formula is the wider type of its operands (f32 for f16 with
bf16). It is computed in f32 (f64 if an operand is f64) and rounded once; a norm inside a
formula is part of it, so `l2_norm(Q) * 3` is rounded once. Where a product or attention loads
8-bit integers, `W8 * scale` is not rounded. The weights of a softmax and its
argument keep the type of the computation. Integer inputs are converted to this type wherever
a tensor of floats is expected, including products: exactly up
to 2 ** 24 in f32 and 2 ** 53 in f64, rounded to nearest beyond.

Q, K and V may be defined by each other, as in `K: l2_norm(Q)`, if the spec declares equal
lengths (`query_len: kv_len`).

)";

static constexpr StringLiteral caches = R"(
### Caches

An `inout` input is a cache: each call stores new rows in it, in place.

```yaml
attnc: 1
heads: 12
head_dim: 64
sizes:
  model: 768
mask: causal
offset: past[b]
let:
  Q: split_heads(x @ Wq)
  K: cached(k_cache, split_heads(x @ Wk), past[b])
  V: cached(v_cache, split_heads(x @ Wv), past[b])
inputs:
  x: [batch, query_len, model]
  Wq, Wk, Wv: [model, heads * head_dim]
  k_cache, v_cache: inout [batch, heads, kv_len, head_dim]
  past: i32[batch]
```

`cached(C, X, past[b])` returns C with the rows X stored at index `past[b]` and after in
sequence b; with a scalar `past`, the index is the same for all sequences. One axis of C is
`kv_len`, the capacity; X has the other axes and any number of rows (usually `query_len`),
including none. The same function handles a prompt (`past` is 0, many rows) and every later
token (`past` is the number of stored rows, one row).

- The range of `past` is `0..kv_len - query_len`, intersected with the declared range: if the
  rows do not fit, the call is rejected (`ATTNC_BAD_VALUE`) before anything is
  written.
- Keys after the last stored row are masked, and their tiles are skipped. `k < past[b] +
  query_len` is added to the mask, unless the mask implies it, as `causal` does with
  `offset: past[b]`. The contents of these rows, NaN included, affect no output, except where
  Q, `output` or the X of another cache has a row for each row of C: rows of
  keys that are not stored are then unspecified. If key k is not row k of the cache, as in
  `attend(Q, concat(X, K, axis=rows), ...)`, the mask itself must hide these rows, and this
  must be provable.
- `offset` must be set if the new rows are those of queries, because the default counts
  from the end of the capacity. `rope` also takes its positions from `offset`.
- A cache may only be used by a single `cached`; the result may be used anywhere,
  but only attention may sum over its rows, and formulas that read it by index must provably
  read stored rows, such as row k under the mask. The element type is f32, f16,
  bf16 or f64, and rows are rounded to it.

### Resident weights

A `resident` input is the same for all calls, so values that depend on such inputs only may
be computed once.

```yaml
attnc: 1
heads: 8
head_dim: 32
sizes:
  model: 256
let:
  Q: split_heads(x @ (Wq + A @ B))
inputs:
  x: [batch, query_len, model]
  Wq: resident [model, heads * head_dim]
  A: resident [model, 4]
  B: resident [4, heads * head_dim]
```

If such a value contains a product, the object has a second function, `NAME_pack_weights`,
which writes the packed weights, here `Wq_A_B`; NAME then accepts these instead of the weights
that nothing else reads. The header declares both functions and the order of their arguments.
Call `NAME_pack_weights` first, and again whenever one of its weights changes: until then NAME
silently uses the old weights.

`resident` also permits the compiler to multiply resident weights with each other, which
changes rounding, if this makes calls cheaper (`Wq @ Wk.T` of each head if `head_dim` is more
than half of the model's width). A product that would make calls more expensive than its
factors is not computed. All sizes of a resident input must be fixed.

Processors with a matrix unit (`-mcpu=sapphirerapids` alone) multiply bf16 in pairs. For them
`NAME_pack_weights` also stores resident bf16 weights of products as the unit reads them, here
`Wq_panels`, so that calls do not rearrange them. This changes no result of a call with more than 8 rows;
with at most 8 rows, the unit computes products that are otherwise computed in f32. [Stage scheduled](stages/4-scheduled.md#weights-in-panels)
lists which weights are stored so; the remark `packed` of `--explain` gives the reason for the others.

)";

static constexpr StringLiteral diagnostics = R"(
## Diagnostics

A diagnostic has the form `file:line:col: error: message [id]`, followed by the source line,
an explanation of what is legal (`note:`) and the text to write instead (`fix:`). Up to 20
errors are reported per run, in the order of the file; errors that only follow from another
one are suppressed.

)";

/// A signature as a cell of a table.
static std::string cell(StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

static void printFunctions(raw_ostream &os, FunctionInfo::Place place) {
  for (const FunctionInfo &function : functionTable())
    if (function.place == place)
      os << "| `" << function.signature() << "` | " << cell(function.meaning)
         << " |\n";
}

void printReference(raw_ostream &os) {
  os << introduction
     << "\n## Keys\n\n| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const KeyInfo &key : keyTable())
    os << "| `" << key.name << "` | " << key.value << " | " << key.byDefault
       << " | " << key.meaning << " |\n";
  os << sizes << formulas;
  for (const VariableInfo &variable : variableTable())
    os << "| `" << variable.name << "` | " << variable.meaning << " |\n";
  os << afterVariables << "\n| function | meaning |\n|---|---|\n";
  printFunctions(os, FunctionInfo::Scalar);
  os << "\nOnly in `attention`, over the allowed keys of a row:\n\n"
        "| function | meaning |\n|---|---|\n";
  printFunctions(os, FunctionInfo::Row);
  os << masks;
  for (const NamedMask &mask : maskTable())
    os << "| `" << mask.signature() << "` | `" << cell(mask.formula) << "` | "
       << mask.keys << " |\n";
  os << inputs << outputs << layers << "| function | meaning |\n|---|---|\n";
  printFunctions(os, FunctionInfo::Layer);
  os << "\nScalings of rope, for contexts longer than the training length:\n\n"
        "| scaling | meaning |\n|---|---|\n";
  printFunctions(os, FunctionInfo::Scaling);
  os << caches << diagnostics;
  for (const DiagnosticId &id : diagnosticIds())
    os << "### " << id.id << "\n\n" << id.explanation << "\n\n";
}

} // namespace attnc::spec
