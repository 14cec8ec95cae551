#!/usr/bin/env python3
"""Keeps the table of tests in docs/testing.md up to date.

usage: test-table.py --update ROOT RESULTS.json
       test-table.py --check ROOT

--update rewrites the table from lit's results of a whole run of the gate
(build/check-attnc-gate.json), and test/.lit_test_times.txt, which lets lit
start the slow tests first in a fresh build folder. --check is a lint: each
folder of test/ has a row, whose number of tests is off by 50 or a quarter at
most.
"""

import collections
import json
import os
import re
import sys

from sources import files, finish, read

DOCUMENT = "docs/testing.md"
TIMES = "test/.lit_test_times.txt"
TABLE = re.compile(r"(?<=<!-- test-table.py writes this table -->\n).*?(?=\n\n)", re.S)
SLOW = 5.0  # seconds of CPU time; faster tests need no place in the order
UNIT_TEST = re.compile(r"^TEST(?:_F|_P)?\(", re.M)


def folder_of(path):
    """The row of a test, by its path below test/."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "Integration" and len(parts) > 2 else parts[0]


def counted(root):
    """The number of tests in each folder, from the sources."""
    count = collections.Counter()
    for path in files(os.path.join(root, "test"), ".mlir", ".test", ".yaml"):
        count[folder_of(path)] += 1
    for path in files(root, ".cpp", below=("test/Unit",)):
        count["Unit"] += len(UNIT_TEST.findall(read(root, path)))
    return +count


def measured(tests):
    """CPU seconds of each folder and of each lit test."""
    folders, single = collections.Counter(), {}
    for test in tests:
        suite, path = test["name"].split(" :: ", 1)
        # GoogleTest reports the elapsed time alone.
        seconds = test.get("metrics", {}).get("cpu", test["elapsed"] or 0)
        if suite == "attnc":
            folders[folder_of(path)] += seconds
            single[path] = seconds
        else:
            folders["Unit"] += seconds
    return folders, single


def table(count, seconds):
    def row(name, tier, folders):
        known = [seconds[f] for f in folders if f in seconds]
        cpu = f"{sum(known):.0f}" if known else "?"
        return f"| {name} | {tier} | {sum(count[f] for f in folders)} | {cpu} |"

    lines = ["| folder | tier | tests | CPU seconds |", "|---|---|---|---|"]
    for folder in sorted(count):
        tier = "gate" if folder.startswith("Integration") else "fast"
        lines.append(row(f"`test/{folder}`", tier, [folder]))
    lines.append(row("all", "fast", [f for f in count if not f.startswith("Integration")]))
    lines.append(row("all", "gate", list(count)))
    return "\n".join(lines)


def update(root, results):
    with open(results, encoding="utf-8") as f:
        tests = json.load(f)["tests"]
    seconds, single = measured(tests)
    text = TABLE.sub(lambda _: table(counted(root), seconds), read(root, DOCUMENT))
    with open(os.path.join(root, DOCUMENT), "w", encoding="utf-8") as f:
        f.write(text)
    slow = sorted((s, path) for path, s in single.items() if s >= SLOW)
    with open(os.path.join(root, TIMES), "w", encoding="utf-8") as f:
        f.writelines(f"{s:.0f} {path}\n" for s, path in reversed(slow))


def check(root):
    count = counted(root)
    rows = dict(re.findall(r"^\| `test/([\w/-]+)` \| \w+ \| (\d+) \|", read(root, DOCUMENT), re.M))
    findings = [f"{DOCUMENT}: the table has no row of test/{f}" for f in sorted(count.keys() - rows)]
    findings += [f"{DOCUMENT}: test/{f} has no tests" for f in sorted(rows.keys() - count)]
    for folder in sorted(count.keys() & rows):
        if abs(int(rows[folder]) - count[folder]) > max(50, count[folder] / 4):
            findings.append(f"{DOCUMENT}: test/{folder} has {count[folder]} tests, not {rows[folder]}; "
                            "run tools/dev/test-table.py --update")
    finish("test table", len(count), findings)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--update"] and len(sys.argv) == 4:
        update(*sys.argv[2:])
    elif sys.argv[1:2] == ["--check"] and len(sys.argv) == 3:
        check(sys.argv[2])
    else:
        sys.exit(__doc__)
