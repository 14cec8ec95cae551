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
| `score` | `Q @ K / sqrt(head_dim)` | one number per (b, h, i, k) |
| `mask` | `true` | which keys a query row may see |
| `attention` | `softmax(score)` | the weight of each allowed key |
| `value` | `V` | what a key contributes |
| `output` | `O` | `O` is the sum over k of attention * value |

A spec writes down only what differs. One YAML document is one function; several
documents, separated by `---`, make one object with several. The shortest spec:

```yaml
attnc: 1
heads: 12
head_dim: 64
```

What the language has and this compiler does not do yet is read and checked like
the rest, and then refused with `[unsupported]`.
)";

static constexpr StringLiteral sizes = R"(
A **size** is a positive integer below 2^31, `any` (read from the tensors at each
call; 0 is legal), or an int formula of other sizes: `query_len: kv_len` states
self-attention. Every `any` under `sizes` must be an axis of an input. `prefill(n)`
is `{batch: 1, query_len: n, kv_len: n}`, `decode(n)` is
`{batch: 1, query_len: 1, kv_len: n}`, each for those sizes that are `any`. Run-time
sizes that a regime leaves out count as 1 (`batch`) or like `kv_len`.

The option `--set KEY=VALUE` replaces a key as if written in the file.
)";

static constexpr StringLiteral formulas = R"(
## Formulas

Precedence, loosest first: `or`, `and`, `not`, comparisons `== != < <= > >=` (they
chain as in mathematics: `0 <= q - k < 128`), `+ -`, `* / // % @`, unary `-`, `**`
(to the right), then calls, indices and `.T`. Binary operators associate to the
left. YAML's own rules hold: ` #` starts a comment, and a formula that begins with
one of `* & ! | > % @ [ {` or a quote is written in quotes.

| type | rule |
|---|---|
| truth value | only where one is meant; no number is one: `where(c, 1, 0)` |
| int | 64 bits, exact; `//` and `%` round towards minus infinity, `%` has the sign of the divisor; overflow is impossible for sizes below 2^31, or refused; of a product of sizes the call checks it |
| real | `/` always divides reals: `1/16` is 0.0625; an int becomes real only where it meets one, after its own sub-formula is done in ints; constants fold in f64 |
| vector | a row of Q, K or V, or an input without its last index: `w[h]`; operators, comparisons, `where` and functions work element by element, scalars beside are the same for each element; `u @ v` is the dot product. One of ints is computed in ints until it meets a real |
| matrix | an input without its last two indices: `W[h]`; `W @ v`, `v @ W`, `W.T` |

An int to a constant power of at least 0 is an int. Fixed sizes are constants.
`x ** y` of floats has the special values of C's `pow` (C99 F.10.4.4): `x ** 0` and
`1 ** y` are 1 even for a NaN, `(-1) ** inf` is 1, `(-inf) ** 0.5` is inf, `0 ** -1` is
inf, and a finite negative number has a power for integers only, else it is NaN.
`temperature` divides the score inside `softmax`, not the sink.

| variable | meaning |
|---|---|
)";

static constexpr StringLiteral afterVariables =
    R"(| `Q`, `K`, `V` | the vectors of row (b, h, i) and (b, g, k) |
| `score` | in `attention` only: the value of the `score` formula |
| sizes | `batch query_len kv_len heads kv_heads group head_dim key_dim value_dim` and those of `sizes` |

`score`, `value` and `mask` know all of them. `sink` and `temperature` have one value per
row: no `k`, and of the rows only Q. `offset` knows `b`, sizes and inputs; a size, an axis and the ends of a
range know sizes only.

`let` gives names to formulas: `name: formula` stands for the formula wherever it
is used, `name(x, y): formula` is a macro. Entries called Q, K and V say what these
rows are; a row that is defined without itself is no argument of the call. There an
input without indices is indexed by the names of its axes: `K: K8 * scale` with
`K8: i8[batch, kv_heads, kv_len, head_dim]` and `scale: [batch, kv_heads, kv_len]` is
`K8[b, g, k] * scale[b, g, k]`.
)";

static constexpr StringLiteral masks = R"(
## Masks

