"""Weights that sum to 1: what holds of them whatever the formulas are.

usage: properties.py ATTNC-RUN WORK FIRST COUNT

Of each seed from FIRST on, one attention (tools/dev/fuzz/grammar.py) and one layer (tools/dev/fuzz/layers.py),
both with a normaliser whose weights are positive and sum to 1, are compiled and
run, without a look at the reference:
- values that are all 1 give 1;
- with random values each element of a row lies between the least and the greatest
  that the keys which the mask allows have there;
- a row of which the mask allows no key is 0.
Which keys are allowed is evaluated by meaning.py. The tolerance is that of a sum
of n terms, 2 units in the last place times sqrt(n). Specs that fail stay in WORK.
"""

import argparse
import collections
import concurrent.futures
import os
import random
import shutil
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, *[".."] * 4, "tools", "dev")]
from fuzz import grammar  # noqa: E402
from fuzz import layers  # noqa: E402
import meaning  # noqa: E402
import run as runner  # noqa: E402

ULP = 2.0**-23
NORMALISED = [
    "softmax(score)",
    "softmax(score)",
    "softmax(score, temperature=2)",
    "softmax(top_k(score, 3))",
    "sparsemax(score)",
    "(1 + score**2) / sum(1 + score**2)",
    "softplus(score) / sum(softplus(score))",
]


class Attention:
    """A random attention with a normaliser of NORMALISED."""

    def __init__(self, seed):
        spec = grammar.Spec(seed, attentions=0, outputs=0, dtypes=0, lets=0)
        spec.keys.pop("value", None)
        spec.keys["attention"] = random.Random(seed).choice(NORMALISED)
        used = " ".join(str(value) for value in spec.keys.values())
        spec.inputs = {name: kind for name, kind in spec.inputs.items() if name in used}
        self.text, self.keys, self.sizes = spec.text(), spec.keys, spec.sizes
        self.names, self.output = spec.arguments(), "O"
        self.shape = runner.shapes(self.keys, self.sizes)["V"]

    def ones(self, seed):
        return {"V": np.ones(self.shape, np.float32)}

    def random(self, seed):
        return {}

    def values(self, tensors):
        """V, and how far the compiled one may be from it."""
        return np.float64(tensors["V"]), 0.0

    def rows(self, o):
        return o


def allowed(spec, tensors):
    """Which keys a row may see: [batch, heads, query_len, kv_len]."""
    batch, heads, kv_len = spec.sizes["batch"], spec.keys["heads"], spec.sizes["kv_len"]
    query_len = spec.sizes.get("query_len", kv_len)
    mask = np.ones((batch, heads, query_len, kv_len), bool)
    if "mask" not in spec.keys:
        return mask
    shapes = runner.shapes(spec.keys, spec.sizes)
    tensors = {**{name: np.zeros(shape) for name, shape in shapes.items()}, **tensors}
    rules = meaning.Meaning(spec.keys, tensors)
    for b, h, i in np.ndindex(batch, heads, query_len):
        names = dict(rules.names, b=b, h=h, g=h // rules.sizes["group"], i=i)
        q = i + rules.evaluate("offset", names, kv_len - query_len)
        for k in range(kv_len):
            mask[b, h, i, k] = rules.evaluate("mask", dict(names, q=q, k=k, **meaning.masks(b, q, k)), True)
    return mask


def compiled(arguments, spec, path, folder, given, seed):
    """(kind, text, tensors): the inputs and the output of a call."""
    command = [arguments.attnc_run, path, "--no-check", "--seed=%d" % seed,
               "-mcpu=" + runner.LEVELS[seed % len(runner.LEVELS)]] + runner.options(spec.sizes)
    for name, array in given.items():
        np.save(os.path.join(folder, "in-%s.npy" % name), array)
        command += ["--input", "%s=%s" % (name, os.path.join(folder, "in-%s.npy" % name))]
    for name in spec.names + [spec.output]:
        command += ["--save", "%s=%s" % (name, os.path.join(folder, name + ".npy"))]
    kind, said = runner.call(command)
    if kind != "done":
        return kind, said, {}
    return kind, "", {name: np.load(os.path.join(folder, name + ".npy")) for name in spec.names + [spec.output]}


def outside(low, high, o, keys, error):
    """The first place of `o` that is not within the bounds, or nothing."""
    tolerance = 2 * ULP * np.sqrt(np.maximum(keys, 1)) * np.maximum(np.abs(low), np.abs(high)) + error
    with np.errstate(invalid="ignore"):
        bad = ~((o >= low - tolerance) & (o <= high + tolerance))
    if not bad.any():
        return ""
    place = tuple(int(n) for n in np.argwhere(bad)[0])
    return "%s is %.9g, outside %.9g .. %.9g" % (list(place), o[place], low[place], high[place])


def check(arguments, seed, spec, folder):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "f.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write(spec.text)
    mask = None
    for what, given in (("ones", spec.ones(seed)), ("random values", spec.random(seed))):
        kind, said, tensors = compiled(arguments, spec, path, folder, given, seed)
        if kind != "done":
            return kind, said
        if mask is None:
            mask = allowed(spec, tensors)
        v, error = spec.values(tensors)
        v = np.repeat(v, spec.keys["heads"] // v.shape[1], axis=1)[:, :, None]
        keys = mask.sum(-1)[..., None]
        low = np.where(mask[..., None], v, np.inf).min(3)
        high = np.where(mask[..., None], v, -np.inf).max(3)
        low, high = np.where(keys > 0, low, 0.0), np.where(keys > 0, high, 0.0)
        found = outside(low, high, np.float64(spec.rows(tensors[spec.output])), keys, np.where(keys > 0, error, 0.0))
        if found:
            return "wrong", "%s: %s%s" % (what, spec.output, found)
    shutil.rmtree(folder)
    return "right", ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("attnc_run")
    parser.add_argument("work")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    arguments = parser.parse_args()
    kinds = {"attention": Attention, "layer": layers.Layer}
    cases = [(kind, seed) for seed in range(arguments.first, arguments.first + arguments.count) for kind in kinds]

    def one(case):
        kind, seed = case
        return check(arguments, seed, kinds[kind](seed), os.path.join(arguments.work, "%s-%d" % case))

    counts, bad = {kind: collections.Counter() for kind in kinds}, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (kind, seed), (found, said) in zip(cases, pool.map(one, cases)):
            counts[kind][found] += 1
            if found in ("wrong", "broken") or (found == "refused" and not runner.has_reason(said)):
                bad += 1
                print("FAIL %s %d: %s\n%s" % (kind, seed, said, kinds[kind](seed).text))
    for kind, count in counts.items():
        print("%s: %s" % (kind, ", ".join("%d %s" % (n, found) for found, n in sorted(count.items()))))
    # A grammar of which nothing compiles would test nothing.
    sys.exit(1 if bad or any(count["right"] * 4 < arguments.count for count in counts.values()) else 0)


if __name__ == "__main__":
    main()
