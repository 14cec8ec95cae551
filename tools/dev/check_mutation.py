#!/usr/bin/env python3
"""Fails if a test of a pass still passes without the pass.

usage: check_mutation.py ROOT SITE_CONFIG WORK [--lit LIT]

Each test of a pass (test/<Library>/<pass>.mlir, for a verifier
<pass>-invalid.mlir) is copied to WORK, where the pass is removed from the RUN
lines, and runs with the configuration SITE_CONFIG. A test that still passes
does not test the pass.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys

import records
from sources import find_below, finish, kebab, read


def without(flag, text):
    """The text with `--flag`, its value, or its place in a pipeline removed."""
    name = re.escape(flag)
    run = re.compile(rf"^(.*RUN:.*)$", re.M)
    option = re.compile(rf"(?<!\S)-?-{name}(?:=(?:\"[^\"]*\"|'[^']*'|\S+))?(?![\w-])")
    in_pipeline = re.compile(rf"(?<![\w-]){name}(?:\{{[^}}]*\}})?(?![\w-]),?")
    return run.sub(lambda m: in_pipeline.sub("", option.sub("", m.group(1))), text)


def mutate(root, work):
    """Copies the mutated tests; returns their paths below test/."""
    mutated = []
    for path, name, record in records.load(root):
        if records.kind(record) != "pass":
            continue
        test = f"{os.path.dirname(path)[len('include/attnc/'):]}/{kebab(name)}.mlir"
        # A verifier changes nothing: its test is the one of its errors.
        errors = test.replace(".mlir", "-invalid.mlir")
        if name.startswith("Verify") and find_below(root, f"test/{errors}"):
            test = errors
        test = find_below(root, f"test/{test}")
        if not test:
            continue  # check_names.py tells that
        test = test[len("test/"):]
        source = os.path.join(root, "test", test)
        folder = os.path.join(work, os.path.dirname(test))
        os.makedirs(folder, exist_ok=True)
        inputs = os.path.join(os.path.dirname(source), "Inputs")
        if os.path.isdir(inputs):
            shutil.copytree(inputs, os.path.join(folder, "Inputs"), dirs_exist_ok=True)
        with open(os.path.join(work, test), "w", encoding="utf-8") as f:
            f.write(without(record["argument"], read(root, f"test/{test}")))
        mutated.append(test)
    return mutated


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("root")
    parser.add_argument("site_config")
    parser.add_argument("work")
    parser.add_argument("--lit", default="lit-22")
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work)
    mutated = mutate(options.root, options.work)
    if not mutated:
        finish("mutation", 0, ["no pass has a test"])
    shutil.copy(os.path.join(options.root, "test/lit.cfg.py"), options.work)
    with open(options.site_config, encoding="utf-8") as f:
        site = f.read()
    site = re.sub(r"test_exec_root = .*", f"test_exec_root = {options.work + '/exec'!r}", site)
    site = re.sub(r"load_config\(.*\)", f"load_config(config, {options.work + '/lit.cfg.py'!r})", site)
    with open(os.path.join(options.work, "lit.site.cfg.py"), "w", encoding="utf-8") as f:
        f.write(site)
    results = os.path.join(options.work, "results.json")
    subprocess.run([options.lit, "-q", "--output", results, options.work],
                   env={k: v for k, v in os.environ.items() if not k.startswith("LIT_")},
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    with open(results, encoding="utf-8") as f:
        tests = json.load(f)["tests"]
    findings = [f"test/{t['name'].split(' :: ')[-1]}: passes without its pass"
                for t in tests if t["code"] == "PASS"]
    if len(tests) != len(mutated):
        findings.append(f"{len(mutated)} tests of passes, but lit ran {len(tests)}")
    finish("mutation", len(mutated), findings)


if __name__ == "__main__":
    main()
