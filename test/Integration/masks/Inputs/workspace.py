"""Compiles masks and prints what NAME_workspace says of two lengths.

    workspace.py CC, in an empty folder with attnc in the path
"""

import pathlib
import subprocess
import sys

IDS = "inputs:\n  id: i32[batch, kv_len]"
MASKS = {
    "causal": ("causal", ""),
    "window": ("window(256)", ""),
    "sinks": ("causal and (first(4) or window(256))", ""),
    "prefix": ("causal or first(300)", ""),
    "documents": ("document(id)", IDS + " nondecreasing"),
    "unordered": ("document(id)", IDS),
    "bigbird": ("first(64) or q < 64 or band(128, 128) or tbl[q // 64, k // 64]",
                "sizes: {blocks: (kv_len + 63) // 64}\ninputs:\n  tbl: bool[blocks, blocks]"),
    "tree": ("k <= q and q < end[b, k]", "inputs:\n  end: i32[batch, kv_len]"),
    "globals": ("glob[b, q] or glob[b, k] or band(128, 128)", "inputs:\n  glob: bool[batch, kv_len]"),
    "limits": ("lo[b, q] <= k and k < hi[b, q]", "inputs:\n  lo, hi: i32[batch, kv_len]"),
    "reals": ("k * 0.5 <= q and sqrt(k) * 3 <= q", ""),
    "grid": ("abs(q // 64 - k // 64) <= 3 and abs(q % 64 - k % 64) <= 3", ""),
}

program = "#include <stdio.h>\n"
main = "int main(void) {\n"
for name, (mask, inputs) in MASKS.items():
    spec = f"attnc: 1\nname: {name}\nheads: 8\nhead_dim: 64\nquery_len: kv_len\nmask: {mask}\n{inputs}\n"
    pathlib.Path(f"{name}.yaml").write_text(spec, encoding="utf-8")
    subprocess.run(["attnc", f"{name}.yaml"], check=True)
    program += f'#include "{name}.h"\n'
    main += f'  printf("{name}: %zu bytes at 1000, %zu at 1000000\\n", {name}_workspace(1, 1000, 1), {name}_workspace(1, 1000000, 1));\n'
pathlib.Path("main.c").write_text(program + main + "  return 0;\n}\n", encoding="utf-8")
subprocess.run([sys.argv[1], "-I", ".", "main.c", *(f"{name}.o" for name in MASKS), "-lm", "-o", "main"], check=True)
subprocess.run(["./main"], check=True)
