"""Compiles and runs combinations of features against the float64 reference.

usage: matrix.py ATTNC-RUN WORK LEVEL [--wide] [--list] [--only NUMBER] [--every N]
                 [--backend NAME] [--schedule FIELDS] [--few] [--dtype NAME] [--models]

Every pair of values of two factors below occurs in some combination (a greedy
covering array, the same on every run), and each combination runs at several
pairs of lengths. LEVEL picks the combinations of one micro-architecture.
attnc-run decides whether a result is correct: identical for integer inputs, within
twice the plain evaluation's error for random ones. --wide has more values and
factors, in twice as many combinations; it is run by hand. --every runs each Nth
combination. --schedule is passed on; combinations to which its fields do not apply
are refused. --few has one to nine queries, --dtype one type in all combinations.
--models runs a level with software models of its instructions. Of a device without
numbers of 64 bits, combinations that have them are refused.
"""

import argparse
import concurrent.futures
import itertools
import os
import random
import subprocess
import sys

FACTORS = {
    "level": ("x86-64", "x86-64-v3", "x86-64-v4", "sapphirerapids"),
    "heads": ((1, 1), (4, 4), (6, 2), (5, 1)),
    "dims": ((1, 1), (3, 3), (40, 40), (64, 64), (80, 80), (128, 128), (256, 256), (64, 24), (40, 96)),
    "mask": ("", "causal", "window(9)", "band(5, 30)", "first(4) or window(20)", "chunk(16)", "causal and chunk(24)",
             "dilated(3)", "padding(length)", "document(doc)", "causal and first(0)", "q + k > 40 and k != 5"),
    "score": ("", "Q @ K", "softcap(Q @ K / 4, 30)", "Q @ K / sqrt(head_dim) + alibi_slope(h) * (k - q)",
              "Q @ K / sqrt(head_dim) + bias[h, i, k]",
              "Q @ K / sqrt(head_dim) + table[t5_bucket(k - q, 32, 128), h]",
              "Q @ K * where(k % 2 == 0, 0.125, 0.25)", "Q @ W[h] @ K / head_dim",
              "u[h] @ tanh(Q / 8 + K / 4)"),
    "value": ("", "V + rel[clamp(k - q, -3, 3) + 3]"),
    "attention": ("", "softmax(score, sink=sink[h])", "softmax(score, sink=-1)", "softmax(score, temperature=2)",
                  "sigmoid(score)", "relu(score) / (sum(relu(score)) + 1e-3)"),
    "dtype": ("f32", "f64", "bf16", "f16"),
    "offset": ("", "0"),
    "outputs": ("", "[lse]"),
    "strides": ("bhsd", "bshd", "negative", "random", "broadcast"),
    "init": ("integer", "normal"),
    "lengths": (0, 1, 2, 3, 4, 5),
    "storage": ("dense", "ragged", "ragged keys", "pages of 16", "pages of 5", "ragged, pages of 16"),
    "threads": (1, 3),
}
# Levels of other platforms run the combinations of one above, in an emulator.
EMULATED = {
    "armv8-a": ("aarch64-linux-gnu", "x86-64"),
    "armv9-a": ("aarch64-linux-gnu", "x86-64-v4"),
    "armv9-a-sve256": ("aarch64-linux-gnu", "x86-64-v3"),
    "rv64gcv": ("riscv64-linux-gnu", "x86-64"),
    "rv64gcv_zvl256b": ("riscv64-linux-gnu", "x86-64-v3"),
    "simd128": ("wasm32-unknown-unknown", "x86-64"),
    "sm_80": ("nvptx64-nvidia-cuda", "x86-64-v4"),
    "sm_90a": ("nvptx64-nvidia-cuda", "x86-64-v4"),
}
# Levels that run the combinations of another one with software models of the
# instructions that this machine may lack.
MODELED = {"cooperlake": "x86-64-v4", "zen4": "sapphirerapids"}
# Devices without numbers of 64 bits, likewise.
NARROW = {"opencl-embedded": "x86-64", "vulkan": "x86-64-v3"}
# What --wide adds: values of these factors, and factors.
WIDE = {
    "mask": ("k < prefix[b] or causal", "document(any_doc)", "abs(q // 8 - k // 8) <= 1 and abs(q % 8 - k % 8) <= 2",
             "keep[b, k]", "blocks[clamp(q // 16, 0, 15), min(k // 16, 15)] == 1", "edges[i, k]"),
    "score": ("Q @ P @ K / head_dim", "w @ tanh(U1 @ Q / 16 + U2 @ K / 16)",
              "l2_norm(Q, 1e-6) @ l2_norm(K, 1e-6) * scale[h]", "Q @ (K + near[clamp(k - q, -3, 3) + 3]) / 8"),
    "value": ("V * gate[b, k]",),
    "attention": ("softmax(score, sink=sink[h], temperature=4)", "relu(score)**2 / kv_len", "softmax(top_k(score, 4))",
                  "sparsemax(score)", "softmax(score) / 2 + sigmoid(score) / (2 * count())"),
    "outputs": ("[attention]", "[score, lse]"),
    "tables": ("f32", "f64", "bf16", "f16", "i8", "u8", "i32", "i64"),
    "probabilities": ("", "wide"),
    "rows": ("", "K: K8 * k_scale", "V: V8 * v_scale"),
}
# TABLE is the type of the combination's factor `tables`; so is ROWS, if products
# may have it.
INPUTS = {
    "length": "i32[batch]",
    "doc": "i32[batch, kv_len] nondecreasing",
    "bias": "TABLE[heads, query_len, kv_len]",
    "table": "TABLE[32, heads]",
    "sink": "TABLE[heads]",
    "W": "ROWS[heads, head_dim, head_dim]",
    "u": "ROWS[heads, head_dim]",
    "rel": "ROWS[7, value_dim]",
    "prefix": "i64[batch]",
    "any_doc": "i64[batch, kv_len]",
    "keep": "bool[batch, kv_len]",
    "blocks": "u8[16, 16]",
    "edges": "bool[query_len, kv_len]",
    "scale": "TABLE[heads]",
    "gate": "TABLE[batch, kv_len]",
    "P": "ROWS[head_dim, key_dim]",
    "w": "ROWS[24]",
    "U1": "ROWS[24, head_dim]",
    "U2": "ROWS[24, key_dim]",
    "near": "ROWS[7, head_dim]",
    "K8": "i8[batch, kv_heads, kv_len, key_dim]",
    "k_scale": "TABLE[batch, kv_heads, kv_len]",
    "V8": "u8[batch, kv_heads, kv_len, value_dim]",
    "v_scale": "TABLE[batch, kv_heads, kv_len]",
}
# Query lengths and key lengths; each combination runs at all pairs of a row.
LENGTHS = (
    ((0, 1, 17), (0, 1, 15)),
    ((1, 16), (1, 16, 197)),
    ((15, 63), (17, 63, 65)),
    ((17, 65), (16, 65)),
    ((63, 197), (15, 197)),
    ((65,), (63, 197)),
)
FEW_LENGTHS = (
    ((1, 2), (0, 1, 15)),
    ((3, 4), (16, 197)),
    ((5,), (17, 63, 65)),
    ((6, 7), (16, 65)),
    ((8, 9), (15, 197)),
    ((1,), (63, 197)),
)


