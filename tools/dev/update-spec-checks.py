#!/usr/bin/env python3
"""Rewrites the expected output of refused specs.

usage: update-spec-checks.py ATTNC-SPEC-CHECK test/Spec/...-invalid.yaml...

The CHECK lines of each file are replaced by the current output of the tool; the
rest of the file stays as it is. Read the diff before you commit it: users will
see exactly this output, including the carets.
"""

import re
import shlex
import subprocess
import sys

CHECK = re.compile(r"^# CHECK(-NEXT|-NOT)?:.*\n", re.M)
RUN = re.compile(r"^# RUN: not %attnc-spec (.*)2>&1", re.M)


def literal(line):
    """Escapes a line so that FileCheck matches exactly this text."""
    return line.replace("{{", "{{[{][{]}}").replace("[[", r"{{\[\[}}")


def update(tool, path):
    with open(path, encoding="utf-8") as f:
        text = CHECK.sub("", f.read())
    run = RUN.search(text)
    if not run:
        sys.exit(f"{path}: no RUN line for a refused spec")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    arguments = [path if a == "%s" else a for a in shlex.split(run.group(1))]
    result = subprocess.run([tool, *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, timeout=600)
    if result.returncode != 1:
        sys.exit(f"{path}: exit code {result.returncode}, 1 is expected")
    with open(path, "a", encoding="utf-8") as f:
        for number, line in enumerate(result.stdout.splitlines()):
            f.write(f"# CHECK{'-NEXT' if number else ''}:{literal(line)}\n")
        f.write("# CHECK-NOT:{{.+}}\n")


if len(sys.argv) < 3:
    sys.exit(__doc__)
for name in sys.argv[2:]:
    update(sys.argv[1], name)
