#!/usr/bin/env python3
"""Fails on text that must not occur in this repository.

usage: check_text.py ROOT

- paths of one machine (home folders) and host names of package registries: the
  repository must work anywhere;
- tabs in code, trailing blanks, a missing final newline;
- in C++: a first line that is not `//===- Name.cpp - What it is` (a C header
  opens with /* and its name), a header guard that does not follow the
  path, `using namespace` in a header, names with Utils, Helper or Manager, a
  TODO without an issue number, a test in the opening comment (`Tests: test/...`)
  that does not exist.
"""

import glob
import os
import re
import sys

from sources import files, finish, line_of, read

BINARY = (".png", ".pdf", ".o", ".a", ".npy", ".bin")
MACHINE = re.compile(r"(?<![\w.$}/%-])/(?:work|root|home)/[\w.-]+")
HOSTS = re.compile(r"https?://[\w.-]*(?:pypi|debian|ubuntu|apt\.llvm|pythonhosted|registry|mirror|proxy)[\w.-]*"
                   r"|\b(?:pypi\.org|apt\.llvm\.org|deb\.debian\.org)\b")
TESTS = re.compile(r"^//.*\bTests:.*(?:\n//(?! *$|===).*)*", re.M)
VAGUE = re.compile(r"\b(?:class|struct|namespace|enum)\s+\w*(?:Utils?|Helpers?|Manager)\b")


def check_cpp(root, path, text, tell):
    name = os.path.basename(path)
    first = text.split("\n", 1)[0]
    in_c = first.startswith("/*") and path.endswith(".h") and re.search(rf"\b{re.escape(name)}\b", first)
    if not in_c and (not re.match(rf"//===- {re.escape(name)} - \S.*===//$", first) or len(first) != 80):
        tell(1, f"the first line must be `//===- {name} - <what it is> ---...===//`, 80 columns")
    if re.search(r"(Utils?|Helpers?|Manager)\.\w+$", name):
        tell(1, "name the concept, not Utils, Helper or Manager")
    for match in VAGUE.finditer(text):
        tell(line_of(text, match.start()), f"name the concept: {match.group(0)}")
    for match in re.finditer(r"\b(?:TODO|FIXME|XXX)\b(?!\(#\d+\))", text):
        tell(line_of(text, match.start()), f"{match.group(0)} without an issue's number: TODO(#12)")
    for match in TESTS.finditer(text):
        for test in re.finditer(r"test/[\w./*-]*[\w*]", match.group(0)):
            if not glob.glob(os.path.join(root, test.group(0))):
                tell(line_of(text, match.start() + test.start()), f"there is no {test.group(0)}")
    if not path.endswith(".h"):
        return
    for match in re.finditer(r"^\s*using namespace", text, re.M):
        tell(line_of(text, match.start()), "using namespace in a header")
    if path.startswith("include/"):
        guard = re.sub(r"\W", "_", path[len("include/"):]).upper()
        if f"#ifndef {guard}\n#define {guard}\n" not in text:
            tell(1, f"the guard must be {guard}")


def main(root):
    findings = []
    paths = [p for p in files(root) if not p.endswith(BINARY)]
    for path in paths:
        text = read(root, path)

        def tell(line, what):
            findings.append(f"{path}:{line}: {what}")

        for pattern, what in ((MACHINE, "path of one machine"), (HOSTS, "host of a package registry")):
            for match in pattern.finditer(text):
                tell(line_of(text, match.start()), f"{what}: {match.group(0)}")
        for match in re.finditer(r"[ \t]+$", text, re.M):
            tell(line_of(text, match.start()), "blank at the end of the line")
        if text and not text.endswith("\n"):
            tell(text.count("\n") + 1, "no newline at the end")
        if path.endswith((".h", ".cpp", ".c", ".td", ".py", ".mlir", ".yaml")) and "\t" in text:
            tell(line_of(text, text.index("\t")), "tab")
        if path.endswith((".h", ".cpp")):
            check_cpp(root, path, text, tell)
    finish("text", len(paths), findings)


if __name__ == "__main__":
    main(sys.argv[1])
