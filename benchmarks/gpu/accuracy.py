"""Results compared with float64, for some rows of each head: the largest cases
have 2^32 pairs of a query and a key."""

import numpy as np

import reference
import tensors


def rows_of(case, count):
    """First, last and random queries; all if there are no more than `count`."""
    if case.query_len <= count:
        return np.arange(case.query_len)
    chosen = np.random.default_rng(1).choice(case.query_len, count, replace=False)
    return np.unique([0, case.query_len - 1, *chosen])


def sample(case, inputs, count):
    """(rows, float64 results [batch, heads, rows, value_dim])."""
    rows = rows_of(case, count)
    seen = tensors.visible(case, rows)
    out = np.empty((case.batch, case.heads, len(rows), case.value_dim))
    for b in range(case.batch):
        mask = None if seen is None else seen[b % len(seen), 0]
        for kv in range(case.kv_heads):
            key, value = (tensors.widen(inputs[name][b, kv], case.dtype).astype(np.float64) for name in "kv")
            for h in range(kv * case.group, (kv + 1) * case.group):
                query = tensors.widen(inputs["q"][b, h, rows], case.dtype).astype(np.float64)
                out[b, h] = reference.weights(case, query, key, mask) @ value
    return rows, out


def compare(case, got, expected):
    """The errors of a float32 result [batch, heads, query_len, value_dim]."""
    rows, values = expected
    return reference.compare(case, got[:, :, rows], values)
