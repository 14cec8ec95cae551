"""Prints the specs of a folder whose stage fused depends on the processor.

usage: neutral_fused.py ATTNC FOLDER WORK
"""

import os
import subprocess
import sys

LEVELS = ("x86-64", "x86-64-v3", "sapphirerapids", "sm_90a", "opencl")


def fused(attnc, spec, level, work):
    """The dump, without the commit and the level's name."""
    path = os.path.join(work, level + ".mlir")
    command = [attnc, spec, "-mcpu=" + level, "--emit=fused", "-Wno-slow-path", "-o", path]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as f:
        return f.read()


def main(attnc, folder, work):
    differ = count = 0
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if not name.endswith(".yaml"):
                continue
            spec = os.path.join(root, name)
            texts = {fused(attnc, spec, level, work) for level in LEVELS}
            count += 1
            if len(texts) > 1:
                differ += 1
                print(f"{os.path.relpath(spec, folder)} differs")
    print(f"{count} specs, {differ} differ")


if __name__ == "__main__":
    main(*sys.argv[1:])
