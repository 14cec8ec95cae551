"""Plain attention by blocks, linear, sigmoid and ReLU forms, landmarks."""

import numpy as np
from zoo import *


# ---- blockwise formulations of plain attention
def online(q, k, v, scale, blocks, allow):
    """Milakov & Gimelshein 2018 / Dao 2022: running maximum, sum and accumulator over key blocks."""
    b, h, sq, _ = q.shape
    m, l, acc = np.full((b, h, sq), -INF), np.zeros((b, h, sq)), np.zeros((b, h, sq, v.shape[-1]))
    for lo, hi in blocks:
        s = where(allow[:, lo:hi], scale * qk(q, k[:, :, lo:hi]))
        m2 = np.maximum(m, s.max(-1))
        f = np.where(np.isfinite(m2), m2, 0.0)
        e, c = np.exp(s - f[..., None]), np.exp(m - f)
        l, acc, m = l * c + e.sum(-1), acc * c[..., None] + pv(e, v[:, :, lo:hi]), m2
    return acc, l, m


def cut(n, step):
    return [(a, min(a + step, n)) for a in range(0, n, step)]


@variant(
    "flash-attention",
    "Dao et al. 2022, algorithm 1: online softmax over key blocks, same function as plain",
    "blockwise",
    GQKVS,
    OS,
    score="q_i.k_j / sqrt(D)",
    mask="j <= i",
    shapes=shp(GSELF, BLK=[2, 7, 32]),
    props="convex causal",
)
def _(i, p):
    acc, l, _m = online(i.q, i.k, i.v, p.D**-0.5, cut(p.S, p.BLK), np.tril(np.ones((p.S, p.S), bool)))
    return acc / l[..., None]


