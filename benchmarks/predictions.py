#!/usr/bin/env python3
"""Compares the cost model's predictions with what attnc-run measures.

usage: predictions.py [--run PROGRAM] [--attnc PROGRAM...] [--mcpu LEVEL] [--dtype TYPE]
                      [--cases NAMES] [--rounds N] [--seconds S]

For each case of peers/cases.json that is a single kernel of TYPE (bf16): the share
of the unit's peak that --explain predicts, with each compiler given, the share that
attnc-run measures with one thread (the median of N rounds), and predicted divided by
measured. Only the compiler of attnc-run is measured, so others must choose the same
schedule. NAMES are separated by commas and have no type: prefill_1k_d64. Lengths of
padded rows are the greatest, as the model assumes. A share of FMAs next to a peak of
another unit is not compared.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "..", "build-release", "bin")
sys.path[:0] = [os.path.join(HERE, "peers")]

import cases  # noqa: E402
import numpy as np  # noqa: E402
import specs  # noqa: E402


def run(command):
    """Both outputs of a command; ends the program if it fails."""
    result = subprocess.run(command, text=True, capture_output=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(command)}\n{result.stderr}{result.stdout}")
    return result.stdout, result.stderr


def predict(attnc, spec, mcpu):
    """The predicted share of the peak at the sizes of `expect`, in percent, and the unit."""
    _, remarks = run([attnc, spec, f"-mcpu={mcpu}", "-Wno-slow-path", "--explain", "--emit=scheduled", "-o", os.devnull])
    share = re.search(r"predicted ([0-9.]+)% of the peak at", remarks)
    few = "features in lanes" in remarks
    unit = re.search(r"unit = (\w+)", remarks)
    return float(share[1]), unit[1] if unit and not few else "fma"


def measure(case, spec, options):
    """The measured share of the peak, in percent, and the unit whose peak it is."""
    command = [options.run, spec, f"-mcpu={options.mcpu}", "-Wno-slow-path", "--no-check", "--json", f"--bench={options.seconds}"]
    if case.mask == "padding":
        lengths = spec + ".npy"
        np.save(lengths, np.full(case.batch, case.kv_len, np.int32))
        command.append(f"--input=length={lengths}")
    lines = [json.loads(run(command)[0]) for _ in range(options.rounds)]
    return statistics.median(line["percent_of_peak"] for line in lines), lines[0]["peak_unit"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", default=os.path.join(BUILD, "attnc-run"))
    parser.add_argument("--attnc", nargs="+", default=[os.path.join(BUILD, "attnc")])
    parser.add_argument("--mcpu", default="native")
    parser.add_argument("--dtype", default="bf16", choices=cases.DTYPES)
    parser.add_argument("--cases", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.2)
    options = parser.parse_args()
    kernels = {name: case for name, case in cases.load(os.path.join(HERE, "peers", "cases.json")).items()
               if case.kind in ("attention", "sigmoid")}
    names = options.cases.split(",") if options.cases else [
        name.removesuffix("_" + options.dtype) for name, case in kernels.items() if case.dtype == options.dtype]
    for name in names:
        if f"{name}_{options.dtype}" not in kernels:
            parser.error(f"no case {name!r} of {options.dtype}")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            spec = os.path.join(folder, name + ".yaml")
            with open(spec, "w", encoding="utf-8") as file:
                file.write(specs.spec(kernels[f"{name}_{options.dtype}"]))
            measured, unit = measure(kernels[f"{name}_{options.dtype}"], spec, options)
            columns = []
            for share, of in (predict(attnc, spec, options.mcpu) for attnc in options.attnc):
                columns.append(f"{share:5.1f} % ({share / measured:4.2f})" if of == unit else f"{share:5.1f} % of {of}")
            print(f"{name:24} measured {measured:5.1f} % of {unit}, predicted " + ", ".join(columns), flush=True)


if __name__ == "__main__":
    main()
