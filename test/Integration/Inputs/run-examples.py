"""Runs every spec of the folders with attnc-run at odd sizes.

usage: run-examples.py ATTNC-RUN WORK FOLDER...
"""

import glob
import os
import subprocess
import sys

SIZES = {"batch": 2, "query_len": 17, "kv_len": 65}


def main(attnc_run, work, *folders):
    wrong, specs = 0, sorted(p for f in folders for p in glob.glob(os.path.join(f, "*.yaml")))
    for spec in specs:
        with open(spec, encoding="utf-8") as f:
            text = f.read()
        sizes = dict(SIZES)
        if "query_len: kv_len" in text:
            del sizes["query_len"]
        if "query: ragged" in text:
            sizes["query_tokens"] = sizes.pop("query_len") * 2
        if "kv: ragged" in text:
            del sizes["kv_len"]
            if "output:" not in text:  # there it is one axis with that of queries
                sizes["kv_tokens"] = sizes["query_tokens"]
        if "kv_len: width" in text:
            del sizes["kv_len"]
            sizes.update(width=5, pages=13)
        sizes = ",".join(f"{name}={value}" for name, value in sizes.items())
        result = subprocess.run([attnc_run, spec, "--size", sizes], cwd=work, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800)
        if result.returncode:
            wrong += 1
            print(f"{spec}: exit code {result.returncode}\n{result.stdout}")
    print(f"{len(specs)} specs, {wrong} wrong")
    sys.exit(1 if wrong or not specs else 0)


main(*sys.argv[1:])
