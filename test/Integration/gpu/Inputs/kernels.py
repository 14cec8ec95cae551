"""Runs kernels of a GPU in the emulator: every schedule with every type, mask and
width of a matrix, at lengths that are no multiples of a tile.

usage: kernels.py ATTNC-RUN WORK LEVEL [--every N] [--only NUMBER] [--list]
                  [--jobs N] [--timeout SECONDS]

attnc-run decides whether a result is correct: identical for integer inputs, within
twice the plain evaluation's error for random ones, which take turns. Prints what is
not right, and a count of right, refused, wrong and timeout. A case is refused if its
schedule does not fit its width.
"""

import argparse
import collections
import concurrent.futures
import itertools
import os
import re
import subprocess
import sys

FRAGMENTS = (
    "",
    "mapping = fragment, warps = 1, rows = 16, k = 16, stages = 1",
    "mapping = fragment, warps = 2, rows = 16, k = 32, stages = 3",
    "mapping = fragment, warps = 4, rows = 16, k = 48, fast_exp = false",
    "mapping = fragment, warps = 1, rows = 32, k = 16, stages = 2",
)
WARPGROUPS = (
    "",
    "mapping = warpgroup, warps = 4, k = 16, stages = 1, overlap = false",
    "mapping = warpgroup, warps = 4, k = 48, stages = 2, overlap = true, shared_rows = false, producers = false",
    "mapping = warpgroup, warps = 8, k = 32, stages = 3, overlap = true, shared_rows = true, producers = false",
    "mapping = warpgroup, warps = 4, k = 48, stages = 3, overlap = false, producers = true",
    "mapping = warpgroup, warps = 12, k = 32, stages = 2, overlap = true, producers = true, ping_pong = true",
    "mapping = warpgroup, warps = 8, k = 32, stages = 2, overlap = true, producers = true, loads = async",
    "mapping = warpgroup, warps = 8, k = 16, stages = 2, producers = false",
    "mapping = fragment, warps = 2, rows = 16, k = 32, stages = 2",
)
SUMS = (  # by fma
    "",
    "mapping = fragment, warps = 2, rows = 16, k = 32",
)
SCHEDULES = {
    "sm_80": {"bf16": FRAGMENTS, "f16": FRAGMENTS, "f32": SUMS, "tf32": FRAGMENTS},
    "sm_90a": {"bf16": WARPGROUPS, "f16": WARPGROUPS, "f32": SUMS, "tf32": SUMS},
}
MASKS = ("", "causal", "window(40)", "document(doc)", "padding(length)", "dilated(3)")
DIMS = ((16, 16), (64, 64), (40, 72), (128, 128))
QUERIES, KEYS = 37, 117
INPUTS = {"doc": "i32[batch, kv_len] nondecreasing", "length": "i32[batch]"}

Case = collections.namedtuple("Case", "schedule dtype mask dims")


def cases(level):
    return [Case(schedule, dtype, mask, dims)
            for (dtype, schedules), mask, dims in itertools.product(SCHEDULES[level].items(), MASKS, DIMS)
            for schedule in schedules]


def spec(case):
    head_dim, value_dim = case.dims
    lines = ["attnc: 1", "name: kernel", "heads: 1", f"head_dim: {head_dim}", f"value_dim: {value_dim}",
             f"dtype: {case.dtype}"]
    if case.dtype == "tf32":  # a permission to round f32
        lines[-1:] = ["dtype: f32", "precision: {tf32: true}"]
    lines += [f"mask: {case.mask}"] if case.mask else []
    inputs = [f"  {name}: {kind}" for name, kind in INPUTS.items() if f"({name})" in case.mask]
    return "\n".join(lines + (["inputs:"] + inputs if inputs else [])) + "\n"


def run(options, number, case):
    """(kind, command and output)."""
    path = os.path.join(options.work, f"{number}.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(spec(case))
    command = [options.attnc_run, path, "--target=nvptx64-nvidia-cuda", f"-mcpu={options.level}", "-Wno-slow-path",
               f"--size=batch=1,query_len={QUERIES},kv_len={KEYS}", f"--init={('normal', 'integer')[number % 2]}"]
    command += [f"--schedule=#attn.schedule<{case.schedule}>"] if case.schedule else []
    try:
        result = subprocess.run(command, text=True, timeout=options.timeout, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, check=False)
    except subprocess.TimeoutExpired:
        return "timeout", " ".join(command)
    if result.returncode == 0:
        return "right", ""
    if result.returncode == 1 and re.search(r"error: (no|invalid) schedule:", result.stdout):
        return "refused", next(line for line in result.stdout.splitlines() if "error" in line)
    return "wrong", f"exit code {result.returncode}: {' '.join(command)}\n{spec(case)}{result.stdout[-3000:]}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("attnc_run")
    parser.add_argument("work")
    parser.add_argument("level", choices=SCHEDULES)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=int, default=1800)
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    chosen = [(number, case) for number, case in enumerate(cases(options.level))
              if options.only in (None, number) and number % options.every == 0]
    if options.list:
        print("\n".join(f"{number} {' | '.join(map(str, case))}" for number, case in chosen))
        return 0
    count = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [(number, pool.submit(run, options, number, case)) for number, case in chosen]
        for number, job in jobs:
            kind, text = job.result()
            count[kind] += 1
            if kind != "right":
                print(f"case {number}: {kind}: {text}", flush=True)
    print(f"{options.level}: {len(chosen)} cases, " +
          ", ".join(f"{count[kind]} {kind}" for kind in ("right", "refused", "wrong", "timeout")))
    return int(count["wrong"] + count["timeout"] > 0 or not count["right"])


if __name__ == "__main__":
    sys.exit(main())