def pairs(combination):
    return {((a, combination[a]), (b, combination[b])) for a, b in itertools.combinations(FACTORS, 2)}


def combinations():
    """A covering array of strength two: greedily, the best of some random
    candidates that hold a pair not yet covered."""
    chance = random.Random(1)
    indices = {name: range(len(values)) for name, values in FACTORS.items()}
    open_pairs = {((a, x), (b, y)) for a, b in itertools.combinations(FACTORS, 2)
                  for x in indices[a] for y in indices[b]}
    chosen = []
    while open_pairs:
        (a, x), (b, y) = min(open_pairs)
        best = None
        for _ in range(40):
            candidate = {name: chance.choice(values) for name, values in indices.items()}
            candidate[a], candidate[b] = x, y
            gain = len(pairs(candidate) & open_pairs)
            if best is None or gain > best[0]:
                best = (gain, candidate)
        open_pairs -= pairs(best[1])
        chosen.append({name: FACTORS[name][i] for name, i in best[1].items()})
    return chosen


def words(text):
    return "".join(c if c.isalnum() or c == "_" else " " for c in text).split()


def widen():
    """Takes what --wide adds."""
    for name, values in WIDE.items():
        FACTORS[name] = FACTORS.get(name, ()) + values


def storage_of(combination):
    """Rows that are defined are inputs, which are dense."""
    return "dense" if combination.get("rows") else combination["storage"]


