#!/usr/bin/env python3
"""Runs products of matrices of odd sizes against the reference.

usage: run-products.py ATTNC-RUN WORK [--all] LEVEL...

Each form is compiled with open sizes, where every part of a block may be
incomplete, and with a few fixed ones, in f32 and, for x86-64-v3, in one of the
other types, by turns, with --all in each of them. For zen4 and sapphirerapids, whose instructions are computed by
software models, they are compiled in bf16; without --all a few forms, with random or integer inputs by turns. Random
inputs have at most twice the error of the plain evaluation, integer ones none.
"""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tools/dev"))
from product_ir import module  # noqa: E402

ODD = "0,1,3,15,17,63,65,197"
EACH = "rows=0,1,15,17,65,depth=0,1,63,197,columns=1,3,17,65"  # of the forms that differ in what is copied
FEW = "rows=1,17,65,depth=0,15,197,columns=3,63,197"
MANY = "rows=17,65,depth=1,15,197,columns=63,197"  # results, which make an error comparable
# name: labels, axes of both operands and of the result, options
MODELED_SIZES = "rows=9,33,depth=47,columns=17"  # more rows than are multiplied without the unit
FORMS = {
    "plain": ("qd,de->qe", "rows depth", "depth columns", "rows columns", {}),
    "out_in": ("qd,ed->qe", "rows depth", "columns depth", "rows columns", {}),
    "left": ("dq,de->qe", "depth rows", "depth columns", "rows columns", {}),
    "split": ("bqm,mhe->bhqe", "2 rows depth", "depth 3 columns", "2 3 rows columns", {}),
    "summed": ("bhqd,hde->bqe", "2 3 rows depth", "3 depth columns", "2 rows columns", {}),
    "batch": ("bqd,bde->bqe", "2 rows depth", "2 depth columns", "2 rows columns", {}),
    "masked": ("qd,de->qe", "rows depth", "depth columns", "rows columns", {"masked": "qd"}),
    "outer": ("qd,d->qd", "rows depth", "depth", "rows depth", {}),
    "to_one": ("hqk,hm->mqk", "4 rows depth", "4 1", "1 rows depth", {}),
    "from_one": ("mqk,mg->gqk", "1 rows depth", "1 3", "3 rows depth", {}),
    "added": ("bqd,de->bqe", "2 rows depth", "depth columns", "2 rows columns", {"epilogue": True}),
}
SINGLE = (("f32", "normal"), ("f32", "integer"))
# Forms without --all.
MODELED = {"zen4": ("out_in", "split"), "sapphirerapids": ("plain", "left", "summed")}
OTHER = (("f64", "integer"), ("f16", "normal"), ("bf16", "integer"))
FIXED = [("plain", 768, 130), ("plain", 197, 17), ("out_in", 600, 80), ("out_in", 197, 63), ("split", 65, 64),
         ("summed", 64, 65), ("summed", 80, 48), ("left", 1100, 33), ("added", 63, 65)]


def listed(sizes):
    """NAME=N,... of each name."""
    return re.findall(r"\w+=[\d,]*\d", sizes)


def run(tool, work, form, fixed, dtype, level, init, every):
    """Whether one function is right at all its sizes."""
    labels, *axes, options = FORMS[form]
    axes = [[str(fixed.get(a, a)) for a in operand.split()] for operand in axes]
    name = f"{form}_{dtype}" + "".join(f"_{n}" for n in fixed.values())
    path = os.path.join(work, name + ".mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(module(name, labels, axes, dtype, **options))
    if init == "normal":
        sizes = "rows=17,197" if fixed else MANY
    elif fixed:
        sizes = f"rows={ODD}"
    else:
        sizes = EACH if dtype == "f32" and form in ("plain", "out_in", "left") else FEW
    if level in MODELED and not every:
        sizes = MODELED_SIZES
    open_sizes = {name for operand in axes for name in operand}
    sizes = ",".join(s for s in listed(sizes) if s.split("=")[0] in open_sizes)
    command = [tool, path, "-x", "graph", "-Wno-slow-path", f"-mcpu={level}", f"--init={init}", "--size", sizes,
               "--strides", "random" if init == "integer" else "bhsd"]
    if level in MODELED:
        command += ["--model-instructions"]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    if done.returncode:
        print(" ".join(command), "\n", done.stdout[-600:], done.stderr[-600:], flush=True)
    return done.returncode == 0


def main():
    tool, work, *levels = sys.argv[1:]
    every = "--all" in levels
    levels = [level for level in levels if level != "--all"]
    os.makedirs(work, exist_ok=True)
    cases = [(form, {}) for form in FORMS]
    some = {level: [(form, {}) for form in forms] for level, forms in MODELED.items() if not every}
    cases += [(form, {"depth": depth, "columns": columns}) for form, depth, columns in FIXED]
    wrong = count = 0
    for number, (form, fixed) in enumerate(cases):
        for level in levels:
            if (form, fixed) not in some.get(level, cases):
                continue
            types = SINGLE
            if level in MODELED:
                types = [("bf16", init) for init in ("normal", "integer")]
                types = types if every else [types[number % 2]]
            if level == "x86-64-v3":
                types += OTHER if every else (OTHER[number % len(OTHER)],)
            for dtype, init in types:
                count += 1
                wrong += not run(tool, work, form, fixed, dtype, level, init, every)
    print(f"{count} products, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
