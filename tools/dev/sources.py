"""Shared by the lints: the list of files to check, and the report of findings."""

import os
import re
import sys

# Folders named Inputs hold files that tests read, including bad examples.
SKIPPED_FOLDERS = re.compile(r"^(\.git|\.cache|build.*|out|Inputs|Output|__pycache__)$")


def files(root, *suffixes, below=("",), inputs=False):
    """Sorted paths, relative to root, of the files with one of the suffixes;
    with `inputs`, also those in folders named Inputs."""
    found = []
    for folder in below:
        for path, folders, names in os.walk(os.path.join(root, folder)):
            folders[:] = [f for f in folders if not SKIPPED_FOLDERS.match(f)
                          or inputs and f == "Inputs"]
            for name in names:
                if name.endswith(suffixes or ("",)) and name != ".git":
                    found.append(os.path.relpath(os.path.join(path, name), root))
    return sorted(set(found))


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def find_below(root, path):
    """The path, or that of the file with its name in a folder below; None if
    there is neither."""
    folder, name = os.path.split(path)
    found = [p for p in files(root, name, below=(folder,)) if os.path.basename(p) == name]
    return min(found, key=lambda p: p.count("/")) if found else None


def kebab(name):
    """FuseMask -> fuse-mask, ConvertTileToLLVM -> convert-tile-to-llvm."""
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1-\2", name)
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1-\2", name).lower()


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def finish(name, checked, findings):
    """Prints the findings and exits with 1 if there are any. A lint that has
    checked nothing fails too, because it would always pass."""
    for finding in findings:
        print(finding)
    print(f"{name}: {checked} checked, {len(findings)} findings")
    sys.exit(1 if findings or not checked else 0)
