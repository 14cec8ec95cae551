"""Prints a spec that is long or nested: long-specs.py KIND N.

Each kind once took time that was exponential or quadratic in N, so a compiler
that has this defect again does not finish within a test's time limit.
"""

import sys

HEAD = "attnc: 1\nname: stretched\nheads: 4\nhead_dim: 64\nquery_len: kv_len\n"


def chain(first, step, n, key, last):
    """let l0 .. ln, each of the one before, and a formula of the last."""
    names = [f"  l{i}: " + step.replace("l", f"l{i - 1}") for i in range(1, n + 1)]
    return "\n".join([HEAD + f"let:\n  l0: {first}", *names, f"{key}: " + last.replace("l", f"l{n}")])


def nested(call, n, innermost):
    return f"{call}(" * n + innermost + ")" * n


KINDS = {
    "score": lambda n: chain("Q @ K / sqrt(head_dim)", "0.25 * l + 0.25 * l", n, "score", "l"),
    "mask": lambda n: chain("q - k", "(l + l) % 7", n, "mask", "l < 3"),
    "branches": lambda n: chain("Q @ K", "where(k > 3, l + 1, 2 - l)", n, "score", "l"),
    "sum": lambda n: HEAD + "score: Q @ K / 8 + " + " + ".join(f"w[{i}]" for i in range(n)) + f"\ninputs:\n  w: [{n}]",
    "line": lambda n: chain("Q @ K / sqrt(head_dim)", "l + 0.5", n, "score", "l"),
    "tensors": lambda n: chain("merge_heads(O)", "l + l", n, "output", "l"),
    "macros": lambda n: HEAD + "let:\n  f0(x): x / 8\n"
    + "".join(f"  f{i}(x): 0.25 * f{i - 1}(x + 1) + 0.25 * f{i - 1}(x + 1)\n" for i in range(1, n + 1))
    + f"score: f{n}(Q @ K)",
    "taps": lambda n: HEAD + "mask: causal\nscore: "
    + " + ".join(f"w[{i}] * (Q @ x[b, h, max(k - {i}, 0)])" for i in range(n))
    + f"\ninputs:\n  w: [{n}]\n  x: [batch, kv_heads, kv_len, head_dim]",
    "products": lambda n: HEAD + "let:\n  m0: a\n"
    + "".join(f"  m{i}: m{i - 1} @ a\n" for i in range(1, n + 1))
    + f"score: Q @ K / 8 + m{n}[q, k]\ninputs:\n  a: [kv_len, kv_len]",
}

print(KINDS[sys.argv[1]](int(sys.argv[2])))
