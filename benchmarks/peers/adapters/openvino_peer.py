"""OpenVINO, CPU plugin: ScaledDotProductAttention of opset 13, in the precision of
the case."""

import numpy as np
import openvino
from openvino import opset13 as op

import cases
import tensors

TYPES = {"f32": openvino.Type.f32, "bf16": openvino.Type.bf16, "f16": openvino.Type.f16}


def start(threads):
    del threads


def version():
    return openvino.__version__


def wrap(array, dtype):
    """A tensor on the memory of an array."""
    if dtype == "bf16":
        return openvino.Tensor(array, list(array.shape), openvino.Type.bf16)
    return openvino.Tensor(array)


def repeated(case, node, features):
    """K or V with one head per query head."""
    if case.group == 1:
        return node
    node = op.unsqueeze(node, np.array([2]))
    node = op.broadcast(node, np.array([case.batch, case.kv_heads, case.group, case.kv_len, features]))
    return op.reshape(node, np.array([case.batch, case.heads, case.kv_len, features]), False)


def projected(case, x, weight):
    """Q, K and V of a layer."""
    shape = np.array([case.batch, case.query_len, 3, case.heads, case.head_dim])
    parts = op.reshape(op.matmul(x, weight, False, False), shape, False)
    parts = op.split(op.transpose(parts, np.array([2, 0, 3, 1, 4])), np.int64(0), 3).outputs()
    return [op.squeeze(part, np.array([0])) for part in parts]


def graph(case, nodes, mask):
    """The result of a case."""
    if case.kind == "layer":
        q, k, v = projected(case, nodes["x"], nodes["wqkv"])
    else:
        q, k, v = nodes["q"], repeated(case, nodes["k"], case.head_dim), repeated(case, nodes["v"], case.value_dim)
    causal = case.mask == "causal" and mask is None
    out = op.scaled_dot_product_attention(*([q, k, v] + ([mask] if mask else [])), causal=causal)
    if case.kind == "layer":
        merged = np.array([case.batch, case.query_len, case.model])
        out = op.matmul(op.reshape(op.transpose(out, np.array([0, 2, 1, 3])), merged, False), nodes["wo"], False, False)
    return out


def prepare(peer, case, inputs, threads):
    del peer
    if case.kind not in ("attention", "layer") or case.softcap:
        raise cases.Unsupported("ScaledDotProductAttention has no such score or normalization")
    arrays = dict(inputs)
    if case.mask != "none" and not (case.mask == "causal" and case.query_len == case.kv_len):
        arrays["mask"] = tensors.narrow(tensors.added_mask(case), case.dtype)
    nodes = {name: op.parameter(list(array.shape), TYPES[case.dtype], name) for name, array in arrays.items()}
    model = openvino.Model([graph(case, nodes, nodes.get("mask"))], list(nodes.values()), "case")
    compiled = openvino.Core().compile_model(model, "CPU", {
        "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1,
        "INFERENCE_PRECISION_HINT": case.dtype})
    request = compiled.create_infer_request()
    for number, array in enumerate(arrays.values()):
        request.set_input_tensor(number, wrap(array, case.dtype))

    def call(_owner=arrays):
        request.infer()
        return request.get_output_tensor(0)

    def result(tensor):
        if case.dtype != "bf16":
            return tensor.data.astype(np.float32)
        return tensors.widen(np.asarray(tensor.data).view(np.uint16), case.dtype)
    return call, result, {}
