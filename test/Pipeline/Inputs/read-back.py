"""Dumps every stage of a spec and compiles each dump again.

usage: read-back.py ATTNC WORK SPEC
"""

import filecmp
import os
import subprocess
import sys

STAGES = ("spec", "graph", "fused", "scheduled", "tile", "llvm")


def main(attnc, work, spec):
    os.makedirs(work)
    straight = os.path.join(work, "straight.o")
    subprocess.run([attnc, spec, "--emit=obj", "-o", straight], check=True)
    different = 0
    for stage in STAGES:
        dump = os.path.join(work, stage + (".yaml" if stage == "spec" else ".mlir"))
        again = os.path.join(work, stage + ".o")
        subprocess.run([attnc, spec, f"--emit={stage}", "-o", dump], check=True)
        subprocess.run([attnc, "-x", stage, dump, "--emit=obj", "-o", again], check=True)
        same = filecmp.cmp(straight, again, shallow=False)
        different += not same
        print(f"{stage}: {'identical' if same else 'different'}")
    sys.exit(1 if different else 0)


main(*sys.argv[1:])