@variant(
    "ring-attention",
    "Liu et al. 2023, Ring Attention: each rank holds a query and a KV shard, partials merged as they arrive",
    "blockwise",
    GQKVS,
    OS,
    score="q_i.k_j / sqrt(D)",
    mask="j <= i",
    note="R ranks; rank r meets shards r, r-1, ... (mod R)",
    shapes=shp(GSELF, R=[1, 3, 4]),
    props="convex causal",
)
def _(i, p):
    shards = cut(p.S, -(-p.S // p.R))
    allow = np.tril(np.ones((p.S, p.S), bool))
    rows = []
    for r, (lo, hi) in enumerate(shards):
        order = [shards[(r - t) % len(shards)] for t in range(len(shards))]
        acc, l, _m = online(i.q[:, :, lo:hi], i.k, i.v, p.D**-0.5, order, allow[lo:hi])
        rows.append(acc / l[..., None])
    return np.concatenate(rows, 2)


@identity("flash-attention == ring-attention == causal plain")
def _():
    for n in range(3):
        for name in ("flash-attention", "ring-attention"):
            x, p, y = run(name, n)
            close(y.o, plain(x.q.astype(float), x.k, x.v, mask=np.tril(np.ones((p.S, p.S), bool))))


# ---- other normalisers named by the seeds
def elu1(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


@variant(
    "linear-elu",
    "Katharopoulos et al. 2020, eq. 6-7: phi(x) = elu(x) + 1",
    "linear",
    QKV,
    O,
    score="phi(q_i).phi(k_j)",
    norm="divide by the row sum",
    shapes=CROSS,
    props="convex",
)
def _(i, p):
    s = qk(elu1(i.q), elu1(i.k))
    return pv(s / s.sum(-1, keepdims=True), i.v)


@variant(
    "linear-elu-causal",
    "Katharopoulos et al. 2020, eq. 8-12, recurrent form; final state is an output",
    "linear recurrent",
    QKVS,
    OS + "; state B H D E; zsum B H D",
    score="phi(q_i).phi(k_j)",
    mask="j <= i",
    norm="divide by the row sum",
    shapes=SELF,
    props="convex causal",
)
def _(i, p):
    fq, fk = elu1(i.q), elu1(i.k)
    s, z, o = np.zeros((p.B, p.H, p.D, p.E)), np.zeros((p.B, p.H, p.D)), []
    for t in range(p.S):
        s = s + fk[:, :, t, :, None] * i.v[:, :, t, None, :]
        z = z + fk[:, :, t]
        o.append(np.einsum("bhd,bhde->bhe", fq[:, :, t], s) / (fq[:, :, t] * z).sum(-1)[..., None])
    return np.stack(o, 2), s, z


@identity("linear-elu-causal recurrent == masked quadratic")
def _():
    x, p, y = run("linear-elu-causal")
    s = qk(elu1(x.q), elu1(x.k)) * np.tril(np.ones((p.S, p.S)))
    close(y.o, pv(s / s.sum(-1, keepdims=True), x.v))


@variant(
    "linear-attention-unnormalised",
    "Schlag et al. 2021 / ONNX LinearAttention 'linear': no feature map, no normaliser",
    "linear recurrent",
    QKVS + "; s0 B H D E",
    OS + "; state B H D E",
    score="q_i.k_j / sqrt(D)",
    mask="j <= i",
    norm="none",
    shapes=SELF,
    props="causal",
    note="o_t = (q_t / sqrt(D))^T S_t, S_t = S_{t-1} + k_t v_t^T",
)
def _(i, p):
    s, o = i.s0, []
    for t in range(p.S):
        s = s + i.k[:, :, t, :, None] * i.v[:, :, t, None, :]
        o.append(np.einsum("bhd,bhde->bhe", i.q[:, :, t] / p.D**0.5, s))
    return np.stack(o, 2), s


@variant(
    "sigmoid-attention",
    "Ramapuram et al. 2024, Theory, Analysis, and Best Practices for Sigmoid Self-Attention, eq. 3: bias -log n",
    "normaliser",
    GQKV,
    O,
    score="q_i.k_j / sqrt(D) - log(Sk)",
    norm="sigmoid, no row sum",
    shapes=GCROSS,
)
def _(i, p):
    return pv(sigmoid(qk(i.q, i.k) / p.D**0.5 - np.log(p.Sk)), i.v)


@variant(
    "sigmoid-attention-causal",
    "Ramapuram et al. 2024: masked entries weigh 0",
    "normaliser causal",
    GQKVS,
    OS,
    score="q_i.k_j / sqrt(D) - log(S)",
    mask="j <= i",
    norm="sigmoid, no row sum",
    shapes=GSELF,
    props="causal",
)
def _(i, p):
    a = sigmoid(qk(i.q, i.k) / p.D**0.5 - np.log(p.S)) * np.tril(np.ones((p.S, p.S)))
    return pv(a, i.v)


@variant(
    "relu-attention",
    "Wortsman et al. 2023, Replacing softmax with ReLU in Vision Transformers: divide by sequence length",
    "normaliser",
    QKV,
    O,
    score="q_i.k_j / sqrt(D)",
    norm="relu(s) / Sk",
    shapes=CROSS,
)
def _(i, p):
    return pv(np.maximum(qk(i.q, i.k) / p.D**0.5, 0) / p.Sk, i.v)


@variant(
    "squared-relu-attention",
    "Hua et al. 2022, FLASH / gated attention unit: relu^2(q k^T / n)",
    "normaliser",
    QKVS,
    OS,
    score="q_i.k_j / S",
    mask="j <= i",
    norm="relu(s)^2, no row sum",
    shapes=SELF,
    props="causal",
)
def _(i, p):
    return pv(np.maximum(qk(i.q, i.k) / p.S, 0) ** 2 * np.tril(np.ones((p.S, p.S))), i.v)


# ---- landmarks
def newton_pinv(a, iters):
    """Razavi et al. 2014 cubic-order iteration as used by Nystromformer eq. 11, started at A^T / (|A|_1 |A|_inf)."""
    eye = np.eye(a.shape[-1])
    z = a.swapaxes(-1, -2) / (np.abs(a).sum(-2).max(-1) * np.abs(a).sum(-1).max(-1))[..., None, None]
    for _ in range(iters):
        az = a @ z
        z = 0.25 * z @ (13 * eye - az @ (15 * eye - az @ (7 * eye - az)))
    return z


@variant(
    "nystrom",
    "Xiong et al. 2021, Nystromformer eq. 8-13: segment-mean landmarks, iterative pseudo-inverse",
    "landmark",
    QKVS,
    OS,
    score="softmax(q Lk^T) pinv(softmax(Lq Lk^T)) softmax(Lq k^T), all / sqrt(D)",
    norm="three softmaxes",
    note="M landmarks, S divisible by M; 6 iterations",
    params=dict(ITERS=6),
    shapes=shp(SELF, S=[6, 24, 96], M=[3, 4, 16]),
)
def _(i, p):
    lq = i.q.reshape(p.B, p.H, p.M, p.S // p.M, p.D).mean(3)
    lk = i.k.reshape(p.B, p.H, p.M, p.S // p.M, p.D).mean(3)
    c = p.D**-0.5
    return softmax(c * qk(i.q, lk)) @ newton_pinv(softmax(c * qk(lq, lk)), p.ITERS) @ (softmax(c * qk(lq, i.k)) @ i.v)


@identity("nystrom with one landmark per token and many iterations == plain")
def _():
    v = REGISTRY["nystrom"]
    s = dict(v.shapes[0], M=6, ITERS=60)
    x = v.inputs(v.shapes[0])
    close(v.oracle(x, s)["o"], plain(x["q"], x["k"], x["v"]), 1e-6)
