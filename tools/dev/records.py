"""The records of our .td files as llvm-tblgen resolves them, so that a lint sees
the fields that an op inherits and does not parse TableGen itself."""

import json
import os
import shutil
import subprocess
import sys

from sources import files

INCLUDES = "/usr/lib/llvm-22/include"


def load(root):
    """Yields (path of the .td, name, record) of every op, type, attribute and
    pass that one of our files defines; each once."""
    tool = shutil.which("llvm-tblgen-22") or shutil.which("llvm-tblgen")
    if not tool:
        sys.exit("llvm-tblgen is not in PATH")
    for path in files(root, ".td", below=("include/attnc",)):
        folder = os.path.dirname(os.path.join(root, path))
        result = subprocess.run([tool, "--dump-json", "-I", INCLUDES, "-I", os.path.join(root, "include"),
                                 "-I", folder, os.path.join(root, path)], capture_output=True, text=True)
        if result.returncode:
            sys.exit(f"{path}: {result.stderr}")
        data = json.loads(result.stdout)
        for name, record in data.items():
            if name.startswith("!") or record.get("!anonymous"):
                continue
            place = record["!locs"][-1] if record.get("!locs") else ""
            if os.path.basename(path) == os.path.basename(place.rsplit(":", 1)[0]) \
                    and defines(os.path.join(root, path), name):
                yield path, name, record


def defines(path, name):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    return f"def {name} " in text or f"def {name}:" in text or f"def {name}\n" in text


def kind(record):
    """op, type, attr or pass; None for anything else."""
    parents = record["!superclasses"]
    for parent, name in (("PassBase", "pass"), ("Op", "op"), ("TypeDef", "type"), ("AttrDef", "attr"),
                         ("Dialect", "dialect")):
        if parent in parents:
            return name
    return None


def examples(record):
    """The ```mlir blocks of a record's description."""
    return blocks(record.get("description") or "")


def blocks(text, language="mlir"):
    found, block, indent = [], None, 0
    for line in text.splitlines():
        stripped = line.strip()
        if block is None and stripped.split(" ")[0] == "```" + language:
            block, indent = [], len(line) - len(line.lstrip())
        elif block is not None and stripped == "```":
            found.append("\n".join(block) + "\n")
            block = None
        elif block is not None:
            block.append(line[indent:] if not line[:indent].strip() else line)
    return found
