#!/usr/bin/env python3
"""Times matrix products outside kernels against the peak of this machine.

usage: benchmarks/products.py [--build DIR] [--mcpu LEVEL] [--rows N]
                              [--rounds N] [--seconds S] [NAME...]

Each product is compiled with an open number of rows. The figure is the median of
the rounds, in which the products take turns; each share is that of the peak that
attnc-run measures in the same run, of the fastest unit for the type. Not part of the tests.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "tools/dev"))
from product_ir import module  # noqa: E402

# name: labels, axes of both operands and of the result, options
PRODUCTS = {
    "qkv": ("qd,de->qe", "rows 768", "768 2304", "rows 2304", {}),
    "qkv-out-in": ("qd,ed->qe", "rows 768", "2304 768", "rows 2304", {}),
    "qkv-heads": ("bqd,dhe->bhqe", "1 rows 768", "768 36 64", "1 36 rows 64", {}),
    "heads-summed": ("bhqd,hde->bqe", "1 12 rows 64", "12 64 768", "1 rows 768", {}),
    "square": ("qd,de->qe", "rows 1024", "1024 1024", "rows 1024", {}),
    "mlp-down": ("qd,de->qe", "rows 3072", "3072 768", "rows 768", {}),
    "added": ("qd,de->qe", "rows 768", "768 2304", "rows 2304", {"epilogue": True}),
    "qkv-f64": ("qd,de->qe", "rows 768", "768 2304", "rows 2304", {"dtype": "f64"}),
    "qkv-f16": ("qd,de->qe", "rows 768", "768 2304", "rows 2304", {"dtype": "f16"}),
    "qkv-bf16": ("qd,de->qe", "rows 768", "768 2304", "rows 2304", {"dtype": "bf16"}),
}


def bench(options, folder, name):
    """The figures of attnc-run for one product."""
    labels, *axes, more = PRODUCTS[name]
    path = os.path.join(folder, name + ".mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(module(name.replace("-", "_"), labels, [a.split() for a in axes], **more))
    command = [os.path.join(options.build, "bin", "attnc-run"), path, "-x", "graph", "-Wno-slow-path", "--json",
               f"--size=rows={options.rows}", f"-mcpu={options.mcpu}", "--no-check", f"--bench={options.seconds}"]
    result = subprocess.run(command, text=True, capture_output=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(command)}\n{result.stderr}{result.stdout}")
    return json.loads(result.stdout)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--build", default=os.path.join(ROOT, "build-release"))
    parser.add_argument("--mcpu", default="native")
    parser.add_argument("--rows", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1)
    options = parser.parse_args()
    names = options.names or list(PRODUCTS)
    figures = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            for name in names:
                figures[name].append(bench(options, folder, name))
    for name, found in figures.items():
        shares = sorted(f["percent_of_peak"] for f in found)
        times = statistics.median(f["time_ms"] for f in found)
        print(f"{name:14} {times:8.2f} ms  {statistics.median(shares):5.1f} % of the peak "
              f"({shares[0]:.1f} to {shares[-1]:.1f})", flush=True)


if __name__ == "__main__":
    main()
