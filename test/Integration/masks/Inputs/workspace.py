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
