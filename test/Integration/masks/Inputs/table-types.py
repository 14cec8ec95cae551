"""Runs masks over tables of every integer type at several lengths and strides.

    table-types.py LEVEL..., in an empty folder with attnc-run in the path
"""

import pathlib
import subprocess
import sys

# The limit lies beyond the signed half of u8, below zero for signed types, and is
# met seldom, so that tiles are left out.
MASKS = {
    "i8": ("t[b, k] <= -110 or t[b, q] >= 120", "i8[batch, kv_len]"),
    "u8": ("t[b, k] >= 240 or t[b, q] <= 10", "u8[batch, kv_len]"),
    "i32": ("t[b, k] == t[b, q]", "i32[batch, kv_len] in 0..99"),
    "i64": ("t[b, k] == t[b, q]", "i64[batch, kv_len] in 0..99"),
    "bool": ("t[b, q // 32, k // 16]", "bool[batch, blocks, wide]"),
}

count = 0
for name, (mask, declared) in MASKS.items():
    sizes = "sizes:\n  blocks: (kv_len + 31) // 32\n  wide: (kv_len + 15) // 16\n" if name == "bool" else ""
    spec = pathlib.Path(f"{name}.yaml")
    spec.write_text(f"attnc: 1\nheads: 2\nhead_dim: 16\nquery_len: kv_len\n{sizes}mask: {mask}\ninputs:\n  t: {declared}\n",
                    encoding="utf-8")
    for level in sys.argv[1:]:
        for strides in ("bhsd", "random"):
            command = ["attnc-run", str(spec), f"-mcpu={level}", f"--strides={strides}",
                       "--size", "batch=2,kv_len=17,130,333"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
            count += done.stdout.count("passed")
    fused = subprocess.run(["attnc", str(spec), "--emit=fused", "-o", "-"], capture_output=True, text=True, check=True)
    if "} classify {" not in fused.stdout:
        sys.exit(f"{name}: no classify, so no table is scanned")
print(f"{count} runs are right")
