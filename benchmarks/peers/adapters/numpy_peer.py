"""NumPy and its BLAS, one head at a time, as a script without a framework does it."""

import numpy as np

import cases
import reference
import tensors


def start(threads):
    del threads  # the worker sets OMP_NUM_THREADS and similar variables


def version():
    return np.__version__


def weighted(case, query, key, value, mask, out):
    """One head of softmax or sigmoid attention, in float32."""
    score = (query * np.float32(case.scale)) @ key.T
    if case.softcap:
        score = np.float32(case.softcap) * np.tanh(score / np.float32(case.softcap))
    if case.kind == "sigmoid":
        np.matmul(1 / (1 + np.exp(np.float32(np.log(case.kv_len)) - score)), value, out=out)
        return
    if mask is not None:
        score += mask
    score -= score.max(-1, keepdims=True)
    np.exp(score, out=score)
    np.matmul(score, value, out=out)
    out /= score.sum(-1, keepdims=True)


def attention(case, q, k, v, masks):
    out = np.empty((case.batch, case.heads, case.query_len, case.value_dim), np.float32)
    for b in range(case.batch):
        mask = None if masks is None else masks[b % len(masks), 0]
        for h in range(case.heads):
            kv = h // case.group
            weighted(case, q[b, h], k[b, kv], v[b, kv], mask, out[b, h])
    return out


def additive(x):
    rows = zip(x["q"], x["k"], x["v"])
    return np.stack([reference.softmax(np.tanh(q[:, None] + k[None]) @ x["w"]) @ v for q, k, v in rows])


def layer(case, x, masks):
    out = attention(case, *reference.split_heads(case, x["x"] @ x["wqkv"]), masks)
    return reference.merge_heads(case, out) @ x["wo"]


def linear(x):
    query, key = reference.phi(x["q"]), reference.phi(x["k"])
    return (query @ (key.swapaxes(-1, -2) @ x["v"])) / (query @ key.sum(-2)[..., None])


def prepare(peer, case, inputs, threads):
    del peer, threads
    if case.dtype != "f32":
        raise cases.Unsupported(f"NumPy has no BLAS for {case.dtype}")
    if case.kind == "linear" and (case.mask != "none" or case.group > 1):
        raise cases.Unsupported("no causal or grouped linear attention in plain NumPy")
    masks = tensors.added_mask(case)
    calls = {"linear": lambda: linear(inputs), "additive": lambda: additive(inputs),
             "layer": lambda: layer(case, inputs, masks)}
    call = calls.get(case.kind, lambda: attention(case, inputs["q"], inputs["k"], inputs["v"], masks))
    return call, lambda result: result, {}
