"""Multi-head forms, low rank, circuits: what can be multiplied in another order."""

import numpy as np
from zoo import *

VASWANI = "Vaswani et al. 2017, Attention Is All You Need"


# ---- heads
@variant(
    "mha",
    VASWANI + ", 3.2.2",
    "heads",
    QKVS,
    OS,
    score="q_i.k_j / sqrt(D) per head",
    shapes=shp(SELF, dict(B=3, H=7, S=41, D=40, E=40)),
    props="convex",
)
def _(i, p):
    return plain(i.q, i.k, i.v)


@variant(
    "gqa",
    "Ainslie et al. 2023, GQA",
    "heads gqa",
    GQKV,
    O,
    score="q_i.k_j / sqrt(D), KV head h // (H/K)",
    shapes=GCROSS,
    props="convex",
)
def _(i, p):
    return plain(i.q, i.k, i.v)


@variant(
    "mqa",
    "Shazeer 2019, Fast Transformer Decoding",
    "heads gqa",
    GQKV,
    O,
    score="q_i.k_j / sqrt(D), one KV head",
    shapes=shp(GCROSS, K=1, H=[3, 7, 16]),
    props="convex",
)
def _(i, p):
    return plain(i.q, i.k, i.v)


@variant(
    "dk-ne-dv",
    VASWANI + ", 3.2.1 with d_k != d_v",
    "heads",
    QKVS,
    OS,
    score="q_i.k_j / sqrt(D)",
    shapes=shp(SELF, dict(B=1, H=2, S=19, D=1, E=33), D=[3, 192, 64], E=[7, 128, 17]),
    props="convex",
)
def _(i, p):
    return plain(i.q, i.k, i.v)


WO = shp(SELF, N=[6, 20, 64], D=[4, 8, 16], E=[3, 9, 16])


@variant(
    "wo-concat",
    VASWANI + ", 3.2.2: Concat(head_1..head_h) W_O + b",
    "heads projection",
    QKVS + "; wo H*E N ~w; b N",
    "o B S N",
    score="q_i.k_j / sqrt(D)",
    mask="j <= i",
    shapes=WO,
    props="causal",
)
def _(i, p):
    m = np.tril(np.ones((p.S, p.S), bool))
    return join(plain(i.q, i.k, i.v, mask=m)) @ i.wo + i.b


@variant(
    "wo-per-head-sum",
    "Elhage et al. 2021, A Mathematical Framework for Transformer Circuits: sum of head outputs",
    "heads projection",
    QKVS + "; wo H E N ~w; b N",
    "o B S N",
    score="q_i.k_j / sqrt(D)",
    mask="j <= i",
    note="o = b + sum_h o_h W_O^h",
    shapes=WO,
    props="causal",
)
def _(i, p):
    m = np.tril(np.ones((p.S, p.S), bool))
    o = plain(i.q, i.k, i.v, mask=m)
    return i.b + sum(o[:, h] @ i.wo[h] for h in range(p.H))


@identity("wo-concat == wo-per-head-sum")
def _():
    x, p, y = run("wo-concat")
    wo = x.wo.reshape(p.H, p.E, p.N)
    z = REGISTRY["wo-per-head-sum"].oracle(dict(q=x.q, k=x.k, v=x.v, wo=wo, b=x.b), vars(p))
    close(y.o, z["o"])


# ---- low rank and circuits
LR = shp(SINGLE, R=[2, 5, 8])


@variant(
    "value-down-up",
    "low-rank value map W_V = W_down W_up (rank R), output in the residual width",
    "core projection lowrank",
    "x B Sk N; wq N D ~w; wk N D ~w; down N R ~w; up R N ~w",
    "o B Sk N",
    score="(x_i Wq).(x_j Wk) / sqrt(D)",
    mask="j <= i",
    note="o = softmax(s) x W_down W_up; cheapest order applies W_up last",
    shapes=LR,
)
def _(i, p):
    s = i.x @ i.wq @ (i.x @ i.wk).swapaxes(1, 2) / p.D**0.5
    return softmax(where(np.tril(np.ones((p.Sk, p.Sk), bool)), s)) @ (i.x @ (i.down @ i.up))


@variant(
    "v-low-rank-ua",
    "values factored V = U A with U (Sk x R), A (R x E)",
    "core lowrank",
    "q B Sq D; k B Sk D; u B Sk R; a R E ~w",
    "o B Sq E",
    score="q_i.k_j / sqrt(D)",
    note="softmax(s) (U A) == (softmax(s) U) A",
    shapes=LR,
)
def _(i, p):
    return softmax(i.q @ i.k.swapaxes(1, 2) / p.D**0.5) @ (i.u @ i.a)


@variant(
    "qk-circuit",
    "Elhage et al. 2021: score through W_QK = W_Q W_K^T",
    "core projection bilinear",
    "x B Sk N; wqk N N ~w; wv N E ~w",
    "o B Sk E",
    score="x_i W_QK x_j / sqrt(D)",
    shapes=SINGLE,
)
def _(i, p):
    return softmax(np.einsum("bin,nm,bjm->bij", i.x, i.wqk, i.x) / p.D**0.5) @ (i.x @ i.wv)


@variant(
    "ov-circuit",
    "Elhage et al. 2021: output through W_OV = W_V W_O",
    "core projection",
    "x B Sk N; wq N D ~w; wk N D ~w; wv N E ~w; wo E N ~w",
    "o B Sk N",
    score="(x_i Wq).(x_j Wk) / sqrt(D)",
    note="A x W_OV == (A x W_V) W_O",
    shapes=SINGLE,
)
def _(i, p):
    return softmax(i.x @ i.wq @ (i.x @ i.wk).swapaxes(1, 2) / p.D**0.5) @ i.x @ (i.wv @ i.wo)


@identity("qk-circuit and ov-circuit by re-association")
def _():
    x, p, y = run("ov-circuit")
    z = REGISTRY["self-attention"].oracle(dict(x=x.x, wq=x.wq, wk=x.wk, wv=x.wv), vars(p))["o"]
    close(y.o, z @ x.wo)
    w = REGISTRY["qk-circuit"].oracle(dict(x=x.x, wqk=x.wq @ x.wk.T, wv=x.wv), vars(p))["o"]
    close(w, z)


@identity("value-down-up and v-low-rank-ua by re-association")
def _():
    x, p, y = run("v-low-rank-ua")
    close(y.o, softmax(x.q @ x.k.swapaxes(1, 2) / p.D**0.5) @ x.u @ x.a)
    x, p, y = run("value-down-up")
    s = where(np.tril(np.ones((p.Sk, p.Sk), bool)), x.x @ x.wq @ (x.x @ x.wk).swapaxes(1, 2) / p.D**0.5)
    close(y.o, softmax(s) @ (x.x @ x.down) @ x.up)
