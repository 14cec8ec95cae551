#!/usr/bin/env python3
"""Fails if a library uses a library that lib/layers.txt does not allow.

usage: check_layering.py ROOT

It checks #include and .td include lines, and the DEPS of attnc_library(). A
library that includes a header of another library must also link it, so that the
build files show every dependency. What a Target says of one kind of machine is
asked by that kind's folders only.
"""

import re
import sys

from sources import files, finish, line_of, read

INCLUDE = re.compile(r'^\s*#?\s*include\s+"([^"]+)"', re.M)
# The part of a Target, how it is read, and the folders that may.
TRAITS = [("CpuTraits", re.compile(r"(?:\.|->)cpu\.\w+|\bCpuTraits\b|\blookupIsa\b"),
           ("lib/Target/", "include/attnc/Target/", "lib/Schedule/Cpu/", "lib/Codegen/CPU/")),
          ("GpuTraits", re.compile(r"(?:\.|->)gpu\.\w+"),
           ("lib/Target/", "include/attnc/Target/", "lib/Schedule/Nvptx/",
            "lib/Codegen/NVPTX/"))]
LIBRARY = re.compile(r"attnc_library\(\s*(\w+)([^)]*)\)")


def load(root):
    """lib/layers.txt as {library: libraries that it may use}, and its faults."""
    layers, findings = {}, []
    for number, line in enumerate(read(root, "lib/layers.txt").splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, _, below = line.partition(":")
        for other in below.split():
            if other not in layers:
                findings.append(f"lib/layers.txt:{number}: {name} names {other}, which is not above it")
        layers[name.strip()] = set(below.split())
    return layers, findings


def library_of(path, layers):
    """The library that holds the path (without lib/ or include/attnc/)."""
    return max((l for l in layers if path.startswith(l + "/")), key=len, default=None)


def target(layer):
    return "Attnc" + layer.replace("/", "")


def links(root, layer, layers, findings):
    """The libraries that attnc_library() of this folder links."""
    path = f"lib/{layer}/CMakeLists.txt"
    text = read(root, path)
    targets = {target(l): l for l in layers}
    linked = set()
    for name, arguments in LIBRARY.findall(text):
        if name != target(layer):
            findings.append(f"{path}: the library is named {name}, not {target(layer)}")
        for word in re.findall(r"\bAttnc\w+", arguments):
            other = targets.get(re.sub("IncGen$", "", word))
            if other is None:
                findings.append(f"{path}: {word} is no library of lib/layers.txt")
            elif other != layer and other not in layers[layer]:
                findings.append(f"{path}: {layer} may not link {other}")
            elif not word.endswith("IncGen"):
                linked.add(other)
    return linked


def main(root):
    layers, findings = load(root)
    paths = files(root, ".h", ".cpp", ".td", ".inc", below=("lib", "include/attnc"))
    linked = {}
    for path in paths:
        within = re.sub("^(lib|include/attnc)/", "", path)
        mine = library_of(within, layers)
        if mine is None:
            findings.append(f"{path}: its folder is no library of lib/layers.txt")
            continue
        if path.startswith("lib/") and mine not in linked:
            linked[mine] = links(root, mine, layers, findings)
        text = read(root, path)
        for name, use, folders in TRAITS:
            for match in [] if path.startswith(folders) else use.finditer(text):
                findings.append(f"{path}:{line_of(text, match.start())}: {name} is for "
                                f"{', '.join(folders)}: {match.group(0).lstrip('.->')}")
        for match in INCLUDE.finditer(text):
            where = f"{path}:{line_of(text, match.start())}"
            header = match.group(1)
            if ".." in header:
                findings.append(f"{where}: write the path from include/: {header}")
            if not header.startswith("attnc/"):
                continue
            other = library_of(header[len("attnc/"):], layers)
            if other is None or other == mine:
                continue
            if other not in layers[mine]:
                findings.append(f"{where}: {mine} may not include {header} ({other})")
            elif path.startswith("lib/") and other not in linked[mine]:
                findings.append(f"{where}: {mine} includes {header} but does not link {target(other)}")
    finish("layering", len(paths), findings)


if __name__ == "__main__":
    main(sys.argv[1])
