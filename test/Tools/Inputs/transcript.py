"""Runs the commands of a transcript and compares what they print, exactly.

usage: transcript.py FILE FOLDER [--update]

FILE has comments (`# ...`), commands (`$ command`, for bash), each followed by
its whole output, standard error included, and `(exit N)` if N is not 0. `...`
stands for any text within a line, and alone for any lines. Files that the
commands need follow, each after a line `#--- NAME`. FOLDER is made anew and
holds them; $SRC is the root of the sources. --update puts the output of each command that differs into FILE.
"""

import os
import re
import shutil
import subprocess
import sys


def matches(expected, got):
    """Whether the lines `got` are as expected."""
    if not expected:
        return not got
    if expected[0] == "...":
        return any(matches(expected[1:], got[i:]) for i in range(len(got) + 1))
    if not got:
        return False
    pattern = ".*".join(re.escape(part) for part in expected[0].split("..."))
    return bool(re.fullmatch(pattern, got[0])) and matches(expected[1:], got[1:])


def run(command, folder):
    # Nothing of the terminal or of the user's settings reaches the output.
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    here = os.path.dirname(os.path.abspath(__file__))
    environment["SRC"] = os.path.normpath(os.path.join(here, "../../.."))
    result = subprocess.run(["bash", "-c", command], cwd=folder, env=environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, timeout=1800)
    lines = result.stdout.decode("utf-8", "replace").splitlines()
    lines = [line.rstrip() for line in lines]
    return lines + ([f"(exit {result.returncode})"] if result.returncode else [])


def main(path, folder, update=None):
    with open(path, encoding="utf-8") as f:
        script, *parts = re.split(r"^#--- (.+)\n", f.read(), flags=re.M)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for name, text in zip(parts[::2], parts[1::2]):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
    lines, written, wrong, ran = script.splitlines(), [], 0, 0
    while lines:
        line = lines.pop(0)
        written.append(line)
        if not line.startswith("$ "):
            continue
        while line.endswith("\\"):
            line = line[:-1] + lines[0].strip()
            written.append(lines.pop(0))
        expected = []
        while lines and not re.match(r"\$ |#( |$)|$", lines[0]):
            expected.append(lines.pop(0))
        got = run(line[2:], folder)
        ran += 1
        if matches(expected, got):
            written += expected
            continue
        wrong += 1
        written += got
        print(f"$ {line[2:]}\nexpected:\n  " + "\n  ".join(expected) + "\ngot:\n  " + "\n  ".join(got))
    if update:
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(written) + "\n")
            for name, text in zip(parts[::2], parts[1::2]):
                f.write(f"#--- {name}\n{text}")
    print(f"{ran} commands, {wrong} wrong")
    sys.exit(1 if wrong or not ran else 0)


main(*sys.argv[1:])
