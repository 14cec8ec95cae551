#!/usr/bin/env python3
"""Creates the files of a new pass: stanza in Passes.td, source file, CMake line, test.

usage: new-pass.py LIBRARY NAME [--flag FLAG] [--root ROOT]

  tools/dev/new-pass.py Fusion FuseMask

adds the pass `attn-fuse-mask` to include/attnc/Fusion/Passes.td and creates
lib/Fusion/FuseMask.cpp and the test test/Fusion/fuse-mask.mlir. Fill in
everything in <angle brackets>; the lints fail until you do. For the first pass
of a library, Passes.td and Passes.h are created too.
"""

import argparse
import os
import re
import subprocess
import sys

from sources import find_below, kebab, read

STANZA = '''def {name} : Pass<"{flag}"> {{
  let summary = "<What it does, in one line>";
  let description = [{{
    <Why it is done, what it expects, and what holds afterwards.>
  }}];
}}
'''

PASSES_TD = '''//===- Passes.td - The passes of {library} {dashes}===//

#ifndef {guard}_TD
#define {guard}_TD

include "mlir/Pass/PassBase.td"

#endif // {guard}_TD
'''

PASSES_H = '''//===- Passes.h - The passes of {library} {dashes}===//

#ifndef {guard}_H
#define {guard}_H

#include "mlir/Pass/Pass.h"

namespace attnc::{namespace} {{

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attnc/{library}/Passes.h.inc"

}} // namespace attnc::{namespace}

#endif // {guard}_H
'''

SOURCE = '''//===- {name}.cpp - <What it does> {dashes}===//
//
// <Why: what is slow or impossible without it.>
//
//   <IR before>
// becomes
//   <IR after>
//
// <What is left alone, and why.>
// Tests: test/{library}/{stem}.mlir
//
//===----------------------------------------------------------------------===//

#include "attnc/{library}/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace attnc::{namespace} {{
#define GEN_PASS_DEF_{upper}
#include "attnc/{library}/Passes.h.inc"
}} // namespace attnc::{namespace}

namespace {{

struct {name} final
    : attnc::{namespace}::impl::{name}Base<{name}> {{
  void runOnOperation() override {{
    RewritePatternSet patterns(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }}
}};

}} // namespace
'''

TEST = '''// RUN: attnc-opt %s --{flag} | FileCheck %s

// CHECK-LABEL: func.func @<what_it_does>(
func.func @<what_it_does>() {{
  // CHECK-NEXT: <the IR afterwards>
  return
}}

// CHECK-LABEL: func.func @<what_it_leaves_alone>(
func.func @<what_it_leaves_alone>() {{
  // CHECK-NEXT: return
  return
}}
'''


def header(text):
    """The first line filled with dashes to 80 columns."""
    first, rest = text.split("\n", 1)
    return first.replace("{dashes}", "-" * (80 - len(first) + len("{dashes}"))) + "\n" + rest


def write(root, path, text):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as f:
        f.write(text)
    print(path)


def add_stanza(root, library, stanza, names):
    folder = f"include/attnc/{library}"
    if not os.path.exists(os.path.join(root, folder, "Passes.td")):
        for path, template in (("Passes.td", PASSES_TD), ("Passes.h", PASSES_H)):
            first, rest = template.split("\n", 1)
            text = first.format(dashes="{dashes}", **names) + "\n" + rest.format(dashes="", **names)
            write(root, f"{folder}/{path}", header(text))
        cmake = f"{folder}/CMakeLists.txt"
        old = read(root, cmake) if os.path.exists(os.path.join(root, cmake)) else ""
        write(root, cmake, old + f"attnc_passes({names['joined']})\n")
    text = read(root, f"{folder}/Passes.td")
    before, end, after = text.rpartition("\n#endif")
    if not end:
        sys.exit(f"{folder}/Passes.td: no #endif to write the pass before")
    write(root, f"{folder}/Passes.td", f"{before}\n{stanza}{end}{after}")


def add_source(root, library, file):
    path = f"lib/{library}/CMakeLists.txt"
    text = read(root, path)
    match = re.search(r"SRCS((?:\s+[\w/]+\.cpp)*)", text)
    if not match:
        sys.exit(f"{path}: no list SRCS to add {file} to")
    listed = sorted(match.group(1).split() + [file])
    write(root, path, text[:match.start(1)] + " " + "\n       ".join(listed) + text[match.end(1):])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("library")
    parser.add_argument("name")
    parser.add_argument("--flag")
    parser.add_argument("--root", default=os.path.join(os.path.dirname(__file__), "..", ".."))
    options = parser.parse_args()
    root, library, name = options.root, options.library, options.name
    if not re.fullmatch(r"([A-Z][A-Za-z0-9]*)+", name):
        sys.exit(f"{name}: a pass is a verb phrase in CamelCase, such as FuseMask")
    if not os.path.exists(os.path.join(root, f"lib/{library}/CMakeLists.txt")):
        sys.exit(f"{library}: no library lib/{library}; see lib/layers.txt")
    source = f"lib/{library}/{name}.cpp"
    if existing := find_below(root, source):
        sys.exit(f"{existing} exists already")
    stem = kebab(name)
    names = {
        "library": library, "joined": library.replace("/", ""), "name": name, "stem": stem,
        "flag": options.flag or f"attn-{stem}", "upper": name.upper(),
        "namespace": library.rsplit("/", 1)[-1].lower(),
        "guard": "ATTNC_" + re.sub(r"\W", "_", library).upper() + "_PASSES",
    }
    add_stanza(root, library, STANZA.format(**names), names)
    first, rest = SOURCE.split("\n", 1)
    write(root, source, header(first.format(dashes="{dashes}", **names) + "\n" + rest.format(dashes="", **names)))
    subprocess.run(["clang-format-22", "-i", os.path.join(root, source)], check=False)
    add_source(root, library, f"{name}.cpp")
    write(root, f"test/{library}/{stem}.mlir", TEST.format(**names))


if __name__ == "__main__":
    main()
