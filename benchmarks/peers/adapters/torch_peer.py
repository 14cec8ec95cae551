"""PyTorch: scaled_dot_product_attention, compiled FlexAttention, the formula
written out (eager), and the same compiled by Inductor."""

import functools
import math

import numpy as np
import torch
import torch.nn.functional as F
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

import cases
import tensors

CHUNK = 64  # tokens of a chunk of causal linear attention


def start(threads):
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    torch._dynamo.config.recompile_limit = 64


def forget():
    # Closures of several cases share code: stay below the limit of recompilations.
    torch._dynamo.reset()


def version():
    return torch.__version__


def tensor(array, dtype):
    if dtype == "bf16":
        return torch.from_numpy(array.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(array.copy())


def layer(case, attention, x, wqkv, wo):
    """Projections around `attention`."""
    parts = (x @ wqkv).split(case.model, -1)
    q, k, v = (p.view(case.batch, case.query_len, case.heads, case.head_dim).transpose(1, 2) for p in parts)
    return attention(q, k, v).transpose(1, 2).reshape(case.batch, case.query_len, case.model) @ wo


def additive(q, k, v, w):
    return torch.softmax(torch.tanh(q[:, :, None] + k[:, None]) @ w, -1) @ v


def linear(q, k, v):
    q, k = F.elu(q) + 1, F.elu(k) + 1
    return (q @ (k.transpose(-1, -2) @ v)) / (q @ k.sum(-2, keepdim=True).transpose(-1, -2))


def causal_linear(case, q, k, v):
    """In chunks: the state before a chunk, and the quadratic form within it."""
    q, k = F.elu(q) + 1, F.elu(k) + 1
    q, k, v = (t.reshape(case.batch, case.heads, case.query_len // CHUNK, CHUNK, -1) for t in (q, k, v))
    state = (k.transpose(-1, -2) @ v).cumsum(2).roll(1, 2)
    total = k.sum(-2).cumsum(2).roll(1, 2)
    state[:, :, 0] = 0
    total[:, :, 0] = 0
    weights = (q @ k.transpose(-1, -2)).tril()
    divisor = weights.sum(-1, keepdim=True) + q @ total.unsqueeze(-1)
    return ((weights @ v + q @ state) / divisor).reshape(case.batch, case.heads, case.query_len, -1)


def eager(case, mask, q, k, v):
    if case.group > 1:
        k, v = k.repeat_interleave(case.group, 1), v.repeat_interleave(case.group, 1)
    score = (q @ k.transpose(-1, -2)) * case.scale
    if case.softcap:
        score = case.softcap * torch.tanh(score / case.softcap)
    if case.kind == "sigmoid":
        return torch.sigmoid(score - math.log(case.kv_len)) @ v
    return torch.softmax(score if mask is None else score + mask, -1) @ v


def written_out(case):
    """The formula of a case in tensor operations."""
    if case.kind == "additive":
        return additive
    if case.kind == "linear":
        if case.group > 1 or case.mask == "causal" and case.query_len % CHUNK:
            raise cases.Unsupported(f"written for chunks of {CHUNK} tokens and one KV head per head")
        return linear if case.mask == "none" else functools.partial(causal_linear, case)
    mask = tensors.added_mask(case)
    if mask is not None:
        mask = tensor(tensors.narrow(mask, case.dtype), case.dtype)
    return functools.partial(eager, case, mask)


def sdpa(case):
    if case.kind not in ("attention", "layer") or case.softcap:
        raise cases.Unsupported("scaled_dot_product_attention has no such score or normalization")
    options = {"scale": case.scale, "enable_gqa": case.group > 1}
    if case.mask == "causal" and case.query_len == case.kv_len:
        options["is_causal"] = True
    elif case.mask != "none":
        options["attn_mask"] = torch.from_numpy(tensors.visible(case).copy())
    return functools.partial(F.scaled_dot_product_attention, **options)


def flex_mask(case):
    """The mask as a predicate of FlexAttention, or None."""
    offset, window = case.kv_len - case.query_len, case.window
    lengths, documents = torch.from_numpy(tensors.lengths(case)), torch.from_numpy(tensors.documents(case))
    return {"none": None,
            "causal": lambda b, h, q, k: k <= q + offset,
            "window": lambda b, h, q, k: (k <= q + offset) & (q + offset - k < window),
            "padding": lambda b, h, q, k: k < lengths[b],
            "document": lambda b, h, q, k: (documents[q + offset] == documents[k]) & (k <= q + offset)}[case.mask]


def flex(case):
    if case.kind not in ("attention", "layer"):
        raise cases.Unsupported("FlexAttention has softmax only")
    cap, predicate = case.softcap, flex_mask(case)

    def capped(score, b, h, q, k):
        return cap * torch.tanh(score / cap)
    batch = case.batch if case.mask == "padding" else None
    blocks = predicate and create_block_mask(predicate, batch, None, case.query_len, case.kv_len, device="cpu")
    return functools.partial(flex_attention, score_mod=capped if cap else None, block_mask=blocks, scale=case.scale,
                             enable_gqa=case.group > 1)


FORMS = {"torch_sdpa": sdpa, "torch_flex": flex, "torch_eager": written_out, "torch_inductor": written_out}


def prepare(peer, case, inputs, threads):
    del threads
    arguments = [tensor(array, case.dtype) for array in inputs.values()]
    form = FORMS[peer](case)
    if case.kind == "layer":
        form = functools.partial(layer, case, form)
    if peer in ("torch_flex", "torch_inductor"):
        attention = form
        form = torch.compile(lambda *operands: attention(*operands), dynamic=False)
        form(*arguments)  # compiles
    return (lambda: form(*arguments)), lambda out: out.float().numpy(), {}
