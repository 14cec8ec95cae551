#!/usr/bin/env python3
"""Counts the results of a lit run: `N passed, N failed` as the last line.

usage: count_results.py RESULTS.json

Lists the tests that failed, and those that were skipped with the features that
they require (of the machine, or of another tier). Exits with 1 if a test
failed, or if there was none.
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
        reason = test.get("output", "").partition("unavailable features: ")[2]
        print(f"skipped: {test['name']}" + (f" (requires {reason})" if reason else ""))
    if not tests:
        print("no test was found")
    print(f"{len(passed)} passed, {len(failed) if tests else 1} failed")
    sys.exit(1 if failed or not tests else 0)


if __name__ == "__main__":
    main(sys.argv[1])
