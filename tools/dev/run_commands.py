#!/usr/bin/env python3
"""Runs the commands in documents, so that none of them becomes outdated.

usage: run_commands.py DOCUMENT... --examples FOLDER [--list]

A folder means all its .md files.

The word after the fence selects what happens to a block:

  ```sh            runs as a script that stops at the first failing command, in
                   an empty folder with a link `examples` to FOLDER; the tools
                   must be in PATH
  ```sh setup      needs a set-up or takes long: it does not run, but the
                   scripts (scripts/X) that it calls must exist
  ```console       `$ command` and its expected output; the command must print
                   these lines in this order, with any indentation; `...`
                   matches any text

All blocks of a document run in the same folder, so later blocks see the files of
earlier blocks.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

from sources import files

FENCE = re.compile(r"^```(sh|console)( setup)?\n(.*?)^```$", re.M | re.S)


def commands(text):
    """Yields (command, expected lines, whether it needs a set-up)."""
    for language, setup, body in FENCE.findall(text):
        if language == "sh":
            yield body.rstrip(), [], bool(setup)
            continue
        command, expected = None, []
        for line in body.splitlines():
            if line.startswith("$ "):
                if command:
                    yield command, expected, bool(setup)
                command, expected = line[2:], []
            else:
                expected.append(line)
        if command:
            yield command, expected, bool(setup)


def missing(expected, output):
    """The first expected line that is not in the output after the ones before
    it, or None."""
    lines = iter(output.splitlines())
    for line in expected:
        if line.strip() in ("", "..."):
            continue
        pattern = ".*".join(re.escape(part) for part in line.strip().split("..."))
        if not any(re.fullmatch(pattern, found.strip()) for found in lines):
            return line
    return None


def run_document(document, examples):
    """Runs the commands of one document; returns how many ran and failed."""
    root = os.path.dirname(os.path.abspath(examples))
    with open(document, encoding="utf-8") as f:
        found = list(commands(f.read()))
    failed = ran = 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.abspath(examples), os.path.join(folder, "examples"))
        for command, expected, setup in found:
            if setup:
                for word in command.split():
                    if re.match(r"(\./)?(scripts|tools|\.ci)/", word) and not os.path.exists(os.path.join(root, word)):
                        print(f"{document}: no such file: {word}, in: {command}")
                        failed += 1
                continue
            ran += 1
            result = subprocess.run(["bash", "-ec", command], cwd=folder, text=True, timeout=1800,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if result.returncode and not expected:
                print(f"{document}: exit code {result.returncode} of: {command}\n{result.stdout}")
                failed += 1
            line = missing(expected, result.stdout)
            if line is not None:
                print(f"{document}: not in the output of: {command}\n  {line}\ngot:\n{result.stdout}")
                failed += 1
    return ran, failed


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("documents", nargs="+")
    parser.add_argument("--examples", required=True)
    parser.add_argument("--list", action="store_true", help="print the commands, run none")
    options = parser.parse_args()
    documents = []
    for document in options.documents:
        if os.path.isdir(document):
            documents += [os.path.join(document, path) for path in files(document, ".md")]
        else:
            documents.append(document)
    ran = failed = 0
    for document in documents:
        if options.list:
            with open(document, encoding="utf-8") as f:
                for command, _, setup in commands(f.read()):
                    print(("setup: " if setup else "run: ") + command)
            continue
        counts = run_document(document, options.examples)
        ran, failed = ran + counts[0], failed + counts[1]
    if not options.list:
        print(f"{len(documents)} documents: {ran} commands run, {failed} failed")
        sys.exit(1 if failed or not ran else 0)


if __name__ == "__main__":
    main()
