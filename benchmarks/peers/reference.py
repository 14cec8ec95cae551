"""The float64 result of a case, the error of another result, and FLOP counts."""

import numpy as np

import tensors

# Relative RMS error above which a result is WRONG. A wrong mask or scale gives
# errors of 1e-1 and more.
LIMITS = {"f32": 1e-4, "bf16": 3e-2, "f16": 1e-2}


def phi(x):
    """elu(x) + 1, the feature map of linear attention."""
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def weights(case, query, key, seen):
    """Weights of the keys of one head, [query_len, kv_len]."""
    if case.kind == "linear":
        score = phi(query) @ phi(key).T
        score = score if seen is None else score * seen
        return score / score.sum(-1, keepdims=True)
    score = (query @ key.T) * case.scale
    if case.softcap:
        score = case.softcap * np.tanh(score / case.softcap)
    if case.kind == "sigmoid":
        return 1 / (1 + np.exp(np.log(case.kv_len) - score))
    return softmax(score if seen is None else np.where(seen, score, -np.inf))


def softmax(score):
    score = np.exp(score - score.max(-1, keepdims=True))
    return score / score.sum(-1, keepdims=True)


def attention(case, q, k, v):
    """All heads of [batch, heads, length, features]."""
    seen = tensors.visible(case)
    out = np.empty((case.batch, case.heads, case.query_len, case.value_dim))
    for b in range(case.batch):
        mask = None if seen is None else seen[b % len(seen), 0]
        for h in range(case.heads):
            kv = h // case.group
            out[b, h] = weights(case, q[b, h], k[b, kv], mask) @ v[b, kv]
    return out


def split_heads(case, projected):
    """q, k and v of a layer as [batch, heads, length, features]."""
    shape = (case.batch, case.query_len, case.heads, case.head_dim)
    return (part.reshape(shape).swapaxes(1, 2) for part in np.split(projected, 3, -1))


def merge_heads(case, out):
    return out.swapaxes(1, 2).reshape(case.batch, case.query_len, case.model)


def result(case, inputs):
    """The float64 result of the inputs as they are stored (rounded to the dtype)."""
    x = {name: tensors.widen(array, case.dtype).astype(np.float64) for name, array in inputs.items()}
    if case.kind == "layer":
        out = attention(case, *split_heads(case, x["x"] @ x["wqkv"]))
        return merge_heads(case, out) @ x["wo"]
    if case.kind == "additive":
        rows = zip(x["q"], x["k"], x["v"])
        return np.stack([softmax(np.tanh(q[:, None] + k[None]) @ x["w"]) @ v for q, k, v in rows])
    return attention(case, x["q"], x["k"], x["v"])


def compare(case, got, expected):
    """The errors of a float32 result, and whether it is correct. NaN is not."""
    error = got.astype(np.float64).reshape(expected.shape) - expected
    relative = float(np.sqrt((error ** 2).mean() / (expected ** 2).mean()))
    return {"max_error": finite(np.abs(error).max()), "relative_error": finite(relative),
            "correct": bool(relative <= LIMITS[case.dtype])}


def finite(number):
    """JSON has no NaN or infinity."""
    return float(number) if np.isfinite(number) else None


def visible_pairs(case, step=1024):
    """Pairs of a query and a key that the mask allows, of all sequences."""
    pairs = 0
    for first in range(0, case.query_len, step):
        seen = tensors.visible(case, range(first, min(first + step, case.query_len)))
        pairs += int(seen.sum()) * case.batch // len(seen)
    return pairs


def flops(case):
    """(dense, needed): a multiply-add counts 2. `needed` counts visible pairs only."""
    if case.kind == "linear":  # phi(K)^T V and phi(Q) times it, causal or not
        count = 4 * case.batch * case.heads * case.kv_len * case.head_dim * case.value_dim
        return count, count
    dense = case.batch * case.query_len * case.kv_len
    pairs = dense if case.mask == "none" else visible_pairs(case)
    per_pair = 2 * case.heads * (case.head_dim + case.value_dim)
    if case.kind == "additive":  # per feature: addition, tanh (counted as 1), multiply-add
        per_pair = 4 * case.head_dim + 2 * case.value_dim
    products = 2 * case.batch * case.query_len * case.model * 4 * case.model if case.kind == "layer" else 0
    return dense * per_pair + products, pairs * per_pair + products


def kv_bytes(case):
    size = np.dtype(tensors.STORED[case.dtype]).itemsize
    return case.batch * case.kv_heads * case.kv_len * (case.head_dim + case.value_dim) * size
