"""Variants that are in no paper and in no suite: what a user might think of next."""

import numpy as np
from zoo import *

S1 = "q_i.k_j / sqrt(D)"


def slopes(n):
    """ALiBi's slopes for a number of heads that is a power of two."""
    return 2.0 ** (-8.0 * np.arange(1, n + 1) / n)


@variant(
    "distance-gated-sigmoid",
    "ours: sigmoid attention whose scores fade with the logarithm of the distance",
    "own normaliser position causal",
    GQKVS + "; decay H ~normal 0.5",
    OS,
    score=S1 + " - softplus(decay_h) log(1 + i - j)",
    mask="j <= i",
    norm="sigmoid(s - log(i + 1)), no row sum",
    shapes=GSELF,
    props="causal",
)
def _(i, p):
    qi, kj = ij(p.S, p.S)
    far = np.log1p(np.maximum(qi - kj, 0))
    s = qk(i.q, i.k) / p.D**0.5 - softplus(i.decay)[:, None, None] * far
    return pv(sigmoid(s - np.log(qi + 1.0)) * (kj <= qi), i.v)


@variant(
    "topk-alibi-sink",
    "ours: softmax over the T best keys of a row under ALiBi, with a learned sink per head",
    "own normaliser topk sink position causal",
    GQKVS + "; sink H",
    OS,
    score=S1 + " - m_h (i - j)",
    mask="j <= i and s_ij among the T largest of row i",
    norm="exp(s_ij) / (exp(sink_h) + sum_j exp(s_ij))",
    shapes=shp(GSELF, H=[2, 8, 8], T=[2, 5, 12]),
    props="causal selects",
)
def _(i, p):
    qi, kj = ij(p.S, p.S)
    s = where(kj <= qi, qk(i.q, i.k) / p.D**0.5 - slopes(p.H)[:, None, None] * (qi - kj))
    rank = np.argsort(np.argsort(-s, axis=-1, kind="stable"), axis=-1, kind="stable")
    s = where(rank < p.T, s)
    lse = np.logaddexp(logsumexp(s), i.sink[:, None])
    return pv(np.exp(s - lse[..., None]), i.v)


@variant(
    "student-t-mixture",
    "ours: a Student kernel of |q - k|, mixed per head with a softmax of the positions alone",
    "own normaliser kernel position causal",
    QKVS + "; nu H ~uni 0.5 4; mix H ~uni 0.2 0.8; rate H ~uni 0.05 0.8",
    OS,
    score="1 / (1 + |q_i - k_j|^2 / (nu_h D))",
    mask="j <= i",
    norm="mix_h s / sum_j s + (1 - mix_h) softmax_j(-rate_h (i - j))",
    shapes=SELF,
    props="convex causal",
)
def _(i, p):
    qi, kj = ij(p.S, p.S)
    d = ((i.q[:, :, :, None] - i.k[:, :, None]) ** 2).sum(-1)
    s = 1 / (1 + d / (i.nu[:, None, None] * p.D)) * (kj <= qi)
    near = softmax(where(kj <= qi, -i.rate[:, None, None] * (qi - kj)))
    mix = i.mix[:, None, None]
    return pv(mix * s / s.sum(-1, keepdims=True) + (1 - mix) * near, i.v)


@identity("distance-gated-sigmoid without decay == causal sigmoid with the bias of the visible keys; "
          "topk-alibi-sink with all keys and no sink == alibi-bloom; student-t-mixture: wide kernels average")
def _():
    x, p, y = run("distance-gated-sigmoid", decay=np.full(6, -np.inf))
    qi, kj = ij(p.S, p.S)
    close(y.o, pv(sigmoid(qk(x.q, x.k) / p.D**0.5 - np.log(qi + 1.0)) * (kj <= qi), x.v))
    x, p, y = run("topk-alibi-sink", sink=np.full(8, -np.inf))
    s = dict(vars(p), T=p.S)
    full = REGISTRY["topk-alibi-sink"].oracle(dict(q=x.q, k=x.k, v=x.v, sink=x.sink), s)["o"]
    same = dict(q=x.q, k=heads(x.k, p.H), v=heads(x.v, p.H))
    close(full, REGISTRY["alibi-bloom"].oracle(same, s)["o"])
    x, p, y = run("student-t-mixture", nu=np.full(3, 1e12), mix=np.ones(3))
    close(y.o, np.cumsum(x.v, 2) / np.arange(1, p.S + 1)[:, None], 1e-6)
