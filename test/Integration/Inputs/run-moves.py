"""Runs the graphs of the folder moves in every type, at odd sizes.

run-moves.py WORK GRAPHS [LEVEL]

Elements that are only moved, by the graph moves, have to arrive exactly as they
were; `exact` counts the runs in which they did.
"""

import pathlib
import subprocess
import sys

ACCUMULATE = {"f16": "f32", "bf16": "f32", "f32": "f32", "f64": "f64"}
SIZES = {
    "pieces": ["batch=2", "query_len=1,35"],
    "parts": ["batch=2", "query_len=5", "kv_len=0,1,33"],
    "cache": ["batch=3", "query_len=1,6", "kv_len=6,41"],
    "products": ["batch=2", "kv_len=1,67"],
    "moves": ["batch=3", "query_len=1,6", "kv_len=6,41"],
}
ATTENTION = [["--strides=random"]]
MOVES = [["--init=integer"], ["--init=integer", "--strides=random"]]


def run(graph, level, extra):
    command = ["attnc-run", "-x", "graph", graph, "-mcpu=" + level, "--threads=2"]
    command += extra
    for size in SIZES[graph.stem.split(".")[0]]:
        command += ["--size", size]
    result = subprocess.run(command, capture_output=True, text=True)
    checks = [line for line in result.stdout.splitlines() if "  check " in line]
    wanted = "identical" if graph.stem.startswith("moves") else "passed"
    wrong = sum(wanted not in line for line in checks)
    if result.returncode or wrong or not checks:
        print("wrong:", " ".join(map(str, command)))
        print(result.stdout, result.stderr)
        return 0, 0, 1
    return len(checks), sum("identical" in line for line in checks), 0


def main():
    work, graphs = map(pathlib.Path, sys.argv[1:3])
    level = sys.argv[3] if len(sys.argv) > 3 else "native"
    runs = exact = wrong = 0
    for source in sorted(graphs.glob("*.mlir")):
        for dtype, accumulate in ACCUMULATE.items():
            text = source.read_text().replace("DTYPE", dtype)
            graph = work / f"{source.stem}.{dtype}.mlir"
            graph.write_text(text.replace("ACC", accumulate))
            for extra in MOVES if source.stem == "moves" else ATTENTION:
                counts = run(graph, level, extra)
                runs += counts[0]
                exact += counts[1]
                wrong += counts[2]
    print(f"{runs} runs, {exact} exact, {wrong} wrong")


main()