def init_of(combination):
    """Integer scores reach as far as there are keys in all pages: as weights they
    would leave the range of f16."""
    weights = "sum" in words(combination["attention"]) and combination["dtype"] == "f16"
    return "normal" if weights and "pages" in storage_of(combination) else combination["init"]


def outputs_of(combination):
    """Only where a softmax is the whole attention is there an lse."""
    attention = combination["attention"] or "softmax(score)"
    whole = attention.startswith("softmax(") and "sigmoid" not in attention
    wanted = [name for name in words(combination["outputs"]) if name != "lse" or whole]
    return f"[{', '.join(wanted)}]" if wanted else ""


def storage_lines(combination, inputs):
    """What a spec says of its storage; `inputs` get the axes that there are."""
    storage = storage_of(combination)
    ragged_queries = storage.startswith("ragged") and storage != "ragged keys"
    ragged_keys = storage in ("ragged", "ragged keys")
    rows = ["query: ragged(start)"] if ragged_queries else []
    rows += ["kv: ragged(start_k)"] if ragged_keys else []
    for name, kind in inputs.items():
        kind = kind.replace("query_len", "query_tokens") if ragged_queries else kind
        inputs[name] = kind.replace("kv_len", "kv_tokens") if ragged_keys else kind
    lines = []
    if "pages" in storage:
        page = storage.split()[-1]
        rows.append(f"kv: paged(pages_of, {page})")
        lines += [f"kv_len: width * {page}", "sizes: {pages: any, width: any}"]
    return lines + (["storage:"] + [f"  {row}" for row in rows] if rows else [])


def inputs_of(combination):
    """Tables have the combination's type, rows of products a float that the
    kernel holds."""
    table, dtype = combination.get("tables", "f32"), combination["dtype"]
    row = table if "f" in table and (table != "f64" or dtype == "f64") else dtype
    return {name: kind.replace("TABLE", table).replace("ROWS", row) for name, kind in INPUTS.items()}


def spec(combination):
    """The YAML text of a combination."""
    heads, kv_heads = combination["heads"]
    head_dim, value_dim = combination["dims"]
    dtype, score, mask = combination["dtype"], combination["score"], combination["mask"]
    lines = ["attnc: 1", "name: kernel", f"heads: {heads}", f"kv_heads: {kv_heads}",
             f"head_dim: {head_dim}", f"value_dim: {value_dim}", f"dtype: {dtype}"]
    lines += ["key_dim: 24"] if set(words(score)) & {"P", "U2"} else []
    if combination.get("probabilities"):
        lines.append(f"precision: {{probabilities: {'f64' if dtype == 'f64' else 'f32'}}}")
    if storage_of(combination).startswith("ragged") and set(words(mask)) & {"doc", "any_doc"}:
        mask = "window(9)"  # an own length is no extent of doc
    inputs, rows = inputs_of(combination), combination.get("rows")
    storage = storage_lines(combination, inputs)
    lines += storage + (["let:", f"  {rows}"] if rows else [])
    inputs.update({"start": "i32[batch + 1] nondecreasing", "start_k": "i64[batch + 1] nondecreasing",
                   "pages_of": "i32[batch, width] in 0..pages - 1"})
    formulas = {key: combination[key] for key in ("score", "attention", "value", "offset")}
    formulas = {"score": score, "mask": mask, **formulas, "outputs": outputs_of(combination)}
    # An input is used where it is indexed: `sink=` is also an argument's name.
    text = " ".join([*formulas.values(), *storage])
    used = [name for name in inputs if f"{name}[" in text or f"({name})" in text or f"({name}, " in text
            or name in words(f"{score} {rows}")]
    if used:
        lines += ["inputs:"] + [f"  {name}: {inputs[name]}" for name in used]
    lines += [f"{key}: {text}" for key, text in formulas.items() if text]
    return "\n".join(lines) + "\n"


