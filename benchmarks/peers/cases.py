"""The cases: what is computed, at which sizes, in which dtype.

cases.json lists them. A case of several dtypes becomes one case per dtype, named
NAME_DTYPE. Keys without a default are required:

  name, heads, query_len, kv_len, head_dim
  batch (1), kv_heads (heads), value_dim (head_dim), dtypes (["f32"]; bf16, f16)
  mask       none, causal, window, padding or document; all but padding are
             aligned to the last key, window and document are causal
  window     number of keys that a query sees, its own included
  softcap    c of c * tanh(score / c); 0: none
  kind       attention: softmax(Q K^T / sqrt(head_dim)) V
             sigmoid:   sigmoid of the same score - log(kv_len), no normalization
             linear:    phi(x) = elu(x) + 1 of Q and K, divided by the sum
             additive:  softmax of w . tanh(q + k) (Bahdanau et al. 2015)
             layer:     x projected to Q, K, V by one matrix, attention, output
                        projection
  threads    thread counts that the case runs with by default ([1])
"""

import dataclasses
import json
import math

MASKS = ("none", "causal", "window", "padding", "document")
KINDS = ("attention", "sigmoid", "linear", "additive", "layer")
DTYPES = ("f32", "bf16", "f16")


class Unsupported(Exception):
    """A library has no such operation; the text says what is missing."""


class BadCase(Exception):
    """A file of cases cannot be used; the text says why."""


@dataclasses.dataclass(frozen=True)
class Case:
    """One row of cases.json in one dtype."""
    name: str
    heads: int
    query_len: int
    kv_len: int
    head_dim: int
    batch: int = 1
    kv_heads: int = 0
    value_dim: int = 0
    dtype: str = "f32"
    mask: str = "none"
    window: int = 0
    softcap: float = 0.0
    kind: str = "attention"
    threads: tuple = (1,)

    @property
    def model(self):
        """Features of a token outside of the heads."""
        return self.heads * self.head_dim

    @property
    def group(self):
        """Query heads per KV head."""
        return self.heads // self.kv_heads

    @property
    def scale(self):
        return 1 / math.sqrt(self.head_dim)

    @property
    def output_shape(self):
        if self.kind == "layer":
            return (self.batch, self.query_len, self.model)
        if self.kind == "additive":
            return (self.batch, self.query_len, self.value_dim)
        return (self.batch, self.heads, self.query_len, self.value_dim)


def fault(case):
    """What is wrong with the values of a case, or None."""
    sizes = ("batch", "heads", "kv_heads", "query_len", "kv_len", "head_dim", "value_dim")
    for key in sizes:
        if not isinstance(getattr(case, key), int) or getattr(case, key) < 1:
            return f"{key} is {getattr(case, key)!r}, expected an integer of at least 1"
    for key, allowed in (("mask", MASKS), ("kind", KINDS), ("dtype", DTYPES)):
        if getattr(case, key) not in allowed:
            return f"{key} is {getattr(case, key)!r}, expected one of {', '.join(allowed)}"
    if case.heads % case.kv_heads:
        return f"heads is {case.heads}, expected a multiple of kv_heads ({case.kv_heads})"
    if (case.mask == "window") != (case.window > 0):
        return "mask 'window' and a positive window belong together"
    if case.kind in ("layer", "additive") and (case.kv_heads, case.value_dim) != (case.heads, case.head_dim):
        return f"kind {case.kind!r} has one KV head per head, and values of head_dim features"
    if case.kind == "additive" and (case.heads > 1 or case.mask != "none"):
        return "kind 'additive' has one head and no mask"
    if case.kind == "layer" and case.query_len != case.kv_len:
        return "kind 'layer' has as many queries as keys"
    if case.kind == "sigmoid" and case.mask != "none":
        return "kind 'sigmoid' has no mask"
    if case.kind == "linear" and (case.mask not in ("none", "causal") or case.query_len != case.kv_len):
        return "kind 'linear' has as many queries as keys, and mask 'none' or 'causal'"
    return None


def load(path):
    """{name: Case} of a file. Raises BadCase."""
    try:
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)
    except OSError as error:
        raise BadCase(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise BadCase(f"{path}: {error}") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) and "name" in row for row in rows):
        raise BadCase(f"{path}: expected a list of objects with a name")
    found = {}
    for row in rows:
        for dtype in row.get("dtypes", ["f32"]):
            values = {key: value for key, value in row.items() if key != "dtypes"}
            values.update(name=f"{row['name']}_{dtype}", dtype=dtype, threads=tuple(row.get("threads", [1])))
            values.setdefault("kv_heads", row.get("heads"))
            values.setdefault("value_dim", row.get("head_dim"))
            try:
                case = Case(**values)
                reason = fault(case)
            except TypeError as error:
                reason = str(error).replace("Case.__init__() ", "")
            if reason:
                raise BadCase(f"{path}: {row['name']}: {reason}")
            found[case.name] = case
    return found
