"""Applies each fix that the front end suggests and reads the spec again.

usage: apply_fixes.py ATTNC-SPEC-CHECK SPEC-OR-FOLDER...

A fix helps if the number of errors of the same message goes down and no error
points into the text that it put in, unless that error has a fix that helps.
Prints each fix that does not, and the number of fixes.
"""

import os
import re
import subprocess
import sys
import tempfile

HEAD = re.compile(r"^[^:]+:(\d+):(\d+): (error|warning|note): (.*)$")
CARET = re.compile(r"^      \| ( *)(\^~*)(?: (.*))?$")
SECTION = re.compile(r"(?:add under|change under|change the declaration under|"
                     r"move it under|on a new line under) '(\w+):'"
                     r"(?:, indented by two spaces:| to)?    (.*)")
SHOWN = re.compile(r"^ *(\d+) \| (.*)$")


def run(tool, path):
    result = subprocess.run([tool, path], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, timeout=60)
    return result.stderr


def diagnostics(text):
    """(line, column, width, severity, message, fixes) of each."""
    found = []
    caret = False
    for line in text.splitlines():
        if head := HEAD.match(line):
            if head[3] == "note":
                caret = False
                continue
            found.append([int(head[1]), int(head[2]), 1, head[3], head[4], []])
        elif (mark := CARET.match(line)) and found:
            found[-1][2] = len(mark[2])
            caret = True
            if mark[3] and mark[3].startswith("fix: "):
                found[-1][5].append(mark[3][5:])
        elif caret and line.startswith("      | "):
            rest = line[8:].strip()
            if rest.startswith("fix: "):
                found[-1][5].append(rest[5:])
    return found


def document(lines, line):
    """The first line of the YAML document that holds `line`, and its end."""
    marks = [n for n, l in enumerate(lines) if l.startswith("---")]
    begin = max([n + 1 for n in marks if n < line], default=0)
    return begin, min([n for n in marks if n > line], default=len(lines))


def add_under(lines, section, entry):
    for number, line in enumerate(lines):
        if re.match(rf"{section}:\s*(#.*)?$", line):
            return lines[:number + 1] + ["  " + entry] + lines[number + 1:]
    return lines + [f"{section}:", "  " + entry]


def apply(lines, diagnostic, fix):
    """The new lines, and the text whose errors would be the fix's own."""
    line, column, width = diagnostic[0] - 1, diagnostic[1] - 1, diagnostic[2]
    begin, end = document(lines, line)
    if begin > 0 or end < len(lines):
        local = [line - begin + 1, *diagnostic[1:]]
        changed, added = apply(lines[begin:end], local, fix)
        return lines[:begin] + changed + lines[end:], added
    if match := SECTION.match(fix):
        if "move" in fix or "a new line" in fix:
            lines = lines[:line] + lines[line + 1:]
        if "change" in fix:
            name = match[2].split(":")[0]
            lines = [l for l in lines if not l.startswith(f"  {name}:")]
        return add_under(lines, match[1], match[2]), match[2]
    text = lines[line]
    replaced = text[column:column + width]
    key = re.match(r"(\w+): ", fix)
    respaced = key and replaced.startswith(key[1] + ":")  # "batch:1" in place
    if key and not respaced and ": " not in replaced and "=" not in replaced and \
            "lambda" not in replaced:
        # A line of its own, in place of the one that sets the key.
        kept = [l for l in lines if not l.startswith(key[1] + ":")]
        return kept + [fix], fix
    return lines[:line] + [text[:column] + fix + text[column + width:]] + \
        lines[line + 1:], fix


def helps(tool, lines, diagnostic, fix, path, depth=0):
    """None, or the error that the fix leaves or makes. An error in its text is
    fine if that has a fix which helps."""
    before = diagnostics(run_lines(tool, lines, path))
    changed, added = apply(lines, diagnostic, fix)
    after = diagnostics(run_lines(tool, changed, path))
    same = [d for d in before if d[4] == diagnostic[4]]
    left = [d for d in after if d[4] == diagnostic[4]]
    if len(left) >= len(same):
        return left[0][4]
    for error in after:
        text = changed[error[0] - 1]
        at = text.find(added)
        if error[3] != "error" or text in lines or at < 0 or \
                not at < error[1] <= at + len(added):
            continue
        if depth < 3 and any(
                helps(tool, changed, error, f, path, depth + 1) is None
                for f in error[5]):
            continue
        return error[4]
    return None


def run_lines(tool, lines, path):
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write("\n".join(lines) + "\n")
    return run(tool, path)


def check(tool, path, folder):
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        lines = f.read().rstrip("\n").split("\n")
    text = run(tool, path)
    before = diagnostics(text)
    total = bad = 0
    for diagnostic in before:
        for fix in diagnostic[5]:
            total += 1
            again = os.path.join(folder, os.path.basename(path))
            error = helps(tool, lines, diagnostic, fix, again)
            if error:
                bad += 1
                print(f"{path}:{diagnostic[0]}: {diagnostic[4]}\n"
                      f"  fix: {fix}\n  then: {error}")
    return total, bad


def main():
    paths = []
    for argument in sys.argv[2:]:
        if os.path.isdir(argument):
            for folder, _, names in os.walk(argument):
                paths += [os.path.join(folder, n) for n in names
                          if n.endswith(".yaml")]
        else:
            paths.append(argument)
    total = bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(paths):
            with open(path, "rb") as f:
                if b"--set" in f.read().split(b"\n")[0]:
                    continue
            fixes, wrong = check(sys.argv[1], path, folder)
            total, bad = total + fixes, bad + wrong
    print(f"{total} fixes, {bad} do not help")
    return bad != 0


sys.exit(main())
