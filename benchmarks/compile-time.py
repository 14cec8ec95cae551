#!/usr/bin/env python3
"""Times the compiler itself: start-up, and specs to objects.

usage: benchmarks/compile-time.py [--build DIR] [--mcpu LEVEL] [SPEC]
       benchmarks/compile-time.py [--build DIR] [--mcpu LEVEL] [--limit SECONDS] FOLDER...

For one spec: minimum of 20 start-ups of each tool and of 10 compiles, with the
object's size. For folders: CPU time of one compile of each spec in them; prints
maximum, 90th percentile and median, and the ten slowest specs with the time per
part of the compiler. Specs that attnc refuses are not counted. With --limit,
exits with 1 if a spec takes longer.
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

# Parts of the compiler by the rows of `attnc --time` that they consist of.
PARTS = {
    "front end": ("read the input", "import the spec"),
    "graph to tile": ("stage fused", "stage scheduled", "stage tile"),
    "loops": ("stage llvm", "translation to LLVM IR"),
    "LLVM passes": ("LLVM optimization",),
    "LLVM code": ("LLVM code generation",),
}


def fastest(runs, command):
    """The least wall time of the command in milliseconds."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def time_one(tools, spec, level, output):
    for tool in ("attnc", "attnc-opt", "attnc-run"):
        print(f"{tool + ' --version':24} {fastest(20, [os.path.join(tools, tool), '--version']):7.1f} ms")
    command = [os.path.join(tools, "attnc"), spec, f"-mcpu={level}", "--emit=obj", "-o", output]
    milliseconds = fastest(10, command)
    print(f"{os.path.basename(spec):24} {milliseconds:7.1f} ms, {os.path.getsize(output)} bytes")


def compile_once(attnc, spec, level, output):
    """CPU seconds, seconds per part and bytes of the object, or None if refused."""
    command = [attnc, spec, f"-mcpu={level}", "--emit=obj", "--time", "-o", output]
    with tempfile.TemporaryFile("w+") as report:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=report)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            return None
        report.seek(0)
        rows = re.findall(r"([\d.]+)%\)  (\S.*)$", report.read(), re.M)
    seconds = usage.ru_utime + usage.ru_stime
    shares = {name: float(percent) / 100 for percent, name in rows}
    parts = [seconds * sum(shares.get(row, 0) for row in part) for part in PARTS.values()]
    return seconds, parts, os.path.getsize(output)


def time_folders(attnc, folders, level, output):
    """Prints the table and returns the longest time."""
    specs = [s for f in folders for s in sorted(glob.glob(os.path.join(f, "**", "*.yaml"), recursive=True))]
    results = {spec: compile_once(attnc, spec, level, output) for spec in specs}
    timed = sorted(((r, spec) for spec, r in results.items() if r), reverse=True)
    if not timed:
        sys.exit("no spec was compiled")
    times = [r[0] for r, _ in timed]
    print(f"{level}: {len(timed)} specs, {len(specs) - len(timed)} refused; CPU seconds: maximum {times[0]:.2f}, "
          f"90th percentile {times[len(times) // 10]:.2f}, median {times[len(times) // 2]:.2f}")
    print(f"{'':36} {'CPU s':>6}" + "".join(f"{part:>15}" for part in PARTS) + f"{'bytes':>9}")
    for (seconds, parts, size), spec in timed[:10]:
        name = os.path.basename(spec)
        print(f"{name:36} {seconds:6.2f}" + "".join(f"{part:15.2f}" for part in parts) + f"{size:9}")
    return times[0]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("paths", nargs="*", default=[os.path.join(ROOT, "examples/specs/gpt2-small.yaml")])
    parser.add_argument("--build", default=os.path.join(ROOT, "build-release"))
    parser.add_argument("--mcpu", default="x86-64-v3")
    parser.add_argument("--limit", type=float)
    options = parser.parse_args()
    tools = os.path.join(options.build, "bin")
    folders = [path for path in options.paths if os.path.isdir(path)]
    if len(folders) != len(options.paths) and len(options.paths) > 1:
        parser.error("expected one spec, or folders")
    with tempfile.TemporaryDirectory() as work:
        output = os.path.join(work, "out.o")
        if not folders:
            return time_one(tools, options.paths[0], options.mcpu, output)
        longest = time_folders(os.path.join(tools, "attnc"), folders, options.mcpu, output)
    if options.limit is not None and longest > options.limit:
        sys.exit(f"a spec takes more than {options.limit} s")


if __name__ == "__main__":
    main()
