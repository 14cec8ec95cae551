"""Runs every form of a kernel in every type but f32, against the float64 reference.

usage: forms.py ATTNC-RUN WORK LEVEL... [--types NAMES] [--only FORM] [--models] [--verbose]

Each pair of a form below and a type is a spec that runs on each level at a few
small lengths; memory orders and threads take turns. What f32 does in these forms, and how
forms go together with masks and widths, is the business of matrix.py and of the
forms' own tests. attnc-run decides whether a result is right. --models computes
instructions that this machine may lack by software models.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys

TYPES = "f16,bf16,f64"
STRIDES = ("bhsd", "random", "negative", "bshd", "broadcast")
# 272 rows: enough for one draw of the inputs to tell something.
SIZES = {"batch": "2", "query_len": "34", "kv_len": "1,37"}
# Inputs by name; a form declares those that it indexes.
INPUTS = {
    "sink": "f32[heads]",
    "slope": "[heads]",
    "W": "[heads, head_dim, head_dim]",
    "P": "[head_dim, 20]",
    "w": "[12]",
    "U1": "[12, head_dim]",
    "U2": "[12, key_dim]",
    "near": "[7, head_dim]",
    "rel": "[7, value_dim]",
    "gate": "[batch, kv_len]",
    "c": "[batch, heads, kv_len]",
    "bias": "[heads, query_len, kv_len]",
    "narrow": "i8[heads, query_len, kv_len]",
    "any_doc": "i64[batch, kv_len]",
    "length": "i32[batch]",
    "K8": "i8[batch, kv_heads, kv_len, key_dim]",
    "V8": "u8[batch, kv_heads, kv_len, value_dim]",
    "ks": "[batch, kv_heads, kv_len]",
    "seed": "[query_len, head_dim]",
    "start": "i32[batch + 1] nondecreasing",
    "start_k": "i64[batch + 1] nondecreasing",
    "pages_of": "i32[batch, width] in 0..pages - 1",
}
PHI = "let:\n  phi(x): elu(x) + 1\nscore: phi(Q) @ phi(K)"
SHARE = "attention: score / sum(score)"
# Of each form: keys of the spec, then where needed the schedule and the sizes.
FORMS = {
    "small tiles": ("mask: window(20)\noutputs: [lse]", "q = 16, k = 16", "kv_len=70"),
    "rows": ("kv_len: 40\nmask: band(5, 30)\noutputs: [lse]", "form = rows"),
    "row of one query": ("kv_len: 40\nattention: sigmoid(score)", "form = rows", "query_len=1"),
    "chunked": (f"{PHI}\nmask: causal\n{SHARE}", "form = chunked, chunk = 8", "query_len=37,kv_len=37"),
    "decay": ("score: Q @ K * (1 - exp2(-2 - h))**(q - k) / 5\nmask: causal\nattention: score",
              "form = chunked, chunk = 8", "query_len=37,kv_len=37"),
    "gates": (f"{PHI} * exp(c[b, h, q] - c[b, h, k])\nmask: causal and padding(length)\n{SHARE}",
              "form = chunked, chunk = 8", "query_len=37,kv_len=37"),
    "reordered": (f"{PHI}\n{SHARE}",),
    "documents": ("score: Q @ K / 4 - slope[h] * abs(q - k)\nmask: any_doc[b, k] == any_doc[b, q]", None, "kv_len=37"),
    "bias": ("score: Q @ K / 5 + bias[h, i, k] - narrow[h, i, k] / 64\noutputs: [lse]",),
    "luong": ("key_dim: 20\nscore: Q @ P @ K / head_dim",),
    "additive": ("key_dim: 20\nscore: w @ tanh(U1 @ Q / 16 + U2 @ K / 16)",),
    "cosine": ("score: l2_norm(Q, 1e-6) @ l2_norm(K, 1e-6) * slope[h] * 8",),
    "relative keys": ("score: Q @ (K + near[clamp(k - q, -3, 3) + 3]) / 5",),
    "relative values": ("value: V + rel[clamp(k - q, -3, 3) + 3]",),
    "gated values": ("mask: causal\nvalue: V * gate[b, k]",),
    "learned queries": ("let:\n  Q: seed",),
    "i8 keys": ("let:\n  K: K8 * ks\nattention: softmax(score, sink=sink[h], temperature=2)",),
    "i8 relative keys": ("let:\n  K: K8 * ks\nscore: Q @ (K + near[clamp(k - q, -3, 3) + 3]) / 8",),
    "u8 values": ("let:\n  V: V8 * ks\noutputs: [lse]",),
    "sink": ("attention: softmax(score, sink=sink[h], temperature=4)\noutputs: [lse]",),
    "sigmoid": ("mask: causal\nattention: sigmoid(score - log(count()))",),
    "relu": ("attention: relu(score) / (sum(relu(score)) + 1e-3)",),
    "squared relu": ("mask: causal\nattention: relu(score)**2 / count()",),
    "share": ("score: (Q @ K)**2 + 0.5\nmask: causal\nattention: score / sum(score)",),
    "top_k": ("mask: causal\nattention: softmax(top_k(score, 4), sink=sink[h])",),
    "sparsemax": ("mask: causal\nattention: sparsemax(score)",),
    "mixture": ("attention: softmax(score) / 2 + sigmoid(score) / (2 * count())",),
    "attention": ("mask: causal\noutputs: [attention]",),
    "score": ("score: softcap(Q @ K / 4, 30)\nmask: causal\noutputs: [score, lse]",),
    "ragged": ("storage:\n  query: ragged(start)\n  kv: ragged(start_k)\nmask: causal\noutputs: [lse]", None,
               "batch=3,query_tokens=70,kv_tokens=5,70"),
    "ragged pairs": ("storage:\n  query: ragged(start)\n  kv: ragged(start_k)\nmask: causal\noutputs: [attention, score]",
                     None, "batch=3,query_tokens=70,kv_tokens=5,70"),
    "paged": ("kv_len: width * 5\nsizes:\n  pages: any\n  width: any\nstorage:\n  kv: paged(pages_of, 5)\n"
              "mask: causal\noutputs: [lse]", None, "batch=2,query_len=34,width=3,pages=9"),
    "heads at the call": ("heads: any\nkv_heads: heads\nscore: Q @ K / 5 - slope[h] * abs(q - k)", None,
                          "heads=1,3"),
    "wide weights": ("precision:\n  probabilities: WIDE\nmask: causal",),
    "width of one": ("head_dim: 1\nvalue_dim: 1",),
}


def spec(text, dtype):
    """The YAML text of a form in a type."""
    text = text.replace("WIDE", "f64" if dtype == "f64" else "f32")
    lines = ["attnc: 1", "name: kernel", f"dtype: {dtype}"]
    defaults = {"heads": 4, "kv_heads": 2, "head_dim": 24, "value_dim": 20}
    lines += [f"{key}: {value}" for key, value in defaults.items() if f"{key}:" not in text]
    tokens = "ragged(start)" in text, "ragged(start_k)" in text
    inputs = []
    for name, kind in INPUTS.items():
        if name in "".join(c if c.isalnum() or c == "_" else " " for c in text.replace("sink=", "")).split():
            kind = kind.replace("query_len", "query_tokens") if tokens[0] else kind
            inputs.append(f"  {name}: {kind.replace('kv_len', 'kv_tokens') if tokens[1] else kind}")
    return "\n".join(lines + text.split("\n") + (["inputs:"] if inputs else []) + inputs) + "\n"


def sizes(text, given):
    if "tokens" in (given or "") or "width" in (given or ""):
        return given
    chosen = {**SIZES, **dict(part.split("=") for part in split(given or ""))}
    return ",".join(f"{name}={value}" for name, value in chosen.items()
                    if f"\n{name}:" not in "\n" + text or f"{name}: any" in text)


def split(text):
    """name=1,2 of name=1,2,other=3."""
    parts = []
    for word in filter(None, text.split(",")):
        if "=" in word:
            parts.append(word)
        else:
            parts[-1] += "," + word
    return parts


def run(command, path):
    try:
        result = subprocess.run(command, text=True, timeout=1800, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return f"over 1800 s: {' '.join(command)}", ""
    if result.returncode == 0:
        return None, result.stdout
    with open(path, encoding="utf-8") as f:
        return f"exit code {result.returncode}: {' '.join(command)}\n{f.read()}{result.stdout[-3000:]}", ""


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("attnc_run")
    parser.add_argument("work")
    parser.add_argument("levels", nargs="+")
    parser.add_argument("--types", default=TYPES)
    parser.add_argument("--only")
    parser.add_argument("--models", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    jobs = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for place, (form, (text, *rest)) in enumerate(FORMS.items()):
            schedule, given = (*rest, None, None)[:2]
            for turn, dtype in enumerate(options.types.split(",")):
                if options.only not in (None, form):
                    continue
                path = os.path.join(options.work, f"{form.replace(' ', '-').replace(',', '')}-{dtype}.yaml")
                with open(path, "w", encoding="utf-8") as f:
                    f.write(spec(text, dtype))
                for level in options.levels:
                    command = [options.attnc_run, path, "-Wno-slow-path", "-Wno-offset", "--size", sizes(text, given),
                               f"-mcpu={level}", f"--strides={STRIDES[(place + turn) % len(STRIDES)]}",
                               f"--threads={1 + place % 2 * 2}"]
                    command += ["--model-instructions"] if options.models else []
                    if schedule:
                        command.append(f"--schedule=#attn.schedule<{schedule}>")
                    jobs.append((f"{form}, {dtype}, {level}", pool.submit(run, command, path)))
        wrong = 0
        for name, job in jobs:
            what, said = job.result()
            wrong += bool(what)
            if what:
                print(f"{name}: {what}", flush=True)
            elif options.verbose:
                print(f"{name}\n{said}", flush=True)
    print(f"{len(jobs)} forms, types and levels, {wrong} wrong")
    sys.exit(1 if wrong or not jobs else 0)


if __name__ == "__main__":
    main()
