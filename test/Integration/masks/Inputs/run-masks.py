"""Run specs of masks at several lengths on compiled objects.

    run-masks.py FOLDER LEVEL...

Compares each with the float64 reference. The fused dump means the same with and
without `ranges` and `classify`; so both are interpreted before and after they
are lowered.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

SQUARES, QUERIES, KEYS = "17,130,333", "17,130", "130,333"


def drop_regions(dump: str) -> str:
    """The dump without the regions that only save work."""
    lines, skipping = [], False
    for line in dump.splitlines():
        if re.match(r"\s*\} (ranges|classify) \{$", line):
            skipping = True
            continue
        if skipping and not re.match(r"\s*\}", line):
            continue
        skipping = False
        lines.append(line)
    return "\n".join(lines) + "\n"


def run(arguments: list[str]) -> str:
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}\n{done.stdout}{done.stderr}")
    return done.stdout


def sizes_of(spec: str) -> str:
    is_square = "query_len: kv_len" in spec
    sizes = ["batch=2"]
    sizes += [f"kv_len={SQUARES}"] if is_square else [f"query_len={QUERIES}", f"kv_len={KEYS}"]
    if "C: any" in spec:
        sizes.append("C=5")
    return ",".join(sizes)


def main() -> None:
    folder, levels = pathlib.Path(sys.argv[1]), sys.argv[2:]
    count = 0
    for path in sorted(folder.glob("*.yaml")):
        spec = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as work:
            fused = pathlib.Path(work) / "fused.mlir"
            run(["attnc", str(path), "--emit=fused", "-o", str(fused)])
            plain = pathlib.Path(work) / "plain.mlir"
            text = fused.read_text(encoding="utf-8")
            plain.write_text(drop_regions(text), encoding="utf-8")
            if "} ranges {" not in text:
                sys.exit(f"{path}: no ranges in the fused dump")
            for dump in (fused, plain):
                run(["attnc", "-x", "fused", str(dump), "--check-stages"])
            for level in levels:
                done = run(["attnc-run", str(path), f"-mcpu={level}", "--size", sizes_of(spec)])
                count += done.count("check   passed")
    print(f"{count} runs are right")


if __name__ == "__main__":
    main()
