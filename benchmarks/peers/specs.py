"""The attnc spec of a case, and the tensors of a call."""

import tensors


def spec(case):
    """The text of the spec."""
    lines = ["attnc: 1", f"heads: {case.heads}", f"head_dim: {case.head_dim}", f"dtype: {case.dtype}"]
    inputs, definitions = [], []
    if case.kv_heads != case.heads:
        lines.append(f"kv_heads: {case.kv_heads}")
    if case.value_dim != case.head_dim:
        lines.append(f"value_dim: {case.value_dim}")
    if case.softcap:
        lines.append(f"score: softcap(Q @ K / sqrt(head_dim), {case.softcap})")
    if case.mask == "padding":
        inputs.append("length: i32[batch]")
    if case.mask == "document":
        inputs.append("doc: i32[batch, kv_len] in 0..4 nondecreasing")
    if case.mask != "none":
        lines.append("mask: " + {"causal": "causal", "window": f"window({case.window})", "padding": "padding(length)",
                                 "document": "causal and document(doc)"}[case.mask])
    if case.kind == "sigmoid":
        lines.append("attention: sigmoid(score - log(kv_len))")
    elif case.kind == "linear":
        lines += ["query_len: kv_len", "score: phi(Q) @ phi(K)", "attention: score / sum(score)"]
        definitions.append("phi(x): elu(x) + 1")
    elif case.kind == "additive":
        lines.append("score: w @ tanh(Q + K)")
        inputs.append("w: [head_dim]")
    elif case.kind == "layer":
        lines += ["query_len: kv_len", "output: merge_heads(O) @ wo"]
        definitions.append("q_, k_, v_: split(x @ wqkv, heads * head_dim, heads * head_dim, heads * head_dim)")
        definitions += [f"{name}: split_heads({name.lower()}_)" for name in "QKV"]
        inputs += ["x: [batch, kv_len, heads * head_dim]", "wqkv: [heads * head_dim, 3 * heads * head_dim]",
                   "wo: [heads * head_dim, heads * head_dim]"]
    for key, entries in (("let", definitions), ("inputs", inputs)):
        if entries:
            lines += [f"{key}:", *(f"  {entry}" for entry in entries)]
    lines.append(f"expect: [{{batch: {case.batch}, {query_size(case)}kv_len: {case.kv_len}}}]")
    return "\n".join(lines) + "\n"


def query_size(case):
    """query_len is no size of a spec in which it is kv_len."""
    return "" if case.kind in ("linear", "layer") else f"query_len: {case.query_len}, "


def arguments(case, inputs):
    """{name in the spec: array} of the inputs of a call."""
    named = {name.upper() if name in ("q", "k", "v") else name: array for name, array in inputs.items()}
    if case.kind == "additive":  # one head
        named.update({name: named[name][:, None] for name in "QKV"})
    if case.mask == "padding":
        named["length"] = tensors.lengths(case)
    if case.mask == "document":
        named["doc"] = tensors.aligned([tensors.documents(case)] * case.batch)
    return named