The mask selects: a key with `mask` false has weight exactly 0, and a NaN or an
infinity in its score, K or V never reaches the output. A row with no allowed key
gives 0 and `lse = -inf` (with a sink: 0 and `lse = sink`).

| name | exactly | keys of a row |
|---|---|---|
)";

static constexpr StringLiteral inputs = R"(
They are macros: any other formula does as well. A mask that joins positions of
queries with a length per batch under the default `offset` is a warning.

A mask may read rows. What is of a query or of a key alone (`Q @ w[h] > 0`, `K @ u >
0.5`) is computed once for each and read like an input; a product of both (`Q @ K > 0`)
is computed for all pairs that conditions of indices beside it (`causal and ...`) leave.

## Inputs

`name, ...: [inout | resident] [dtype] [axes] [nondecreasing] [in lo..hi]`, for example
`doc: i32[batch, kv_len] nondecreasing`, `temp: f32` (a scalar),
`bias: [heads, query_len, kv_len]`. Types: `f64 f32 f16 bf16 i64 i32 i8 u8 bool`;
0 to 5 axes; an axis is an int formula of sizes. Every input must be used.
An `inout` input is a cache ([Caches](#caches)), which the call changes.
A `resident` input is the same for all calls ([Resident weights](#resident-weights)).
`nondecreasing` (along the last axis) and `in lo..hi` (both ends included) are
checked by the call; `lo` and `hi` are int formulas of sizes.

A number that may differ from call to call and is no extent of a tensor is an input
without axes. A window whose width is known at the call is `mask: window(W)` with
`W: i32`: it costs what a fixed width costs, and the same keys are skipped.

Every index must be proved to be in range. What `b`, `h`, `g`, `i`, `k`, sizes and
guards prove costs nothing; a guard is the left side of `and` and `or`, the
condition of `where`, and for the score the mask. What only sizes decide (`doc[b, q]`
needs `query_len <= kv_len`) becomes a precondition of the call; one that would
leave a size no value above 1 is refused instead. An index read from a table needs
`in lo..hi` on that table or `clamp(...)`. Sizes divide as numbers do: with `kv_len:
rows * columns`, `k // columns` is in 0 .. rows - 1 and `k % columns` in 0 .. columns - 1.

A divisor of ints must be proved to be other than 0 in the same way. `batch`,
`query_len` and `kv_len` count as at least 1 in `score` and `mask`, since these are
evaluated for existing rows and keys; other sizes that are `any` may be 0 and give
the precondition `n >= 1`. A divisor that only a guard or the existence of a row or
key keeps from 0 is computed as `max(divisor, 1)`.

## Storage

| storage | tensors | where row r of sequence b is |
|---|---|---|
| `dense` | `[batch, heads, rows, features]` | row r |
| `ragged(start)` | `[all rows, heads, features]` | row `start[b] + r`, for the rows below `start[b + 1]` |
| `paged(table, n)` | `[pages, kv_heads, n, features]` | row `r % n` of page `table[b, r // n]` |

`query` is the storage of Q and of the outputs, which lose their batch axis with it
(`lse` is `[all rows, heads]`); `kv` that of K and V. Queries are not paged. Where keys
are ragged, the last axis of `attention` and `score` is that of all keys: key k of
sequence b is at `start[b] + k`, and keys of other sequences are keys that the row does
not see. So `attention @ V` is O, as in one sequence of all rows with a mask between
documents, and the output is as large as there.

`start: i32[batch + 1] nondecreasing` (or i64) has an entry more than there are
sequences. Its values lie in 0 .. the number of all rows; the call checks it
(`ATTNC_BAD_VALUE`). Sequences may be empty, and rows before the first, behind the
last one are neither read nor written. The axis of all rows is the size
`query_tokens` (`kv_tokens`), which a formula or an input may use. `query_len`
(`kv_len`) is each sequence's own and is not set; it is known where `b` is, so it is
no axis of an input. `i`, `q` and `k` count within a sequence, an axis of all rows does
not: of `bias: [heads, query_tokens, kv_tokens]` a pair reads `bias[h, start[b] + i,
start[b] + k]`, and `bias[h, i, k]` is a warning. With the default `offset` each
sequence's last query stands at its last key. Both sides may have one `start`.

`table: i32[batch, width] in 0..pages - 1` (or i64) says by its range how many pages
there are. How many keys a sequence has is not in it: `kv_len` is written, as
`width * n` or less (the call refuses more, `ATTNC_BAD_SHAPE`), and shorter
sequences mask the rest: `mask: k < length[b]`. The call checks all entries of the
table, used or not: an unused one holds any page. If unused entries hold -1, declare
`in -1..pages - 1`: keys of a page that there is not are rows of zeros, which the
mask leaves out. Nothing is read out of range in any case. Several sequences may
share pages, and pages may lie in any order.

In formulas of tensors (see Layers) a ragged side has one axis for all rows in the
place of batch and length: Q is `[heads, query_tokens, head_dim]`, K `[kv_heads,
kv_tokens, key_dim]`, O `[heads, query_tokens, value_dim]`, and what `let` says of Q, K
and V is of tensors, `K: K * 2`, too. So a layer of packed prompts is written like any
other one, with `x: [query_tokens, model]`; `rope` counts positions within each
sequence. Where both sides have one `start` and there is an `output`, or `let` defines
rows, `kv_tokens` is `query_tokens`. Of rows that no sequence has O is 0 there, and an
`output` holds what the formula makes of that.

Refused so far, with a message: with a ragged or paged side `attend` of other rows than
those of the storage; and rows in pages as a tensor, which `rope` and products take. What
`let` says of single rows, `K: l2_norm(K) * 2`, holds for pages, too.
)";

static constexpr StringLiteral outputs = R"(
## Outputs

The main output `O`, `[batch, heads, query_len, value_dim]`, comes first; those of
`outputs` follow in the order of this table, then names of `let`, in the order of the
list. Every output but `O` may be NULL in a call and is then not computed. Elements of those of
the table are f32, or f64 where Q, K, V or O is.

| output | shape | meaning |
|---|---|---|
| `lse` | `[batch, heads, query_len]` | natural logarithm of the denominator of softmax, sink included |
| `attention` | `[batch, heads, query_len, kv_len]` | the weights |
| `score` | `[batch, heads, query_len, kv_len]` | the scores, -inf where the mask is false |
| `state` | `[batch, kv_heads, features, value_dim]`, or one column more | the running state of linear attention |
| an entry of `let` | that of its tensor | the tensor, as `output` would have it: it may use O; its elements have the type of O |

A `state` is there if the weights are `f(q) * (u(q) @ v(k)) * D(q, k)`: f and u are of
the query, v is of the key, and a decay D is a product of one factor of each side, `exp`
or `exp2` of a sum of both, or `base ** (q - k)`. With r for the last row of queries

    state[b, g, d, e] = sum over k of D(r, k) * v(k)[d] * value(k)[e]

over the keys that r may see by those conditions of the mask in which k occurs: none,
`k <= q`, and conditions of the key alone. What depends on the query alone, or on
neither side (`/ sqrt(head_dim)`), is no part of it. Where `attention` has the `sum` of
its weights, a last column `e = value_dim` holds the same sum without value. A later row
goes on from it with the keys that r does not see:

    sum of weights * value = f(q) * D(q, .) / D(r, .) * (u(q) @ state) + that over the other keys

where the quotient is the same for all keys, and likewise for the sum of the weights.
To begin with a state S is to see as many keys more as it has rows, the unit vectors,
whose values are these rows: `K: concat(eye(head_dim), k, axis=rows)` and `V: concat(S,
v, axis=rows)`, with `kv_len: head_dim + query_len`, for a score that is linear in K.
With no queries, r is the row before row 0, where inputs along query_len count as 0. All
query heads of a group share a state, so nothing that belongs to keys may depend on h.

)";

static constexpr StringLiteral layers = R"(
## Layers

`let` may also say by whole tensors what Q, K and V are, and `output` what is made
of O: then the function is a layer, and its main output is called `Y`.

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

An entry of `let` is of tensors if it uses one of the functions below, itself or
through another entry that it names without indices; entries that only `output` uses
may be anything. There an
input without indices is the whole tensor; Q is `[batch, heads, query_len,
head_dim]`, K and V are `[batch, kv_heads, kv_len, key_dim]` and `value_dim`, as
`let` defines them, and O is `[batch, heads, query_len, value_dim]`. What `let` says
of Q, K, V has these axes; batch and heads may be absent, if all are the same.

Any other formula reads the tensor of an entry by indices, as if it were an input of
reals: with `G: cumsum(gate)`, a gate per row, `score: Q @ K * exp(G[b, h, q] - G[b,
h, k])`. The tensor is computed before the attention, once per call.

An axis is known by its size. `A @ B` sums over the last axis of A and the last but
one (or only) axis of B; of the axes in front those that both have are shared, and
the others kept. Operators and functions of reals work element by element: the axes
of one operand are among those of the other, in the same order, and as far right as
they fit (`[batch, query_len, model] + [model]`); sizes that are written alike go
before sizes that are equal. `X.T` exchanges the last two axes. Numbers, sizes and
inputs without axes are the same for all elements.

Elements of a product or a formula have the wider type of the operands (f16 and bf16
meet in f32), and are computed in f32 (f64 where one is f64) and rounded once; a norm
inside a formula is part of it, so `l2_norm(Q) * 3` is rounded once. The
weights of a softmax, and what it is of, stay in that type. Ints of an input become
reals of that type wherever a tensor of reals is meant, in a product, too: exactly up
to 2 ** 24 in f32, 2 ** 53 in f64, beyond it the nearest one.

Q, K and V may be made of each other, `K: l2_norm(Q)`, where the spec says that there
are as many queries as keys (`query_len: kv_len`).

)";

static constexpr StringLiteral caches = R"(
### Caches

An input that is `inout` is a cache: a call stores new rows in it, in its place.

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

`cached(C, X, past[b])` is C with the rows X in the places `past[b]` and later of
sequence b; `past`, a scalar, is one place for all. One axis of C is `kv_len`, the
capacity; X has the others, and as many rows as it likes (mostly `query_len`), none
included. The same function is for a prompt (`past` 0, many rows) and for every later
row (`past` the rows that are there, one row).

- `past` gets the range `0..kv_len - query_len`, less what is declared: a call for
  which the rows have no room is refused (`ATTNC_BAD_VALUE`) before anything is
  written.
- Keys past the last stored one are masked, and their tiles skipped. `k < past[b] +
  query_len` joins the mask, unless the mask implies it, as `causal` does with
  `offset: past[b]`. What lies there, NaN included, shows in no output, but where Q,
  `output` or the X of another cache has a row for each row of C: then its rows of
  keys that are not stored are anything. Where key k is no row k of the cache,
  `attend(Q, concat(X, K, axis=rows), ...)`, the mask must hide them itself, and does
  if it is proved to.
- `offset` must be written where the new rows are those of queries: the default counts
  from the end of the capacity. `rope` takes its positions from it, too.
- A cache is used by its one `cached` only; what that yields may be used anywhere,
  but only attention may sum over its rows, and a formula that reads them by index
  only rows that are proved to be stored: row k under the mask is. It is of f32, f16,
  bf16 or f64, and rows are rounded to it.

### Resident weights

An input that is `resident` is the same for all calls: what is made of such inputs
alone may be made once.

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

Where a product is in it, the object has a second function, `NAME_pack_weights`, which
writes the packed weights, here `Wq_A_B`; NAME takes these, and no longer the weights
that nothing else reads. The header has both, and their orders of arguments. Call the
former first, and again when one of its weights changes: until then NAME goes by the
weights as they were, and nothing tells it.

The word is a permission, too: products of resident weights with each other, which
change rounding, are made where calls are then cheaper (`Wq @ Wk.T` of each head where
the features of a head are more than half of those of the model). A product that costs
calls more than its factors is not made. All sizes of a resident input are fixed.

)";

static constexpr StringLiteral diagnostics = R"(
## Diagnostics

`file:line:col: error: what is wrong [id]`, the source line with the place, then
what is legal (`note:`) and what to type (`fix:`). Up to 20 errors per run, in the
order of the file; what only follows from another error is not told.

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
  os << "\nScalings of rope, for contexts longer than those of the "
        "training:\n\n"
        "| scaling | meaning |\n|---|---|\n";
  printFunctions(os, FunctionInfo::Scaling);
  os << caches << diagnostics;
  for (const DiagnosticId &id : diagnosticIds())
    os << "### " << id.id << "\n\n" << id.explanation << "\n\n";
}

} // namespace attnc::spec
