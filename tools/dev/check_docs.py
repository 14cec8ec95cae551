#!/usr/bin/env python3
"""Fails if an example or a link in the documentation does not work.

usage: check_docs.py ROOT

- attnc-opt (which must be in PATH) accepts each ```mlir block of a .td
  description or a .md file; the block is a whole module. To show an attribute, an
  example may use a quoted op of a dialect that does not exist;
- `attnc --emit=graph` accepts each ```yaml block that starts with `attnc: 1`;
  it refuses the block if `error` follows yaml;
- the target of a relative link in a .md file exists, and so does the heading
  of its #anchor.

Other snippets are ```text. run_commands.py runs the shell blocks.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

import records
from sources import files, finish, line_of, read

LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def run(command, text, suffix):
    with tempfile.NamedTemporaryFile("w", suffix=suffix) as f:
        f.write(text)
        f.flush()
        result = subprocess.run(command + [f.name], capture_output=True, text=True, timeout=600)
    return result.returncode, result.stderr.strip().split("\n")[0].replace(f.name, "example")


def check_mlir(where, examples):
    for number, example in enumerate(examples, 1):
        code, message = run(["attnc-opt", "--allow-unregistered-dialect", "--split-input-file", "-o", os.devnull], example, ".mlir")
        if code:
            yield f"{where}: example {number}: {message}"


def check_yaml(where, text):
    for match in re.finditer(r"^```yaml( error)?\n(.*?)^```", text, re.M | re.S):
        if not re.search(r"^attnc:", match.group(2), re.M):
            continue
        code, message = run(["attnc", "--emit=graph", "-o", os.devnull], match.group(2), ".yaml")
        if match.group(1) and code == 0:
            yield f"{where}:{line_of(text, match.start())}: compiles, but is marked as an error"
        elif not match.group(1) and code != 0:
            yield f"{where}:{line_of(text, match.start())}: {message}"


def anchors(text):
    """GitHub's anchors of the headings."""
    for heading in re.findall(r"^#+\s+(.*?)\s*$", FENCE.sub("", text), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def check_links(root, path, text):
    text = FENCE.sub(lambda m: "\n" * m.group(0).count("\n"), text)
    for match in LINK.finditer(text):
        link = match.group(1)
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        full = os.path.normpath(os.path.join(root, os.path.dirname(path), file)) if file else os.path.join(root, path)
        where = f"{path}:{line_of(text, match.start())}"
        if not os.path.exists(full):
            yield f"{where}: dead link {link}"
        elif anchor and full.endswith(".md"):
            with open(full, encoding="utf-8") as f:
                if anchor not in anchors(f.read()):
                    yield f"{where}: no heading for {link}"


def main(root):
    findings, checked = [], 0
    for path, name, record in records.load(root):
        if records.kind(record):
            checked += 1
            findings += check_mlir(f"{path}: {name}", records.examples(record))
    for path in files(root, ".md"):
        text = read(root, path)
        checked += 1
        findings += check_mlir(path, records.blocks(text))
        findings += check_links(root, path, text)
        if shutil.which("attnc"):
            findings += check_yaml(path, text)
    finish("docs", checked, findings)


if __name__ == "__main__":
    main(sys.argv[1])
