"""Random specs of one attention: legal most of the time, sensible never.

Spec(seed) has the text of a spec and sizes for a run. Divisors are constants and
exponents are bounded, so that a result is a number; everything else is free.
"""

import random
import re

INDEX = ["q", "k", "i", "h", "b", "g", "kv_len", "query_len", "q - k", "k - q"]
ELEMENTWISE = "tanh sigmoid relu elu silu gelu erf sin cos abs softplus".split()
COMPARISONS = "== != < <= > >=".split()
# x stands for the score, w for a weight that is never negative.
ATTENTIONS = [
    "softmax(score)",
    "softmax(score, sink=0)",
    "softmax(score, sink={sink}[h])",
    "softmax(score, temperature=2)",
    "sigmoid(score)",
    "sigmoid(score - log(count()))",
    "relu(score)**2 / kv_len",
    "relu(score) / (sum(relu(score)) + 1e-3)",
    "(1 + score**2) / sum(1 + score**2)",
    "softplus(score) / (1 + sum(softplus(score)))",
    "score / count()",
    "where(score > 0, score, 0) / max(count(), 1)",
    "sparsemax(score)",
    "softmax(top_k(score, {n}))",
    "softmax(top_k(score, {n}), sink={sink}[h])",
    "0.5 * softmax(score) + 0.5 * sigmoid(score) / count()",
    "softmax(score) * sigmoid(score)",
    "softmax(-abs(q - k) / {n}) * 0.5",
]
QUERIES = [
    "Q",
    "relu(Q)",
    "(elu(Q) + 1)",
    "l2_norm(Q)",
    "(Q + {head_row}[h])",
    "(Q * {row})",
    "(Q / sqrt(Q @ Q / head_dim + 1e-6))",
    "({matrix} @ Q)",
    "(Q @ {matrix})",
    "(Q @ {head_matrix}[h])",
]
KEYS = [
    "K",
    "relu(K)",
    "(elu(K) + 1)",
    "l2_norm(K)",
    "(K * {row})",
    "(K + {near_row}[clamp(k - q, -8, 8) + 8])",
    "({matrix} @ K)",
    "(K - Q)",
    "tanh(K + Q)",
    "{key_row}[h, k]",
]
# Definitions of a tensor: the inputs that they need.
LETS = {
    "Q: seed": {"seed": "[query_len, head_dim]"},
    "K: K8 * ks": {"K8": "i8[batch, kv_heads, kv_len, key_dim]", "ks": "[batch, kv_heads, kv_len]"},
    "V: mv": {"mv": "[kv_len, value_dim]"},
    "V: K": {},
    "V: V * vs": {"vs": "[batch, kv_heads, kv_len]"},
}
VECTORS = {
    "row": "[head_dim]",
    "head_row": "[heads, head_dim]",
    "near_row": "[17, head_dim]",
    "key_row": "[heads, kv_len, head_dim]",
    "matrix": "[head_dim, head_dim]",
    "head_matrix": "[heads, head_dim, head_dim]",
}