def sizes(combination, lengths):
    queries, keys = lengths[combination["lengths"]]
    storage, batch, query, key = storage_of(combination), 2, "query_len", "kv_len"
    if storage.startswith("ragged") and storage != "ragged keys":
        query, batch = "query_tokens", 3
    if storage in ("ragged", "ragged keys"):
        key, batch = "kv_tokens", 3
    if "pages" in storage:
        page = int(storage.split()[-1])
        key, keys = "width", sorted({-(-k // page) for k in keys})
        more = f",pages={batch * max(keys) + 3}"
    else:
        more = ""
    if set(words(combination["mask"])) & {"doc", "any_doc"}:
        # doc[b, q] is in range only where each query row has its key row.
        unit = page if "pages" in storage else 1
        keys = [k for k in keys if k * unit >= max(queries)] or [-(-max(queries) // unit)]
    return (f"batch={batch},{query}={','.join(map(str, queries))},"
            f"{key}={','.join(map(str, keys))}{more}")


def level_options(options):
    level = options.level
    platform = [f"--target={EMULATED[level][0]}"] if level in EMULATED else []
    models = ["--model-instructions"] if options.models or level in MODELED else []
    return platform + [f"-mcpu={level}", *models]


REFUSED = "refused"


def run(path, combination, options):
    lengths = FEW_LENGTHS if options.few else LENGTHS
    command = [options.attnc_run, path, "--size", sizes(combination, lengths), *level_options(options),
               f"--init={init_of(combination)}", f"--strides={combination['strides']}",
               f"--threads={combination['threads']}"]
    command += [f"--backend={options.backend}"] if options.backend else []
    command += [f"--schedule={options.schedule}"] if options.schedule else []
    try:
        result = subprocess.run(command, text=True, timeout=1800, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return f"over 1800 s: {' '.join(command)}"
    if result.returncode == 0:
        return None
    if options.schedule and "does not apply" in result.stdout:
        return REFUSED
    if options.level in NARROW and f"kernels for '{options.level}' cannot use" in result.stdout:
        return REFUSED
    with open(path, encoding="utf-8") as f:
        return f"exit code {result.returncode}: {' '.join(command)}\n{f.read()}{result.stdout[-3000:]}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("attnc_run")
    parser.add_argument("work")
    parser.add_argument("level")
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", type=int)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--backend", default="")
    parser.add_argument("--schedule", default="")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--dtype", choices=FACTORS["dtype"])
    parser.add_argument("--models", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    if options.wide:
        widen()
    like = {**{name: level for name, (_, level) in EMULATED.items()}, **MODELED, **NARROW}
    jobs, like = [], like.get(options.level, options.level)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, combination in enumerate(combinations()):
            if combination["level"] != like or options.only not in (None, number) or number % options.every:
                continue
            combination["dtype"] = options.dtype or combination["dtype"]
            path = os.path.join(options.work, f"{number}.yaml")
            with open(path, "w", encoding="utf-8") as f:
                f.write(spec(combination))
            if options.list:
                print(number, sizes(combination, FEW_LENGTHS if options.few else LENGTHS), combination)
            else:
                jobs.append((number, pool.submit(run, path, combination, options)))
    refused = sum(job.result() == REFUSED for _, job in jobs)
    wrong = [(number, job.result()) for number, job in jobs if job.result() not in (None, REFUSED)]
    for number, what in wrong:
        print(f"combination {number}: {what}")
    text = f", {refused} refused" if options.schedule or options.level in NARROW else ""
    print(f"{options.level}: {len(jobs)} combinations, {len(wrong)} wrong{text}")
    sys.exit(1 if wrong or not (len(jobs) > refused or options.list) else 0)


if __name__ == "__main__":
    main()
