#!/usr/bin/env python3
"""Times the specs of benchmarks/specs against the peak of this machine.

usage: benchmarks/run.py [--build DIR] [--length N] [--mcpu LEVEL]
                         [--threads N] [--json] [--input NAME=FILE] [SPEC...]
       benchmarks/run.py --layers ...
       benchmarks/run.py --against SPEC [--rounds N] [--no-check] ... SPEC...

Every figure is a share of the FMA peak that attnc-run measures in the same run,
and counts unmasked pairs only (see README.md here). With --layers the specs are
those of benchmarks/layers: projections, attention, output projection, residual.
With --against the specs and the given one run in turns for N rounds; the output
is the median share of each and its ratio to that of the given one. Not part of
the tests: a busy machine gives other figures.
"""

import argparse
import glob
import json
import os
import statistics
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def bench(options, spec, inputs=()):
    """The figures of attnc-run for one spec."""
    sizes = f"batch=1,kv_len={options.length}" + ("" if options.layers else f",query_len={options.length}")
    command = [os.path.join(options.build, "bin", "attnc-run"), spec, "--size", sizes, "--bench", "--json",
               "--threads", str(options.threads), f"-mcpu={options.mcpu}"]
    command += ["--no-check"] if options.no_check else []
    command += [f"--input={i}" for i in inputs]
    result = subprocess.run(command, text=True, capture_output=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(command)}\n{result.stderr}{result.stdout}")
    return json.loads(result.stdout)


def compare(options, specs):
    """Shares of the peak in turns, and their ratio to that of `--against`."""
    shares = {spec: [] for spec in [options.against, *specs]}
    for _ in range(options.rounds):
        for spec, found in shares.items():
            inputs = options.input if spec != options.against else ()
            found.append(bench(options, spec, inputs)["percent_of_peak"])
    plain = statistics.median(shares[options.against])
    for spec, found in shares.items():
        share = statistics.median(found)
        if options.json:
            print(json.dumps({"spec": os.path.basename(spec), "percent_of_peak": found, "ratio": share / plain}))
        else:
            print(f"{os.path.basename(spec):28} {share:5.1f} % of the peak  {100 * share / plain:5.1f} % of "
                  f"{os.path.basename(options.against)}", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("specs", nargs="*")
    parser.add_argument("--build", default=os.path.join(ROOT, "build-release"))
    parser.add_argument("--length", type=int, default=1024)
    parser.add_argument("--mcpu", default="native")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="all figures, one line per spec")
    parser.add_argument("--against", metavar="SPEC", help="run in turns with this spec and print ratios")
    parser.add_argument("--layers", action="store_true", help="whole layers; query_len is kv_len there")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-check", action="store_true", help="do not compare with the reference, which is slow")
    parser.add_argument("--input", metavar="NAME=FILE.npy", action="append", default=[],
                        help="input of the SPECs, not of that of --against; default: random")
    options = parser.parse_args()
    specs = options.specs or sorted(glob.glob(os.path.join(ROOT, "benchmarks", "layers" if options.layers else "specs", "*.yaml")))
    if options.against:
        compare(options, specs)
        return
    for spec in specs:
        figures = bench(options, spec, options.input)
        if options.json:
            print(json.dumps(figures))
        else:
            print(f"{figures['name']:16} {figures['time_ms']:8.2f} ms  {figures['gflops_needed']:7.1f} GFLOP/s  "
                  f"{figures['percent_of_peak']:5.1f} % of {figures['peak_gflops']:.0f}  "
                  f"error {figures['max_error']:.1e}", flush=True)


if __name__ == "__main__":
    main()
