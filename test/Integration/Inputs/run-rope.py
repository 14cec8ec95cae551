"""Rotary embeddings and their scalings at long positions, against NumPy.

usage: run-rope.py ATTNC-RUN WORK [--all]

Each scaling is run for one of the levels and types, by turns; with --all for each.

The oracle is written from the published formulas, in float64 (long double for
kernels of f64), and knows nothing of the compiler. What is compared with is the same
in float32 (float64), as a framework computes it step by step: frequencies, angles,
cos and sin, products. The greatest error of a kernel may be twice the greatest of
that, plus one unit in the last place of the greatest value. Both are told for each
range of positions.
"""

import math
import os
import subprocess
import sys

import numpy as np

DIM, HEADS, BASE = 64, 2, 10000.0
PAIRS = DIM // 2
# Errors grow with the position, so each range has its own; so many positions that
# the greatest error is no chance.
ENDS = [64, 8192, 524288]
POSITIONS = np.concatenate([np.arange(64)] + [np.random.default_rng(end).integers(end // 8, end, 200)
                                              for end in ENDS[1:]] + [[32767, 32768, 131071, 524287]])
SHORT = 1 + np.arange(PAIRS) / 16.0
LONG = 1 + np.arange(PAIRS) * 2.0


def frequencies(base, real):
    """Su et al. 2021: theta_i = base ** (-2 i / d)."""
    return real(1) / real(base) ** (np.arange(0, DIM, 2, dtype=real) / real(DIM))


def plain(real, _):
    return frequencies(BASE, real), 1


def linear(real, _):
    """Chen et al. 2023: position m becomes m / s."""
    return frequencies(BASE, real) / real(8), 1


def llama3(real, _):
    """Llama 3.1, reference code of the model: by the length of the wave."""
    factor, low, high, old = 8, 1, 4, 8192
    f = frequencies(500000, real)
    scaled = []
    for freq in f:
        wave = 2 * math.pi / freq
        if wave < old / high:
            scaled.append(freq)
        elif wave > old / low:
            scaled.append(freq / real(factor))
        else:
            smooth = real((old / wave - low) / (high - low))
            scaled.append((real(1) - smooth) * freq / real(factor) + smooth * freq)
    return np.array(scaled, real), 1


def yarn(real, _, truncate=True):
    """Peng et al. 2023, sections 3.2 to 3.4 and the authors' code."""
    factor, old, fast, slow = 40, 4096, 32, 1
    correction = lambda turns: DIM * math.log(old / (turns * 2 * math.pi)) / (2 * math.log(BASE))
    first, last = correction(fast), correction(slow)
    if truncate:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, DIM - 1)
    ramp = np.clip((np.arange(PAIRS, dtype=real) - real(first)) / real(last - first), 0, 1).astype(real)
    f = frequencies(BASE, real)
    return f / real(factor) * ramp + f * (1 - ramp), 0.1 * math.log(factor) + 1


def yarn_exact(real, rows):
    return yarn(real, rows, truncate=False)[0], 1.25


def longrope(real, rows):
    """Ding et al. 2024, as in Phi-3: other divisors above the original length."""
    divisors = LONG if rows > 16 else SHORT
    magnitude = math.sqrt(1 + math.log(32) / math.log(16))
    return frequencies(BASE, real) / divisors.astype(real), magnitude


CASES = {
    "plain": (plain, "", "half"),
    "plain-interleaved": (plain, "", "interleaved"),
    "linear": (linear, ", scaling=linear(8)", "half"),
    "llama3": (llama3, ", base=500000, scaling=llama3(8)", "half"),
    "llama3-interleaved": (llama3, ", base=500000, scaling=llama3(8, low=1, high=4, original=8192)", "interleaved"),
    "yarn": (yarn, ", scaling=yarn(40, 4096)", "half"),
    "yarn-interleaved": (yarn, ", scaling=yarn(40, 4096)", "interleaved"),
    "yarn-exact": (yarn_exact, ", scaling=yarn(40, 4096, attention=1.25, truncate=false)", "half"),
    "longrope": (longrope, ", scaling=longrope(near, far, 16, 32)", "half"),
    "longrope-interleaved": (longrope, ", scaling=longrope(near, far, 16, 32)", "interleaved"),
}

