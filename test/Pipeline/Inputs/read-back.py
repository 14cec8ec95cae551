"""Dumps every stage of a spec and compiles each dump again.

usage: read-back.py ATTNC WORK SPEC

The dump of stage llvm must compile to the same object as the spec. The dumps of
earlier stages must compile to the same dump of stage llvm, which is cheaper to
compute than an object.
"""

import filecmp
import os
import subprocess
import sys

STAGES = ("spec", "graph", "fused", "scheduled", "tile", "llvm")


def main(attnc, work, spec):
    os.makedirs(work)

    def path(name):
        return os.path.join(work, name)

    def emit(kind, output, *source):
        subprocess.run([attnc, *source, f"--emit={kind}", "-o", output], check=True)
        return output

    straight = {kind: emit(kind, path("straight." + kind), spec) for kind in ("llvm", "obj")}
    different = 0
    for stage in STAGES:
        dump = emit(stage, path(stage + (".yaml" if stage == "spec" else ".mlir")), spec)
        kind = "obj" if stage == "llvm" else "llvm"
        again = emit(kind, path(f"{stage}.{kind}"), "-x", stage, dump)
        same = filecmp.cmp(straight[kind], again, shallow=False)
        different += not same
        print(f"{stage}: {'identical' if same else 'different'}")
    sys.exit(1 if different else 0)


main(*sys.argv[1:])