class Spec:
    def __init__(self, seed, vectors=0.35, attentions=0.5, outputs=0.2, dtypes=0.25, lets=0.15):
        self.random = random.Random(seed)
        self.inputs = {}
        self.has_vectors = self.random.random() < vectors
        self.write(attentions, outputs, dtypes, lets)

    def chance(self, share):
        return self.random.random() < share

    def one(self, *choices):
        """One of the choices; those that are functions are called."""
        choice = self.random.choice(choices)
        return choice() if callable(choice) else choice

    def input(self, kind):
        name = "t%d" % len(self.inputs)
        self.inputs[name] = kind
        return name

    def fill(self, template):
        """A template with its inputs declared."""
        text = template
        for name, kind in {**VECTORS, "sink": "[heads]"}.items():
            if "{%s}" % name in text:
                text = text.replace("{%s}" % name, self.input(kind))
        return text.replace("{n}", str(self.random.randint(1, 8)))

    def table(self):
        order = self.one("", " nondecreasing")
        return self.one(
            lambda: self.input("i32[batch]") + "[b]",
            lambda: self.input("i32[heads]") + "[h]",
            lambda: self.input("i32[batch, kv_len]" + order) + "[b, k]",
            lambda: self.input("i32[batch, query_len]" + order) + "[b, i]",
            lambda: self.input(self.one("i8", "u8", "i64") + "[kv_len]") + "[k]",
            lambda: self.input("i32[batch, kv_len] in 0..9") + "[b, k]")

    def int(self, depth):
        leaf = lambda: self.one(*INDEX, str(self.random.randint(-3, 9)))
        if depth <= 0:
            return leaf()
        x, y = lambda: self.int(depth - 1), lambda: self.int(depth - 1)
        n = self.random.randint(1, 7)
        return self.one(
            leaf, leaf, leaf, self.table,
            lambda: "(%s + %s)" % (x(), y()), lambda: "(%s - %s)" % (x(), y()),
            lambda: "(%s * %d)" % (x(), n - 4), lambda: "(%s // %d)" % (x(), n), lambda: "(%s %% %d)" % (x(), n),
            lambda: "(-%s)" % x(), lambda: "abs(%s)" % x(), lambda: "sign(%s)" % x(),
            lambda: "min(%s, %s)" % (x(), y()), lambda: "max(%s, %s)" % (x(), y()),
            lambda: "clamp(%s, %d, %d)" % (x(), n - 7, n),
            lambda: "where(%s, %s, %s)" % (self.bool(depth - 1), x(), y()))

    def bool(self, depth):
        n = self.random.randint(1, 9)
        compared = lambda d: "%s %s %s" % (self.int(d), self.one(*COMPARISONS), self.int(d))
        named = lambda: self.one(
            "causal", "window(%d)" % n, "band(%d, %d)" % (n - 1, n // 2), "first(%d)" % n, "chunk(%d)" % n,
            "dilated(%d)" % n, lambda: "padding(%s)" % self.input("i32[batch]"),
            lambda: "document(%s)" % self.input("i32[batch, kv_len]" + self.one("", " nondecreasing")),
            lambda: self.input("bool[batch, kv_len]") + "[b, k]",
            # Of reals only those that no rounding moves across the border.
            lambda: "%s[b, k] %s 0.5" % (self.input("f32[batch, kv_len]"), self.one(*COMPARISONS)),
            lambda: compared(1), lambda: "0 <= %s < %d" % (self.int(1), n))
        if depth <= 0:
            return named()
        x, y = lambda: self.bool(depth - 1), lambda: self.bool(depth - 1)
        return self.one(named, named, lambda: "(%s and %s)" % (x(), y()), lambda: "(%s or %s)" % (x(), y()),
                        lambda: "not (%s)" % x(), lambda: compared(depth))

    def dot(self):
        if not self.has_vectors:
            return "(Q @ K)"
        return "(%s @ %s)" % (self.fill(self.one(*QUERIES)), self.fill(self.one(*KEYS)))

    def real(self, depth):
        n = self.random.randint(1, 9)
        leaf = lambda: self.one(
            "0.5", "3.25", "-1.0", "alibi_slope(h)",
            lambda: self.input("[heads]") + "[h]", lambda: self.input("[batch, kv_len]") + "[b, k]",
            lambda: self.input("[batch, query_len]") + "[b, i]", lambda: self.input("f32"),
            lambda: self.input(self.one("", "f32", "bf16", "f16") + "[heads, query_len, kv_len]") + "[h, i, k]",
            lambda: self.input("[32, heads]") + "[t5_bucket(k - q, 32, 128), h]",
            lambda: "%s[clamp(%s, 0, 16)]" % (self.input("[17]"), self.int(1)),
            lambda: "(%s) / %d" % (self.int(1), 4 * n))
        if depth <= 0:
            return self.one(self.dot, self.dot, leaf)
        x, y = lambda: self.real(depth - 1), lambda: self.real(depth - 1)
        return self.one(
            self.dot, self.dot, leaf, *[lambda f=f: "%s(%s)" % (f, x()) for f in ELEMENTWISE],
            lambda: "(%s + %s)" % (x(), y()), lambda: "(%s - %s)" % (x(), y()),
            lambda: "(%s * %s)" % (x(), leaf()), lambda: "(%s / %d)" % (x(), n), lambda: "(%s)**2" % x(),
            lambda: "exp(-abs(%s))" % x(), lambda: "log1p(abs(%s))" % x(), lambda: "sqrt(abs(%s))" % x(),
            lambda: "softcap(%s, %d)" % (x(), 5 * n), lambda: "clamp(%s, -1, 2)" % x(),
            lambda: "min(%s, %s)" % (x(), y()), lambda: "max(%s, %s)" % (x(), y()),
            lambda: "where(%s, %s, %s)" % (self.bool(depth - 1), x(), y()))

    def value(self):
        return self.one("V * 2", lambda: "V + %s[clamp(k - q, -8, 8) + 8]" % self.input("[17, value_dim]"),
                        lambda: "V * sigmoid(%s[b, k])" % self.input("[batch, kv_len]"))

    def arguments(self):
        """The tensors that a call takes."""
        defined = [name for name in "QKV" if self.let and self.let.startswith(name + ":")
                   and name not in re.findall(r"\w+", self.let)[1:]]
        return [name for name in "QKV" if name not in defined] + list(self.inputs)

    def write(self, attentions, outputs, dtypes, lets):
        keys = {"name": "f", "heads": self.one(1, 2, 3, 4, 6)}
        keys["kv_heads"] = self.one(*[n for n in range(1, keys["heads"] + 1) if keys["heads"] % n == 0])
        keys["head_dim"] = self.one(1, 3, 4, 8, 16, 24, 40)
        keys["value_dim"] = self.one(keys["head_dim"], 1, 5, 16, 33)
        is_self = self.chance(0.4)
        if is_self:
            keys["query_len"] = "kv_len"
        if self.chance(0.7) or self.has_vectors:
            keys["score"] = self.real(self.random.randint(1, 3))
        if self.chance(attentions):
            keys["attention"] = self.fill(self.one(*ATTENTIONS))
        if self.chance(0.7):
            keys["mask"] = self.bool(self.random.randint(0, 3))
        if self.chance(0.15):
            keys["offset"] = self.one("0", "b", "2", "kv_len - query_len")
        if self.chance(0.1):
            keys["value"] = self.value()
        if self.chance(outputs):
            keys["outputs"] = "[%s]" % ", ".join(self.random.sample(["lse", "attention", "score"], 2))
        if self.chance(dtypes):
            keys["dtype"] = self.one("bf16", "f16", "f64")
        self.let = self.one(*LETS) if self.chance(lets) else None
        if self.let == "V: K":
            keys["value_dim"] = keys["head_dim"]
        self.keys = keys
        # Vectors that the formula in the end does not have are not declared.
        used = " ".join(str(value) for value in keys.values())
        self.inputs = {name: kind for name, kind in self.inputs.items() if name in used}
        self.inputs.update(LETS.get(self.let, {}))
        self.sizes = {"batch": self.one(1, 2, 3), "kv_len": self.one(1, 2, 5, 17, 33, 64, 70, 130)}
        if not is_self:
            self.sizes["query_len"] = self.one(1, 3, 8, 16, 31, 65)

    def text(self, **changed):
        """The spec with some keys replaced."""
        lines = ["attnc: 1"] + ["%s: %s" % item for item in {**self.keys, **changed}.items()]
        if self.let:
            lines += ["let:", "  " + self.let]
        if self.inputs:
            lines += ["inputs:"] + ["  %s: %s" % item for item in self.inputs.items()]
        return "\n".join(lines) + "\n"
