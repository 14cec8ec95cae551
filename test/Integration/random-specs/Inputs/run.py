"""Runs random specs: reference against meaning, kernel against reference.

usage: run.py ATTNC-RUN WORK FIRST COUNT [--stages] [--verbose]

Of each seed from FIRST on, a spec (tools/dev/fuzz/grammar.py) is
- evaluated by `attnc-run --interpret` in f64 and compared with meaning.py, at
  small sizes;
- compiled and compared with the reference by attnc-run itself, at larger sizes,
  for one of two levels and in one of three memory orders; with --stages after
  each pass, too.
A spec that is refused must be so with a message that has an id. Specs that fail
stay in WORK.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, *[".."] * 4, "tools", "dev")]
from fuzz import grammar  # noqa: E402
import meaning  # noqa: E402

LEVELS = ["x86-64-v3", "x86-64-v3", "x86-64"]
STRIDES = ["bhsd", "bshd", "random", "bhsd"]


def call(command):
    """(kind, text): done, refused with its message, or broken."""
    try:
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800)
    except subprocess.TimeoutExpired:
        return "broken", "timeout"
    said = result.stdout.decode("utf-8", "replace")
    if result.returncode not in (0, 1) or "internal error" in said:
        return "broken", "exit code %d: %s" % (result.returncode, said[-500:])
    error = re.search(r"error: (.*)", said)
    if error and "differs" not in said:
        return "refused", error.group(1)
    return ("done", said) if result.returncode == 0 else ("broken", said[-500:])


def has_reason(said):
    """A spec is refused with an id, a call by the precondition that its sizes break."""
    return re.search(r"\[[\w-]+\]$", said) or re.match(r"f: (wrong shape: )?index .* needs .+ <= .+", said)


def options(sizes):
    return ["-Wno-slow-path", "-Wno-offset", "--size", ",".join("%s=%d" % item for item in sizes.items())]


def shapes(keys, sizes):
    """Of Q, K and V in their logical order."""
    width, kv_len = keys["head_dim"], sizes["kv_len"]
    return {"Q": (sizes["batch"], keys["heads"], sizes.get("query_len", kv_len), width),
            "K": (sizes["batch"], keys["kv_heads"], kv_len, width),
            "V": (sizes["batch"], keys["kv_heads"], kv_len, keys["value_dim"])}


def check_meaning(arguments, seed, spec, folder):
    """The reference against meaning.py."""
    path = os.path.join(folder, "meaning.yaml")
    keys = dict(spec.keys, dtype="f64")
    with open(path, "w", encoding="utf-8") as f:
        f.write(spec.text(dtype="f64"))
    sizes = {name: min(size, (2, 7, 5)[n]) for n, (name, size) in enumerate(spec.sizes.items())}
    wanted = ["O"] + re.findall(r"\w+", keys.get("outputs", ""))
    names = spec.arguments() + wanted
    command = [arguments.attnc_run, path, "--interpret", "--seed=%d" % seed] + options(sizes)
    for name in names:
        command += ["--save", "%s=%s" % (name, os.path.join(folder, name + ".npy"))]
    kind, said = call(command)
    if kind != "done":
        return kind, said
    arrays = {name: np.load(os.path.join(folder, name + ".npy")) for name in names}
    results = meaning.outputs(keys, {name: arrays[name] for name in names if name not in wanted}, spec.let,
                              shapes(keys, sizes))
    for name in wanted:
        a, b = arrays[name], results[name]
        with np.errstate(all="ignore"):
            good = np.isclose(a, b, 1e-8, 1e-9, equal_nan=True) | (a == b)
        if name == "lse":
            good |= np.isnan(b)
        if not good.all():
            place = tuple(int(n) for n in np.argwhere(~good)[0])
            return "wrong", "%s%s is %r in the reference, %r by its meaning" % (name, list(place), a[place], b[place])
    return "right", ""


def check_kernel(arguments, seed, spec, folder):
    """The kernel against the reference."""
    path = os.path.join(folder, "kernel.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write(spec.text())
    command = [arguments.attnc_run, path, "-mcpu=" + LEVELS[seed % len(LEVELS)],
               "--strides=" + STRIDES[seed % len(STRIDES)]] + options(spec.sizes)
    if arguments.stages:
        command.append("--check-stages")
    kind, said = call(command)
    if kind == "broken" and ("failed:" in said or "differs" in said):
        return "wrong", said
    return ("right", "") if kind == "done" else (kind, said)


def run(arguments, seed):
    spec = grammar.Spec(seed)
    folder = os.path.join(arguments.work, str(seed))
    os.makedirs(folder, exist_ok=True)
    try:
        found = [check_meaning(arguments, seed, spec, folder)]
    except Exception as error:  # meaning.py's fault; the other seeds go on
        found = [("broken", "%s: %s" % (type(error).__name__, error))]
    found.append(check_kernel(arguments, seed, spec, folder))
    if all(kind in ("right", "refused") for kind, _ in found):
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
        os.rmdir(folder)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("attnc_run")
    parser.add_argument("work")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--stages", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    counts, bad = [collections.Counter(), collections.Counter()], 0
    seeds = range(arguments.first, arguments.first + arguments.count)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for seed, found in zip(seeds, pool.map(lambda seed: run(arguments, seed), seeds)):
            for place, (kind, said) in enumerate(found):
                counts[place][kind] += 1
                what = ("meaning", "kernel")[place]
                if kind == "refused" and arguments.verbose:
                    print("%d %s refused: %s" % (seed, what, said))
                silent = kind == "refused" and not has_reason(said)
                if kind in ("wrong", "broken") or silent:
                    bad += 1
                    print("FAIL %d %s: %s\n%s" % (seed, what, said, grammar.Spec(seed).text()))
    for what, count in zip(("meaning", "kernel"), counts):
        print("%s: %s" % (what, ", ".join("%d %s" % (n, kind) for kind, n in sorted(count.items()))))
    # A grammar of which nothing compiles would test nothing.
    sys.exit(1 if bad or counts[1]["right"] * 4 < arguments.count else 0)


if __name__ == "__main__":
    main()
