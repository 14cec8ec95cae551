#!/usr/bin/env python3
"""Fails if a source file is in no CMake list, or if a list is not sorted.

usage: check_cmake.py ROOT

Lists are explicit so that a stray file is never built by accident. This lint
finds the opposite error: a file that is assumed to be built but is not.
"""

import os
import re
import sys

from sources import files, finish, read

CALL = re.compile(r"attnc_(?:library|tool|unittest)\(\s*\w+\s+SRCS\s+([^)]*?)\s*(?:\b(?:DEPS|MLIR|TD)\b[^)]*)?\)", re.S)


def list_of(root, path):
    """The CMakeLists.txt of the file's folder, or of the nearest folder above."""
    folder = os.path.dirname(path)
    while "/" in folder:
        if os.path.exists(os.path.join(root, folder, "CMakeLists.txt")):
            return os.path.join(folder, "CMakeLists.txt")
        folder = os.path.dirname(folder)
    return None


def main(root):
    findings = []
    paths = files(root, ".cpp", below=("lib", "tools", "test/Unit"))
    build_files = set()
    for path in paths:
        build_file = list_of(root, path)
        if build_file is None:
            findings.append(f"{path}: {os.path.dirname(path)}/CMakeLists.txt is missing")
            continue
        build_files.add(build_file)
        name = os.path.relpath(path, os.path.dirname(build_file))
        if not re.search(rf"(?<![\w/.]){re.escape(name)}(?!\w)", read(root, build_file)):
            findings.append(f"{path}: not listed in {build_file}")
    for build_file in sorted(build_files):
        for sources in CALL.findall(read(root, build_file)):
            listed = sources.split()
            if listed != sorted(listed):
                findings.append(f"{build_file}: SRCS are not in order: {' '.join(listed)}")
    finish("cmake", len(paths), findings)


if __name__ == "__main__":
    main(sys.argv[1])
