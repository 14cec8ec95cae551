"""Compares predictions for AMX with measurements (Sapphire Rapids, one thread).

usage: pipeline-cost.py ATTNC FOLDER shares | blocks

`shares`: predicted shares of the peak are within 25 % of measured ones. `blocks`:
the predicted time of other blocks, relative to 32 x 64, is within the bounds that
were measured for kernels of benchmarks/peers/cases.json, with 15 % tolerance.
"""

import os
import re
import subprocess
import sys

# Kernels of benchmarks/peers/cases.json, and the shares that were measured on an idle and on a busy machine.
CASES = [
    ("heads: 8\nhead_dim: 64\nexpect: [{query_len: 1024, kv_len: 1024}]", 45.9, 40.5),
    ("heads: 8\nhead_dim: 64\nmask: causal\nexpect: [{query_len: 1024, kv_len: 1024}]", 32.3, 30.6),
    ("heads: 8\nhead_dim: 128\nexpect: [{query_len: 2048, kv_len: 2048}]", 49.1, 46.9),
    ("heads: 8\nhead_dim: 128\nmask: causal\nexpect: [{query_len: 2048, kv_len: 2048}]", 41.8, 42.9),
    ("heads: 32\nkv_heads: 8\nhead_dim: 128\nmask: causal\nexpect: [{query_len: 2048, kv_len: 2048}]", 41.0, 39.0),
    ("heads: 8\nhead_dim: 64\nmask: window(256)\nexpect: [{query_len: 4096, kv_len: 4096}]", 20.4, 19.3),
    ("heads: 16\nhead_dim: 64\nexpect: [{query_len: 128, kv_len: 1500}]", 32.2, 29.4),
    ("heads: 12\nhead_dim: 64\nexpect: [{query_len: 197, kv_len: 197}]", 21.4, 18.9),
    ("heads: 12\nhead_dim: 64\nexpect: [{query_len: 512, kv_len: 512}]", 35.2, 35.2),
    ("heads: 16\nhead_dim: 192\nvalue_dim: 128\nmask: causal\nexpect: [{query_len: 1024, kv_len: 1024}]", 34.4, 34.3),
]
OTHERS = [
    ("heads: 16\nhead_dim: 72\nexpect: [{query_len: 1024, kv_len: 1024}]", 35.3, 35.3),
    ("heads: 8\nhead_dim: 256\nmask: causal\nexpect: [{query_len: 1024, kv_len: 1024}]", 32.4, 32.4),
    ("heads: 8\nhead_dim: 64\nattention: sigmoid(score)\nexpect: [{query_len: 1024, kv_len: 1024}]", 30.0, 30.0),
    ("heads: 8\nhead_dim: 64\nscore: softcap(Q @ K / 8.0, 100)\nexpect: [{query_len: 1024, kv_len: 1024}]", 16.3, 15.0),
]

# Block, and the least and the greatest time in units of that of 32 x 64.
BLOCKS = [("q = 16, k = 64", 1.10, 1.36), ("q = 32, k = 32", 0.98, 1.13), ("q = 32, k = 128", 1.08, 1.38),
          ("q = 64, k = 64", 1.35, 2.20), ("q = 128, k = 128", 1.48, 2.03)]


def predict(attnc, folder, body, schedule=""):
    """The predicted share of the peak in percent."""
    spec = os.path.join(folder, "spec.yaml")
    with open(spec, "w", encoding="utf-8") as file:
        file.write(f"attnc: 1\nname: a\ndtype: bf16\n{body}\n")
    options = [f"--schedule=#attn.schedule<{schedule}>"] if schedule else []
    result = subprocess.run([attnc, spec, "-mcpu=sapphirerapids", "-Wno-slow-path", "--explain", "--emit=scheduled", "-o", os.devnull,
                             *options], text=True, capture_output=True, check=True)
    return float(re.search(r"predicted ([0-9.]+)% of the peak at", result.stderr)[1])


def compare(name, figure, least, greatest):
    """Whether a figure is within its bounds; prints them."""
    is_near = least <= figure <= greatest
    print(f"{'near' if is_near else 'FAR'}: {figure:.2f}, expected {least:.2f} to {greatest:.2f}: {name}")
    return is_near


def main():
    attnc, folder, what = sys.argv[1:]
    near = []
    for body, *measured in CASES + OTHERS if what == "shares" else CASES:
        share, name = predict(attnc, folder, body), body.replace("\n", ", ")
        if what == "shares":
            near.append(compare(name, share, 0.75 * min(measured), 1.25 * max(measured)))
            continue
        for block, least, greatest in BLOCKS:
            near.append(compare(f"{block}, {name}", share / predict(attnc, folder, body, block), least / 1.15, 1.15 * greatest))
    sys.exit(not all(near))


if __name__ == "__main__":
    main()
