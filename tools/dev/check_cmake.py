#!/usr/bin/env python3
"""Fails when a source file is in no CMake list, or a list is not sorted.

usage: check_cmake.py ROOT

Lists are explicit so that a stray file is never built by accident; this finds
the opposite fault, a file that everybody believes to be built.
"""

import os
import re
import sys

from sources import files, finish, read

CALL = re.compile(r"attnc_(?:library|tool|unittest)\(\s*\w+\s+SRCS\s+([^)]*?)\s*(?:\b(?:DEPS|MLIR|TD)\b[^)]*)?\)", re.S)


def main(root):
    findings = []
    paths = files(root, ".cpp", below=("lib", "tools", "test/Unit"))
    for path in paths:
        folder, name = os.path.split(path)
        build_file = os.path.join(folder, "CMakeLists.txt")
        if not os.path.exists(os.path.join(root, build_file)):
            findings.append(f"{path}: {build_file} is missing")
        elif not re.search(rf"(?<![\w/.]){re.escape(name)}(?!\w)", read(root, build_file)):
            findings.append(f"{path}: not listed in {build_file}")
    for build_file in sorted({os.path.dirname(p) + "/CMakeLists.txt" for p in paths}):
        if not os.path.exists(os.path.join(root, build_file)):
            continue
        for sources in CALL.findall(read(root, build_file)):
            listed = sources.split()
            if listed != sorted(listed):
                findings.append(f"{build_file}: SRCS are not in order: {' '.join(listed)}")
    finish("cmake", len(paths), findings)


if __name__ == "__main__":
    main(sys.argv[1])
