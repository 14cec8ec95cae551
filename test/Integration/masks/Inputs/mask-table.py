"""The table of docs/masks.md: tiles that masks need, and tiles that are visited.

    mask-table.py DOCUMENT WORK [--update]

Fails if the figures of DOCUMENT are not those of `attnc-run --mask`; --update
writes them. Entries of tables are fixed here. WORK is a folder for specs and
arrays.
"""

import json
import pathlib
import subprocess
import sys

import numpy

LENGTH = 2048
SCHEDULE = "#attn.schedule<q = 64, k = 64>"
BEGIN, END = "<!-- masks: begin", "<!-- masks: end -->\n"

STARTS = numpy.array([0, 100, 250, 700, 900, 1400, 1500, 1900])
PLACE = numpy.arange(LENGTH)
SORTED = (PLACE[:, None] >= STARTS).sum(axis=1) - 1
# Eight documents, each in two runs of 128 tokens; and token by token in turn.
RUNS = numpy.repeat([2, 0, 3, 1, 7, 4, 6, 5, 1, 3, 0, 2, 5, 7, 4, 6], 128)
TURNS = PLACE * 5 % 8
# A trunk of 512 tokens, from which 12 branches of 128 go.
SUBTREE_END = numpy.where(PLACE < 512, LENGTH, 512 + (PLACE - 512) // 128 * 128 + 128)


def big_bird(blocks: int) -> numpy.ndarray:
    """A window of three blocks, a global one, two others for each."""
    i, j = numpy.indices((blocks, blocks))
    near = (abs(i - j) <= 1) | (i == 0) | (j == 0)
    return near | (j == (i * 5 + 3) % blocks) | (j == (i * 11 + 7) % blocks)


# What it is, the mask, its inputs with their arrays, other lines of the spec.
MASKS = [
    ("none", "true", {}, ""),
    ("causal", "causal", {}, ""),
    ("causal after a cache of 1024", "causal", {}, "query_len: 1024"),
    ("window", "window(256)", {}, ""),
    ("band", "band(100, 60)", {}, ""),
    ("window per head", "causal and k > q - wide[h]", {"wide": ("i32[heads]", [100, 700])}, ""),
    ("prefix", "causal or first(300)", {}, ""),
    ("prefix per batch entry", "causal or k < n[b]", {"n": ("i32[batch]", [300])}, ""),
    ("sinks and window", "causal and (first(4) or window(256))", {}, ""),
    ("chunks", "chunk(256)", {}, ""),
    ("chunks, causal", "causal and chunk(200)", {}, ""),
    ("chunks of a run-time size", "q // C == k // C", {"pad": ("f32[C]", [0] * 192)}, "score: Q @ K + 0 * pad[0]\nsizes: {C: any}"),
    ("causal over blocks", "k // 128 <= q // 128", {}, ""),
    ("dilated", "causal and dilated(4)", {}, ""),
    ("dilation longer than a tile", "causal and (q - k) % 512 < 64", {}, ""),
    ("strided (Child et al.)", "causal and (window(128) or k % 128 >= 120)", {}, ""),
    ("documents in order", "document(id)", {"id": ("i32[batch, kv_len] nondecreasing", [SORTED])}, ""),
    ("documents in order, causal", "causal and document(id)", {"id": ("i32[batch, kv_len] nondecreasing", [SORTED])}, ""),
    ("documents in runs, any order", "document(id)", {"id": ("i32[batch, kv_len]", [RUNS])}, ""),
    ("documents, changing every token", "document(id)", {"id": ("i32[batch, kv_len]", [TURNS])}, ""),
    ("padded keys", "padding(n)", {"n": ("i32[batch]", [1500])}, ""),
    ("padded queries and keys", "k < n[b] and i < n[b]", {"n": ("i32[batch]", [1500])}, ""),
    ("global tokens and window", "first(64) or q < 64 or band(128, 128)", {}, ""),
    ("global tokens from a table", "glob[b, q] or glob[b, k] or band(128, 128)", {"glob": ("bool[batch, kv_len]", [PLACE % 1024 < 16])}, ""),
    ("neighborhood on a grid", "abs(q // 64 - k // 64) <= 3 and abs(q % 64 - k % 64) <= 3", {}, ""),
    ("tree", "k <= q and q < end[b, k]", {"end": ("i32[batch, kv_len]", [SUBTREE_END])}, ""),
    ("block table (BigBird)", "tbl[q // 64, k // 64]", {"tbl": ("bool[blocks, blocks]", big_bird(LENGTH // 64))}, "sizes: {blocks: (kv_len + 63) // 64}"),
    ("block table, causal", "causal and tbl[q // 64, k // 64]", {"tbl": ("bool[blocks, blocks]", big_bird(LENGTH // 64))}, "sizes: {blocks: (kv_len + 63) // 64}"),
    ("all but a window", "not window(512)", {}, ""),
    ("window with a hole", "window(512) and not window(128)", {}, ""),
    ("one key per query", "k == to[b, q]", {"to": ("i32[batch, kv_len]", [PLACE % 2 * (LENGTH - 1)])}, ""),
    ("keys at twice the distance", "k * 0.5 <= q", {}, ""),
    ("a run-time slope", "causal and k >= q * slope[h]", {"slope": ("f32[heads]", [0.5, 0.75])}, ""),
    ("window that grows as a root", "causal and (q - k) * 0.1 <= sqrt(q)", {}, ""),
    ("product of positions", "k * q < 100000", {}, ""),
    ("limits per query", "lo[b, q] <= k and k < hi[b, q]", {"lo": ("i32[batch, kv_len]", [PLACE // 3]), "hi": ("i32[batch, kv_len]", [PLACE // 2 + 200])}, ""),
    ("other documents", "not document(id)", {"id": ("i32[batch, kv_len] nondecreasing", [SORTED])}, ""),
]

TYPES = {"i32": "int32", "bool": "bool", "f32": "float32"}


def run(work: pathlib.Path, mask: str, inputs: dict, more: str) -> dict:
    """What `attnc-run --mask` tells of the one kernel."""
    lines = ["attnc: 1", "heads: 2", "head_dim: 64", f'mask: "{mask}"', more]
    if "query_len" not in more:
        lines.append("query_len: kv_len")
    command = ["attnc-run", str(work / "mask.yaml"), "--mask", "--json", f"--schedule={SCHEDULE}", "-Wno-offset",
               "--size", f"batch=1,kv_len={LENGTH}"]
    if inputs:
        lines.append("inputs:")
    for name, (declared, values) in inputs.items():
        lines.append(f"  {name}: {declared}")
        numpy.save(work / f"{name}.npy", numpy.array(values).astype(TYPES[declared.split("[")[0]]))
        command += ["--input", f"{name}={work / name}.npy"]
    (work / "mask.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{mask}:\n{done.stderr}{done.stdout}")
    (kernel,) = json.loads(done.stdout)["kernels"]
    return kernel


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %"


def row(work: pathlib.Path, what: str, mask: str, inputs: dict, more: str) -> str:
    k = run(work, mask, inputs, more)
    by = "classes" if k["classifies"] else "segments"
    cells = [what, f"`{mask}`", by, percent(k["needed"], k["tiles"]), f"{k['visited'] / k['needed']:.2f}",
             percent(k["free"], k["free"] + k["masked_in_vain"]) if k["free"] + k["masked_in_vain"] else "-",
             percent(k["pairs_allowed"], k["pairs_computed"])]
    return "| " + " | ".join(cells) + " |\n"


def main() -> None:
    document, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    text = document.read_text(encoding="utf-8")
    begin = text.index("\n", text.index(BEGIN)) + 1
    end = text.index(END)
    table = ("\n| | mask | by | tiles needed | visited / needed | full tiles without mask code | unmasked pairs of those computed |\n"
             "|---|---|---|---|---|---|---|\n")
    table += "".join(row(work, *mask) for mask in MASKS) + "\n"
    if sys.argv[3:] == ["--update"]:
        document.write_text(text[:begin] + table + text[end:], encoding="utf-8")
        return
    for old, new in zip(text[begin:end].splitlines(), table.splitlines()):
        if old != new:
            sys.exit(f"{document.name} says\n{old}\nbut attnc-run --mask\n{new}\nSee the end of the document.")
    if text[begin:end] != table:
        sys.exit(f"{document.name} and {sys.argv[0]} x")
    print(f"{len(MASKS)} masks match")


if __name__ == "__main__":
    main()
