#!/usr/bin/env python3
"""Fails if a pass has more than one name, or if a definition is not documented.

usage: check_names.py ROOT

A pass FuseMask of include/attnc/Fusion/Passes.td is implemented in
lib/Fusion/FuseMask.cpp, has the flag [attn-|tile-|codegen-|test-]fuse-mask, and
is tested by test/Fusion/fuse-mask.mlir, whose RUN lines use the flag; both files
may be in a subfolder. Every op, type, attribute and pass has a summary and a
description; the description of an op has an example (check_docs.py runs it).
"""

import os
import re
import sys

import records
from sources import find_below, finish, kebab, read

FLAG_PREFIXES = ("", "attn-", "tile-", "codegen-")


def check_pass(root, path, name, record):
    folder = os.path.dirname(path)[len("include/attnc/"):]
    flag, stem = record["argument"], kebab(name)
    if flag not in [p + stem for p in FLAG_PREFIXES]:
        yield f"{path}: pass {name} has the flag {flag}, expected attn-{stem}"
    source = f"lib/{folder}/{name}.cpp"
    if not find_below(root, source):
        yield f"{path}: pass {name} is not in {source}"
    test = find_below(root, f"test/{folder}/{stem}.mlir")
    if not test:
        yield f"{path}: pass {name} has no test test/{folder}/{stem}.mlir"
    elif not re.search(rf"RUN:.*\b{re.escape(flag)}\b", read(root, test)):
        yield f"{test}: no RUN line uses {flag}"


def check_documented(path, name, kind, record):
    title = f"{path}: {kind} {name}"
    if not record.get("summary"):
        yield f"{title} has no summary"
    elif record["summary"].startswith("<"):
        yield f"{title} is a template: fill in {record['summary']}"
    if "EnumAttr" in record["!superclasses"]:
        return  # its cases say what it is
    if len((record.get("description") or "").split()) < 8:
        yield f"{title} has no description (8 words or more)"
    elif kind == "op" and not records.examples(record):
        yield f"{title} has no example, a ```mlir block, in its description"


def main(root):
    findings, checked = [], 0
    for path, name, record in records.load(root):
        kind = records.kind(record)
        if kind is None:
            continue
        checked += 1
        findings += check_documented(path, name, kind, record)
        if kind == "pass":
            findings += check_pass(root, path, name, record)
    finish("names", checked, findings)


if __name__ == "__main__":
    main(sys.argv[1])
