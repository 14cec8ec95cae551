#!/usr/bin/env python3
"""Times the compiler itself: start-up, and a spec to an object.

usage: benchmarks/compile-time.py [--build DIR] [--mcpu LEVEL] [SPEC]

Minimum of 20 start-ups of each tool and of 10 compiles, with the object's size.
"""

import argparse
import os
import subprocess
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def fastest(runs, command):
    """The least wall time of the command in milliseconds."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("spec", nargs="?", default=os.path.join(ROOT, "examples/specs/gpt2-small.yaml"))
    parser.add_argument("--build", default=os.path.join(ROOT, "build-release"))
    parser.add_argument("--mcpu", default="x86-64-v3")
    options = parser.parse_args()
    tools = os.path.join(options.build, "bin")
    for tool in ("attnc", "attnc-opt", "attnc-run"):
        print(f"{tool + ' --version':24} {fastest(20, [os.path.join(tools, tool), '--version']):7.1f} ms")
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "out.o")
        command = [os.path.join(tools, "attnc"), options.spec, f"-mcpu={options.mcpu}", "--emit=obj", "-o", output]
        milliseconds = fastest(10, command)
        print(f"{os.path.basename(options.spec):24} {milliseconds:7.1f} ms, {os.path.getsize(output)} bytes")


if __name__ == "__main__":
    main()
