#!/usr/bin/env python3
"""Compares the schedules that attnc chooses with a fixed set of others, measured.

usage: choices.py [--attnc PROGRAM] [--cc PROGRAM] [--mcpu LEVEL] [--cases NAMES]
                  [--rounds N] [--seconds S] [--json FILE]

Each case of peers/cases.json that is a single kernel is compiled with the chosen
schedule and with all pairs of q and k below that are legal, for few heads, which
take turns. Prints for each case the time of the choice, divided by that of the
fastest candidate, and which one that is. Times are CPU times of one thread, minima
over the rounds: more of them on a busy machine. NAMES are separated by commas and
end in a type: prefill_1k_d64_bf16. Results are appended to FILE.
"""

import argparse
import dataclasses
import itertools
import json
import os
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "peers")]

import cases  # noqa: E402
import tensors  # noqa: E402
from adapters import attnc_peer  # noqa: E402

QUERIES, KEYS = (16, 32, 64, 128), (32, 64, 128, 256)


def shrink(case):
    """One KV head: the choice is that of one head."""
    kv_heads = 1
    return dataclasses.replace(case, heads=kv_heads * case.group, kv_heads=kv_heads, batch=min(case.batch, 4))


def candidates():
    """{name: option}, the choice first."""
    found = {"chosen": []}
    for q, k in itertools.product(QUERIES, KEYS):
        found[f"{q} x {k}"] = [f"--schedule=#attn.schedule<q = {q}, k = {k}>"]
    return found


def prepare(case, options, folder):
    """{name of the candidate: call}. Candidates that are not legal are missing."""
    inputs, calls = tensors.inputs(case), {}
    for name, schedule in candidates().items():
        where = os.path.join(folder, name.replace(" ", ""))
        os.makedirs(where, exist_ok=True)
        os.environ["ATTNC_PEERS"] = json.dumps({"attnc": options.attnc, "cc": options.cc, "folder": where,
                                                "options": [f"-mcpu={options.mcpu}", *schedule]})
        try:
            calls[name], _, _ = attnc_peer.prepare(None, case, inputs, 1)
        except RuntimeError as error:
            if name == "chosen" or "illegal" not in str(error) and "invalid schedule" not in str(error):
                raise
    return calls


def measure(calls, rounds, seconds):
    """{name: least CPU seconds of a call}; after two rounds of what is near the best."""
    least = dict.fromkeys(calls, float("inf"))
    for number in range(rounds):
        best = min(least.values())
        for name, call in calls.items():
            if number > 1 and least[name] > 1.3 * best:
                continue
            call()
            count, begin = 0, time.thread_time()
            while (spent := time.thread_time() - begin) < seconds or count == 0:
                call()
                count += 1
            least[name] = min(least[name], spent / count)
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attnc", default=os.path.join(HERE, "..", "build-release", "bin", "attnc"))
    parser.add_argument("--cc", default="clang-22")
    parser.add_argument("--mcpu", default="native")
    parser.add_argument("--cases", default="")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=0.02)
    parser.add_argument("--json")
    options = parser.parse_args()
    kernels = {name: case for name, case in cases.load(os.path.join(HERE, "peers", "cases.json")).items()
               if case.kind in ("attention", "sigmoid")}
    chosen = options.cases.split(",") if options.cases else list(kernels)
    for name in chosen:
        if name not in kernels:
            parser.error(f"no case {name!r}; cases: {', '.join(kernels)}")
    near, total = 0, 0
    for name in chosen:
        case = kernels[name]
        with tempfile.TemporaryDirectory() as folder:
            least = measure(prepare(shrink(case), options, folder), options.rounds, options.seconds)
        best = min(least, key=least.get)
        ratio = least["chosen"] / least[best]
        near, total = near + (ratio <= 1.1), total + 1
        print(f"{name:28} {least['chosen'] * 1e3:8.3f} ms, {ratio:5.3f} of the best: {best}", flush=True)
        if options.json:
            with open(options.json, "a", encoding="utf-8") as file:
                file.write(json.dumps({"case": name, "mcpu": options.mcpu, "seconds": least}) + "\n")
    print(f"{near} of {total} choices are within 10 % of the best")


if __name__ == "__main__":
    main()