SPEC = """attnc: 1
name: rotated
heads: {heads}
head_dim: {dim}
dtype: {dtype}
let:
  turned: rope(x{scaling}, style={style}, positions=at)
outputs: [turned]
sizes:
  rows: any
inputs:
  x: [batch, heads, rows, head_dim]
  at: i32[rows] in 0..1048576
"""


def rotate(x, at, f, magnitude, style, real):
    angle = at[:, None].astype(real) * f
    cos, sin = np.cos(angle) * real(magnitude), np.sin(angle) * real(magnitude)
    y = np.empty(x.shape, real)
    first, second = (slice(0, PAIRS), slice(PAIRS, DIM)) if style == "half" else (slice(0, DIM, 2), slice(1, DIM, 2))
    a, b = x[..., first].astype(real), x[..., second].astype(real)
    y[..., first], y[..., second] = a * cos - b * sin, b * cos + a * sin
    return y


# The type of a kernel: that of its tensors and of the formulas step by step, and that
# of the oracle.
TYPES = {"f32": (np.float32, np.float64), "f64": (np.float64, np.longdouble)}
RUNS = [("x86-64", "f32"), ("x86-64-v3", "f32"), ("x86-64-v3", "f64")]


def check(command, work, name, rows, level, dtype):
    own, wide = TYPES[dtype]
    formula, scaling, style = CASES[name]
    path = lambda file: os.path.join(work, file)
    text = SPEC.format(heads=HEADS, dim=DIM, dtype=dtype, scaling=scaling, style=style)
    if formula is longrope:
        text += f"  near, far: [{PAIRS}]\n"
    with open(path(name + ".yaml"), "w", encoding="utf-8") as file:
        file.write(text)
    rng = np.random.default_rng(7)
    x = rng.standard_normal((1, HEADS, len(POSITIONS), DIM)).astype(own)
    inputs = {"x": x, "at": POSITIONS.astype(np.int32)}
    if formula is longrope:
        inputs |= {"near": SHORT.astype(own), "far": LONG.astype(own)}
    options = []
    for tensor, value in inputs.items():
        np.save(path(tensor + ".npy"), value)
        options.append(f"--input={tensor}={path(tensor + '.npy')}")
    run = subprocess.run(
        [command, path(name + ".yaml"), "--size", f"batch=1,query_len=1,kv_len={rows},rows={len(POSITIONS)}",
         f"-mcpu={level}", f"--save=turned={path('turned.npy')}", *options],
        text=True, capture_output=True, timeout=1800, check=False)
    if run.returncode:
        print(f"{name}: {run.stdout}{run.stderr}")
        return False
    got = np.load(path("turned.npy"))
    at = inputs["at"]
    right = rotate(x, at, *formula(wide, rows), style, wide)
    unfused = rotate(x, at, *formula(own, rows), style, own)
    is_right, told = True, []
    for first, end in zip([0] + ENDS, ENDS):
        here = (at >= first) & (at < end)
        error, other = (np.abs(y - right)[:, :, here].max() for y in (got, unfused))
        limit = 2 * other + np.spacing(own(np.abs(right[:, :, here]).max()))
        is_right &= bool(error <= limit)
        told.append(f"below {end}: {error:.1e} ({other:.1e})")
    print(f"{name}, kv_len {rows}, {dtype}, {level}: {', '.join(told)}")
    return is_right


def main(command, work, all_runs=None):
    wrong = cases = 0
    for turn, name in enumerate(CASES):
        for rows in (16, 17) if CASES[name][0] is longrope else (5,):
            for level, dtype in RUNS if all_runs else [RUNS[turn % len(RUNS)]]:
                cases += 1
                wrong += not check(command, work, name, rows, level, dtype)
    print(f"{cases} cases, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
