"""PyTorch on the GPU: scaled_dot_product_attention by its flash and cuDNN
backends, and compiled FlexAttention. Calls run in the benchmark's stream."""

import contextlib
import functools

import numpy as np
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

import cases
import tensors

BACKENDS = {"torch_flash": SDPBackend.FLASH_ATTENTION, "torch_cudnn": SDPBackend.CUDNN_ATTENTION}
PEERS = (*BACKENDS, "torch_flex")


def use_device(ordinal):
    torch.cuda.set_device(ordinal)


def version():
    return f"torch {torch.__version__}, CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}"


def tensor(array, dtype):
    if dtype == "bf16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16).cuda()
    return torch.from_numpy(array).cuda()


def sees_all(case):
    """One query at the last key sees all keys."""
    return case.mask == "none" or case.mask == "causal" and case.query_len == 1


def sdpa(case, backend):
    is_square = case.query_len == case.kv_len
    if case.softcap or not (sees_all(case) or case.mask == "causal" and is_square):
        raise cases.Unsupported("these backends have no such mask or score")
    options = {"scale": case.scale, "enable_gqa": case.group > 1, "is_causal": not sees_all(case)}

    def call(q, k, v):
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v, **options)

    return call


def flex(case):
    offset, window, cap = case.kv_len - case.query_len, case.window, case.softcap
    lengths = torch.from_numpy(tensors.lengths(case)).cuda()
    documents = torch.from_numpy(tensors.documents(case)).cuda()
    predicate = {"none": None,
                 "causal": lambda b, h, q, k: k <= q + offset,
                 "window": lambda b, h, q, k: (k <= q + offset) & (q + offset - k < window),
                 "padding": lambda b, h, q, k: k < lengths[b],
                 "document": lambda b, h, q, k: (documents[q + offset] == documents[k]) & (k <= q + offset)}[case.mask]

    def capped(score, b, h, q, k):
        del b, h, q, k
        return cap * torch.tanh(score / cap)

    block_mask = None
    if predicate and not sees_all(case):
        batch = case.batch if case.mask == "padding" else None
        block_mask = create_block_mask(predicate, batch, None, case.query_len, case.kv_len, device="cuda")
    compiled = torch.compile(flex_attention, dynamic=False)
    return functools.partial(compiled, score_mod=capped if cap else None, block_mask=block_mask, scale=case.scale,
                             enable_gqa=case.group > 1)


class Peer:
    """A peer with a case's tensors; calling it queues the kernels."""

    facts = {}

    def __init__(self, peer, stream, case, inputs):
        torch._dynamo.reset()
        self.stream = torch.cuda.ExternalStream(stream)
        with self.context():
            self.function = flex(case) if peer == "torch_flex" else sdpa(case, BACKENDS[peer])
            self.arguments = [tensor(inputs[name], case.dtype) for name in ("q", "k", "v")]

    @contextlib.contextmanager
    def context(self):
        with torch.no_grad(), torch.cuda.stream(self.stream):
            yield

    def __call__(self):
        with self.context():
            self.result = self.function(*self.arguments)

    def values(self):
        self.stream.synchronize()
        return self.result.float().cpu().numpy()

    def close(self):
        self.function = self.arguments = self.result = None
        torch.cuda.empty_cache()
