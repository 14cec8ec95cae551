"""Random layers: projections in the layouts that models store, around a softmax.

Layer(seed) has the text of a spec, sizes for a run, and inputs with which its
values are all 1.
"""

import random

import numpy as np

MASKS = ["true", "causal", "window(5)", "band(3, 2)", "causal and chunk(4)", "k < q", "first(3)"]
# What becomes of the heads of Q and K before they meet.
TURNS = ["{0}", "{0}", "rope({0})", "rope({0}, style=interleaved)", "rope({0}, dims=4)", "rms_norm({0}, w)",
         "rope(rms_norm({0}, w))", "l2_norm({0})"]


class Layer:
    def __init__(self, seed):
        source = random.Random(seed)
        one = source.choice
        heads = one([1, 2, 4, 6])
        kv_heads = one([n for n in range(1, heads + 1) if heads % n == 0])
        self.group, self.width, self.model = heads // kv_heads, one([4, 8, 16, 24]), one([8, 20, 33, 64])
        self.keys = {"name": "f", "heads": heads, "kv_heads": kv_heads, "head_dim": self.width,
                     "query_len": "kv_len", "sizes": "", "mask": one(MASKS)}
        self.keys["value_dim"] = self.width
        self.sizes = {"batch": one([1, 2, 3]), "kv_len": one([1, 2, 5, 17, 33, 70])}
        self.layout = one(["apart", "behind", "per head"])
        self.has_bias, self.norm = one([False, True]), one([False, True])
        self.names = ["x"] + (["Wq", "Wk", "Wv"] if self.layout == "apart" else ["W"])
        self.names += ["bv" if self.layout == "apart" else "bw"] if self.has_bias else []
        self.output = "Y"
        self.write(one(TURNS))

    def write(self, turn):
        heads, kv_heads, d = "heads * head_dim", "kv_heads * head_dim", "head_dim"
        lines = ["attnc: 1"] + [("%s: %s" % item).rstrip() for item in self.keys.items()]
        lines.insert(lines.index("sizes:") + 1, "  model: %d" % self.model)
        if self.layout == "apart":
            bias = " + bv" if self.has_bias else ""
            rows = ["x @ Wq", "x @ Wk", "x @ Wv" + bias]
            inputs = ["Wq: [model, %s]" % heads, "Wk, Wv: [model, %s]" % kv_heads]
            inputs += ["bv: [%s]" % kv_heads] if self.has_bias else []
            split = []
        else:
            bias = " + bw" if self.has_bias else ""
            pieces = [heads, kv_heads, kv_heads] if self.layout == "behind" else ["group * " + d, d, d]
            split = ["  q_, k_, v_: split(x @ W%s, %s%s)" % (
                bias, ", ".join(pieces), ", per_head=true" if self.layout == "per head" else "")]
            total = "(heads + 2 * kv_heads) * head_dim"
            rows, inputs = ["q_", "k_", "v_"], ["W: [model, %s]" % total]
            inputs += ["bw: [%s]" % total] if self.has_bias else []
        uses_norm = "w)" in turn
        lines += ["let:"] + split
        lines += ["  Q: " + turn.format("split_heads(%s)" % rows[0]),
                  "  K: " + turn.format("split_heads(%s, kv_heads)" % rows[1]),
                  "  V: split_heads(%s, kv_heads)" % rows[2], "output: merge_heads(O)", "inputs:",
                  "  x: [batch, kv_len, model]"] + ["  " + line for line in inputs]
        lines += ["  w: [head_dim]"] if uses_norm else []
        self.text = "\n".join(lines) + "\n"

    def columns(self):
        """The columns of the one weight that make V, as [kv_heads, head_dim]."""
        kv_heads, d = self.keys["kv_heads"], self.width
        if self.layout == "behind":
            start = (self.keys["heads"] + kv_heads) * d
            return start + np.arange(kv_heads * d).reshape(kv_heads, d)
        return (np.arange(kv_heads) * (self.group + 2) + self.group + 1)[:, None] * d + np.arange(d)

    def given(self, seed):
        rng = np.random.default_rng(seed)
        shape = (self.sizes["batch"], self.sizes["kv_len"], self.model)
        heads, kv_heads = self.keys["heads"] * self.width, self.keys["kv_heads"] * self.width
        widths = {"Wq": heads, "Wk": kv_heads, "Wv": kv_heads, "W": heads + 2 * kv_heads, "bv": kv_heads,
                  "bw": heads + 2 * kv_heads}
        given = {"x": rng.standard_normal(shape)}
        for name in self.names[1:]:
            given[name] = rng.standard_normal((self.model, widths[name]) if name[0] == "W" else widths[name])
        return given

    def ones(self, seed):
        """Values that are the first feature of x, which is 1."""
        given = self.given(seed)
        given["x"][..., 0] = 1
        if self.layout == "apart":
            weight, bias, columns = given["Wv"], given.get("bv"), slice(None)
        else:
            weight, bias, columns = given["W"], given.get("bw"), self.columns().reshape(-1)
        weight[:, columns] = 0
        weight[0, columns] = 1
        if bias is not None:
            bias[columns] = 0
        return {name: array.astype(np.float32) for name, array in given.items()}

    def random(self, seed):
        return {name: array.astype(np.float32) for name, array in self.given(seed + 1).items()}

    def values(self, tensors):
        """V, and how far the compiled one may be from it."""
        x = np.float64(tensors["x"])
        if self.layout == "apart":
            weight, bias = np.float64(tensors["Wv"]), tensors.get("bv", 0.0)
        else:
            columns = self.columns().reshape(-1)
            weight, bias = np.float64(tensors["W"])[:, columns], tensors["bw"][columns] if self.has_bias else 0.0
        v = x @ weight + bias
        heads = v.reshape(v.shape[:2] + (self.keys["kv_heads"], self.width)).swapaxes(1, 2)
        return heads, 2.0**-22 * np.sqrt(self.model + 1) * (np.abs(x) @ np.abs(weight) + np.abs(bias)).max()

    def rows(self, y):
        return y.reshape(y.shape[:2] + (self.keys["heads"], self.width)).swapaxes(1, 2)
