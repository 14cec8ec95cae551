"""Random cases: a spec, lists of run-time sizes, options of attnc-run.

Three kinds of specs: attentions of grammar.py, with storage, macros, fixed sizes
and linear forms on top; layers of layers.py; and the example specs with some of
their keys changed, which reach what no grammar has (caches, gates, several
attentions, ...).
"""

import collections
import os
import random
import re

from fuzz import grammar, layers

Case = collections.namedtuple("Case", "text sizes options")

LENGTHS = [0, 1, 2, 3, 5, 7, 8, 9, 16, 17, 31, 33, 40, 64, 65, 70]
STRIDES = ["bhsd", "bhsd", "bshd", "random", "negative", "broadcast"]
EXTENT = 41  # of tables by position, where sequences are ragged
MACROS = {
    "half(x)": "x * 0.5", "bump(x)": "x / (1 + abs(x))", "pick(x, y)": "where(x > y, x, y)",
    "phi(x)": "elu(x) + 1",
}
LINEAR = ["score / sum(score)", "score", "score / (1 + abs(sum(score)))", "score / count()"]
# Products with matrices of a head, which storage and groups of heads have to keep apart.
grammar.KEYS += ["({head_matrix}[h] @ K)", "(K @ {head_matrix}[h])", "({matrix} @ ({head_matrix}[h] @ K))",
                 "l2_norm({head_matrix}[h] @ K)", "({near_row}[clamp(q - k, 0, 16)])"]
grammar.LETS.update({
    "K: K * 2": {}, "Q: l2_norm(Q) * 3": {}, "V: V * 0.5 + K": {}, "K: rope(K)": {}, "Q: rope(Q)": {},
    "V: cumsum(V)": {}, "Q: Q * qs": {"qs": "[heads]"},
})


def by_position(spec, row, extent):
    """Tables along the rows of a ragged side get a fixed extent."""
    length, letter = ("query_len", "i") if row == "query" else ("kv_len", "k")
    for name, kind in list(spec.inputs.items()):
        if length in kind:
            spec.inputs[name] = kind.replace(length, str(extent))
            for key, value in spec.keys.items():
                spec.keys[key] = re.sub(r"(%s\[[^]]*)\b%s\]" % (name, letter),
                                        r"\1clamp(%s, 0, %d)]" % (letter, extent - 1), str(value))
                spec.keys[key] = re.sub(r"(%s\[[^]]*)\b%s, " % (name, letter),
                                        r"\1clamp(%s, 0, %d), " % (letter, extent - 1), str(spec.keys[key]))


def store(spec, one):
    """Lines of a random storage; the spec's keys and inputs are adapted."""
    sides, extra = {}, []
    is_self = spec.keys.pop("query_len", None) == "kv_len"
    if is_self:
        sides = {"query": "ragged(starts)", "kv": "ragged(starts)"}
        spec.inputs["starts"] = "i32[batch + 1] nondecreasing"
    else:
        if one([True, False]):
            sides["query"] = "ragged(query_start)"
            spec.inputs["query_start"] = "i32[batch + 1] nondecreasing"
        kind = one(["ragged", "paged", "paged", "dense"])
        if kind == "ragged":
            sides["kv"] = "ragged(kv_start)"
            spec.inputs["kv_start"] = "i32[batch + 1] nondecreasing"
        if kind == "paged":
            rows = one([1, 3, 4, 16])
            sides["kv"] = "paged(table, %d)" % rows
            spec.inputs["table"] = "i32[batch, width] in 0..pages - 1"
            spec.keys["kv_len"] = "width * %d" % rows
            extra = ["sizes:", "  pages: any", "  width: any"]
    for row in ("query", "kv"):
        if "ragged" in sides.get(row, ""):
            by_position(spec, row, EXTENT)
    return extra + (["storage:"] + ["  %s: %s" % item for item in sides.items()] if sides else [])


