#!/usr/bin/env python3
"""Fails on files, functions and folders that have grown too large.

usage: check_size.py ROOT

Limits in lines: .cpp and .c 600, .td 400, .h 250, a function's body 100. .ci/size-waivers.txt
lists the exceptions, one per line, with a reason:

  lib/Codegen/CPU/Read/Table.cpp 800 one generated table
  lib/Spec/Parse.cpp:parseTerm 120 one switch over all operators

A waiver that is no longer needed fails too.
"""

import collections
import os
import re
import sys

from sources import files, finish, read

LIMITS = {".cpp": 600, ".c": 600, ".td": 400, ".h": 250}
FUNCTION_LIMIT = 100
FOLDER_LIMIT = 25
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                   r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'|#[^\n]*(?:\\\n[^\n]*)*|\n|[{};]|[^\s{};]+|\s", re.S)
NOT_A_FUNCTION = re.compile(r"^\s*(?:template\s*<.*>\s*)?(?:inline\s+)?(namespace|class|struct|enum|union|extern)\b", re.S)


def functions(text):
    """Yields (name, lines) of every function body outside of other functions."""
    line, head, stack = 1, "", []
    for match in TOKEN.finditer(text):
        token = match.group(0)
        if token == "{":
            plain = re.sub(r"[({<][^(){}<>]*[)}>]", "()", head)
            is_function = ("(" in plain and not NOT_A_FUNCTION.match(head)
                           and not re.search(r"=\s*$", head)
                           and all(kind == "scope" for kind, _, _ in stack))
            stack.append(("function" if is_function else
                          "scope" if NOT_A_FUNCTION.match(head) else "other", line, head))
            head = ""
        elif token == "}":
            if stack:
                kind, start, name = stack.pop()
                if kind == "function":
                    words = re.findall(r"[\w:~]+(?=\s*\()", name)
                    yield (words[0] if words else "?"), line - start + 1
            head = ""
        elif token == ";":
            head = ""
        elif not token.startswith(("//", "/*", "#")):
            head += token
        line += token.count("\n")


def waivers(root):
    """{path or path:function: limit} of .ci/size-waivers.txt, and its faults."""
    known, findings = {}, []
    if not os.path.exists(os.path.join(root, ".ci/size-waivers.txt")):
        return known, findings
    for number, line in enumerate(read(root, ".ci/size-waivers.txt").splitlines(), 1):
        fields = line.split("#")[0].split(None, 2)
        if fields and (len(fields) < 3 or not fields[1].isdigit()):
            findings.append(f".ci/size-waivers.txt:{number}: expected PATH[:FUNCTION] SIZE REASON")
        elif fields:
            known[fields[0]] = int(fields[1])
    return known, findings


def main(root):
    known, findings = waivers(root)
    used = set()

    def check(key, size, limit, unit="lines"):
        if size <= limit:
            return
        if key in known:
            used.add(key)
            limit = known[key]
        if size > limit:
            findings.append(f"{key}: {size} {unit}, the limit is {limit}; split it by concept")

    paths = files(root, *LIMITS, below=("lib", "include", "tools", "runtime", "test", "examples"))
    for path in paths:
        text = read(root, path)
        suffix = os.path.splitext(path)[1]
        check(path, text.count("\n"), LIMITS[suffix])
        if suffix != ".td":
            for name, lines in functions(text):
                check(f"{path}:{name}", lines, FUNCTION_LIMIT)
    folders = collections.Counter(os.path.dirname(path) for path in files(root))
    for folder, count in sorted(folders.items()):
        check(f"{folder}/", count, FOLDER_LIMIT, "files")
    for key in sorted(set(known) - used):
        findings.append(f".ci/size-waivers.txt: {key} needs no waiver")
    finish("size", len(paths), findings)


if __name__ == "__main__":
    main(sys.argv[1])
