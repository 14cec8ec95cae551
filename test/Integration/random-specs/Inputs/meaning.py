"""What a spec of one attention means: docs/spec-reference.md in plain Python.

Formulas are nearly Python already: each is evaluated as such, for one pair of a
query and a key after the other (score, mask, value), or for a row (attention).
"""

import ast
import math
import re

import numpy as np


class Lazy(ast.NodeTransformer):
    """where(c, a, b) evaluates only one of a and b."""

    def visit_Call(self, node):
        self.generic_visit(node)
        return ast.IfExp(*node.args) if getattr(node.func, "id", "") == "where" else node


class Table:
    """An input: its entries are Python numbers, and no index counts from the end."""

    __array_ufunc__ = None  # numpy leaves operators to this class

    def __init__(self, array):
        self.array = array

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        if any(not 0 <= i < n for i, n in zip(index, self.array.shape)):
            raise IndexError("%s of %s" % (index, self.array.shape))
        entry = self.array[index]
        return entry if entry.ndim else entry.item()


def operator(name):
    return (lambda self, other: getattr(self.array, name)(getattr(other, "array", other)))


for _name in ("add", "sub", "mul", "truediv", "matmul"):
    for _side in ("__%s__", "__r%s__"):
        setattr(Table, _side % _name, operator(_side % _name))


def slopes(heads):
    """ALiBi's slopes after BLOOM's rule."""
    whole = 2**math.floor(math.log2(heads))
    result = [2.0**(-8 * (n + 1) / whole) for n in range(whole)]
    return result + [2.0**(-4 * (n + 1) / whole) for n in range(0, 2 * (heads - whole), 2)]


def t5_bucket(d, buckets, max_distance, bidirectional=True):
    first = 0
    if bidirectional:
        buckets //= 2
        first, d = (buckets if d > 0 else 0), abs(d)
    else:
        d = max(-d, 0)
    exact = buckets // 2
    if d < exact:
        return first + d
    # In f32, as the model's own code: the borders come from its logarithms.
    share = np.log(np.float32(d) / np.float32(exact)) / np.float32(math.log(max_distance / exact))
    return first + min(exact + int(share * np.float32(buckets - exact)), buckets - 1)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def fold(function, numpy_function):
    """min and max of numbers, exactly, or of vectors and rows."""

    def apply(*values):
        if any(isinstance(value, np.ndarray) for value in values):
            return numpy_function.reduce(np.broadcast_arrays(*values))
        return function(values)

    return apply


erf = np.vectorize(math.erf)
FUNCTIONS = {
    "abs": abs, "sign": np.sign, "min": fold(min, np.minimum), "max": fold(max, np.maximum),
    "clamp": lambda x, low, high: min(max(x, low), high),
    "floor": np.floor, "ceil": np.ceil, "exp": np.exp, "exp2": np.exp2, "log": np.log, "log1p": np.log1p,
    "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "tanh": np.tanh, "sin": np.sin, "cos": np.cos, "erf": erf,
    "sigmoid": sigmoid, "relu": lambda x: np.maximum(x, 0), "silu": lambda x: x * sigmoid(x),
    "elu": lambda x: np.where(np.asarray(x) > 0, x, np.expm1(np.minimum(x, 0))),
    "gelu": lambda x: x / 2 * (1 + erf(x / math.sqrt(2))), "softplus": lambda x: np.logaddexp(0, x),
    "softcap": lambda x, c: c * np.tanh(x / c), "t5_bucket": t5_bucket,
    "l2_norm": lambda v, eps=0: v / max(math.sqrt(v @ v), eps),
    "inf": math.inf, "true": True, "false": False,
}


def masks(b, q, k):
    return {
        "causal": k <= q, "window": lambda w: q - w < k <= q, "band": lambda low, high: q - low <= k <= q + high,
        "first": lambda n: k < n, "chunk": lambda c: q // c == k // c, "dilated": lambda s: (q - k) % s == 0,
        "padding": lambda t: k < t[b], "document": lambda t: t[b, q] == t[b, k],
    }


def sparsemax(x):
    """The nearest point of the simplex (Martins and Astudillo 2016, algorithm 1)."""
    descending = -np.sort(-x[np.isfinite(x)])
    if not descending.size:
        return np.zeros(x.shape)
    taken = (1 + np.arange(1, descending.size + 1) * descending > np.cumsum(descending)).sum()
    return np.maximum(x - (descending[:taken].sum() - 1) / taken, 0)


def softmax(x, sink, temperature):
    x = x / temperature
    top = max(x.max(initial=-math.inf), sink)
    top = top if math.isfinite(top) else 0.0
    weights = np.exp(x - top)
    total = weights.sum() + np.exp(sink - top)
    return weights / total if total else weights * 0


def row_functions(mask):
    """Those of `attention`: over the allowed keys of a row."""
    row = lambda x, other: np.where(mask, np.broadcast_to(x, mask.shape), other)

    def top_k(x, n):
        x = row(x, -math.inf)
        rank = np.argsort(np.argsort(-x, kind="stable"), kind="stable")
        return np.where(rank < n, x, -math.inf)

    return {
        "softmax": lambda x, sink=-math.inf, temperature=1: softmax(row(x, -math.inf), sink, temperature),
        "sparsemax": lambda x: sparsemax(row(x, -math.inf)), "top_k": top_k,
        "sum": lambda x: row(x, 0).sum(), "count": lambda: int(mask.sum()), "where": np.where,
    }


