#!/usr/bin/env python3
"""Compiles every file of a folder as if it were a dump of a stage: attnc may
refuse it with a message, but must not crash.

usage: feed_everything.py ATTNC WORK FOLDER... [--stages LIST] [--all]

Every second file is compiled from one of the stages, by turns; with --all every
file from each of them. A run passes with the exit codes 0 (compiled), 1 (refused) and 2 (incorrect
command line), without an internal error; codes 1 and 2 require a message. The
last line is the number of runs.
"""

import argparse
import collections
import concurrent.futures
import os
import resource
import subprocess
import sys

from sources import files

LIMIT_SECONDS = 60


def limit_time():
    """Limits CPU time, so that other load on the machine does not count."""
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_SECONDS, LIMIT_SECONDS))


def feed(attnc, path, stage, output):
    """Returns the exit code, and the error of the run or None."""
    command = [attnc, "-x", stage, path, "--emit=obj", "-o", output]
    try:
        result = subprocess.run(command, capture_output=True, preexec_fn=limit_time,
                                timeout=20 * LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return "time", f"took over {LIMIT_SECONDS} s: {' '.join(command)}"
    message = result.stderr.decode("utf-8", "replace")
    wrong = None
    if result.returncode not in (0, 1, 2):
        wrong = f"exit code {result.returncode}"
    elif result.returncode and not message.strip():
        wrong = "refused without a message"
    elif "internal error" in message:
        wrong = "internal error"
    if wrong:
        wrong = f"{wrong}: {' '.join(command)}\n{message[-2000:]}"
    return result.returncode, wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("attnc")
    parser.add_argument("work")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--stages", default="spec,graph,fused,scheduled,tile,llvm")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    paths = [os.path.join(folder, path) for folder in options.folders for path in files(folder, inputs=True)]
    stages = options.stages.split(",")
    runs = [(path, stage) for i, path in enumerate(paths) for j, stage in enumerate(stages)
            if options.all or i % (2 * len(stages)) == 2 * j]
    codes, findings = collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(feed, options.attnc, path, stage, os.path.join(options.work, f"{i}.o"))
                for i, (path, stage) in enumerate(runs)]
        for job in jobs:
            code, wrong = job.result()
            codes[code] += 1
            if wrong:
                findings.append(wrong)
    for finding in findings:
        print(finding)
    told = ", ".join(f"{count} with {code}" for code, count in sorted(codes.items(), key=str))
    print(f"{len(runs)} runs: {told}; {len(findings)} wrong")
    sys.exit(1 if findings or not codes[0] else 0)


if __name__ == "__main__":
    main()
