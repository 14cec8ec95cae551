#!/usr/bin/env python3
"""Fails on C and C++ files that clang-format would change.

usage: check_format.py ROOT [--fix]

The version is fixed (22), because other versions format a few constructs differently.
"""

import os
import shutil
import subprocess
import sys

from sources import files, finish


def main(root, fix):
    tool = shutil.which("clang-format-22")
    if not tool:
        sys.exit("format: clang-format-22 is not installed; scripts/setup installs it")
    paths = files(root, ".h", ".cpp", ".c", below=("lib", "include", "tools", "runtime", "test", "examples", "benchmarks"))
    command = [tool, "-i"] if fix else [tool, "--dry-run", "--ferror-limit=1"]
    result = subprocess.run(command + [os.path.join(root, p) for p in paths],
                            capture_output=True, text=True)
    findings = [l for l in result.stderr.splitlines() if "warning:" in l or "error:" in l]
    if result.returncode and not findings:
        findings = [result.stderr]
    finish("format", len(paths), findings)


if __name__ == "__main__":
    main(sys.argv[1], "--fix" in sys.argv[2:])
