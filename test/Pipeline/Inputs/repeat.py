"""Compiles a spec again and again, with other address layouts and environments,
and counts the different results.

usage: repeat.py ATTNC TIMES STAGE SPEC
"""

import hashlib
import os
import subprocess
import sys


def main(attnc, times, stage, spec):
    results = set()
    for i in range(int(times)):
        # Moves the stack; the kernel moves the rest.
        environment = dict(os.environ, PADDING="x" * (i * 97 % 4096))
        output = subprocess.run([attnc, spec, f"--emit={stage}", "-o", "-"], check=True,
                                env=environment, stdout=subprocess.PIPE).stdout
        results.add(hashlib.sha256(output).digest())
    print(f"{stage}: {len(results)} result of {times} runs")


main(*sys.argv[1:])
