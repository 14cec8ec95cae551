#!/usr/bin/env python3
"""Compiles every spec with two compilers and compares the object files.

usage: compare-objects.py OLD NEW [--jobs N] [--levels LIST] [--filter REGEX]
                          [--sample N] [--root DIR]

OLD and NEW are build folders or executables of attnc. Specs are the YAML files
below test, examples and benchmarks; a spec that both compilers refuse is not
compared. Prints one line per difference and the summary

  1844 compared, 0 different, 310 refused

Exits with 1 if a pair of objects differs, if only one compiler refuses a spec,
or if nothing was compared. A change that claims not to affect generated code is
checked with this tool.
"""

import argparse
import concurrent.futures
import hashlib
import os
import random
import re
import subprocess
import sys
import tempfile

from sources import files

LEVELS = "x86-64,x86-64-v3,x86-64-v4,zen4,sapphirerapids"
FOLDERS = ("test", "examples", "benchmarks")
LIMIT_SECONDS = 1200


def executable(path):
    """The compiler of a build folder, or the path itself."""
    if os.path.isdir(path):
        path = os.path.join(path, "bin", "attnc")
    if not os.access(path, os.X_OK):
        sys.exit(f"{path}: not an executable; expected a build folder or attnc itself")
    return os.path.abspath(path)


def compile_spec(attnc, spec, level, output):
    """The SHA-256 of the object, or the exit code if the spec is refused."""
    command = [attnc, spec, "--emit=obj", f"-mcpu={level}", "-o", output]
    try:
        result = subprocess.run(command, capture_output=True, timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return "time limit"
    if result.returncode:
        return f"exit code {result.returncode}"
    with open(output, "rb") as f:
        return "sha256 " + hashlib.sha256(f.read()).hexdigest()


def compare(old, new, spec, level):
    # Both compilers run in turn with the same output path, in case it is part
    # of the object.
    with tempfile.TemporaryDirectory() as work:
        output = os.path.join(work, "kernel.o")
        return tuple(compile_spec(attnc, spec, level, output) for attnc in (old, new))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--levels", default=LEVELS)
    parser.add_argument("--filter", default="", help="a regular expression that paths of specs must contain")
    parser.add_argument("--sample", type=int, help="compile this many specs, the same ones each time")
    parser.add_argument("--root", default=os.path.join(os.path.dirname(__file__), "..", ".."))
    options = parser.parse_args()
    old, new = executable(options.old), executable(options.new)
    root = os.path.abspath(options.root)
    specs = [s for s in files(root, ".yaml", below=FOLDERS, inputs=True) if re.search(options.filter, s)]
    if options.sample and options.sample < len(specs):
        specs = sorted(random.Random(0).sample(specs, options.sample))
    runs = [(spec, level) for spec in specs for level in options.levels.split(",")]
    compared = different = refused = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda run: compare(old, new, os.path.join(root, run[0]), run[1]), runs)
        for (spec, level), (before, after) in zip(runs, results):
            if before != after:
                different += 1
                print(f"{spec} {level}: {before} became {after}", flush=True)
            if before == after and not before.startswith("sha256"):
                refused += 1
            else:
                compared += 1
    print(f"{compared} compared, {different} different, {refused} refused")
    sys.exit(1 if different or not compared else 0)


if __name__ == "__main__":
    main()
