#!/usr/bin/env python3
"""Runs whole layers in bf16 with software models of the processor's instructions.

usage: run-layers.py ATTNC-RUN SPECS LEVEL...

Random inputs have at most twice the error of the plain evaluation in bf16, integer ones none beyond its roundings.
"""

import os
import subprocess
import sys

LAYERS = ("gpt2-layer", "zoo/layer-bert", "zoo/layer-gemma2", "zoo/layer-gpt-neox", "zoo/layer-llama3",
          "zoo/layer-phi3-fused", "zoo/layer-qwen3", "zoo/layer-t5-encoder")


def main():
    tool, specs, *levels = sys.argv[1:]
    count = wrong = 0
    for layer in LAYERS:
        for level in levels:
            for init in ("normal", "integer"):
                command = [tool, os.path.join(specs, layer + ".yaml"), "--model-instructions", f"-mcpu={level}",
                           "--set", "dtype=bf16", f"--init={init}", "--size", "batch=1,kv_len=1,9,37",
                           "-Wno-slow-path"]
                done = subprocess.run(command, text=True, capture_output=True, check=False)
                count += 1
                if done.returncode:
                    wrong += 1
                    print(" ".join(command), "\n", done.stdout[-600:], done.stderr[-600:], flush=True)
    print(f"{count} layers, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
