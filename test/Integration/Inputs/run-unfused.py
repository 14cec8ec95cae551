"""Compiles the graph of every spec without attn-fuse-kernel, runs it, and checks
it against the reference.

usage: run-unfused.py WORK FOLDER...
"""

import glob
import os
import re
import subprocess
import sys

SIZES = {"batch": 2, "query_len": 9, "kv_len": 21}
CASES = [[], ["-mcpu=x86-64", "--strides=random"]]
PASSES = ["--attn-fuse-maps", "--canonicalize", "--cse"]


def run(work, *command):
    result = subprocess.run(command, cwd=work, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, timeout=1800)
    if result.returncode:
        print(f"{' '.join(command)}: exit code {result.returncode}\n{result.stdout}")
    return result.returncode == 0


def check(work, spec):
    graph, unfused = os.path.join(work, "graph.mlir"), os.path.join(work, "unfused.mlir")
    if not run(work, "attnc", spec, "--emit=graph", "-o", graph):
        return False
    if not run(work, "attnc-opt", graph, *PASSES, "-o", unfused):
        return False
    with open(unfused, encoding="utf-8") as f:
        text = f.read()
    if "attn.kernel" in text:
        print(f"{spec}: is fused")
        return False
    sizes = []
    for name in re.findall(r'\{name = "([a-z_]+)"\}', re.search(r"sizes = \[([^\]]*)\]", text)[1]):
        sizes += ["--size", f"{name}={SIZES.get(name, 5)}"]
    return all(run(work, "attnc-run", "-x", "fused", unfused, "-Wno-slow-path", *sizes, *case)
               for case in CASES)


def main(work, *folders):
    specs = sorted(p for f in folders for p in glob.glob(os.path.join(f, "*.yaml")))
    wrong = [spec for spec in specs if not check(work, spec)]
    print(f"{len(specs)} specs, {len(wrong)} wrong")
    sys.exit(1 if wrong or not specs else 0)


main(*sys.argv[1:])