class Meaning:
    def __init__(self, keys, tensors):
        self.code = {}
        for key in ("score", "mask", "attention", "value", "offset"):
            if key in keys:
                tree = ast.parse(str(keys[key]), mode="eval")
                tree = tree if key == "attention" else ast.fix_missing_locations(Lazy().visit(tree))
                self.code[key] = compile(tree, key, "eval")
        self.formula = keys.get("attention", "softmax(score)")
        self.q, self.k, self.v = (tensors[name] for name in "QKV")
        batch, heads, query_len, head_dim = self.q.shape
        self.sizes = dict(batch=batch, heads=heads, query_len=query_len, head_dim=head_dim,
                          kv_heads=self.k.shape[1], group=heads // self.k.shape[1], kv_len=self.k.shape[2],
                          key_dim=self.k.shape[3], value_dim=self.v.shape[3])
        self.names = dict(FUNCTIONS, **self.sizes)
        self.names["alibi_slope"] = lambda h: slopes(heads)[h]
        self.names.update((name, Table(array) if array.ndim else array.item())
                          for name, array in tensors.items() if name not in ("Q", "K", "V"))

    def evaluate(self, key, names, default):
        return eval(self.code[key], dict(names)) if key in self.code else default

    def row(self, b, h, i):
        """Scores, weights, lse (None where the formula has none) and output of one query."""
        g, keys = h // self.sizes["group"], self.sizes["kv_len"]
        names = dict(self.names, b=b, h=h, g=g, i=i)
        q = i + self.evaluate("offset", names, keys - self.sizes["query_len"])
        names["q"] = q
        mask, score, values = np.zeros(keys, bool), np.full(keys, -math.inf), np.zeros((keys, self.v.shape[3]))
        for k in range(keys):
            pair = dict(names, k=k, Q=self.q[b, h, i], K=self.k[b, g, k], V=self.v[b, g, k], **masks(b, q, k))
            mask[k] = self.evaluate("mask", pair, True)
            if mask[k]:
                plain = self.q[b, h, i] @ self.k[b, g, k] / math.sqrt(self.sizes["head_dim"]) \
                    if "score" not in self.code else None
                score[k] = self.evaluate("score", pair, plain)
                values[k] = self.evaluate("value", pair, self.v[b, g, k])
        names.update(row_functions(mask), k=np.arange(keys), score=np.where(mask, score, 0.0))
        weights = eval(self.code["attention"], dict(names)) if "attention" in self.code \
            else names["softmax"](names["score"])
        weights = np.where(mask & ~np.isneginf(score), weights, 0.0)
        return score, weights, self.lse(names), (weights[mask, None] * values[mask]).sum(0)

    def lse(self, names):
        call = re.fullmatch(r"softmax\((?:[^()]|\([^()]*\))*\)", self.formula)
        if not call or "top_k" in self.formula or self.formula.count("softmax") > 1:
            return None
        keep = lambda x, sink=-math.inf, temperature=1: (x, sink, temperature)
        x, sink, temperature = eval(self.formula, dict(names, softmax=keep))
        count = names["count"]()
        shifted = names["softmax"](x, sink=-math.inf, temperature=temperature)
        if not count:
            return sink
        # lse = x_j / temperature - log(weight_j), at the key of the greatest weight
        j = int(np.argmax(shifted))
        x = np.broadcast_to(x, shifted.shape)
        return np.logaddexp(x[j] / temperature - math.log(shifted[j]) if shifted[j] else -math.inf, sink)


LETS = {
    "K8 * ks": lambda t: t["K8"] * t["ks"][..., None],
    "V * vs": lambda t: t["V"] * t["vs"][..., None],
}


def define(let, tensors, shapes):
    """The tensor of `NAME: FORMULA`, with the axes that the formula lacks."""
    name, formula = let.split(": ")
    array = LETS.get(formula, lambda t: t[formula])(tensors)
    tensors[name] = np.broadcast_to(array, shapes[name])


def outputs(keys, tensors, let=None, sizes=None):
    """{name: array} of O, attention, score and lse."""
    if let:
        define(let, tensors, sizes)
    meaning = Meaning(keys, tensors)
    batch, heads, query_len, _ = meaning.q.shape
    kv_len, width = meaning.k.shape[2], meaning.v.shape[3]
    result = {"O": np.zeros((batch, heads, query_len, width)), "lse": np.zeros((batch, heads, query_len))}
    for name in ("attention", "score"):
        result[name] = np.zeros((batch, heads, query_len, kv_len))
    with np.errstate(all="ignore"):
        for place in np.ndindex(batch, heads, query_len):
            score, weights, lse, o = meaning.row(*place)
            result["score"][place], result["attention"][place], result["O"][place] = score, weights, o
            result["lse"][place] = math.nan if lse is None else lse
    return result