def attention(one, seed):
    spec = grammar.Spec(seed)
    lines = []
    if one(range(10)) < 3:
        lines = store(spec, one)
    elif one(range(4)) == 0:
        spec.keys["kv_len"] = one(LENGTHS[1:])
        if spec.keys.get("query_len") != "kv_len" and one([True, False]):
            spec.keys["query_len"] = one(LENGTHS[1:])
    macros = []
    if one(range(10)) < 2 and "score" in spec.keys:
        name = one(sorted(MACROS))
        macros = ["  %s: %s" % (name, MACROS[name])]
        call = name.split("(")[0]
        spec.keys["score"] = "%s(%s%s)" % (call, spec.keys["score"], ", 0.25" if "," in name else "")
    elif one(range(10)) < 1:
        macros = ["  phi(x): %s" % MACROS["phi(x)"]]
        spec.keys.update(score="phi(Q) @ phi(K)", attention=one(LINEAR), mask=one(["causal", "causal", "true"]))
        if one([True, False]):
            spec.keys["outputs"] = "[state]"
    used = " ".join(str(value) for value in spec.keys.values()) + " ".join(lines) + str(spec.let)
    spec.inputs = {name: kind for name, kind in spec.inputs.items() if re.search(r"\b%s\b" % name, used)}
    text = spec.text()
    if macros and "\nlet:\n" in text:
        text = text.replace("\nlet:\n", "\nlet:\n%s\n" % "\n".join(macros))
    elif macros:
        lines += ["let:"] + macros
    head, inputs, tail = text.partition("inputs:\n")
    return head + "".join(line + "\n" for line in lines) + inputs + tail


def layer(one, seed):
    return layers.Layer(seed).text


def examples(root):
    found = []
    for folder, _, names in sorted(os.walk(os.path.join(root, "examples", "specs"))):
        for name in sorted(names):
            if name.endswith(".yaml"):
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    text = f.read()
                if "\n---" not in text:
                    found.append(re.sub(r"(?m)^#.*\n|\s+#.*$", "", text))
    return found


def mutated_example(one, seed, texts):
    """An example with small sizes and some keys changed."""
    lines = [line for line in one(texts).splitlines() if not line.startswith("schedule")]
    text = "\n".join(lines) + "\n"
    text = re.sub(r"(?m)^expect:.*\n(?:^[ -].*\n)*", "", text)
    # The interpreters would need minutes for layers of thousands of features.
    largest = max([1] + [int(n) for n in re.findall(r"(?m)^  \w+: (\d+)$", text)])
    scale = max(one([2, 4, 8, 16]), 1 << (largest // 1024).bit_length())

    def small(match):
        n = int(match.group(2))
        return match.group(1) + str(max(1, n // scale) if n >= 8 else n)

    text = re.sub(r"(?m)^((?:heads|kv_heads|head_dim|key_dim|value_dim): )(\d+)$", small, text)
    text = re.sub(r"(?m)^(  \w+: )(\d+)$", small, text)
    spec = grammar.Spec(seed, lets=0)
    changes = [
        lambda: re.sub(r"(?m)^mask: .*$", "mask: " + one(layers.MASKS), text),
        lambda: re.sub(r"(?m)^score: (.*)$", r"score: softcap(\1, 5)", text),
        lambda: text + "dtype: %s\n" % one(["f16", "bf16", "f64"]) if "\ndtype:" not in text else text,
        lambda: re.sub(r"(?m)^kv_heads: .*\n", "", text),
        lambda: text + "value: V * 2\n" if "\nvalue:" not in text else text,
        lambda: text + "outputs: [lse]\n" if "\noutputs:" not in text else text,
        lambda: re.sub(r"\bsoftmax\(score\)", spec.one("sigmoid(score)", "softmax(score, temperature=2)"), text),
        lambda: text, lambda: text]
    for _ in range(one([1, 1, 2, 3])):
        text = one(changes)()
    return text


def draw(seed, levels, texts):
    """(text of the spec, options) of a seed; the sizes come with its names."""
    source = random.Random(seed)
    one = source.choice
    kind = one(["attention"] * 6 + ["layer"] + (["example"] * 3 if texts else []))
    text = (mutated_example(one, seed, texts) if kind == "example" else
            attention(one, seed) if kind == "attention" else layer(one, seed))
    options = ["-mcpu=" + one(levels), "--strides=" + one(STRIDES), "--seed=%d" % (seed % 1000 + 1)]
    if one(range(5)) == 0:
        options.append("--init=integer")
    if one(range(8)) == 0:
        options.append("--threads=3")
    return text, options


def draw_sizes(seed, names, cases):
    """{name: values} with about so many combinations."""
    source = random.Random("sizes %d" % seed)
    sizes, product = {}, 1
    for name in sorted(names, key=lambda name: (name != "kv_len", name != "query_len", name)):
        is_length = name in ("query_len", "kv_len", "query_tokens", "kv_tokens")
        values = LENGTHS if is_length else [1, 1, 2, 3] if name == "batch" else [1, 2, 3, 4, 6]
        count = max(1, min(3 if is_length else 2, cases // product))
        sizes[name] = sorted(set(source.choice(values) for _ in range(count)))
        product *= len(sizes[name])
    return sizes
