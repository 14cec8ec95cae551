#!/usr/bin/env python3
"""Sums up a lit run: `N passed, N failed` as the last line.

usage: count_results.py RESULTS.json

Names what failed, and what was skipped because this machine lacks a feature.
Ends with 1 when a test failed, or when there was none.
"""

import json
import sys

PASSED = ("PASS", "XFAIL", "FLAKYPASS")
SKIPPED = ("UNSUPPORTED", "SKIPPED", "EXCLUDED")


def main(path):
    with open(path, encoding="utf-8") as f:
        tests = json.load(f)["tests"]
    passed = [t for t in tests if t["code"] in PASSED]
    skipped = [t for t in tests if t["code"] in SKIPPED]
    failed = [t for t in tests if t not in passed and t not in skipped]
    for test in failed:
        print(f"failed: {test['name']} ({test['code']})")
    for test in skipped:
        print(f"skipped, this machine lacks what it needs: {test['name']}")
    if not tests:
        print("no test was found")
    print(f"{len(passed)} passed, {len(failed) if tests else 1} failed")
    sys.exit(1 if failed or not tests else 0)


if __name__ == "__main__":
    main(sys.argv[1])
