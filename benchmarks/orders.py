#!/usr/bin/env python3
"""Times both association orders of products, and the compiler's choice.

usage: benchmarks/orders.py [--build DIR] [--mcpu LEVEL] [--rounds N]
                            [--seconds S] [--predict] [SPEC...]

A file of benchmarks/orders has two versions of a function, `written` and `other`,
lines `# at: {size: n, ...}`, and `# without: PASS ...`. At each of these sizes both
are compiled without these passes, and `written` also with all passes and the sizes
as `expect`. The three run in turns, one process each, for N rounds. A figure is the
median CPU time of a call with one thread, next to the cost of each order in GFLOP
and in the cost model's Mcycles (of the products that it compares). --predict prints
costs only and takes seconds; a run takes eight minutes, two with --rounds 1.
Not part of the tests: a busy machine gives other figures.
"""

import argparse
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
ORDERS = ["written", "other", "taken"]
COSTS = re.compile(r"takes \S+ FLOPs, \S+ bytes, (\S+) cycles(?:; .* (\S+) cycles; reordered)?")


def read(path):
    """The two functions, the sizes to compare them at, and the options that keep
    their orders."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    sizes = re.findall(r"^# at: \{(.*)\}$", text, flags=re.M)
    without = re.search(r"^# without: (.*)$", text, flags=re.M)[1].split()
    written, other = text.split("\n---\n")
    return {"written": written, "other": other}, sizes, [f"--skip-pass={name}" for name in without]


def run(options, tool, *arguments):
    command = [os.path.join(options.build, "bin", tool), *arguments, f"-mcpu={options.mcpu}", "-Wno-slow-path"]
    return subprocess.run(command, text=True, capture_output=True, check=True)


def costs(options, path, kept):
    """GFLOP as written and as taken; the model's megacycles of both for those
    products that it compares, nothing where it compares none."""
    account = {}
    for name, skipped in (("written", kept), ("taken", [])):
        text = run(options, "attnc", path, "--emit=accounting", "-o", "-", *skipped).stdout
        account[name] = json.loads(text)["functions"][0]["at"][0]["saved"]["as_compiled"]["flops"] * 1e-9
    remarks = run(options, "attnc", path, "--explain", "--emit=fused", "-o", os.devnull).stderr
    found = [COSTS.search(line) for line in remarks.splitlines() if line.startswith("  order ")]
    found = [match for match in found if match]
    cycles = {"written": 1e-6 * sum(float(match[1]) for match in found),
              "taken": 1e-6 * sum(float(match[2] or match[1]) for match in found)}
    return {name: f"{account[name]:.3g}" + (f" GFLOP, {cycles[name]:.3g} Mcycles" if found else " GFLOP")
            for name in account}


def measure(options, variants):
    times = {name: [] for name in variants}
    for _ in range(options.rounds):
        for name, (path, skipped) in variants.items():
            line = run(options, "attnc-run", path, f"--bench={options.seconds}", "--json", "--no-check",
                       *skipped).stdout
            times[name].append(json.loads(line)["call_ms"])
    return {name: statistics.median(found) for name, found in times.items()}


def compare(options, path, functions, sizes, kept, folder):
    paths = {}
    for name, text in functions.items():
        paths[name] = os.path.join(folder, f"{name}.yaml")
        with open(paths[name], "w", encoding="utf-8") as file:
            file.write(f"{text.rstrip()}\nexpect: [{{{sizes}}}]\n")
    predicted = costs(options, paths["written"], kept)
    predicted["other"] = costs(options, paths["other"], kept)["written"]
    times = {}
    if not options.predict:
        times = measure(options, {"written": (paths["written"], kept), "other": (paths["other"], kept),
                                  "taken": (paths["written"], [])})
    cells = [os.path.basename(path).removesuffix(".yaml"), sizes.replace("batch: 1, ", "")]
    for name in ORDERS:
        cells.append(predicted[name] + (f": {times[name]:.3g} ms" if times else ""))
    print("| " + " | ".join(cells) + " |", flush=True)


def require_tools(options):
    for tool in ("attnc", "attnc-run"):
        path = os.path.join(options.build, "bin", tool)
        if not os.access(path, os.X_OK):
            folder = os.path.relpath(options.build)
            sys.exit(f"orders.py: error: no {folder}/bin/{tool}: "
                     f"build it (ninja -C {folder} attnc attnc-run) or give --build DIR")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("specs", nargs="*")
    parser.add_argument("--build", default=os.path.join(ROOT, "build-release"))
    parser.add_argument("--mcpu", default="x86-64-v3")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2, help="of each variant, in each round")
    parser.add_argument("--predict", action="store_true", help="costs only")
    options = parser.parse_args()
    require_tools(options)
    titles = ["spec", "at", *ORDERS]
    print("| " + " | ".join(titles) + " |\n" + "|---" * len(titles) + "|")
    for path in options.specs or sorted(glob.glob(os.path.join(ROOT, "benchmarks", "orders", "*.yaml"))):
        functions, settings, kept = read(path)
        with tempfile.TemporaryDirectory() as folder:
            for sizes in settings:
                compare(options, path, functions, sizes, kept, folder)


if __name__ == "__main__":
    main()
