#!/usr/bin/env python3
"""Layers with caches: a prompt, then one row after the other, by one object.

usage: run-cached.py ATTNC CC SPECS WORK [LEVEL...]

Each layer of SPECS is compiled once, with small widths. Two sequences of different
lengths are stored by a call each, into caches that hold NaN; then both go on
together, by single rows and by a few at once. The rows of Y are compared with the
layer without a cache over the whole sequence, in float64 (the zoo's oracles, where it
has the layer). Besides: a call changes the rows of the caches that it stores and
nothing else, and one without room is refused and changes nothing.
"""

import ctypes
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../zoo/Inputs"))
import zoo  # noqa: E402
from zoo import inv_freq, join, layernorm, plain, rmsnorm, rope, split  # noqa: E402

CAPACITY, PROMPTS, STEPS = 41, (19, 6), (1, 1, 3, 1, 8)
BAD_VALUE = 7
RNG = np.random.default_rng(7)


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


def describe(array):
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    strides = (ctypes.c_int64 * array.ndim)(*(s // array.itemsize for s in array.strides))
    code = {"f": 2, "i": 0}[array.dtype.kind]
    tensor = Tensor(array.ctypes.data, (1, 0), array.ndim, code, 8 * array.itemsize, 1, shape, strides, 0)
    return tensor


class Layer:
    """The compiled function, called with arrays by name."""

    def __init__(self, attnc, cc, spec, work, settings, level):
        name = re.sub(r"\W", "_", os.path.basename(spec)[:-5])
        os.makedirs(work)
        stem = os.path.join(work, name)
        command = [attnc, spec, "-mcpu=" + level, "-o", work]
        for setting in settings:
            command += ["--set", setting]
        subprocess.run(command, check=True)
        subprocess.run([cc, "-shared", "-o", stem + ".so", stem + ".o"], check=True)
        with open(stem + ".h", encoding="utf-8") as f:
            prototype = re.search(r"^attnc_status %s\((.*)\);" % name, f.read(), re.M).group(1)
        self.names = re.findall(r"attnc_tensor \*(\w+)", prototype)
        self.entry = getattr(ctypes.CDLL(stem + ".so"), name)

    def __call__(self, arrays):
        tensors = [describe(arrays[name]) for name in self.names]
        return self.entry(*(ctypes.byref(t) for t in tensors), None)


def weights(**shapes):
    return {name: zoo.bf16_exact(RNG.standard_normal(shape) * scale + shift)
            for name, (shape, scale, shift) in shapes.items()}


def of_zoo(name, symbols):
    """Weights and the whole layer of a variant of the zoo."""
    variant = zoo.REGISTRY[name]
    space = variant.space(dict(symbols, B=1, S=1))
    given = {t.name: zoo.draw(t, space, RNG) for t in variant.tensors if t.name != "x"}

    def layer(x, w):
        space = variant.space(dict(symbols, B=1, S=x.shape[1]))
        return variant.fn(SimpleNamespace(x=x, **w), space)

    return given, layer


def causal(n):
    return np.tril(np.ones((n, n), bool))


def t5_decoder(n, heads, width):
    inner = heads * width
    given = weights(nw=((n,), 0.2, 1), wq=((inner, n), 0.1, 0), wk=((inner, n), 0.1, 0), wv=((inner, n), 0.2, 0),
                    wo=((n, inner), 0.2, 0), table=((32, heads), 0.5, 0))
    bucket = zoo.REGISTRY["t5-bias-decoder"].fn.__globals__["t5_bucket"]

    def layer(x, w):
        h, at = rmsnorm(x, w["nw"]), np.arange(x.shape[1])
        q, k, v = (split(h @ w[m].T, heads) for m in ("wq", "wk", "wv"))
        bias = w["table"][bucket(at[None] - at[:, None], False, 32, 128)].transpose(2, 0, 1)
        return x + join(plain(q, k, v, scale=1.0, bias=bias, mask=causal(x.shape[1]))) @ w["wo"].T

    return given, layer


def mla(n, heads, rq, r, dn, dr):
    given = weights(wdq=((n, rq), n**-0.5, 0), wuq=((rq, heads * (dn + dr)), rq**-0.5, 0), wdkv=((n, r), n**-0.5, 0),
                    wkr=((n, dr), n**-0.5, 0), wuk=((r, heads * dn), r**-0.5, 0), wuv=((r, heads * dn), r**-0.5, 0),
                    wo=((heads * dn, n), n**-0.5, 0), gq=((rq,), 0.2, 1), gkv=((r,), 0.2, 1))

    def layer(x, w):
        s = x.shape[1]
        q = split(rmsnorm(x @ w["wdq"], w["gq"], 1e-6) @ w["wuq"], heads)
        c = rmsnorm(x @ w["wdkv"], w["gkv"], 1e-6)
        turned = lambda t: rope(t, np.arange(s), inv_freq(dr), interleaved=True)  # noqa: E731
        shared = np.broadcast_to(turned((x @ w["wkr"])[:, None]), (len(x), heads, s, dr))
        q = np.concatenate([q[..., :dn], turned(q[..., dn:])], -1)
        k = np.concatenate([split(c @ w["wuk"], heads), shared], -1)
        return join(plain(q, k, split(c @ w["wuv"], heads), mask=causal(s))) @ w["wo"]

    return given, layer


def whisper_cross(n, heads):
    given = weights(lnw=((n,), 0.2, 1), lnb=((n,), 0.1, 0), bq=((n,), 0.1, 0), bv=((n,), 0.1, 0), bo=((n,), 0.1, 0),
                    **{m: ((n, n), n**-0.5, 0) for m in ("wq", "wk", "wv", "wo")})

    def layer(x, w, encoded):
        q = split(layernorm(x, w["lnw"], w["lnb"]) @ w["wq"] + w["bq"], heads)
        k, v = split(encoded @ w["wk"], heads), split(encoded @ w["wv"] + w["bv"], heads)
        return x + join(plain(q, k, v)) @ w["wo"] + w["bo"]

    return given, layer


def layers():
    """name: model width, keys of the spec, weights and oracle, caches."""
    heads = lambda h, d: [(h, CAPACITY, d)] * 2  # noqa: E731
    both = ("k_cache", "v_cache")
    yield "gpt2", 60, ["heads=5", "sizes={N: 60}"], of_zoo("layer-gpt2", dict(N=60, H=5)), zip(both, heads(5, 12))
    groups = ["heads=6", "kv_heads=2", "head_dim=16"]
    yield ("llama3", 44, groups + ["sizes={N: 44}"], of_zoo("layer-llama3", dict(N=44, H=6, K=2, D=16, FACTOR=32.0)),
           zip(both, heads(2, 16)))
    yield ("gemma2", 44, groups + ["score=softcap(Q @ K / sqrt(10), 50)", "sizes={N: 44, W: 7}"],
           of_zoo("layer-gemma2", dict(N=44, H=6, K=2, D=16, W=7)), zip(both, heads(2, 16)))
    yield ("t5-decoder", 40, ["heads=3", "head_dim=16", "sizes={N: 40}"], t5_decoder(40, 3, 16),
           zip(both, heads(3, 16)))
    for expect in ("decode", "prefill"):  # queries brought to the latent rows, or keys of each head
        yield ("deepseek-mla", 48, ["heads=4", "sizes={N: 48, RQ: 24, R: 32, DN: 16, DR: 8}",
                                    "expect=[%s(4096)]" % expect], mla(48, 4, 24, 32, 16, 8),
               zip(("c_cache", "r_cache"), [(CAPACITY, 32), (CAPACITY, 8)]))
    yield ("whisper-cross", 48, ["heads=4", "head_dim=12", "sizes={N: 48, stored: any}"], whisper_cross(48, 4),
           zip(both, heads(4, 12)))


def check(model, layer, width, given, oracle, caches):
    """The largest error of Y over its largest value."""
    isCross = "encoded" in layer.names
    single = {name: np.ascontiguousarray(w, np.float32) for name, w in given.items()}
    total = [p + sum(STEPS) for p in PROMPTS]
    x = [zoo.bf16_exact(RNG.standard_normal((1, n, width))).astype(np.float32) for n in total]
    encoded = [zoo.bf16_exact(RNG.standard_normal((1, n, width))).astype(np.float32) for n in PROMPTS]
    more = [[e.astype(np.float64)] if isCross else [] for e in encoded]
    wanted = [oracle(t.astype(np.float64), given, *m) for t, m in zip(x, more)]
    store = {name: np.full((2,) + shape, np.nan, np.float32) for name, shape in caches}
    axis = {name: value.shape.index(CAPACITY) for name, value in store.items()}
    worst = 0.0

    def call(sequences, first, rows, new):
        """Rows first[b] .. first[b] + rows - 1 of the sequences, and what that leaves in the caches."""
        nonlocal worst
        part = slice(sequences[0], sequences[-1] + 1)
        arrays = dict(single)
        arrays["x"] = np.concatenate([x[b][:, f:f + rows] for b, f in zip(sequences, first)])
        arrays["encoded"] = np.concatenate([encoded[b][:, :new] for b in sequences])
        arrays["past"] = np.array([PROMPTS[b] if isCross and not new else 0 if isCross else f
                                   for b, f in zip(sequences, first)], np.int32)
        arrays["Y"] = np.full((len(sequences), rows, width), np.nan, np.float32)
        before = {name: value.copy() for name, value in store.items()}
        arrays.update({name: value[part] for name, value in store.items()})
        status = layer(arrays)
        assert status == 0, "%s: status %d" % (model, status)
        for i, (b, f) in enumerate(zip(sequences, first)):
            reference = wanted[b][0, f:f + rows]
            error = np.abs(arrays["Y"][i] - reference).max() / np.abs(wanted[b]).max()
            assert np.isfinite(error), model + ": Y is not finite"
            worst = max(worst, error)
        for name, value in store.items():
            kept = np.ones(value.shape, bool)
            for i, b in enumerate(sequences):
                at = arrays["past"][i]
                place = [b] + [slice(None)] * (value.ndim - 1)
                place[axis[name]] = slice(at, at + (new if isCross else rows))
                assert np.isfinite(value[tuple(place)]).all(), "%s: %s is not stored" % (model, name)
                kept[tuple(place)] = False
            assert np.array_equal(value[kept], before[name][kept], equal_nan=True), \
                "%s: %s was changed elsewhere" % (model, name)
        return arrays

    for b, rows in enumerate(PROMPTS):
        call([b], [0], rows, rows)
    at = list(PROMPTS)
    for rows in STEPS:
        arrays = call([0, 1], at, rows, 0)
        at = [n + rows for n in at]
    # No room for the last rows: nothing is changed.
    before = {name: value.copy() for name, value in store.items()}
    if isCross:
        arrays["encoded"] = encoded[0][[0, 0], :CAPACITY - PROMPTS[0] + 1]
    arrays["past"] = np.array([CAPACITY - STEPS[-1] + 1, 0], np.int32)
    arrays["Y"] = np.full_like(arrays["Y"], np.nan)
    if isCross:
        arrays["past"][0] = CAPACITY
    status = layer(arrays)
    assert status == BAD_VALUE, "%s: a full cache gives status %d" % (model, status)
    assert np.isnan(arrays["Y"]).all(), model + ": Y was written by a call that was refused"
    for name, value in store.items():
        assert np.array_equal(value, before[name], equal_nan=True), "%s: %s was changed" % (model, name)
    return worst


def main(attnc, cc, specs, work, *levels):
    zoo.load(os.path.join(HERE, "../zoo/Inputs"))
    wrong = count = 0
    for level in levels or ("x86-64-v3",):
        for model, width, settings, (given, oracle), caches in layers():
            count += 1
            folder = os.path.join(work, "%s.%d" % (level, count))
            layer = Layer(attnc, cc, os.path.join(specs, model + ".yaml"), folder, settings, level)
            try:
                error = check(model, layer, width, given, oracle, list(caches))
            except AssertionError as failure:
                print("FAIL %s: %s" % (level, failure))
                wrong += 1
                continue
            isRight = error <= 2e-6
            wrong += not isRight
            print("%s %-14s %s: largest error %.1e of the largest value" % (
                "right" if isRight else "WRONG", model, level, error))
    print("%d layers, %d wrong" % (count, wrong))
    sys.exit(1 if wrong or not count else 0)


main(*sys.argv[1:])
