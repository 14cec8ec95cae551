#!/usr/bin/env python3
"""Fails on lit tests that check nothing, or less than they seem to.

usage: check_lit.py ROOT

FileCheck ignores unknown directives: `CHECK-NEXT foo` (no colon),
`CHECK-NXET:`, `CHEK:`, `CHECK-COUNT2:`, `CHECK{literal}:` and prefixes that no
RUN line names all pass silently. Also reported: a RUN line whose result is not
checked, `not tool` without a check of its message, and expected-error comments
without --verify-diagnostics or the reverse.
"""

import os
import re
import sys

from sources import files, finish, read

COMMENT = re.compile(r"^\s*(?://|#|;)+\s*(.*)$")
DIRECTIVE = re.compile(r"([A-Z][A-Z0-9_-]*?)(-(?:NEXT|SAME|DAG|NOT|LABEL|EMPTY|COUNT-\d+))?(\{LITERAL\})?(\s*)(?:(:)|(?=\s|$|[^\w-]))")
SUFFIX_LIKE = re.compile(r"-(?:[A-Z]{3,6}|COUNT-?\d+)$")
RUN = re.compile(r"^\s*(?://|#|;)\s*RUN:\s*(.*)$", re.M)
# Commands whose exit status is the check.
LOOKS = re.compile(r"\b(?:FileCheck|diff|cmp|grep|count|verify-diagnostics|not)\b|%python|-fsyntax-only|\btest |attnc-run|%t\S*$")


def runs(text):
    """The RUN lines, with continued ones joined."""
    lines, open_line = [], False
    for line in RUN.findall(text):
        if open_line:
            lines[-1] += " " + line.rstrip("\\").strip()
        else:
            lines.append(line.rstrip("\\").strip())
        open_line = line.endswith("\\")
    return lines


def prefixes(lines):
    used = set()
    for line in lines:
        for command in re.split(r"[|;]|&&", line):
            if "FileCheck" in command:
                named = re.findall(r"-check-prefix(?:es)?[= ]\s*['\"]?([\w,-]+)", command)
                used |= {p for n in named for p in n.split(",")} if named else {"CHECK"}
    return used


def near(word, prefix):
    """Whether word is prefix with one letter dropped, doubled or exchanged."""
    if word == prefix or abs(len(word) - len(prefix)) > 1 or len(prefix) < 4:
        return False
    if sorted(word) == sorted(prefix):
        return True
    shorter, longer = sorted((word, prefix), key=len)
    return len(shorter) < len(longer) and any(
        longer[:i] + longer[i + 1:] == shorter for i in range(len(longer)))


def check_directives(path, text, used):
    for number, line in enumerate(text.splitlines(), 1):
        comment = COMMENT.match(line)
        match = comment and "RUN:" not in line and DIRECTIVE.match(comment.group(1))
        if not match:
            continue
        word, suffix, literal, blank, colon = match.groups()
        where, rest = f"{path}:{number}", comment.group(1)
        stem = SUFFIX_LIKE.sub("", word)
        known = word in used or (suffix and word in used)
        if known and (not colon or blank):
            if suffix or re.match(r"(?!\{literal)\s*[%\"{@]|\s*:|\s*\w+\.\w+", rest[len(word):]):
                yield f"{where}: directive without its colon: {rest[:60]}"
        elif not known and colon and stem != word and stem in used:
            yield f"{where}: FileCheck does not know {word}"
        elif not known and colon and (any(near(stem, u) for u in used) or near(stem, "CHECK")):
            yield f"{where}: misspelled prefix {word}"
        elif not known and colon and (suffix or word.startswith("CHECK")):
            yield f"{where}: no RUN line uses the prefix {word}"
    for match in re.finditer(r"[A-Z]\{literal\}:", text):
        yield f"{path}: {{literal}} is ignored; write {{LITERAL}}"


def check_runs(path, text, lines):
    # In a script, a step may prepare what a later line looks at.
    last_look = max((i for i, l in enumerate(lines) if LOOKS.search(l)), default=-1)
    for number, line in enumerate(lines):
        prepares = path.endswith(".test") and number < last_look
        if "FileCheck" not in line and re.search(r"(?:^|[|;&]\s*)not\s", line):
            yield f"{path}: nothing reads the message of: {line[:70]}"
        if not prepares and not LOOKS.search(line) and not re.search(r"^(?:split-file|mkdir|rm|cp|cd|echo|%cc|env)\b|-o ", line):
            yield f"{path}: nothing looks at the result of: {line[:70]}"
    verifies = any("verify-diagnostics" in l for l in lines)
    expects = re.search(r"expected-(?:error|warning|remark|note)", text)
    if verifies and not expects and not any("FileCheck" in l for l in lines):
        yield f"{path}: --verify-diagnostics, but no diagnostic is expected"
    if expects and not verifies:
        yield f"{path}: expected diagnostics, but no RUN line has --verify-diagnostics"


def main(root):
    findings, checked = [], 0
    for path in files(root, ".mlir", ".test", ".yaml", below=("test",)):
        text = read(root, path)
        lines = runs(text)
        checked += 1
        if not lines:
            findings.append(f"{path}: no RUN line")
            continue
        findings += check_directives(path, text, prefixes(lines))
        findings += check_runs(path, text, lines)
    finish("lit", checked, findings)


if __name__ == "__main__":
    main(sys.argv[1])
